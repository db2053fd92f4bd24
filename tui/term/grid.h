/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_GRID_H
#define TTRACE_TERM_GRID_H

#include "base/text/buf.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A grid of cells: panes draw into it, and a terminal, a test or a manual page shows it. Each cell
 * always has a character and a style. Drawing is clipped to the current rectangle; coordinates are
 * relative to it. grid.c does not use curses.
 */
enum style {	/* meanings; style.c maps them to colours and attributes */
#define STYLE(id, ...) ST_##id,
#include "term/style.def"
#undef STYLE
	ST__N
};
enum { AT_BOLD = 1, AT_DIM = 2, AT_REVERSE = 4, AT_UNDERLINE = 8, AT_TONE = 16 /* the second tone */ };

struct cell {
	uint32_t ch;		/* code point; 0: right half of a wide character */
	uint32_t mark;		/* one combining mark, or 0 */
	uint8_t fg, bg;		/* enum style: the foreground of fg, the background of bg (ST_NORMAL: none) */
	uint8_t attr;
};

/* A column heading by which its table can be sorted, in coordinates of the whole grid. */
struct grid_head { int y, x, w; const char *word; bool sorted; };	/* sorted: the table has this order */
enum { GRID_HEADS = 24 };

struct grid {
	int rows, cols;
	struct cell *cell;
	int from, to;		/* rows that are stored, usually all; drawing into others is ignored */
	int y0, x0, h, w;	/* the clip rectangle: draw at 0 <= y < h, 0 <= x < w */
	bool ascii;		/* no UTF-8: all characters are converted to ASCII (│ to |, … to ~) */
	bool mono;		/* no colour: states must be letters, bars must be drawn */
	int focus_y, focus_x;	/* in the whole grid: the cell of the terminal's cursor */
	bool scrolls;		/* a list that does not fit was drawn */
	struct grid_head head[GRID_HEADS];
	int nhead;
};

struct grid *grid_new(int rows, int cols, bool ascii);
void grid_resize(struct grid *, int rows, int cols);	/* clears the grid and resets the clip rectangle */
/* Make a strip of a sheet of that size: only rows from .. to-1 are stored, none if from == to. */
void grid_strip(struct grid *, int rows, int cols, int from, int to);
void grid_free(struct grid *);
void grid_clear(struct grid *);			/* fill the rectangle with blanks of ST_NORMAL */

/* Return whether row y of the rectangle is stored; list drawing skips the others. */
static inline bool grid_keeps(const struct grid *g, int y)
{
	return y >= 0 && y < g->h && g->y0 + y >= g->from && g->y0 + y < g->to;
}
/* Return the cell, NULL if it is outside. */
static inline struct cell *grid_at(const struct grid *g, int y, int x)
{
	if (!grid_keeps(g, y) || x < 0 || x >= g->w)
		return NULL;
	return &g->cell[(size_t)(g->y0 + y - g->from) * (size_t)g->cols + (size_t)(g->x0 + x)];
}

struct rect { int y, x, h, w; };
struct rect grid_clip(struct grid *, struct rect r);	/* relative to the current rectangle; returns the old one */
void grid_unclip(struct grid *, struct rect old);

/* Draw text at (y, x) on the existing background, made safe (control bytes as \xNN), cut at the rectangle with …;
   return the x after it. */
int grid_text(struct grid *, int y, int x, enum style, int attr, const char *s);
int grid_textn(struct grid *, int y, int x, enum style, int attr, const char *s, size_t n);
int grid_printf(struct grid *, int y, int x, enum style, int attr, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* Draw a line of words and symbols up to the edge; if it is too long, the paths of packages are shortened first. */
void grid_line(struct grid *, int y, int x, enum style, int attr, const struct buf *line);
/* Draw text that ends before x1. */
void grid_right(struct grid *, int y, int x1, enum style, int attr, const char *s);
void grid_put(struct grid *, int y, int x, uint32_t ch, enum style fg, enum style bg, int attr);
/* Fill with blanks on the background of a style, or with another character in its foreground. */
void grid_fill(struct grid *, struct rect r, uint32_t ch, enum style, int attr);
void grid_attr(struct grid *, struct rect r, int set);	/* add attributes to existing cells */
void grid_back(struct grid *, struct rect r, enum style bg);
/* Mark the selected row or bar: bold, on the background ST_SELECT where there is none. */
void grid_select(struct grid *, struct rect r);
/* Set the terminal's cursor to (y, x), so that screen readers and magnifiers follow. The last call counts. */
void grid_focus(struct grid *, int y, int x);
/* Record a sortable column heading of w cells at (y, x): a click there sorts by `word`. */
void grid_head(struct grid *, int y, int x, int w, const char *word, bool sorted);
/* Return the heading at (y, x) of the whole grid, or NULL. */
const struct grid_head *grid_head_at(const struct grid *, int y, int x);
/* Draw a horizontal bar that fills `part` of w cells, in eighth blocks or '#'. part is 0..1. */
void grid_bar(struct grid *, int y, int x, int w, double part, enum style);
/* Draw one cell of a column chart: level 0..1 as ▁..█, or _.-=^# in ASCII. */
void grid_level(struct grid *, int y, int x, double level, enum style fg, enum style bg);

struct look;
/* Append the grid as text without trailing blanks; with a look, in colours (SGR sequences). For -script and `P`. */
void grid_print(const struct grid *, struct buf *, const struct look *);

#endif
