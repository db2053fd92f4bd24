/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BOARDS_INTERNAL_H
#define TTRACE_BOARDS_INTERNAL_H

#include "boards/board.h"
#include "boards/wait_sweep.h"

/* A board that is being made. */
struct board_maker {
	struct board_measures *m;
	const struct progress_watcher *on;
	struct board *to;
	size_t cap;
};
/* One function for each board; it stops early if the watcher does. */
void board_locks(struct board_maker *);
void board_channels(struct board_maker *);
void board_stops(struct board_maker *);
void board_greedy(struct board_maker *);
void board_leaks(struct board_maker *);
void board_gc_tax(struct board_maker *);

/* Add a row without values. The pointer is valid until the next row is added. */
struct board_row *board_add_row(struct board_maker *);
/* Set a value of a row of the column's unit. */
void board_put_int(struct board_row *, enum board_column_id, int64_t);
void board_put_float(struct board_row *, enum board_column_id, double);
void board_put_text(struct board_row *, enum board_column_id, const char *s, size_t n);	/* s outlives the board */
void board_put_word(struct board_row *, enum board_column_id, const char *constant);
void board_put_place(struct board_row *, enum board_column_id, stk_id);	/* 0: none */
/* Set a constant text that is shown instead of a value: why there is none. */
void board_put_reason(struct board_row *, enum board_column_id, const char *constant);
/* Add a part to n of at most BOARD_MERGED of one list, if there is room: to one of the same word and line, if any. */
enum { BOARD_MERGED = 64 };
void board_merge_part(const struct board_maker *, struct board_part *, uint32_t *n, const struct board_part *);
/* Sort merged parts, largest time first. Return how many to keep. */
uint32_t board_sort_parts(struct board_part *, uint32_t n);
/* Set the parts of a row: copies. */
void board_put_parts(struct board_maker *, struct board_row *, const struct board_part *, uint32_t n);

/* Some waits. t0..t1: the longest one, of g. Zero-initialise. */
struct board_waits { uint64_t n; int64_t ns, t0, t1; trk_id g; };
void board_waits_add(struct board_waits *, const struct wait_event *);

/* The start function of some goroutines, if all have the same one. */
struct board_group { str_id name; bool some, several; };
static inline void board_group_add(struct board_group *x, str_id name)
{
	x->several |= x->some && x->name != name;
	x->name = name;
	x->some = true;
}
static inline str_id board_group_name(const struct board_group *x) { return x->several ? 0 : x->name; }

/* A function of time in slots: add `weight` for the time [a, b). slot NULL: it is not wanted. */
struct board_curve { int64_t t0, t1; double *slot; };
struct board_curve board_curve_new(struct board_maker *);
void board_curve_add(struct board_curve *, int64_t a, int64_t b, double weight);

#endif
