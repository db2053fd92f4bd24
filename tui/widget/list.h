/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_WIDGET_LIST_H
#define TTRACE_WIDGET_LIST_H

#include "app/command.h"
#include "base/text/regex.h"
#include "term/grid.h"

/*
 * The one list widget: which row is selected, which are in view, columns, a
 * scrollbar. It holds numbers only; what a row says is asked of its owner while
 * drawing. Zero-initialise; list_set_count() whenever the number of rows changes.
 */
struct rows {
	uint32_t n, sel, top;	/* sel < n unless n is 0 */
	int h; /* rows in view at the last act; drawing copes with another height */
};

void list_set_count(struct rows *, uint32_t n);		/* keeps the selection where it can */
void list_select(struct rows *, uint32_t sel);
/* Moves (down, up, page, half, first, last, centre) on a list that shows h rows. false: not one of
 * them. */
bool list_move(struct rows *, const struct act *, int h);
/* The first row in view when h are shown. */
uint32_t list_first_row(const struct rows *, int h);
/* Select the row under a click at line y of the list; false: there is none. */
bool list_click(struct rows *, int y, int h);

/* Draw row i at line y of the grid, whose clip rectangle is the list. */
typedef void list_row_fn(const void *arg, struct grid *, int y, uint32_t i);
struct list_options {
	bool unfocused;		/* the selection belongs to another part: mark it faintly */
	const uint8_t
	    *hit; /* NULL, or per row: it is a hit of the search (ticks on the scrollbar) */
};
/* Into the clip rectangle: the rows, the selection (`>` in column 0, its background, and the focus), the
   scrollbar in the last column when not all rows are in view. Rows start at column 1. */
void list_draw_rows(
    const struct rows *, struct grid *, list_row_fn *, const void *arg, const struct list_options *);

/* Columns: a table's heads and where its cells go. */
struct list_column {
	const char *head;
	int width;		/* 0: all that is left */
	bool right;		/* numbers */
	int8_t sort;		/* 0; the list is sorted by it: 1 ascending, -1 descending */
	uint8_t leave; /* it is shown where the column of width 0 keeps so many cells, LIST_LEAVE if this is less */
	uint8_t grow;		/* cells that it may take besides when that one has more than LIST_ENOUGH */
	const char *word;	/* NULL, or what `sort` calls it: a click on the head sorts by it; not freed while drawn */
};
enum { LIST_LEAVE = 16, LIST_ENOUGH = 40 };
/* x and width of each column for a list of w cells. Columns that do not fit into `choose` cells (at most w) get x = -1:
   those on the right first, never the first one, that of width 0, nor the one that the list is sorted by. So a list
   that is wider has the same columns and more. */
void list_layout_columns(const struct list_column *, int n, int choose, int w, int *x, int *width);
void list_draw_header(
    struct grid *, int y, const struct list_column *, int n, const int *x, const int *width);

/* Marks in r what the search finds in the text shown there. */
void list_mark_hits(struct grid *, struct rect r, const struct regex *);

#endif
