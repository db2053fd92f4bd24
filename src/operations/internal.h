/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_OPERATIONS_INTERNAL_H
#define TTRACE_OPERATIONS_INTERNAL_H

#include "operations/operations.h"

/* A time range of a goroutine that belongs to an operation of a kind. Ranges may overlap. */
struct work_range { int64_t t0, t1; trk_id g; uint32_t kind; };

/* A start or an end of a range. */
struct work_point { int64_t t; trk_id g; uint32_t kind : 31, end : 1; };

/* The times at which goroutines work for tasks. */
struct task_work {
	struct work_point *point;	/* of all ranges, by goroutine, then time */
	uint32_t npoint;
	struct trace_slice *busy;	/* the union of the ranges, by goroutine, then time */
	uint32_t nbusy;
};

/* What operations_find() collects. Kinds get their numbers in the order in which they are found. */
struct operation_list {
	const struct snap *sn;
	struct arena *mem;
	struct operation *v;
	size_t n, cap;
	struct operation_kind *kind;
	size_t nkinds, ckinds;
};
uint32_t operation_list_add_kind(struct operation_list *, const struct operation_kind *);
void operation_list_add(struct operation_list *, const struct operation *);

/* tasks.c: add the user tasks, and the ranges of the goroutines that worked for them. */
struct task_work tasks_collect(struct operation_list *, struct arena *scratch, const struct progress_watcher *);

/* idle_waits.c: return one bit per stack: the idle waits. Return NULL if stopped. Waits within tasks are not idle. */
uint8_t *idle_waits_find(
    const struct snap *, const struct task_work *, struct arena *, const struct progress_watcher *);

/* class_sums.c: add the time by class of all ranges to their kinds. Return false if stopped. */
bool class_sums_add(const struct snap *, const struct task_work *, struct operation_kind *, uint32_t nkinds,
    const struct progress_watcher *);

/* The classes of waits that depend on their stacks, by stack: 0 is not known yet, else the class plus 1. */
struct class_cache { const struct snap *sn; uint8_t *of; };
static inline void class_cache_init(struct class_cache *c, const struct snap *sn)
{
	*c = (struct class_cache){sn, xcalloc(sn->nstks + 1u, 1)};
}
static inline void class_cache_free(struct class_cache *c) { mem_free(c->of); }
/* Return the class of an interval. */
static inline enum time_class class_cache_of(struct class_cache *c, const struct sheet *sh, uint32_t i)
{
	enum tstate s = (enum tstate)(sh->state[i] & SHEET_STATE);
	if (!time_class_needs_stack(s))
		return time_class_of(c->sn->st, s, 0);
	stk_id stack = sheet_stack(sh, i);
	if (stack >= c->sn->nstks)
		return time_class_of(c->sn->st, s, 0);
	if (!c->of[stack])
		c->of[stack] = (uint8_t)(time_class_of(c->sn->st, s, stack) + 1);
	return (enum time_class)(c->of[stack] - 1);
}

#endif
