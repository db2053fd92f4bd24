/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Regions, by kind. A region's times are its goroutine's over the same time range, which
 * may extend over many sheets; regions nest, and regions of other goroutines start and end
 * in between. Evicted sheets are rebuilt in order. So all regions are processed in the
 * order of their starts, sheet by sheet: the sums of open regions are kept, and a region's
 * result is written when it ends. To process region by region, in the order of their ends,
 * would be half the code, and would read a file larger than memory again and again.
 */
#include "config.h"
#include "trace/stats/goroutine_stats.h"

#include "base/bsearch.h"
#include "base/intern.h"
#include "base/radix_sort.h"
#include "store/tracks/time_search.h"
#include "trace/bins.h"
#include "trace/bins_time.h"
#include "trace/stats/internal.h"

#include <stdlib.h>
#include <string.h>

struct kind_of { str_id name; frm_id frame; uint64_t pc; const struct store *st; uint32_t n, at, was; };
struct region_kind_table { struct intern index; struct kind_of *v; size_t cap; uint32_t n; };

static int same_kind(const void *v, uint32_t i, const void *key)
{
	const struct kind_of *x = (const struct kind_of *)v + i, *y = key;
	return x->name == y->name && x->frame == y->frame;
}

/* By name, then program counter. */
static int kind_cmp(const void *a, const void *b)
{
	const struct kind_of *x = a, *y = b;
	if (x->name != y->name)
		return stats_compare_names(x->st, x->name, y->name);
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static uint32_t kind_of(struct region_kind_table *k, const struct store *st, const struct sink_span *sp)
{
	frm_id f = stats_root_frame(st, sp->stack);
	struct kind_of key = { .name = sp->name, .frame = f, .st = st };
	uint32_t hash = intern_hash_u64(sp->name, f), i = intern_find(&k->index, hash, same_kind, k->v, &key);
	if (i == UINT32_MAX) {
		key.pc = f ? store_loc(st, store_frm(st, f)->loc)->addr : 0;
		key.was = i = k->n++;
		k->v = mem_grow(k->v, &k->cap, k->n, sizeof *k->v);
		k->v[i] = key;
		intern_put(&k->index, hash, i);
	}
	return i;
}

static bool region_selected(const struct snap *sn, const struct stats_query *q, const struct sink_span *sp)
{
	int64_t a, b;
	if (sp->kind != SP_REGION || sp->v0 & RG_LOOSE)
		return false;
	time_search_span_bounds(sn, sp, &a, &b);
	return (q->t0 == TIME_NONE || b >= q->t0) && (q->t1 == TIME_NONE || a < q->t1) &&
	    (!q->g || q->g[sp->trk >> 3] >> (sp->trk & 7) & 1) && (!q->region || q->region(q->arg, sp));
}

/* Sort the kinds and assign each its positions among all regions; place[i] becomes the next position for the kind with
   the old index i. */
static void put_kinds(struct stats_region_kinds *o, struct region_kind_table *k, uint32_t *place, struct arena *mem)
{
	o->n = k->n;
	o->kind = arena_alloc(mem, (k->n + 1u) * sizeof *o->kind);
	if (k->n)
		qsort(k->v, k->n, sizeof *k->v, kind_cmp);
	for (uint32_t i = 0; i < k->n; i++) {
		o->kind[i] = (struct stats_region_kind){ k->v[i].name, k->v[i].frame, o->nr, k->v[i].n };
		place[k->v[i].was] = o->nr;
		o->nr += k->v[i].n;
	}
}

/* ---- times of regions */

struct unfinished_region { uint32_t at; bool lives; trk_id trk; int64_t t0, t1, ns[TS__N]; };	/* at: in o->r */
struct begun { int64_t t0, t1; trk_id trk; uint32_t at; };	/* as in the span; at UINT32_MAX: none */
struct chunk { struct stats_part *next; uint32_t left, size; };
struct summing {
	const struct stats_index *s;
	const struct snap *sn;
	struct stats_region_kinds *o;
	const struct begun *begun;	/* the selected regions by start, with gaps */
	uint32_t n, next;
	struct chunk *chunk;		/* by kind: where the parts of its next region are stored */
	struct arena parts;		/* temporary parts */
	struct unfinished_region *open_region;
	size_t cap;
	uint32_t nopen;
	struct arena *mem;
	const struct progress_watcher *on;
};

/* Open a region. Add its time before the sheet: the order is not that of times if a start is unknown. */
static void begin_region(
    struct summing *k, const struct begun *x, const struct goroutine_times *g, const struct sheet_slot *slot)
{
	k->open_region = mem_grow(k->open_region, &k->cap, k->nopen + 1u, sizeof *k->open_region);
	struct unfinished_region *o = &k->open_region[k->nopen++];
	*o = (struct unfinished_region){
	    .at = x->at, .lives = stats_lives_to_end(k->s, g->trk, x->t1), .trk = g->trk, .t0 = g->t0, .t1 = g->t1};
	if (slot && g->t0 < slot->t0) {
		struct bin before;
		bins_sum(k->sn, g->trk, g->t0, g->t1 < slot->t0 ? g->t1 : slot->t0, &before);
		memcpy(o->ns, before.ns, sizeof o->ns);
		o->ns[TS_NONE] = 0;	/* computed at the end as the remaining time */
	}
}

/* Open the regions that start before the end of the sheet; without a sheet all remaining ones. */
static void begin_all(struct summing *k, const struct sheet_slot *slot)
{
	struct goroutine_times g;
	for (; k->next < k->n; k->next++) {
		const struct begun *x = &k->begun[k->next];
		if (x->at == UINT32_MAX || !stats_begin_account(k->s, x->trk, x->t0, x->t1, &g))
			continue;
		if (slot && g.t0 >= slot->t1)
			return;
		begin_region(k, x, &g, slot);
	}
}

/* Return the kind of a region. */
static uint32_t kind_at(const struct stats_region_kinds *o, uint32_t at)
{
	struct bsearch_probe h = {.hi = o->n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, o->kind[h.at].first <= at);
	return h.lo - 1;
}

/* Store parts of regions of one kind together, because they are read kind by kind. */
static const struct stats_part *keep_parts(struct summing *k, struct chunk *c, const struct stats_part *p, uint32_t n)
{
	enum { LEAST = 8, MOST = 512 };
	if (!n)
		return NULL;
	if (c->left < n) {
		c->size = !c->size ? LEAST : c->size < MOST ? c->size * 2 : MOST;
		c->left = c->size < n ? n : c->size;
		c->next = arena_alloc(k->mem, c->left * sizeof *c->next);
	}
	struct stats_part *to = memcpy(c->next, p, n * sizeof *to);
	c->next += n;
	c->left -= n;
	return to;
}

static void end(struct summing *k, const struct unfinished_region *x)
{
	struct stats_region *r = &k->o->r[x->at];
	struct goroutine_times g = { .trk = x->trk, .t0 = x->t0, .t1 = x->t1, .total = x->t1 - x->t0 };
	memcpy(g.ns, x->ns, sizeof g.ns);
	bins_add_rest(k->sn, x->t0, x->t1, g.ns);
	stats_finish_account(k->s, x->lives, &k->parts, &g);
	struct chunk *c = &k->chunk[kind_at(k->o, x->at)];
	r->nblock = g.nblock;
	r->nrange = g.nrange;
	r->total = g.total;
	r->exec = g.exec;
	r->ready = g.ready;
	r->syscall = g.syscall;
	r->sysblock = g.sysblock;
	r->unknown = g.unknown;
	r->block = keep_parts(k, c, g.block, g.nblock);
	r->range = keep_parts(k, c, g.range, g.nrange);
	arena_reset(&k->parts);
}

/* Add the time of the region in the sheet. */
static void add_sheet(struct unfinished_region *o, const struct sheet *sh)
{
	int32_t row = sheet_row(sh, o->trk);
	if (row >= 0)
		bins_add_row(sh, (uint32_t)row, o->t0, o->t1, o->ns);
}

static void sum_regions(struct summing *k)
{
	for (uint32_t i = 0; i < k->sn->nsheets && watcher_report(k->on, i, k->sn->nsheets); i++) {
		const struct sheet_slot *slot = store_slot(k->sn->st, i);
		begin_all(k, slot);
		if (!k->nopen)
			continue;
		const struct sheet *sh = sheet_get(k->sn, i);
		uint32_t n = 0;
		for (uint32_t x = 0; x < k->nopen; x++) {
			add_sheet(&k->open_region[x], sh);
			if (k->open_region[x].t1 <= slot->t1)
				end(k, &k->open_region[x]);
			else
				k->open_region[n++] = k->open_region[x];
		}
		k->nopen = n;
	}
	bool whole = job_should_continue(k->on);
	if (whole)
		begin_all(k, NULL);
	for (uint32_t x = 0; x < k->nopen && whole; x++)
		end(k, &k->open_region[x]);
	mem_free(k->open_region);
}

static struct begun begun_of(const struct snap *sn, uint32_t i, uint32_t at)
{
	const struct sink_span *s = &store_span(sn->st, i)->s;
	return (struct begun){ s->t0, s->t1, s->trk, at };
}

/* Order the selected regions by their numbers, which are those of their starts. Return NULL if numbers are too far
   apart, or if two are equal. */
static struct begun *by_number(const struct snap *sn, const uint32_t *at, struct arena *own, uint32_t *n,
    const struct progress_watcher *on)
{
	uint64_t all = 0, end = 0;
	for (uint32_t i = 0; i < sn->nspans && stats_should_continue(on, i); i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		all += s->kind == SP_REGION;
		end = s->kind == SP_REGION && s->parent >= end ? s->parent + 1 : end;
	}
	/* gaps of regions that are still open are accepted up to this limit */
	if (end > 2 * all + 1024 || (all && !end))
		return NULL;
	struct begun *v = arena_alloc(own, (end + 1) * sizeof *v);
	for (uint32_t i = 0; i < end && stats_should_continue(on, i); i++)
		v[i].at = UINT32_MAX;
	for (uint32_t i = 0; i < sn->nspans && stats_should_continue(on, i); i++) {
		if (at[i] == UINT32_MAX)
			continue;
		struct begun *x = &v[store_span(sn->st, i)->s.parent];
		if (x->at != UINT32_MAX)
			return NULL;
		*x = begun_of(sn, i, at[i]);
	}
	*n = (uint32_t)end;
	return v;
}

static struct begun *by_begin(const struct snap *sn, const uint32_t *at, struct arena *own, uint32_t *n,
    const struct progress_watcher *on)
{
	struct radix_array v;
	radix_array_alloc(&v, sn->nspans);
	for (uint32_t i = 0; i < sn->nspans && stats_should_continue(on, i); i++) {
		int64_t t0 = store_span(sn->st, i)->s.t0;
		if (at[i] != UINT32_MAX)
			radix_array_add(&v, t0 == TIME_NONE || t0 < sn->t0 ? 0 : (uint64_t)(t0 - sn->t0), i);
	}
	*n = v.n;
	radix_sort_items(v.v, *n);
	struct begun *order = arena_alloc(own, (*n + 1u) * sizeof *order);
	for (uint32_t i = 0; i < *n; i++) {
		uint32_t span = v.v[i].v;
		order[i] = begun_of(sn, span, at[span]);
	}
	radix_array_free(&v);
	return order;
}

static void make_accounts(const struct stats_index *s, struct stats_region_kinds *o, const uint32_t *at,
    struct arena *mem, struct arena *own, const struct progress_watcher *on)
{
	struct summing k = { .s = s, .sn = stats_index_snap(s), .o = o, .mem = mem, .on = on };
	k.begun = by_number(k.sn, at, own, &k.n, on);
	if (!k.begun)
		k.begun = by_begin(k.sn, at, own, &k.n, on);
	k.chunk = xcalloc(o->n + 1u, sizeof *k.chunk);
	sum_regions(&k);
	mem_free(k.chunk);
	arena_free(&k.parts);
}

/* Assign positions: at[i] changes from the kind to the position of the region. */
static void put_regions(const struct stats_index *s, struct stats_region_kinds *o, uint32_t *at, uint32_t *place,
    struct arena *mem, const struct stats_query *q)
{
	const struct snap *sn = stats_index_snap(s);
	bool lengths = q->lengths;
	if (lengths)
		o->length = arena_alloc(mem, (o->nr + 1u) * sizeof *o->length);
	else
		o->r = arena_alloc(mem, (o->nr + 1u) * sizeof *o->r);
	for (uint32_t i = 0; i < sn->nspans && stats_should_continue(&q->on, i); i++) {
		if (at[i] == UINT32_MAX)
			continue;
		const struct sink_span *sp = &store_span(sn->st, i)->s;
		at[i] = place[at[i]]++;
		if (lengths)
			o->length[at[i]] = stats_goroutine_length(s, sp->trk, sp->t0, sp->t1);
		else
			o->r[at[i]] = (struct stats_region){
			    .span = i, .trk = sp->trk, .task = sp->id, .t0 = sp->t0, .t1 = sp->t1};
	}
}

struct stats_region_kinds *stats_regions(const struct stats_index *s, const struct stats_query *q, struct arena *mem)
{
	const struct snap *sn = stats_index_snap(s);
	struct arena own = {0};
	struct stats_region_kinds *o = arena_zalloc(mem, sizeof *o);
	struct region_kind_table k = {0};
	uint32_t *of = arena_alloc(&own, ((size_t)sn->nspans + 1) * sizeof *of);
	for (uint32_t i = 0; i < sn->nspans && stats_should_continue(&q->on, i); i++) {
		const struct sink_span *sp = &store_span(sn->st, i)->s;
		of[i] = region_selected(sn, q, sp) ? kind_of(&k, sn->st, sp) : UINT32_MAX;
		if (of[i] != UINT32_MAX)
			k.v[of[i]].n++;
	}
	uint32_t *place = xmalloc((k.n + 1u) * sizeof *place);
	put_kinds(o, &k, place, mem);
	put_regions(s, o, of, place, mem, q);
	if (!q->lengths)
		make_accounts(s, o, of, mem, &own, &q->on);
	intern_free(&k.index);
	mem_free(k.v);
	mem_free(place);
	arena_free(&own);
	if (!job_should_continue(&q->on))
		o->n = o->nr = 0;
	return o;
}

void stats_of_region(const struct stats_region *r, struct goroutine_times *g)
{
	*g = (struct goroutine_times){ .total = r->total, .exec = r->exec, .ready = r->ready, .syscall = r->syscall,
	    .sysblock = r->sysblock,
		.unknown = r->unknown, .block = r->block, .range = r->range, .nblock = r->nblock, .nrange = r->nrange,
		.blocked = stats_sum_parts(r->block, r->nblock), .ranged = stats_sum_parts(r->range, r->nrange) };
}
