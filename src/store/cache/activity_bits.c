/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Which tracks change state in a sheet: see activity_bits.h. Two bits per track are little in one sheet, but a long
 * trace has many sheets.
 *
 * Of a million goroutines fifty may live. So only blocks of BLOCK neighbouring tracks with at least one in the sheet
 * are kept: the size depends on the rows of the sheet, not on the number of tracks so far.
 */
#include "config.h"
#include "store/cache/activity_bits.h"

#include "base/bsearch.h"
#include "base/mem/mem.h"
#include "store/tracks/sheet_build.h"

enum { SHARE = 32 };	/* a map takes at most 1/SHARE of its sheet's bytes */
enum { BLOCK = 512, BYTES = BLOCK / 4 };

/* The numbers of the blocks, ascending, followed by BYTES for each, with four tracks per byte. */
struct activity_blocks { uint32_t n, block[]; };

struct activity_map { struct arena arena; };

struct activity_map *activity_new(void)
{
	return xcalloc(1, sizeof(struct activity_map));
}

void activity_free(struct activity_map *k)
{
	if (!k)
		return;
	arena_free(&k->arena);
	mem_free(k);
}

/* Reads the rows of a sheet by ascending track, of all kinds; starts at { 0, nother }. */
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

/* Fill blocks_of() blocks, which are zero. */
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
	}
}

/* Returns NULL when the map would take more than 1/SHARE of the sheet: it has many rows with little in them. */
const struct activity_blocks *activity_add_sheet(struct activity_map *k, const struct sheet *sh)
{
	uint32_t n = blocks_of(sh);
	size_t bytes = sizeof(struct activity_blocks) + n * (sizeof(uint32_t) + (size_t)BYTES);
	if (bytes > sh->bytes / SHARE)
		return NULL;
	struct activity_blocks *s = arena_zalloc(&k->arena, bytes);
	s->n = n;
	fill_blocks(s, sh);
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
