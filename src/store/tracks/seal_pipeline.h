/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_SEAL_PIPELINE_H
#define TTRACE_STORE_TRACKS_SEAL_PIPELINE_H

#include "store/tracks/sheet_build.h"

/*
 * Makes sheets of batches, in order, adds them to the store, and counts goroutines by state on the way. Runs in
 * parallel with the reader from the second batch on.
 */
struct seal_pipeline;

struct seal_pipeline *seal_new(struct store *);
void seal_free(struct seal_pipeline *);
void seal_set_lean(struct seal_pipeline *);	/* call before the first batch: a batch is a large part of all data */
void seal_set_start(struct seal_pipeline *, int64_t t);	/* the first sheet starts at t */
/* Seal a batch. Takes its arrays and replaces them with empty ones. */
void seal_batch(struct seal_pipeline *, struct sheet_batch *);
/* Call fn with this snapshot once all batches so far are sealed, on the thread that seals. */
typedef void seal_notify_fn(void *arg, const struct snap *);
void seal_notify(struct seal_pipeline *, const struct snap *, seal_notify_fn *, void *arg);
/* Any thread but the writer: take one step of sealing. Return false when nothing waits or another thread is sealing. */
bool seal_help(struct seal_pipeline *);
/* Writer only, n entries after the last call: take a step of sealing now and then while the queue is full. */
void seal_share_work(struct seal_pipeline *, size_t n);
/* Writer only: where the queue has one slot and its batch is sealed, move the current entries to the arrays of that
   slot. So there is one array as large as a batch, and a small one for the entries that arrive while the batch is
   sealed. */
void seal_reclaim_arrays(struct seal_pipeline *, struct sheet_batch *);
/* Wait until everything is sealed. The queue is closed and its thread has ended afterwards. */
void seal_wait(struct seal_pipeline *);
void seal_finish(struct seal_pipeline *);	/* seal_wait(), and free what only sealing needs */
/* Set t0, t1, nsheets and the counters of goroutines in a snapshot. Call from the seal_notify() callback or after
   seal_wait(). */
void seal_fill_snap(const struct seal_pipeline *, struct snap *);

#endif
