/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACEPANE_QUERY_JOB_H
#define TTRACE_TRACEPANE_QUERY_JOB_H

#include "base/job.h"
#include "tracepane/tracepane.h"

/* A query that a pane asks for when it has been put together, beside the keyboard where there is much to look at. */
struct tracepane_query;
/* Fill in the query, with its strings in the arena, and *said with a message about the choice, if any. Runs on any thread.
   false: nothing would be left. */
typedef bool tracepane_query_fn(
    const struct snap *, const void *arg, struct arena *, struct query *, const char **said);

struct tracepane_query_spec {
	tracepane_query_fn *say;			/* NULL: it is said already */
	const void *arg;		/* in the arena, or there for as long as the pane lets no other key by */
	const char *none;		/* the word about it where say() says that there would be nothing */
	bool rest;			/* compared with what its filters leave out, by the type that tells most of the
					   difference, unless one was chosen */
};
/* For act(). *out asks for a query, of which a part may still be to be said. The arena is taken. *at, which is the
   pane's, has what was asked for before. */
enum verdict tracepane_query(struct tracepane_query **at, const struct pane_env *, const struct tracepane_query_spec *,
    struct arena *, struct ask *out);
struct job *tracepane_query_job(const struct tracepane_query *);	/* NULL: none */
bool tracepane_query_pending(const struct tracepane_query *);		/* it will, see pane_ops.asks */
bool tracepane_query_cancel(struct tracepane_query *); /* nobody wants it any more; false: there was nothing */
/* Its job has ended, or is waited for. V_ASK: it asks, with strings that are good until the next tracepane_query(). */
enum verdict tracepane_query_finish(struct tracepane_query *, struct ask *out);
void tracepane_query_free(struct tracepane_query *);

#endif
