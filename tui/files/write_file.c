/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * :w FILE: write the view in the format given by the extension.
 *
 * The extensions of whole profiles (.pb.gz, .svg, .folded, ...) imply a report; those of tables
 * (.csv, .tsv, .json, .txt) mean the report that shows the same as the pane, usually of the pane's
 * name, otherwise set by its report(). The file is made from the command line that the session
 * makes of its query, with filters, sample type, sides and range, in the background. It appears
 * complete or not at all. For all commands that write: if the file exists, the user is asked, and
 * the command runs again when the answer is y.
 */
#include "config.h"
#include "app/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/path.h"
#include "base/text/text.h"
#include "pages/report_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct file_writer {
	struct async making;
	struct report_work *r;
	const char *file, *what;	/* in the arena of r */
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

/* ---- existing files */

bool write_file_allowed(struct app *a, enum cmd_id id, const char *arg, const char *file)
{
	const char *path = path_home(&a->scratch, file);
	struct stat st;
	if (a->files.replaces || lstat(path, &st) || S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode))
		return true;
	mem_free(a->files.over.arg);
	a->files.over.cmd = id;
	a->files.over.arg = xstrdup(arg);
	app_message(a, ST_WARN, "%s exists: y replaces it, any other key keeps it", path);
	return false;
}

bool write_file_answer(struct app *a, int32_t key)
{
	struct act act = {a->files.over.cmd, 0, a->files.over.arg};
	if (!act.cmd)
		return false;
	a->files.over.cmd = CMD_NONE;
	a->files.replaces = true;
	if (key == 'y' || key == 'Y')
		app_act(a, &act);
	else
		app_message(a, ST_DIM, "not written: the file was kept");
	a->files.replaces = false;
	return true;
}

/* ---- choice of the report */

/* Return the report with the pane's name, or one with the same data. */
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

/* Choose the report; false: there is none, which is reported. */
static bool choose_report(struct app *a, const struct ending *end, struct pane_report *r)
{
	const struct pane_ops *p = pane_now(a);
	struct place at;
	*r = (struct pane_report){.name = end->report};
	if (!r->name && p->output.report)
		p->output.report(state_now(a), &a->env, r);
	if (!r->name)
		r->name = report_of(p->name);
	if (!r->name) {
		app_message(a, ST_WARN, "this pane is not a table: P writes the screen, :report makes any report");
		return false;
	}
	if (r->arg || !arg_of(r->name))
		return true;
	app_place(a, &at);
	if (at.fun)
		r->arg = app_exact_regex(a, app_fun_name(a, at.fun));
	else
		app_message(a, ST_WARN, "%s: nothing is selected", r->name);
	return at.fun != 0;
}

/* ---- the command line */

/* Return whether a report is a list, which is written in full; charts are written as displayed. */
static bool is_list(const char *report)
{
	static const char *const list[] = {"top", "tree", "peek"};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (!strcmp(report, list[i]))
			return true;
	return false;
}

static void make_line(struct app *a, struct file_writer *w, const struct ending *end, const struct pane_report *r)
{
	struct command base = {0};
	session_command(a->s, r->name, r->arg, &w->r->arena, &base);
	for (int i = 0; i < base.n; i++) {
		if (!strcmp(base.v[i], "--")) {	/* a later option overrides an earlier one */
			for (size_t k = 0; k < sizeof r->options / sizeof *r->options && r->options[k]; k++)
				command_add(
				    &w->r->line, arena_strndup(&w->r->arena, r->options[k], strlen(r->options[k])));
			if (end->format)
				command_add(&w->r->line, arena_printf(&w->r->arena, "-format=%s", end->format));
			if (is_list(r->name))
				command_add(&w->r->line, "-nodefraction=0");
			command_add(&w->r->line, arena_printf(&w->r->arena, "-output=%s", w->file));
		}
		command_add(&w->r->line, base.v[i]);
	}
	mem_free(base.v);
}

/* ---- writing */

static void report_result(struct app *a, const struct file_writer *w)
{
	struct stat st;
	struct buf b = {0};
	if (w->r->failed && w->r->err.kind == ERR_CANCEL) {
		app_message(a, ST_WARN, "cancelled: %s was not written", w->file);
		return;
	}
	if (w->r->failed) {
		app_message(a, ST_ERROR, "%s", w->r->err.msg);
		return;
	}
	text_bytes(&b, !stat(w->file, &st) ? (int64_t)st.st_size : 0);
	if (w->r->notices.n)
		buf_printf(&b, "; %.*s", (int)(w->r->notices.n < 200 ? w->r->notices.n : 200), w->r->notices.p);
	app_message(a, ST_NORMAL, "%s: %s, %s", w->file, w->what, buf_str(&b));
	buf_free(&b);
}

/* The report has ended. */
static void end_report(struct app *a, struct file_writer *w)
{
	report_result(a, w);
	report_job_free(w->r);
	session_set_extra_work(a->s, NULL);
	mem_free(w);
	a->files.file_writer = NULL;
}

static void start_report(struct app *a, struct file_writer *w, const struct ending *end)
{
	struct pane_report r;
	struct report_work *done;
	struct err e;
	if (!choose_report(a, end, &r)) {
		report_job_free(w->r);
		mem_free(w);
		return;
	}
	make_line(a, w, end, &r);
	w->what = arena_strndup(&w->r->arena, r.name, strlen(r.name));
	if (report_job_start(&w->making, w->r, a->s, &done, &e)) {
		app_message(a, ST_ERROR, "%s", e.msg);
		mem_free(w);
		return;
	}
	a->files.file_writer = w;
	app_message(a, ST_DIM, "writing %s", w->file);
	if (done)
		end_report(a, w);
}

/* Return whether the pane has a selection that it writes as text itself. */
static bool has_selection(struct app *a)
{
	const struct pane_ops *p = pane_now(a);
	struct buf b = {0};
	bool has = p->output.copy && p->output.copy(state_now(a), &a->env, &b);
	buf_free(&b);
	return has;
}

void write_file_start(struct app *a, const char *file)
{
	const struct ending *end = file && *file ? ending_of(file) : NULL;
	bool text = !end || (end->format && !strcmp(end->format, "text"));
	if (a->secure) {
		app_message(a, ST_WARN, "off because TTRACESECURE is set");
	} else if (!file || !*file) {
		app_prompt(a, CMD_COMMAND, a->files.replaces ? "w! " : "w ");
	} else if (text && has_selection(a)) {
		files_write_screen(a, file);
	} else if (!end) {
		app_message(a, ST_ERROR, "w requires one of these extensions: %s", known);
	} else if (!a->env.report) {
		app_message(a, ST_ERROR, "reports are not available here");
	} else if (app_job(a)) {
		app_message(a, ST_WARN, "a file is being read or a report is being made: wait for it");
	} else if (write_file_allowed(a, CMD_WRITE, file, file)) {
		struct file_writer *w = xcalloc(1, sizeof *w);
		w->r = report_job_new(a->env.report);
		w->file = path_home(&w->r->arena, file);
		start_report(a, w, end);
	}
}

void write_file_update(struct app *a, bool wait)
{
	struct file_writer *w = a->files.file_writer;
	if (!w || (!wait && !job_done(async_job(&w->making), NULL)))
		return;
	(void)async_finish(&w->making);		/* it returns w->r */
	end_report(a, w);
}
