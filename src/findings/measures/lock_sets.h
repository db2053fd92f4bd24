/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FINDINGS_MEASURES_LOCK_SETS_H
#define TTRACE_FINDINGS_MEASURES_LOCK_SETS_H

#include "findings/measures/scan.h"
#include "findings/measures/time_parts.h"

/*
 * Which sites of waits belong to one lock, and what its holders do. Traces do not name locks and do not record that a
 * lock was taken without waiting, so both are inferred.
 */
struct lock_sets {
	struct scan *s;
	uint32_t nsite;
	uint32_t *parent;	/* by site, then by line of wakers: see lock_sets_of() */
	uint32_t *first, *next;	/* see lock_sets_first(): by set and by site; UINT32_MAX: none */
};
void lock_sets_make(struct lock_sets *, struct scan *);	/* of a scan that has ended; free it with lock_sets_free() */
void lock_sets_free(struct lock_sets *);
/* Return the set of a site, as the index of one of its sites. Shortens paths: one thread at a time. */
uint32_t lock_sets_of(const struct lock_sets *, uint32_t site);
/* Return the first site with waits of a set, and the one after a site of its set, in the order of sites; UINT32_MAX:
   there is none. */
uint32_t lock_sets_first(const struct lock_sets *, uint32_t set);
uint32_t lock_sets_next(const struct lock_sets *, uint32_t site);
/* Return the waits at a site; NULL: there is none, or it is no lock. */
const struct scan_site *lock_sets_waits(const struct lock_sets *, uint32_t site);

/* Add what held the lock during a wait. scale, walker: as in time_parts_query. follow: of a holder that itself waits
   for another lock, add what held that one; depth: as in time_parts_query. Return false if no set has this wait. */
struct lock_holders_query {
	double scale;
	const struct critical_walker *walker;
	bool follow;
	int depth;
};
bool lock_sets_add_holders(
    const struct lock_sets *, const struct scan_wait *, struct time_parts *, const struct lock_holders_query *);
/* Return the node of the critical section: of the holder's stack, the frame in the function that unlocks, or in the
   innermost of its callers that is on both stacks. Where user code unlocks, it is user code. */
stk_id lock_sets_section(const struct store *, stk_id stack, stk_id unlock);

/* Of what holders did, the critical section that was held for the longest time. Return false if there is nothing. */
bool lock_sets_main_holder(const struct store *, const struct time_parts *, struct time_parts_main *);

#endif
