/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_TRACKS_H
#define TTRACE_STORE_TRACKS_TRACKS_H

#include "store/tracks/seal_pipeline.h"

/*
 * The writer's half of a trace: who exists, in which state since when, and the
 * sheets that are sealed from it. store/builder.c passes the sink's trace operations on
 * to these one by one; ids in them (strings, stacks) are the store's.
 */
struct tracks;

/* Initialises the trace columns of the store (trks with row 0, trk_times, sheets, and those of annotations.h); tracks_free
   frees them with their sheets. */
struct tracks *tracks_new(struct store *);
/* The columns have been filled by somebody else, up to t1. */
void tracks_set_loaded(struct tracks *, int64_t t1);
void tracks_free(struct tracks *);

trk_id tracks_track(struct tracks *, enum track_kind, uint64_t id);
/* May be called again when more is known: what is 0 leaves what is there. */
void tracks_set_origin(struct tracks *, trk_id g, str_id start_fun, trk_id creator, stk_id start, stk_id created);
void tracks_enter(struct tracks *, const struct sink_enter *, size_t n);
/* Where n of them may be written before that, and need not be copied then; until anything is said but new tracks. */
struct sink_enter *tracks_reserve_entries(struct tracks *, size_t n);
struct annotations;
struct annotations *tracks_annotations(struct tracks *);	/* for marks, spans, counters */

/* Before anything is said: how long the file is. */
void tracks_set_total(struct tracks *, uint64_t bytes);
/* Before anything is said: the trace begins at t. */
void tracks_set_start(struct tracks *, int64_t t);
/* Everything before t has been said: seal it. */
void tracks_upto(struct tracks *, int64_t t);
/* The same, at the end of a generation: where very many tracks are there it may wait for what comes. */
void tracks_generation(struct tracks *, int64_t t);
/* A generation ended, see sink_ops.keep(). */
void tracks_add_checkpoint(struct tracks *, const struct sink_checkpoint *);

/* What was told once is told again, from a border of generations on: tracks are only found, nothing of them
   is changed, and pieces go to made() (which empties them) in the order in which they went to be sealed. */
struct tracks *tracks_reread(struct tracks *, int64_t sealed, void (*made)(void *arg, struct sheet_batch *), void *arg);
void tracks_restore_state(struct tracks *, trk_id, bool g, unsigned state); /* at the border; then what waits there */
void tracks_restore_waiting(struct tracks *, const struct sink_enter *, size_t n, bool past);
struct checkpoint *tracks_new_checkpoint(struct tracks *, const struct sink_checkpoint *);
void tracks_reread_free(struct tracks *);
/* Sheets are to go and to be made again: from now on tracks can be found by other threads, for tracks_reread(), and
   when all is done too; and what there is of each may lie on disk. Before the first is said. */
void tracks_enable_eviction(struct tracks *);

/* Have a publication made, on whatever thread, when all so far is sealed: fn gets s with the counts of the
   columns as they are now, and asks tracks_sealed() for the rest. */
void tracks_notify(struct tracks *, struct snap *s, seal_notify_fn *, void *arg);
void tracks_sealed(const struct tracks *, struct snap *);
/* Wait until all is sealed, and fill in what a snapshot says of the trace: t0, t1, the counts of its columns. */
const struct snap *tracks_snap(struct tracks *, struct snap *);	/* its argument */
void tracks_pause(struct tracks *);	/* see sink_ops.rest */
bool tracks_help_seal(struct tracks *);	/* seal_help() */
void tracks_end(struct tracks *);	/* wait; and tracks are put in order by their numbers, for good */
/* Nothing more will be said: wait, and give back what only the writer needs. */
void tracks_done(struct tracks *);

/* The trace half of store_check. */
struct err;
int check_tracks_all(const struct snap *, struct err *);
/* Of it, what is in columns; and one sheet, once the columns hold. */
int check_tracks_tables(const struct snap *, struct err *);
int check_tracks_sheet(const struct snap *, const struct sheet *, struct err *);

#endif
