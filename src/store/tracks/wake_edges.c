/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Walks over wake and creation edges. Each sheet has the intervals that started with one, ordered by (waker, time); a
 * walk steps from sheet to sheet and finds its place in each by binary search: first among the peers of every EDGE_STEP-th
 * edge, which are in an array of their own, since those of other edges must be decoded. No walk is needed to find the
 * waker of a goroutine: the runnable interval names it.
 */
#include "config.h"
#include "store/tracks/wake_edges.h"

#include "base/bsearch.h"
#include "base/mem/mem.h"

/* Return the index of the first of the steps of edges whose peer is `from` or later; after: whose peer is later. */
static uint32_t find_step(const struct sheet *sh, trk_id from, bool after)
{
	struct bsearch_probe h = {.hi = (sh->nedge + EDGE_STEP - 1) / EDGE_STEP};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, sh->edge_from[h.at] < from || (after && sh->edge_from[h.at] == from));
	return (uint32_t)h.lo;
}

uint32_t wake_edges_find(const struct sheet *sh, trk_id from, int64_t t)
{
	uint32_t first = find_step(sh, from, false), end = first;
	if (first * EDGE_STEP < sh->nedge && sh->edge_from[first] == from)	/* it has many */
		end = find_step(sh, from, true);
	struct bsearch_probe h = {.lo = first ? (first - 1) * (size_t)EDGE_STEP : 0, .hi = end * (size_t)EDGE_STEP};
	h.hi = h.hi < sh->nedge ? h.hi : sh->nedge;
	while (bsearch_probe(&h)) {
		uint32_t i = sh->edge[h.at] & ~EDGE_CREATED;
		trk_id peer = sheet_peer(sh, i);
		bsearch_narrow(&h, peer != from ? peer < from : sh->t0 + sheet_start(sh, i) < t);
	}
	return (uint32_t)h.lo;
}

/* Return the first edge from k on whose waker is `from` or a later one; with `after`, whose waker is later than `from`. If
   the first edge of a step has an earlier waker, the previous step is skipped without decoding it. */
static uint32_t skip_edges(const struct sheet *sh, trk_id from, bool after, uint32_t k)
{
	uint32_t steps = (sh->nedge + EDGE_STEP - 1) / EDGE_STEP, at = k / EDGE_STEP + 1;
	while (at < steps && (sh->edge_from[at] < from || (after && sh->edge_from[at] == from)))
		k = EDGE_STEP * at++;
	for (; k < sh->nedge; k++) {
		trk_id peer = sheet_peer(sh, sh->edge[k] & ~EDGE_CREATED);
		if (peer > from || (!after && peer == from))
			break;
	}
	return k;
}

uint32_t wake_edges_of(const struct sheet *sh, trk_id from, uint32_t *k)
{
	*k = skip_edges(sh, from, false, *k);
	return skip_edges(sh, from, true, *k);
}

static struct edge edge_at(const struct sheet *sh, uint32_t k)
{
	uint32_t i = sh->edge[k] & ~EDGE_CREATED;
	return (struct edge){sh->t0 + sheet_start(sh, i), sheet_peer(sh, i), sh->trk[sheet_row_of(sh, i)],
	    sheet_stack(sh, i), (sh->edge[k] & EDGE_CREATED) != 0};
}

bool wake_edges_next(
    const struct snap *sn, struct wake_edges_walk *w, trk_id from, int64_t t0, int64_t t1, struct edge *out)
{
	for (; w->sheet < sn->nsheets; w->sheet++, w->i = 0) {
		const struct sheet_slot *slot = store_slot(sn->st, w->sheet);
		if (slot->t0 >= t1)
			break;
		if (slot->t1 <= t0)
			continue;
		const struct sheet *sh = sheet_get(sn, w->sheet);
		uint32_t k = w->i ? w->i : wake_edges_find(sh, from, t0);
		if (k >= sh->nedge)
			continue;
		uint32_t i = sh->edge[k] & ~EDGE_CREATED;
		int64_t t = sh->t0 + sheet_start(sh, i);
		if (t >= t1 || sheet_peer(sh, i) != from)
			continue;
		w->i = k + 1;
		*out = edge_at(sh, k);
		return true;
	}
	return false;
}

enum { FEW = 32 };	/* up to this many Gs are searched in each sheet; with more, all its edges are read */
struct first { const struct wake_edges_query *q; struct edge *e; uint32_t *k; bool any; };

static void consider_edge(struct first *f, const struct sheet *sh, uint32_t at, uint32_t k)
{
	int64_t t = sh->t0 + sheet_start(sh, sh->edge[at] & ~EDGE_CREATED);
	if (t < f->q->t0 || t >= f->q->t1 || (f->any && (t > f->e->t || (t == f->e->t && k >= *f->k))))
		return;
	*f->e = edge_at(sh, at);
	*f->k = k;
	f->any = true;
}

/* of: by track, its index in from[] plus 1; NULL when there are few Gs. */
static void first_in(struct first *f, const struct snap *sn, const struct sheet *sh, const uint32_t *of)
{
	for (uint32_t k = 0; !of && k < f->q->n; k++) {
		uint32_t at = wake_edges_find(sh, f->q->from[k], f->q->t0);
		if (at < sh->nedge && sheet_peer(sh, sh->edge[at] & ~EDGE_CREATED) == f->q->from[k])
			consider_edge(f, sh, at, k);
	}
	for (uint32_t at = 0; of && at < sh->nedge; at++) {
		trk_id peer = sheet_peer(sh, sh->edge[at] & ~EDGE_CREATED);
		if (peer < sn->ntrks && of[peer])
			consider_edge(f, sh, at, of[peer] - 1);
	}
}

bool wake_edges_first(const struct snap *sn, const struct wake_edges_query *q, struct edge *e, uint32_t *k, bool *all)
{
	struct first f = {.q = q, .e = e, .k = k};
	uint32_t *of = q->n > FEW ? xcalloc(sn->ntrks + 1u, sizeof *of) : NULL;
	for (uint32_t i = q->n; of && i-- > 0;)
		of[q->from[i]] = i + 1;
	*all = true;
	for (uint32_t s = 0; s < sn->nsheets && !f.any && *all; s++) {
		const struct sheet_slot *slot = store_slot(sn->st, s);
		if (slot->t0 >= q->t1)
			break;
		if (slot->t1 <= q->t0)
			continue;
		*all = watcher_report(&q->on, s, sn->nsheets);
		if (!*all)
			break;
		first_in(&f, sn, sheet_get(sn, s), of);
	}
	mem_free(of);
	return f.any;
}
