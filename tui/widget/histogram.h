/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_WIDGET_HISTOGRAM_H
#define TTRACE_WIDGET_HISTOGRAM_H

#include "app/command.h"
#include "term/grid.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A histogram of durations with selectable bars and exact counts: five per decade, as on the pages of `go tool trace`,
 * or as many as fit on a screen, between two durations. `v` activates the bars, h and l move, `v` again starts a range,
 * Enter selects it.
 */
enum { BARS_MAX = 100, BARS_FINE = 72, BARS_MARKS = 4 };
struct bars {
	int n;				/* bars, from the first to the last with a count */
	int64_t edge[BARS_MAX + 1];	/* bar i counts edge[i] <= ns < edge[i + 1] */
	uint64_t count[BARS_MAX], most, all;
	bool on;			/* the bars are active */
	bool held;			/* a range from `from` to `at` is selected, else only `at` */
	int at, from;
	bool fine;			/* narrow bars without space between them */
	struct { const char *name; int64_t ns; } mark[BARS_MARKS];	/* quantiles, ascending, below the scale */
	int nmarks;
};

void histogram_bars_init(struct bars *);			/* no bars, not active */
/* Replace the scale of bars without durations by at most BARS_FINE bars between lo and hi; the first one also counts what is
   shorter, down to `least`, the last one hi itself. */
void histogram_bars_between(struct bars *, int64_t least, int64_t lo, int64_t hi);
int histogram_bars_at(const struct bars *, int64_t ns);	/* the last bar that starts at or before ns; 0: all start later */
void histogram_bars_mark(struct bars *, const char *name, int64_t ns);
void histogram_bars_add(struct bars *, int64_t ns);
void histogram_bars_trim(struct bars *);	/* call after the last add: removes empty bars at both ends */

enum histogram_bars_result { BARS_PASS, BARS_DONE, BARS_TAKE };
/* Handle a key for active bars, or the key that activates them; BARS_TAKE: [*lo, *hi] was selected. */
enum histogram_bars_result histogram_bars_command(struct bars *, const struct act *, int64_t *lo, int64_t *hi);
/* Draw in h lines, the last of which shows the durations at which bars start. */
void histogram_bars_draw(const struct bars *, struct grid *, int y, int x, int h, int w, enum style);
void histogram_bars_describe(const struct bars *, struct buf *);	/* append the selected bar or range */

#endif
