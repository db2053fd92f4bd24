/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * :w FILE: what is shown, in the form that the ending of the name asks for.
 *
 * The endings of whole profiles (.pb.gz, .svg, .folded, ...) name a report by
 * themselves; those of tables (.csv, .tsv, .json, .txt) mean the report that has
 * what the pane shows, which most panes know by their name and some say in
 * report(). The work is that of the command line that the session makes of its
 * query, so filters, sample type, sides and range are in it, beside the keyboard.
 * The file appears whole or not at all, and one that is there is not replaced
 * unless by w!.
 */
#include "config.h"
#include "inside.h"

#include "base/job.h"
#include "base/mem.h"
#include "base/text.h"
#include "session/arrival.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct writing {
	struct arena mem;
	struct command line;
	struct opt opt;
	struct hand hand;
	struct input_watch watch;
	struct buf text, notices;
	struct err err;
	tui_report *fn;
	struct job *job;
	const char *file, *what;
	bool replace;
};

static const struct ending { const char *text, *report, *format; } endings[] = {
	{".speedscope.json", "speedscope", NULL},
	{".pb.gz", "proto", NULL}, {".pb", "proto", NULL}, {".svg", "flame", NULL},
	{".folded", "folded", NULL}, {".collapsed", "folded", NULL}, {".dot", "dot", NULL}, {".gv", "dot", NULL},
	{".callgrind", "callgrind", NULL},
	{".csv", NULL, "csv"}, {".tsv", NULL, "tsv"}, {".json", NULL, "json"}, {".txt", NULL, "text"},
};
static const char known[] = ".pb.gz .svg .folded .speedscope.json .dot .callgrind; .csv .tsv .json .txt";

static const struct ending *ending_of(const char *file)
{
	size_t n = strlen(file);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t k = strlen(endings[i].text);
		if (n > k && !strcmp(file + n - k, endings[i].text))
			return &endings[i];
	}
	return NULL;
}

/* ---- which report */

/* The report of a pane that has one of its own name, or another that has the same in it. */
static const char *report_of(const char *pane)
{
	static const struct { const char *pane, *report; } other[] = {{"flame", "traces"}, {"timeline", "events"}};
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		if (!strcmp(pane, other[i].pane))
			return other[i].report;
	for (const struct report_row *r = report_rows; r->name; r++)
		if (!strcmp(r->name, pane) && strcmp(r->group, "viewer"))
			return r->name;
	return NULL;
}

static const char *arg_of(const char *report)
{
	for (const struct report_row *r = report_rows; r->name; r++)
		if (!strcmp(r->name, report))
			return r->arg;
	return NULL;
}

/* false: there is none, and that is said. */
static bool choose(struct app *a, const struct ending *end, struct pane_report *r)
{
	const struct pane_ops *p = pane_now(a);
	struct place at;
	*r = (struct pane_report){.name = end->report};
	if (!r->name && p->report)
		p->report(state_now(a), &a->env, r);
	if (!r->name)
		r->name = report_of(p->name);
	if (!r->name) {
		app_message(a, ST_WARN, "this pane is no table: P writes the screen, :report makes any report");
		return false;
	}
	if (r->arg || !arg_of(r->name))
		return true;
	app_place(a, &at);
	if (at.fun)
		r->arg = app_exactly(a, app_fun_name(a, at.fun));
	else
		app_message(a, ST_WARN, "%s of what? nothing is selected", r->name);
	return at.fun != 0;
}

/* ---- the command line */

static void add(struct command *c, const char *word)
{
	c->v = mem_grow(c->v, &c->cap, (size_t)c->n + 1, sizeof *c->v);
	c->v[c->n++] = word;
}

/* Lists are written whole; drawings as they are drawn. */
static bool is_list(const char *report)
{
	static const char *const list[] = {"top", "tree", "peek"};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (!strcmp(report, list[i]))
			return true;
	return false;
}

static void make_line(struct app *a, struct writing *w, const struct ending *end, const struct pane_report *r)
{
	struct command base = {0};
	session_command(a->s, r->name, r->arg, &w->mem, &base);
	for (int i = 0; i < base.n; i++) {
		if (!strcmp(base.v[i], "--")) {	/* of two of the same the later counts */
			for (size_t k = 0; k < sizeof r->opt / sizeof *r->opt && r->opt[k]; k++)
				add(&w->line, arena_strndup(&w->mem, r->opt[k], strlen(r->opt[k])));
			if (end->format)
				add(&w->line, arena_printf(&w->mem, "-format=%s", end->format));
			if (is_list(r->name))
				add(&w->line, "-nodefraction=0");
			add(&w->line, arena_printf(&w->mem, "-output=%s", w->file));
		}
		add(&w->line, base.v[i]);
	}
	mem_free(base.v);
}

static void drop(struct writing *w)
{
	opt_free(&w->opt);
	hand_drop(&w->hand);
	buf_free(&w->text);
	buf_free(&w->notices);
	mem_free(w->line.v);
	arena_free(&w->mem);
	mem_free(w);
}

/* ---- the work */

static void note(void *arg, const char *line)
{
	struct buf *b = arg;
	buf_printf(b, "%s%s", b->n ? "; " : "", line);
}

static int run(struct job *j, void *arg)
{
	struct writing *w = arg;
	w->watch = arrival_watch(j);
	w->opt.watch = &w->watch;
	return w->fn(&w->opt, &w->text, &w->err);
}

static const char *expand(struct arena *m, const char *file)
{
	const char *home = getenv("HOME");
	if (file[0] == '~' && file[1] == '/' && home && *home)
		return arena_printf(m, "%s%s", home, file + 1);
	return arena_strndup(m, file, strlen(file));
}

static void start(struct app *a, struct writing *w, const struct ending *end)
{
	struct pane_report r;
	struct stat st;
	if (!w->replace && !lstat(w->file, &st)) {
		app_message(a, ST_ERROR, "%s is there already: w! replaces it", w->file);
		drop(w);
		return;
	}
	if (!choose(a, end, &r)) {
		drop(w);
		return;
	}
	make_line(a, w, end, &r);
	w->what = arena_strndup(&w->mem, r.name, strlen(r.name));
	w->fn = a->env.report;
	if (opt_parse(&w->opt, w->line.n, (char *const *)(uintptr_t)w->line.v, &w->err) ||
	    !(w->opt.notice = note, w->opt.notice_arg = &w->notices, w->opt.hand = &w->hand,
		session_hand(a->s, &w->hand), w->job = job_start(run, w))) {
		app_message(a, ST_ERROR, "%s", w->err.msg[0] ? w->err.msg : "no thread to write with");
		drop(w);
		return;
	}
	a->writing = w;
	session_beside(a->s, w->job);
	app_message(a, ST_DIM, "writing %s", w->file);
}

/* Has the pane a selection that it writes as text itself? */
static bool has_selection(struct app *a)
{
	const struct pane_ops *p = pane_now(a);
	struct buf b = {0};
	bool has = p->write && p->write(state_now(a), &a->env, &b);
	buf_free(&b);
	return has;
}

void app_write(struct app *a, const char *file, bool replace)
{
	const struct ending *end = file && *file ? ending_of(file) : NULL;
	bool text = !end || (end->format && !strcmp(end->format, "text"));
	if (a->secure) {
		app_message(a, ST_WARN, "off, as TTRACESECURE is set");
	} else if (!file || !*file) {
		app_prompt(a, CMD_COMMAND, replace ? "w! " : "w ");
	} else if (text && has_selection(a)) {
		app_screen(a, file);
	} else if (!end) {
		app_message(a, ST_ERROR, "w: by its ending: %s", known);
	} else if (!a->env.report) {
		app_message(a, ST_ERROR, "there are no reports here");
	} else if (app_job(a)) {
		app_message(a, ST_WARN, "something is being read or made: wait for it");
	} else {
		struct writing *w = xcalloc(1, sizeof *w);
		w->file = expand(&w->mem, file);
		w->replace = replace;
		start(a, w, end);
	}
}

static void tell(struct app *a, const struct writing *w, int rc)
{
	struct stat st;
	struct buf b = {0};
	if (rc && w->err.kind == ERR_CANCEL) {
		app_message(a, ST_WARN, "stopped: %s was not written", w->file);
		return;
	}
	if (rc) {
		app_message(a, ST_ERROR, "%s", w->err.msg);
		return;
	}
	text_bytes(&b, !stat(w->file, &st) ? (int64_t)st.st_size : 0);
	if (w->notices.n)
		buf_printf(&b, "; %.*s", (int)(w->notices.n < 200 ? w->notices.n : 200), w->notices.p);
	app_message(a, ST_NORMAL, "%s: %s, %s", w->file, w->what, buf_str(&b));
	buf_free(&b);
}

void app_write_news(struct app *a, bool wait)
{
	struct writing *w = a->writing;
	if (!w || (!wait && !job_done(w->job, NULL)))
		return;
	if (session_job(a->s) == w->job)
		session_beside(a->s, NULL);
	int rc = job_join(w->job);
	a->writing = NULL;
	tell(a, w, rc);
	drop(w);
}
