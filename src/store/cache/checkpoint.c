/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Checkpoints at the borders of generations: see cache/checkpoint.h. A generation is read again from the state that the
 * reader and the sheet builder had when it began. Both are bytes here: only the reader interprets its state, and the
 * live tracks of the builder are written as small varints, track numbers as differences. Entries that were read but not
 * sealed yet are kept beside them unchanged.
 *
 * The tables of a generation (the store's ids of its strings and stacks) are kept when its state is dropped, since they
 * cannot be made again without adding to the store.
 */
#include "config.h"
#include "store/cache/checkpoint.h"

#include "base/bsearch.h"
#include "base/byte_cursor.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "store/tracks/tracks.h"

#include <string.h>

static void *bulk_copy(const void *p, size_t n)
{
	return n ? memcpy(mem_bulk(n), p, n) : NULL;
}

static void bulk_free(const void *p, size_t n)
{
	if (p)
		mem_bulk_free((void *)(uintptr_t)p, n);
}

/* Return the bytes of the waiting entries. */
static size_t waiting_bytes(const struct checkpoint *b)
{
	return b->nwait * sizeof *b->wait;
}

struct checkpoint *checkpoint_new(const struct sink_checkpoint *gen, int64_t sealed, const struct sheet_batch *waits)
{
	struct checkpoint *b = xcalloc(1, sizeof *b);
	b->gen = *gen;
	b->gen.tables = mem_copy(gen->tables, gen->ntables);
	b->gen.state = bulk_copy(gen->state, gen->nstate);
	b->sealed = sealed;
	b->past = waits->past;
	b->nwait = waits->n;
	b->wait = bulk_copy(waits->entry, waiting_bytes(b));
	return b;
}

static size_t state_size(const struct checkpoint *b)
{
	return b->gen.nstate + b->live.n + waiting_bytes(b);
}

static void free_state(struct checkpoint *b)
{
	bulk_free(b->gen.state, b->gen.nstate);
	bulk_free(b->wait, waiting_bytes(b));
	bulk_free(b->live.p, b->live.n);
	b->live = (struct buf){0};
	b->gen.state = NULL;
	b->gen.nstate = b->nwait = 0;
	b->wait = NULL;
}

void checkpoint_free(struct checkpoint *b)
{
	if (!b)
		return;
	free_state(b);
	mem_free((void *)(uintptr_t)b->gen.tables);
	mem_free(b);
}

void checkpoint_save_live(struct checkpoint *b, const struct sheet_builder *s)
{
	struct buf live = {0};
	for (int k = 0; k < 2; k++) {
		trk_id last = 0;
		buf_varint(&live, s->alive[k].n);
		for (size_t i = 0; i < s->alive[k].n; i++) {
			trk_id t = s->alive[k].v[i];
			buf_varint(&live, t - last);
			buf_varint(&live, s->live[t].state);
			buf_varint(&live, s->live[t].peer);
			buf_varint(&live, s->live[t].stack);
			last = t;
		}
	}
	b->live.p = bulk_copy(live.p, live.n);
	b->live.n = live.n;
	buf_free(&live);
}

void checkpoint_restore(const struct checkpoint *b, struct sheet_builder *s, uint32_t ntrks, struct tracks *k)
{
	struct byte_cursor c = byte_cursor_make(b->live.p, b->live.n, 0);
	sheet_build_reserve(s, ntrks);
	for (int kind = 0; kind < 2; kind++) {
		trk_id t = 0;
		for (uint64_t n = byte_cursor_uvarint(&c); n; n--) {
			t += (trk_id)byte_cursor_uvarint(&c);
			uint8_t state = (uint8_t)byte_cursor_uvarint(&c);
			uint32_t peer = (uint32_t)byte_cursor_uvarint(&c);
			sheet_build_set_live(s, kind, t, &(struct sheet_live){
			    .peer = peer, .stack = (stk_id)byte_cursor_uvarint(&c), .state = state });
			tracks_restore_state(k, t, kind, state);
		}
	}
}

struct checkpoint *checkpoint_copy(const struct checkpoint *b)
{
	if (!b)
		return NULL;
	struct checkpoint *c = xmalloc(sizeof *c);
	*c = *b;
	c->gen.tables = NULL;
	c->gen.ntables = 0;
	c->gen.state = bulk_copy(b->gen.state, b->gen.nstate);
	c->wait = bulk_copy(b->wait, waiting_bytes(b));
	c->live = (struct buf){ .p = bulk_copy(b->live.p, b->live.n), .n = b->live.n };
	return c;
}

/* ---- the list */

struct checkpoint_list *checkpoint_list_new(size_t limit)
{
	struct checkpoint_list *k = xmalloc(sizeof *k);
	*k = (struct checkpoint_list){ .lock = lock_new(), .stride = 1, .limit = limit };
	return k;
}

void checkpoint_list_free(struct checkpoint_list *k)
{
	if (!k)
		return;
	for (uint32_t i = 0; i < k->n; i++)
		checkpoint_free(k->v[i]);
	lock_free(k->lock);
	mem_free(k->v);
	mem_free(k);
}

/* Double the stride and drop the states that are no longer on it. */
static void drop_every_other(struct checkpoint_list *k)
{
	k->stride *= 2;
	k->states = 0;
	for (uint32_t i = 0; i < k->n; i++) {
		if ((i + 1) % k->stride)
			free_state(k->v[i]);
		k->states += state_size(k->v[i]);
	}
}

void checkpoint_list_add(struct checkpoint_list *k, struct checkpoint *b)
{
	lock_acquire(k->lock);
	k->v = mem_grow(k->v, &k->room, k->n + 1u, sizeof(struct checkpoint *));
	k->v[k->n++] = b;
	if (b->gen.end - b->gen.at > k->largest)
		k->largest = (size_t)(b->gen.end - b->gen.at);
	if (k->n % k->stride)
		free_state(b);
	k->states += state_size(b);
	while (k->states > k->limit && k->stride < k->n)
		drop_every_other(k);
	lock_release(k->lock);
}

uint32_t checkpoint_generation(const struct checkpoint_list *k, uint32_t sheet)
{
	struct bsearch_probe h = {.hi = k->n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, k->v[h.at]->sheet <= sheet);
	return h.lo;
}

uint32_t checkpoint_first_sheet(const struct checkpoint_list *k, uint32_t gen)
{
	return gen ? k->v[gen - 1]->sheet : 0;
}

uint32_t checkpoint_nearest(const struct checkpoint_list *k, uint32_t gen)
{
	while (gen && !k->v[gen - 1]->gen.nstate)
		gen--;
	return gen;
}
