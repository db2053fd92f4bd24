/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_SHEET_ENCODE_H
#define TTRACE_STORE_TRACKS_SHEET_ENCODE_H

#include "store/tracks/sheet_build.h"

/* A sheet between sheet_build.c, which lays it out and says which entry each interval is of, and sheet_encode.c. */
struct sheet_draft {
	struct sheet *sh;
	trk_id *trk;
	uint32_t *first, *edge;
	uint16_t *who2, *stack2;
	uint8_t *state, *start;
	unsigned each;		/* bytes of a start[] */
	stk_id *stack4;
	int64_t (*sum)[TS__N];
	struct sheet_sparse *whose, *stacked;
	size_t who_at;		/* where the last part begins, which may be less than there is room for */
};

enum { NARROW = 1 << 16 };	/* so many tracks, or stacks, have numbers of two bytes */

/* So many running sums there are: of steps, of rows. */
static inline size_t sheet_sums_n(const struct sheet *sh)
{
	return (size_t)sh->n / SHEET_STEP + 1 + sheet_summed(sh) + 1;
}

/* Words of bits for so many intervals. */
static inline size_t sheet_sparse_words(size_t n)
{
	return n / 32 + 1;
}

/* Where an entry lies in the piece, in words: no other unit is an address with less to do. */
#define HEAD UINT32_MAX
enum { WORD = 8, ENTRY_WORDS = sizeof(struct sink_enter) / WORD };
_Static_assert(sizeof(struct sink_enter) % WORD == 0, "entries are whole words");
_Static_assert((uint64_t)SHEET_MOST * ENTRY_WORDS < HEAD, "the last entry can be named");

static inline const struct sink_enter *entry_at(const struct sink_enter *entry, uint32_t words)
{
	return (const void *)((const char *)entry + (size_t)words * WORD);
}

enum { AHEAD = 16 };	/* intervals, for bringing what they are made of into the cache */

/* Rows are filled some at a time, until that says that these were all; pos[] is zero before the first, and is so again
   after the end, which frees what is known meanwhile and says how many bytes of the last part, from b->who_at on, are
   used. */
struct sheet_encoder *sheet_encode_begin(
    struct sheet_builder *, const struct sheet_draft *, const struct sheet_batch *);
bool sheet_encode_rows(
    struct sheet_builder *, const struct sheet_draft *, struct sheet_encoder *, const struct sheet_batch *);
size_t sheet_encode_finish(
    struct sheet_builder *, struct sheet_draft *, struct sheet_encoder *, const struct sheet_batch *);

#endif
