/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_SHEET_ENCODE_H
#define TTRACE_STORE_TRACKS_SHEET_ENCODE_H

#include "store/tracks/sheet_build.h"

/* A sheet in the making: sheet_build.c lays it out and finds the entry of each interval; sheet_encode.c fills it. */
struct sheet_draft {
	struct sheet *sh;
	trk_id *trk;
	uint32_t *first, *edge;
	trk_id *edge_from;
	uint16_t *peer2, *stack2;
	uint8_t *state, *start;
	unsigned each;		/* bytes of an element of start[] */
	stk_id *stack4;
	int64_t (*sum)[TS__N];
	struct sheet_sparse *whose, *stacked;
	size_t peer_at;		/* offset of the last part, which may need less than its room */
};

enum { NARROW = 1 << 16 };	/* up to this count, numbers of tracks or stacks take two bytes */

/* Return the number of running sums: one per SHEET_STEP intervals, and those of rows. */
static inline size_t sheet_sums_n(const struct sheet *sh)
{
	return (size_t)sh->n / SHEET_STEP + 1 + sheet_summed(sh) + 1;
}

/* Return the number of struct sheet_sparse for n intervals. */
static inline size_t sheet_sparse_words(size_t n)
{
	return n / 32 + 1;
}

/* Return the entry at an offset in the batch, in words; HEAD stands for no entry. With this unit the address needs the
   fewest instructions. */
#define HEAD UINT32_MAX
enum { WORD = 8, ENTRY_WORDS = sizeof(struct sink_enter) / WORD };
_Static_assert(sizeof(struct sink_enter) % WORD == 0, "entries are whole words");
_Static_assert((uint64_t)SHEET_MOST * ENTRY_WORDS < HEAD, "the last entry can be named");

static inline const struct sink_enter *entry_at(const struct sink_enter *entry, uint32_t words)
{
	return (const void *)((const char *)entry + (size_t)words * WORD);
}

enum { AHEAD = 16 };	/* distance in intervals for prefetching entries */

/* Fill the rows in steps: sheet_encode_rows() returns true after the last one. pos[] must be zero before the first
   step, and is zero again after sheet_encode_finish(), which frees the encoder and returns the used bytes of the last
   part, from b->peer_at on. */
struct sheet_encoder *sheet_encode_begin(
    struct sheet_builder *, const struct sheet_draft *, const struct sheet_batch *);
bool sheet_encode_rows(
    struct sheet_builder *, const struct sheet_draft *, struct sheet_encoder *, const struct sheet_batch *);
size_t sheet_encode_finish(
    struct sheet_builder *, struct sheet_draft *, struct sheet_encoder *, const struct sheet_batch *);

#endif
