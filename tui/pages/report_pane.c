/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The text of a report: any row of reports.def, for the current view.
 *
 * The words after : are those of pprof's prompt (tree -cum json -runtime): numbers, -cum and -flat,
 * expressions to focus on, -RE to ignore, > FILE, and any option of the command line. They are
 * appended to the command line that the session makes from its query, so the pane shows what the
 * same line prints in a shell, and displays that line. Reports build their own model and may take
 * long: they run in the background, one at a time, from the bytes that the session holds
 * (session/input_cache.h); Esc cancels one, a new query makes it again. The text is kept unchanged;
 * rows are its lines, filtered by &.
 */
#include "config.h"
#include "app/pane.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/path.h"
#include "base/text/text.h"
#include "pages/report_job.h"
#include "profile/common.h"
#include "symbols/source.h"
#include "widget/list.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LEFT_MOST = 100000 };	/* columns: a line of :folded is as long as its stack */

struct report_state {
	char *words;		/* as typed, NULL: none yet */
	struct async making;
	bool again;		/* make it when other work of the session has ended */
	char *line;		/* the command line that made the text */
	struct buf text, notices;
	uint32_t *start, nline;	/* offsets of its lines; start[nline] is the end */
	size_t cstart;
	uint32_t *row;		/* displayed lines */
	size_t crow;
	struct rows rows;
	struct list_hits hit;
	int left;
	char message[320];		/* message if there is no text */
	bool bad;
};

/* ---- arguments */

static const struct report_row *find_report(const char *s, size_t n)
{
	for (const struct report_row *r = report_rows; r->name; r++)
		if (strlen(r->name) == n && !memcmp(r->name, s, n))
			return r;
	return NULL;
}

static bool is_option(const char *s)
{
	size_t n = strcspn(s, "=");
	for (int i = 0; i < OPT__N; i++)
		if (strlen(option_rows[i].name) == n && !memcmp(option_rows[i].name, s, n))
			return s[n] == '=' || option_rows[i].kind == 'B';
	return false;
}

static const char *join_regex(struct report_work *w, const char *have, const char *re)
{
	return have ? arena_printf(&w->arena, "%s|%s", have, re) : re;
}

static bool is_count(const char *s)
{
	s += *s == '-' || *s == '+';
	return *s && !s[strspn(s, "0123456789")];
}

/* Add the option of a word; expressions are collected, because each option is given once. */
static void take_word(struct report_work *w, const char *s, const char **focus, const char **ignore)
{
	if (is_count(s))
		command_add(&w->line, arena_printf(&w->arena, "-nodecount=%s", s));
	else if (*s == '-' && is_option(s + 1))
		command_add(&w->line, s);
	else if (*s == '-' && s[1])
		*ignore = join_regex(w, *ignore, s + 1);
	else
		*focus = join_regex(w, *focus, s);
}

/* Add the defaults of pprof's prompt: the lines about the profile are omitted, because the head line shows them,
   and the list is limited to ten entries. */
static void as_prompt(struct report_work *w, const struct options *o, const char *report)
{
	bool text = !strcmp(report, "top") || !strcmp(report, "text");
	if ((text || !strcmp(report, "tree") || !strcmp(report, "peek")) && !o->v[OPT_COMPACT_LABELS].set)
		command_add(&w->line, "-compact_labels");
	if (text && !o->v[OPT_NODECOUNT].set)
		command_add(&w->line, "-nodecount=10");
}

/* Make the command line: that of the session, with the words before its files. */
static int make_line(struct report_work *w, const struct session *s, const char *words, struct err *e)
{
	const char *p = words + strspn(words, " "), *focus = NULL, *ignore = NULL, *arg = NULL;
	struct command base = {0};
	size_t n = strcspn(p, " >");
	const struct report_row *r = find_report(p, n);
	if (!r)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "unknown report \"%.*s\"", (int)n, p);
	p += n;
	struct report_work rest = {0};
	for (p += strspn(p, " "); *p; p += strspn(p, " ")) {
		bool file = *p == '>';
		p += file ? 1 + strspn(p + 1, " ") : 0;
		n = strcspn(p, file ? "" : " ");
		const char *word = arena_strndup(&w->arena, p, n);
		p += n;
		if (file)
			command_add(&rest.line, arena_printf(&w->arena, "-output=%s", path_home(&w->arena, word)));
		else if (r->arg && !arg && *word != '-')
			arg = word;
		else
			take_word(&rest, word, &focus, &ignore);
	}
	int rc = r->arg && !arg ? err_set(e, ERR_USAGE, ERR_NOWHERE, "%s requires %s", r->name, r->arg) : 0;
	if (!rc && !strchr(words, '>') && (!strcmp(r->group, "binary") || !strcmp(r->group, "drawing")))
		rc = err_set(e, ERR_USAGE, ERR_NOWHERE, "%s is a %s: use %s > FILE", r->name,
		    strcmp(r->group, "binary") ? "drawing" : "binary file", r->name);
	bool tags = !strcmp(r->name, "tags");
	session_command(s, r->name, arg, &w->arena, &base);
	for (int i = 0; i < base.n; i++) {
		if (i == 2)
			as_prompt(w, session_opt(s), r->name);
		if (!strcmp(base.v[i], "--")) {	/* a later option overrides an earlier one */
			for (int k = 0; k < rest.line.n; k++)
				command_add(&w->line, arena_strndup(&w->arena, rest.line.v[k], strlen(rest.line.v[k])));
			if (focus)
				command_add(&w->line,
				    arena_printf(&w->arena, "-%s=%s", tags ? "tagfocus" : "focus", focus));
			if (ignore)
				command_add(&w->line,
				    arena_printf(&w->arena, "-%s=%s", tags ? "tagignore" : "ignore", ignore));
		}
		command_add(&w->line, base.v[i]);
	}
	mem_free(base.v);
	mem_free(rest.line.v);
	arena_free(&rest.arena);
	return rc;
}

static void put_line(const struct report_work *w, struct buf *b)
{
	for (int i = 0; i < w->line.n; i++)
		if (strcmp(w->line.v[i], "--"))
			buf_printf(b, "%s%s", i ? " " : "", w->line.v[i]);
}

static void set_notice(struct report_state *p, bool bad, const char *s)
{
	snprintf(p->message, sizeof p->message, "%.300s", s);
	p->bad = bad;
}

/* ---- rows */

static const char *line_at(const struct report_state *p, uint32_t i, size_t *n)
{
	*n = p->start[i + 1] - p->start[i];
	const char *s = p->text.p + p->start[i];
	*n -= *n && s[*n - 1] == '\n';
	return s;
}

static void fill_lines(struct report_state *p, const struct pane_env *env)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->nline; i++) {
		size_t len;
		const char *s = line_at(p, i, &len);
		if (env->grep.rx && !regex_match(env->grep.rx, s, len))
			continue;
		p->row = mem_grow(p->row, &p->crow, (size_t)n + 1, sizeof *p->row);
		p->row[n++] = i;
	}
	list_set_count(&p->rows, n);
}

static void take_text(struct report_state *p, const struct pane_env *env, struct report_work *w)
{
	struct buf b = {0};
	put_line(w, &b);
	mem_free(p->line);
	p->line = xstrdup(buf_str(&b));
	buf_free(&b);
	buf_free(&p->text);
	buf_free(&p->notices);
	p->text = w->text;
	p->notices = w->notices;
	w->text = w->notices = (struct buf){0};
	p->nline = 0;
	for (size_t at = 0; at < p->text.n;) {
		const char *end = memchr(p->text.p + at, '\n', p->text.n - at);
		p->start = mem_grow(p->start, &p->cstart, (size_t)p->nline + 2, sizeof *p->start);
		p->start[p->nline++] = (uint32_t)at;
		at = end ? (size_t)(end - p->text.p) + 1 : p->text.n;
		p->start[p->nline] = (uint32_t)at;
	}
	if (!p->nline)
		set_notice(p, false, "the report is empty");
	fill_lines(p, env);
}

/* ---- job */

static void take_report(struct report_state *p, const struct pane_env *env, struct report_work *w)
{
	struct buf b = {0};
	struct stat st;
	if (!w)
		return;
	if (w->failed && w->err.kind == ERR_CANCEL) {
		set_notice(p, false, "cancelled; :report makes it again");
	} else if (w->failed) {
		set_notice(p, true, w->err.msg);
	} else if (options_str(&w->options, OPT_OUTPUT)) {
		buf_printf(&b, "%s: ", options_str(&w->options, OPT_OUTPUT));
		text_bytes(&b, !stat(options_str(&w->options, OPT_OUTPUT), &st) ? (int64_t)st.st_size : 0);
		set_notice(p, false, buf_str(&b));
		buf_free(&b);
	} else {
		take_text(p, env, w);
	}
	report_job_free(w);
}

/* Make the current report instead of one that is being made; later if the session has other work, since it waits for
   one at a time. */
static void make_report(struct report_state *p, const struct pane_env *env)
{
	struct job *other = session_job(env->s);
	struct err e;
	async_cancel(&p->making);
	p->again = other && other != async_job(&p->making);
	if (p->again)
		return;
	struct report_work *w = report_job_new(env->report), *done = NULL;
	p->message[0] = '\0';
	if (make_line(w, env->s, p->words, &e)) {
		report_job_free(w);
		set_notice(p, true, e.msg);
	} else if (report_job_start(&p->making, w, env->s, &done, &e)) {
		set_notice(p, true, e.msg);
	}
	take_report(p, env, done);
}

static void report_pane_tick(void *st, const struct pane_env *env)
{
	struct report_state *p = st;
	if (async_job(&p->making) && job_done(async_job(&p->making), NULL))
		take_report(p, env, async_finish(&p->making));
	if (p->again)
		make_report(p, env);
}

static void report_pane_update(void *st, const struct pane_env *env)
{
	struct report_state *p = st;
	bool new_grep = p->words && !async_job(&p->making) && p->nline;
	if (new_grep)
		fill_lines(p, env);
	/* the same report for the new query */
	if (!p->words || strchr(p->words, '>'))
		return;
	make_report(p, env);
}

static void close_report(void *st)
{
	struct report_state *p = st;
	async_stop(&p->making);
	mem_free(p->words);
	mem_free(p->line);
	buf_free(&p->text);
	buf_free(&p->notices);
	mem_free(p->start);
	mem_free(p->row);
	list_hits_free(&p->hit);
}

/* ---- drawing */

struct report_drawing { const struct report_state *p; const struct pane_env *env; };

static void draw_row(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct report_drawing *d = arg;
	struct buf b = {0};
	size_t n;
	const char *s = line_at(d->p, d->p->row[i], &n);
	struct rect old = grid_clip(g, (struct rect){y, 1, 1, g->w - 1});
	source_expand(&b, s, n);
	grid_textn(g, 0, -d->p->left, ST_NORMAL, 0, b.n ? b.p : "", b.n);
	if (d->env->find.rx)
		list_mark_hits(g, (struct rect){0, 0, 1, g->w}, d->env->find.rx);
	grid_unclip(g, old);
	buf_free(&b);
}

static void report_pane_draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct report_state *p = st;
	const struct job *j = async_job(&p->making);
	if (p->again && !j)
		grid_text(g, 1, 2, ST_DIM, 0, "The report starts when the file has been read.");
	else if (j && !p->nline)
		grid_text(g, 1, 2, ST_DIM, 0, job_cancelled(j)
			? "Cancelling the report."
			: "Making the report. Esc cancels.");
	else if (p->message[0])
		grid_text(g, 1, 2, p->bad ? ST_ERROR : ST_NORMAL, 0, p->message);
	else if (!p->words)
		grid_text(g, 1, 2, ST_DIM, 0, "report requires a name: :tree, :traces, :raw, ...; Tab "
		    "after :report lists them");
	else if (!p->rows.n)
		grid_text(g, 1, 2, ST_DIM, 0, "no line matches: & and Enter shows all lines");
	else
		list_draw_rows(&p->rows, g, draw_row, &(struct report_drawing){p, env},
		    &(struct list_options){false, list_hits_marks(&p->hit, &p->rows, env->find.rx)});
}

/* ---- commands */

static enum verdict ask_for(struct report_state *p, const struct pane_env *env, const char *words)
{
	char *old = p->words;
	p->words = xstrdup(words);
	mem_free(old);
	p->left = 0;
	list_reset(&p->rows, 0);
	p->nline = 0;
	make_report(p, env);
	return V_DONE;
}

static enum verdict report_pane_act(void *st, const struct pane_env *env, const struct act *a, struct ask *ask)
{
	struct report_state *p = st;
	int n = act_n(a) < 1000 ? act_n(a) * 8 : 8000;
	if (a->cmd == CMD_REPORT && a->arg && *a->arg)
		return ask_for(p, env, a->arg);
	switch ((int)a->cmd) {
	case CMD_LEFT: p->left = p->left > n ? p->left - n : 0; return V_DONE;
	case CMD_RIGHT: p->left = p->left + n < LEFT_MOST ? p->left + n : LEFT_MOST; return V_DONE;
	case CMD_OPEN:
		ask->kind = ASK_PANE;
		ask->pane = "peek";
		pane_report.place(st, env, &ask->place);
		return ask->place.fun ? V_ASK : pane_message(ask, "open: no function in this line");
	default: return V_PASS;
	}
}

/* Find the function whose name ends the line, before the suffixes that pprof adds. */
static void report_pane_place(const void *st, const struct pane_env *env, struct place *to)
{
	static const char *const behind[] = {" (inline)", " (partial-inline)"};
	const struct report_state *p = st;
	const struct snap *sn = session_snap(env->s);
	size_t n, best = 0;
	if (!p->rows.n)
		return;
	const char *s = line_at(p, p->row[p->rows.sel], &n);
	for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
		if (n > strlen(behind[i]) && !memcmp(s + n - strlen(behind[i]), behind[i], strlen(behind[i])))
			n -= strlen(behind[i]);
	for (fun_id f = 1; f < sn->nfuns; f++) {
		const struct str_row *name = store_str(sn->st, store_fun(sn->st, f)->name);
		if (name->n > best && name->n <= n && !memcmp(s + n - name->n, name->s, name->n) &&
		    (name->n == n || strchr(" |\t", s[n - name->n - 1]))) {
			best = name->n;
			to->fun = f;
		}
	}
}

static bool report_pane_go(void *st, const struct pane_env *env, const struct place *to)
{
	struct report_state *p = st;
	const struct snap *sn = session_snap(env->s);
	if (!to->fun)
		return false;
	const struct str_row *name = store_str(sn->st, store_fun(sn->st, to->fun)->name);
	for (uint32_t i = 0; i < p->rows.n; i++) {
		size_t n;
		const char *s = line_at(p, p->row[i], &n);
		for (size_t k = 0; name->n && k + name->n <= n; k++)
			if (!memcmp(s + k, name->s, name->n)) {
				list_select(&p->rows, i);
				return true;
			}
	}
	return false;
}

static void report_pane_save(const void *st, struct view *v)
{
	const struct report_state *p = st;
	view_put_cursor(v, "row", p->rows.sel);
	view_put_cursor(v, "top", p->rows.top);
	view_put_cursor(v, "left", p->left);
}

static void report_pane_load(void *st, const struct pane_env *env, const struct view *v)
{
	struct report_state *p = st;
	(void)env;
	p->rows.top = (uint32_t)view_get(v, "top");
	p->left = (int)view_get_below(v, "left", LEFT_MOST + 1);
	list_select(&p->rows, (uint32_t)view_get(v, "row"));
}

/* Append the line without passwords and control bytes. */
static void put_safe(struct buf *b, const char *line)
{
	struct buf plain = {0};
	text_mask_passwords(&plain, line);
	text_safe(b, buf_str(&plain), plain.n);
	buf_free(&plain);
}

static void report_pane_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct report_state *p = st;
	if (async_job(&p->making))
		buf_printf(b, "%s %s ...", job_cancelled(async_job(&p->making)) ? "cancelling" : "making", p->words);
	else if (p->line)
		put_safe(b, p->line);
	if (list_hits_are_current(&p->hit, &p->rows, env->find.rx))
		buf_printf(b, " | /%s %u match%s", env->find.text, p->hit.n, text_es(p->hit.n));
}

static void report_pane_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct report_state *p = st;
	(void)env;
	if (p->rows.n && !p->message[0])
		buf_printf(b, "line %u of %u", p->row[p->rows.sel] + 1, p->nline);
	if (p->notices.n)
		buf_printf(b, "  %s", buf_str((struct buf *)(uintptr_t)&p->notices));
}

static void report_row_text(const void *st, const struct pane_env *env, uint32_t row, struct buf *b)
{
	const struct report_state *p = st;
	size_t n;
	(void)env;
	const char *s = line_at(p, p->row[row], &n);
	buf_put(b, s, n);
}

static bool report_pane_copy(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct report_state *p = st;
	if (p->rows.n)
		report_row_text(st, env, p->rows.sel, b);
	return false;
}

static struct list_part report_part(void *st, const struct pane_env *env)
{
	struct report_state *p = st;
	return (struct list_part){.rows = &p->rows, .hits = &p->hit, .h = env->rows};
}

static const struct list_ops report_list = {.part = report_part, .text = report_row_text};

const struct pane_ops pane_report = {
    .name = "report",
    .tab = "Report",
    .aside = true,
    .bit = P_REPORT,
    .cmd = CMD_REPORT,
    .state_size = sizeof(struct report_state),
    .close = close_report,
    .update = report_pane_update,
    .list = &report_list,
    .work.tick = report_pane_tick,
    .draw = report_pane_draw,
    .act = report_pane_act,
    .go = report_pane_go,
    .place = report_pane_place,
    .view.save = report_pane_save,
    .view.load = report_pane_load,
    .summary = report_pane_summary,
    .lines.detail = report_pane_detail,
    .lines.hints = "j k h l move  / find  & only these lines  Enter peek  y copy line  :report NAME > FILE  q back",
    .output.copy = report_pane_copy,
};
