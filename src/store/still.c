/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Which tracks a sheet changes: see still.h. Two bits a track are little of a sheet, but there are as
 * many sheets as the trace is long, and with half a million goroutines that live they were a quarter of
 * a small -mem. Who looks asks for one track in sheet after sheet, and seldom. So they lie on disk, one
 * behind the other, where there is any.
 */
#include "config.h"
#include "store/still.h"

#include "base/job.h"
#include "base/mem.h"

enum { SHARE = 32 };	/* of a sheet's bytes that they may take */

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

/* Where tracks are many and few of them live it is not worth it. */
const uint8_t *stills_add(struct stills *k, const struct sheet *sh, uint32_t ntrks)
{
	size_t n = ntrks / 4 + 1;
	if (n > sh->bytes / SHARE)
		return NULL;
	lock_take(k->lock);
	uint8_t *still = arena_zalloc(&k->arena, n);
	lock_give(k->lock);
	for (uint32_t r = 0; r < sh->ntrk; r++) {
		trk_id t = sh->trk[r];
		bool same = sh->first[r + 1] - sh->first[r] == 1 && sh->state[sh->first[r]] & SHEET_CONT;
		still[t / 4] |= (uint8_t)((same ? STILL_SAME : STILL_MOVES) << t % 4 * 2);
	}
	stills_rest(k);
	return still;
}

void stills_rest(struct stills *k)
{
	if (!lock_try(k->lock))
		return;
	arena_rest(&k->arena);
	lock_give(k->lock);
}
