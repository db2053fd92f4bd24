/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_WIDGET_PROMPT_H
#define TTRACE_WIDGET_PROMPT_H

#include "base/text/buf.h"
#include "term/grid.h"

/*
 * A line editor with history. It does not know regular expressions or commands: its owner checks
 * the text after each PR_CHANGED and fills in completions.
 */
enum { PROMPT_MAX = 1000, HISTORY_MAX = 500 };

struct history {
	char **line;	/* oldest first */
	size_t n, cap;
};
void prompt_history_add(struct history *, const char *s);	/* not twice in a row; removes the oldest if full */
void prompt_history_free(struct history *);

struct prompt {
	char text[PROMPT_MAX + 1];
	size_t n, cur;			/* bytes; cur is at the first byte of a character */
	struct history *hist;
	size_t at;			/* displayed line of the history; hist->n: none */
	bool reverse;			/* ^R: searching for `find` in the history */
	char find[128];
	char stash[PROMPT_MAX + 1];	/* the text before the history was shown */
};

/* Start with a text; the history belongs to the caller, and may be NULL. */
void prompt_start(struct prompt *, const char *text, struct history *);
enum prompt_event { PR_NONE, PR_CHANGED, PR_DONE, PR_CANCEL, PR_COMPLETE };
enum prompt_event prompt_key(struct prompt *, int32_t key);
/* Replace bytes [from, cur) by s. */
void prompt_replace(struct prompt *, size_t from, const char *s);
/* Draw "label text" in line y; the cell of the cursor is reversed and has the focus. */
void prompt_draw(const struct prompt *, struct grid *, int y, const char *label, enum style);

#endif
