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
struct activity_blocks { uint32_t n, block[]; };

struct activity_map {
	struct lock *lock;	/* of the list of blocks: others let them rest */
	struct arena arena;
};

struct activity_map *activity_new(void)
{
	struct activity_map *k = xcalloc(1, sizeof *k);
	k->lock = lock_new();
	k->arena.spills = true;
	return k;
}

void activity_free(struct activity_map *k)
{
	if (!k)
		return;
	arena_free(&k->arena);
	lock_free(k->lock);
	mem_free(k);
}

/* Rows of a sheet by track, of all kinds: from (0, nother) to (nother, ntrk). */
struct row_cursor { uint32_t other, g; };

static uint32_t rows_next(const struct sheet *sh, struct row_cursor *r)
{
	bool g = r->other == sh->nother || (r->g < sh->ntrk && sh->trk[r->g] < sh->trk[r->other]);
	return g ? r->g++ : r->other++;
}

static uint32_t blocks_of(const struct sheet *sh)
{
	struct row_cursor r = { 0, sh->nother };
	uint32_t n = 0, last = UINT32_MAX;
	for (uint32_t i = 0; i < sh->ntrk; i++) {
		uint32_t b = sh->trk[rows_next(sh, &r)] / BLOCK;
		n += b != last;
		last = b;
	}
	return n;
}

static uint8_t *bytes_of(const struct activity_blocks *s, uint32_t k)
{
	return (uint8_t *)(uintptr_t)(s->block + s->n) + (size_t)k * BYTES;
}

/* As many as blocks_of() says, all zero. */
static void fill_blocks(struct activity_blocks *s, const struct sheet *sh)
{
	struct row_cursor r = { 0, sh->nother };
	uint32_t k = 0;
	for (uint32_t i = 0; i < sh->ntrk; i++) {
		uint32_t row = rows_next(sh, &r), first = sh->first[row];
		trk_id t = sh->trk[row];
		bool same = sh->first[row + 1] - first == 1 && sh->state[first] & SHEET_CONT;
		k += i && s->block[k] != t / BLOCK;
		s->block[k] = t / BLOCK;
		bytes_of(s, k)[t % BLOCK / 4] |= (uint8_t)((same ? ACTIVITY_UNCHANGED : ACTIVITY_CHANGES) << t % 4 * 2);
		if (i % SHEET_PASS == SHEET_PASS - 1)
			sheet_release_pages(sh);
	}
}

/* Where rows are so many, and have so little in them, that it is not worth it: NULL. */
const struct activity_blocks *activity_add_sheet(struct activity_map *k, const struct sheet *sh)
{
	uint32_t n = blocks_of(sh);
	size_t bytes = sizeof(struct activity_blocks) + n * (sizeof(uint32_t) + (size_t)BYTES);
	if (bytes > sh->bytes / SHARE)
		return NULL;
	lock_acquire(k->lock);
	struct activity_blocks *s = arena_zalloc(&k->arena, bytes);
	lock_release(k->lock);
	s->n = n;
	fill_blocks(s, sh);
	activity_release_pages(k);
	return s;
}

int activity_of_track(const struct snap *sn, uint32_t i, trk_id t)
{
	const struct activity_blocks *s = store_slot(sn->st, i)->activity;
	if (sheet_is_resident(sn, i) || !s)
		return -1;
	struct bsearch_probe h = { .hi = s->n };
	while (bsearch_probe(&h))
		bsearch_narrow(&h, s->block[h.at] < t / BLOCK);
	if (h.lo == s->n || s->block[h.lo] != t / BLOCK)
		return ACTIVITY_ABSENT;
	int v = bytes_of(s, (uint32_t)h.lo)[t % BLOCK / 4] >> t % 4 * 2 & 3;
	return v == ACTIVITY_CHANGES ? -1 : v;
}

void activity_release_pages(struct activity_map *k)
{
	if (!lock_try(k->lock))
		return;
	arena_release_pages(&k->arena);
	lock_release(k->lock);
}
