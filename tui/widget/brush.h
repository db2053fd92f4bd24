/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_WIDGET_BRUSH_H
#define TTRACE_WIDGET_BRUSH_H

#include "widget/histogram.h"

/*
 * A brush on the durations of a list: the histogram of all of them, bars of which are selected by keys, and the range
 * of durations to which the list is limited then. Zero-initialise: no bars, no limit. The owner counts the durations,
 * leaves out rows that brush_has() does not have, and writes brush_put_limit() on the screen.
 */
struct brush {
	struct bars bars;	/* of all durations of the list, also of those outside of the limit; bars.on: keys select them */
	bool limits;
	/* If it limits the list: to durations of lo to hi ns, inclusive. 0 and INT64_MAX: no limit on that side. */
	int64_t lo, hi;
};
/* Return whether the list shows an item of this duration; negative: it has none. */
static inline bool brush_has(const struct brush *b, int64_t ns)
{
	return !b->limits || (ns >= b->lo && ns <= b->hi);
}
/* Replace the bars by those of new durations. Active bars stay active, the selected ones stay selected by their
   durations. */
void brush_set_bars(struct brush *, const struct bars *);
void brush_copy_limit(struct brush *to, const struct brush *from);	/* not the bars */
bool brush_same_limit(const struct brush *, const struct brush *);

enum brush_verdict {
	BRUSH_PASS,		/* another command */
	BRUSH_DONE,
	BRUSH_LIMIT		/* the limit has changed */
};
/* Handle a command: CMD_RANGE, which activates the bars, and all that moves on active ones. The limited list also
   passes CMD_CANCEL here, which removes the limit if no bars are active. */
enum brush_verdict brush_command(struct brush *, const struct act *);
/* Return how many of h lines the histogram of active bars takes below the list; 0: it is not shown. */
int brush_lines(const struct brush *, int h);
/* Draw a heading and the bars into h lines. */
void brush_draw(const struct brush *, struct grid *, int y, int h);
/* If the list is limited, append " | took 1.00ms..2.51ms: 3 of 20", the limit and that it leaves n items; "50.0ms.."
   without an upper limit, no number of items if n is BRUSH_UNCOUNTED. */
#define BRUSH_UNCOUNTED UINT32_MAX
void brush_put_limit(const struct brush *, uint32_t n, struct buf *);
/* Return the hints for the keys that select bars; NULL: keys do not select bars. */
const char *brush_hints(const struct brush *);

#endif
