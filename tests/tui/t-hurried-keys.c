/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Keys that do not wait until earlier work has ended: they arrive while the file is read, compared with another one or read
 * again, and while panes compute. Esc and the next key cancel the running work. When all work has ended and the filters are
 * removed, the panes show the same as in a viewer that waited after each key, unless the reading itself was cancelled.
 *
 * tests/program/random-pauses.sh runs this with random pauses of the threads, and .ci/run with ThreadSanitizer.
 */
#include "config.h"
#include "app/app.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "cli/options.h"
#include "term/key.h"

#include "tap.h"

#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMPARE ":diff samples/stock.trace<Enter>"

struct viewer { char path[1100]; struct options o; struct app *a; struct grid *g; };

/* Wait up to ms milliseconds for results of jobs, and take them, as the loop of the terminal does. */
static void take_news(struct viewer *v, int ms)
{
	struct job *j = app_job(v->a), *own = app_work(v->a);
	struct pollfd p[2] = {{j ? job_fd(j) : -1, POLLIN, 0}, {own ? job_fd(own) : -1, POLLIN, 0}};
	if (app_busy(v->a))
		app_run_step(v->a);
	else if (ms)
		poll(p, 2, ms);
	if (j)
		job_drain(j);
	app_refresh(v->a);
	app_take_results(v->a, false);
	app_draw(v->a, v->g);
}

/* Take results until nothing runs. Return false if something still runs after minutes. */
static bool settle(struct viewer *v)
{
	int n = 0;
	while ((app_job(v->a) || app_work(v->a) || app_busy(v->a)) && n++ < 20000)
		take_news(v, 20);
	return n < 20000;
}

static void press(struct viewer *v, const char *keys, bool wait)
{
	for (size_t n = strlen(keys), at = 0, i = 0; at < n; i++) {
		int32_t key;
		at += keys_parse(keys + at, n - at, &key);
		app_key(v->a, key);
		app_draw(v->a, v->g);
		struct app_requests w = app_take_requests(v->a);
		app_requests_free(&w);
		if (wait)
			OK(settle(v));
		else if (i % 4 == 3)
			take_news(v, i % 8 == 3);
	}
}

static bool begin(struct viewer *v, const char *file, bool hurried)
{
	struct err e = {0};
	struct app_setup u = {.rows = 40, .cols = 132, .look = {TH_DARK, 256}, .patient = true};
	static char program[] = "ttrace", word[] = "view";
	snprintf(v->path, sizeof v->path, "%s%s", *file == '/' ? "" : "samples/", file);
	bool ok = !options_parse(&v->o, 3, (char *[]){program, word, v->path, NULL}, &e);
	struct session *s = ok ? session_open(&v->o, &e) : NULL;
	ok = s && (hurried || !session_wait(s, &e));
	v->a = ok ? app_new(&v->o, s, &u, &e) : NULL;
	v->g = grid_new(u.rows, u.cols, false);
	OK(v->a);
	if (s && !v->a)
		session_close(s);
	return v->a;
}

static void end(struct viewer *v)
{
	if (v->a) {
		struct session *s = app_session(v->a);
		app_free(v->a);
		session_close(s);
	}
	grid_free(v->g);
	options_free(&v->o);
}

/* Append the screen of each pane, from its first line on, without filters and comparisons. */
static void show_panes(struct viewer *v, const char *panes, struct buf *b)
{
	press(v, "<^L>R:diff=<Enter>", true);
	for (; *panes; panes++) {
		char keys[] = {*panes, 'g', 'g', '\0'};
		press(v, keys, true);
		app_draw(v->a, v->g);
		grid_print(v->g, b, NULL);
	}
}

/* Press the keys in a viewer. Return the screens of `panes`; leave: close it while it works, and return nothing. */
static struct buf shown(const char *file, const char *keys, const char *panes, bool hurried, bool leave)
{
	struct viewer v;
	struct buf b = {0};
	if (begin(&v, file, hurried)) {
		press(&v, keys, !hurried);
		if (!leave) {
			OK(settle(&v));
			show_panes(&v, panes, &b);
		}
	}
	end(&v);
	return b;
}

static void hurry(const char *file, const char *keys, const char *panes)
{
	struct buf waited = shown(file, keys, panes, false, false), hurried = shown(file, keys, panes, true, false),
		   left = shown(file, keys, panes, true, true);
	bool same = waited.n == hurried.n && !memcmp(waited.p, hurried.p, waited.n);
	OK(same);
	if (!same)
		fprintf(stderr, "%s: %s\n--- waited\n%s--- hurried\n%s", file, keys, buf_str(&waited), buf_str(&hurried));
	buf_free(&waited);
	buf_free(&hurried);
	buf_free(&left);
}

static void cancel(const char *file, const char *keys)
{
	struct buf b = shown(file, keys, "16", true, false);
	OK(b.n);
	buf_free(&b);
}

/* If loading is stopped before there is anything to show, the viewer ends with an error that states this. */
static void stopped(const char *file)
{
	bool failed = false;
	for (int i = 0; i < 50 && !failed; i++) {	/* a small file may be read already */
		struct viewer v;
		struct err e = {0};
		if (begin(&v, file, true)) {
			press(&v, "<Esc>", false);
			OK(settle(&v));
			failed = session_failed(app_session(v.a), &e);
			OK(!failed || strstr(e.msg, "loading was stopped before there was anything to show"));
		}
		end(&v);
	}
}

/* The file is replaced by one of another kind and read again while help is open: help leads to a pane of the new file. */
static void replaced_behind_help(void)
{
	char name[] = "/tmp/t-hurried-keys.XXXXXX", from[1024], to[1024];
	int fd = mkstemp(name);
	OK(fd >= 0 && !close(fd) && getcwd(from, sizeof from - 40) && getcwd(to, sizeof to - 40));
	strcat(from, "/samples/gctrace.log");
	strcat(to, "/samples/login.folded");
	OK(!unlink(name) && !symlink(from, name));
	struct viewer v;
	struct buf b = {0};
	if (begin(&v, name, false)) {
		OK(!unlink(name) && !symlink(to, name));
		press(&v, "r?", false);
		OK(settle(&v));
		/* not a command that acts on the selection: whether there is one yet depends on the threads */
		press(&v, "information about the file<Enter>q", true);
		grid_print(v.g, &b, NULL);
		OK(strstr(buf_str(&b), "[1Top]"));
	}
	end(&v);
	buf_free(&b);
	unlink(name);
}

/* Keys that quit do not wait for what an earlier key asked for; others do. */
static void quits_at_once(const char *keys)
{
	struct viewer v;
	if (begin(&v, "orders.trace", false)) {
		press(&v, "6jj", true);
		app_key(v.a, 'D');
		OK(app_key_waits(v.a, 'j') && !app_key_waits(v.a, KEY_ESC));
		for (; *keys; keys++) {
			OK(!app_key_waits(v.a, *keys));
			app_key(v.a, *keys);
		}
		struct app_requests w = app_take_requests(v.a);
		OK(w.quit);
		app_requests_free(&w);
	}
	end(&v);
}

int main(void)
{
	const char *dir = getenv("srcdir");
	OK(!dir || !chdir(dir));	/* for the file names in keys */
	setenv("TTRACE_JOBS", "3", 1);	/* work is done on threads, also if it is small */
	setlocale(LC_CTYPE, "C.UTF-8");
	unsetenv("TTRACESECURE");
	hurry("orders.trace", "1j2j3j4j5j6j7j8j9j!jWj;j", "16");
	hurry("orders.trace", ":focus=main<Enter>1u<^R>4u:hide=runtime<Enter>2uu3f5xu:t 40%..50%<Enter>678!W;u"
	    ":group main<Enter>!6", "16");
	hurry("orders.trace", "5+++w)(M:where wait>1us<Enter>nn6jW7/a<Enter>n9/Block<Enter>n8V", "16");
	hurry("orders.trace", "1" COMPARE "67!;" COMPARE "W16!jj" COMPARE, "16");
	hurry("orders.trace", "r1!r6r5", "16");
	cancel("orders.trace", "5+++w)(<Esc>M:where wait>1us<Enter>n<Esc>6j<Enter>jW<Esc>9/Block<Enter>n<Esc>r1!r<Esc>6r5");
	cancel("orders.trace", "1" COMPARE "D~<Esc>W16D!" COMPARE "~j<Esc>1~D");
	cancel("leak-after.pb.gz", "4:diff samples/leak-before.pb.gz<Enter>1D~<Esc>2!:diff=<Enter>");
	cancel("orders.trace", "<Esc>5+++6j!W;9G1f");
	cancel("orders.trace", "5gt90%<Enter>+<Esc>9G6!<Esc>1fu");
	hurry("stock.trace", "!j<Enter>u;W5678:rows related<Enter>", "16");
	hurry("leak-after.pb.gz",
	    "4:diff samples/leak-before.pb.gz<Enter>12!:diff=<Enter>:focus=main<Enter>", "1!");
	hurry("cpu.pb.gz", "!1jf4u2x3uu:tagroot=endpoint<Enter>4r:granularity=lines<Enter>:granularity=functions<Enter>r",
	    "1!");
	cancel("goroutines.txt", "!1j<Esc>fu");
	replaced_behind_help();
	quits_at_once("Q");
	quits_at_once("\3\3");
	stopped("cpu.pb.gz");
	stopped("orders.trace");
	hurry("orders.trace", "1j5+++w)(--{{MjjG8<Enter>6jW9G7", "16");
	cancel("orders.trace", "5+++w)(--{{MjjG8<Enter>:focus=main<Enter>6jW9Gg5");
	return DONE();
}
