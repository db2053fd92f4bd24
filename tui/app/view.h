/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_VIEW_H
#define TTRACE_APP_VIEW_H

#include "base/text/buf.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a pane shows: named numbers whose meaning is private to the pane. Undo, the jump list, marks,
 * saved views, `gy` and -at=@ keep views. A view is a value: no member is owned, and bytes that are
 * not used are 0.
 */
enum { VIEW_WORDS = 12, VIEW_NAME = 8 };
struct view_word { char name[VIEW_NAME]; int64_t value; };
struct view {
	int pane;
	/* The first nzoom words are the zoom, a change of which is a step of undo. The others are the cursor, which is
	   restored with it. */
	uint16_t nzoom, n;
	struct view_word word[VIEW_WORDS];
};

/* Append a word; 0, or TIME_NONE as a time, appends nothing. The words of the zoom come first. A name has at most 7
   bytes. */
void view_put_zoom(struct view *, const char *name, int64_t);
void view_put_zoom_time(struct view *, const char *name, int64_t);
void view_put_cursor(struct view *, const char *name, int64_t);
void view_put_cursor_time(struct view *, const char *name, int64_t);

/* Return the value of a word. It may come from a file, so any number is possible. */
int64_t view_get(const struct view *, const char *name);	/* 0: there is no such word */
int64_t view_get_time(const struct view *, const char *name);	/* TIME_NONE: there is no such word */
/* Return the value, or 0 if it is not in [0, end). */
int64_t view_get_below(const struct view *, const char *name, int64_t end);

bool view_same_zoom(const struct view *, const struct view *);	/* the pane is not compared */
bool view_same(const struct view *, const struct view *);	/* likewise */

/* Append the text: "level=1,group=7/row=3", without the pane; cursor: with the words of the cursor. */
void view_print(struct buf *, const struct view *, bool cursor);
/* Read such a text up to a blank, and keep the pane. Return the rest of the text, or NULL if it is not a view. */
const char *view_parse(const char *, struct view *);

#endif
