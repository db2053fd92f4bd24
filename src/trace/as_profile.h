/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_AS_PROFILE_H
#define TTRACE_TRACE_AS_PROFILE_H

#include "trace/filter.h"
#include "trace/joined_stacks.h"

/*
 * A trace as a profile: time and count by node of the store's call tree, from the
 * states of goroutines. net, sync, syscall and sched follow the rules of `go tool
 * trace -pprof`: a state counts if it ended within the trace; its time is charged
 * to the stack where it began (sched: the stack of the waker), and is clipped to
 * the life of the goroutine from its first run.
 */
enum trace_weight_type {
	TRACE_CPU,
	TRACE_RUN,
	TRACE_SCHED,
	TRACE_SYNC,
	TRACE_NET,
	TRACE_SYSCALL,
	TRACE_BLOCK,
	TRACE_ASSIST,
	TRACE_ALLOC,
	TRACE_CRITICAL,
	TRACE_TIME,
	TRACE_WEIGHT__N
};
/* cpu: samples. run: running, divided among the stacks recorded while the goroutine ran (run_stacks.c), without the
   runtime's frames for preemption (if nothing else is left: where the goroutine started); sums are exact, shares of
   stacks an estimate. block: all waiting, tagged with the reason. assist: mark assists, on the stack that had to
   assist. alloc: not time, but the bytes that goroutines allocated (alloc_weights.c); count is how often
   they got memory from the heap; stacks are an estimate. critical: the critical paths of operations; trace_weigh() does not have them, but
   session/trace_weights.h. time: all time in which goroutines exist, tagged with its class (time_class.h): runs as in run,
   waits for a P on the stack of the goroutine that waits, and all else on the stack where it began. */
const char *trace_weight_name(enum trace_weight_type);	/* "cpu", ... */
const char *trace_weight_unit(enum trace_weight_type);	/* "nanoseconds", "bytes" */
int trace_weight_find(const char *name);		/* Return -1 if there is none of that name. */

/* Can the type be charged like that? sched: the default, BLAME_WAKER, and the others but BLAME_CHAIN; waits: only
   BLAME_CHAIN, and otherwise to the stack where the goroutine waits. */
bool trace_type_has_blame(enum trace_weight_type, enum trace_blame);
bool trace_type_has_proc(enum trace_weight_type, enum trace_blame);	/* does a filter by P apply? Waiting has no P */
bool trace_type_has_classes(enum trace_weight_type);	/* are its tags the classes of time, also in a difference? */
/* Are the stacks that weights are charged to estimates, while sums of all are exact? In part: those of running. */
enum trace_estimate { ESTIMATE_NONE, ESTIMATE_PART, ESTIMATE_ALL };
enum trace_estimate trace_type_estimate(enum trace_weight_type, enum trace_blame);

struct trace_tag_weight { stk_id stack; str_id tag; int64_t ns, count, base; };

struct trace_weights {				/* by node */
	uint32_t n;			/* nstks of the snapshot, or the number of nodes of `node` */
	/* NULL, or nodes of their own instead of the store's: stacks below others (joined_stacks.h) */
	const struct joined_stack *node;
	int64_t *ns, *count;		/* flat; a run is counted once, at the first stack that it is charged to */
	int64_t *last;			/* when the latest one ended (not for cpu) */
	int64_t total_ns, total_count;
	bool empty;			/* the filter selects no goroutine */
	/* of critical: 0, or the number of operations of which a sample was walked, because they are too many; sampled: of
	   the sample */
	uint32_t sampled, sampled_of;
	bool approximate;		/* of critical: some pieces are (critical/path.h) */
	/* for block, critical, time, and sched by occupant, if the trace is complete: the same weights by node and tag */
	struct trace_tag_weight *part;
	uint32_t npart;
};
#define TRACE_WEIGHT_TAG "reason"			/* the key of these tags */
/* Compute the weights, in the arena. The filter may be NULL: no filter. Weight without a recorded stack is at node
   0. */
struct trace_weights *trace_weigh(
    const struct snap *, enum trace_weight_type, const struct trace_filter *, struct arena *);
/* Return the node of the frame "(no stack)", which the store of each trace has; 0 if there is none. */
stk_id trace_no_stack_node(const struct snap *);
/* Set the nodes of weights to those of joined stacks, which may then be freed, and their weights to those of the parts,
   whose stack is a node. */
void trace_weights_join(struct trace_weights *, const struct joined_stacks *, struct arena *);
/* Move the weight of node 0 to the frame "(no stack)", as panes show it. Reports leave it at node 0, as the reference
   does. */
void trace_show_no_stack(struct trace_weights *, const struct snap *);

#endif
