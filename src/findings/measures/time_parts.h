/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FINDINGS_MEASURES_TIME_PARTS_H
#define TTRACE_FINDINGS_MEASURES_TIME_PARTS_H

#include "base/u64_map.h"
#include "critical/path.h"

struct lock_sets;
/* Of what the holder of a lock did. unlock: the stack that unlocked; of a chain of locks, the last one. wait: 0; or where
   another goroutine, for which others wait, waited for that holder. */
struct time_part_lock { stk_id wait, unlock; };
/* What goroutines did in some time ranges, by class and stack. Zero-initialise; free it with time_parts_free(). */
struct time_part { enum time_class cls; stk_id stack; int64_t ns, longest, t0; trk_id g; struct time_part_lock lock; };
	/* longest: the longest single interval, which starts at t0 on g; lock: of that interval */
struct time_parts {
	struct time_part_lock lock;	/* of the parts that are added now */
	struct time_part *v;	/* after time_parts_sort(): largest first */
	struct u64_hash of;	/* index by class and stack, until they are sorted */
	uint32_t n;
	size_t cap;
	int64_t total;
};
/* Add what a goroutine did in [a, b). A run has the stack of the next event of its goroutine; one that lasts until b
   has the stack `last`. Looks at no more than TIME_PARTS_STEPS intervals before b, which then stand for all. until:
   NULL, or called for each wait that ends in the range, from the last one backwards: true begins the range after that
   wait; and it does not begin before the first run of the goroutine. scale: the times are multiplied by it. walker: NULL,
   or divides runs among the stacks that were recorded while they lasted. locks: NULL, or instead of a wait for a lock of
   these add what its holders did; of waits of these likewise, TIME_PARTS_DEEPEST - depth times. */
enum { TIME_PARTS_STEPS = 256, TIME_PARTS_DEEPEST = 4 };
struct time_parts_query {
	trk_id g;
	int64_t a, b;
	double scale;
	stk_id last;
	bool (*until)(void *arg, enum tstate, stk_id);
	void *arg;
	const struct critical_walker *walker;
	bool ends;		/* with a walker: a part of a run is at the stack that was recorded at its end */
	const struct lock_sets *locks;
	int depth;
};
/* Where the range began, and if after a wait: the goroutine that ended it, or 0, and its stack. */
struct time_parts_start { int64_t t; trk_id waker; stk_id stack; };
struct time_parts_start time_parts_add(struct time_parts *, const struct snap *, const struct time_parts_query *);
/* Add ns of one interval, which starts at t0. */
void time_parts_put(struct time_parts *, enum time_class, stk_id, int64_t t0, int64_t ns, trk_id);
void time_parts_sort(struct time_parts *);	/* nothing is added afterwards */
/* Of all functions, the one with most of the time, and what it mostly did: its class, how long, and the part of it that is
   longest. The function of a part is that of the node which the callback returns; 0: unknown. Return false if there is no part. */
struct time_parts_main { enum time_class cls; int64_t ns; stk_id at; const struct time_part *part; };
typedef stk_id time_part_function(const struct store *, const struct time_part *);
bool time_parts_main(const struct store *, const struct time_parts *, time_part_function *, struct time_parts_main *);
void time_parts_free(struct time_parts *);

/* Return the innermost node of a stack that is in this function; 0: there is none. */
stk_id time_parts_node_in(const struct store *, stk_id stack, fun_id);

#endif
