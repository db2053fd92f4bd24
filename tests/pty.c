/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Runs a program on an emulated terminal (vt.h), types keys and prints the screen that results.
 *
 *	pty [-s 80x24] [-k KEYS] [-e FILE] [-c] [-b] [-t] [-f] [-q MS] [-i FILE] [-r BYTES/s] [-g rgb:R/G/B] [-l MS]
 *		PROGRAM [ARGUMENT...]
 *
 * KEYS are those of `ttrace view -script`, and <Size 120x40>, <Kill TERM>, <Wait 200> (ms), <Mouse 0M 10 5> and
 * <Mouse 0m 10 5> (button pressed and released; 32: moved, 64 and 65: wheel), <Raw TEXT> (bytes that the terminal sends;
 * \e is an Esc, \a a BEL).
 * -e: fail unless the last screen equals FILE, which `ttrace view -script -ansi` wrote; -c: compare colours and
 * attributes, too. -b: print statistics of the bytes per key. -t: print for the first screen and for each key the
 * milliseconds until the last byte of the answer. -q: milliseconds without output that count as quiet. -i: FILE is
 * the program's standard input. -r: the terminal reads at most so many bytes a second.
 * -g: answer with this colour if the program asks for the background; without it, only a question for the device is answered.
 * -l: answers are late by so many ms; with a minus sign there is none. What the program has not read is printed.
 * -f: print the text from the terminal's cursor to the end of its line, after the screen.
 * If the program has ended by itself, its status is printed. In each case the modes and settings of the terminal
 * that the program has not restored are printed.
 *
 * Results do not depend on time, because the machine may be busy. A key counts as answered if the program has woken
 * since it was written, has read all input, sleeps with all its threads and children, and writes nothing more;
 * asleep() reads this from /proc. On systems other than Linux a time without output decides alone.
 */
#define _GNU_SOURCE	/* posix_openpt and its like */
#include "config.h"
#include "vt.h"

#include "base/mem/mem.h"
#include "term/key.h"

#include "tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 120000 };	/* time after which the program has failed */

static struct {
	int rows, cols, quiet;
	const char *keys, *expect, *input;
	bool colours, bytes, times, focus;
	long rate, late;
	const char *ground;
} o = {24, 80, 60, "", NULL, NULL, false, false, false, false, 0, 0, NULL};

static int master, slave;
static struct termios before;
static struct vt *vt;
static pid_t pid;
static uint64_t total;
static double heard;	/* when the last bytes arrived, in ms */
static bool ended;
static double answer_at;	/* when the terminal answers; 0: no question is open */
static bool second;	/* the program has used the alternate screen, so the main screen is unchanged */

static void die(const char *what)
{
	fprintf(stderr, "pty: %s: %s\n", what, strerror(errno));
	exit(2);
}

static double clock_ms(clockid_t c)
{
	struct timespec ts = {0, 0};
	clock_gettime(c, &ts);
	return (double)ts.tv_sec * 1000 + (double)ts.tv_nsec / 1e6;
}

static double now(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

/* Return the processor time that the program has used, in ms: it hardly depends on the load of the machine. */
static double spent(void)
{
	clockid_t c;
	return clock_getcpuclockid(pid, &c) ? 0 : clock_ms(c);
}

static long now_ms(void)
{
	return (long)now();
}

static void set_size(int rows, int cols)
{
	struct winsize ws = {(unsigned short)rows, (unsigned short)cols, 0, 0};
	ioctl(master, TIOCSWINSZ, &ws);
}

static void start(char **argv)
{
	master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (master < 0 || grantpt(master) || unlockpt(master))
		die("pseudo-terminal");
	const char *name = ptsname(master);
	slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		die(name);
	set_size(o.rows, o.cols);
	tcgetattr(slave, &before);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid)
		return;
	setsid();
	int tty = open(name, O_RDWR), in = o.input ? open(o.input, O_RDONLY) : tty;
	ioctl(tty, TIOCSCTTY, 0);
	dup2(in, 0);
	dup2(tty, 1);
	dup2(tty, 2);
	execvp(argv[0], argv);
	_exit(127);
}

/* Answer the questions of the program when it is time. */
static void answer_questions(void)
{
	char s[80] = "";
	if (vt->asked_device && !answer_at && o.late >= 0)
		answer_at = now() + (double)o.late;
	if (!answer_at || now() < answer_at)
		return;
	if (vt->asked_colour && o.ground)
		snprintf(s, sizeof s, "\033]11;%s\033\\", o.ground);
	strcat(s, "\033[?62;22c");
	if (write(master, s, strlen(s)) < 0)
		die("write");
	vt->asked_device = vt->asked_colour = 0;
	answer_at = 0;
}

/* Feed the bytes that arrive within ms to the terminal. Return false if none arrive. */
static bool take(int ms)
{
	answer_questions();
	struct pollfd p = {master, POLLIN, 0};
	char buf[4096];
	size_t most = o.rate ? 64 : sizeof buf;
	if (poll(&p, 1, ms) <= 0)
		return false;
	ssize_t k = read(master, buf, most);
	if (k <= 0) {
		ended = true;
		return false;
	}
	if (o.rate) {
		struct timespec ts = {0, k * 1000000000L / o.rate};
		nanosleep(&ts, NULL);
	}
	total += (uint64_t)k;
	heard = now();
	vt_feed(vt, buf, (size_t)k);
	second |= vt->alt;
	return true;
}

static bool over(void)
{
	siginfo_t si = {0};
	return ended || (waitid(P_PID, (id_t)pid, &si, WEXITED | WNOHANG | WNOWAIT) == 0 && si.si_pid == pid);
}

/* Read state and session of a process or thread from /proc/NAME/stat. Return false if it does not exist. */
static bool state_of(const char *name, char *state, int *session)
{
	char path[600], line[1024];
	snprintf(path, sizeof path, "/proc/%s/stat", name);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(line, 1, sizeof line - 1, f) : 0;
	if (f)
		fclose(f);
	line[n] = '\0';
	const char *s = strrchr(line, ')');	/* a name may have spaces and parentheses */
	return s && sscanf(s, ") %c %*d %*d %d", state, session) == 2;
}

/* Return whether all threads of a process sleep, but not uninterruptibly (as for a disk). */
static bool threads_sleep(const char *process)
{
	char path[300], name[600], state;
	int session;
	bool sleep = true;
	snprintf(path, sizeof path, "/proc/%s/task", process);
	DIR *d = opendir(path);
	for (struct dirent *e; d && sleep && (e = readdir(d));) {
		snprintf(name, sizeof name, "%s/task/%s", process, e->d_name);
		if (e->d_name[0] != '.' && state_of(name, &state, &session))
			sleep = strchr("STZ", state);
	}
	if (d)
		closedir(d);
	return sleep;
}

/* Return whether the program waits for a key: it has read all input, and all processes of its session sleep. */
static bool asleep(void)
{
	int unread = 0, session;
	char state;
	if (ioctl(slave, FIONREAD, &unread) == 0 && unread > 0)
		return false;
	bool sleep = true;
	DIR *d = opendir("/proc");
	for (struct dirent *e; d && sleep && (e = readdir(d));)
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && state_of(e->d_name, &state, &session) &&
		    session == pid)
			sleep = threads_sleep(e->d_name);
	if (d)
		closedir(d);
	return sleep;
}

/* Return how often the program has gone to sleep, -1 where this is not known. */
static long naps(void)
{
	char path[64], line[256];
	long n = -1;
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	FILE *f = fopen(path, "re");
	while (f && n < 0 && fgets(line, sizeof line, f))
		sscanf(line, "voluntary_ctxt_switches: %ld", &n);
	if (f)
		fclose(f);
	return n;
}

/* Take output until the program is quiet and waits for input. */
static void settle(void)
{
	for (long end = now_ms() + PATIENCE_MS; now_ms() < end && !over();)
		if (!take(o.quiet) && asleep())
			return;
}

/* Take output as settle() does, but first wait until the program has woken, that is until naps() differs from `slept`. A
   key that a child reads does not wake the program, so wait for CHILD_MS at most. */
static void answer(long slept)
{
	enum { CHILD_MS = 2000 };
	if (slept < 0)
		take(o.quiet * 4);
	for (long end = now_ms() + CHILD_MS; now_ms() < end && !over() && slept >= 0 && naps() == slept;)
		take(o.quiet);
	settle();
}

/* Take output until the first screen without a message of loading is there. */
static void await(void)
{
	static char text[400 * 130 * 4];
	for (long end = now_ms() + PATIENCE_MS; now_ms() < end && !over();) {
		settle();
		vt_print(vt, text, sizeof text);
		if (text[0] != '\n' && !strstr(text, "loading "))
			return;
	}
}

static size_t key_bytes(int32_t key, char *s)
{
	static const struct { int32_t key; char final; } arrows[] = {{KEY_DOWN_, 'B'}, {KEY_UP_, 'A'},
	    {KEY_LEFT_, 'D'}, {KEY_RIGHT_, 'C'}, {KEY_HOME_, 'H'}, {KEY_END_, 'F'}};
	for (size_t i = 0; i < sizeof arrows / sizeof *arrows; i++)
		if (arrows[i].key == key)
			return (size_t)sprintf(s, vt->appkeys ? "\033O%c" : "\033[%c", arrows[i].final);
	if (key == KEY_PGDN || key == KEY_PGUP)
		return (size_t)sprintf(s, "\033[%d~", key == KEY_PGDN ? 6 : 5);
	if (key == KEY_F1)
		return (size_t)sprintf(s, vt->scan_keys ? "\033[M" : "\033OP");
	if (key == KEY_BACKTAB)
		return (size_t)sprintf(s, "\033[Z");
	if (key >= KEYS_SPECIAL)
		return 0;
	struct buf b = {0};
	if (key < 0x80) {
		s[0] = (char)key;
		return 1;
	}
	keys_print(key, &b);
	memcpy(s, b.p, b.n);
	size_t n = b.n;
	buf_free(&b);
	return n;
}

/* Send a mouse button at column x, row y (from 0) in the encoding that the program has selected, if any. */
static void mouse(int button, bool press, int x, int y)
{
	char s[40];
	int n = vt->sgrmouse ? snprintf(s, sizeof s, "\033[<%d;%d;%d%c", button, x + 1, y + 1, press ? 'M' : 'm')
			     : snprintf(s, sizeof s, "\033[M%c%c%c", 32 + (press ? button : 3), 33 + x, 33 + y);
	if (vt->mouse && write(master, s, (size_t)n) < 0)
		die("write");
}

/* Carry out a directive like <Size 120x40>. Return the bytes of the script that it takes, 0 if it is a key. */
static size_t directive(const char *s, bool *wakes)
{
	const struct { const char *name; int sig; } sigs[] = {{"TERM", SIGTERM}, {"HUP", SIGHUP},
	    {"SEGV", SIGSEGV}, {"ABRT", SIGABRT}, {"WINCH", SIGWINCH}, {"INT", SIGINT}, {"CONT", SIGCONT},
	    {"TSTP", SIGTSTP}, {"ALRM", SIGALRM}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"XCPU", SIGXCPU},
	    {"VTALRM", SIGVTALRM}, {"PROF", SIGPROF}, {"SYS", SIGSYS}, {"TRAP", SIGTRAP}, {"QUIT", SIGQUIT},
	    {"FPE", SIGFPE}, {"ILL", SIGILL}, {"BUS", SIGBUS}, {"IO", SIGIO}, {"RT", SIGRTMAX}};
	int a, b, button, n = 0;
	char name[8], what;
	if (sscanf(s, "<Size %dx%d>%n", &a, &b, &n) == 2 && n) {
		*wakes = a != vt->cols || b != vt->rows;
		vt_resize(vt, b, a);
		set_size(b, a);
	} else if (sscanf(s, "<Wait %d>%n", &a, &n) == 1 && n) {
		for (long end = now_ms() + a; now_ms() < end;)
			take(10);
	} else if (sscanf(s, "<Mouse %d%c %d %d>%n", &button, &what, &a, &b, &n) == 4 && n) {
		*wakes = vt->mouse;
		mouse(button, what == 'M', a, b);
	} else if (!strncmp(s, "<Raw ", 5) && strchr(s, '>')) {
		n = (int)(strchr(s, '>') - s) + 1;
		*wakes = true;
		char bytes[80];
		size_t k = 0;
		for (const char *c = s + 5; *c != '>' && k < sizeof bytes; c++) {
			bool named = c[0] == '\\' && (c[1] == 'e' || c[1] == 'a');
			bytes[k++] = !named ? *c : c[1] == 'e' ? '\033' : '\a';
			c += named;
		}
		if (write(master, bytes, k) < 0)
			die("write");
	} else if (sscanf(s, "<Kill %7[A-Z0-9]>%n", name, &n) == 1 && n) {
		for (size_t i = 0; i < sizeof sigs / sizeof *sigs; i++)
			if (!strcmp(sigs[i].name, name))
				*wakes = kill(pid, sigs[i].sig) == 0;
	}
	return (size_t)n;
}

/* Wait after an Esc: a key that follows at once would make another key of it. */
static void escape(void)
{
	enum { ESC_MS = 100 };	/* four times what the viewer waits */
	for (long end = now_ms() + ESC_MS; now_ms() < end;)
		take(10);
	settle();
}

static int cmp_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Print statistics of the bytes per key; `first` are those of the first screen. */
static void print_cost(uint64_t *cost, size_t nkey, uint64_t first)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < nkey; i++)
		sum += cost[i];
	qsort(cost, nkey, sizeof *cost, cmp_u64);
	printf("first screen %llu bytes; %zu keys: mean %llu median %llu p90 %llu p99 %llu largest %llu bytes\n",
	    (unsigned long long)first, nkey, (unsigned long long)(sum / nkey),
	    (unsigned long long)cost[nkey / 2], (unsigned long long)cost[nkey * 9 / 10],
	    (unsigned long long)cost[nkey * 99 / 100], (unsigned long long)cost[nkey - 1]);
}

static void type_keys(void)
{
	size_t n = strlen(o.keys), nkey = 0, cap = 0;
	uint64_t *cost = NULL, first = total;
	char s[16];
	for (const char *k = o.keys, *end = k + n; k < end && !over();) {
		int32_t key;
		bool wakes = false;
		uint64_t was = total;
		long slept = naps();
		double typed = now(), began = spent();
		size_t d = directive(k, &wakes), len = d ? d : keys_parse(k, (size_t)(end - k), &key);
		size_t nb = d ? 0 : key_bytes(key, s);
		const char *name = k;
		if (nb && write(master, s, nb) < 0)
			break;
		k += len;
		if (d && !strncmp(k, "<Mouse ", 7))
			continue;		/* the events of a double click or a drag arrive together */
		answer(nb || wakes ? slept : -1);
		if (!d && key == '\033')
			escape();
		if (nb && o.times)
			printf("%.*s %.1f ms, %.1f ms of the processor\n", (int)len, name,
			    total > was ? heard - typed : 0,
			    spent() - began);
		if (!d) {
			cost = mem_grow(cost, &cap, nkey + 1, sizeof *cost);
			cost[nkey++] = total - was;
			if (o.bytes && getenv("PTY_EACH"))
				printf("%.*s %llu\n", (int)len, k - len, (unsigned long long)(total - was));
		}
	}
	if (o.bytes && nkey)
		print_cost(cost, nkey, first);
	mem_free(cost);
}

static struct vt *expected(void)
{
	FILE *f = fopen(o.expect, "re");
	int c;
	if (!f)
		die(o.expect);
	struct vt *v = vt_new(vt->rows + 1, vt->cols, "xterm");
	while ((c = getc(f)) != EOF) {
		char b[2] = {'\r', (char)c};
		vt_feed(v, c == '\n' ? b : b + 1, c == '\n' ? 2 : 1);
	}
	fclose(f);
	return v;
}

static bool same(const struct vcell *a, const struct vcell *b)
{
	bool ok = a->ch == b->ch && a->mark == b->mark;
	if (!ok || !o.colours)
		return ok;
	if (a->ch == ' ' && !(a->attr & (VA_REVERSE | VA_UNDER)))	/* a blank shows only its background */
		return a->bg == b->bg && !(b->attr & (VA_REVERSE | VA_UNDER));
	if (a->ch == 0x2588 && !((a->attr | b->attr) & VA_REVERSE))
		return a->fg == b->fg;
	return a->fg == b->fg && a->bg == b->bg && a->attr == b->attr;
}

static int compare(void)
{
	struct vt *v = expected();
	int bad = 1;
	for (int calm = 0; bad && calm < 20; ) {	/* the screen is wrong: output may still come */
		bad = 0;
		for (int i = 0; i < vt->rows * vt->cols; i++)
			bad += !same(&v->cell[i], &vt->cell[i]);
		calm = bad && (take(100) || !(over() || asleep())) ? 0 : calm + 1;
	}
	for (int i = 0, printed = 0; bad && i < vt->rows * vt->cols && printed < 5; i++) {
		const struct vcell *a = &v->cell[i], *b = &vt->cell[i];
		if (!same(a, b) && ++printed)
			fprintf(stderr,
			    "cell %d,%d: U+%04X %d on %d attributes %d instead of U+%04X %d on %d attributes %d\n",
			    i / vt->cols, i % vt->cols, (unsigned)b->ch, (int)b->fg, (int)b->bg, b->attr,
			    (unsigned)a->ch, (int)a->fg, (int)a->bg, a->attr);
	}
	if (bad)
		fprintf(stderr, "%d cells are wrong\n", bad);
	vt_free(v);
	return bad;
}

/* Return whether the cursor's line has text, where the shell will write next. */
static bool in_the_way(void)
{
	for (int x = 0; x < vt->cols; x++)
		if (vt->cell[vt->y * vt->cols + x].ch != ' ')
			return true;
	return false;
}

/* Print modes and settings of the terminal that the program has not restored. Return 1 if there are any. */
static int print_unrestored(int status)
{
	struct termios after;
	int bad = 0;
	tcgetattr(slave, &after);
	const struct { bool on; const char *what; } left[] = {{vt->alt, "the alternate screen"},
	    {vt->hidden, "a hidden cursor"}, {vt->appkeys, "application keys"}, {vt->mouse, "the mouse"},
	    {vt->pen.attr != 0 || vt->pen.fg != -1 || vt->pen.bg != -1, "colours or attributes"},
	    {vt->acs[0], "another character set"},
	    {WIFEXITED(status) && !second && in_the_way(), "words in the cursor's line"},
	    {after.c_lflag != before.c_lflag || after.c_iflag != before.c_iflag || after.c_oflag != before.c_oflag,
		"the line's settings"}};
	for (size_t i = 0; i < sizeof left / sizeof *left; i++)
		if (left[i].on) {
			printf("left behind: %s\n", left[i].what);
			bad = 1;
		}
	return bad;
}

/* Print how many bytes of an answer a shell would read as keys. Return 1 if there are any. */
static int print_unread(void)
{
	struct termios raw;
	int n = 0;
	if (!o.ground || tcgetattr(slave, &raw))
		return 0;
	raw.c_lflag &= (tcflag_t)~ICANON;	/* otherwise only whole lines count */
	tcsetattr(slave, TCSANOW, &raw);
	for (double end = now() + (double)o.late; now() < end;)
		take(10);
	if (ioctl(slave, FIONREAD, &n) || !n)
		return 0;
	printf("left behind: %d bytes of input\n", n);
	return 1;
}

/* Print the text of the cursor's line from the cursor on, and whether the cell at the cursor is reversed. */
static void print_cursor_line(void)
{
	static char text[400 * 4];
	struct vt line = *vt;
	const struct vcell *at = &vt->cell[vt->y * vt->cols + vt->x];
	line.cell = vt->cell + vt->y * vt->cols + vt->x;
	line.rows = 1;
	line.cols = vt->cols - vt->x;
	vt_print(&line, text, sizeof text);
	printf("%s cursor%s: %s", vt->hidden ? "hidden" : "visible", at->attr & VA_REVERSE ? " on a reversed cell" : "", text);
}

/* After the keys: compare or print the screen, terminate the program if it still runs, and print what it left changed. */
static int finish(void)
{
	int status = 0, bad = 0;
	static char text[400 * 130 * 4];
	if (o.expect)
		bad = compare();
	for (int calm = 0; !o.expect && !o.bytes && !over() && calm < 3;)
		calm = take(50) || !asleep() ? 0 : calm + 1;
	bool still = !over();
	while (take(still ? 0 : 50))
		;
	if (!o.bytes && (bad || !o.expect)) {
		vt_print(vt, text, sizeof text);
		fputs(text, bad ? stderr : stdout);
	}
	if (o.focus && still)
		print_cursor_line();
	if (still)
		kill(pid, SIGTERM);
	for (long end = now_ms() + PATIENCE_MS; !over();) {
		if (!take(50) && now_ms() > end) {
			printf("does not end\n");
			bad = 1;
			kill(pid, SIGKILL);
			end += PATIENCE_MS;
		}
	}
	while (take(50))
		;
	waitpid(pid, &status, 0);
	if (!still) {
		if (WIFSIGNALED(status))
			printf("ended by signal %d\n", WTERMSIG(status));
		else
			printf("exit %d\n", WEXITSTATUS(status));
	}
	bad |= print_unrestored(status);
	bad |= print_unread();
	if (vt->unknown) {
		printf("%llu sequences unknown, the first %s\n", (unsigned long long)vt->unknown, vt->what + 1);
		bad = 1;
	}
	if (vt->nosc)
		printf("OSC %s\n", vt->osc);
	return bad ? 1 : 0;
}

/* Without arguments: test the emulated terminal itself. */
static int self_test(void)
{
	static const struct { const char *in, *out; } t[] = {
	    {"ab\r\ncd", "ab\ncd\n\n"}, {"abcdef", "abcde\nf\n\n"}, {"abcde\rx", "xbcde\n\n\n"},
	    {"abc\033[2Dx", "axc\n\n\n"}, {"\033[2;3Hx\033[Hy", "y\n  x\n\n"}, {"a\033[3bb", "aaaab\n\n\n"},
	    {"abcde\033[1;2H\033[2X", "a  de\n\n\n"}, {"abcde\033[1;2H\033[2P", "ade\n\n\n"},
	    {"abcde\033[1;2H\033[@", "a bcd\n\n\n"}, {"a\nb\nc\nd", " b\n  c\n   d\n"},
	    {"1\r\n2\r\n3\033[1;2r\033[2;1H\n", "2\n\n3\n"}, {"1\r\n2\r\n3\033[2;1H\033[L", "1\n\n2\n"},
	    {"1\r\n2\r\n3\033[1;1H\033[M", "2\n3\n\n"}, {"1\r\n2\r\n3\033[H\033M", "\n1\n2\n"},
	    {"\303\251\344\270\255x", "\303\251\344\270\255x\n\n\n"},
	    {"\033(0qx\033(Bq", "\342\224\200\342\224\202q\n\n\n"},
	    {"abcde\033[1;3H\033[K", "ab\n\n\n"}, {"ab\r\ncd\033[2;2H\033[1J", "\n\n\n"}};
	char out[200];
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct vt *v = vt_new(3, 5, "xterm");
		vt_feed(v, t[i].in, strlen(t[i].in));
		vt_print(v, out, sizeof out);
		if (strcmp(out, t[i].out))
			fprintf(stderr, "self test %zu: %s", i, out);
		OK(!strcmp(out, t[i].out) && !v->unknown);
		vt_free(v);
	}
	struct vt *v = vt_new(3, 5, "xterm");
	static const char paints[] = "\033[1;38;5;71;44mx\033[7my\033[22;39mz\033[0;95mw\033[y";
	vt_feed(v, paints, sizeof paints - 1);
	OK(v->cell[0].fg == 71 && v->cell[0].bg == 4 && v->cell[0].attr == VA_BOLD);
	OK(v->cell[1].attr == (VA_BOLD | VA_REVERSE) && v->cell[2].attr == VA_REVERSE && v->cell[2].fg == -1);
	OK(v->cell[3].fg == 13 && v->cell[3].bg == -1 && v->unknown == 1);
	vt_free(v);
	return DONE();
}

int main(int argc, char **argv)
{
	if (argc == 1)
		return self_test();
	const char *term = getenv("TERM");
	int c;
	while ((c = getopt(argc, argv, "+s:k:e:cbtfq:i:r:g:l:")) != -1)
		switch (c) {
		case 's': if (sscanf(optarg, "%dx%d", &o.cols, &o.rows) != 2) die("-s"); break;
		case 'k': o.keys = optarg; break;
		case 'e': o.expect = optarg; break;
		case 'c': o.colours = true; break;
		case 'b': o.bytes = true; break;
		case 't': o.times = true; break;
		case 'f': o.focus = true; break;
		case 'q': o.quiet = atoi(optarg); break;
		case 'i': o.input = optarg; break;
		case 'r': o.rate = atol(optarg); break;
		case 'g': o.ground = optarg; break;
		case 'l': o.late = atol(optarg); break;
		default: return 2;
		}
	if (optind == argc)
		return 2;
	vt = vt_new(o.rows, o.cols, term ? term : "");
	double started = now();
	start(argv + optind);
	await();
	if (o.times)
		printf("first screen %.1f ms, %.1f ms of the processor\n", heard - started, spent());
	type_keys();
	int rc = finish();
	vt_free(vt);
	return rc;
}
