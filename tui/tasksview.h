/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TASKSVIEW_H
#define TTRACE_TASKSVIEW_H

#include "tracepane.h"

/* The state of the tasks pane and what its files share. */
enum tasks_level { L_KINDS, L_LIST, L_ONE };
enum { SORT_COUNT, SORT_P50, SORT_P95, SORT_P99, SORT_MAX, SORT_NAME, SORT__N };

struct kind { str_id name; frm_id frame; uint32_t n, first, open; struct histo h; };
struct item { int64_t t0, t1; bool open; uint32_t i; uint32_t kind; };	/* i: of task[] or of r[] */
struct line { int64_t t0, t1; trk_id trk; enum { LN_BEGIN, LN_LOG, LN_REGION, LN_END } what; uint32_t i; };

struct tasks {
	struct arena mem, one;		/* of the snapshot and query; of the task that is open */
	struct tp_scope scope;
	bool regions;
	struct sched_tasks *ts;
	struct sched_kinds *ks;
	struct kind *kind;
	struct item *item;		/* by kind, longest first */
	uint32_t nkind, nitem;
	int64_t lo, hi;			/* scale of the pictures */
	enum tasks_level level;
	struct rows rows[3];
	uint32_t *order;		/* of kinds */
	size_t corder;
	uint32_t *shown;		/* items of the open kind that `&` leaves */
	size_t cshown;
	int sort;
	bool invert;
	int64_t open, task;		/* name and frame of the kind, id of the task that is open */
	struct line *line;
	uint32_t nline;
	int64_t why[TS__N], whole;
	uint8_t *hit;
	uint32_t nhit;
};

static inline const struct store *tasks_store(const struct pane_env *env)
{
	return session_snap(env->s)->st;
}
const struct sched_task *tasks_open(const struct tasks *);	/* the one whose page is shown, NULL none */

/* tasks_draw.c */
void tasks_draw(const void *, const struct pane_env *, struct grid *);
void tasks_line(const struct store *, const struct line *, struct buf *);	/* what it says */

#endif
