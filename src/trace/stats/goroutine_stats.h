/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_GOROUTINE_STATS_H
#define TTRACE_TRACE_STATS_GOROUTINE_STATS_H

#include "base/job.h"
#include "base/mem/mem.h"
#include "store/store.h"

/*
 * Times of goroutines by state, per goroutine, group, region and task, with the
 * fields of `go tool trace`. No intervals are walked: the times in a range of a
 * goroutine are differences of running sums.
 */
struct stats_part { str_id name; const char *text; int64_t ns; };	/* text: used if name is 0 */
struct goroutine_times {
	trk_id trk;
	int64_t t0, t1;			/* the time range; t1 is that of the snapshot while the goroutine lives */
	int64_t total, exec, ready, syscall, sysblock, unknown;
	int64_t ns[TS__N];		/* by state */
	int64_t blocked, ranged;	/* sums of the times in block and in range */
	/* The part of ns[before] that is of a wait since before the trace; the file has no reason for it (wait_before.h). */
	int64_t before_ns;
	enum tstate before;
	/* block: by reason, as the file has it: time without one has the text ""; range: time in ranges (mark assists, stops, ..., which overlap the above) */
	const struct stats_part *block, *range;
	uint32_t nblock, nrange;
};

struct stats_index;				/* ranges by goroutine */
struct stats_index *stats_index_new(const struct snap *, struct arena *);
const struct snap *stats_index_snap(const struct stats_index *);
/* Compute the times from a to b; TIME_NONE: the start or end of the goroutine's life. Parts are in the arena. */
void stats_of_goroutine(
    const struct stats_index *, trk_id g, int64_t a, int64_t b, struct arena *, struct goroutine_times *);

/* Return the reason of the wait before_ns, as the runtime names it. */
const char *stats_before_reason(const struct goroutine_times *);

/* Replace TIME_NONE in *a, *b by the start and end of the goroutine's life. Return false if it never existed. */
bool stats_goroutine_bounds(const struct snap *, trk_id, int64_t *a, int64_t *b);
/* Return only the length of that time range, in ns. */
int64_t stats_goroutine_length(const struct stats_index *, trk_id g, int64_t a, int64_t b);

/* The part of a trace that is requested. */
struct stats_query {
	/* gets the progress in percent; if it stops the work, the result is empty */
	struct progress_watcher on;
	int64_t t0, t1;			/* TIME_NONE: open */
	const uint8_t *g;		/* NULL: all; else one bit per track */
	bool (*region)(const void *arg, const struct sink_span *);	/* NULL: all; else selects regions */
	const void *arg;
	const str_id *key;		/* NULL: group by start function; else by this key, per track */
	bool lengths;			/* only the lengths of regions are needed: no sheet is read */
	bool ends;			/* only waits that start in the trace and end in the range: each in one slice */
};

struct stats_group { str_id name; uint32_t first, n; int64_t exec; };
/* A goroutine of a group: there may be millions, so its times are packed, at offset `at`. */
struct stats_goroutine { trk_id trk; uint32_t at; };
struct stats_groups {
	const struct snap *sn;
	int64_t from;			/* start of the query's range; TIME_NONE: open */
	uint32_t n, ng;
	struct stats_group *group;
	struct stats_goroutine *g;		/* group i has g[first] .. g[first + n), longest life first */
	const char *packed;
	size_t npacked;
};
/* Group the goroutines that were ever in a state, by start function (name 0: unknown) or by the given keys. The group
   with most running time is the first. The index is not needed afterwards. */
struct stats_groups *stats_groups(const struct stats_index *, const struct stats_query *, struct arena *);
/* Unpack the times of g[i]; t0 and t1 are left 0. Parts are allocated in the arena; without one, only sums are set. May
   be called on any thread. */
void stats_groups_times(const struct stats_groups *, uint32_t i, struct arena *, struct goroutine_times *);
/* Return the total of the times of g[i], without unpacking the rest. May be called on any thread. */
int64_t stats_groups_total(const struct stats_groups *, uint32_t i);
/* Return t0 of g[i]; t1 is t0 + total. Separate from stats_groups_times(), because it reads the row of the track, which
   takes as long as to unpack the times. */
int64_t stats_groups_start(const struct stats_groups *, uint32_t i);

/* Regions of one name that started at one place. */
struct stats_region {
	uint32_t span, nblock, nrange;
	trk_id trk;
	uint64_t task;
	int64_t t0, t1;		/* as in the span */
	int64_t total, exec, ready, syscall, sysblock,
	    unknown; /* as in struct goroutine_times, which takes four times as much memory */
	const struct stats_part *block, *range;
};
void stats_of_region(const struct stats_region *, struct goroutine_times *);
struct stats_region_kind { str_id name; frm_id frame; uint32_t first, n; };
struct stats_region_kinds {
	uint32_t n, nr;
	struct stats_region_kind *kind;	/* by name, then program counter */
	struct stats_region *r;		/* NULL if only lengths are requested */
	int64_t *length;		/* lengths instead of r; otherwise NULL */
};
struct stats_region_kinds *stats_regions(const struct stats_index *, const struct stats_query *, struct arena *);

/* Tasks, including those that only a region, a log or a child refers to. */
struct stats_task {
	uint64_t id, parent;		/* parent UINT64_MAX: unknown */
	str_id name;
	/* spans of its start and end; UINT32_MAX: only referred to. A task may end twice: the last end counts */
	uint32_t span, end;
	int64_t t0, t1;			/* TIME_NONE: the trace does not have the start or end */
	uint32_t first, n;		/* its logs and regions: stats_task_event(first) .. */
};
/* An index of a mark or a span: logs first, then regions in the order of their starts. */
struct stats_task_event { bool log; uint32_t i; };
struct stats_tasks { uint32_t n; struct stats_task *task; uint32_t *event; };	/* tasks by id */
/* Find all tasks. If `on` (may be NULL) stops it, there are none. */
struct stats_tasks *stats_tasks(const struct snap *, struct arena *, const struct progress_watcher *);
#define STATS_LOG UINT32_C(0x80000000)
static inline struct stats_task_event stats_task_event(const struct stats_tasks *ts, uint32_t i)
{
	return (struct stats_task_event){ ts->event[i] & STATS_LOG, ts->event[i] & ~STATS_LOG };
}
/* Return the index of the task with that id; UINT32_MAX if there is none. */
uint32_t stats_task_find(const struct stats_tasks *, uint64_t id);

struct stats_share { double share; int64_t value; };
/* Set the values at shares of n numbers: 0 if n is 0, the maximum at share 1. The numbers are sorted, unless they are
   very many. a: the arena of the numbers, or NULL. */
void stats_quantiles(int64_t *v, uint32_t n, struct stats_share *, unsigned nshare);
/* Return the index of the number at that share among n > 0 sorted numbers, ascending. */
uint32_t stats_quantile_rank(uint32_t n, double share);
enum stats_spread_at { SPREAD_P50, SPREAD_P90, SPREAD_P95, SPREAD_P99, SPREAD_MAX, SPREAD__N };
extern const double stats_spread_share[SPREAD__N];
struct stats_spread { uint32_t n; int64_t at[SPREAD__N]; };
/* Return the exact values at the shares that are shown everywhere; all 0 if n is 0. Sorts the numbers. */
struct stats_spread stats_spread(int64_t *v, uint32_t n);
/* Return the value at share q of n sorted numbers, 0 if n is 0. */
int64_t stats_quantile(const int64_t *sorted, uint32_t n, double q);
void stats_sort(int64_t *v, uint32_t n);
/* Compare two strings of the store by bytes. */
int stats_compare_names(const struct store *, str_id, str_id);

/* Return the outermost frame of a stack, 0 if there is none. */
frm_id stats_root_frame(const struct store *, stk_id);

#endif
