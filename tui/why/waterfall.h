/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_WHY_WATERFALL_H
#define TTRACE_WHY_WATERFALL_H

#include "app/pane.h"
#include "critical/target.h"
#include "critical/waterfall.h"

/* The picture of a critical path, see picture.c. */
struct waterfall_view {
	const struct snap *sn;
	const struct pane_env *env;
	const struct critical_waterfall *w;
	const struct critical_lines *lines;
	struct critical_name name;	/* of the operation */
	uint32_t bar;			/* the selected one; UINT32_MAX: none */
	bool keep;			/* its row is not folded */
};
/* Return how many of at most `most` lines the picture uses, with its axis and the legend; 0: too few for it. */
int waterfall_lines(const struct critical_waterfall *, int most);
void waterfall_draw(const struct waterfall_view *, struct grid *, int y, int h);
/* Return the bar of a goroutine that contains a range; UINT32_MAX: none. At most CRITICAL_BAR bars are looked at. */
uint32_t waterfall_bar_of(const struct critical_waterfall *, trk_id g, int64_t t0, int64_t t1);

#endif
