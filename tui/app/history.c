/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Jump list, undo and marks. These are separate: the jump list (^O, q) has the positions visited,
 * undo (u) the changes, marks the named positions. The query has its own undo, which the session
 * keeps. A step of undo is either a step of the session's query, or the positions before and after
 * a change of zoom, a change of pane, or a jump (to the end, to a match, to a cause). Small cursor
 * movements are no steps; otherwise `u` would undo ten j before the intended zoom.
 */
#include "config.h"
#include "app/internal.h"

#include "base/mem/mem.h"

#include <string.h>

struct view app_view(const struct app *a)
{
	struct view v = {.pane = a->cur};
	if (state_now(a))
		pane_save(pane_now(a), state_now(a), &a->env, &v);
	return v;
}

void app_restore_view(struct app *a, const struct view *v)
{
	a->env.going = pane_has_view(panes[v->pane]);
	app_show_pane(a, v->pane);
	a->env.going = false;
	/* a place that was still to be shown is not wanted any more */
	bool loads = pane_load(pane_now(a), state_now(a), &a->env, v) && app_has_pending(a);
	a->nav.later = loads ? (struct later){.load = true, .pane = v->pane, .view = *v} : (struct later){0};
}

void app_switch_pane(struct app *a, int i)
{
	a->nav.jump[a->nav.jump_at] = app_view(a);
	if (a->nav.jump_at + 1 == JUMPS_MAX)
		memmove(a->nav.jump, a->nav.jump + 1, sizeof *a->nav.jump * (size_t)a->nav.jump_at--);
	a->nav.njump = ++a->nav.jump_at + 1;
	app_show_pane(a, i);
	a->nav.jump[a->nav.jump_at] = app_view(a);
}

bool app_back(struct app *a)
{
	if (!a->nav.jump_at && pane_now(a)->bit == P_HELP) {	/* the file was read again since help was opened */
		app_show_pane(a, app_default_pane(a));
		return true;
	}
	if (!a->nav.jump_at)
		return false;
	if (pane_now(a)->bit == P_HELP) {	/* help changes nothing, and is no position to go forward to */
		a->nav.njump = a->nav.jump_at--;
		app_show_pane(a, a->nav.jump[a->nav.jump_at].pane);
		return true;
	}
	a->nav.jump[a->nav.jump_at--] = app_view(a);
	app_restore_view(a, &a->nav.jump[a->nav.jump_at]);
	return true;
}

void app_forward(struct app *a)
{
	if (a->nav.jump_at + 1 >= a->nav.njump) {
		app_message(a, ST_DIM, "this is the newest place");
		return;
	}
	a->nav.jump[a->nav.jump_at++] = app_view(a);
	app_restore_view(a, &a->nav.jump[a->nav.jump_at]);
}

/* ---- undo */

void app_push_undo(struct app *a, const struct undo *u)
{
	if (a->nav.undone == UNDOS_MAX) {
		memmove(a->nav.undo, a->nav.undo + 1, sizeof *a->nav.undo * (UNDOS_MAX - 1));
		a->nav.undone--;
	}
	a->nav.undo[a->nav.undone++] = *u;
	a->nav.nundo = a->nav.undone;
}

/* Undo or redo of a step between panes moves in the jump list too; otherwise the way back would lead to the
   current position. */
static void move_jump_list(struct app *a, const struct view *from, const struct view *to, int by)
{
	int at = a->nav.jump_at + by;
	if (from->pane == to->pane || at < 0 || at >= a->nav.njump || a->nav.jump[at].pane != to->pane)
		return;
	a->nav.jump[a->nav.jump_at] = app_view(a);
	a->nav.jump_at = at;
}

void app_undo(struct app *a)
{
	if (!a->nav.undone) {
		app_message(a, ST_DIM, "nothing to undo");
		return;
	}
	const struct undo *u = &a->nav.undo[--a->nav.undone];
	if (u->query) {		/* restore the cursor too, if the pane is the same */
		session_undo(a->s);
		app_update(a);
		if (u->before.pane == a->cur)
			app_restore_view(a, &u->before);
	} else {
		move_jump_list(a, &u->after, &u->before, -1);
		app_restore_view(a, &u->before);
	}
	app_update(a);
}

void app_redo(struct app *a)
{
	if (a->nav.undone == a->nav.nundo) {
		app_message(a, ST_DIM, "nothing to redo");
		return;
	}
	const struct undo *u = &a->nav.undo[a->nav.undone++];
	if (u->query) {
		session_redo(a->s);
	} else {
		move_jump_list(a, &u->before, &u->after, 1);
		app_restore_view(a, &u->after);
	}
	app_update(a);
}

/* Return whether a command is a jump, so that the cursor movement is a step of undo. */
static bool is_jump_command(enum cmd_id c)
{
	static const enum cmd_id not[] = {CMD_NONE, CMD_RIGHT, CMD_LEFT, CMD_HELP, CMD_SORT, CMD_TAG};
	for (size_t i = 0; i < sizeof not / sizeof *not; i++)
		if (not[i] == c)
			return false;
	return c == CMD_FIRST || c == CMD_LAST || strcmp(cmds[c].group, "move") != 0;
}

/* Called after each key: record a step if the key changed the position. */
void app_record_move(struct app *a, const struct view *before)
{
	struct view after = app_view(a);
	bool moved = after.pane != before->pane;
	bool back = a->in.did == CMD_BACK || a->in.did == CMD_CANCEL || a->in.did == CMD_JUMP_BACK || a->in.did == CMD_JUMP_NEXT;
	if (a->prompt.cmd || a->in.did == CMD_UNDO || a->in.did == CMD_REDO || (moved && back) ||
	    panes[after.pane]->bit == P_HELP || panes[before->pane]->bit == P_HELP)
		return;
	if (a->in.queried && !moved) {	/* the query is the step, and its effect on the cursor is part of it */
		if (a->nav.undone && a->nav.undo[a->nav.undone - 1].query)
			a->nav.undo[a->nav.undone - 1].before = *before;
		return;
	}
	bool jumped = is_jump_command(a->in.did) && a->in.did != CMD_ZOOM_IN && a->in.did != CMD_ZOOM_OUT &&
		      a->in.did != CMD_JUMP_MARK && !view_same(before, &after);
	if ((moved && a->in.did != CMD_JUMP_MARK) || jumped) {	/* position of the '' mark */
		a->nav.mark[26] = *before;
		a->nav.marked[26] = true;
	}
	if (moved || !view_same_zoom(before, &after) || (is_jump_command(a->in.did) && !view_same(before, &after)))
		app_push_undo(a, &(struct undo){.joined = a->in.queried && moved, .before = *before, .after = after});
}

/* ---- marks */

static int mark_index(char c)
{
	return c == '\'' ? 26 : c == '"' ? 27 : c >= 'a' && c <= 'z' ? c - 'a' : -1;
}

void app_mark(struct app *a, char letter, const char *text)
{
	int i = mark_index(letter);
	if (i < 0 || i == 27) {
		app_message(a, ST_WARN, "marks are letters a to z");
		return;
	}
	struct buf b = {0};
	if (!text)
		pane_put_detail(pane_now(a), state_now(a), &a->env, &b);
	a->nav.mark[i] = app_view(a);
	a->nav.marked[i] = true;
	mem_free(a->nav.mark_text[i]);
	a->nav.mark_text[i] = xstrdup(text ? text : buf_str(&b));
	buf_free(&b);
	if (i < 26)
		app_message(a, ST_DIM, "mark %c set: '%c goes back here, :marks lists all", letter, letter);
}

void app_jump_mark(struct app *a, char letter)
{
	int i = mark_index(letter);
	if (i < 0 || !a->nav.marked[i]) {
		if (i < 0)
			app_message(a, ST_WARN,
			    "marks are letters a to z, ' (the previous place) and \" (the last view of the file)");
		else if (i == 26)
			app_message(a, ST_WARN, "no previous place");
		else if (i == 27)
			app_message(a, ST_WARN,
			    "no last view of this file");
		else
			app_message(a, ST_WARN, "no mark %c: m%c sets it", letter, letter);
		return;
	}
	struct view to = a->nav.mark[i];
	a->nav.mark[26] = app_view(a);
	a->nav.marked[26] = true;
	if (i == 27) {
		view_file_restore(a);
		return;
	}
	if (to.pane != a->cur)
		app_switch_pane(a, to.pane);
	app_restore_view(a, &to);
}
