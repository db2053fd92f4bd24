/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Which track a goroutine, a processor or a thread is. Goroutines are numbered 1,
 * 2, 3 ... by the runtime, so their tracks are found in an array by number, which
 * may lie on disk where a trace is larger than the memory: of those that were, most
 * are not asked for again. Only numbers far beyond how many there are, as in
 * damaged files, and Ps and Ms go through a hash table; a goroutine stays where it
 * was put first, so once any has gone there, all that are not in the array are
 * looked for there. The road not taken is the hash table alone: with a million
 * goroutines each look waits for memory twice.
 */
#include "config.h"
#include "store/trkindex.h"

enum { GIDS_MIN = 1 << 16 };

struct track_key { enum track_kind kind; uint64_t id; };

static int track_eq(const void *ctx, uint32_t i, const void *key)
{
	const struct track_key *want = key;
	const struct trk_row *r = store_trk(ctx, i);
	return r->kind == want->kind && r->id == want->id;
}

/* The place for goroutine id in the array, NULL: it is too far. */
static trk_id *gid_at(struct trkindex *x, const struct store *st, uint64_t id)
{
	if (id < x->gids.met)
		return &x->gid[id];
	if (id >= x->gids.n && id > GIDS_MIN + 4 * (uint64_t)col_n(&st->trks))
		return NULL;
	x->gids.width = sizeof *x->gid;
	x->gid = shelf_room(&x->gids, id + 1);
	return &x->gid[id];
}

trk_id trkindex_find(const struct trkindex *x, const struct store *st, enum track_kind kind, uint64_t id)
{
	struct track_key key = { kind, id };
	if (kind == TK_G && id < x->gids.n && x->gid[id])
		return x->gid[id];
	uint32_t i = intern_find(&x->index, hash_u64(id, kind), track_eq, st, &key);
	return i == UINT32_MAX ? 0 : i;
}

trk_id trkindex_put(struct trkindex *x, struct store *st, enum track_kind kind, uint64_t id)
{
	trk_id *slot = kind == TK_G ? gid_at(x, st, id) : NULL, i = slot ? *slot : 0;
	if (!i && (!slot || x->far))
		i = trkindex_find(x, st, kind, id);
	if (i)
		return i;
	struct trk_row *r = col_add(&st->trks, &i);
	r->kind = kind;
	r->id = id;
	trk_set(r->t0, TIME_NONE);
	if (slot) {
		*slot = i;
	} else {
		intern_put(&x->index, hash_u64(id, kind), i);
		x->far += kind == TK_G;
	}
	return i;
}

void trkindex_free(struct trkindex *x)
{
	intern_free(&x->index);
	shelf_free(&x->gids);
	x->gid = NULL;
}
