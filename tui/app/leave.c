/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Esc: one step out of what the user is in, the innermost first, and a message that says what was left.
 *
 * The steps are, in this order: keys that wait for another key (input.c), a prompt or a popup, what the pane
 * itself has begun (a search in the background, a range, bars, a limit of durations), work for a key, a search, the lines
 * left by &, a filter that was the last step, a selection that was carried into the pane, the pane if a link led to it, a
 * level or a zoom of the pane, the selection of the timeline, the pane. Filters
 * set earlier stay, because they are a choice for all panes: u undoes them. At the first place Esc stops the reading of the
 * file, and then only says how to quit, so a held Esc never ends the program.
 *
 * q leaves levels and panes as Esc does, but no search and no filter, and it quits at the first place. Not taken: Esc as an
 * undo of the last step, whatever it was. Users press Esc to leave what they see.
 */
#include "config.h"
#include "app/internal.h"

#include "base/job.h"

/* Stop work that a key has started: to read again, to compare, to make a report. The first reading is not such work. */
static bool leave_work(struct app *a)
{
	struct job *j = session_job(a->s);
	if (reload_cancel(a))
		return true;
	if (pane_stop_answer(pane_now(a), state_now(a))) {
		app_message(a, ST_DIM, "stopped");
		return true;
	}
	if (!j || !session_snap(a->s)->complete)
		return false;
	job_cancel(j);
	app_message(a, ST_WARN, "cancelled");
	return true;
}

static bool leave_search(struct app *a)
{
	if (a->search.find) {
		app_message(a, ST_DIM, "search for %s ended", regex_pattern(a->search.find));
		app_search(a, NULL);
		return true;
	}
	if (a->search.grep) {
		app_message(a, ST_DIM, "all lines, not only those with %s", regex_pattern(a->search.grep));
		app_grep(a, NULL);
		return true;
	}
	return false;
}

/* Undo the last step if it set a filter; if it set any part of the query and also opened this pane, leave that too. */
static bool leave_filter(struct app *a)
{
	const struct app_history *n = &a->nav;
	const struct undo *last = n->undone ? &n->undo[n->undone - 1] : NULL;
	bool opened = last && last->joined && last->after.pane == a->cur;
	if (!opened && !(last && last->query && session_last_set_filter(a->s)))
		return false;
	const char *from = pane_now(a)->name;
	if (opened)
		app_undo(a);
	app_undo(a);
	a->in.did = CMD_UNDO;
	if (opened)
		app_message(a, ST_DIM, "back from %s to %s, with the filters of before (^R returns)", from, pane_now(a)->name);
	else
		app_message(a, ST_DIM, "filter removed (^R sets it again)");
	return true;
}

/* Leave a level of the pane, or its zoom. */
static bool leave_level(struct app *a)
{
	struct ask ask = {.kind = ASK_NONE, .place = PLACE_NONE};
	const struct pane_ops *p = pane_now(a);
	struct view before = app_view(a);
	bool zooms = p->bit & (P_FLAME | P_TIME);
	enum verdict v = pane_act(p, state_now(a), &a->env, &(struct act){CMD_BACK, 0, NULL}, &ask);
	if (v == V_PASS && p->bit == P_TIME)
		pane_act(p, state_now(a), &a->env, &(struct act){CMD_ZOOM_ALL, 0, NULL}, &ask);
	struct view after = app_view(a);
	if (v == V_PASS && view_same_zoom(&before, &after))
		return false;
	app_message(a, ST_DIM, zooms ? "zoomed out (u zooms in again)" : "one level up in %s", p->name);
	return true;
}

/* Drop the selection that was carried into the pane, or that was made on the timeline. */
static bool leave_selection(struct app *a)
{
	struct ask ask = {.kind = ASK_NONE, .place = PLACE_NONE};
	const struct act act = {CMD_CANCEL, 0, "selection"};
	if (!(pane_now(a)->bit & (P_TIME | P_WHY | P_TASK)) ||
	    pane_act(pane_now(a), state_now(a), &a->env, &act, &ask) == V_PASS)
		return false;
	app_handle_ask(a, &ask);
	return true;
}

static bool leave_pane(struct app *a)
{
	const char *from = pane_now(a)->name;
	if (!app_back(a))
		return false;
	app_message(a, ST_DIM, "back from %s to %s", from, pane_now(a)->name);
	return true;
}

void app_leave(struct app *a)
{
	bool timeline = pane_now(a)->bit == P_TIME;	/* its selection is kept while it is zoomed */
	if (pane_now(a)->bit == P_HELP)
		app_back(a);
	else if (!leave_work(a) && !leave_search(a) && !leave_filter(a) && !(!timeline && leave_selection(a)) &&
		 !(app_leads_back(a) && leave_pane(a)) && !leave_level(a) && !(timeline && leave_selection(a)) &&
		 !leave_pane(a)) {
		struct job *j = session_job(a->s);
		if (j) {
			job_cancel(j);
			app_message(a, ST_WARN, "loading cancelled: showing what has been read");
		} else {
			app_message(a, ST_DIM, "this is the first place: q quits");
		}
	}
}
