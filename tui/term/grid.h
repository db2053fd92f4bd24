/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_GRID_H
#define TTRACE_TERM_GRID_H

#include "base/text/buf.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A grid of cells: what a pane draws into, and all that a terminal, a test or
 * a manual page gets. The grid is total: every cell has a character and a
 * style. Everything is clipped to the current rectangle; coordinates are
 * relative to it. grid.c knows no curses.
 */
enum style {	/* what a thing means; style.c says how it looks on which terminal */
#define STYLE(id, ...) ST_##id,
#include "term/style.def"
#undef STYLE
	ST__N
};
enum { AT_BOLD = 1, AT_DIM = 2, AT_REVERSE = 4, AT_UNDERLINE = 8, AT_TONE = 16 /* the second tone */ };

struct cell {
	uint32_t ch;		/* code point; 0: right half of a wide one */
	uint32_t mark;		/* one combining mark, or 0 */
	uint8_t fg, bg;		/* enum style: fg's foreground, bg's background colour (ST_NORMAL: none) */
	uint8_t attr;
};

/* The head of a column that its table can be sorted by; a place of the whole grid. */
struct grid_head { int y, x, w; const char *word; bool sorted; };	/* sorted: the table is in that order */
enum { GRID_HEADS = 24 };

struct grid {
	int rows, cols;
	struct cell *cell;
	int from, to;		/* the rows that are kept, mostly all: cell[] has these alone, the others are drawn nowhere */
	int y0, x0, h, w;	/* the clip rectangle: draw at 0 <= y < h, 0 <= x < w */
	bool ascii;		/* no UTF-8 at all: what is written is brought down to ASCII (│ to |, … to ~) */
	bool mono;		/* there is no colour: states must be letters, bars must be drawn */
	int focus_y, focus_x;	/* of the whole grid: the cell where the terminal's cursor stands */
	bool scrolls;		/* a list that does not fit was drawn */
	struct grid_head head[GRID_HEADS];
	int nhead;
};

struct grid *grid_new(int rows, int cols, bool ascii);
void grid_resize(struct grid *, int rows, int cols);	/* cleared, unclipped */
/* A strip of a sheet of that size: rows from .. to are kept, none where these are equal. */
void grid_strip(struct grid *, int rows, int cols, int from, int to);
void grid_free(struct grid *);
void grid_clear(struct grid *);			/* the rectangle, to blanks of ST_NORMAL */

/* Is row y of the rectangle kept? Who draws very many asks, and passes over the others. */
static inline bool grid_keeps(const struct grid *g, int y)
{
	return y >= 0 && y < g->h && g->y0 + y >= g->from && g->y0 + y < g->to;
}
/* The cell there, NULL where there is none. */
static inline struct cell *grid_at(const struct grid *g, int y, int x)
{
	if (!grid_keeps(g, y) || x < 0 || x >= g->w)
		return NULL;
	return &g->cell[(size_t)(g->y0 + y - g->from) * (size_t)g->cols + (size_t)(g->x0 + x)];
}

struct rect { int y, x, h, w; };
struct rect grid_clip(struct grid *, struct rect r);	/* relative to the present one; returns the old */
void grid_unclip(struct grid *, struct rect old);

/* Text at (y, x) on the background that is there, made safe (control bytes as \xNN), cut at the
   rectangle, where … then stands; returns the x after it. */
int grid_text(struct grid *, int y, int x, enum style, int attr, const char *s);
int grid_textn(struct grid *, int y, int x, enum style, int attr, const char *s, size_t n);
int grid_printf(struct grid *, int y, int x, enum style, int attr, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* A line of words and symbols, to the edge: where it is too long, packages lose their paths first. */
void grid_line(struct grid *, int y, int x, enum style, int attr, const struct buf *line);
/* Right-aligned so that it ends before x1. */
void grid_right(struct grid *, int y, int x1, enum style, int attr, const char *s);
void grid_put(struct grid *, int y, int x, uint32_t ch, enum style fg, enum style bg, int attr);
/* Blanks on that style's background, or another character in its foreground. */
void grid_fill(struct grid *, struct rect r, uint32_t ch, enum style, int attr);
void grid_attr(struct grid *, struct rect r, int set);	/* add attributes to what is there */
void grid_back(struct grid *, struct rect r, enum style bg);
/* The selected row or bar: background ST_SELECT where there is none, bold where there is. */
void grid_select(struct grid *, struct rect r);
/* The cursor of the terminal stands at (y, x), so that screen readers and magnifiers follow. The last call counts. */
void grid_focus(struct grid *, int y, int x);
/* The head of a sortable column stands at w cells from (y, x): a click there sorts by `word`. */
void grid_head(struct grid *, int y, int x, int w, const char *word, bool sorted);
/* The head at (y, x) of the whole grid, or NULL. */
const struct grid_head *grid_head_at(const struct grid *, int y, int x);
/* A horizontal bar of `part` of w cells: eighth blocks, or '#'. part is 0..1. */
void grid_bar(struct grid *, int y, int x, int w, double part, enum style);
/* One cell of a skyline: 0..1 as ▁..█, or _.-=^# in ASCII. */
void grid_level(struct grid *, int y, int x, double level, enum style fg, enum style bg);

struct look;
/* As text, trailing blanks cut; with a look, in colours (SGR sequences). For -script and `P`. */
void grid_print(const struct grid *, struct buf *, const struct look *);

#endif
