/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Measures the processor time of keys: opens the panes of a trace one after another, presses keys, and measures each from
 * the key to the bytes for the terminal (command, drawing, difference to the last screen). It waits for background work
 * without counting it, and counts the frame that shows the result.
 *
 *     frames [-slow] [-over MS] [-wall] [-every] [-keys KEYS] [options of ttrace] FILE.trace
 *
 * -slow: print each key that takes more than 8 ms (or than -over) or more than 0.2 s of wall time, and background work of
 * more than a second. -keys: press these keys instead. -every: press each key of each command in each pane, of profiles
 * too. -wall: measure wall time, for traces larger than -mem, where a key may wait for the file. -mem is in megabytes.
 */
#include "config.h"

#include "app/app.h"
#include "app/command.h"
#include "app/pane.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "term/key.h"
#include "term/screen_diff.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct walk { const char *pane, *keys; } walks[] = {
	{"timeline", "5jjjjkkkk++++llllhhhh++++++llhh------------<PgDn><PgDn><PgDn><PgUp>GggjjjjwwwbbbnN0MjjMjjMM"
	    "}}}{{{"},
	{"goroutines", "6jjjj<PgDn><PgDn><PgUp>Ggg<Enter>jjjj<PgDn><PgDn>Ggg<Enter>jjjj<PgDn><PgDn>Ggg"
	    "<Backspace><Backspace>ssjj<Esc>"},
	{"tasks", "7jjjj<Enter>jjjj<PgDn>Ggg<Enter>jj<Backspace><Backspace>"},
	{"gc", "8jjjj]]]]<PgDn>Ggg[["},
	{"events", "9jjjj<PgDn><PgDn><PgDn><PgUp>Gkkkk<PgUp>ggjjjj"},
	{"top", "1jjjj<PgDn>GggcccC<Enter>jj<Backspace>"},
	{"flame", "4jjjjllllkkhh<Enter>jj<Backspace>ffff"},
	{"peek", "1jj3jjjj<PgDn>Ggg<Enter>jj"},
	{"list", "1jj2jjjj<PgDn>Ggg"},
};

enum { MOST = 4096 };
static double took[MOST], all[MOST * 16];
static size_t ntook, nall;
static bool print_slow;
static double over = 8;	/* a key is slow that takes more ms of the processor, ... */
enum { NOTICED = 200 };	/* ... or of wall time */
static clockid_t clock_id = CLOCK_THREAD_CPUTIME_ID;

/* Return the time in ms, by default of this thread's processor, which other programs of the machine do not change. */
static double now_ms(void)
{
	struct timespec t;
	clock_gettime(clock_id, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int less(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static double share(const double *v, size_t n, double p)
{
	size_t i = (size_t)((double)n * p);
	return n ? v[i < n ? i : n - 1] : 0;
}

static void frame_took(double ms)
{
	if (ntook < MOST)
		took[ntook++] = ms;
	if (nall < sizeof all / sizeof *all)
		all[nall++] = ms;
}

struct screen { struct app *a; struct grid *g; struct screen_state *screen_state; struct buf out; };

static void show(struct screen *s)
{
	app_draw(s->a, s->g);
	buf_reset(&s->out);
	screen_diff_write(s->screen_state, s->g, app_look(s->a), &s->out);
}

/* Run the work that the viewer does in steps between keys, and show the result. */
static void steps(struct screen *s, const char *text, size_t len, bool slow)
{
	while (app_busy(s->a)) {
		double t = now_ms();
		app_run_step(s->a);
		if (!app_busy(s->a))
			show(s);
		frame_took(t = now_ms() - t);
		if (slow && t > over)
			printf("        step after %.*s: %.1f ms\n", (int)len, text, t);
	}
}

/* Wait for background work, and measure the frames that show it. */
static void finish_work(struct screen *s, const char *text, size_t len, bool slow)
{
	struct timespec a, z;
	clock_gettime(CLOCK_MONOTONIC, &a);
	steps(s, text, len, slow);
	app_wait(s->a);
	for (struct job *j; (j = app_work(s->a)) && nall < sizeof all / sizeof *all;) {
		struct pollfd p = {.fd = job_fd(j), .events = POLLIN};
		while (!job_done(j, NULL)) {
			poll(&p, 1, 100);
			job_drain(j);
		}
		double t = now_ms();
		app_take_results(s->a, false);
		show(s);
		frame_took(t = now_ms() - t);
		if (slow && t > over)
			printf("        after %.*s: %.1f ms\n", (int)len, text, t);
		app_wait(s->a);
		struct job *left = app_work(s->a);	/* a new job may have the same address */
		if (left == j && job_done(left, NULL))
			break;
	}
	clock_gettime(CLOCK_MONOTONIC, &z);
	if (slow && z.tv_sec - a.tv_sec > 1)
		printf("        work after %.*s: %ld s\n", (int)len, text, (long)(z.tv_sec - a.tv_sec));
}

static double clock_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void one_key(struct screen *s, int32_t key, const char *text, size_t len, bool slow)
{
	double t = now_ms(), began = clock_ms();
	app_key(s->a, key);
	show(s);
	if (print_slow && clock_ms() - began > NOTICED)
		printf("        %.*s: %.0f ms of wall time\n", (int)len, text, clock_ms() - began);
	frame_took(now_ms() - t);
	if (slow && now_ms() - t > over)
		printf("        %.*s: %.1f ms\n", (int)len, text, now_ms() - t);
	finish_work(s, text, len, slow);
	struct app_requests w = app_take_requests(s->a);
	app_requests_free(&w);
}

static void press(struct screen *s, const char *keys, bool slow)
{
	for (size_t n = strlen(keys), k; n; keys += k, n -= k) {
		int32_t key;
		k = keys_parse(keys, n, &key);
		one_key(s, key, keys, k, slow);
	}
}

static void row(const char *name, double *v, size_t n)
{
	qsort(v, n, sizeof *v, less);
	printf("    %-12s %5zu frames  p50 %7.2f  p99 %7.2f  most %7.2f ms\n", name, n, share(v, n, .5),
	    share(v, n, .99),
	    n ? v[n - 1] : 0);
}

struct how { bool slow, every; const char *keys; };

/* The places where -every presses all keys, as in tests/tui/t-every-command.c: of a trace and of a profile. */
static const struct walk places[] = {
	{"timeline", "5jj++"}, {"goroutines", "6jj"}, {"goroutines", "6<Enter>jj"},
	{"goroutines", "6<Enter>j<Enter>jjj"}, {"tasks", "7jj"}, {"tasks", "7j<Enter>jj"},
	{"tasks", "7j<Enter><Enter>jj"}, {"gc", "8jj"}, {"events", "9jj"},
	{"top", "1jj"}, {"list", "1jj2"}, {"peek", "1jj3"}, {"flame", "4j"}, {NULL, NULL},
}, of_profile[] = {
	{"top", "1jj"}, {"list", "1jj2jj"}, {"peek", "1jj3j"}, {"flame", "4j"}, {"tags", ":tags<Enter>jj"},
	{"report", ":tree<Enter>jj"}, {"info", "<^G>j"}, {NULL, NULL},
};

/* Undo what the last key changed, without counting it: remove filters, then press keys that return to the place. */
static void start_again(struct screen *s, const char *keys)
{
	static uint32_t serial;
	size_t took_before = ntook, all_before = nall;
	press(s, "<Esc><Esc>", false);
	struct session *ses = app_session(s->a);	/* a new one after the file was read again */
	struct query q = {.from = TIME_NONE, .to = TIME_NONE, .a = session_query(ses)->a};
	struct err e;
	if (session_serial(ses) != serial)
		session_set_query(ses, &q, NULL, &e);
	serial = session_serial(ses);
	press(s, keys, false);
	ntook = took_before;
	nall = all_before;
}

static void every(struct screen *s, const struct walk *w, bool slow)
{
	int bit = panes[pane_find(w->pane)]->bit;
	start_again(s, w->keys);
	start_again(s, "mz");	/* to return by a mark is faster than through lists of a million goroutines */
	for (int c = 1; c < CMD__N; c++) {
		const char *k = cmds[c].panes & bit && c != CMD_QUIT && c != CMD_SCREEN ? cmds[c].keys : NULL;
		for (size_t n; k && *k; k += n + strspn(k + n, " ")) {
			char key[40];
			n = strcspn(k, " ");
			bool named = n > 1 && (k[0] == '^' || (k[0] >= 'A' && k[0] <= 'Z'));
			snprintf(key, sizeof key, named ? "<%.*s>" : "%.*s", (int)n, k);
			start_again(s, "'z");
			press(s, key, slow);
		}
	}
	row(w->pane, took, ntook);
}

static void walk(struct screen *sc, const struct how *how)
{
	if (how->keys) {
		press(sc, how->keys, how->slow);
		return;
	}
	const struct walk *at = session_is_trace(app_session(sc->a)) ? places : of_profile;
	for (; how->every && at->pane; at++) {
		ntook = 0;
		every(sc, at, how->slow);
	}
	for (size_t i = 0; !how->every && i < sizeof walks / sizeof *walks; i++) {
		ntook = 0;
		press(sc, walks[i].keys, how->slow);
		row(walks[i].pane, took, ntook);
	}
}

static int run(const struct options *o, int rows, int cols, const struct how *how)
{
	struct err e = {0};
	struct app_setup u = {.rows = rows, .cols = cols, .patient = true, .look = {.theme = TH_DARK, .colours = 256}};
	struct session *s = session_open(o, &e);
	struct screen sc = {0};
	double t = 0;
	if (s && !session_wait(s, &e)) {
		t = now_ms();
		sc.a = app_new(o, s, &u, &e);
	}
	if (!sc.a) {
		fprintf(stderr, "frames: %s\n", e.msg);
		return 1;
	}
	sc.g = grid_new(rows, cols, false);
	sc.screen_state = screen_diff_new(
	    &(struct screen_diff_caps){.bce = true, .rep = false, .ech = true, .csr = true, .off = true, .dim = true});
	show(&sc);
	frame_took(now_ms() - t);
	row("first", took, ntook);
	finish_work(&sc, "first", 5, how->slow);
	walk(&sc, how);
	row("all", all, nall);
	int bad = share(all, nall, .99) > 8;
	screen_diff_free(sc.screen_state);
	grid_free(sc.g);
	buf_free(&sc.out);
	s = app_session(sc.a);
	app_free(sc.a);
	session_close(s);
	return bad;
}

int main(int argc, char **argv)
{
	struct options o;
	struct err e = {0};
	struct how how = {0};
	int rows = 60, cols = 200, given = 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (bool more = true; more && given + 1 < argc; given += more) {
		const char *s = argv[given + 1];
		more = !strcmp(s, "-slow") || !strcmp(s, "-wall") || !strcmp(s, "-every") ||
		    ((!strcmp(s, "-keys") || !strcmp(s, "-over")) && given + 2 < argc);
		if (!strcmp(s, "-slow"))
			how.slow = print_slow = true;
		else if (!strcmp(s, "-every"))
			how.every = true;
		else if (!strcmp(s, "-over"))
			over = atof(argv[++given + 1]);
		else if (!strcmp(s, "-wall"))
			clock_id = CLOCK_MONOTONIC;
		else if (more)
			how.keys = argv[++given + 1];
	}
	argv[given] = argv[0];
	argv += given;
	argc -= given;
	if (options_parse(&o, argc, argv, &e) || !o.nfile ||
	    (o.v[OPT_SIZE].set && sscanf(options_str(&o, OPT_SIZE), "%dx%d", &cols, &rows) != 2)) {
		fprintf(stderr, "frames: %s\n", e.msg);
		return 2;
	}
	if (o.v[OPT_MEM].set)
		mem_set_budget((size_t)atoi(options_str(&o, OPT_MEM)) << 20);
	int rc = run(&o, rows, cols, &how);
	options_free(&o);
	return rc;
}
