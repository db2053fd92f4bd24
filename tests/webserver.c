/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * An HTTP server for tests/input/fetch.sh with correct and faulty answers. It listens on 127.0.0.1 alone, at a port that
 * the system chooses and that it writes to DIR/port, and on the socket DIR/socket. Each connection has a process,
 * because some never end. DIR/asked has a line for each target that was requested.
 * All processes end when standard input ends, or after ten minutes.
 *
 *	webserver SAMPLES DIR
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { LIFE_S = 600, LONG = 1 << 22 };

static const char *samples;
static int asked;		/* file descriptor of DIR/asked */
static atomic_int *together;	/* shared by all processes: number of requests for /together */

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void put(int fd, const void *p, size_t n)
{
	const char *s = p;
	while (n) {
		ssize_t k = write(fd, s, n);
		if (k <= 0)
			_exit(0);
		s += k;
		n -= (size_t)k;
	}
}

static void head(int fd, const char *status, const char *more, long length)
{
	char b[1024];
	int n = snprintf(b, sizeof b, "HTTP/1.1 %s\r\nConnection: close\r\n%s", status, more);
	if (length >= 0)
		n += snprintf(b + n, sizeof b - (size_t)n, "Content-Length: %ld\r\n", length);
	n += snprintf(b + n, sizeof b - (size_t)n, "\r\n");
	put(fd, b, (size_t)n);
}

static void answer(int fd, const char *status, const char *more, const char *text)
{
	head(fd, status, more, (long)strlen(text));
	put(fd, text, strlen(text));
}

/* Send a sample; the Content-Length is `more` bytes too large. */
static void file(int fd, const char *name, const char *type, long more)
{
	static char b[LONG];
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", samples, name);
	FILE *f = fopen(path, "rb");
	if (!f) {
		answer(fd, "404 Not Found", "X-Go-Pprof: 1\r\nContent-Type: text/plain; charset=utf-8\r\n",
		    "Unknown profile\n");
		return;
	}
	size_t n = fread(b, 1, sizeof b, f);
	fclose(f);
	head(fd, "200 OK", type, (long)n + more);
	put(fd, b, n);
}

static void endless(int fd, const char *status)
{
	static const char zeros[65536];
	head(fd, status, "", -1);
	for (;;)
		put(fd, zeros, sizeof zeros);
}

/* Send a whole profile, and headers after it without end. */
static void trailers(int fd)
{
	static char b[LONG], lines[60000];
	char path[4096], size[32];
	snprintf(path, sizeof path, "%s/heap.pb.gz", samples);
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(b, 1, sizeof b, f) : 0;
	if (f)
		fclose(f);
	for (size_t i = 0; i < sizeof lines; i += 6)
		memcpy(lines + i, "T: x\r\n", 6);
	head(fd, "200 OK", "Transfer-Encoding: chunked\r\n", -1);
	put(fd, size, (size_t)snprintf(size, sizeof size, "%zx\r\n", n));
	put(fd, b, n);
	put(fd, "\r\n0\r\n", 5);
	for (;;)
		put(fd, lines, sizeof lines);
}

/* Send the text again and again, slowly. */
static void drip(int fd, const char *text)
{
	for (;;) {
		put(fd, text, strlen(text));
		poll(NULL, 0, 500);
	}
}

static void pprof(int fd, const char *what, size_t n)
{
	static const char type[] = "Content-Type: application/octet-stream\r\n";
	char name[256];
	if (n == 5 && !memcmp(what, "trace", 5))
		snprintf(name, sizeof name, "orders.trace");
	else
		snprintf(name, sizeof name, "%.*s.pb.gz", (int)n, n == 7 && !memcmp(what, "profile", 7) ? "cpu" : what);
	if (strchr(name, '/'))
		_exit(1);
	if (n == 7 && !memcmp(what, "profile", 7))
		snprintf(name, sizeof name, "cpu.pb.gz");
	file(fd, name, type, 0);
}

static void collect(const char *target)
{
	const char *s = strstr(target, "seconds=");
	if (s)
		sleep((unsigned)atoi(s + 8) % 60);
}

/* Send an answer once three requests are open at the same time. */
static void meet(int fd)
{
	atomic_fetch_add(together, 1);
	while (atomic_load(together) < 3)
		poll(NULL, 0, 5);
	pprof(fd, "heap", 4);
}

static void serve(int fd, const char *target)
{
	static const char go[] = "/debug/pprof/";
	char more[4400];
	size_t n = strcspn(target, "?");
#define IS(path) (n == strlen(path) && !memcmp(target, path, n))
	collect(target);
	if (!strncmp(target, go, strlen(go)))
		pprof(fd, target + strlen(go), n - strlen(go));
	else if (IS("/echo")) {
		snprintf(more, sizeof more, "%s\n", target);
		answer(fd, "418 Teapot", "", more);
	} else if (IS("/page"))
		answer(fd, "200 OK", "Content-Type: text/html\r\n",
		    "<!DOCTYPE html>\n<html><body>Welcome</body></html>\n");
	else if (IS("/500"))
		answer(fd, "500 Internal Server Error", "Content-Type: text/html\r\n",
		    "<!DOCTYPE html>\n<html><head><style>p { color: red }</style>\n<title>The \033[31mdatabase\033[0m "
		    "is down</title>"
		    "</head>\n<body><h1>Sorry</h1></body></html>\n");
	else if (IS("/502"))
		answer(fd, "502 Bad Gateway", "", "<html>\n<title>502 Bad Gateway</title></html>\n");
	else if (IS("/empty"))
		answer(fd, "200 OK", "", "");
	else if (IS("/half"))
		file(fd, "cpu.pb.gz", "", 1000);
	else if (IS("/half.trace"))
		file(fd, "orders.trace", "", 1000);
	else if (IS("/gzip"))
		file(fd, "cpu.pb.gz", "Content-Encoding: gzip\r\n", 0);
	else if (IS("/redirect"))
		answer(fd, "302 Found", "Location: /debug/pprof/heap\r\n", "<a href=\"/debug/pprof/heap\">Found</a>\n");
	else if (IS("/redirect-never"))
		answer(fd, "302 Found", "Location: /never\r\n", "");
	else if (IS("/loop"))
		answer(fd, "302 Found", "Location: /loop\r\n", "");
	else if (IS("/elsewhere"))
		answer(fd, "302 Found", "Location: file:///etc/passwd\r\n", "");
	else if (IS("/endless"))
		endless(fd, "200 OK");
	else if (IS("/endless-error"))
		endless(fd, "500 Internal Server Error");
	else if (IS("/trailers"))
		trailers(fd);
	else if (IS("/slow-hints"))
		drip(fd, "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n");
	else if (IS("/slow-error")) {
		head(fd, "503 Service Unavailable", "Content-Type: text/plain\r\n", -1);
		drip(fd, "busy ");
	} else if (IS("/together"))
		meet(fd);
	else if (IS("/never"))
		sleep(LIFE_S);
	else if (IS("/nonsense"))
		put(fd, "what?\r\n\r\n", 9);
	else
		answer(fd, "404 Not Found", "", "404 page not found\n");
#undef IS
}

static void connection(int fd)
{
	char b[4096], target[4096];
	size_t n = 0;
	while (n + 1 < sizeof b) {
		ssize_t k = read(fd, b + n, sizeof b - 1 - n);
		if (k <= 0)
			_exit(0);
		n += (size_t)k;
		b[n] = '\0';
		if (strstr(b, "\r\n\r\n"))
			break;
	}
	if (sscanf(b, "GET %4095s", target) == 1) {
		dprintf(asked, "%s\n", target);
		serve(fd, target);
	}
	shutdown(fd, SHUT_WR);
	while (read(fd, b, sizeof b) > 0)
		;
	_exit(0);
}

static int listen_tcp(const char *dir)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof a;
	char name[4096], temp[4096 + 8];
	int s = socket(AF_INET, SOCK_STREAM, 0);
	if (s < 0 || bind(s, (struct sockaddr *)&a, sizeof a) || listen(s, 16) ||
	    getsockname(s, (struct sockaddr *)&a, &len))
		die("127.0.0.1");
	int c = socket(AF_INET, SOCK_STREAM, 0);	/* if the loopback is down, listen() succeeds and connect() fails */
	if (c < 0 || connect(c, (struct sockaddr *)&a, sizeof a))
		die("127.0.0.1");
	close(c);
	snprintf(name, sizeof name, "%s/port", dir);
	snprintf(temp, sizeof temp, "%s.new", name);
	FILE *f = fopen(temp, "w");
	if (!f || fprintf(f, "%d\n", ntohs(a.sin_port)) < 0 || fclose(f) || rename(temp, name))
		die(name);
	return s;
}

static int listen_unix(const char *dir)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(a.sun_path, sizeof a.sun_path, "%s/socket", dir);
	if (s < 0 || bind(s, (struct sockaddr *)&a, sizeof a) || listen(s, 16))
		die(a.sun_path);
	return s;
}

/* Open what the processes of connections share: the log DIR/asked and the counter in DIR/together. */
static void open_shared(const char *dir)
{
	char name[4096];
	snprintf(name, sizeof name, "%s/asked", dir);
	asked = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (asked < 0)
		die(name);
	snprintf(name, sizeof name, "%s/together", dir);
	int fd = open(name, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, sizeof *together))
		die(name);
	together = mmap(NULL, sizeof *together, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (together == MAP_FAILED)
		die(name);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	samples = argv[1];
	open_shared(argv[2]);
	setpgid(0, 0);
	signal(SIGCHLD, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, SIG_IGN);	/* kill(0) below is for the children, which do not ignore it */
	alarm(LIFE_S);
	struct pollfd p[3] = {
	    {STDIN_FILENO, POLLIN, 0}, {listen_unix(argv[2]), POLLIN, 0}, {listen_tcp(argv[2]), POLLIN, 0}};
	while (poll(p, 3, -1) >= 0 || errno == EINTR) {
		char c;
		if (p[0].revents && read(STDIN_FILENO, &c, 1) <= 0)
			break;
		for (int i = 1; i < 3; i++) {
			int fd = p[i].revents ? accept(p[i].fd, NULL, NULL) : -1;
			if (fd >= 0 && !fork()) {
				signal(SIGTERM, SIG_DFL);
				alarm(LIFE_S);
				connection(fd);
			}
			if (fd >= 0)
				close(fd);
		}
	}
	kill(0, SIGTERM);
	return 0;
}
