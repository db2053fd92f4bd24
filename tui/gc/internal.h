/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_GC_INTERNAL_H
#define TTRACE_GC_INTERNAL_H

#include "profile/common.h"
#include "trace/gc_cycles.h"
#include "trace/mmu.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/stats/stops.h"
#include "tracepane/tracepane.h"

/* The inside of the garbage collection pane, for gc/pane.c and gc_*.c. */
enum { WORST = 10, PLOT = MMU_PLOT };
enum gc_part { PART_TABLE, PART_CURVE, PART_WORST, PART__N };
enum { GC_KINDS = 4, GC_PCTS = 4 };

extern const struct gc_kind { const char *word; unsigned flag; } gc_kinds[GC_KINDS];	/* that :include takes */
extern const struct gc_pct { const char *words, *rest; double q; } gc_pcts[GC_PCTS];	/* that % goes through */

/* What a curve is of: rows of utils, none before all has been read; what counts; of which time. */
struct gc_curve_query {
	const struct store *of;
	uint32_t n;
	unsigned include;
	int pct;
	bool per_proc, part;
	int64_t t0, t1;
};

struct gc_stops {
	struct stop *v;			/* of the window, by start */
	struct stop_group *group;	/* where by is not STOPS_SINGLE: their sums */
	uint32_t n, ngroup;
	enum stops_by by;
	bool open;			/* the list has the stops of one group: of this key */
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
	uint32_t *row[2];		/* of the tables: indexes of cycle[]; of stop.v[] or stop.group[] */
	struct gc_stops stop;
	int sort[GC_LISTS];		/* the column that each table is sorted by */
	bool invert[GC_LISTS];
	struct rows rows[2], worst_rows;
	struct hits hit;		/* of the search, by row of the table that is shown */
	bool stops;			/* the table shows stops of the world */
	enum gc_part part;
	unsigned include;
	int pct;
	bool per_proc;
	struct duration_histogram stw;
	struct stats_spread stw_spread;
	int64_t mark, assist, stopped;	/* totals of the window */
	struct gc_curve_work *work;		/* a curve that is being made */
	bool plotted;
	struct gc_curve_query made;		/* what of */
	const struct mmu *mmu;
	double util[PLOT];
	int64_t window[PLOT];
	int at, worst_of;		/* of window[]: the one that is chosen; whose worst are known */
	struct mmu_window worst[WORST];
};

/* Lines of the table. */
int gc_table_height(const struct gc_state *, const struct pane_env *);

/* gc/table.c: columns, order and look of the table that is shown. */
enum gc_list gc_list(const struct gc_state *);
void gc_table_begin(struct gc_state *);	/* the order at first */
/* Put the n rows of that table in its order, and select the first for which gc_identity() is `select`; -1: none. */
void gc_table_order(struct gc_state *, const struct snap *, enum gc_list, uint32_t n, int64_t select);
/* What the selected row of the cycles (0) or of the stops (1) is, whatever the order; -1: there is none. */
int64_t gc_selected(const struct gc_state *, int stops);
enum verdict gc_table_act(struct gc_state *, const struct pane_env *, const struct act *, struct ask *); /* sorting */
int gc_table_sorts(const struct gc_state *, struct choice *);
void gc_table_report(const struct gc_state *, const struct pane_env *, struct pane_report *);
void gc_table_draw(const struct gc_state *, const struct pane_env *, struct grid *, int h);	/* head and h rows */

/* cycles.c: the cycles of the scope. */
const struct gc_cycle *gc_cycle_at(const struct gc_state *, uint32_t row);
void gc_cycles_list(struct gc_state *, const struct snap *, int64_t select);	/* rows, in order */
struct gc_key { int64_t v; bool none; };
struct gc_key gc_cycle_value(const struct snap *, const struct gc_cycle *, enum gc_cycle_col);	/* what stands there */
void gc_cycle_cell(const struct snap *, struct grid *, int w, const struct gc_cycle *, enum gc_cycle_col);

/* gc/stops.c: the stops of the scope; list_set_count() included. They are listed anew with this row selected, if it is
   there: gc_selected() of then, -1: none. */
void gc_stops_make(struct gc_state *, const struct snap *, int64_t select);
void gc_stops_load(struct gc_state *, const struct snap *, const struct view *); /* as save() of the pane wrote it */
void gc_stops_list(struct gc_state *, const struct snap *, int64_t select);
/* Compare stops, or groups, a and b (indexes of stop.v[], of stop.group[]) by a column; sign: 1 ascending, -1 descending. */
int gc_stop_cmp(const struct gc_state *, const struct store *, enum gc_stop_col, int sign, uint32_t a, uint32_t b);
int gc_sum_cmp(const struct gc_state *, const struct store *, enum gc_sum_col, int sign, uint32_t a, uint32_t b);
void gc_stop_cell(const struct pane_env *, struct grid *, int w, const struct stop *, enum gc_stop_col);
void gc_sum_cell(const struct gc_state *, const struct pane_env *, struct grid *, int w, const struct stop_group *,
    enum gc_sum_col);
/* The stop or the sum in a row of the table of stops; the other is NULL. */
const struct stop *gc_stop_at(const struct gc_state *, uint32_t row);
const struct stop_group *gc_stop_group_at(const struct gc_state *, uint32_t row);
void gc_stop_name(const struct store *, uint32_t span, struct buf *);	/* why the world was stopped */
void gc_stops_open_name(const struct gc_state *, const struct store *, struct buf *);	/* of the group that is open */
void gc_stop_group_name(const struct gc_state *, const struct store *, const struct stop_group *, struct buf *);
/* Grouping, and Enter and q of groups. V_PASS: another command. */
enum verdict gc_stops_act(struct gc_state *, const struct pane_env *, const struct act *, struct ask *);
int gc_stops_groups(const struct gc_state *, struct choice *);	/* what gr offers */
/* mmu_job.c: the curve and the worst windows of what the pane asks for now, at once or beside the keyboard. */
void gc_curve_update(struct gc_state *, const struct pane_env *);
bool gc_curve_pending(const struct gc_state *);	/* another curve than the one there is will come */
struct job *gc_curve_job(const struct gc_state *);
void gc_curve_finish(struct gc_state *, const struct pane_env *);
void gc_curve_drop(struct gc_state *);
void gc_draw(const void *, const struct pane_env *, struct grid *);
void gc_draw_side(const void *, const struct pane_env *, struct grid *);

#endif
