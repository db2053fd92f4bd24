/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_SEAL_PIPELINE_H
#define TTRACE_STORE_TRACKS_SEAL_PIPELINE_H

#include "store/cache/sheet_cache.h"
#include "store/tracks/sheet_build.h"

/*
 * From pieces to sheets in the store, in order, with what is counted on the way
 * (goroutines by state); beside the reader once a trace proves to be long.
 */
struct seal_pipeline;

struct seal_pipeline *seal_new(struct store *);
void seal_free(struct seal_pipeline *);
void seal_set_lean(struct seal_pipeline *);	/* before the first: a piece is much of what there is */
void seal_set_start(struct seal_pipeline *, int64_t t);	/* the first sheet begins there */
void seal_set_loaded(struct seal_pipeline *, int64_t t1);	/* the sheets are there, up to t1 */
/* Seal a piece. Its arrays are taken, and others, empty, given for them. */
void seal_batch(struct seal_pipeline *, struct sheet_batch *);
/* All pieces so far being sealed, a generation has ended. */
void seal_checkpoint(struct seal_pipeline *, struct checkpoint *);
/* All pieces so far being sealed, let fn know, with what there was at the time of this call. */
typedef void seal_notify_fn(void *arg, const struct snap *);
void seal_notify(struct seal_pipeline *, const struct snap *, seal_notify_fn *, void *arg);
/* By any other thread, while pieces come: do the next thing that waits. false: nothing does, or another thread is at
   it. */
bool seal_help(struct seal_pipeline *);
/* By the writer, who has time now and then: all that waits, where threads do it that would wait. From then on nothing
   is done while it is at work, unless it must. */
void seal_all_queued(struct seal_pipeline *);
/* By the writer now and then, n entries after the last time: where pieces wait it takes its share of the work. */
void seal_share_work(struct seal_pipeline *, size_t n);
/* By the writer now and then: where one piece waits at a time, and that has been sealed, what there is of the next goes
   into its array. So there is one as large as a piece, and a small one for what comes while it is sealed. */
void seal_reclaim_arrays(struct seal_pipeline *, struct sheet_batch *);
/* Wait until all of it is done; nobody else is at it any more. */
void seal_wait(struct seal_pipeline *);
void seal_finish(struct seal_pipeline *);	/* and give back what is only needed for more */
/* Whoever was told: what of the columns is sealed. */
void seal_fill_snap(const struct seal_pipeline *, struct snap *);

#endif
