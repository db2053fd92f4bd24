/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Report when a key had no visible effect.
 *
 * Otherwise the user cannot distinguish a slow connection, a key without a meaning and the end of a
 * list. Each frame hashes the cells above the last line; if the hash is the same after exactly one
 * key whose command set no message, a message states the reason. The detail line, which also shows
 * messages, has its own hash, of the last frame without a message. Comparing screens needs no
 * support of the panes, so none can forget it. Moves up and down are excluded: at the end of a list
 * the cursor is visible, and a message would hide the detail of the row. Esc is never reported.
 *
 * After the first key of two (g, z, ', m), the possible second keys are listed.
 */
#include "config.h"
#include "app/internal.h"

#include <string.h>

/* Hash the rows from y to before end. */
static uint64_t hash_rows(const struct grid *g, int y, int end)
{
	uint64_t h = 1469598103934665603u;
	for (size_t i = (size_t)y * (size_t)g->cols; y < end && i < (size_t)end * (size_t)g->cols; i++) {
		const struct cell *c = &g->cell[i];
		h = (h ^ c->ch ^ (uint64_t)c->mark << 32) * 0x9e3779b97f4a7c15u;
		h = (h ^ c->fg ^ (uint64_t)c->bg << 8 ^ (uint64_t)c->attr << 16) * 1099511628211u;
		h ^= h >> 29;
	}
	return h;
}

/* Return why a command had no effect; NULL: report nothing. */
static const char *reason_text(const struct app *a, enum cmd_id c)
{
	switch (c) {
	case CMD_NONE: case CMD_UP: case CMD_DOWN: case CMD_PAGE_UP: case CMD_PAGE_DOWN: case CMD_HALF_UP:
	case CMD_HALF_DOWN: case CMD_FIRST: case CMD_LAST: case CMD_CANCEL: case CMD_REDRAW: case CMD_COUNT:
	case CMD_MARK: case CMD_JUMP_MARK: case CMD_COPY: case CMD_COPY_ALL: case CMD_COPY_VIEW: case CMD_SCREEN:
	case CMD_WRITE: case CMD_PIPE: case CMD_EDIT: case CMD_STOP: case CMD_FETCH: case CMD_SEARCH: return NULL;
	case CMD_NEXT: case CMD_PREV: case CMD_SEARCH_SEL: return a->search.find ? NULL : "no other match";
	case CMD_INLINED: return "no inlined functions in these lines";
	case CMD_LATENCY: return "requires a duration: >50ms, <10ms, 10ms..50ms";
	case CMD_INCLUDE: return "requires some of stw,background,assist,sweep";
	case CMD_FOLD: return "all lines have weight, or the source was not found";
	case CMD_CHAIN: return "is already shown";
	case CMD_LEFT: return "nothing more to the left";
	case CMD_RIGHT: return "nothing more to the right";
	case CMD_CENTRE: return "the line is in the middle, or all lines are shown";
	case CMD_ZOOM_IN: return "maximum zoom";
	case CMD_ZOOM_OUT: case CMD_ZOOM_ALL: return "everything is shown";
	case CMD_OPEN: return "nothing to open here";
	case CMD_NEXT_PART: case CMD_PREV_PART: return "all parts of this pane are shown";
	default: return panes[a->cur]->cmd == c ? "this is the current pane" : "changes nothing here";
	}
}

bool app_report_no_effect(struct app *a, const struct grid *g)
{
	if (session_weighing_job(a->s) || app_has_pending(a))	/* the effect is not visible yet */
		return false;
	int line = g->rows > 2 ? g->rows - 2 : 0;
	uint64_t now = hash_rows(g, 0, line), below = a->status.text[0] ? a->status.line : hash_rows(g, line, line + 1);
	bool one = a->status.keys == 1,
	     asks = a->prompt.cmd || a->pop.kind || a->in.ntyped || a->in.letter || a->in.count || a->wants.quit;
	const char *s = one && !asks && !a->status.text[0] && now == a->status.frame && below == a->status.line
			    ? reason_text(a, a->in.did)
			    : NULL;
	a->status.keys = 0;
	a->status.frame = now;
	a->status.line = below;
	if (s)
		app_message(a, ST_DIM, "%s: %s", cmds[a->in.did].name, s);
	return s != NULL;
}

/* Append the panes of this file in which a command exists. */
static void put_panes(const struct app *a, enum cmd_id c, struct buf *b)
{
	for (int i = 0; panes[i]; i++)
		if (app_pane_fits(a, i) && (cmds[c].panes & panes[i]->bit))
			buf_printf(b, "%s%s", b->n ? ", " : "", panes[i]->name);
}

void app_report_not_available(struct app *a, enum cmd_id c)
{
	struct buf b = {0};
	if ((cmds[c].panes & P_EVERY) != P_EVERY)
		put_panes(a, c, &b);
	if (b.n && !(cmds[c].panes & pane_now(a)->bit))
		app_message(a, ST_DIM, "%s is a command of %s, not available in %s (? lists "
		    "all)", cmds[c].name, buf_str(&b),
		    pane_now(a)->name);
	else
		app_message(a, ST_DIM, "%s: not available in %s (? lists all)", cmds[c].name, pane_now(a)->name);
	buf_free(&b);
}

/* Return whether a command needs goroutines, Ps, tasks or a time axis. */
bool app_is_trace_command(enum cmd_id c)
{
	switch (c) {
	case CMD_TIME: case CMD_GOROUTINE: case CMD_GROUP: case CMD_TASK: case CMD_REGION: case CMD_PROC:
	case CMD_OPERATION: case CMD_BLAME: case CMD_GOTO_TIME: case CMD_GOTO_G: case CMD_GOTO_P: case CMD_GOTO_TASK:
	case CMD_RAN:
		return true;
	default: return c && !(cmds[c].panes & ~(P_TIME | P_GOR | P_TASK | P_GC | P_EVENTS | P_FINDINGS | P_WHY |
	    P_BOARDS));
	}
}

/* List the bindings that start with the keys typed so far. */
void app_list_next_keys(struct app *a)
{
	struct buf b = {0};
	for (size_t i = 0; i < a->in.keys.n; i++) {
		const struct binding *k = &a->in.keys.row[i];
		const char *name = cmds[k->cmd].name;
		size_t n = a->in.ntyped;
		if (k->n <= n || memcmp(k->key, a->in.typed, n * sizeof *a->in.typed) ||
		    !(k->panes & pane_now(a)->bit) ||
		    (!session_is_trace(a->s) && app_is_trace_command((enum cmd_id)k->cmd)))
			continue;
		buf_puts(&b, b.n ? "  " : "");
		for (; n < k->n; n++)
			keys_print(k->key[n], &b);
		buf_printf(&b, " %s", !strncmp(name, "goto-", 5) ? name + 5 : name);
	}
	app_message(a, ST_DIM, "%s", buf_str(&b));
	buf_free(&b);
}

/* List the marks while the letter is awaited. */
void app_list_marks(struct app *a)
{
	struct buf b = {0};
	for (int i = 0; i < 26; i++)
		if (a->nav.marked[i])
			buf_printf(&b, " %c", 'a' + i);
	if (a->in.letter == CMD_MARK) {
		app_message(a, ST_DIM, "mark requires a letter from a to z%s%s", b.n ? "; set:" : "", buf_str(&b));
	} else {
		if (!b.n)
			buf_puts(&b, " no marks yet, m and a letter sets one");
		buf_printf(&b, "%s%s", a->nav.marked[26] ? "; ' the previous place" : "",
		    a->nav.marked[27] ? "; \" the last view of the file" : "");
		app_message(a, ST_DIM, "go to a mark:%s", buf_str(&b));
	}
	buf_free(&b);
}
