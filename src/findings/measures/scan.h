/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FINDINGS_MEASURES_SCAN_H
#define TTRACE_FINDINGS_MEASURES_SCAN_H

#include "findings/measures/site_table.h"
#include "trace/filter.h"

/*
 * What the rules share: one pass over all intervals of the goroutines of the program. Times are clipped to the range
 * [t0, t1) of the query. Goroutines of the runtime are left out, except as wakers.
 */

/* A wait that was taken as a sample: each stands for scan_site.step ns of waiting. */
struct scan_wait {
	int64_t t0, t1;			/* in full */
	trk_id g, waker;		/* waker 0: a timer, the network poller, not known */
	stk_id stack, waker_stack;	/* where it waits; where the waker was */
};
enum { SCAN_SAMPLES = 128 };
/* The waits at one site. */
struct scan_site {
	uint64_t n;			/* of those that ended */
	int64_t ns, longest;
	int64_t from, to;		/* from the start of the first one to the end of the last one */
	/* waits after which the goroutine came back to the same stack after running for less than SCAN_AGAIN_NS; this
	   running */
	uint64_t again;
	int64_t again_ns;
	int64_t woken;			/* ns of the waits that ended by another goroutine */
	uint32_t open, nopen;		/* waits until the end of the trace: index in scan.open + 1 of the newest */
	int64_t open_longest;
	struct scan_wait *sample;	/* NULL: none */
	uint32_t nsample;
	int64_t step, next;		/* ns of waiting per sample; the next one is taken there */
};
enum { SCAN_AGAIN_NS = 20000 };

/* Waits for a lock at one site that were ended from one line. */
struct scan_pair { uint32_t site, waker; uint64_t n; int64_t ns; };

/* A wait until the end of the trace. before: it began before the trace, t0 is the start of the trace. */
struct scan_open { trk_id g; int64_t t0; stk_id stack; uint32_t site, next : 31, before : 1; enum tstate state; };
/* A goroutine that runs, is runnable or in a system call at the end of the trace; t0: since when. */
struct scan_busy { trk_id g; int64_t t0; stk_id stack; bool in_call; };

/* Per track. There may be millions, most of which only run, for less than two seconds. */
struct scan_goroutine {
	uint32_t run : 31;	/* ns on a P; if detailed, the details have it */
	uint32_t detailed : 1;	/* there are details */
	union {
		uint32_t ready;		/* ns runnable, and in system calls */
		uint32_t details;	/* if detailed: index in scan.details */
	};
};
struct scan_details {
	int64_t run;		/* ns on a P */
	int64_t ready;		/* ns runnable, and in system calls */
	int64_t idle;		/* ns in idle waits */
	int64_t sending;	/* ns in waits for room in a channel */
	int64_t network;	/* ns in waits for the network */
	/* ns of waits of others that it ended, neither idle ones nor for a lock or a wait group */
	int64_t ended;
	int64_t joined;		/* ns of waits of others for a wait group that it ended */
	int64_t fed;		/* ns of idle waits of others that it ended */
	int64_t calls;		/* ns in system calls of at least SCAN_CALL_NS */
	int64_t call_from, call_to;	/* from the start of the first one to the end of the last one */
	int64_t yielded;	/* ns of runs that ended by a yield, and of the short runnable spans after them */
	uint32_t yields;
	stk_id yield;		/* where; 0: never */
	uint32_t stops, polls;	/* preemptions of runs; those in a select with a default case, or a try of a channel */
	stk_id poll;		/* where; 0: never */
};

/* A span longer than others, with its goroutine. */
struct scan_span { int64_t t0, t1; trk_id g; union { stk_id stack; uint32_t site; }; };
struct scan_list { struct scan_span *v; uint32_t n; size_t cap; int64_t least; };

/* The time range in slots of equal length. */
enum { SCAN_SLOTS = 1024 };

struct scan {
	const struct snap *sn;
	const struct trace_filter *filter;
	int64_t t0, t1, slot_ns;
	struct arena own;
	struct site_table sites, wakers;	/* sites of waits and system calls; lines from which others are woken */
	struct scan_site *site;			/* by index of sites */
	size_t csite;
	struct scan_goroutine *g;		/* by track */
	struct scan_details *details;		/* the first one is of the goroutines that have none: zeros */
	uint32_t ndetails;
	size_t cdetails;
	struct scan_pair *pair;
	uint32_t npair;
	size_t cpair;
	struct u64_hash of_pair;
	struct scan_open *open;
	uint32_t nopen;
	size_t copen;
	struct scan_busy *busy;
	uint32_t nbusy;
	size_t cbusy;
	struct scan_list runs;			/* long runs */
	struct scan_list late;			/* long runnable spans, sorted by start */
	struct scan_list queued;		/* long waits for locks; with the site */
	int64_t *slot_runnable;			/* by slot: ns that goroutines were runnable, summed up */
	int64_t ns[TIME_CLASS__N];		/* all goroutines of the program, without idle waits */
	int64_t idle;
};
enum { SCAN_LONG_RUN_NS = 5000000, SCAN_LATE_NS = 1000000, SCAN_QUEUED_NS = 500000, SCAN_CALL_NS = 100000 };

/* Return false if the watcher stops it. Free it with scan_free() in both cases. */
bool scan_run(struct scan *, const struct snap *, const struct trace_filter *, const struct operations *,
    const struct progress_watcher *);
/* Set only the snapshot, filter and time range of a scan. */
void scan_range(struct scan *, const struct snap *, const struct trace_filter *);
void scan_free(struct scan *);
/* Return the details of a goroutine, zeros if it has none. For `run` and `ready` call the functions below. */
static inline const struct scan_details *scan_details_of(const struct scan *s, trk_id g)
{
	return &s->details[s->g[g].detailed ? s->g[g].details : 0];
}
static inline int64_t scan_run_ns(const struct scan *s, trk_id g)
{
	return s->g[g].detailed ? s->details[s->g[g].details].run : (int64_t)s->g[g].run;
}
static inline int64_t scan_ready_ns(const struct scan *s, trk_id g)
{
	return s->g[g].detailed ? s->details[s->g[g].details].ready : (int64_t)s->g[g].ready;
}
/* Return whether a wait of a class ends because another goroutine gives something. */
bool scan_is_handed_over(enum time_class);
/* Likewise, and neither a lock nor its own end: the wait is for a channel, in a select or for a condition. */
bool scan_is_for_item(enum time_class);
/* Return how much of the time [a, b) of a goroutine the filter selects, in ns. */
int64_t scan_judged_ns(const struct scan *, trk_id g, int64_t a, int64_t b);
/* Is it a goroutine of the program, and not of the runtime, or one that writes a trace or a profile? */
bool scan_is_program(const struct snap *, trk_id);
/* The same for many goroutines: neighbours mostly have the same start function. The cache is zeroed at first. */
struct scan_program_cache { str_id name; bool known, program; };
bool scan_is_program_cached(const struct snap *, trk_id, struct scan_program_cache *);

#endif
