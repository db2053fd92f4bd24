/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A viewer that does not wait for its jobs against one that does: after every key they show the same, once the jobs have
 * ended. If no job is waited for, and keys change the query while call trees are weighed for the earlier one, no message
 * of running work remains at the end.
 */
#include "config.h"
#include "app/app.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "term/key.h"
#include "cli/options.h"

#include "sample.h"
#include "tap.h"

#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct side { struct session *s; struct app *a; struct grid *g; };

static bool begin(struct side *v, const struct options *o, bool patient)
{
	struct err e = {0};
	struct app_setup u = {.rows = 40, .cols = 132, .look = {TH_DARK, 256}, .patient = patient};
	v->s = session_open(o, &e);
	OK(v->s && !session_wait(v->s, &e));
	v->a = v->s ? app_new(o, v->s, &u, &e) : NULL;
	v->g = grid_new(1, 1, false);
	OK(v->a);
	return v->a;
}

static void end(struct side *v)
{
	app_free(v->a);
	session_close(v->s);
	grid_free(v->g);
}

/* Wait for the next job, and take its result. */
static void settle_one(struct side *v)
{
	struct job *j = app_work(v->a);
	struct pollfd p = {.fd = job_fd(j), .events = POLLIN};
	while (!job_done(j, NULL))
		poll(&p, 1, 20);
	app_take_results(v->a, false);
	app_wait(v->a);
	app_draw(v->a, v->g);	/* drawing may start another job */
}

static void settle(struct side *v)
{
	int n = 0;
	for (; app_work(v->a) && n < 500; n++)
		settle_one(v);
	OK(n < 500);
}

static void press(struct side *v, int32_t key)
{
	app_key(v->a, key);
	app_wait(v->a);
	app_draw(v->a, v->g);
	struct app_requests w = app_take_requests(v->a);
	app_requests_free(&w);
}

static struct buf text(const struct side *v)
{
	struct buf b = {0};
	grid_print(v->g, &b, NULL);
	return b;
}

static bool same(const struct side *a, const struct side *b)
{
	struct buf x = text(a), y = text(b);
	bool yes = x.n == y.n && !memcmp(x.p, y.p, x.n);
	if (!yes)
		fprintf(stderr, "--- at once\n%.*s--- background\n%.*s", (int)x.n, x.p, (int)y.n, y.p);
	buf_free(&x);
	buf_free(&y);
	return yes;
}

/* Press the next key of a script in both viewers; `at_once` waits for its result. Return the length of the key. */
static size_t press_both(struct side *at_once, struct side *background, const char *script, size_t n, int32_t *key)
{
	size_t k = keys_parse(script, n, key);
	press(at_once, *key);
	app_take_results(at_once->a, true);
	app_draw(at_once->a, at_once->g);
	press(background, *key);
	return k;
}

static void each_waited_for(const struct options *o, const char *keys)
{
	struct side at_once, background;
	if (!begin(&at_once, o, false) || !begin(&background, o, true))
		return;
	size_t k;
	bool ok = true;
	settle(&background);
	for (size_t n = strlen(keys), at = 0; ok && at < n; at += k) {
		int32_t key;
		k = press_both(&at_once, &background, keys + at, n - at, &key);
		settle(&background);
		app_draw(background.a, background.g);
		ok = same(&at_once, &background);
		if (!ok)
			fprintf(stderr, "after %.*s of %s\n", (int)(at + k), keys, keys);
	}
	OK(ok);
	end(&at_once);
	end(&background);
}

static void none_waited_for(const struct options *o, const char *keys, bool leave)
{
	struct side v;
	if (!begin(&v, o, true))
		return;
	size_t k;
	for (size_t n = strlen(keys), at = 0; at < n; at += k) {
		int32_t key;
		k = keys_parse(keys + at, n - at, &key);
		press(&v, key);
		if (at % 3 == 1)
			app_take_results(v.a, false);
	}
	if (!leave) {
		settle(&v);
		app_draw(v.a, v.g);
		struct buf b = text(&v);
		OK(!strstr(buf_str(&b), "counting") && !strstr(buf_str(&b), "Counting"));
		OK(!strstr(buf_str(&b), "searching"));
		buf_free(&b);
	}
	end(&v);
}

/* Keys that arrive while panes compute have the same effect as keys that wait. */
static void keys_while_computing(const struct options *o, const char *keys)
{
	struct side at_once, background;
	if (!begin(&at_once, o, false) || !begin(&background, o, true))
		return;
	size_t k;
	settle(&background);
	for (size_t n = strlen(keys), at = 0; at < n; at += k) {
		int32_t key;
		k = press_both(&at_once, &background, keys + at, n - at, &key);
		if (key == '6' || key == KEY_RETURN)	/* wait for what these keys open */
			settle(&background);
	}
	settle(&background);
	app_draw(background.a, background.g);
	app_draw(at_once.a, at_once.g);
	OK(same(&at_once, &background));
	end(&at_once);
	end(&background);
}

static _Atomic bool report_may_end;
static int slow_report(const struct options *o, struct buf *b, struct err *e)
{
	(void)o, (void)e;
	while (!atomic_load(&report_may_end))
		poll(NULL, 0, 1);
	buf_puts(b, "this is the report\n");
	return 0;
}

/* Take one result after each key that has a '!' in `taken`: all deferred work ends. */
static void deferred_work_ends(const struct options *o, const char *keys, const char *taken)
{
	struct side v;
	if (!begin(&v, o, true))
		return;
	for (size_t n = strlen(keys), at = 0; at < n; taken += *taken != '\0') {
		int32_t key;
		at += keys_parse(keys + at, n - at, &key);
		press(&v, key);
		if (*taken == '!' && app_work(v.a))
			settle_one(&v);
	}
	settle(&v);
	end(&v);
}

/* Two keys in a row start two jobs that the session must wait for: it waits for both, one after the other. */
static void two_jobs_end(const struct options *o, const char *keys)
{
	struct err e = {0};
	struct app_setup u = {.rows = 40, .cols = 132, .look = {TH_DARK, 256}, .patient = true, .report = slow_report};
	struct side v = {.s = session_open(o, &e), .g = grid_new(1, 1, false)};
	OK(v.s && !session_wait(v.s, &e));
	v.a = v.s ? app_new(o, v.s, &u, &e) : NULL;
	OK(v.a);
	if (!v.a)
		return;
	for (size_t n = strlen(keys), at = 0; at < n;) {
		int32_t key;
		bool first = !at;
		at += keys_parse(keys + at, n - at, &key);
		app_key(v.a, key);
		app_draw(v.a, v.g);
		if (first)
			settle(&v);
	}
	for (int i = 0; i < 100 && app_job(v.a); i++) {	/* the first job ends; the report waits for report_may_end */
		app_refresh(v.a);
		poll(NULL, 0, 1);
	}
	OK(app_job(v.a));
	atomic_store(&report_may_end, true);
	app_wait(v.a);
	atomic_store(&report_may_end, false);
	app_draw(v.a, v.g);
	struct buf b = text(&v);
	OK(strstr(buf_str(&b), "this is the report"));
	buf_free(&b);
	end(&v);
}

/* Return the text that Y copies: at once, made between keys, or with a key before it is whole; NULL if that key is Esc. */
enum way { AT_ONCE, BETWEEN, KEY_BEFORE, ESC_BEFORE };
static char *copied(const struct options *o, const char *keys, enum way way)
{
	struct side v;
	if (!begin(&v, o, way != AT_ONCE))
		return NULL;
	size_t k;
	settle(&v);
	for (size_t n = strlen(keys), at = 0; at < n; at += k) {
		int32_t key;
		k = keys_parse(keys + at, n - at, &key);
		press(&v, key);
		settle(&v);
		app_take_results(v.a, true);
	}
	app_key(v.a, 'Y');
	OK(app_busy(v.a) == (way != AT_ONCE));
	if (way >= KEY_BEFORE && app_busy(v.a))
		app_run_step(v.a);
	OK(way < KEY_BEFORE || app_busy(v.a));
	if (way >= KEY_BEFORE)
		app_key(v.a, way == ESC_BEFORE ? KEY_ESC : 'j');
	while (app_busy(v.a))
		app_run_step(v.a);
	struct app_requests w = app_take_requests(v.a);
	char *text = w.copy;
	w.copy = NULL;
	app_requests_free(&w);
	end(&v);
	return text;
}

static void copies(const char *file, const char *const *keys)
{
	struct options o;
	OK(sample_opt(&o, file));
	for (; *keys; keys++) {
		char *all = copied(&o, *keys, AT_ONCE), *between = copied(&o, *keys, BETWEEN),
		     *before = copied(&o, *keys, KEY_BEFORE), *none = copied(&o, *keys, ESC_BEFORE);
		OK(all && between && !strcmp(all, between));
		OK(all && before && !strcmp(all, before));
		OK(!none);
		mem_free(all);
		mem_free(between);
		mem_free(before);
		mem_free(none);
	}
	options_free(&o);
}

static void run(const char *file, const char *const *keys)
{
	struct options o;
	if (!sample_opt(&o, file)) {
		OK(0);
		return;
	}
	for (; *keys; keys++) {
		each_waited_for(&o, *keys);
		none_waited_for(&o, *keys, false);
		none_waited_for(&o, *keys, true);
	}
	options_free(&o);
}

int main(void)
{
	static const char *const profile[] = {
		"jj<Enter>j<Backspace>23456711jfjuu",
		":focus=json<Enter>j:hide=runtime<Enter>uu4jjl<Enter><Backspace>f\\\\R:ignore=main<Enter>",
		"4jjjlloorrii3jj<Enter>q2jjG:granularity=lines<Enter>:show=j<Enter>4:granularity=functions<Enter>1]][",
		"2jjj3jjj4]]1j3q4^O^Ouuu", "2jjAjj]A}AA{j", "/json<Enter>nn4n3n&main<Enter>&<Esc>",
		":tagroot=x<Enter>4:prune_from=json<Enter>jjR1",
		"1jjjj:tagroot=endpoint<Enter>jj:focus=json|run<Enter>:hide=main<Enter>u:tagleaf=endpoint<Enter>uuj",
		"1jjjjG:granularity=lines<Enter>jj:granularity=files<Enter>k4:tagroot=endpoint<Enter>1:noinlines<Enter>uuuu2u1",
		"4jjl<Enter>l2jjjjj4l1GkkK<Esc>2k3jj<Enter>j2jj3k:granularity=files<Enter>4jl<Enter>2kk4h2jG3G4uu",
		"4jjzlZj<Enter>hrjzjZZr2j4plzp:hide=main<Enter>zZuu",
		":hide=main<Enter>41", "4:hide=main<Enter>:hide=json<Enter>1:hide=run<Enter>4z3:hide=m<Enter>14ruu2",
		"4:hide=\\.go$<Enter>:show=json<Enter>z:tagroot=endpoint<Enter>:hide=main<Enter>1:hide=j<Enter>4u3uu4",
		":tags<Enter>jj<Enter>]]u1x:tags<Enter>kx/a<Enter>n[Gu&a<Enter>R",
		NULL
	};
	static const char *const trace[] = {
		"6jjDjj]u", "7ggjjDuu6jD3jj", "1jj]]]jj<Enter>q4jj]]3]]2]]5", "6jjj<Enter>jj1jfu4fu3fu",
		    "1:focus=main<Enter>4:hide=runtime<Enter>]]uuR", "8<Tab>hhhe%%Vll<Tab>l:t 1.2s..1.4s<Enter>hhVu",
		    "6/1|2<Enter>nnNjn/G3<BS>1<Esc>n/[2-4]|w<Enter>nuGN<Backspace>n",
		    "6j<Enter>/1<Enter>nnnNu&1<Enter>nn6*nn/9",
		    "7ggj<Enter>/1<Enter>nnN>i/2|3<BS>1<Esc>n[j<Enter>/G1<Enter>nui<Backspace>/a",
		    "/chan|sel<Enter>nnNu/run<Esc>n+n6/3<Enter>5n",
		    "MjjC+++---hC:rows group work<Enter>jjCl+-u:rows related<Enter>jj:rows group nobody<Enter>jtEjut",
		    "6j<Enter>j<Enter>5jjjC+u6q5j:rows task 1<Enter>jjjf6j5jR"
		    ":where wait>1us<Enter>nn:rows related<Enter>nngG8<Enter>",
		"6j<Enter>j<Enter>jxujuma6q'ajj]ufukq", "6j<Enter>jttxujmaq'axuG5u", "6:group-by=state<Enter>jmak:group-by=proc"
		"<Enter>'aj<Enter>'a", "jj+++wwbw$w^bjl(()))WjW<Esc>gp1<Enter>w(gG12<Enter>w)))MM(w)b<Esc>"
		"M:rows g<Enter>jj(()W<Enter>",
		"9jjjj<PgDn><PgDn><PgDn>Gkkk<PgUp><PgUp>ggjjGk", "9jjgt1.4s<Enter>jjkkegt40%<Enter>e<PgDn>G<PgUp>g",
		"9/GoBlock<Enter>nnNn<Esc>/Syscall<Enter>nG&Task<Enter>jjkGg&<Esc>", "jjl9jjGfuu9u<PgDn>u5w9mx9gg'x",
		"6jjf9jjG<PgUp>gu", "jj+++w<Enter>uwH+<Enter>HnNHwH<Enter>kM<Enter>HHuu", NULL
	};
	static const char *const during_jobs[] = {
		"6j<Enter>j<Enter>jjx", "6j<Enter>j<Enter>jjxu", "6j<Enter>jmafu'a",
		    "6j<Enter>jjmaqk:t 1.2s..1.3s<Enter>u'a", "6jj:group-by=state<Enter>jmak:group-by=proc<Enter>'a",
		    "jj+++wwbw$bbw^www((b)wwhh(", "jlllgG12<Enter>ww((u:rows g<Enter>jjww(gG7<Enter>b)6", NULL
	};
	static const char *const panes_of_trace[] = {
		"", "MjjESj+++", "5:rows task<Enter>", "6", "6j<Enter>", "7gg", "9jj", NULL};
	static const char *const panes_of_profile[] = {"jj", "2", "3", "4", ":tags<Enter>", ":tree<Enter>", NULL};
	struct options o;
	setenv("TTRACE_JOBS", "2", 1);	/* even small work is a job */
	setlocale(LC_CTYPE, "C.UTF-8");
	unsetenv("TTRACESECURE");
	copies("orders.trace", panes_of_trace);
	copies("cpu.pb.gz", panes_of_profile);
	setenv("TTRACESECURE", "1", 1);
	run("cpu.pb.gz", profile);
	run("heap.pb.gz", profile);
	OK(sample_opt(&o, "cpu.pb.gz"));
	/* a view with a pivot is restored, but a function that is still to be shown is not in the graph of the pivot */
	deferred_work_ends(&o, "4jjzlZj<Enter>hrjzjZZr2j4plzp:hide=main<Enter>zZuu", ".!..!........!...!!.!.........!.......");
	/* the graph of callers is left while the next one is laid out */
	deferred_work_ends(&o, "4jjj<Enter>p<Enter>kkpj", "!!!!!!!");
	deferred_work_ends(&o, "4jjj<Enter>p<Enter>kkrj", "!!!!!!!");
	options_free(&o);
	run("orders.trace", trace);
	OK(sample_opt(&o, "orders.trace"));
	for (const char *const *k = during_jobs; *k; k++)
		keys_while_computing(&o, *k);
	two_jobs_end(&o, "9/no such thing<Enter>n:tree<Enter>");
	options_free(&o);
	return DONE();
}
