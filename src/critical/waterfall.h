/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CRITICAL_WATERFALL_H
#define TTRACE_CRITICAL_WATERFALL_H

#include "critical/lines.h"

/*
 * A critical path as a picture: a row for each goroutine on it, in the order in which the path comes to them. The first
 * row is the operation's own goroutine, with all of its time; in the others are the pieces in which it waited for them.
 * So a convoy on a lock is a staircase.
 */
struct critical_part {		/* adjacent pieces of one class */
	int64_t t0, t1;
	uint32_t line;		/* that of its longest piece, an index into the lines */
	enum time_class cls : 8;
	bool led;		/* in the first row: a wait that was followed, whose pieces are in other rows */
};

struct critical_row {
	trk_id g;		/* 0: unknown */
	uint32_t part, nparts;	/* its parts, by time: part[part ..] */
	uint32_t n;		/* 1, or the number of goroutines that the row stands for: such a row has no parts */
	uint32_t line;		/* of its longest part that is not led */
	int64_t t0, ns;		/* where the path comes to it first; the time that it has on the path */
	enum time_class wait : 8;	/* the class of the wait that led to it; TIME_CLASS__N: the first row */
	bool alike;		/* its line is that of the row before */
};

/* A part that is at least CRITICAL_BAR of the path. */
struct critical_bar { struct critical_part part; uint32_t row; trk_id g; };
enum { CRITICAL_BAR = 200, CRITICAL_ROWS = 256, CRITICAL_ROW_PARTS = 1024 };

struct critical_waterfall {
	int64_t t0, t1;
	struct critical_row *row;	/* at most CRITICAL_ROWS: of more, some stand for several goroutines */
	struct critical_part *part;	/* at most CRITICAL_ROW_PARTS of a row: of more, these have the class with most time */
	struct critical_bar *bar;	/* by time */
	uint32_t nrows, nbars;
	bool led[TIME_CLASS__N];	/* the classes of the waits that were followed */
	/* What the operation waited for most, or did most: */
	struct {
		int64_t ns;
		uint32_t line;		/* the longest of its lines */
		uint32_t chain;		/* the wait of the operation's goroutine; CRITICAL_NONE: own time */
		uint32_t ngoroutines;	/* on other goroutines: how many */
		bool approximate, several;	/* several: it has other lines */
	} most;
};

/* Add a path to lines that have none, sort them, and make the picture. */
struct critical_waterfall *critical_waterfall_new(struct critical_lines *, const struct critical_path *);
void critical_waterfall_free(struct critical_waterfall *);	/* may be NULL */

/* A line of a picture with few lines: a row, or n rows from `row` on, which are alike or not. */
struct critical_fold { uint32_t row, n; bool alike; };
/* Fold the rows of a picture into at most `most` lines, which are > 0; row `keep` (UINT32_MAX: none) is not folded. Alike
   rows are folded first, then those with little time. Return the number of lines. out has room for `most`. */
uint32_t critical_waterfall_fold(
    const struct critical_waterfall *, uint32_t keep, uint32_t most, struct critical_fold *out);

/* Append "93%, 34.4ms, waits for the lock of main.reserve main.go:38: 15 holders in turn, mostly network in main.call
   kit.go:233"; as in the file. Nothing for a path without time. */
void critical_put_most(struct buf *, const struct snap *, const struct critical_lines *, const struct critical_waterfall *);

#endif
