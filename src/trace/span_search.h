/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_SPAN_SEARCH_H
#define TTRACE_TRACE_SPAN_SEARCH_H

#include "base/err.h"
#include "base/job.h"
#include "store/store.h"

/*
 * Searches spans by conditions: `>5ms`, `wait>1ms reason~chan group~worker`, `state=runnable dur>1ms
 * g~worker`, `run fn~json`. All words must hold:
 *
 *	>5ms <1ms dur>5ms	duration
 *	run, wait, runnable, syscall, gc, ...	state; with >5ms also the duration
 *	state=NAME reason~RE	likewise: the state of that name, all whose name matches
 *	g=17, g~RE, group~RE	goroutine, by number or by start function
 *	fn~RE			place: a function of the stack on which it waited or stopped, or of a
 *				CPU sample while it ran
 */
struct span_criteria;
struct span_criteria *span_query_new(const char *text, struct err *); /* NULL with *e if it cannot be parsed */
/* Match spans with any matching name: of the goroutine, of the state, of a function in the stack. */
struct span_criteria *span_query_any_name(const char *re, struct err *);
/* Match spans with this function in their stack. */
struct span_criteria *span_query_in_function(fun_id, const char *name);
/* Search only these goroutines: a byte for each of n tracks, whose ownership is taken. NULL: all. */
void span_query_restrict(struct span_criteria *, uint8_t *tracks, uint32_t n);
void span_query_free(struct span_criteria *);
const char *span_query_text(const struct span_criteria *);
bool span_query_fits_procs(const struct span_criteria *); /* can a row of a P show the spans that are searched? */

struct span_hit {
	int64_t t0, t1;
	trk_id trk;
	enum tstate state;
};
struct span_hits {
	uint64_t all;	      /* number of matches */
	uint32_t n;	      /* number that is kept: the first ones */
	struct span_hit *hit; /* sorted by time */
	uint32_t *by_trk;     /* indexes of hit by track, then time */
	uint64_t ns;	      /* total time of all matches */
};
/* Search the intervals of goroutines, or of Ps. Return -1 if cancelled (job may be NULL). Reads only rows below the
   snapshot, so it may run in any thread. */
int span_search_run(struct span_criteria *, const struct snap *, bool of_p, struct job *, struct span_hits *);
void span_hits_free(struct span_hits *);

/* Return the index of the first match that starts at or after t. */
uint32_t span_hits_first_from(const struct span_hits *, int64_t t);
/* Return the matches of a track, as a part of by_trk. */
const uint32_t *span_hits_of_track(const struct span_hits *, trk_id, uint32_t *n);
/* Return whether one of them overlaps [t0, t1). */
bool span_hits_overlap(const struct span_hits *, const uint32_t *of, uint32_t n, int64_t t0, int64_t t1);

#endif
