/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_SCREEN_DIFF_INTERNAL_H
#define TTRACE_TERM_SCREEN_DIFF_INTERNAL_H

#include "term/screen_diff.h"
#include "term/sgr.h"

#include <string.h>

/* What the files of the pen share. */
enum { LATER_MAX = 8 };
struct shown { uint32_t ch, mark; struct paint p; };

/* The codes that lead from one paint to another, ready to be sent. */
enum { CODES_CACHED = 256 };
struct screen_diff_codes { struct paint from, to; uint8_t n; char s[63]; };

struct screen_state {
	struct screen_diff_caps caps;
	int rows, cols;		/* 0: nothing is known of what the terminal shows */
	struct shown *old, *now;
	int y, x;		/* the cursor; x -1: not known */
	struct sgr_state sgr_state;
	struct buf way, other, row, whole, best;	/* scratch */
	struct shown *keep, *all;
	uint32_t *todo;		/* of the row at hand, by cell: see find_todo(); then the same as it was */
	struct paint later[LATER_MAX];	/* cells of these are left for the end of the screen */
	int nlater;
	uint32_t cells;
	struct screen_diff_codes *ways;	/* by what they are from and to, those last asked for; one more: from nothing */
};

static inline bool shown_same(const struct shown *a, const struct shown *b)
{
	return !memcmp(a, b, sizeof *a);	/* no holes in it */
}

static inline bool shown_blank(const struct shown *s)
{
	return s->ch == ' ' && !s->mark && !s->p.attr;
}

/* The paint from here on. */
void screen_diff_put_paint(struct screen_state *, const struct paint *, struct buf *);
/* scroll_diff.c: rows that have moved are moved by the terminal */
void scroll_diff_write(struct screen_state *, struct buf *);

#endif
