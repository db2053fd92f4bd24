/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Moving to a time that has not been read yet: the part around it is read and shown first; when the whole file has been
 * read, the same window shows the same of the whole. Esc returns to the order of the file at any moment. Reading is
 * paused after the first generation, so that unread generations remain.
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

/* Open the session and pause reading after the first generation. Try again if reading was faster; return false if always. */
static bool hold_open(struct viewer *v)
{
	struct err e;
	for (int i = 0; i < TRIES; i++) {
		v->s = session_open(&v->o, &e);
		if (!v->s)
			return false;
		session_pause_loading(v->s, true);
		struct pollfd p = {.fd = job_fd(session_job(v->s)), .events = POLLIN};
		for (int k = 0; k < 10 && !session_may_part(v->s) && session_job(v->s); k++) {
			poll(&p, 1, 100);
			job_drain(session_job(v->s));
			session_refresh(v->s);
			if (!session_snap(v->s)->has_trace) {	/* it is paused at the outline, which precedes all events */
				session_pause_loading(v->s, false);
				session_pause_loading(v->s, true);
			}
		}
		if (session_may_part(v->s))
			return true;
		session_close(v->s);
	}
	return false;
}

/* Open the viewer of v->o, with reading paused. */
static bool start(struct viewer *v)
{
	struct err e = {0};
	struct app_setup u = {.rows = ROWS, .cols = COLS, .look = {TH_DARK, 256}, .patient = true};
	v->a = hold_open(v) ? app_new(&v->o, v->s, &u, &e) : NULL;
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

static bool shows(struct viewer *v, const char *text)
{
	struct buf b = screen(v);
	bool yes = strstr(buf_str(&b), text);
	if (!yes)
		fprintf(stderr, "not on the screen: %s\n%s", text, buf_str(&b));
	buf_free(&b);
	return yes;
}

static void until_part(struct viewer *v)
{
	for (int i = 0; i < TRIES && !session_is_part(app_session(v->a)); i++)
		news(v);
	OK(session_is_part(app_session(v->a)));
}

/* Count the bytes in rows of Ps (n), and how many of them differ (other). */
static void compare(struct buf *x, struct buf *y, size_t *n, size_t *other)
{
	const char *a = buf_str(x), *b = buf_str(y);
	while (*a && *b) {
		size_t la = strcspn(a, "\n"), lb = strcspn(b, "\n");
		bool row = *a == 'P' && a[1] >= '0' && a[1] <= '9';
		for (size_t i = 16; row && i < la && i < lb; i++) {
			++*n;
			*other += a[i] != b[i];
		}
		a += la + (a[la] != 0);
		b += lb + (b[lb] != 0);
	}
}

static void part_and_whole(void)
{
	struct viewer v;
	size_t n = 0, other = 0;
	if (!begin(&v, NULL)) {
		OK(0);
		return;
	}
	OK(shows(&v, "loading"));
	type(&v, ":goto-time 2.2s\r");
	until_part(&v);
	OK(shows(&v, "only ") && shows(&v, "while the rest is being read"));
	type(&v, "+");
	struct buf part = screen(&v);
	const struct snap *sn = session_snap(app_session(v.a));
	OK(sn->t0 > 1000000000 && sn->t1 > 2200000000);
	session_pause_loading(v.s, false);
	app_wait(v.a);
	OK(!session_is_part(app_session(v.a)) && session_snap(app_session(v.a))->complete);
	OK(shows(&v, "everything before it has been read too"));
	struct buf all = screen(&v);
	compare(&part, &all, &n, &other);
	OK(n > 100 && other * 20 < n);
	/* the window is still the one that the user zoomed to */
	OK(strstr(buf_str(&all), "1 cell") && strstr(buf_str(&part), "1 cell") &&
	   !strncmp(strstr(buf_str(&all), "1 cell"), strstr(buf_str(&part), "1 cell"), 12));
	buf_free(&part);
	buf_free(&all);
	end(&v);
}

static void esc_goes_back(void)
{
	struct viewer v;
	if (!begin(&v, NULL)) {
		OK(0);
		return;
	}
	type(&v, ":goto-time 2.2s\r<Esc>");
	struct buf b = screen(&v);	/* the part may be there before Esc */
	OK(strstr(buf_str(&b), "the file is read in order") || strstr(buf_str(&b), "showing what has been read so far"));
	buf_free(&b);
	type(&v, ":goto-time 2.2s\r");
	until_part(&v);
	type(&v, "<Esc>");
	OK(!session_is_part(app_session(v.a)) && shows(&v, "showing what has been read so far"));
	session_pause_loading(v.s, false);
	app_wait(v.a);
	OK(session_snap(app_session(v.a))->complete);
	end(&v);
}

/* Neither the part nor the whole replaces what is shown while a prompt is open. */
static void not_under_a_prompt(void)
{
	struct viewer v;
	if (!begin(&v, NULL)) {
		OK(0);
		return;
	}
	type(&v, ":goto-time 2.2s\r:foc");
	for (int i = 0; i < 20; i++)
		news(&v);
	OK(shows(&v, ":foc"));
	type(&v, "<Esc>");
	until_part(&v);
	type(&v, ":foc");
	session_pause_loading(v.s, false);
	for (int i = 0; i < 20; i++)
		news(&v);
	OK(session_is_part(app_session(v.a)) && shows(&v, ":foc"));
	type(&v, "<Esc>");
	app_wait(v.a);
	OK(!session_is_part(app_session(v.a)));
	end(&v);
}

/* -at opens a part; then move within it and back to a time that was read; close the viewer while a part is read. */
static void from_one_to_another(void)
{
	struct viewer v;
	if (!begin(&v, "2.3s")) {
		OK(0);
		return;
	}
	OK(shows(&v, " first (Esc: read in order)"));
	until_part(&v);
	OK(session_snap(app_session(v.a))->t0 > 1900000000);
	type(&v, ":goto-time 2.35s\r");
	OK(session_is_part(app_session(v.a)) && shows(&v, "a part"));
	type(&v, ":goto-time 100ms\r");
	OK(!session_is_part(app_session(v.a)));
	end(&v);
	if (begin(&v, "2.3s"))
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
	session_pause_loading(v.s, false);
	app_wait(v.a);
	OK(shows(&v, "whole file was read and is consistent"));
	end(&v);
}

/* Before any time is known, the status shows none, instead of the first nanosecond. */
static void no_times_yet(void)
{
	struct viewer v = {.g = grid_new(1, 1, false)};
	struct app_setup u = {.rows = ROWS, .cols = COLS, .look = {TH_DARK, 256}, .patient = true};
	struct err e = {0};
	bool early = false;
	OK(sample_opt(&v.o, "orders.trace"));
	for (int i = 0; i < TRIES && !early; i++) {
		v.s = session_open(&v.o, &e);
		if (!v.s)
			break;
		session_pause_loading(v.s, true);
		v.a = app_new(&v.o, v.s, &u, &e);
		const struct snap *sn = session_snap(app_session(v.a));
		early = !sn->complete && sn->t1 <= sn->t0;
		struct buf b = screen(&v);
		OK(!strstr(buf_str(&b), "0.000000001s"));
		OK(!early || strstr(buf_str(&b), "\nreading\n"));
		buf_free(&b);
		struct session *s = app_session(v.a);
		app_free(v.a);
		session_close(s);
	}
	OK(early);
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

/* While a large file is read, its outline lies below the rows. A click on it reads the part around that time first. */
static void outline_leads_to_a_part(void)
{
	static char path[64], program[] = "ttrace", word[] = "view";
	struct viewer v = {.g = grid_new(1, 1, false)};
	struct err e;
	snprintf(path, sizeof path, "t-requested-time-%d.trace", (int)getpid());
	if (write_large_trace(path) && !options_parse(&v.o, 3, (char *[]){program, word, path, NULL}, &e) && start(&v)) {
		OK(shows(&v, "whole trace: 4.00s in 5 generations, ") && shows(&v, "; read up to "));
		app_click(v.a, KEY_CLICK, line_with(&v, "whole trace: ") + 1, COLS * 4 / 5);
		until_part(&v);
		OK(session_snap(app_session(v.a))->t0 > 1500000000);
		end(&v);
	} else {
		OK(0);
	}
	unlink(path);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	outline_leads_to_a_part();
	part_and_whole();
	esc_goes_back();
	not_under_a_prompt();
	from_one_to_another();
	not_whole_yet();
	no_times_yet();
	return DONE();
}
