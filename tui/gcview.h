/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_GCVIEW_H
#define TTRACE_GCVIEW_H

#include "analysis/cycles.h"
#include "analysis/mmu.h"
#include "analysis/sched.h"
#include "tracepane.h"
#include "tree.h"

/* The inside of the garbage collection pane, for pane_gc.c and gc_draw.c. */
enum { WORST = 10, PLOT = MMU_PLOT };
enum gc_part { PART_TABLE, PART_CURVE, PART_WORST, PART__N };
enum { GC_KINDS = 4, GC_PCTS = 4 };

extern const struct gc_kind { const char *word; unsigned flag; } gc_kinds[GC_KINDS];	/* that :include takes */
extern const struct gc_pct { const char *words, *rest; double q; } gc_pcts[GC_PCTS];	/* that % goes through */

/* What a curve is of: rows of utils, none before all has been read; what counts; of which time. */
struct gc_asked {
	const struct store *of;
	uint32_t n;
	unsigned include;
	int pct;
	bool per_proc, part;
	int64_t t0, t1;
};

struct gcview {
	struct arena mem, curve;
	struct tp_scope scope;
	struct gc_cycle *cycle;
	uint32_t ncycle;
	uint32_t *row[2];		/* cycles, stops of the window: indexes of cycle[], of spans */
	struct rows rows[2], worst_rows;
	struct hits hit;		/* of the search, by row of the table that is shown */
	bool stops;			/* the table shows stops of the world */
	enum gc_part part;
	unsigned include;
	int pct;
	bool per_proc;
	struct histo stw;
	struct sched_spread stw_spread;
	int64_t mark, assist, stopped;	/* totals of the window */
	struct gc_work *work;		/* a curve that is being made */
	bool plotted;
	struct gc_asked made;		/* what of */
	const struct mmu *mmu;
	double util[PLOT];
	int64_t window[PLOT];
	int at, worst_of;		/* of window[]: the one that is chosen; whose worst are known */
	struct mmu_window worst[WORST];
};

/* Lines of the table, on a pane of that height. */
int  gc_table_h(const struct pane_env *);
/* Why the world was stopped. */
void gc_stop_name(const struct store *, const struct sink_span *, struct buf *);
/* gc_curve.c: the curve and the worst windows of what the pane asks for now, at once or beside the keyboard. */
void gc_curve_want(struct gcview *, const struct pane_env *);
bool gc_curve_new(const struct gcview *);	/* another curve than the one there is will come */
struct job *gc_curve_job(const struct gcview *);
void gc_curve_done(struct gcview *, const struct pane_env *);
void gc_curve_drop(struct gcview *);
void gc_draw(const void *, const struct pane_env *, struct grid *);
void gc_side(const void *, const struct pane_env *, struct grid *);

#endif
