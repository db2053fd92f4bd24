/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_WIDGET_STRIP_H
#define TTRACE_WIDGET_STRIP_H

#include "sink_trace.h"
#include "term/grid.h"

/*
 * A strip of states: one line of cells over a range of time, each of which shows the state that has most of its time, in
 * its colour, or without colour by its letter.
 */
enum strip_look {
	STRIP_FULL,
	STRIP_THIN,	/* a low line: the time is shown elsewhere, or nothing was done in it */
	STRIP_CHOSEN	/* the selected part: letters on the colour */
};
void strip_cell(struct grid *, int y, int x, enum tstate, enum strip_look);

struct strip_part { int64_t t0, t1; enum tstate state; enum strip_look look; };
/* Return part i of n, by time. */
typedef struct strip_part strip_part_fn(const void *arg, uint32_t i);
/* Draw [t0, t1) in w cells at (y, x). Costs w + n. A part is shown in each cell of which it has most time, the chosen one in
   all of its cells; cells without a part stay as they are. */
void strip_draw(
    struct grid *, int y, int x, int w, int64_t t0, int64_t t1, strip_part_fn *, const void *arg, uint32_t n);

#endif
