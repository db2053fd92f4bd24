/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_GOROUTINE_STATS_H
#define TTRACE_TRACE_STATS_GOROUTINE_STATS_H

#include "base/job.h"
#include "base/mem/mem.h"
#include "store/store.h"

/*
 * Where goroutines spend their time, per goroutine, group, region and task, in
 * the accounts of `go tool trace`. Nothing is walked: a stretch of a goroutine is
 * the difference of running sums.
 */
struct stats_part { str_id name; const char *text; int64_t ns; };	/* text: when name is 0 */
struct goroutine_times {
	trk_id trk;
	int64_t t0, t1;			/* the stretch; t1 that of the snapshot while it lives */
	int64_t total, exec, ready, syscall, sysblock, unknown;
	int64_t ns[TS__N];		/* the same by state */
	int64_t blocked, ranged;	/* those of the two that follow, added up */
	const struct stats_part *block, *range;	/* by reason; in ranges (they overlap the above) */
	uint32_t nblock, nrange;
};

struct stats_index;				/* an index of ranges by goroutine */
struct stats_index *stats_index_new(const struct snap *, struct arena *);
const struct snap *stats_index_snap(const struct stats_index *);
/* From a to b, or the goroutine's life where TIME_NONE. Parts are in the arena. */
void stats_of_goroutine(
    const struct stats_index *, trk_id g, int64_t a, int64_t b, struct arena *, struct goroutine_times *);

/* Where a stretch of a goroutine begins and ends: where TIME_NONE, as its life does. false: it was never there. */
bool stats_goroutine_bounds(const struct snap *, trk_id, int64_t *a, int64_t *b);
/* Nothing but how long it is. */
int64_t stats_goroutine_length(const struct stats_index *, trk_id g, int64_t a, int64_t b);

/* What of a trace is asked for. */
struct stats_query {
	/* is told how far it is, in percent; where he says stop, what comes out is nothing */
	struct progress_watcher on;
	int64_t t0, t1;			/* TIME_NONE: open */
	const uint8_t *g;		/* NULL, or one bit per track */
	bool (*region)(const void *arg, const struct sink_span *);	/* NULL, or which regions */
	const void *arg;
	const str_id *key;		/* NULL: groups are by start function; else by this, per track */
	bool lengths;			/* of regions nothing but how long they were: no sheet is looked at */
};

/* Goroutines that were ever in a state, grouped by start function (name 0: unknown) or by the keys asked
   for, the group that ran most first. */
struct stats_group { str_id name; uint32_t first, n; int64_t exec; };
struct stats_groups {
	uint32_t n, ng;
	struct stats_group *group;
	struct goroutine_times *g;		/* of group i: g[first] .. g[first + n), longest life first */
};
struct stats_groups *stats_groups(const struct stats_index *, const struct stats_query *, struct arena *);

/* Regions of one type that began at one place. */
struct stats_region {
	uint32_t span, nblock, nrange;
	trk_id trk;
	uint64_t task;
	int64_t t0, t1;		/* as of the span */
	int64_t total, exec, ready, syscall, sysblock,
	    unknown; /* as of struct goroutine_times, which takes four times as much */
	const struct stats_part *block, *range;
};
void stats_of_region(const struct stats_region *, struct goroutine_times *);
struct stats_region_kind { str_id name; frm_id frame; uint32_t first, n; };
struct stats_region_kinds {
	uint32_t n, nr;
	struct stats_region_kind *kind;	/* by name, then program counter */
	struct stats_region *r;		/* NULL when nothing but lengths is asked for: */
	int64_t *length;		/* instead of r, and else NULL */
};
struct stats_region_kinds *stats_regions(const struct stats_index *, const struct stats_query *, struct arena *);

/* Tasks with what is known of them: also those that only regions, logs or children name. */
struct stats_task {
	uint64_t id, parent;		/* parent UINT64_MAX: unknown */
	str_id name;
	uint32_t span, end;		/* where it began and ended; UINT32_MAX: only named. A task may end
					   twice: the last end counts */
	int64_t t0, t1;			/* TIME_NONE: did not begin, end in the trace */
	uint32_t first, n;		/* logs and regions of it: stats_task_event(first) .. */
};
/* Mark or span; logs first, then regions in the order they began. */
struct stats_task_event { bool log; uint32_t i; };
struct stats_tasks { uint32_t n; struct stats_task *task; uint32_t *event; };	/* by id */
/* Where the onlooker (NULL: nobody) says stop, there are none. */
struct stats_tasks *stats_tasks(const struct snap *, struct arena *, const struct progress_watcher *);
#define STATS_LOG UINT32_C(0x80000000)
static inline struct stats_task_event stats_task_event(const struct stats_tasks *ts, uint32_t i)
{
	return (struct stats_task_event){ ts->event[i] & STATS_LOG, ts->event[i] & ~STATS_LOG };
}
/* Index of the task with that id; UINT32_MAX when there is none. */
uint32_t stats_task_find(const struct stats_tasks *, uint64_t id);

/* Values at shares of n numbers: 0 when there are none, at share 1 the greatest. They are sorted, or, where they are
   very many, left as they are; a, NULL: none, is the arena that they lie in. */
struct stats_share { double share; int64_t value; };
void stats_quantiles(const struct arena *a, int64_t *v, uint32_t n, struct stats_share *, unsigned nshare);
/* The place among n > 0 sorted numbers, ascending, of the one at that share. */
uint32_t stats_quantile_rank(uint32_t n, double share);
/* The values of n numbers at the shares that are shown everywhere, exact; all 0 when there are none. The numbers are
   sorted. */
enum stats_spread_at { SPREAD_P50, SPREAD_P90, SPREAD_P95, SPREAD_P99, SPREAD_MAX, SPREAD__N };
extern const double stats_spread_share[SPREAD__N];
struct stats_spread { uint32_t n; int64_t at[SPREAD__N]; };
struct stats_spread stats_spread(int64_t *v, uint32_t n);
/* Value at share q of n sorted numbers, 0 when there are none. */
int64_t stats_quantile(const int64_t *sorted, uint32_t n, double q);
void stats_sort(int64_t *v, uint32_t n);
/* Order of two strings of the store by their bytes. */
int stats_compare_names(const struct store *, str_id, str_id);

/* The outermost frame of a stack, 0 for none. */
frm_id stats_root_frame(const struct store *, stk_id);

#endif
