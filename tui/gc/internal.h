/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_GC_INTERNAL_H
#define TTRACE_GC_INTERNAL_H

#include "base/async.h"
#include "profile/common.h"
#include "trace/gc_cycles.h"
#include "trace/mmu.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/stats/stops.h"
#include "tracepane/tracepane.h"

/* What the files of the garbage collection pane share. */
enum { WORST = 10, PLOT = MMU_PLOT };
enum gc_part { PART_TABLE, PART_CURVE, PART_WORST, PART__N };
enum { GC_KINDS = 4, GC_PCTS = 4 };

extern const struct gc_kind { const char *word; unsigned flag; } gc_kinds[GC_KINDS];	/* the values of :include */
extern const struct gc_pct { const char *words, *rest; double q; } gc_pcts[GC_PCTS];	/* the values of % */

/* The input of a curve: rows of utils (none until all is read), the kinds of GC work, the time range. */
struct gc_curve_query {
	const struct store *of;
	uint32_t n;
	unsigned include;
	int pct;
	bool per_proc, part;
	int64_t t0, t1;
};

struct gc_stops {
	struct stop *v;			/* those in the window, by start */
	struct stop_group *group;	/* their sums, unless by is STOPS_SINGLE */
	uint32_t n, ngroup;
	enum stops_by by;
	bool open;			/* the list shows the stops of one group, with this key */
	uint64_t key;
};

/* The tables of the upper part: cycles, stops, and sums of stops by kind or by caller. */
enum gc_list { GC_CYCLES, GC_STOPS, GC_SUMS, GC_LISTS };
enum gc_cycle_col {
	CYCLE_NUMBER, CYCLE_START, CYCLE_MARK, CYCLE_STW, CYCLE_ASSIST, CYCLE_ASSISTS, CYCLE_HEAP, CYCLE_AFTER, CYCLE_GOAL,
	CYCLE_SWEEP, CYCLE_COLS
};
enum gc_stop_col { STOP_START, STOP_DUR, STOP_WHY, STOP_WHO, STOP_COLS };
enum gc_sum_col { SUM_COUNT, SUM_TOTAL, SUM_MAX, SUM_MEAN, SUM_NAME, SUM_COLS };
enum { GC_COLS_MAX = CYCLE_COLS };

struct gc_state {
	struct arena mem, curve;
	struct tracepane_scope scope;
	struct gc_cycle *cycle;
	uint32_t ncycle;
	uint32_t *row[2];		/* displayed rows: indexes of cycle[]; of stop.v[] or stop.group[] */
	struct gc_stops stop;
	int sort[GC_LISTS];		/* the sort column of each table */
	bool invert[GC_LISTS];
	struct rows rows[2], worst_rows;
	struct hits hit;		/* matches of the search, by row of the displayed table */
	bool stops;			/* the table shows stop-the-world pauses */
	enum gc_part part;
	unsigned include;
	int pct;
	bool per_proc;
	struct duration_histogram stw;
	struct stats_spread stw_spread;
	int64_t mark, assist, stopped;	/* totals in the window */
	struct async work;		/* the curve that is being computed */
	bool plotted;
	struct gc_curve_query made;		/* the input of the current curve */
	const struct mmu *mmu;
	double util[PLOT];
	int64_t window[PLOT];
	int at, worst_of;	/* at: index of the selected window[]; worst_of: index for which worst[] is known */
	struct mmu_window worst[WORST];
};

/* Return the number of lines of the table. */
int gc_table_height(const struct gc_state *, const struct pane_env *);

/* gc/table.c: columns, order and drawing of the displayed table. */
enum gc_list gc_list(const struct gc_state *);
void gc_table_begin(struct gc_state *);	/* set the initial orders */
/* Sort the n rows of that table, and select the first row whose identity, as gc_selected() returns it, is
   `select`; -1: none. */
void gc_table_order(struct gc_state *, const struct snap *, enum gc_list, uint32_t n, int64_t select);
/* Return the identity of the selected row of the cycles (0) or of the stops (1), independent of the order; -1: none. */
int64_t gc_selected(const struct gc_state *, int stops);
/* Handle sorting. */
enum verdict gc_table_act(struct gc_state *, const struct pane_env *, const struct act *, struct ask *);
int gc_table_sorts(const struct gc_state *, struct choice *);
void gc_table_report(const struct gc_state *, const struct pane_env *, struct pane_report *);
/* Draw the heading and h rows. */
void gc_table_draw(const struct gc_state *, const struct pane_env *, struct grid *, int h);

/* cycles.c: the cycles in the scope. */
const struct gc_cycle *gc_cycle_at(const struct gc_state *, uint32_t row);
void gc_cycles_list(struct gc_state *, const struct snap *, int64_t select);	/* make the rows, in order */
struct gc_key { int64_t v; bool none; };
/* The value of the cell. */
struct gc_key gc_cycle_value(const struct snap *, const struct gc_cycle *, enum gc_cycle_col);
void gc_cycle_cell(const struct snap *, struct grid *, int w, const struct gc_cycle *, enum gc_cycle_col);

/* gc/stops.c: the stops in the scope. List them again, with the row whose gc_selected() was `select` selected if
   it is still there; -1: none. Calls list_set_count(). */
void gc_stops_make(struct gc_state *, const struct snap *, int64_t select);
void gc_stops_load(struct gc_state *, const struct snap *, const struct view *); /* As save() of the pane wrote it. */
void gc_stops_list(struct gc_state *, const struct snap *, int64_t select);
/* Compare stops or groups a and b (indexes into stop.v[] or stop.group[]) by a column; sign: 1 ascending, -1
   descending. */
int gc_stop_cmp(const struct gc_state *, const struct store *, enum gc_stop_col, int sign, uint32_t a, uint32_t b);
int gc_sum_cmp(const struct gc_state *, const struct store *, enum gc_sum_col, int sign, uint32_t a, uint32_t b);
void gc_stop_cell(const struct pane_env *, struct grid *, int w, const struct stop *, enum gc_stop_col);
void gc_sum_cell(const struct gc_state *, const struct pane_env *, struct grid *, int w, const struct stop_group *,
    enum gc_sum_col);
/* Return the stop or the group in a row of the table of stops; the other function returns NULL. */
const struct stop *gc_stop_at(const struct gc_state *, uint32_t row);
const struct stop_group *gc_stop_group_at(const struct gc_state *, uint32_t row);
void gc_stop_name(const struct store *, uint32_t span, struct buf *);	/* append the reason of the stop */
/* Append the name of the open group. */
void gc_stops_open_name(const struct gc_state *, const struct store *, struct buf *);
void gc_stop_group_name(const struct gc_state *, const struct store *, const struct stop_group *, struct buf *);
/* Handle grouping, and Enter and q on groups. V_PASS: another command. */
enum verdict gc_stops_act(struct gc_state *, const struct pane_env *, const struct act *, struct ask *);
int gc_stops_groups(const struct gc_state *, struct choice *);	/* the choices of gr */
/* mmu_job.c: compute the curve and the worst windows for the current input, at once or in the background. */
void gc_curve_update(struct gc_state *, const struct pane_env *);
bool gc_curve_pending(const struct gc_state *);	/* a newer curve is being computed */
void gc_curve_finish(struct gc_state *, const struct pane_env *);
void gc_curve_drop(struct gc_state *);
void gc_draw(const void *, const struct pane_env *, struct grid *);
void gc_draw_side(const void *, const struct pane_env *, struct grid *);

#endif
