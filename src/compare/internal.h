/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_COMPARE_INTERNAL_H
#define TTRACE_COMPARE_INTERNAL_H

#include "base/intern.h"
#include "compare/compare.h"
#include "critical/path.h"

/* ---- spread.c: the spread inside a side */

/* Consecutive operations, or equal slices of the time range, are one block: the unit of a resample. */
enum { COMPARE_BLOCKS = 16, COMPARE_FEW = 5, COMPARE_FEW_P99 = 50 };
/* Sums by block, and the number of what is summed up. */
struct spread_blocks { uint32_t n; double sum[COMPARE_BLOCKS], count[COMPARE_BLOCKS]; };
/* Return the block of the i-th of n items. */
uint32_t spread_block(uint32_t i, uint32_t n);
/* Return the sum divided by the count, and its spread. */
struct compare_value spread_mean(const struct spread_blocks *);
/* Return a quantile of n durations in the order of time, and its spread. */
struct compare_value spread_quantile(const int64_t *ns, uint32_t n, double share);
/* Decide whether two values differ by more than their spread and by at least `least`. more: which change a larger value
   is. */
enum compare_change spread_change(const struct compare_amount *, double least, enum compare_change more);

/* ---- side.c: the operations of one side */

/* Names of functions, of both sides. */
struct compare_names {
	struct arena *mem;
	const char **v;
	uint32_t n;
	size_t cap;
	struct intern index;
};
struct compare_trace {
	const struct compare_input *in;
	const struct compare_query *q;
	struct operations *ops;
	struct intern kind_names;		/* of the first kind with each source and name */
	uint32_t *next_kind;			/* by kind: the next one with its source and name; COMPARE_NONE: none */
	struct critical_walker *walker;		/* NULL: not made yet */
	uint32_t *name_of;			/* by stack: index in names + 1; 0: not looked up */
	int64_t t0, t1;				/* the range */
	uint64_t cost;				/* of the paths that were walked */
};
/* Find its operations. Return false if stopped. */
bool compare_trace_open(
    struct compare_trace *, const struct compare_input *, const struct compare_query *, struct arena *);

void compare_trace_close(struct compare_trace *);
/* Return the first kind with the source and the name of this one, which may be of the other side; or COMPARE_NONE. */
uint32_t compare_kind_named(const struct compare_trace *, const struct operation_kind *);

/* The operations of a kind on a side, by start: their indexes. */
struct kind_operations { uint32_t *v, n; };
/* Collect the complete operations that belong to the part of the side, of all kinds with the source and the name of this
   one, which may be of the other side. */
struct kind_operations compare_operations_of(
    const struct compare_trace *, const struct operation_kind *named, struct arena *);

/* The sums of a kind while it is measured. A place without a cause is a wait or work of the operation itself. */
struct kind_place {
	enum time_class cls, cause_cls;
	uint32_t name, cause;			/* in names; cause COMPARE_NONE: none */
	uint32_t wait;				/* of a place with a cause: the index of the one without */
	double sum[COMPARE_SIDES][COMPARE_BLOCKS];
	double longest[COMPARE_SIDES];		/* the longest piece, and its stack */
	stk_id stack[COMPARE_SIDES];
};
struct kind_sums {
	bool walks;				/* the paths of both sides are walked; else those of neither are */
	struct compare_names *names;
	struct kind_place *v;
	uint32_t n;
	size_t cap;
	struct intern index;
	double class_ns[COMPARE_SIDES][TIME_CLASS__N][COMPARE_BLOCKS];
	double count[COMPARE_SIDES][COMPARE_BLOCKS];
	uint32_t blocks[COMPARE_SIDES];
};
/* Are there not yet too many pieces of paths of this side? */
bool compare_may_walk(const struct compare_trace *);
/* Walk the critical paths of evenly spaced operations; none unless the sums walk. Return false if stopped. */
bool compare_walk_side(struct kind_sums *, struct compare_trace *, enum compare_side, const struct kind_operations *,
    const struct compare_query *, struct arena *);

/* Set file and line of a place from a stack. */
void compare_place_line(const struct compare_trace *, stk_id, struct arena *, struct compare_place *);

/* ---- findings.c */

/* Match the findings of both sides. */
void compare_findings(struct comparison *, struct arena *);

#endif
