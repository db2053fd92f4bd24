/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACEPANE_QUERY_JOB_H
#define TTRACE_TRACEPANE_QUERY_JOB_H

#include "base/async.h"
#include "tracepane/tracepane.h"

/* A query of a pane that may take long to make, and is then made in the background. */
struct tracepane_query {	/* zeroed: none */
	struct async making;
	struct query_work *made;	/* the query that was made last: its strings are kept */
};
/* Fill in the query, with its strings in the arena, and *said with a message about the choice, if any. Runs on any thread.
   false: nothing would be left. */
typedef bool tracepane_query_fn(
    const struct snap *, const void *arg, struct arena *, struct query *, const char **said);

struct tracepane_query_spec {
	tracepane_query_fn *say;			/* NULL: the query is complete already */
	const void *arg; /* in the arena, or valid until the query is made, because no key is handled meanwhile */
	const char *none;		/* the message if say() returns false */
	/* compare with what the filters leave out, by the sample type that shows most of the difference, unless
	   one was chosen */
	bool rest;
	const char *busy;		/* the message while it is made; NULL: "excluding them" */
	uint64_t steps;			/* its cost (base/async.h); 0: one pass over goroutines and spans */
};
/* For act(): complete the query in *out, at once or in the background. Takes ownership of the arena. The
   strings of the previous query are freed. */
enum verdict tracepane_query(struct tracepane_query *, const struct pane_env *, const struct tracepane_query_spec *,
    struct arena *, struct ask *out);
bool tracepane_query_cancel(struct tracepane_query *); /* cancel the job; false: there was none */
/* Take the result of the job, or wait for it. V_ASK: *out has the query, whose strings are valid until the next
   tracepane_query(). */
enum verdict tracepane_query_finish(struct tracepane_query *, struct ask *out);
void tracepane_query_free(struct tracepane_query *);

#endif
