/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_STYLE_H
#define TTRACE_TERM_STYLE_H

#include "sink_trace.h"
#include "term/grid.h"

/*
 * The appearance of meanings. style.def is the only table of palettes; style_paint() returns the
 * colours and attributes of a cell for a terminal with a given number of colours. Only term.c and
 * grid_print() call it.
 */
enum theme { TH_DARK, TH_LIGHT, TH_CONTRAST, TH_MONO, TH__N };

struct look {
	enum theme theme;
	int colours;		/* 256, 16 or 8; 0 for mono */
};

struct paint {
	int16_t fg, bg;		/* of 256, or of 8; -1: the terminal's default */
	uint16_t attr;		/* AT_BOLD | AT_DIM | AT_REVERSE | AT_UNDERLINE */
	uint16_t none;		/* 0: keeps unused bytes equal, because paints are compared by bytes */
};
struct paint style_paint(const struct look *, enum style fg, enum style bg, int attr);
struct paint style_cell_paint(const struct look *, const struct cell *);
/* Get the red, green and blue of a colour of the 256 palette (its xterm values). */
void style_rgb(int colour, uint8_t rgb[3]);
double style_contrast(int a, int b);	/* of two colours of the 256 palette from 16 on: 1 to 21 (WCAG) */

extern const char *const style_theme_names[TH__N];
int style_find_theme(const char *name);	/* enum theme, or -1; "safe" is dark */

/* Each state has one colour and one letter everywhere. */
enum style style_of_state(enum tstate);
char style_state_letter(enum tstate);
const char *style_state_name(enum tstate);

/* Return the colour of a function by its package: main warm, runtime grey-blue, standard library grey-green,
   others one hue each. *attr gets AT_TONE for half of the names, so that neighbours differ. */
enum style style_of_symbol(const char *name, size_t n, int *attr);

#endif
