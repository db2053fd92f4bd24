/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_SPAN_SEARCH_H
#define TTRACE_TRACE_SPAN_SEARCH_H

#include "base/err.h"
#include "base/job.h"
#include "store/store.h"

/*
 * Looking for spans by what they are: `>5ms`, `wait>1ms reason~chan group~worker`,
 * `state=runnable dur>1ms g~worker`, `run fn~json`. All words have to hold:
 *
 *	>5ms <1ms dur>5ms	how long
 *	run, wait, runnable, syscall, gc, ...	in which state; followed by >5ms also how long
 *	state=NAME reason~RE	the same: one by its name, all whose name matches
 *	g=17, g~RE, group~RE	of which goroutine, by number or by start function
 *	fn~RE			where: a function of the stack on which it waited or stopped, or of a
 *				CPU sample while it ran
 */
struct span_criteria;
struct span_criteria *span_query_new(const char *text, struct err *); /* NULL: it means nothing; *e says why */
/* Spans of which some name matches: of the goroutine, of the state, of a function in the stack. */
struct span_criteria *span_query_any_name(const char *re, struct err *);
/* Spans that have this function in their stack. */
struct span_criteria *span_query_in_function(fun_id, const char *name);
/* Only of these goroutines: a byte for each of n tracks; taken over. NULL: of all. */
void span_query_restrict(struct span_criteria *, uint8_t *tracks, uint32_t n);
void span_query_free(struct span_criteria *);
const char *span_query_text(const struct span_criteria *);
bool span_query_fits_procs(const struct span_criteria *); /* a row of a P can show what it looks for */

struct span_hit {
	int64_t t0, t1;
	trk_id trk;
	enum tstate state;
};
struct span_hits {
	uint64_t all;	      /* how many there are */
	uint32_t n;	      /* how many are kept: the first of them */
	struct span_hit *hit; /* by time */
	uint32_t *by_trk;     /* their indexes by track, then time */
	uint64_t ns;	      /* all of them together */
};
/* Over the intervals of goroutines, or of Ps; -1 when cancelled (job may be NULL). Touches nothing
   but what is below the snapshot, so it may run beside everything else. */
int span_search_run(struct span_criteria *, const struct snap *, bool of_p, struct job *, struct span_hits *);
void span_hits_free(struct span_hits *);

/* Index of the first hit that begins at or after t. */
uint32_t span_hits_first_from(const struct span_hits *, int64_t t);
/* The hits of a track, as a run of by_trk. */
const uint32_t *span_hits_of_track(const struct span_hits *, trk_id, uint32_t *n);
/* Does one of them overlap [t0, t1)? */
bool span_hits_overlap(const struct span_hits *, const uint32_t *of, uint32_t n, int64_t t0, int64_t t1);

#endif
