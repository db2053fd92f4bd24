/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_SCREEN_DIFF_INTERNAL_H
#define TTRACE_TERM_SCREEN_DIFF_INTERNAL_H

#include "term/screen_diff.h"
#include "term/sgr.h"

#include <string.h>

/* What screen_diff.c and scroll_diff.c share. */
enum { LATER_MAX = 8 };
struct shown { uint32_t ch, mark; struct paint p; };

/* The codes from one paint to another, as bytes. */
enum { CODES_CACHED = 256 };
struct screen_diff_codes { struct paint from, to; uint8_t n; char s[63]; };

struct screen_state {
	struct screen_diff_caps caps;
	int rows, cols;		/* 0: the content of the terminal is unknown */
	struct shown *old, *now;
	int y, x;		/* the cursor; x -1: unknown */
	struct sgr_state sgr_state;
	struct buf way, other, row, whole, best;	/* scratch */
	struct shown *keep, *all;
	uint32_t *todo;		/* for the current row, by cell: see find_todo(); followed by a copy */
	struct paint later[LATER_MAX];	/* cells with these paints are written after the others */
	int nlater;
	uint32_t cells;
	struct screen_diff_codes *ways;	/* a cache by both paints; the last entry is for an unknown start */
};

static inline bool shown_same(const struct shown *a, const struct shown *b)
{
	return !memcmp(a, b, sizeof *a);	/* it has no padding */
}

static inline bool shown_blank(const struct shown *s)
{
	return s->ch == ' ' && !s->mark && !s->p.attr;
}

/* Append the codes that set a paint. */
void screen_diff_put_paint(struct screen_state *, const struct paint *, struct buf *);
/* scroll_diff.c: let the terminal move rows that have moved */
void scroll_diff_write(struct screen_state *, struct buf *);

#endif
