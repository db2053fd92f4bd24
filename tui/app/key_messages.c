/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Messages about keys: which can follow the first key of two (g, z, ', m), and where a command that is not available in
 * this pane is available. A command that changes nothing reports that itself (pane_message()). Not taken: to compare the
 * frame with the one before, because a key may have an effect that is not on the screen.
 */
#include "config.h"
#include "app/internal.h"

#include <string.h>

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
	else if (c == CMD_ZOOM_ALL)	/* 10j was a count once */
		app_message(a, ST_DIM, "zoom-all: not available in %s; a count begins with #: #10j", pane_now(a)->name);
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

void app_put_pending(const struct app *a, struct buf *b)
{
	if (a->in.count)
		buf_printf(b, "#%d", a->in.count);
	else if (a->in.counting)
		buf_puts(b, "#");
	for (size_t i = 0; i < a->in.ntyped; i++)
		keys_print(a->in.typed[i], b);
	if (a->in.letter)
		buf_putc(b, a->in.letter == CMD_MARK ? 'm' : '\'');
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
