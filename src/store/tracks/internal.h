/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_INTERNAL_H
#define TTRACE_STORE_TRACKS_INTERNAL_H

#include "base/mem/page_array.h"
#include "base/mem/paging_file.h"
#include "store/tracks/annotations.h"
#include "store/tracks/index.h"
#include "store/tracks/tracks.h"

/* What tracks.c, which gathers entries, and batches.c, which cuts them into batches, share. */
enum { SEAL_MIN = 1 << 16, SEAL_SHARE = 32, SEAL_ROW = 4, SHORT_ROW = 16, SEAL_SHEETS = 256, SEAL_MOST = 1 << 21,
	SEAL_MOST_PAGED = 1 << 19 };
/* Bits of track_last.life. HAS_T0, HAS_RUN0: the row has that time; LIVES: the row has no t1; THERE: the track exists,
   so sheets have a row of it; LISTED: it has entries in the current batch; TOLD: it has entries after the start of the
   batch; KNOWN: these bits agree with the row. */
enum { HAS_T0 = 1, LIVES = 2, HAS_RUN0 = 4, TOLD = 8, THERE = 16, LISTED = 32, KNOWN = 64,
	ALIVE = HAS_T0 | LIVES | HAS_RUN0 | TOLD, SETTLED = HAS_T0 | LIVES | HAS_RUN0 | THERE };

struct track_last {
	int64_t t;
	uint8_t class;			/* goroutine: enum sheet_class of its state, plus 1; else 0 */
	/* HAS_T0, LIVES, HAS_RUN0, TOLD, THERE, LISTED, KNOWN */
	uint8_t life;
	bool first;			/* it has an entry at the start of the batch */
	uint32_t n;			/* number of its other entries */
};

struct tracks {
	struct store *st;
	uint32_t n;			/* tracks, including track 0 */
	struct track_last *last;
	struct page_array lasts;		/* the memory of last[] */
	struct sheet_batch now;		/* the current batch: entries that wait */
	size_t whole;			/* entries of a batch in a trace that is not long and has few tracks */
	size_t least;			/* entries of the current batch unless very many tracks exist */
	uint32_t there;			/* number of tracks that are THERE */
	uint64_t sent;			/* entries of all earlier batches */
	uint32_t *crowd;		/* by group of SHEET_CROWD tracks: how many of them are THERE */
	struct page_array crowds;		/* the memory of crowd[] */
	/* groups that were empty at some moment: their state is dropped when the batch is cut */
	uint32_t *left;
	size_t nleft, cleft;
	size_t ties;			/* entries from this index on have the time `newest` */
	int64_t sealed, newest;
	/* by state and earlier track_last.class: the value of sink_enter.moved, and the new class */
	struct track_move { uint8_t moved, class; } moves[SHEET_STATE + 1][8];
	struct annotations annotations;		/* marks, spans, counters */
	struct seal_pipeline *seal_pipeline;
	struct tracks_index index;
	struct intern origins;		/* index of store.trk_origins */
	uint32_t origin;		/* the one that was set last */
};

/* Set what a goroutine executes. */
void tracks_set_name(struct tracks *, trk_id g, str_id name);
/* trampolines.c: find the goroutines whose start function does not tell what they execute, and name them. */
void trampolines_name(struct tracks *);
/* batches.c: reserve room for n more entries in the batch. Return its entries, which may have moved. */
struct sink_enter *tracks_room(const struct tracks *, struct sheet_batch *, size_t n);
/* Add a track to the list of those with entries in the batch. */
void tracks_list_in_batch(struct sheet_batch *, struct track_last *l, trk_id);
/* Note that a group has no track any more that is THERE. */
void tracks_note_empty_group(struct tracks *, uint32_t crowd);

/* Record whether the track exists from now on. */
static inline void tracks_set_present(struct tracks *k, struct track_last *l, trk_id trk, bool there)
{
	uint32_t more = there ? 1 : UINT32_MAX;
	if (there == !!(l->life & THERE))
		return;
	k->there += more;
	l->life ^= THERE;
	if (!(k->crowd[trk / SHEET_CROWD] += more))
		tracks_note_empty_group(k, trk / SHEET_CROWD);
}

/* Count one more entry of a track. The layout of the sheet follows these counts. */
static inline void tracks_count_entry(struct sheet_batch *p, struct track_last *l, trk_id trk, bool first)
{
	if (!(l->life & LISTED))
		tracks_list_in_batch(p, l, trk);
	l->first |= first;
	l->n += !first;
	l->life |= first ? 0 : TOLD;
}

/* Return how many entries make a batch: more where many tracks exist, but fewer while blocks are in
   the paging file, because a waiting batch is not. */
static inline size_t tracks_batch_size(const struct tracks *k)
{
	size_t n = (size_t)SEAL_ROW * k->there, most = paging_active() ? SEAL_MOST_PAGED : SEAL_MOST;
	if (n <= k->least)
		return k->least;
	return n > most ? most : n;
}

#endif
