/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_QUERY_H
#define TTRACE_SESSION_QUERY_H

#include "base/err.h"
#include "base/text/regex.h"
#include "cli/options.h"
#include "filter/weigh.h"
#include "store/store.h"
#include "trace/filter.h"

/*
 * What is selected of the open files, and how it is shown. Options and commands become a query, and a query becomes a
 * filter on a trace, only here: the same words select the same in every report and pane.
 */
struct query {
	size_t type;
	struct filters f;	/* strings as typed, NULL if none; owned by the session */
	bool suspended;		/* filters are off */
	int64_t from, to;	/* time range of a trace, [from, to); TIME_NONE: open */
	enum gran gran;
	bool noinlines;
	trk_id g;		/* only this goroutine; 0: all */
	const char *gs;		/* only these goroutines, "12,15,18"; NULL: all */
	const char *group;	/* only goroutines whose start function matches; NULL, "^$": all */
	const char *task, *region;	/* only tasks or regions whose name matches; NULL: all */
	const char *operation;	/* only this operation, or those of the kinds whose name matches; NULL: all */
	const char *latency;	/* only those tasks, regions or operations with this duration, ">50ms"; NULL: all */
	uint32_t proc;		/* only this P (trk_id); 0: all */
	uint8_t blame;		/* enum trace_blame: the stacks that scheduler latency is charged to */
	/* Bit sets of sides. A: what is shown (1: the file that was opened). B: what A is compared with (0: nothing;
	   the bit of SIDE_REST: the part of the same trace that the filters of goroutines, tasks, regions exclude; that of
	   SIDE_RANGE: another time range of the same trace). */
	uint64_t a, b;
	enum side_show show;
	bool of_rest;		/* percentages of a difference are of A minus B (-base), not of B */
	int64_t b_from, b_to;	/* with the bit of SIDE_RANGE in b: the time range that A is compared with */
	bool normalize, drop_negative;
};

/* The text filters: the option that sets each, and its place in struct query. */
enum { QUERY_WORDS = 18 };
extern const struct query_word { enum option_id option; size_t at; } query_words[QUERY_WORDS];
static inline const char **query_word(struct query *q, size_t i)
{
	return (const char **)(void *)((char *)q + query_words[i].at);
}

extern const enum option_id query_gran_options[];	/* by enum gran */
/* Return the query of a command line without what only a snapshot tells: times, the number of a P, the sample type.
   Its strings are those of the options. Return -1 with *e if a filter is invalid. */
int query_of_options(const struct options *, struct query *, struct err *e);
/* Add the servers of -server. Call it once, before operations are found. */
int query_add_servers(const struct options *, struct err *e);
/* Add -from, -to, -proc and -diff_range. */
int query_add_places(const struct snap *, const struct options *, struct query *, struct err *e);
int query_bad_proc(const char *, struct err *e);	/* Set the error that -proc is no number; return -1. */
/* Copy into the arena the strings of a query that `another` does not share. */
void query_copy_strings(struct query *, const struct query *another, struct arena *);
/* Compare what the query shows with a time range of the same trace. Weights of the range are scaled to the length of the
   time range that is shown. */
void query_compare_range(struct query *, int64_t t0, int64_t t1);
/* Set the time range of a query to that which it is compared with. Return the factor that scales weights in that range
   to the length of the range that was shown. */
double query_use_range(const struct snap *, struct query *);
/* Return whether both select the same part of a trace: goroutines, time ranges, sides. */
bool query_same_scope(const struct query *, const struct query *);
/* Return whether both have the same focus and ignore in effect. */
bool query_same_focus(const struct query *, const struct query *);

/* The filters of a query on a trace, compiled. Only one thread may use it at a time. */
struct query_match {
	struct regex *group, *task, *region, *operation;	/* NULL: not set; task and operation also if by_id */
	struct trace_span_match span;		/* the number of a task, bounds of -latency, the place of regions */
	bool by_id;				/* span.id is the number of the task or operation */
	bool operations;			/* the query selects operations */
};
/* Compile them; names of places are in the arena. Return -1 with *e if one is invalid. The caller frees the result in
   both cases. */
int query_match_compile(struct query_match *, const struct query *, struct arena *, struct err *e);
void query_match_free(struct query_match *);
/* Return -1 with *e if a filter of the query is invalid. */
int query_check(const struct query *, struct err *e);
/* Make the filter of a query on a trace, or with rest of what it excludes; its sets are in the arena. *n, if not NULL:
   the number of its goroutines, tasks or regions. Return -1 with *e if a filter is invalid, or if none of the listed
   goroutines is in the trace; e NULL: these select none. Any thread may call it. */
int query_trace_filter(const struct snap *, const struct query *, bool rest, struct arena *, struct trace_filter *,
    uint32_t *n, struct err *e);

/* Add focus and ignore of the query to its filter on a trace: what it lists is restricted to what is in focus. Return -1 with
   *e if one is invalid. Any thread. */
int query_add_focus(const struct snap *, const struct query *, struct arena *, struct trace_filter *, struct err *e);

/* Return the time of day at which the trace starts, in ns after midnight UTC, or TIME_NONE. */
int64_t query_start_time_of_day(const struct snap *);

/* Parse a point in time: 1.2s, 350ms, 40%, or 15:04:05.6 if wall time is known; ns since the first event. */
int query_parse_time(const struct snap *, const char *, int64_t *t, struct err *e);
/* Get the range of -from and -to; an end that is not given is that of the trace. */
int query_parse_range(const struct snap *, const struct options *, int64_t *t0, int64_t *t1, struct err *e);
/* Parse a time range, FROM..TO. */
int query_parse_span(const struct snap *, const char *, int64_t *t0, int64_t *t1, struct err *e);
/* Check that -rest and -diff_range fit the other options. */
int query_check_sides(const struct options *, struct err *e);

#endif
