/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Convert keys and mouse events to commands.
 *
 * The keys typed so far and the pane determine the command (keymap_find). A prompt takes keys
 * first, then a popup (popup.c), then the help pane, which uses letters for its search. After each
 * key the positions before and after are compared; a change is a step of undo (app_record_move).
 *
 * A digit opens its pane, always: a count begins with # (#10j). Not taken: a digit as a pane and as
 * the start of a count, because then 4 and 0, the flame graph and all of it, is the count 40.
 */
#include "config.h"
#include "app/internal.h"

#include "base/text/text.h"

#include <string.h>

static void run_binding(struct app *a, const struct binding *b)
{
	struct act act = {(enum cmd_id)b->cmd, a->in.count, b->arg};
	a->in.count = 0;
	if (act.cmd == CMD_MARK || act.cmd == CMD_JUMP_MARK)
		a->in.letter = act.cmd, app_list_marks(a);
	else if (act.cmd == CMD_COUNT)
		a->in.counting = true;
	else
		app_act(a, &act);
}

/* Add a digit to the count that # began; return false if it is another key, or no count was begun. */
static bool key_digit(struct app *a, int32_t key)
{
	bool digit = a->in.counting && !a->in.ntyped && key >= '0' && key <= '9';
	if (digit && a->in.count < 100000000)
		a->in.count = a->in.count * 10 + (key - '0');
	a->in.counting = digit;
	return digit;
}

/* Report an unknown key, or the panes in which it has a meaning. */
static void no_key(struct app *a)
{
	struct buf name = {0}, where = {0};
	const struct binding *b;
	for (size_t i = 0; i < a->in.ntyped; i++)
		keys_print(a->in.typed[i], &name);
	for (int i = 0; panes[i]; i++)
		if (app_pane_fits(a, i) && panes[i]->bit != P_HELP && panes[i]->bit != P_INFO &&
		    keymap_find(&a->in.keys, a->in.typed, a->in.ntyped, panes[i]->bit, &b) == KM_FOUND)
			buf_printf(&where, "%s%s", where.n ? ", " : "", panes[i]->name);
	if (where.n)
		app_message(a, ST_DIM, "%s is a key of %s, not available in %s (? lists "
		    "all)", buf_str(&name), buf_str(&where),
		    pane_now(a)->name);
	else
		app_message(a, ST_DIM, "unknown key: %s (? lists all)", buf_str(&name));
	buf_free(&name);
	buf_free(&where);
}

/* Esc after keys that wait for another one, or after a count: drop them. Return false if there are none. */
static bool drop_keys(struct app *a)
{
	struct buf b = {0};
	app_put_pending(a, &b);
	if (b.n)
		app_message(a, ST_DIM, "dropped: %s", buf_str(&b));
	a->in.letter = CMD_NONE;
	a->in.ntyped = 0;
	a->in.count = 0;
	a->in.counting = false;
	buf_free(&b);
	return a->status.sticky;
}

static void key_command(struct app *a, int32_t key)
{
	const struct binding *b;
	if (key == '\n')
		key = KEY_RETURN;
	if (a->in.letter && key != KEY_ESC) {
		enum cmd_id what = a->in.letter;
		a->in.letter = CMD_NONE;
		if (what == CMD_MARK)
			app_mark(a, key < 128 ? (char)key : 0, NULL);
		else
			app_jump_mark(a, key < 128 ? (char)key : 0);
		return;
	}
	if (key == KEY_ESC && drop_keys(a))
		return;
	if (key_digit(a, key))
		return;
	a->in.typed[a->in.ntyped++] = key;
	switch (keymap_find(&a->in.keys, a->in.typed, a->in.ntyped, pane_now(a)->bit, &b)) {
	case KM_MORE: app_list_next_keys(a); return;
	case KM_FOUND:
		a->in.ntyped = 0;
		run_binding(a, b);
		return;
	case KM_NONE: break;
	}
	a->in.count = 0;
	no_key(a);
	a->in.ntyped = 0;
}

/* The help pane takes typed characters as its search, except the keys that move and leave. */
static bool key_help(struct app *a, int32_t key)
{
	if (pane_now(a)->bit != P_HELP || key >= KEYS_SPECIAL || (key < ' ' && key != '\b') ||
	    a->in.letter)
		return false;
	char u[8] = {0};
	if (key == KEY_BACKSPACE || key == '\b')
		u[0] = '\b';
	else
		u[text_encode_utf8((uint32_t)key, u)] = '\0';
	struct act act = {CMD_SEARCH, 0, u};
	struct ask ask = {.kind = ASK_NONE};
	return pane_act(pane_now(a), state_now(a), &a->env, &act, &ask) == V_DONE;
}

/* Does a key stop work, or quit, whatever an earlier key has asked for? */
static bool is_urgent(const struct app *a, int32_t key)
{
	const struct binding *b;
	if (key == KEY_ESC)
		return true;
	if (a->prompt.cmd || a->pop.kind || a->in.letter || a->in.ntyped || pane_now(a)->bit == P_HELP)
		return false;
	return keymap_find(&a->in.keys, &key, 1, pane_now(a)->bit, &b) == KM_FOUND &&
	    (b->cmd == CMD_QUIT || b->cmd == CMD_INTERRUPT);
}

bool app_key_waits(const struct app *a, int32_t key)
{
	return !is_urgent(a, key) && pane_answers_key(pane_now(a), state_now(a));
}

void app_key(struct app *a, int32_t key)
{
	if (key == KEY_ESC && copy_pane_cancel(a)) {
		app_message(a, ST_DIM, "stopped");
		return;
	}
	copy_pane_finish(a);
	if (app_key_waits(a, key))
		app_finish_pending(a);
	struct view before = a->prompt.cmd ? a->prompt.before : app_view(a);
	a->status.sticky = false;
	a->in.did = CMD_NONE;
	a->in.queried = false;
	a->in.keyed = true;
	a->todo &= ~(START_AT | START_LATER);	/* a key chooses a position */
	a->in.turned = false;
	if (write_file_answer(a, key))
		;
	else if (a->prompt.cmd)
		app_prompt_key(a, key);
	else if (a->pop.kind && app_pop_key(a, key))
		;
	else if (!key_help(a, key))
		key_command(a, key);
	if (!a->status.sticky) {
		a->status.text[0] = '\0';
		const char *stale = session_file_change_text(a->s), *file = session_file(a->s),
			   *slash = strrchr(file, '/');
		if (stale)
			app_message(a, ST_WARN, "%s %s: %s reads it again", slash ? slash + 1 : file, stale,
			    pane_now(a)->bit == P_FLAME ? "F5" : "r"); /* r merges from the leaves in the flame graph */
	}
	if (a->in.turned)		/* the old position belongs to another session */
		before = app_view(a);
	app_find_stay(a);
	app_record_move(a, &before);
	a->in.interrupted /= 2;
	app_update(a);
	arena_reset(&a->scratch);
}

/* Handle a drag: on the timeline it selects a range from where the button was pressed; elsewhere the selection
   follows the mouse. */
static void drag_mouse(struct app *a, int32_t key, int y, int x, struct ask *ask)
{
	const struct pane_ops *p = pane_now(a);
	bool time = p->bit == P_TIME;
	if (time && !a->in.dragging)
		app_act(a, &(struct act){CMD_RANGE, 0, NULL});
	a->in.dragging = true;
	pane_click(p, state_now(a), &a->env, time ? a->in.drag_y : y, x, false, ask);
	if (key != KEY_DROP)
		return;
	if (time)
		app_act(a, &(struct act){CMD_RANGE, 0, NULL});
	a->in.dragging = false;
}

/* A click on the head of a column sorts the table by it; if it is the sort column, it reverses the order. */
static bool click_head(struct app *a, int y, int x)
{
	struct grid *g = grid_new(a->env.rows, a->env.cols, a->env.ascii);
	pane_now(a)->draw(state_now(a), &a->env, g);
	const struct grid_head *found = grid_head_at(g, y, x);
	struct grid_head head = found ? *found : (struct grid_head){0};
	grid_free(g);
	if (found)
		app_act(a, &(struct act){head.sorted ? CMD_INVERT : CMD_SORT, 0, head.sorted ? NULL : head.word});
	return found != NULL;
}

static void press_button(struct app *a, int32_t key, int y, int x)
{
	struct ask ask = {.kind = ASK_NONE, .place = PLACE_NONE};
	if (y < 0 || y >= a->screen.rows - 4 || x >= a->env.cols - a->screen.shift || !pane_can_click(pane_now(a)) ||
	    app_too_small(a))
		return;
	x += a->screen.shift;
	if ((key == KEY_CLICK || key == KEY_CLICK2) && click_head(a, y, x))
		return;
	if (key == KEY_DRAG || key == KEY_DROP) {
		drag_mouse(a, key, y, x, &ask);
		return;
	}
	a->in.drag_y = y;
	a->in.dragging = false;
	a->search.finding.dir = a->search.finding.more = 0;
	pane_click(pane_now(a), state_now(a), &a->env, y, x, key == KEY_CLICK2, &ask);
	app_handle_ask(a, &ask);
	if (key == KEY_RCLICK)
		app_act(a, &(struct act){CMD_OPEN, 0, NULL});
}

/* Open the pane whose tab in the first line is clicked. */
static bool click_tab(struct app *a, int y, int x)
{
	int i = y == 0 ? app_tab_at(a, x) : -1;
	if (i >= 0 && i != a->cur)
		app_act(a, &(struct act){panes[i]->cmd, 0, NULL});
	return i >= 0;
}

void app_click(struct app *a, int32_t key, int y, int x)
{
	static const struct {
		int32_t key;
		enum cmd_id cmd;
		int count;
	} wheel[] = {{KEY_WHEEL_UP, CMD_UP, 3}, {KEY_WHEEL_DOWN, CMD_DOWN, 3},
	    {KEY_ZOOM_UP, CMD_ZOOM_IN, 0}, {KEY_ZOOM_DOWN, CMD_ZOOM_OUT, 0}};
	copy_pane_finish(a);
	app_finish_pending(a);
	struct view before = app_view(a);
	bool wheeled = false;
	a->status.sticky = false;
	a->in.did = CMD_NONE;
	a->in.queried = false;
	if (a->pop.kind && app_pop_click(a, y, key == KEY_CLICK2))
		return;
	for (size_t i = 0; i < sizeof wheel / sizeof *wheel && !a->prompt.cmd; i++)
		if (wheel[i].key == key) {
			if (wheel[i].cmd != CMD_UP && wheel[i].cmd != CMD_DOWN && pane_now(a)->bit == P_TIME)
				press_button(a, KEY_CLICK, y - 2, x);	/* zoom at the pointer */
			app_act(a, &(struct act){wheel[i].cmd, wheel[i].count, NULL});
			wheeled = true;
		}
	if (!wheeled && !a->prompt.cmd && !(key == KEY_CLICK && click_tab(a, y, x)))
		press_button(a, key, y - 2, x);
	if (!a->status.sticky)
		a->status.text[0] = '\0';
	app_record_move(a, &before);
	app_update(a);
	arena_reset(&a->scratch);
}
