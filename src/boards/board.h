/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BOARDS_BOARD_H
#define TTRACE_BOARDS_BOARD_H

#include "boards/measures.h"

/*
 * A board is a table about one thing that makes goroutines wait: locks, channels, stops of the world. boards.def has
 * its columns; a report and a pane show any board. A row links to what it counts: a goroutine and a time range.
 */
enum board_id {
#define BOARD(id, name, title, curve, purpose) BOARD_##id,
#define BOARD_COLUMN(board, id, key, title, head, width, unit, what)
#include "boards/boards.def"
#undef BOARD
#undef BOARD_COLUMN
	BOARD__N
};
enum board_column_id {
#define BOARD(id, name, title, curve, purpose)
#define BOARD_COLUMN(board, id, key, title, head, width, unit, what) BOARD_##board##_##id,
#include "boards/boards.def"
#undef BOARD
#undef BOARD_COLUMN
	BOARD_COLUMN__N
};
enum board_unit {
	BOARD_COUNT,	/* whole numbers */
	BOARD_NS,
	BOARD_NUMBER,	/* a mean, a rate */
	BOARD_SHARE,	/* 1 is the whole */
	BOARD_ESTIMATE,	/* a share that is estimated from samples */
	BOARD_WORD,	/* a constant text */
	BOARD_NAME,	/* bytes as in the file */
	BOARD_PLACE	/* a stack, shown by its first user frame */
};
struct board_column {
	enum board_id board;
	const char *key, *title, *head;
	int width;
	enum board_unit unit;
	const char *what;
};
struct board_kind { const char *name, *title, *curve, *purpose; };
extern const struct board_kind board_kinds[BOARD__N];
extern const struct board_column board_columns[BOARD_COLUMN__N];
int board_find(const char *name, size_t n);		/* -1: there is none of that name */
/* The columns of a board follow one another. */
enum board_column_id board_first_column(enum board_id);
uint32_t board_count_columns(enum board_id);

/* A value. !some: there is none, which is less than any other; s may have the reason, "(no stack)", else NULL. */
struct board_cell {
	union {
		int64_t i;		/* BOARD_COUNT, BOARD_NS */
		double f;		/* BOARD_NUMBER, BOARD_SHARE, BOARD_ESTIMATE */
		const char *s;		/* BOARD_WORD, BOARD_NAME: n bytes */
		stk_id stack;		/* BOARD_PLACE */
	};
	uint32_t n;
	bool some;
};
/* What a row consists of: a list of parts, largest first; several lists follow one another. */
struct board_part {
	const char *list, *word;	/* constants; list: what it is a part of; word: a class of time, or "" */
	bool approximate;		/* ns was estimated from samples */
	int64_t ns;			/* ns or count may be 0: not counted */
	uint64_t count;
	stk_id stack;			/* 0: unknown */
	trk_id g;			/* a goroutine that shows it, 0: none, and when; TIME_NONE: unknown */
	int64_t t0, t1;
};
enum { BOARD_SLOTS = 120, BOARD_PARTS = 12 };
struct board_row {
	const struct board_cell *cell;	/* by column */
	trk_id trk;			/* a goroutine that shows it, 0: none, ... */
	int64_t t0, t1;			/* ... and when */
	stk_id stack;			/* its place in the source; 0: unknown */
	str_id group;			/* start function of the goroutines that it is about; 0: several, or unknown */
	const double *curve;		/* NULL, or BOARD_SLOTS means over the time range */
	const struct board_part *part;
	uint32_t nparts;
};
struct board {
	enum board_id id;
	int64_t t0, t1;			/* the time range */
	const char *limit;		/* NULL, or why the trace cannot tell lines of functions */
	struct board_row *v;		/* largest first */
	uint32_t n;
	struct arena mem;		/* of all of it */
};
/* What a board reads of its measures besides the time range: a scan with its groups, for which it is enough to know
   idle waits (operations_find_idle()); operations and their walker. */
enum { BOARD_NEEDS_SCAN = 1, BOARD_NEEDS_PATHS = 2 };
unsigned board_needs(enum board_id);
/* Make a board. Return NULL if the watcher stops it. Free it with board_free(). Any thread, one at a time with the same
   measures. */
struct board *board_make(enum board_id, struct board_measures *, const struct progress_watcher *);
void board_free(struct board *);	/* may be NULL */
/* Order two cells of a column, ascending. */
int board_compare(const struct store *, enum board_column_id, const struct board_cell *, const struct board_cell *);

#endif
