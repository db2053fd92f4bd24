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
struct sealing;

struct sealing *sealing_new(struct store *);
void sealing_free(struct sealing *);
void sealing_lean(struct sealing *);	/* before the first: a piece is much of what there is */
void sealing_from(struct sealing *, int64_t t);	/* the first sheet begins there */
void sealing_thawed(struct sealing *, int64_t t1);	/* the sheets are there, up to t1 */
/* Seal a piece. Its arrays are taken, and others, empty, given for them. */
void sealing_piece(struct sealing *, struct sheet_piece *);
/* All pieces so far being sealed, a generation has ended. */
void sealing_border(struct sealing *, struct border *);
/* All pieces so far being sealed, let fn know, with what there was at the time of this call. */
typedef void sealing_fn(void *arg, const struct snap *);
void sealing_tell(struct sealing *, const struct snap *, sealing_fn *, void *arg);
/* By any other thread, while pieces come: do the next thing that waits. false: nothing does, or another thread is at
   it. */
bool sealing_spare(struct sealing *);
/* By the writer, who has time now and then: all that waits, where threads do it that would wait. From then on nothing
   is done while it is at work, unless it must. */
void sealing_all(struct sealing *);
/* By the writer now and then, n entries after the last time: where pieces wait it takes its share of the work. */
void sealing_share(struct sealing *, size_t n);
/* By the writer now and then: where one piece waits at a time, and that has been sealed, what there is of the next goes
   into its array. So there is one as large as a piece, and a small one for what comes while it is sealed. */
void sealing_again(struct sealing *, struct sheet_piece *);
/* Wait until all of it is done; nobody else is at it any more. */
void sealing_end(struct sealing *);
void sealing_done(struct sealing *);	/* and give back what is only needed for more */
/* Whoever was told: what of the columns is sealed. */
void sealing_snap(const struct sealing *, struct snap *);

#endif
