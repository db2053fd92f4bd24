/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_DRAW_H
#define TTRACE_APP_DRAW_H

#include "term/grid.h"
#include "term/style.h"

struct app;

enum { SHIFT = 10, SHIFT_MAX = 400 };
enum { COSTS = 256 };		/* frames whose cost is kept for `set debug on` */
struct app_screen {
	struct look look;
	bool themed;			/* the user has chosen the theme */
	enum theme ground;		/* the theme for the background of the terminal: dark or light */
	int rows, cols;
	int shift;			/* columns by which the pane is scrolled to the right (l) */
	char hints[400];		/* env.hints */
	bool mouse, cursor, ticks, debug;
	int64_t cost_us;		/* of the previous frame, from the key on */
	uint32_t costs[COSTS], ncost;	/* of the last frames, a ring; ncost: frames in all */
	uint32_t cost_cells;
	size_t cost_bytes;
};

/* Return whether the screen is too small for panes: app_draw() writes only a message. */
bool app_too_small(const struct app *);
void app_hints(const struct app *, struct buf *);	/* append the key hints of the pane shown */
/* Divide the screen into the pane and its side part: before it is drawn, and after its rows have changed. */
void app_layout(struct app *);
int app_tab_at(const struct app *, int x);		/* the pane whose tab is at column x of line 0, or -1 */

#endif
