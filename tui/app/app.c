/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The app: which pane is shown, how commands reach panes, and what runs in the background.
 *
 * A command goes to the pane first; commands that the pane passes on are run by run_command.c, in
 * the same way for every pane. A pane is opened when it is first shown, and updated only when it is
 * shown again, because a dozen panes exist and one is visible. A move to a place that a pane cannot
 * show yet, because the call tree is still being weighed or laid out, is repeated when that is
 * complete (struct later).
 */
#include "config.h"
#include "app/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/text.h"
#include "trace/as_profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void app_message(struct app *a, enum style st, const char *fmt, ...)
{
	char line[sizeof a->status.text];
	struct buf b = {0};
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	text_mask_passwords(&b, line);
	snprintf(a->status.text, sizeof a->status.text, "%s", buf_str(&b));
	buf_free(&b);
	a->status.style = st;
	a->status.sticky = true;
}

bool app_has_message(const struct app *a)
{
	return a->status.text[0];
}

/* ---- panes */

bool app_pane_fits(const struct app *a, int i)
{
	bool trace = session_is_trace(a->s);
	return !(panes[i]->trace_only && !trace) && !(panes[i]->profile_only && trace);
}

void app_layout(struct app *a)
{
	int cols = a->screen.cols, choose, own;
	a->env.rows = a->screen.rows > 4 ? a->screen.rows - 4 : 1;
	own = pane_main_cols(pane_now(a), state_now(a), &a->env, cols, &choose);
	a->env.side_shown = own < cols;
	a->env.cols = own + a->screen.shift;
	a->env.choose = choose + a->screen.shift;
}

/* Scroll panes whose lines are cut at the right and which do not use h and l otherwise: see app_draw(). */
void app_shift(struct app *a, const struct act *act)
{
	const int bits = P_TOP | P_PEEK | P_TAGS | P_EVENTS | P_INFO | P_GOR | P_TASK | P_BOARDS;
	int to = a->screen.shift +
		 (act->cmd == CMD_RIGHT ? SHIFT : -SHIFT) * (act->count > 0 && act->count < SHIFT_MAX ? act->count : 1);
	if (!(pane_now(a)->bit & bits))
		return;
	a->screen.shift = to < 0 ? 0 : to > SHIFT_MAX ? SHIFT_MAX : to;
	app_layout(a);
}

/* Show the first notice about the file once, when all of it has been read; ^G lists all notices. */
static void report_notices(struct app *a)
{
	const struct snap *sn = session_snap(a->s);
	if (a->status.notified || !sn->complete || !sn->nwarns)
		return;
	const struct warn_row *w = column_at(&sn->st->warns, 0);
	struct buf b = {0};
	text_safe(&b, w->msg, strlen(w->msg));
	if (w->at == UINT64_MAX)
		app_message(a, ST_WARN, "%s", buf_str(&b));
	else
		app_message(a, ST_WARN, "%s (at byte %llu; ^G)", buf_str(&b), (unsigned long long)w->at);
	buf_free(&b);
	a->status.notified = true;
}

void app_update(struct app *a)
{
	const struct pane_ops *p = pane_now(a);
	uint32_t now = p->of_scope ? session_scope(a->s) : p->of_selection ? session_selection(a->s) : session_serial(a->s);
	if (!a->state[a->cur] || a->seen[a->cur] == now)	/* otherwise its rows may be of the data before */
		app_layout(a);
	if (!a->state[a->cur]) {
		a->state[a->cur] = xcalloc(1, p->state_size);
		if (p->open)
			p->open(state_now(a), &a->env);
		if (p->update)
			p->update(state_now(a), &a->env);
	} else if (a->seen[a->cur] != now && p->update) {
		p->update(state_now(a), &a->env);
	}
	a->seen[a->cur] = now;
	app_layout(a);
	report_notices(a);
}

void app_update_all_panes(struct app *a)
{
	for (int i = 0; i < PANES_MAX; i++)
		a->seen[i] = UINT32_MAX;
	app_update(a);
}

/* Record the keys of the current pane: help that is opened from it lists them first. */
static void note_hints(struct app *a)
{
	struct buf b = {0};
	a->env.from = pane_now(a)->bit;
	app_hints(a, &b);
	snprintf(a->screen.hints, sizeof a->screen.hints, "%s", buf_str(&b));
	a->env.hints = a->screen.hints;
	buf_free(&b);
}

void app_show_pane(struct app *a, int i)
{
	if (panes[i]->bit == P_HELP && i != a->cur) {
		note_hints(a);
		a->seen[i] = UINT32_MAX;
	}
	a->screen.shift = i == a->cur ? a->screen.shift : 0;
	a->cur = i;
	app_update(a);
}

/* Return whether the pane shows an old state, or nothing, until it is weighed and laid out. */
bool app_has_pending(const struct app *a)
{
	const struct pane_ops *p = pane_now(a);
	return (session_weighing_job(a->s) && p->bit & P_TREES) ||
	       (p->bit & (P_FLAME | P_TAGS) && pane_job(p, state_now(a)));
}

static bool is_place(const struct place *p)
{
	return p->fun || p->stk || p->frm || p->trk || p->t0 != TIME_NONE || p->rows || p->by_default;
}

/* Go to a place in the current pane. The panes of one function change to the sample type of all time if the function has no
   weight in the current one, such as a function that only waits. Return false if it is not there. */
static bool go_to(struct app *a, const struct place *place)
{
	if (pane_now(a)->go(state_now(a), &a->env, place))
		return true;
	if (app_has_pending(a) || !session_is_trace(a->s) || !place->fun || !(pane_now(a)->bit & (P_LIST | P_PEEK)) ||
	    session_type(a->s) == TRACE_TIME)
		return false;
	const char *type = session_type_name(a->s, session_type(a->s));
	struct query q = *session_query(a->s);
	q.type = TRACE_TIME;
	if (!app_query(a, &q))
		return false;
	app_message(a, ST_DIM, "nothing of it in %s: showing %s", type, session_type_name(a->s, TRACE_TIME));
	return pane_now(a)->go(state_now(a), &a->env, place);
}

bool app_open(struct app *a, const char *name, const struct place *place)
{
	int i = pane_find(name);
	if (i < 0 || !app_pane_fits(a, i)) {
		app_message(a, ST_WARN,
		    i < 0 ? "no pane %s" : "%s: not for this kind of file", name);
		return false;
	}
	bool moved = i != a->cur, goes = place && is_place(place) && panes[i]->go;
	a->env.going = goes;
	if (moved)
		app_switch_pane(a, i);
	a->env.going = false;
	if (!goes)
		return true;
	struct view before = app_view(a);
	bool there = go_to(a, place);
	if (app_has_pending(a))
		a->nav.later = (struct later){.go = true, .pane = i, .place = *place};
	else if (!there)
		return false;
	struct view after = app_view(a);
	if (before.pane == after.pane && !view_same_zoom(&before, &after))
		a->nav.jump[a->nav.jump_at] = after;
	if (moved) {
		a->nav.arrived = after;
		a->nav.arrived_at = a->nav.jump_at;
	}
	return true;
}

void app_place(struct app *a, struct place *p)
{
	*p = PLACE_NONE;
	if (pane_now(a)->place)
		pane_now(a)->place(state_now(a), &a->env, p);
}

/* ---- commands */

/* Run a row of the help in the pane from which help was opened; prompt for a required argument. */
static void run_word(struct app *a, const char *line)
{
	enum cmd_id id = command_find(line, strlen(line));
	if (pane_now(a)->bit == P_HELP)
		app_back(a);
	if (id && cmds[id].arg && cmds[id].arg[0] != '[')
		app_prompt(a, CMD_COMMAND, arena_printf(&a->scratch, "%s ", line));
	else
		app_run_line(a, line);
}

void app_handle_ask(struct app *a, const struct ask *k)
{
	switch (k->kind) {
	case ASK_NONE: break;
	case ASK_MESSAGE: app_message(a, ST_NORMAL, "%s", k->text); break;
	case ASK_PROMPT: app_prompt(a, CMD_COMMAND, k->text); break;
	case ASK_RUN: run_word(a, k->text); break;
	case ASK_QUERY:
	case ASK_PANE:
		if (k->kind == ASK_QUERY && !app_query_own(a, &k->query, k->own))
			break;
		if (k->kind == ASK_QUERY && !query_has_rest(&k->query) && k->text[0])
			app_message(a, ST_DIM, "%s", k->text);
		if (!k->pane)
			break;
		if (!app_open(a, k->pane, &k->place) && !a->status.sticky)
			app_message(a, ST_DIM, "not available in %s", k->pane);
		a->nav.later.tell = a->nav.later.go;
		if (k->kind == ASK_QUERY && query_has_rest(&k->query)) {
			snprintf(a->files.rest_note, sizeof a->files.rest_note, "%.79s", k->text);
			compare_report_rest(a);
		}
		break;
	}
}

bool app_leads_back(const struct app *a)
{
	struct view now = app_view(a);
	return a->nav.arrived_at && a->nav.arrived_at == a->nav.jump_at && now.pane == a->nav.arrived.pane &&
	       view_same_zoom(&now, &a->nav.arrived);
}

void app_act(struct app *a, const struct act *act)
{
	const struct pane_ops *p = pane_now(a);
	struct ask ask = {.kind = ASK_NONE, .place = PLACE_NONE};
	if (!act->arg && !act->count && app_choose(a, act->cmd))
		return;
	a->in.did = a->in.did ? a->in.did : act->cmd;
	if (!session_is_trace(a->s) && app_is_trace_command(act->cmd)) {
		app_message(a, ST_DIM, "%s: only for traces, and this is a profile", cmds[act->cmd].name);
		return;
	}
	if (act->cmd == CMD_BACK && app_leads_back(a) && app_back(a))
		return;
	if (act->cmd == CMD_GOTO_TIME && act->arg && view_options_goto_later(a, act->arg))
		return;
	if (act->cmd == CMD_REPORT && !app_report_may_write(a, act))
		return;
	if (act->cmd == CMD_TAG && act->arg) {	/* by name: the same in all panes */
		named_tag_command(a, act->arg);
		return;
	}
	enum verdict v = pane_act(p, state_now(a), &a->env, act, &ask);
	if (v == V_ASK)
		app_handle_ask(a, &ask);
	else if (v == V_PASS)
		app_run_common(a, act);
	app_layout(a);
}

/* ---- life */

void app_resize(struct app *a, int rows, int cols)
{
	a->screen.rows = rows < 1 ? 1 : rows;
	a->screen.cols = cols < 1 ? 1 : cols;
	app_layout(a);
	if (pane_now(a)->bit == P_HELP && state_now(a))	/* its text is wrapped at the width */
		pane_now(a)->update(state_now(a), &a->env);
}

/* Set a->part to the number of samples shown if the profile is not read whole yet. */
static void note_part(struct app *a)
{
	const struct snap *sn = session_snap(a->s);
	if (app_has_pending(a))
		return;
	a->part = !session_is_trace(a->s) && !sn->complete ? sn->nsmps : 0;
}

void app_refresh(struct app *a)
{
	copy_pane_finish(a);
	if (session_refresh(a->s)) {
		app_update(a);
		view_options_apply(a, false);
		view_file_read(a);
		app_announce_highlights(a);
	}
	reload_update(a, compare_update(a));
	write_file_update(a, false);
	for (int i = 0; panes[i]; i++)
		if (panes[i]->work.tick && a->state[i])
			panes[i]->work.tick(a->state[i], &a->env);
	note_part(a);
	arena_reset(&a->scratch);
}

struct job *app_work(const struct app *a)
{
	struct job *j = session_weighing_job(a->s);
	return j ? j : pane_job(pane_now(a), state_now(a));
}

/* Move to the deferred place or view: the call tree has been weighed. */
static void goto_deferred(struct app *a)
{
	struct later l = a->nav.later;
	a->nav.later = (struct later){0};
	if (l.pane != a->cur)
		return;
	if (l.load) {
		pane_load(pane_now(a), state_now(a), &a->env, &l.view);
		return;
	}
	bool there = go_to(a, &l.place);
	if (app_has_pending(a)) {
		a->nav.later = l;
		return;
	}
	if (!there && l.tell && !a->status.text[0])
		app_message(a, ST_DIM, "not available in %s", pane_now(a)->name);
	a->nav.jump[a->nav.jump_at] = app_view(a);
	if (a->nav.arrived_at == a->nav.jump_at)
		a->nav.arrived = a->nav.jump[a->nav.jump_at];
}

static void take_weights(struct app *a)
{
	if (!session_weighing_poll(a->s))
		return;
	copy_pane_finish(a);
	for (int i = 0; panes[i]; i++)
		if (panes[i]->bit & P_TREES)
			a->seen[i] = UINT32_MAX;
	bool goes = a->env.going = (a->nav.later.go || a->nav.later.load) && a->nav.later.pane == a->cur;
	app_update(a);
	a->env.going = false;
	if (!app_has_pending(a) && (a->nav.later.go || a->nav.later.load)) {
		goto_deferred(a);
	} else if (goes) {	/* still pending: compute what go() would have replaced */
		a->seen[a->cur] = UINT32_MAX;
		app_update(a);
	}
	if (a->files.rest_of == session_serial(a->s) + 1)
		compare_report_rest(a);
	note_part(a);
	app_announce_highlights(a);
	arena_reset(&a->scratch);
}

/* Take the result of the pane's job; the pane may return a request, as for a key. */
static void take_one_result(struct app *a)
{
	struct ask ask = {.kind = ASK_NONE, .place = PLACE_NONE};
	copy_pane_finish(a);
	bool asks = pane_answers_key(pane_now(a), state_now(a));
	struct view before = asks ? app_view(a) : (struct view){0};
	if (asks) {
		a->in.queried = false;
		a->status.text[0] = '\0';	/* remove the message about the search */
	}
	pane_take_result(pane_now(a), state_now(a), &a->env, &ask);
	app_handle_ask(a, &ask);
	if (asks)
		app_record_move(a, &before);
	if (a->search.finding.on)
		app_finish_find(a);
}

void app_finish_pending(struct app *a)
{
	while (pane_answers_key(pane_now(a), state_now(a)))
		take_one_result(a);
}

void app_take_results(struct app *a, bool wait)
{
	if (session_weighing_job(a->s)) {
		take_weights(a);
		return;
	}
	struct job *j;
	bool any = false;
	/* Jobs that the pane starts again because its input changed are waited for too. */
	for (int i = 0; i < 12 && (j = app_work(a)) && (wait || (!any && job_done(j, NULL))); i++) {
		take_one_result(a);
		any = true;
		if (wait)	/* for the search that the pane runs then */
			app_wait(a);
	}
	if (!any)
		return;
	note_part(a);
	if (!app_has_pending(a) && (a->nav.later.go || a->nav.later.load))
		goto_deferred(a);
	arena_reset(&a->scratch);
}

int app_default_pane(const struct app *a)
{
	return pane_find(session_is_trace(a->s) ? "timeline" : "top");
}

static int first_pane(struct app *a, struct err *e)
{
	const char *want = options_str(a->options, OPT_PANE);
	int i = want ? pane_find(want) : -1;
	if (want && (i < 0 || !app_pane_fits(a, i)))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-pane=%s: %s", want,
		    i < 0 ? "no such pane" : "not for this kind of file");
	if (i < 0)
		i = app_default_pane(a);
	for (int k = 0; i < 0 && panes[k]; k++)
		if (app_pane_fits(a, k))
			i = k;
	return i;
}

struct app *app_new(
    const struct options *o, struct session *s, const struct app_setup *u, struct err *e)
{
	struct app *a = xcalloc(1, sizeof *a);
	a->options = o;
	a->s = s;
	a->screen.look = u->look;
	a->screen.themed = u->themed;
	a->screen.ground = u->look.theme == TH_LIGHT ? TH_LIGHT : TH_DARK;
	a->keeps_files = u->files;
	a->patient = u->patient;
	if (a->patient)
		session_set_nonblocking(s);
	a->secure = getenv("TTRACESECURE") != NULL;
	a->screen.ticks = true;
	a->screen.mouse = options_str(o, OPT_MOUSE) && !strcmp(options_str(o, OPT_MOUSE), "on");
	a->env = (struct pane_env){.s = s,
	    .scratch = &a->scratch,
	    .ascii = u->ascii,
	    .detail = true,
	    .judge = options_bool(o, OPT_JUDGE) && (o->v[OPT_JUDGE].set || !o->v[OPT_MEM].set),
	    .report = u->report,
	    .mono = !u->look.colours || u->look.theme == TH_MONO};
	keymap_init(&a->in.keys, &a->life);
	app_resize(a, u->rows, u->cols);
	session_refresh(s);
	if (a->keeps_files) {
		user_lines_read_config(a);
		user_lines_read_state(a);
	}
	int first = view_options_check(a, e) ? -1 : first_pane(a, e);
	if (first < 0) {
		app_free(a);
		return NULL;
	}
	app_show_pane(a, first);
	a->env.base = options_bool(o, OPT_RELATIVE) ? BASE_SHOWN : BASE_AUTO;
	if (o->v[OPT_UNIT].set)
		app_unit(a, options_str(o, OPT_UNIT));
	a->nav.njump = 1;
	view_options_apply(a, true);
	view_file_read(a);
	app_announce_highlights(a);
	reload_update(a, false);
	arena_reset(&a->scratch);
	return a;
}

void app_close_panes(struct app *a)
{
	for (int i = 0; panes[i]; i++) {
		if (a->state[i])
			pane_close(panes[i], a->state[i]);
		mem_free(a->state[i]);
		a->state[i] = NULL;
	}
	session_set_extra_work(a->s, NULL);	/* it was in a pane, if any */
	a->nav.njump = 1;
	a->nav.jump_at = 0;
	a->nav.nundo = a->nav.undone = 0;
	a->env.ntagged = 0;
	a->status.notified = false;
	memset(a->nav.marked, 0, sizeof a->nav.marked);
}

void app_save(struct app *a)
{
	if (!a->keeps_files)
		return;
	user_lines_write_history(a);
	view_file_write(a);
}

void app_free(struct app *a)
{
	if (!a)
		return;
	write_file_update(a, true);
	copy_pane_cancel(a);
	app_close_panes(a);
	session_close(a->files.reload.next);
	mem_free(a->files.later);
	if (a->search.find_before != a->search.find)
		regex_free(a->search.find_before);
	regex_free(a->search.find);
	regex_free(a->search.grep);
	prompt_history_free(&a->prompt.commands);
	prompt_history_free(&a->prompt.searches);
	keymap_free(&a->in.keys);
	mem_free(a->pop.row);
	session_close(a->files.reload.previous);
	mem_free(a->tagged);
	mem_free(a->files.named);
	for (int i = 0; i < MARKS; i++)
		mem_free(a->nav.mark_text[i]);
	mem_free(a->files.over.arg);
	mem_free(a->files.last.key);
	mem_free(a->files.last.begin);
	mem_free(a->files.last.options.v);
	app_requests_free(&a->wants);
	arena_free(&a->scratch);
	arena_free(&a->life);
	mem_free(a);
}

struct app_requests app_take_requests(struct app *a)
{
	struct app_requests w = a->wants;
	a->wants = (struct app_requests){.quit = w.quit};
	return w;
}

void app_requests_free(struct app_requests *w)
{
	mem_free(w->copy);
	mem_free(w->pipe);
	mem_free(w->text);
	mem_free(w->file);
}

void app_background(struct app *a, bool light)
{
	a->screen.ground = light ? TH_LIGHT : TH_DARK;
	if (!a->screen.themed && a->screen.look.theme != TH_MONO)
		a->screen.look.theme = a->screen.ground;
}

const struct look *app_look(const struct app *a)
{
	return &a->screen.look;
}

bool app_cursor(const struct app *a)
{
	return a->screen.cursor;
}

bool app_mouse(const struct app *a)
{
	return a->screen.mouse;
}

void app_cost(struct app *a, int64_t us, uint32_t cells, size_t bytes)
{
	a->screen.cost_us = us;
	a->screen.costs[a->screen.ncost++ % COSTS] = us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
	a->screen.cost_cells = cells;
	a->screen.cost_bytes = bytes;
}

bool app_ticks(const struct app *a)
{
	return a->screen.ticks;
}
