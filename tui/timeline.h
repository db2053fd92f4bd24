/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TIMELINE_H
#define TTRACE_TIMELINE_H

#include "analysis/bins.h"
#include "analysis/standout.h"
#include "pane.h"
#include "style.h"

/*
 * The state of the timeline pane and what its files share. Times are ns since
 * the first event. A cell c of n covers [tl_edge(c), tl_edge(c+1)): the edges
 * come from one multiplication each, so cells tile the window at any zoom.
 */
enum tl_kind { TL_P, TL_M, TL_G, TL__N };
enum { TL_STW = 1, TL_GC = 2 };		/* overlays */
enum { TL_PINS = 16 };

struct timeline {
	int64_t t0, t1;			/* the window */
	int64_t at;			/* the cursor: a moment inside it */
	bool whole;			/* shows all there is, and grows with it */
	bool moved;			/* a key was pressed: the cursor is where it was put */
	bool ranging;			/* v was pressed: anchor to cursor is being chosen */
	int64_t anchor;
	int64_t r0, r1;			/* the range chosen; r0 == r1: none */
	enum tl_kind kind;
	int overlays;
	bool labels;
	trk_id *row;			/* pinned tracks first, then all of the kind */
	uint32_t nrow, npin;
	size_t cap;
	trk_id pin[TL_PINS];
	uint32_t sel, top;
	uint32_t ntrks;			/* of the snapshot that row[] was made from */
	struct standout out[STANDOUT_MAX];	/* once the trace is whole */
	size_t nout, atout;		/* how many; the one that Tab goes to next */
	bool looked;
	struct arena mem;
};

struct tl_layout {			/* where things go in the pane's area */
	int gutter, cells;		/* columns: names, then time */
	int axis, stw, gc, heap, ready, threads, marks;	/* lines; -1: no room */
	int rows, nrows;		/* first line and number of track rows */
	int story, nstory;		/* lines about the span under the cursor */
};

struct tl_layout tl_layout(const struct timeline *, const struct pane_env *);

/* Begin of cell c (0..cells) of the window. */
static inline int64_t tl_edge(const struct timeline *tl, int cells, int c)
{
	return bin_edge(tl->t0, tl->t1, cells > 0 ? (uint32_t)cells : 1, (uint32_t)c);
}
int tl_cell(const struct timeline *, int cells, int64_t t);	/* cell that holds t, clamped */

bool tl_waits(enum tstate);		/* drawn thin on goroutine rows */
const char *tl_track_name(const struct store *, trk_id, struct buf *);	/* "P4", "G512 main.worker" */

/* The track under the cursor (0 none) and its interval there. */
trk_id tl_track(const struct timeline *);
bool tl_interval(const struct timeline *, const struct pane_env *, struct ival *);

void tl_draw_head(const struct timeline *, const struct pane_env *, struct grid *, const struct tl_layout *);
void tl_draw_rows(const struct timeline *, const struct pane_env *, struct grid *, const struct tl_layout *);
void tl_draw_standout(const struct timeline *, struct grid *, const struct tl_layout *);
void tl_draw_story(const struct timeline *, const struct pane_env *, struct grid *, const struct tl_layout *);
/* These are the pane's own; st is the struct timeline. */
void tl_summary(const void *, const struct pane_env *, struct buf *);
void tl_detail(const void *, const struct pane_env *, struct buf *);

/* Motion (timeline_move.c). All keep the cursor in the window and the window in the trace. */
void tl_rows_make(struct timeline *, const struct pane_env *);
void tl_window(struct timeline *, const struct pane_env *, int64_t t0, int64_t t1);
void tl_zoom(struct timeline *, const struct pane_env *, int steps);	/* > 0: in, about the cursor */
void tl_shift(struct timeline *, const struct pane_env *, int cells);	/* move the cursor, pan at the edges */
void tl_scroll(struct timeline *, const struct pane_env *, double screens);
void tl_select(struct timeline *, const struct pane_env *, int64_t row);
bool tl_select_track(struct timeline *, const struct pane_env *, trk_id);
void tl_span(struct timeline *, const struct pane_env *, int dir);	/* next, previous span */
void tl_span_end(struct timeline *, const struct pane_env *, int dir);	/* first, last span of the row */
void tl_fit(struct timeline *, const struct pane_env *);
bool tl_cause(struct timeline *, const struct pane_env *, int dir, char *msg, size_t n);
uint32_t tl_find(void *, const struct pane_env *, int dir, uint32_t *at);

#endif
