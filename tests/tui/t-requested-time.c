/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What the viewer shows while a trace is being read, and moving to a time that has not been read yet: the view goes
 * there when it has, unless a key comes first. Reading is paused at an early publication, so that unread generations
 * remain.
 */
#include "config.h"
#include "app/app.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "term/key.h"
#include "cli/options.h"

#include "goasm.h"
#include "sample.h"
#include "tap.h"

#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 40, COLS = 132, TRIES = 200 };

struct viewer { struct options o; struct session *s; struct app *a; struct grid *g; };

static void news(struct viewer *v)
{
	struct job *j = app_job(v->a);
	if (j) {
		struct pollfd p = {.fd = job_fd(j), .events = POLLIN};
		if (!job_done(j, NULL))
			poll(&p, 1, 50);
		job_drain(j);
	}
	app_refresh(v->a);
}

/* The reader reports progress after each publication. Here it waits then, while it is held. */
static _Atomic bool held;
static _Atomic int steps;	/* publications that may pass although it is held */
void __real_job_report_progress(struct job *, uint64_t done, uint64_t total);
void __wrap_job_report_progress(struct job *, uint64_t done, uint64_t total);
void __wrap_job_report_progress(struct job *j, uint64_t done, uint64_t total)
{
	__real_job_report_progress(j, done, total);
	for (job_wake(j); held && !steps && !job_cancelled(j);)
		usleep(1000);
	steps -= held;
}

/* Open the session and pause reading at the first publication; times: at the first one with times of the trace. */
static bool hold_open(struct viewer *v, bool times)
{
	struct err e;
	held = true;
	steps = 0;
	v->s = session_open(&v->o, &e);
	for (int i = 0; v->s && i < TRIES; i++) {
		const struct snap *sn = session_snap(v->s);
		if (sn->complete || !times || sn->t1 > sn->t0)
			return !sn->complete;
		usleep(80000);		/* so long that the next publication is due */
		steps = 1;
		session_refresh(v->s);
	}
	return false;
}

static void go_on(void)
{
	held = false;
}

/* Open the viewer of v->o, with reading paused. */
static bool start(struct viewer *v)
{
	struct err e = {0};
	struct app_setup u = {.rows = ROWS, .cols = COLS, .look = {TH_DARK, 256}, .patient = true};
	v->a = hold_open(v, true) ? app_new(&v->o, v->s, &u, &e) : NULL;
	return v->a;
}

static bool begin(struct viewer *v, const char *more)
{
	struct err e = {0};
	*v = (struct viewer){.g = grid_new(1, 1, false)};
	return sample_opt(&v->o, "orders.trace") && !(more && options_set(&v->o, OPT_AT, more, &e)) && start(v);
}

static void end(struct viewer *v)
{
	go_on();
	struct session *s = app_session(v->a);
	app_free(v->a);
	session_close(s);
	grid_free(v->g);
	options_free(&v->o);
}

static void type(struct viewer *v, const char *keys)
{
	size_t k;
	for (size_t n = strlen(keys), at = 0; at < n; at += k) {
		int32_t key;
		k = keys_parse(keys + at, n - at, &key);
		app_key(v->a, key);
	}
}

static struct buf screen(struct viewer *v)
{
	struct buf b = {0};
	app_draw(v->a, v->g);
	grid_print(v->g, &b, NULL);
	return b;
}

static bool shows_now(struct viewer *v, const char *text)
{
	struct buf b = screen(v);
	bool yes = strstr(buf_str(&b), text);
	buf_free(&b);
	return yes;
}

static bool shows(struct viewer *v, const char *text)
{
	struct buf b = screen(v);
	bool yes = strstr(buf_str(&b), text);
	if (!yes)
		fprintf(stderr, "not on the screen: %s\n%s", text, buf_str(&b));
	buf_free(&b);
	return yes;
}

/* Run until all has been read. */
static void finish(struct viewer *v)
{
	go_on();
	app_wait(v->a);
	news(v);
	OK(session_snap(app_session(v->a))->complete);
}

/* The view goes to an unread time when it has been read; a key before keeps it where it is. */
static void unread_time(const char *keys, const char *then, bool goes)
{
	struct viewer v;
	if (!begin(&v, NULL)) {
		OK(0);
		return;
	}
	OK(shows(&v, "loading"));
	type(&v, keys);
	OK(shows(&v, "has not been read yet: the view goes there when it has"));
	type(&v, then);
	finish(&v);
	OK(shows_now(&v, "2.16") == goes && !shows_now(&v, "has not been read yet") && !shows_now(&v, "not found"));
	end(&v);
}

/* -at waits likewise. */
static void unread_option(void)
{
	struct viewer v;
	if (!begin(&v, "2.163s")) {
		OK(0);
		return;
	}
	finish(&v);
	OK(shows(&v, "2.163"));
	end(&v);
}

/* While the file is read, the pane of facts about it does not call it whole. */
static void not_whole_yet(void)
{
	struct viewer v;
	if (!begin(&v, NULL)) {
		OK(0);
		return;
	}
	type(&v, "<^G>");
	OK(shows(&v, "none so far: it is still being read"));
	struct buf b = screen(&v);
	OK(!strstr(buf_str(&b), "read whole") && !strstr(buf_str(&b), "generations"));
	buf_free(&b);
	finish(&v);
	OK(shows(&v, "whole file was read and is consistent"));
	end(&v);
}

/* Before any time is known, the status shows none, instead of the first nanosecond. */
static void no_times_yet(void)
{
	struct viewer v = {.g = grid_new(1, 1, false)};
	struct app_setup u = {.rows = ROWS, .cols = COLS, .look = {TH_DARK, 256}, .patient = true};
	struct err e = {0};
	OK(sample_opt(&v.o, "orders.trace"));
	if (hold_open(&v, false)) {
		v.a = app_new(&v.o, v.s, &u, &e);
		const struct snap *sn = session_snap(app_session(v.a));
		OK(!sn->complete && sn->t1 <= sn->t0);
		struct buf b = screen(&v);
		OK(!strstr(buf_str(&b), "0.000000001s") && strstr(buf_str(&b), "\nreading\n"));
		buf_free(&b);
		struct session *s = app_session(v.a);
		app_free(v.a);
		session_close(s);
	} else {
		OK(0);
	}
	grid_free(v.g);
	options_free(&v.o);
}

/* Append a generation of one second, in which goroutine 1 stops and starts; its texts take more than a megabyte. */
static void put_generation(struct buf *text, int gen)
{
	enum { SECOND = 1000000000, TURNS = 4000, TEXTS = 2200, LETTERS = 500, IN_BATCH = 100 };
	buf_printf(text, "Batch %d -1 %d000000000\nSync\nFrequency 1000000000\nClockSnapshot 0 1 2 3\n", gen, gen);
	buf_printf(text, "Batch %d 7 %d000000001\nProcStatus 1 0 1\nGoStatus 1 1 7 2\n", gen, gen);
	for (int i = 0; i < TURNS; i++)
		buf_printf(text, "GoStop %d 0 0\nGoStart %d 1 %d\n", SECOND / TURNS / 2, SECOND / TURNS / 2, i + 1);
	for (int i = 0; i < TEXTS; i++) {
		if (i % IN_BATCH == 0)
			buf_printf(text, "Batch %d -1 %d000000002\nStrings\n", gen, gen);
		buf_printf(text, "String %d \"%0*d\"\n", i + 1, LETTERS, i);
	}
}

static bool write_large_trace(const char *path)
{
	struct buf text = {0}, trace = {0};
	int line;
	buf_puts(&text, "go 25\n");
	for (int gen = 1; gen <= 5; gen++)
		put_generation(&text, gen);
	FILE *f = goasm(text.p, text.n, &trace, &line) ? fopen(path, "wb") : NULL;
	bool written = f && fwrite(trace.p, 1, trace.n, f) == trace.n;
	if (f)
		fclose(f);
	buf_free(&text);
	buf_free(&trace);
	return written;
}

/* Return the number of the line of the screen that has this text; -1: none has it. */
static int line_with(struct viewer *v, const char *text)
{
	struct buf b = screen(v);
	const char *all = buf_str(&b), *at = strstr(all, text);
	int y = at ? 0 : -1;
	for (const char *c = all; at && c < at; c++)
		y += *c == '\n';
	buf_free(&b);
	return y;
}

/* While a large file is read, its outline lies below the rows. A click on it goes to that time. */
static void outline_leads_to_a_time(void)
{
	static char path[64], program[] = "ttrace", word[] = "view";
	struct viewer v = {.g = grid_new(1, 1, false)};
	struct err e;
	snprintf(path, sizeof path, "t-requested-time-%d.trace", (int)getpid());
	if (write_large_trace(path) && !options_parse(&v.o, 3, (char *[]){program, word, path, NULL}, &e) && start(&v)) {
		OK(shows(&v, "whole trace: 4.00s in 5 generations, ") && shows(&v, "; read up to "));
		app_click(v.a, KEY_CLICK, line_with(&v, "whole trace: ") + 1, COLS * 4 / 5);
		OK(shows(&v, "has not been read yet"));
		finish(&v);
		OK(shows(&v, ">   3.1495") && !shows_now(&v, "has not been read yet"));
		end(&v);
	} else {
		OK(0);
	}
	unlink(path);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	outline_leads_to_a_time();
	unread_time(":goto-time 2.163s\r", "", true);
	unread_time(":goto-time 90%\r", "", true);
	struct arena keys = {0};
	for (int i = 0; i < 9; i++)	/* of every kind of pane, also those that have no times */
		unread_time(arena_printf(&keys, "%d:goto-time 2.163s\r", i + 1), "", true);
	arena_free(&keys);
	unread_time(":goto-time 2.163s\r", "l", false);
	unread_option();
	not_whole_yet();
	no_times_yet();
	return DONE();
}
