/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACEPANE_QUERY_JOB_H
#define TTRACE_TRACEPANE_QUERY_JOB_H

#include "base/job.h"
#include "tracepane/tracepane.h"

/* A query that a pane asks for when it has been put together, beside the keyboard where there is much to look at. */
struct tp_later;
/* Fill in the query, with its strings in the arena, and *said with a message about the choice, if any. Runs on any thread.
   false: nothing would be left. */
typedef bool tp_said(const struct snap *, const void *arg, struct arena *, struct query *, const char **said);

struct tp_saying {
	tp_said *say;			/* NULL: it is said already */
	const void *arg;		/* in the arena, or there for as long as the pane lets no other key by */
	const char *none;		/* the word about it where say() says that there would be nothing */
	bool rest;			/* compared with what its filters leave out, by the type that tells most of the
					   difference, unless one was chosen */
};
/* For act(). *out asks for a query, of which a part may still be to be said. The arena is taken. *at, which is the
   pane's, has what was asked for before. */
enum verdict tp_later(struct tp_later **at, const struct pane_env *, const struct tp_saying *, struct arena *,
    struct ask *out);
struct job *tp_later_job(const struct tp_later *);	/* NULL: none */
bool tp_later_asks(const struct tp_later *);		/* it will, see pane_ops.asks */
bool tp_later_drop(struct tp_later *);			/* nobody wants it any more; false: there was nothing */
/* Its job has ended, or is waited for. V_ASK: it asks, with strings that are good until the next tp_later(). */
enum verdict tp_later_done(struct tp_later *, struct ask *out);
void tp_later_free(struct tp_later *);

#endif
