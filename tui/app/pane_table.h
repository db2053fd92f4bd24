/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_PANE_TABLE_H
#define TTRACE_APP_PANE_TABLE_H

#include "app/pane.h"
#include "base/async.h"
#include "widget/brush.h"
#include "widget/list.h"

/*
 * A table of a pane: items that the pane numbers from 0, and the rows that show them. The pane describes an item by the
 * functions of a kind, which is constant; the table sorts, filters by `&`, draws and keeps the selection. A pane shows it
 * by returning pane_table_part() as its list (struct list_ops). st is the pane's state.
 *
 * If items have durations, `v` shows the histogram of the items below the rows, and a range of its bars limits the rows
 * (widget/brush.h). The limit is a filter on the table: pane.c writes it among the filters, Esc removes it.
 */
struct pane_table_column {
	const char *head;
	uint8_t least, want, content, drop, weight;	/* as those of struct list_column */
	const char *word;	/* for :sort; a column without it does not sort */
	const char *what;	/* its text in the menu of s */
	bool up;		/* ascending unless inverted: names, numbers, times. Durations and counts: descending */
};
/* Columns that belong together, by bits, for the menu of e. */
struct pane_table_set { const char *name, *what; uint64_t cols; };
struct pane_table_kind {
	const struct pane_table_column *cols;
	int ncol, sort;		/* number of columns; the initial sort column */
	/* Append the text of an item, for `/` and `&`. */
	void (*text)(const void *st, const struct pane_env *, uint32_t item, struct buf *);
	/* Draw a cell, w cells wide: the clip rectangle. */
	void (*cell)(const void *st, const struct pane_env *, struct grid *, int w, uint32_t item, int col);
	/* NULL, or change headings and widths for what the pane shows; sizes and order of c stay. */
	void (*heads)(const void *st, const struct pane_env *, struct list_column *c);
	/* Compare by a column: times sign, which is -1 in a descending order, except for items without a value, which
	   come last in both. Equal items stay in the order of their numbers. */
	int (*compare)(const void *st, const struct pane_env *, int col, int sign, uint32_t a, uint32_t b);
	/* For tables of very many items, instead of compare(): return a key that is in the ascending order of a column
	   (base/radix_sort.h). Many items are ordered by a worker, which calls key() and duration() until
	   pane_table_take() or pane_table_stop(); the pane does not change what these read. */
	uint64_t (*key)(const void *st, int col, uint32_t item);
	int64_t (*id)(const void *st, uint32_t item);	/* by which the selection is kept when items change; NULL: item */
	bool (*shown)(const void *st, const struct pane_env *, uint32_t item);	/* NULL: all items */
	bool all;		/* `&` leaves out no item */
	/* NULL, or the duration of an item in ns, negative: it has none. */
	int64_t (*duration)(const void *st, uint32_t item);
	/* NULL, or sets for :columns, the last one without a name: then the user can choose columns, by the words for :sort.
	   By default, those are shown that fit. */
	const struct pane_table_set *sets;
};
enum { PANE_TABLE_COLS = 32 };
struct pane_table {
	const struct pane_table_kind *kind;
	struct rows rows;
	struct list_hits hits;
	uint32_t n;		/* items */
	uint32_t *item;		/* of each row */
	struct brush brush;
	int sort;		/* a column */
	bool invert;
	uint64_t cols;		/* the chosen columns; 0: the default */
	int64_t sel;		/* id of the selected item; -1: none yet */
	struct async order;	/* the order that a worker makes; the rows are the old ones, or none if items have changed */
};

void pane_table_open(struct pane_table *, const struct pane_table_kind *);	/* of a zeroed table */
void pane_table_free(struct pane_table *);
/* Show the items [0, n) that the kind and `&` leave, in the order of the sort column; keeps the selected item. For
   update(), and whenever items have changed. If a worker orders them (pane_table_kind.key), there are no rows until
   pane_table_take(), which the pane calls when the job of `order` has ended (pane_ops.work). */
void pane_table_fill(struct pane_table *, const void *st, const struct pane_env *, uint32_t n);
void pane_table_take(struct pane_table *, const void *st);
/* Stop the worker, before items change. */
void pane_table_stop(struct pane_table *);
/* Return the selected item; UINT32_MAX: there are no rows. */
uint32_t pane_table_selected(const struct pane_table *);
void pane_table_select_row(struct pane_table *, const void *st, uint32_t row);
bool pane_table_select(struct pane_table *, const void *st, int64_t id);	/* false: no row has this id */
/* Return how many of the w cells of a screen belong to the table if there may be a side part; *choose: how many of these
   it may use. */
int pane_table_cells_beside(const struct pane_table *, const void *st, const struct pane_env *, int w, int *choose);
/* Draw the heading at line y and h rows below it. unfocused: the selection belongs to another part of the pane. */
void pane_table_draw(
    const struct pane_table *, const void *st, const struct pane_env *, struct grid *, int y, int h, bool unfocused);
/* The list of a pane whose table has its heading at line y and h rows below it. */
struct list_part pane_table_part(struct pane_table *, int y, int h);
/* Return the option of reports for this order, "-sort=-duration"; NULL: it is the initial one. */
const char *pane_table_sort_option(const struct pane_table *, struct arena *);

/* Return the columns that are shown if there is room: the chosen ones, that of the remaining width and the sort column. */
uint64_t pane_table_columns(const struct pane_table *);
/* For pane.c. Choose columns by the argument of :columns (NULL: the default). */
enum verdict pane_table_choose_columns(struct pane_table *, const char *arg, struct ask *);
int pane_table_column_choices(const struct pane_table *, struct choice *);	/* for the menu of e; 0: fixed columns */
/* Handle the commands of the histogram; BRUSH_PASS: another command, or no item has a duration. */
enum brush_verdict pane_table_brush(struct pane_table *, const void *st, const struct pane_env *, const struct act *);
/* Sort by choice `by` of the menu of s, and select the first row; -1: reverse the order. */
void pane_table_sort(struct pane_table *, const void *st, const struct pane_env *, int by);
int pane_table_choices(const struct pane_table *, struct choice *);
void pane_table_note_selection(struct pane_table *, const void *st);
/* The view of a table: its order, its limit and its selected item. A pane with a view of its own calls
   pane_table_save_limit() before it puts cursor words, then pane_table_save(). Loading accepts any values. */
void pane_table_save_limit(const struct pane_table *, struct view *);
void pane_table_save(const struct pane_table *, struct view *);
void pane_table_load(struct pane_table *, const void *st, const struct pane_env *, const struct view *);

#endif
