/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FINDINGS_MEASURES_GROUPS_H
#define TTRACE_FINDINGS_MEASURES_GROUPS_H

#include "base/wrap_math.h"
#include "findings/measures/scan.h"

/* Goroutines of the program by the function that they execute and by the line that creates them. */
enum { GROUP_QUARTERS = 4 };
struct goroutine_group {
	str_id name;		/* store_trk_name(); 0: unknown */
	stk_id created;		/* a stack that created one; 0: unknown */
	frm_id line;		/* first user frame of that stack, or 0 */
	uint32_t n, made, ended;	/* that existed in the range; made: that were created in it */
	int64_t life, idle, run, run_most, joined;	/* joined: see struct scan_details */
	trk_id most;		/* the one with run_most */
	trk_id first;		/* the first one; see goroutine_groups.next */
};
struct goroutine_groups {
	struct goroutine_group *v;
	uint32_t n;
	size_t cap;
	uint32_t *of;		/* by track: index + 1; 0: not a goroutine that counts */
	trk_id *next;		/* by track: the next one of its group, ascending; 0: it is the last */
};
void groups_make(struct goroutine_groups *, const struct scan *, struct arena *);
/* Return the quarter of a time range in which a time is; both in ns from the start of the range. */
static inline uint32_t groups_quarter(int64_t t, int64_t range) { return (uint32_t)(t / (range / GROUP_QUARTERS + 1)); }
/* Time in which the goroutines of a group had work. */
static inline int64_t groups_work(const struct goroutine_group *g) { return wrap_sub(g->life, g->idle); }

#endif
