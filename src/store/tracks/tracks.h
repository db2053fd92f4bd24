/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_TRACKS_H
#define TTRACE_STORE_TRACKS_TRACKS_H

#include "store/tracks/seal_pipeline.h"

/*
 * The writer of a trace: which tracks exist, in which state since when, and the sheets that are sealed from it.
 * store/builder.c passes the sink's trace operations on to these one by one; ids in them (strings, stacks) are ids of
 * the store. Functions are for the writer's thread, except where noted. Times are in ns.
 */
struct tracks;

/* Initialise the trace columns of the store (trks with row 0, trk_times, sheets, and those of annotations.h);
   tracks_free frees them with their sheets. */
struct tracks *tracks_new(struct store *);
void tracks_free(struct tracks *);

trk_id tracks_track(struct tracks *, enum track_kind, uint64_t id);
/* Set what is known of a goroutine's start. May be called again when more is known; arguments of 0 change nothing. */
void tracks_set_origin(struct tracks *, trk_id g, str_id start_fun, trk_id creator, stk_id start, stk_id created);
void tracks_enter(struct tracks *, const struct sink_enter *, size_t n);
struct annotations;
struct annotations *tracks_annotations(struct tracks *);	/* for marks, spans, counters */

/* Set the length of the file. Call before the first entry. */
void tracks_set_total(struct tracks *, uint64_t bytes);
/* Set the start of the trace. Call before the first entry. */
void tracks_set_start(struct tracks *, int64_t t);
/* All entries before t have arrived: seal them. An entry of an earlier time that arrives later is moved to t. */
void tracks_upto(struct tracks *, int64_t t);
/* The same, at the end of a generation: where many tracks exist it may leave entries for the next batch. */
void tracks_generation(struct tracks *, int64_t t);

/* Call fn, on any thread, once everything so far is sealed: with s and the counts of the columns as they are now. fn
   calls tracks_sealed() for the rest. */
void tracks_notify(struct tracks *, struct snap *s, seal_notify_fn *, void *arg);
void tracks_sealed(const struct tracks *, struct snap *);
/* Wait until all is sealed, and set what a snapshot has of the trace: t0, t1, the counts of its columns. */
const struct snap *tracks_snap(struct tracks *, struct snap *);	/* returns its argument */
bool tracks_help_seal(struct tracks *);	/* seal_help() */
void tracks_end(struct tracks *);	/* wait for sealing, then sort tracks by number */
/* No entry will follow: wait, and free what only the writer needs. */
void tracks_done(struct tracks *);

#endif
