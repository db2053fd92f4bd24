/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_WIDGET_HISTOGRAM_H
#define TTRACE_WIDGET_HISTOGRAM_H

#include "app/command.h"
#include "term/grid.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A histogram of durations whose bars can be chosen: five to a decade, as the
 * reference's pages have them, counted exactly. `v` takes the hand to the bars,
 * h and l move it, `v` again holds one end of a range, Enter takes it.
 */
enum { BARS_MAX = 100 };
struct bars {
	int n;				/* bars, from the first that has something to the last */
	int64_t edge[BARS_MAX + 1];	/* bar i counts edge[i] <= ns < edge[i + 1] */
	uint64_t count[BARS_MAX], most, all;
	bool on;			/* the hand is on the bars */
	bool held;			/* from `from` to `at`, else only `at` */
	int at, from;
};

void histogram_bars_init(struct bars *);			/* no bars; the hand leaves */
void histogram_bars_add(struct bars *, int64_t ns);
void histogram_bars_trim(struct bars *);			/* all are counted: cut off the empty ends */

enum histogram_bars_result { BARS_PASS, BARS_DONE, BARS_TAKE };
/* A key while the hand is on the bars, or the one that takes it there; BARS_TAKE: [*lo, *hi] was chosen. */
enum histogram_bars_result histogram_bars_command(struct bars *, const struct act *, int64_t *lo, int64_t *hi);
/* Into h lines, the last of which has the durations at which bars begin. */
void histogram_bars_draw(const struct bars *, struct grid *, int y, int x, int h, int w, enum style);
void histogram_bars_describe(const struct bars *, struct buf *);	/* what the hand is on */

#endif
