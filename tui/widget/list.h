/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_WIDGET_LIST_H
#define TTRACE_WIDGET_LIST_H

#include "app/command.h"
#include "base/text/regex.h"
#include "term/grid.h"

/*
 * The list widget: the selected row, the visible rows, columns, a scrollbar. It only stores
 * numbers; the owner draws the rows. Zero-initialise; call list_set_count() when the number of rows
 * changes.
 */
struct rows {
	uint32_t n, sel, top;	/* sel < n unless n is 0 */
	int h; /* visible rows at the last act; drawing handles another height */
	uint32_t made;		/* counts the calls that replaced the rows: see struct list_hits */
};

/* The rows have been made again, n of them; keeps the selection if possible. */
void list_set_count(struct rows *, uint32_t n);
void list_reset(struct rows *, uint32_t n);		/* likewise, and select the first */
void list_set_height(struct rows *, int h);
void list_select(struct rows *, uint32_t sel);
/* Handle a move (down, up, page, half, first, last, centre) in a list with h visible rows. false: not a move. */
bool list_move(struct rows *, const struct act *, int h);
/* Return the first visible row when h rows are shown. */
uint32_t list_first_row(const struct rows *, int h);
/* Select the row at line y of the list; false: there is none. */
bool list_click(struct rows *, int y, int h);

/* Draw row i at line y of the grid, whose clip rectangle is the list. */
typedef void list_row_fn(const void *arg, struct grid *, int y, uint32_t i);
struct list_options {
	bool unfocused;		/* the selection belongs to another part: mark it faintly */
	const uint8_t
	    *hit; /* NULL, or per row: it is a match of the search (marked on the scrollbar) */
};
/* Draw into the clip rectangle: the rows, the selection (`>` in column 0, its background, and the focus), the
   scrollbar in the last column if not all rows are visible. Rows start at column 1. */
void list_draw_rows(
    const struct rows *, struct grid *, list_row_fn *, const void *arg, const struct list_options *);

/* Columns: the headings of a table, what its cells need, and their positions. */
enum list_content {
	LIST_NUMBER,	/* at the right of its cell, never cut */
	LIST_TEXT,	/* at the left, cut with a mark */
	LIST_PICTURE	/* a bar or a strip, of any width */
};
/* When a column is shown as the list gets wider; of those that are alike, the left ones first. */
enum list_drop {
	LIST_KEPT,	/* always */
	LIST_FIRST,	/* when all before it have their least width */
	LIST_THEN,	/* when all of LIST_FIRST have the width that they want */
	LIST_LAST	/* when a side part has its least width, too */
};
struct list_column {
	const char *head;
	uint8_t least, want;	/* cells; want 0: the same */
	uint8_t content, drop;	/* enum list_content, enum list_drop */
	uint8_t weight;		/* its share of free cells, also of those until it has what it wants; 0: none */
	const char *word; /* NULL, or its name for :sort, used by a click on the heading; must outlive the drawing */
	int8_t sort;		/* 0; the sort column, which is always shown: 1 ascending, -1 descending */
	uint8_t most;	/* a text gets no more free cells; 0: as many as it wants */
};
enum { LIST_SIDE_LEAST = 40, LIST_SIDE_WANT = 60, LIST_SIDE_GAP = 2, LIST_NAME_WANT = 60 };
/* Get x and width of each column for a list of w cells; x = -1: not shown. Each cell of the width goes to one column, in
   an order that does not depend on w: no column gets narrower or disappears in a wider list. */
void list_layout_columns(const struct list_column *, int n, int w, int *x, int *width);
/* Return how many of w cells belong to a list that has a side part on its right; *wants: how many it gets before the
   side part is shown, which is not if that is the result. */
int list_cells_beside(const struct list_column *, int n, int w, int *wants);
/* Let a column of texts want what its rows need, within its own want: of n rows, whose texts draw() draws at the left of a
   line. The first rows and some others are measured, whichever are in view, so scrolling does not move columns. The width is
   rounded up, so most orders of a list have the same. */
enum { LIST_TEXT_MOST = 120 };
void list_want_text(struct list_column *, uint32_t n, list_row_fn *draw, const void *arg, bool ascii);
void list_draw_header(
    struct grid *, int y, const struct list_column *, int n, const int *x, const int *width);

/* Change a set of columns, a bit each, by the words of :columns: "flat,cum" are all that there are then; "+bar" or "bar"
   alone, "-bar" add, remove, toggle one. find() returns the index of a name of n bytes, or -1. shown: the columns that are
   shown now. Return false, with *set as it was, if a word names no column. */
typedef int list_find_column_fn(const void *arg, const char *name, size_t n);
bool list_choose_columns(
    const char *words, list_find_column_fn *, const void *arg, uint64_t shown, uint64_t *set);

/* Mark the matches of an expression in the text in r. */
void list_mark_hits(struct grid *, struct rect r, const struct regex *);

/* The rows that match a search. They are valid for one expression and until the rows are made again. */
struct list_hits {
	uint8_t *at;		/* per row: it matches; NULL: nothing was searched */
	uint32_t n;		/* how many match */
	char *text;		/* the expression */
	const struct rows *rows;	/* the rows that were searched; NULL: the entries of `at` are not rows */
	uint32_t made;		/* rows->made when they were searched */
};
/* Start a search of n entries, all of which are 0. No expression (NULL): there are no entries. */
void list_hits_begin(struct list_hits *, const struct rows *, const struct regex *, size_t n);
bool list_hits_are_current(const struct list_hits *, const struct rows *, const struct regex *);
/* Return the marks for struct list_options; NULL: they are not of these rows and this expression. */
const uint8_t *list_hits_marks(const struct list_hits *, const struct rows *, const struct regex *);
void list_hits_free(struct list_hits *);
/* Select the next match (dir 1), the previous one (-1), or the first from the cursor on (2); 0 does not move. Return the
   number of matches; *at: the index of the selected one from 1, or 0: none. */
uint32_t list_hits_step(const struct list_hits *, struct rows *, int dir, uint32_t *at);

#endif
