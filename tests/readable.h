/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TEST_READABLE_H
#define TTRACE_TEST_READABLE_H

#include "term/grid.h"
#include "term/style.h"

#include <math.h>
#include <stdio.h>

static inline double readable_linear(uint8_t c)
{
	double v = c / 255.0;
	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static inline double readable_luminance(int colour)
{
	uint8_t c[3];
	style_rgb(colour, c);
	return 0.2126 * readable_linear(c[0]) + 0.7152 * readable_linear(c[1]) + 0.0722 * readable_linear(c[2]);
}

/* The contrast of two colours of the 256 palette as WCAG defines it: 1 to 21. */
static inline double readable_contrast(int a, int b)
{
	double x = readable_luminance(a), y = readable_luminance(b);
	return x > y ? (x + 0.05) / (y + 0.05) : (y + 0.05) / (x + 0.05);
}

/* The ground of a terminal: black for the dark themes, white for the light one. */
static inline int readable_ground(enum theme t)
{
	return t == TH_LIGHT ? 231 : 16;
}

/* Return how many pairs of styles on the screen, not seen before, make text with a contrast below 4.5 to 1. Lines and
   blocks are no text. */
static inline int readable_faults(const struct grid *g, const char *where)
{
	static bool seen[ST__N][ST__N][32];
	int bad = 0;
	for (int i = 0; i < g->rows * g->cols; i++) {
		const struct cell *c = &g->cell[i];
		bool line = c->fg == ST_RULE || c->fg == ST_SCROLL || c->fg == ST_SLIVER;	/* also in ASCII */
		if (c->ch <= ' ' || (c->ch >= 0x2500 && c->ch <= 0x259f) || line || seen[c->fg][c->bg][c->attr & 31])
			continue;
		seen[c->fg][c->bg][c->attr & 31] = true;
		for (int t = TH_DARK; t < TH_MONO; t++) {
			struct look l = {(enum theme)t, 256};
			struct paint p = style_cell_paint(&l, c);
			int bg = p.bg < 0 ? readable_ground(l.theme) : p.bg;
			bool own = p.fg < 0 && p.bg < 0;	/* the terminal's own colours */
			if (own || (p.fg >= 0 && readable_contrast(p.fg, bg) >= 4.5 && !(p.attr & AT_DIM)))
				continue;
			fprintf(stderr, "%s: %s: styles %d on %d, attributes %d: colour %d on %d, contrast %.2f\n", where,
			    style_theme_names[t], c->fg, c->bg, c->attr, p.fg, bg,
			    p.fg < 0 ? 0 : readable_contrast(p.fg, bg));
			bad++;
		}
	}
	return bad;
}

#endif
