/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Which tracks a sheet changes: see activity_bits.h. Two bits a track are little of a sheet, but there are as
 * many sheets as the trace is long, and with half a million goroutines that live they were a quarter of
 * a small -mem. Who looks asks for one track in sheet after sheet, and seldom. So they lie on disk, one
 * behind the other, where there is any.
 *
 * Of a million goroutines fifty may live: only of those BLOCK neighbours is anything kept of which one is
 * there. So it is as long as the sheet has rows, not as there have been tracks.
 */
#include "config.h"
#include "store/cache/activity_bits.h"

#include "base/bsearch.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "store/tracks/sheet_build.h"

enum { SHARE = 32 };	/* of a sheet's bytes that they may take */
enum { BLOCK = 512, BYTES = BLOCK / 4 };

/* Blocks, by number, and behind them BYTES of each, four tracks a byte. */
struct still_blocks { uint32_t n, block[]; };

struct stills {
	struct lock *lock;	/* of the list of blocks: others let them rest */
	struct arena arena;
};

struct stills *stills_new(void)
{
	struct stills *k = xcalloc(1, sizeof *k);
	k->lock = lock_new();
	k->arena.spills = true;
	return k;
}

void stills_free(struct stills *k)
{
	if (!k)
		return;
	arena_free(&k->arena);
	lock_free(k->lock);
	mem_free(k);
}

/* Rows of a sheet by track, of all kinds: from (0, nother) to (nother, ntrk). */
struct rows { uint32_t other, g; };

static uint32_t rows_next(const struct sheet *sh, struct rows *r)
{
	bool g = r->other == sh->nother || (r->g < sh->ntrk && sh->trk[r->g] < sh->trk[r->other]);
	return g ? r->g++ : r->other++;
}

static uint32_t blocks_of(const struct sheet *sh)
{
	struct rows r = { 0, sh->nother };
	uint32_t n = 0, last = UINT32_MAX;
	for (uint32_t i = 0; i < sh->ntrk; i++) {
		uint32_t b = sh->trk[rows_next(sh, &r)] / BLOCK;
		n += b != last;
		last = b;
	}
	return n;
}

static uint8_t *bytes_of(const struct still_blocks *s, uint32_t k)
{
	return (uint8_t *)(uintptr_t)(s->block + s->n) + (size_t)k * BYTES;
}

/* As many as blocks_of() says, all zero. */
static void fill(struct still_blocks *s, const struct sheet *sh)
{
	struct rows r = { 0, sh->nother };
	uint32_t k = 0;
	for (uint32_t i = 0; i < sh->ntrk; i++) {
		uint32_t row = rows_next(sh, &r), first = sh->first[row];
		trk_id t = sh->trk[row];
		bool same = sh->first[row + 1] - first == 1 && sh->state[first] & SHEET_CONT;
		k += i && s->block[k] != t / BLOCK;
		s->block[k] = t / BLOCK;
		bytes_of(s, k)[t % BLOCK / 4] |= (uint8_t)((same ? STILL_SAME : STILL_MOVES) << t % 4 * 2);
		if (i % SHEET_PASS == SHEET_PASS - 1)
			sheet_rest(sh);
	}
}

/* Where rows are so many, and have so little in them, that it is not worth it: NULL. */
const struct still_blocks *stills_add(struct stills *k, const struct sheet *sh)
{
	uint32_t n = blocks_of(sh);
	size_t bytes = sizeof(struct still_blocks) + n * (sizeof(uint32_t) + (size_t)BYTES);
	if (bytes > sh->bytes / SHARE)
		return NULL;
	lock_take(k->lock);
	struct still_blocks *s = arena_zalloc(&k->arena, bytes);
	lock_give(k->lock);
	s->n = n;
	fill(s, sh);
	stills_rest(k);
	return s;
}

int sheet_still(const struct snap *sn, uint32_t i, trk_id t)
{
	const struct still_blocks *s = store_slot(sn->st, i)->still;
	if (sheet_at_hand(sn, i) || !s)
		return -1;
	struct halve h = { .hi = s->n };
	while (halve(&h))
		halve_on(&h, s->block[h.at] < t / BLOCK);
	if (h.lo == s->n || s->block[h.lo] != t / BLOCK)
		return STILL_ABSENT;
	int v = bytes_of(s, (uint32_t)h.lo)[t % BLOCK / 4] >> t % 4 * 2 & 3;
	return v == STILL_MOVES ? -1 : v;
}

void stills_rest(struct stills *k)
{
	if (!lock_try(k->lock))
		return;
	arena_rest(&k->arena);
	lock_give(k->lock);
}
