/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_COMPARE_COMPARE_H
#define TTRACE_COMPARE_COMPARE_H

#include "findings/findings.h"
#include "operations/operations.h"

/*
 * Before and after: what differs between two sides, which are two traces, two time ranges of one, or the slow
 * operations of a trace and the rest. Kinds of operations are matched by source and name, places by class of time and
 * function: never by numbers or addresses, which differ between runs. Times are ns per operation.
 */
enum compare_part {
	COMPARE_ALL,		/* all complete operations of the side */
	COMPARE_SLOW,		/* only the slow ones of each kind */
	COMPARE_REST		/* only the others */
};
struct compare_input {
	const struct snap *sn;			/* complete */
	const struct trace_filter *filter;	/* its goroutines and time range; NULL: the whole trace */
	enum compare_part part;
};
enum compare_side { COMPARE_BEFORE, COMPARE_AFTER, COMPARE_SIDES };

/* same: within the spread of both sides. too few: one of the sides has not enough operations to tell. */
enum compare_change {
	COMPARE_SAME, COMPARE_WORSE, COMPARE_BETTER, COMPARE_TOO_FEW, COMPARE_NEW, COMPARE_GONE, COMPARE_CHANGE__N
};
const char *compare_change_name(enum compare_change);	/* "same", "worse", "better", "too few", "new", "gone" */
/* A value on one side, and the range that most resamples of the side give. */
struct compare_value { double value, lo, hi; };
struct compare_amount { struct compare_value at[COMPARE_SIDES]; enum compare_change change; };

/* A place on the critical paths of a kind: time of the operation itself, or below such a wait (`up`) the time of what
   it waited for. */
struct compare_place {
	enum time_class cls;
	const char *function, *file;	/* as in the trace (not safe for a terminal), "": unknown */
	int64_t line;			/* of the later side, if it is there */
	/* indexes in the places of the kind, or COMPARE_NONE. Up: the place of the operation itself, which waits for this
	   one; these are first. Below: the first one that such a place waits for; next: the next one. */
	uint32_t up, below, next;
	struct compare_amount ns;	/* mean of an operation */
};
#define COMPARE_NONE UINT32_MAX
enum compare_measure { COMPARE_P50, COMPARE_P99, COMPARE_MEAN, COMPARE_RATE, COMPARE_MEASURE__N };
const char *compare_measure_name(enum compare_measure);	/* "p50", "p99", "mean", "per second" */

struct compare_kind {
	const char *name;		/* bytes as in the file */
	size_t nname;
	enum operation_source source;
	uint32_t n[COMPARE_SIDES];	/* operations */
	bool walked;			/* critical paths were walked; false: those of kinds before have too many pieces */
	struct compare_amount amount[COMPARE_MEASURE__N];	/* durations in ns; operations per second */
	/* of critical paths, without them zeros: */
	struct compare_amount class_ns[TIME_CLASS__N];		/* mean of an operation */
	struct compare_place *place;	/* largest difference first */
	uint32_t nplaces;
	enum compare_change change;	/* of the kind: worse if any duration is */
};
struct compare_finding { enum compare_change change; const struct finding *at[COMPARE_SIDES]; };

struct comparison {
	struct compare_input in[COMPARE_SIDES];
	struct compare_kind *kind;	/* those of the later side in their order, then those that are gone */
	uint32_t nkinds;
	struct findings *findings[COMPARE_SIDES];	/* those of the query */
	struct compare_finding *finding;	/* those that differ: new and worse ones first, worst first */
	uint32_t nfindings;
};

struct compare_query {
	struct compare_input in[COMPARE_SIDES];
	const struct operation_criteria *criteria;	/* of operations; NULL: all */
	/* what is slow: a duration of lo to hi ns, inclusive; TIME_NONE: open; both: as operations.h decides for each kind */
	int64_t lo, hi;
	struct findings *findings[COMPARE_SIDES];	/* of both sides, or NULL: findings are not compared */
	struct progress_watcher on;
};
/* Compare two sides; all results are in the arena. The result is the same in each call. Return NULL if the watcher stops
   it. Any thread. */
struct comparison *compare_sides(const struct compare_query *, struct arena *);

/* Return the kind that the first line is about, or COMPARE_NONE: that which lost most time among those of the best source
   that are worse. */
uint32_t compare_worst_kind(const struct comparison *);
/* Return of how many kinds the critical paths were not read, because those of others are too long. */
uint32_t compare_unread_kinds(const struct comparison *);
/* Return the place of a kind whose change explains most of that of the kind; up: only places below it. COMPARE_NONE:
   there is none whose change exceeds the spread. */
uint32_t compare_worst_place(const struct compare_kind *, uint32_t up);
/* Append one line, safe for a terminal: what got worse, by how much, where; else what got better; else that nothing
   changed or that there are too few operations. */
void compare_put_headline(struct buf *, const struct comparison *);

#endif
