/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_STOPS_H
#define TTRACE_TRACE_STATS_STOPS_H

#include "base/text/buf.h"
#include "trace/as_profile.h"

/* Stops of the world, single ones and sums by kind or by caller. */
enum stops_by { STOPS_SINGLE, STOPS_KIND, STOPS_CALLER, STOPS_BY__N };
extern const char *const stops_by_name[STOPS_BY__N];	/* "single", "kind", "caller" */

struct stop { uint32_t span; int64_t t0, t1; };		/* t0..t1: clamped to the snapshot */
struct stop_group {
	uint64_t key;		/* stops_key() of its stops */
	/* indexes of the given stops: the first of the group, and its (first) longest */
	uint32_t first, longest;
	uint32_t n;
	int64_t total, max;	/* ns */
};

/* Return the stops that overlap [t0, t1) and the presence of the filter's selection, and are in its focus, by start; in the
   arena. */
struct stop *stops_find(
    const struct snap *, const struct trace_filter *, int64_t t0, int64_t t1, struct arena *, uint32_t *n);
/* Return a value that is equal for the stops of one group and differs between groups. */
uint64_t stops_key(const struct snap *, uint32_t span, enum stops_by);
/* Group n stops, largest total first, of equal totals that with the earliest stop; in the arena. by: not
   STOPS_SINGLE. */
struct stop_group *stops_group(const struct snap *, const struct stop *, uint32_t n, enum stops_by, struct arena *,
    uint32_t *ngroup);
static inline int64_t stops_mean(const struct stop_group *g) { return g->total / g->n; }

struct stop_kind { const char *s; size_t n; };
/* Return the reason of a stop without "stop-the-world ()", as in the file (not safe for a terminal); n 0: it has
   none. */
struct stop_kind stops_kind(const struct store *, uint32_t span);
/* Append the name of the group of a stop in a report, as in the file (not safe for a terminal): its kind, or the
   function, file and line of its caller (nothing without a stack). by: not STOPS_SINGLE. */
void stops_name(const struct store *, uint32_t span, enum stops_by, struct buf *);
/* Return the frame that represents the caller of a stop (user_code_site()); 0: it has no stack. */
frm_id stops_caller(const struct store *, uint32_t span);

#endif
