/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Commands that are common to all panes.
 *
 * A command is a struct act, made by a key, the mouse or a ":" line (command_line.c). The pane
 * shown has passed it on, or it is no command of a pane. It opens a pane, where an argument means
 * the same as for the report of that name; or it concerns the program (quit, marks, jumps,
 * prompts); or it belongs to another file: the query to query.c, comparison with other files to
 * compare.c.
 */
#include "config.h"
#include "app/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "boards/board.h"
#include "calltree/weighted.h"
#include "symbols/source.h"
#include "trace/as_profile.h"

#include <string.h>

/* ---- functions */

const char *app_fun_name(const struct app *a, fun_id f)
{
	const struct snap *sn = session_snap(a->s);
	if (!f || f >= sn->nfuns)
		return "";
	return store_str(sn->st, store_fun(sn->st, f)->name)->s;
}

fun_id app_function(struct app *a, const struct regex *rx)
{
	struct weighted_tree *c = session_calls(a->s, GR_FUNCTIONS);
	fun_id best = 0;
	uint64_t most = 0;
	for (uint32_t i = 1; i < c->nsymbol; i++) {
		const struct symbol *t = &c->symbol[i];
		struct str_row s = weighted_symbol(c, i);
		uint64_t v = wrap_size(c->weight[i].cum);
		fun_id fun = symbol_function(c->st, t);
		if (fun && c->weight[i].nnode && (v > most || !best) && regex_match(rx, s.s, s.n)) {
			most = v;
			best = fun;
		}
	}
	weighted_free(c);
	return best;
}

const char *app_escape_regex(struct app *a, const char *name)
{
	struct buf b = {0};
	for (const char *p = name; *p; p++) {
		if (strchr("\\.+*?()|[]{}^$", *p))
			buf_putc(&b, '\\');
		buf_putc(&b, *p);
	}
	const char *s = arena_strndup(&a->scratch, buf_str(&b), b.n);
	buf_free(&b);
	return s;
}

const char *app_exact_regex(struct app *a, const char *name)
{
	return arena_printf(&a->scratch, "^%s$", app_escape_regex(a, name));
}

const char *app_selected_regex(struct app *a, const char *word)
{
	struct place p;
	app_place(a, &p);
	const char *name = p.fun ? app_fun_name(a, p.fun) : "";
	if (!*name) {
		app_message(a, ST_WARN, "%s: no function is selected; :%s RE selects one by name, 1 lists all",
		    word, word);
		return NULL;
	}
	return app_exact_regex(a, name);
}

/* ---- settings */

static void do_set(struct app *a, const char *arg)
{
	struct err e;
	const char *s = arg ? arg : "";
	size_t n = strcspn(s, " =");
	const char *v = s + n + strspn(s + n, " =");
	const char *name = arena_strndup(&a->scratch, s, n);
	if (config_set(a, s, &e))
		app_message(a, ST_ERROR, "%s", e.msg);
	else if (!a->status.sticky)
		app_message(a, ST_DIM, "%s = %s", name, config_now(a, name) ? config_now(a, name) : v);
}

static void do_map(struct app *a, const char *arg)
{
	struct err e;
	if (config_map(a, arg ? arg : "", &e))
		app_message(a, ST_ERROR, "%s", e.msg);
	else
		app_message(a, ST_DIM, "mapped: %s", arg);
}

/* ---- opening panes */

/* Handle the arguments of top, as in pprof: a number, -cum, regular expressions to focus on, -RE to ignore. */
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

/* Return the file of "list RE > FILE"; NULL: none. */
static const char *file_of(const char *arg)
{
	const char *s = arg ? strstr(arg, arg[0] == '>' ? ">" : " >") : NULL;
	s = s ? strchr(s, '>') + 1 : NULL;
	return s ? s + strspn(s, " ") : NULL;
}

bool app_report_may_write(struct app *a, const struct act *act)
{
	const char *file = file_of(act->arg);
	if (file && a->secure)
		app_message(a, ST_WARN, "off because TTRACESECURE is set");
	else if (file && !*file)
		app_message(a, ST_ERROR, "> FILE: a file name is missing");
	return !file || (!a->secure && *file && write_file_allowed(a, CMD_REPORT, act->arg, file));
}

/* Write the report of "list RE > FILE" to the file. */
static bool to_file(struct app *a, const struct act *act)
{
	const char *file = file_of(act->arg);
	if (act->cmd == CMD_REPORT)
		return false;
	for (const struct report_row *r = report_rows; file && r->name; r++)
		if (!strcmp(r->name, cmds[act->cmd].name)) {
			app_act(a, &(struct act){CMD_REPORT, 0, arena_printf(&a->scratch, "%s %s", r->name, act->arg)});
			return true;
		}
	return false;
}

static void no_function(struct app *a, const char *re)
{
	bool some = session_is_trace(a->s) && session_type(a->s) != TRACE_TIME;
	app_message(a, ST_WARN, "no function%s%s matches %s%s", some ? " in " : "",
	    some ? session_type_name(a->s, session_type(a->s)) : "", re, some ? " (:type time has all)" : "");
}

static void do_pane(struct app *a, const struct act *act, int i)
{
	struct place p;
	struct err e;
	app_place(a, &p);
	if (!act->arg || !*act->arg) {
		p.from = p.by_default ? NULL : pane_now(a)->name;
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
	enum verdict v = pane_act(panes[i], state_now(a), &a->env, act, &ask);
	app_handle_ask(a, &ask);
	if (v != V_PASS)
		return;
	struct regex *rx = regex_new(act->arg, &e);
	p = PLACE_NONE;
	p.fun = rx ? app_function(a, rx) : 0;
	if (!rx)
		app_message(a, ST_ERROR, "%s", e.msg);
	else if (!p.fun)
		no_function(a, act->arg);
	else
		app_open(a, panes[i]->name, &p);
	regex_free(rx);
}

/* The command of a board opens the pane of boards there. */
static bool open_board(struct app *a, const struct act *act)
{
	const char *name = cmds[act->cmd].name;
	if (board_find(name, strlen(name)) < 0)
		return false;
	if (!to_file(a, act))
		do_pane(a, &(struct act){CMD_BOARDS, 0, name}, pane_find("boards"));
	return true;
}

static bool open_pane(struct app *a, const struct act *act)
{
	if (open_board(a, act))
		return true;
	for (int i = 0; panes[i]; i++)
		if (panes[i]->cmd == act->cmd) {
			if (i == a->cur && !act->arg && act->cmd == CMD_HELP)
				app_back(a);
			else if (i == a->cur && !act->arg)
				app_message(a, ST_DIM, "%s: this is the current pane", panes[i]->name);
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
	struct regex *rx = regex_new(arg, &e);
	struct place p = PLACE_NONE;
	p.fun = rx ? app_function(a, rx) : 0;
	regex_free(rx);
	if (!p.fun)
		no_function(a, arg);
	else if (!pane_now(a)->go || !pane_now(a)->go(state_now(a), &a->env, &p))
		app_open(a, "top", &p);
}

/* List the goroutines that ran the selected function. */
static void do_ran(struct app *a)
{
	const char *re = app_selected_regex(a, "goroutines");
	if (re)
		do_pane(a, &(struct act){CMD_PANE_GOR, 0, re}, pane_find("goroutines"));
}

/* ^C: stop the search, or what runs. */
static void do_cancel(struct app *a)
{
	struct job *j = session_job(a->s);
	a->in.count = 0;
	if (a->search.find)
		app_search(a, NULL);
	else if (!reload_cancel(a) && j) {
		job_cancel(j);
		app_message(a, ST_WARN, session_is_loading(a->s) ? "loading cancelled: showing what has been "
		    "read" : "cancelled");
	}
}

static uint32_t hits_here(struct app *a)
{
	uint32_t at;
	return a->search.find ? pane_search(pane_now(a), state_now(a), &a->env, 0, &at) : 0;
}

static void do_search_selected(struct app *a)
{
	struct place p;
	app_place(a, &p);
	const char *name = app_fun_name(a, p.fun);
	const struct store *st = session_snap(a->s)->st;
	if (!*name && p.trk)	/* for a goroutine: its start function */
		name = store_str(st, store_trk_name(st, p.trk))->s;
	if (!*name) {
		app_message(a, ST_WARN, "no name is selected");
		return;
	}
	/* lists show the whole name; text and source lines show a shorter form of it */
	const char *re = app_exact_regex(a, name), *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
	const char *less[] = {name, slash ? slash + 1 : name, dot && dot[1] ? dot + 1 : name};
	app_search(a, re);
	for (size_t i = 0; i < sizeof less / sizeof *less && app_can_search(a) && !hits_here(a); i++) {
		const char *exact = app_exact_regex(a, less[i]);
		app_search(a,
		    arena_printf(&a->scratch, i < 2 ? "%.*s" : "\\b%.*s\\b", (int)strlen(exact) - 2, exact + 1));
	}
	if (app_can_search(a) && !hits_here(a))
		app_search(a, re);
	app_find(a, 1);
}

static void do_quit(struct app *a)
{
	struct job *j = session_job(a->s);
	if (j)
		job_cancel(j);
	a->wants.quit = true;
}

/* Set a mark: "a", or "a NOTE". */
static void do_mark(struct app *a, const char *arg)
{
	const char *text = arg && arg[0] ? arg + 1 + strspn(arg + 1, " ") : "";
	app_mark(a, arg ? arg[0] : 0, *text ? text : NULL);
}

static void do_detail(struct app *a)
{
	a->env.detail = !a->env.detail;
	app_update_all_panes(a);
	const char *on = a->env.detail ? "on" : "off";
	if (a->env.detail && pane_now(a)->side.draw && !a->env.side_shown)
		app_message(a, ST_DIM, "detail area: on, beside the list where the screen is wider");
	else
		app_message(a, ST_DIM, "detail area: %s%s", on,
		    pane_now(a)->side.draw ? "" : "; not available in this pane");
}

static void do_compact(struct app *a)
{
	if (!session_is_trace(a->s)) {
		app_message(a, ST_DIM, "compact: only for the timeline, and this is a profile");
		return;
	}
	a->env.compact = !a->env.compact;
	app_update_all_panes(a);
	if (pane_now(a)->bit != P_TIME)
		app_message(a, ST_DIM, "compact rows of the timeline: %s", a->env.compact ? "on" : "off");
}

/* Set the folders; all panes that show source lines read them again. Without an argument: report the folders. */
static void do_source_path(struct app *a, const struct act *act)
{
	bool source = act->cmd == CMD_SOURCE_PATH;
	struct err e;
	if (!act->arg) {
		struct buf b = {0};
		source_cache_describe(session_sources(a->s), &b);
		app_message(a, ST_NORMAL, "sources are looked for in %s", buf_str(&b));
		buf_free(&b);
		return;
	}
	if (session_source_path(a->s, source ? OPT_SOURCE_PATH : OPT_TRIM_PATH, act->arg, &e)) {
		app_message(a, ST_ERROR, "%s", e.msg);
		return;
	}
	app_update_all_panes(a);
	app_message(a, ST_DIM, "%s=%s", cmds[act->cmd].name, act->arg);
}

/* Run commands that concern the program as a whole. */
static bool common_program(struct app *a, const struct act *act)
{
	switch (act->cmd) {
	case CMD_QUIT: do_quit(a); return true;
	case CMD_INTERRUPT:
		if (a->in.interrupted)
			do_quit(a);
		else
			do_cancel(a), app_message(a, ST_NORMAL, "press ^C again to quit");
		a->in.interrupted = 2;
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
	case CMD_CANCEL: app_leave(a); return true;
	case CMD_COMMAND: app_prompt(a, CMD_COMMAND, ""); return true;
	case CMD_REDRAW: a->wants.redraw = true; return true;
	case CMD_STOP: a->wants.stop = true; return true;
	case CMD_DETAIL: do_detail(a); return true;
	case CMD_COMPACT: do_compact(a); return true;
	case CMD_SET: do_set(a, act->arg); return true;
	case CMD_MAP: do_map(a, act->arg); return true;
	case CMD_COPY: files_copy(a, "item"); return true;
	case CMD_COPY_ALL: files_copy(a, "report"); return true;
	case CMD_COPY_VIEW: files_copy(a, "view"); return true;
	case CMD_SCREEN: files_write_screen(a, act->arg); return true;
	case CMD_WRITE: write_file_start(a, act->arg); return true;
	case CMD_PIPE: files_pipe_pane(a, act->arg); return true;
	case CMD_EDIT: files_edit_source(a); return true;
	case CMD_SOURCE_PATH: case CMD_TRIM_PATH: do_source_path(a, act); return true;
	case CMD_FETCH: reload_start(a, act->arg); return true;
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
			app_prompt(a, CMD_GREP, a->search.grep ? regex_pattern(a->search.grep) : "");
		return true;
	case CMD_NEXT: app_find(a, 1); return true;
	case CMD_PREV: app_find(a, -1); return true;
	case CMD_SEARCH_SEL: do_search_selected(a); return true;
	case CMD_GOTO_FUN: do_fun(a, act->arg); return true;
	case CMD_RAN: do_ran(a); return true;
	case CMD_GOTO_TIME:
	case CMD_GOTO_G:
	case CMD_GOTO_P:
	case CMD_GOTO_TASK: view_options_goto_command(a, act); return true;
	default: return false;
	}
}

void app_run_common(struct app *a, const struct act *act)
{
	if (open_pane(a, act) || common_program(a, act) || common_search(a, act) ||
	    app_query_command(a, act) || compare_command(a, act) || app_value_command(a, act) ||
	    named_command(a, act))
		return;
	if (act->cmd >= CMD_PANE_TOP && act->cmd <= CMD_PANE_EVENTS)
		app_message(a, ST_WARN, "no pane %s", cmds[act->cmd].name);
	else if (act->cmd > CMD_CENTRE || act->arg)
		app_report_not_available(a, act->cmd);
}
