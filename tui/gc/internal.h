/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_GC_INTERNAL_H
#define TTRACE_GC_INTERNAL_H

#include "app/pane_table.h"
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

struct gc_state {
	struct arena mem, curve;
	struct tracepane_scope scope;
	struct gc_cycle *cycle;
	uint32_t ncycle;
	struct gc_stops stop;
	struct pane_table table[GC_LISTS];	/* items: cycle[], stop.v[], stop.group[] */
	struct rows worst_rows;
	bool stops;			/* the displayed table has stop-the-world pauses, or their sums */
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

/* Return the number of rows for which the table has room. */
int gc_table_height(const struct gc_state *, const struct pane_env *);
/* Return which table of stops there is, and which table is displayed. */
static inline enum gc_list gc_stops_list(const struct gc_state *p)
{
	return p->stop.by != STOPS_SINGLE && !p->stop.open ? GC_SUMS : GC_STOPS;
}
static inline enum gc_list gc_list(const struct gc_state *p)
{
	return p->stops ? gc_stops_list(p) : GC_CYCLES;
}

/* cycles.c: the cycles in the scope. */
extern const struct pane_table_kind gc_cycles_table;
/* Return the selected cycle; NULL: there is none. */
const struct gc_cycle *gc_selected_cycle(const struct gc_state *);

/* gc/stops.c: the stops in the scope. Find them again, and list them. */
extern const struct pane_table_kind gc_stops_table, gc_kinds_table;
void gc_stops_make(struct gc_state *, const struct pane_env *);
void gc_stops_load(struct gc_state *, const struct pane_env *, const struct view *); /* As save() of the pane wrote it. */
/* Return the selected stop or group, whichever the table of stops has; the other function returns NULL. */
const struct stop *gc_selected_stop(const struct gc_state *);
const struct stop_group *gc_selected_group(const struct gc_state *);
void gc_stop_name(const struct store *, uint32_t span, struct buf *);	/* append the reason of the stop */
/* Append the name of the group of a stop. */
void gc_stops_group_name(const struct gc_state *, const struct store *, const struct stop *, struct buf *);
/* Append the goroutine that caused a span and the place in the program, for searches. */
void gc_put_cause(const struct store *, uint32_t span, struct buf *);
/* Compare the first frames of user code of two spans: function, file, line; none comes first. */
int gc_compare_callers(const struct store *, uint32_t a, uint32_t b);
/* Handle grouping, and Enter and q on groups. V_PASS: another command. */
enum verdict gc_stops_act(struct gc_state *, const struct pane_env *, const struct act *, struct ask *);
int gc_stops_groups(const struct gc_state *, struct choice *);	/* the choices of gr */
/* mmu_job.c: compute the curve and the worst windows for the current input, at once or in the background. */
void gc_curve_update(struct gc_state *, const struct pane_env *);
bool gc_curve_pending(const struct gc_state *);	/* a newer curve is being computed */
void gc_curve_finish(void *, const struct pane_env *, struct ask *);	/* for struct pane_work */
void gc_draw(const void *, const struct pane_env *, struct grid *);
void gc_draw_side(const void *, const struct pane_env *, struct grid *);

#endif
