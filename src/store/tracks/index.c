/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Finds the track of a goroutine, a P or an M. The runtime numbers goroutines 1, 2, 3 ..., so their tracks are found in
 * an array by number. Ps, Ms, and goroutines whose numbers are far above their count (as in damaged files) use a hash
 * table. A goroutine stays where it was stored first, so once the table holds any goroutine, it is searched for all
 * that the array does not have. At the end the array, without its empty elements, is the list of goroutines by number,
 * and needs no sorting. The road not taken is the hash table alone: with a million goroutines each lookup waits for
 * memory twice.
 */
#include "config.h"
#include "store/tracks/index.h"

#include "base/mem/mem.h"
#include "base/radix_sort.h"

enum { GIDS_MIN = 1 << 16 };

struct track_key { enum track_kind kind; uint64_t id; };

static int track_eq(const void *ctx, uint32_t i, const void *key)
{
	const struct track_key *want = key;
	const struct trk_row *r = store_trk(ctx, i);
	return r->kind == want->kind && r->id == want->id;
}

/* Return the array element of goroutine id, or NULL when the id is too large for the array. */
static trk_id *gid_at(struct tracks_index *x, const struct store *st, uint64_t id)
{
	if (id < x->gids.prefaulted)
		return &x->gid[id];
	if (id >= x->gids.n && id > GIDS_MIN + 4 * (uint64_t)column_n(&st->trks))
		return NULL;
	x->gids.width = sizeof *x->gid;
	x->gid = page_array_reserve(&x->gids, id + 1);
	return &x->gid[id];
}

/* Return the track, or 0 when there is none. */
static trk_id find_track(const struct tracks_index *x, const struct store *st, enum track_kind kind, uint64_t id)
{
	struct track_key key = { kind, id };
	if (kind == TK_G && id < x->gids.n && x->gid[id])
		return x->gid[id];
	uint32_t i = intern_find(&x->index, intern_hash_u64(id, kind), track_eq, st, &key);
	return i == UINT32_MAX ? 0 : i;
}

trk_id tracks_index_add(struct tracks_index *x, struct store *st, enum track_kind kind, uint64_t id)
{
	if (id >> TRK_ID_BITS)	/* damage: the row has no room for it */
		return 0;
	trk_id *slot = kind == TK_G ? gid_at(x, st, id) : NULL, i = slot ? *slot : 0;
	if (!i && (!slot || x->far))
		i = find_track(x, st, kind, id);
	if (i)
		return i;
	struct trk_row *r = column_add(&st->trks, &i);
	r->kind = kind;
	r->id = id;
	trk_set(r->t0, TIME_NONE);
	if (slot) {
		*slot = i;
	} else {
		intern_put(&x->index, intern_hash_u64(id, kind), i);
		x->far += kind == TK_G;
	}
	if (kind != TK_G) {
		x->others.v = mem_grow(x->others.v, &x->cothers, x->others.n + 1u, sizeof *x->others.v);
		x->others.v[x->others.n++] = i;
	}
	return i;
}

/* Make the lists of Ps and Ms, each sorted by number, one after the other in others.v. */
static void number_others(struct tracks_index *x, struct store *st)
{
	struct radix_item *key = xmalloc((x->others.n + 1u) * sizeof *key);
	trk_id *to = x->others.v = mem_grow(x->others.v, &x->cothers, 1, sizeof *to);
	for (unsigned kind = TK_NONE; kind < TK_G; kind++) {
		struct trk_list *l = &st->numbered[kind];
		*l = (struct trk_list){ .v = to };
		for (uint32_t i = 0; i < x->others.n; i++) {
			const struct trk_row *r = store_trk(st, x->others.v[i]);
			if (r->kind == kind)
				key[(to - x->others.v) + l->n++] = (struct radix_item){ r->id, x->others.v[i] };
		}
		radix_sort_items(key + (to - x->others.v), l->n);
		to += l->n;
	}
	for (uint32_t i = 0; i < x->others.n; i++)
		x->others.v[i] = key[i].v;
	mem_free(key);
}

void tracks_index_sort(struct tracks_index *x, struct store *st)
{
	if (x->far)
		return;
	uint32_t n = 0;
	for (size_t id = 0; id < x->gids.prefaulted; id++)
		if (x->gid[id])
			x->gid[n++] = x->gid[id];
	st->numbered[TK_G] = (struct trk_list){ x->gid, n };
	number_others(x, st);
	intern_free(&x->index);
	st->has_numbered = true;
}

void tracks_index_free(struct tracks_index *x)
{
	intern_free(&x->index);
	page_array_free(&x->gids);
	mem_free(x->others.v);
	x->others = (struct trk_list){0};
	x->cothers = 0;
	x->gid = NULL;
}
