/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_INTERNAL_H
#define TTRACE_STORE_TRACKS_INTERNAL_H

#include "base/mem/spill_array.h"
#include "store/tracks/annotations.h"
#include "store/tracks/index.h"
#include "store/tracks/late_fields.h"
#include "store/tracks/tracks.h"

/* What tracks.c, who gathers, and batches.c, who hands on, both know. */
enum { SEAL_MIN = 1 << 16, SEAL_SHARE = 32, SEAL_ROW = 4, SUMMARY_ROW = 16, SEAL_SHEETS = 256, SEAL_MOST = 1 << 21,
	NEW = 1 << 14 };
/* LIVES: it has no t1; THERE: it has rows in sheets; LISTED: there are entries of it in the piece at hand; TOLD: and
   not only where that begins; KNOWN: what its row says is here too */
enum { HAS_T0 = 1, LIVES = 2, HAS_RUN0 = 4, TOLD = 8, THERE = 16, LISTED = 32, KNOWN = 64,
	ALIVE = HAS_T0 | LIVES | HAS_RUN0 | TOLD, SETTLED = HAS_T0 | LIVES | HAS_RUN0 | THERE };

struct track_last {
	int64_t t;
	uint8_t class;			/* of a goroutine: enum sheet_class of its state, and 1; 0: it is none */
	/* of its row: HAS_*, LIVES; and THERE, LISTED, TOLD, KNOWN */
	uint8_t life;
	bool first;			/* one of them is at the beginning of the piece */
	uint32_t n;			/* the others */
};

struct tracks {
	struct store *st;
	uint32_t n;			/* tracks, with number 0 */
	struct track_last *last;
	struct spillable_array lasts;		/* where they lie */
	struct sheet_batch now;		/* what waits */
	struct sink_enter *rest;	/* entries that were written behind it when it was cut */
	size_t crest;
	size_t whole;			/* entries of a piece of a trace that is not long, with few tracks */
	size_t least;			/* of the one at hand, if there are not very many tracks */
	uint32_t there;			/* tracks that are THERE */
	uint64_t sent;			/* entries of all pieces before */
	uint32_t *crowd;		/* by SHEET_CROWD tracks: how many of them are */
	struct spillable_array crowds;		/* where they lie */
	/* crowds of which none was for a moment: to be forgotten when the piece is cut */
	uint32_t *left;
	size_t nleft, cleft;
	size_t ties;			/* from here on entries have the time `newest` */
	int64_t sealed, newest;
	/* by state and track_last.class before: sink_enter.moved, and the class then */
	struct track_move { uint8_t moved, class; } moves[SHEET_STATE + 1][8];
	struct annotations annotations;		/* what lies beside them */
	struct late_fields late_fields;		/* what rows do not say yet */
	struct seal_pipeline *seal_pipeline;
	struct tracks_index index;
	struct lock *lock;		/* of the index, when others look */
	struct tracks *of;		/* this one tells again what that one told */
	void (*made)(void *, struct sheet_batch *);
	void *arg;
};

/* tracks.c: nothing is known of any track. */
void tracks_init_state(struct tracks *);
/* Of tracks that were, most are not looked at again: they lie on disk, where there is any. */
void tracks_release_pages(const struct tracks *);

/* batches.c: room for so many more entries in the piece; where they are now. */
struct sink_enter *tracks_room(const struct tracks *, struct sheet_batch *, size_t n);
/* Of track l an entry comes, of which nothing was told in the piece. */
void tracks_list_in_batch(struct sheet_batch *, struct track_last *l, trk_id);
/* Of a crowd there was one, and now there is none. */
void tracks_note_empty_group(struct tracks *, uint32_t crowd);

/* It is there from now on, or is not. */
static inline void tracks_set_present(struct tracks *k, struct track_last *l, trk_id trk, bool there)
{
	uint32_t more = there ? 1 : UINT32_MAX;
	if (there == !!(l->life & THERE))
		return;
	k->there += more;
	l->life ^= THERE;
	if (!k->of && !(k->crowd[trk / SHEET_CROWD] += more))
		tracks_note_empty_group(k, trk / SHEET_CROWD);
}

/* One more entry. The sheet is laid out by how many there are. */
static inline void tracks_count_entry(struct sheet_batch *p, struct track_last *l, trk_id trk, bool first)
{
	if (!(l->life & LISTED))
		tracks_list_in_batch(p, l, trk);
	l->first |= first;
	l->n += !first;
	l->life |= first ? 0 : TOLD;
}

/* So many entries are a piece, more where many tracks are there. */
static inline size_t tracks_batch_size(const struct tracks *k)
{
	size_t n = (size_t)SEAL_ROW * k->there;
	if (n <= k->least || (k->st->keep && mem_limit_is_small()))
		return k->least;
	return n > SEAL_MOST ? SEAL_MOST : n;
}

#endif
