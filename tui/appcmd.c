/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What commands do that is common to all panes.
 *
 * A command comes as a struct act, whether a key, a mouse or a ":" line
 * (appline.c) made it. The pane that is shown has been asked before and passed
 * it on, or it is none of a pane's. Here it changes the query, of which a copy
 * is changed and set whole, so that one step of undo takes back all of it; or it
 * opens a pane, where an argument means to the pane what it would mean to the
 * report of that name; or it is of the program (quit, marks, jumps, prompts).
 */
#include "config.h"
#include "inside.h"

#include "analysis/calls.h"
#include "analysis/tracew.h"
#include "base/job.h"
#include "base/mem.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- functions */

const char *app_fun_name(const struct app *a, fun_id f)
{
	const struct snap *sn = session_snap(a->s);
	if (!f || f >= sn->nfuns)
		return "";
	return store_str(sn->st, store_fun(sn->st, f)->name)->s;
}

fun_id app_function(struct app *a, const struct rx *rx)
{
	struct calls *c = session_calls(a->s, GR_FUNCTIONS);
	fun_id best = 0;
	int64_t most = -1;
	for (uint32_t i = 1; i < c->nthing; i++) {
		const struct thing *t = &c->thing[i];
		struct str_row s = calls_symbol(c, i);
		int64_t v = t->cum < 0 ? -t->cum : t->cum;
		if (t->fun && t->nnode && v > most && rx_match(rx, s.s, s.n)) {
			most = v;
			best = t->fun;
		}
	}
	calls_free(c);
	return best;
}

/* The name as a regular expression that matches it and nothing else. */
const char *app_exactly(struct app *a, const char *name)
{
	struct buf b = {0};
	buf_putc(&b, '^');
	for (const char *p = name; *p; p++) {
		if (strchr("\\.+*?()|[]{}^$", *p))
			buf_putc(&b, '\\');
		buf_putc(&b, *p);
	}
	buf_putc(&b, '$');
	const char *s = arena_strndup(&a->scratch, b.p, b.n);
	buf_free(&b);
	return s;
}

const char *app_selected(struct app *a, const char *word)
{
	struct place p;
	app_place(a, &p);
	const char *name = p.fun ? app_fun_name(a, p.fun) : "";
	if (!*name) {
		app_message(a, ST_WARN, "%s: no function is selected here; :%s RE takes one by name, 1 lists all", word, word);
		return NULL;
	}
	return app_exactly(a, name);
}

/* ---- filters */

const char **app_filter_of(struct query *q, enum cmd_id id)
{
	switch (id) {
	case CMD_FOCUS: return &q->f.focus;
	case CMD_IGNORE: return &q->f.ignore;
	case CMD_HIDE: return &q->f.hide;
	case CMD_SHOW: return &q->f.show;
	case CMD_SHOW_FROM: return &q->f.show_from;
	case CMD_PRUNE_FROM: return &q->f.prune_from;
	case CMD_TAGFOCUS: return &q->f.tagfocus;
	case CMD_TAGIGNORE: return &q->f.tagignore;
	case CMD_TAGSHOW: return &q->f.tagshow;
	case CMD_TAGHIDE: return &q->f.taghide;
	case CMD_TAGROOT: return &q->f.tagroot;
	case CMD_TAGLEAF: return &q->f.tagleaf;
	case CMD_GROUP: return &q->group;
	case CMD_TASK: return &q->task;
	case CMD_REGION: return &q->region;
	default: return NULL;
	}
}

/* add: beside what the filter says already (either matches). */
bool app_filter(struct app *a, enum cmd_id id, const char *value, bool add)
{
	struct query q = *session_query(a->s);
	const char **f = app_filter_of(&q, id);
	if (!f)
		return false;
	if (*f && add && *value && !strstr(*f, value))
		*f = arena_printf(&a->scratch, "%s|%s", *f, value);
	else if (!*f || !add || !*value)
		*f = *value ? value : NULL;
	q.suspended = false;
	return app_query(a, &q);
}

static void do_filter(struct app *a, const struct act *act)
{
	const char *v = act->arg;
	bool here = act->cmd == CMD_FOCUS || act->cmd == CMD_IGNORE || act->cmd == CMD_HIDE ||
		    act->cmd == CMD_SHOW || act->cmd == CMD_SHOW_FROM || act->cmd == CMD_PRUNE_FROM;
	bool frames = act->cmd == CMD_TAGROOT || act->cmd == CMD_TAGLEAF;
	if (frames && v && !strcmp(v, "none"))
		v = "";
	if (!v && here) {
		v = app_selected(a, cmds[act->cmd].name);
		if (v)
			app_filter(a, act->cmd, v, act->cmd != CMD_FOCUS);
		return;
	}
	struct query q = *session_query(a->s);
	if (!v && !*app_filter_of(&q, act->cmd))
		app_message(a, ST_DIM, "no %s is set: :%s=%s sets it", cmds[act->cmd].name, cmds[act->cmd].name, cmds[act->cmd].arg);
	else
		app_filter(a, act->cmd, v ? v : "", false);
}

static bool filtered(struct app *a, const struct query *q)
{
	struct buf words = {0};
	app_filters_put(a, &words);
	bool any = words.n || q->from != TIME_NONE || q->to != TIME_NONE || q->g || q->gs || q->proc || q->latency;
	buf_free(&words);
	return any || q->suspended || query_has_rest(q);
}

void app_clear(struct app *a)
{
	struct query q = *session_query(a->s), none = {.type = q.type,
						   .from = TIME_NONE,
						   .to = TIME_NONE,
						   .gran = q.gran,
						   .noinlines = q.noinlines,
						   .blame = q.blame,
						   .a = q.a,
						   .b = query_has_rest(&q) ? 0 : q.b,
						   .show = query_has_rest(&q) ? SHOW_DELTA : q.show,
						   .of_rest = q.of_rest,
						   .normalize = q.normalize,
						   .drop_negative = q.drop_negative};
	if (!filtered(a, &q))
		app_message(a, ST_DIM, "there are no filters");
	else if (app_query(a, &none))
		app_message(a, ST_DIM, "no filters (u brings them back)");
}

static void do_suspend(struct app *a)
{
	struct query q = *session_query(a->s);
	if (!filtered(a, &q)) {
		app_message(a, ST_DIM, "there are no filters to switch off: f focuses, x ignores");
		return;
	}
	q.suspended = !q.suspended;
	app_query(a, &q);
}

static void do_time(struct app *a, const char *arg)
{
	struct query q = *session_query(a->s);
	const char *dots = arg ? strstr(arg, "..") : NULL;
	if (!arg && q.from == TIME_NONE && q.to == TIME_NONE) {
		app_message(a, ST_DIM, "no range of time is set: :t 1.2s..1.3s sets one, v on the timeline draws it");
		return;
	}
	q.from = q.to = TIME_NONE;
	if (arg && *arg) {
		const char *from =
		    dots ? arena_strndup(&a->scratch, arg, (size_t)(dots - arg)) : NULL;
		if (!dots || (*from && !app_time(a, from, &q.from)) ||
		    (dots[2] && !app_time(a, dots + 2, &q.to)) ||
		    (q.from != TIME_NONE && q.to != TIME_NONE && q.from >= q.to)) {
			app_message(a, ST_ERROR,
			    "not a range of time: %s (as in 1.2s..1.3s, 40%%..50%%, 2s..)", arg);
			return;
		}
	}
	app_query(a, &q);
}

static void do_track(struct app *a, const struct act *act)
{
	struct query q = *session_query(a->s);
	bool g = act->cmd == CMD_GOROUTINE;
	trk_id id = 0;
	uint32_t n;
	if (!act->arg && !(g ? q.g || q.gs : q.proc)) {
		app_message(a, ST_DIM, "no %s is chosen: :%s ID does it", g ? "goroutine" : "P", cmds[act->cmd].name);
		return;
	}
	if (g && act->arg && strchr(act->arg, ',')) {
		q.gs = act->arg;
		q.g = 0;
		if (tw_listed(session_snap(a->s), q.gs, &a->scratch, &n) && n)
			app_query(a, &q);
		else
			app_message(a, ST_ERROR, "no goroutines %s", act->arg);
		return;
	}
	if (act->arg && *act->arg) {
		id = app_track(a, g ? TK_G : TK_P, act->arg);
		if (!id) {
			app_message(a, ST_ERROR, "no %s %s", g ? "goroutine" : "P", act->arg);
			return;
		}
	}
	if (g)
		q.g = id, q.gs = NULL;
	else
		q.proc = id;
	app_query(a, &q);
}

/* ---- what is shown */

static void do_type(struct app *a, const struct act *act)
{
	struct query q = *session_query(a->s);
	size_t n = session_ntypes(a->s), i = session_type(a->s);
	if (act->cmd == CMD_NEXT_KIND)
		i = n ? (i + 1) % n : 0;
	else if (act->cmd == CMD_PREV_KIND)
		i = n ? (i + n - 1) % n : 0;
	else if (act->arg && isdigit((unsigned char)act->arg[0]))
		i = strtoul(act->arg, NULL, 10);
	else
		for (i = 0; i < n && strcmp(session_type_name(a->s, i), act->arg ? act->arg : "");
		     i++)
			;
	if (i >= n) {
		struct buf b = {0};
		for (size_t k = 0; k < n; k++)
			buf_printf(&b, " %s", session_type_name(a->s, k));
		app_message(a, ST_ERROR, "sample types are:%s", buf_str(&b));
		buf_free(&b);
		return;
	}
	q.type = i;
	if (app_query(a, &q) && i < session_ntypes(a->s))
		app_message(a, ST_DIM, "%s (%s), %zu of %zu", session_type_name(a->s, i),
		    session_type_unit(a->s, i), i + 1, n);
}

static void do_blame(struct app *a, const char *arg)
{
	static const char *const said[TWB__N] = {"who made the goroutine runnable", "the goroutine that waits",
	    "what ran on the Ps meanwhile"};
	struct query q = *session_query(a->s);
	int b = !arg || !*arg ? (q.blame + 1) % TWB__N : tw_blame_find(arg);
	if (b < 0) {
		app_message(a, ST_ERROR, "blame is waker, self or occupant");
		return;
	}
	q.blame = (uint8_t)b;
	if (session_is_trace(a->s) && app_query(a, &q))
		app_message(a, ST_DIM, "waits for a P (sched) are charged to %s", said[b]);
}

static void do_gran(struct app *a, const struct act *act)
{
	struct query q = *session_query(a->s);
	unsigned i = ((unsigned)q.gran + 1) % GRANS;
	if (act->cmd == CMD_GRANULARITY)
		for (i = 0; i < GRANS && strcmp(gran_names[i], act->arg ? act->arg : ""); i++)
			;
	if (i == GRANS) {
		app_message(a, ST_ERROR,
		    "granularity is functions, filefunctions, files, lines or addresses");
		return;
	}
	q.gran = (enum gran)i;
	if (app_query(a, &q))
		app_message(a, ST_DIM, "by %s", gran_names[i]);
}

static void do_noinlines(struct app *a)
{
	struct query q = *session_query(a->s);
	q.noinlines = !q.noinlines;
	if (app_query(a, &q))
		app_message(a, ST_DIM, "inlined functions %s",
		    q.noinlines ? "count as their callers" : "are shown");
}

static void do_set(struct app *a, const char *arg)
{
	struct err e;
	const char *s = arg ? arg : "";
	size_t n = strcspn(s, " =");
	const char *v = s + n + strspn(s + n, " =");
	if (app_set(a, arena_strndup(&a->scratch, s, n), v, &e))
		app_message(a, ST_ERROR, "%s", e.msg);
}

static void do_map(struct app *a, const char *arg)
{
	struct err e;
	if (app_map(a, arg ? arg : "", &e))
		app_message(a, ST_ERROR, "%s", e.msg);
}

/* ---- opening panes */

/* top's arguments, as pprof has them: a number, -cum, regular expressions to focus on, -RE to
 * ignore. */
static void top_args(struct app *a, const char *arg)
{
	const char *focus = NULL, *ignore = NULL;
	for (const char *p = arg; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");
		const char *w = arena_strndup(&a->scratch, p, n);
		p += n;
		if (!strcmp(w, "-cum") || !strcmp(w, "-flat"))
			app_act(a, &(struct act){CMD_FLATCUM, 0, w + 1});
		else if (w[0] == '-' && w[1])
			ignore = ignore ? arena_printf(&a->scratch, "%s|%s", ignore, w + 1) : w + 1;
		else if (!w[strspn(w, "0123456789")])
			app_act(a, &(struct act){CMD_PANE_TOP, 0, w});
		else
			focus = focus ? arena_printf(&a->scratch, "%s|%s", focus, w) : w;
	}
	if (focus)
		app_filter(a, CMD_FOCUS, focus, false);
	if (ignore)
		app_filter(a, CMD_IGNORE, ignore, false);
}

/* "list RE > FILE": the report of that name, into a file. */
static bool to_file(struct app *a, const struct act *act)
{
	const char *file = strstr(act->arg, act->arg[0] == '>' ? ">" : " >");
	if (file && a->secure) {
		app_message(a, ST_WARN, "off, as TTRACESECURE is set");
		return true;
	}
	if (act->cmd == CMD_REPORT)
		return false;
	for (const struct report_row *r = report_rows; file && r->name; r++)
		if (!strcmp(r->name, cmds[act->cmd].name)) {
			app_act(a, &(struct act){CMD_REPORT, 0, arena_printf(&a->scratch, "%s %s", r->name, act->arg)});
			return true;
		}
	return false;
}

static void do_pane(struct app *a, const struct act *act, int i)
{
	struct place p;
	struct err e;
	app_place(a, &p);
	if (!act->arg || !*act->arg) {
		app_open(a, panes[i]->name, &p);
		return;
	}
	if (to_file(a, act))
		return;
	if (!app_open(a, panes[i]->name, NULL))
		return;
	if (act->cmd == CMD_PANE_TOP) {
		top_args(a, act->arg);
		return;
	}
	if (act->cmd == CMD_TAGS) {
		app_filter(a, CMD_TAGFOCUS, act->arg, false);
		return;
	}
	struct ask ask = {.kind = ASK_NONE, .place = PLACE_NONE};
	enum verdict v = panes[i]->act(state_now(a), &a->env, act, &ask);
	app_ask(a, &ask);
	if (v != V_PASS)
		return;
	struct rx *rx = rx_new(act->arg, &e);
	p = PLACE_NONE;
	p.fun = rx ? app_function(a, rx) : 0;
	if (!rx)
		app_message(a, ST_ERROR, "%s", e.msg);
	else if (!p.fun)
		app_message(a, ST_WARN, "no function matches %s", act->arg);
	else
		app_open(a, panes[i]->name, &p);
	rx_free(rx);
}

static bool open_pane(struct app *a, const struct act *act)
{
	for (int i = 0; panes[i]; i++)
		if (panes[i]->cmd == act->cmd) {
			if (i == a->cur && !act->arg && act->cmd == CMD_HELP)
				app_back(a);
			else
				do_pane(a, act, i);
			return true;
		}
	return false;
}

static void do_fun(struct app *a, const char *arg)
{
	struct err e;
	if (!arg) {
		app_prompt(a, CMD_COMMAND, "goto-fun ");
		return;
	}
	struct rx *rx = rx_new(arg, &e);
	struct place p = PLACE_NONE;
	p.fun = rx ? app_function(a, rx) : 0;
	rx_free(rx);
	if (!p.fun)
		app_message(a, ST_WARN, "no function matches %s", arg);
	else if (!pane_now(a)->go || !pane_now(a)->go(state_now(a), &a->env, &p))
		app_open(a, "top", &p);
}

static void do_cancel(struct app *a)
{
	struct job *j = session_job(a->s);
	a->count = 0;
	if (a->find)
		app_search(a, NULL);
	else if (!app_stop_fetch(a) && j) {
		job_cancel(j);
		app_message(a, ST_WARN, session_reads(a->s) ? "loading stopped: what was read is shown" : "stopped");
	}
}

static void do_search_selected(struct app *a)
{
	struct place p;
	app_place(a, &p);
	const char *name = app_fun_name(a, p.fun);
	const struct store *st = session_snap(a->s)->st;
	if (!*name && p.trk)	/* of a goroutine what it began with */
		name = store_str(st, store_trk(st, p.trk)->name)->s;
	if (!*name) {
		app_message(a, ST_WARN, "no name is selected here");
		return;
	}
	app_search(a, app_exactly(a, name));
	app_find(a, 1);
}

static void do_quit(struct app *a)
{
	struct job *j = session_job(a->s);
	if (j)
		job_cancel(j);
	a->wants.quit = true;
}

/* "a", or "a what is here". */
static void do_mark(struct app *a, const char *arg)
{
	const char *text = arg && arg[0] ? arg + 1 + strspn(arg + 1, " ") : "";
	app_mark(a, arg ? arg[0] : 0, *text ? text : NULL);
}

/* Commands that belong to the program as a whole. */
static bool common_program(struct app *a, const struct act *act)
{
	switch (act->cmd) {
	case CMD_QUIT: do_quit(a); return true;
	case CMD_INTERRUPT:
		if (a->interrupted)
			do_quit(a);
		else
			do_cancel(a), app_message(a, ST_NORMAL, "^C once more quits");
		a->interrupted = 2;
		return true;
	case CMD_LEFT: case CMD_RIGHT: app_shift(a, act); return true;
	case CMD_BACK:
		if (!app_back(a))
			do_quit(a);
		return true;
	case CMD_JUMP_BACK:
		if (!app_back(a))
			app_message(a, ST_DIM, "this is the first place");
		return true;
	case CMD_JUMP_NEXT: app_forward(a); return true;
	case CMD_UNDO: app_undo(a); return true;
	case CMD_REDO: app_redo(a); return true;
	case CMD_CANCEL: do_cancel(a); return true;
	case CMD_COMMAND: app_prompt(a, CMD_COMMAND, ""); return true;
	case CMD_REDRAW: a->wants.redraw = true; return true;
	case CMD_STOP: a->wants.stop = true; return true;
	case CMD_DETAIL: {
		int from = pane_now(a)->side_cols ? pane_now(a)->side_cols : 120;
		a->env.detail = !a->env.detail;
		app_changed(a);
		const char *on = a->env.detail ? "on" : "off";
		if (a->cols < from)
			app_message(a, ST_DIM, "details beside the pane: %s, where there are %d columns", on, from);
		else
			app_message(a, ST_DIM, "details beside the pane: %s%s", on, pane_now(a)->side ? "" : "; this pane has none");
		return true;
	}
	case CMD_COMPACT:
		a->env.compact = !a->env.compact;
		app_changed(a);
		if (pane_now(a)->bit != P_TIME)
			app_message(a, ST_DIM, "compact rows of the timeline: %s", a->env.compact ? "on" : "off");
		return true;
	case CMD_SET: do_set(a, act->arg); return true;
	case CMD_MAP: do_map(a, act->arg); return true;
	case CMD_COPY: app_copy(a, "item"); return true;
	case CMD_COPY_ALL: app_copy(a, "report"); return true;
	case CMD_COPY_VIEW: app_copy(a, "view"); return true;
	case CMD_SCREEN: app_screen(a, act->arg); return true;
	case CMD_WRITE: app_write(a, act->arg, false); return true;
	case CMD_PIPE: app_pipe(a, act->arg); return true;
	case CMD_EDIT: app_edit(a); return true;
	case CMD_FETCH: app_fetch(a, act->arg); return true;
	case CMD_MARK: do_mark(a, act->arg); return true;
	case CMD_MARKS: app_marks(a); return true;
	case CMD_EXPLAIN: app_explain(a, act->arg && *act->arg ? act->arg : NULL); return true;
	case CMD_MENU: app_menu(a); return true;
	case CMD_JUMP_MARK: app_jump_mark(a, act->arg ? act->arg[0] : 0); return true;
	default: return false;
	}
}

static bool common_search(struct app *a, const struct act *act)
{
	switch (act->cmd) {
	case CMD_SEARCH:
		if (act->arg)
			app_search(a, act->arg), app_find(a, 2);
		else
			app_prompt(a, CMD_SEARCH, "");
		return true;
	case CMD_GREP:
		if (act->arg)
			app_grep(a, act->arg);
		else
			app_prompt(a, CMD_GREP, a->grep ? rx_text(a->grep) : "");
		return true;
	case CMD_NEXT: app_find(a, 1); return true;
	case CMD_PREV: app_find(a, -1); return true;
	case CMD_SEARCH_SEL: do_search_selected(a); return true;
	case CMD_GOTO_FUN: do_fun(a, act->arg); return true;
	case CMD_GOTO_TIME: case CMD_GOTO_G: case CMD_GOTO_P: case CMD_GOTO_TASK: app_goto(a, act); return true;
	default: return false;
	}
}

static bool common_query(struct app *a, const struct act *act)
{
	struct query q = *session_query(a->s);
	if (app_filter_of(&q, act->cmd)) {
		do_filter(a, act);
		return true;
	}
	switch (act->cmd) {
	case CMD_FOCUS_ASK: app_prompt(a, CMD_FOCUS, q.f.focus ? q.f.focus : ""); return true;
	case CMD_IGNORE_ASK: app_prompt(a, CMD_IGNORE, q.f.ignore ? q.f.ignore : ""); return true;
	case CMD_SUSPEND_F: do_suspend(a); return true;
	case CMD_CLEAR: app_clear(a); return true;
	case CMD_TIME: do_time(a, act->arg); return true;
	case CMD_GOROUTINE: case CMD_PROC: do_track(a, act); return true;
	case CMD_NEXT_KIND: case CMD_PREV_KIND: case CMD_SAMPLE_INDEX: do_type(a, act); return true;
	case CMD_GRANULARITY: case CMD_GRAN_NEXT: do_gran(a, act); return true;
	case CMD_NOINLINES: do_noinlines(a); return true;
	case CMD_BLAME: do_blame(a, act->arg); return true;
	default: return false;
	}
}

void app_common(struct app *a, const struct act *act)
{
	if (open_pane(a, act) || common_program(a, act) || common_search(a, act) ||
	    common_query(a, act) || app_side(a, act) || app_chosen(a, act) ||
	    app_saved(a, act))
		return;
	if (act->cmd >= CMD_PANE_TOP && act->cmd <= CMD_PANE_EVENTS)
		app_message(a, ST_WARN, "there is no pane %s", cmds[act->cmd].name);
	else if (act->cmd > CMD_CENTRE || act->arg)
		app_no_use(a, act->cmd);
}
