/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Borders of generations: see cache/checkpoint.h. A generation is read again from what its
 * reader and the sealer knew when it began. Both are bytes here: nobody looks into
 * the reader's state but the reader, and of the sealer's what lives is written as
 * numbers that are small, ascending tracks by their difference. What the reader
 * had told and nobody had sealed yet is kept beside it as it was.
 *
 * The tables of a generation (what the store calls its strings and stacks) stay
 * when its state goes, for they cannot be made again without adding to the store.
 */
#include "config.h"
#include "store/cache/checkpoint.h"

#include "base/bsearch.h"
#include "base/byte_cursor.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "store/tracks/tracks.h"

#include <string.h>

/* A copy of bytes that are seldom looked at. */
static void *aside(const void *p, size_t n, bool *spilled)
{
	enum { LARGE = 1 << 18 };
	void *to = mem_tight() && n >= LARGE ? mem_spilled(n) : NULL;
	*spilled = to;
	if (!to)
		return mem_copy(p, n);
	memcpy(to, p, n);
	mem_spilled_rest(to, n);
	return to;
}

static void aside_free(const void *p, size_t n, bool spilled)
{
	if (spilled)
		mem_spilled_free((void *)(uintptr_t)p, n);
	else
		mem_free((void *)(uintptr_t)p);
}

/* Bytes of what waits. */
static size_t waiting(const struct border *b)
{
	return b->nwait * sizeof *b->wait;
}

struct border *border_new(const struct sink_keep *gen, int64_t sealed, const struct sheet_piece *waits)
{
	struct border *b = xcalloc(1, sizeof *b);
	b->gen = *gen;
	b->gen.tables = mem_copy(gen->tables, gen->ntables);
	b->gen.state = aside(gen->state, gen->nstate, &b->state_spilled);
	b->sealed = sealed;
	b->past = waits->past;
	b->nwait = waits->n;
	b->wait = aside(waits->entry, waiting(b), &b->wait_spilled);
	return b;
}

static size_t state_size(const struct border *b)
{
	return b->gen.nstate + b->live.n + waiting(b);
}

static void forget(struct border *b)
{
	aside_free(b->gen.state, b->gen.nstate, b->state_spilled);
	aside_free(b->wait, waiting(b), b->wait_spilled);
	aside_free(b->live.p, b->live.n, b->live_spilled);
	b->live = (struct buf){0};
	b->gen.state = NULL;
	b->gen.nstate = b->nwait = 0;
	b->wait = NULL;
}

void border_free(struct border *b)
{
	if (!b)
		return;
	forget(b);
	mem_free((void *)(uintptr_t)b->gen.tables);
	mem_free(b);
}

void border_put(struct border *b, const struct sealer *s)
{
	struct buf live = {0};
	for (int k = 0; k < 2; k++) {
		trk_id last = 0;
		buf_varint(&live, s->alive[k].n);
		for (size_t i = 0; i < s->alive[k].n; i++) {
			trk_id t = s->alive[k].v[i];
			buf_varint(&live, t - last);
			buf_varint(&live, s->live[t].state);
			buf_varint(&live, s->live[t].who);
			buf_varint(&live, s->live[t].stack);
			last = t;
		}
	}
	b->live.p = aside(live.p, live.n, &b->live_spilled);
	b->live.n = live.n;
	buf_free(&live);
}

void border_get(const struct border *b, struct sealer *s, uint32_t ntrks, struct tracks *k)
{
	struct cur c = cur_make(b->live.p, b->live.n, 0);
	sealer_room(s, ntrks);
	for (int kind = 0; kind < 2; kind++) {
		trk_id t = 0;
		for (uint64_t n = cur_uvarint(&c); n; n--) {
			t += (trk_id)cur_uvarint(&c);
			uint8_t state = (uint8_t)cur_uvarint(&c);
			uint32_t who = (uint32_t)cur_uvarint(&c);
			sealer_live(s, kind, t, &(struct sheet_live){
			    .who = who, .stack = (stk_id)cur_uvarint(&c), .state = state });
			tracks_was(k, t, kind, state);
		}
	}
}

struct border *border_copy(const struct border *b)
{
	if (!b)
		return NULL;
	struct border *c = xmalloc(sizeof *c);
	*c = *b;
	c->gen.tables = NULL;
	c->gen.ntables = 0;
	c->gen.state = aside(b->gen.state, b->gen.nstate, &c->state_spilled);
	c->wait = aside(b->wait, waiting(b), &c->wait_spilled);
	c->live = (struct buf){ .p = aside(b->live.p, b->live.n, &c->live_spilled), .n = b->live.n };
	return c;
}

/* ---- all of them */

struct borders *borders_new(size_t limit)
{
	struct borders *k = xmalloc(sizeof *k);
	*k = (struct borders){ .lock = lock_new(), .stride = 1, .limit = limit };
	return k;
}

void borders_free(struct borders *k)
{
	if (!k)
		return;
	for (uint32_t i = 0; i < k->n; i++)
		border_free(k->v[i]);
	lock_free(k->lock);
	mem_free(k->v);
	mem_free(k);
}

/* Every other state goes. */
static void thin(struct borders *k)
{
	k->stride *= 2;
	k->states = 0;
	for (uint32_t i = 0; i < k->n; i++) {
		if ((i + 1) % k->stride)
			forget(k->v[i]);
		k->states += state_size(k->v[i]);
	}
}

void borders_add(struct borders *k, struct border *b)
{
	lock_take(k->lock);
	k->v = mem_grow(k->v, &k->room, k->n + 1u, sizeof(struct border *));
	k->v[k->n++] = b;
	if (b->gen.end - b->gen.at > k->largest)
		k->largest = (size_t)(b->gen.end - b->gen.at);
	if (k->n % k->stride)
		forget(b);
	k->states += state_size(b);
	while (k->states > k->limit && k->stride < k->n)
		thin(k);
	lock_give(k->lock);
}

uint32_t borders_gen(const struct borders *k, uint32_t sheet)
{
	struct halve h = {.hi = k->n};
	while (halve(&h))
		halve_on(&h, k->v[h.at]->sheet <= sheet);
	return h.lo;
}

uint32_t borders_sheet(const struct borders *k, uint32_t gen)
{
	return gen ? k->v[gen - 1]->sheet : 0;
}

uint32_t borders_near(const struct borders *k, uint32_t gen)
{
	while (gen && !k->v[gen - 1]->gen.nstate)
		gen--;
	return gen;
}
