/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Regions, by kind. A region's times are its goroutine's over the same stretch, which
 * may go over many sheets; and regions nest, and those of other goroutines begin and end
 * in between. Sheets may have been dropped, and are made again in their order. So all
 * regions are gone through in the order in which they began, sheet by sheet: of those that
 * have begun and not ended the sums so far are kept, and a region's account is written
 * when it has ended. To ask region by region, in the order of their ends, would be half
 * the code, and would read a file that is larger than the memory again and again.
 */
#include "config.h"
#include "analysis/sched.h"

#include "analysis/bins.h"
#include "analysis/sched_in.h"
#include "base/intern.h"
#include "base/keyed.h"
#include "store/spans.h"

#include <stdlib.h>
#include <string.h>

struct kind_of { str_id name; frm_id frame; uint64_t pc; const struct store *st; uint32_t n, at, was; };
struct kinds { struct intern index; struct kind_of *v; size_t cap; uint32_t n; };

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
		return sched_name_cmp(x->st, x->name, y->name);
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static uint32_t kind_of(struct kinds *k, const struct store *st, const struct sink_span *sp)
{
	frm_id f = sched_root(st, sp->stack);
	struct kind_of key = { .name = sp->name, .frame = f, .st = st };
	uint32_t hash = hash_u64(sp->name, f), i = intern_find(&k->index, hash, same_kind, k->v, &key);
	if (i == UINT32_MAX) {
		key.pc = f ? store_loc(st, store_frm(st, f)->loc)->addr : 0;
		key.was = i = k->n++;
		k->v = mem_grow(k->v, &k->cap, k->n, sizeof *k->v);
		k->v[i] = key;
		intern_put(&k->index, hash, i);
	}
	return i;
}

static bool region_asked(const struct snap *sn, const struct sched_ask *q, const struct sink_span *sp)
{
	int64_t a, b;
	if (sp->kind != SP_REGION || sp->v0 & RG_LOOSE)
		return false;
	span_bounds(sn, sp, &a, &b);
	return (q->t0 == TIME_NONE || b >= q->t0) && (q->t1 == TIME_NONE || a < q->t1) &&
	    (!q->g || q->g[sp->trk >> 3] >> (sp->trk & 7) & 1) && (!q->region || q->region(q->arg, sp));
}

/* The kinds in their order, each with its place among all; place[i] becomes where the next of the kind that was
   called i goes. */
static void put_kinds(struct sched_kinds *o, struct kinds *k, uint32_t *place, struct arena *mem)
{
	o->n = k->n;
	o->kind = arena_alloc(mem, (k->n + 1u) * sizeof *o->kind);
	if (k->n)
		qsort(k->v, k->n, sizeof *k->v, kind_cmp);
	for (uint32_t i = 0; i < k->n; i++) {
		o->kind[i] = (struct sched_kind){ k->v[i].name, k->v[i].frame, o->nr, k->v[i].n };
		place[k->v[i].was] = o->nr;
		o->nr += k->v[i].n;
	}
}

/* ---- what they did */

struct open { uint32_t at; bool lives; trk_id trk; int64_t t0, t1, ns[TS__N]; };	/* at: in o->r */
struct summing {
	const struct sched *s;
	const struct snap *sn;
	struct sched_kinds *o;
	const uint32_t *at;		/* of a span: where it goes, UINT32_MAX: nowhere */
	const uint32_t *order;		/* spans by their begins, some UINT32_MAX */
	uint32_t n, next;
	struct open *open;
	size_t cap;
	uint32_t nopen;
	struct arena *mem;
	const struct onlooker *on;
};

/* One that has begun. What of it lies before the sheet, for the order is not that of times where a begin is not known. */
static void begin(struct summing *k, uint32_t at, const struct sink_span *sp, const struct gstat *g,
    const struct sheet_slot *slot)
{
	k->open = mem_grow(k->open, &k->cap, k->nopen + 1u, sizeof *k->open);
	struct open *o = &k->open[k->nopen++];
	*o = (struct open){
	    .at = at, .lives = sched_lives(k->s, g->trk, sp->t1), .trk = g->trk, .t0 = g->t0, .t1 = g->t1};
	if (slot && g->t0 < slot->t0) {
		struct bin before;
		bins_sum(k->sn, g->trk, g->t0, g->t1 < slot->t0 ? g->t1 : slot->t0, &before);
		memcpy(o->ns, before.ns, sizeof o->ns);
		o->ns[TS_NONE] = 0;	/* it is the rest, in the end */
	}
}

/* Those that begin before the end of the sheet; without one all that are left. */
static void begin_all(struct summing *k, const struct sheet_slot *slot)
{
	struct gstat g;
	for (; k->next < k->n; k->next++) {
		uint32_t i = k->order[k->next];
		if (i == UINT32_MAX || k->at[i] == UINT32_MAX)
			continue;
		const struct sink_span *sp = &store_span(k->sn->st, i)->s;
		if (!sched_begin(k->s, sp->trk, sp->t0, sp->t1, &g))
			continue;
		if (slot && g.t0 >= slot->t1)
			return;
		begin(k, k->at[i], sp, &g, slot);
	}
}

static void end(struct summing *k, const struct open *x)
{
	struct sched_region *r = &k->o->r[x->at];
	struct gstat g = { .trk = x->trk, .t0 = x->t0, .t1 = x->t1, .total = x->t1 - x->t0 };
	int64_t a = x->t0 < k->sn->t0 ? k->sn->t0 : x->t0, b = x->t1 > k->sn->t1 ? k->sn->t1 : x->t1, all = 0;
	for (int s = 0; s < TS__N; s++)
		all += g.ns[s] = x->ns[s];
	g.ns[TS_NONE] += b > a ? b - a - all : 0;
	sched_end(k->s, x->lives, k->mem, &g);
	*r = (struct sched_region){ .span = r->span, .nblock = g.nblock, .nrange = g.nrange, .total = g.total,
	    .exec = g.exec,
		.ready = g.ready, .syscall = g.syscall, .sysblock = g.sysblock, .unknown = g.unknown, .block = g.block,
		.range = g.range };
}

/* What of it lies in the sheet. */
static void add_sheet(struct open *o, const struct sheet *sh)
{
	int32_t row = sheet_row(sh, o->trk);
	int64_t a[TS__N], b[TS__N];
	if (row < 0 || o->t0 >= sh->t1 || o->t1 <= sh->t0)
		return;
	sheet_sums(sh, (uint32_t)row, o->t0 < sh->t0 ? sh->t0 : o->t0, a);
	sheet_sums(sh, (uint32_t)row, o->t1 > sh->t1 ? sh->t1 : o->t1, b);
	for (int s = TS_NONE + 1; s < TS__N; s++)
		o->ns[s] += b[s] - a[s];
}

static void sum_regions(struct summing *k, const struct arena *own)
{
	for (uint32_t i = 0; i < k->sn->nsheets && look_on(k->on, i, k->sn->nsheets); i++) {
		const struct sheet_slot *slot = store_slot(k->sn->st, i);
		begin_all(k, slot);
		if (!k->nopen)
			continue;
		const struct sheet *sh = sheet_get(k->sn, i);
		uint32_t n = 0;
		for (uint32_t x = 0; x < k->nopen; x++) {
			add_sheet(&k->open[x], sh);
			if (k->open[x].t1 <= slot->t1)
				end(k, &k->open[x]);
			else
				k->open[n++] = k->open[x];
		}
		k->nopen = n;
		sheet_put(k->sn, i);
		store_rest(k->sn);
		arena_rest(k->mem);
		arena_rest(own);
	}
	bool whole = goes_on(k->on);
	if (whole)
		begin_all(k, NULL);
	for (uint32_t x = 0; x < k->nopen && whole; x++)
		end(k, &k->open[x]);
	mem_free(k->open);
}

/* Where their numbers do not say in what order they began. */
static uint32_t *by_begin(const struct snap *sn, const uint32_t *at, struct arena *own, uint32_t *n,
    const struct onlooker *on)
{
	struct keyed *v = xmalloc((sn->nspans + 1u) * sizeof *v);
	*n = 0;
	for (uint32_t i = 0; i < sn->nspans && sched_goes_on(on, i); store_pass(sn, i++)) {
		int64_t t0 = store_span(sn->st, i)->s.t0;
		if (at[i] != UINT32_MAX)
			v[(*n)++] = (struct keyed){ t0 == TIME_NONE || t0 < sn->t0 ? 0 : (uint64_t)(t0 - sn->t0), i };
	}
	keyed_sort(v, *n);
	uint32_t *order = arena_alloc(own, (*n + 1u) * sizeof *order);
	for (uint32_t i = 0; i < *n; i++)
		order[i] = v[i].v;
	mem_free(v);
	return order;
}

static void make_accounts(const struct sched *s, struct sched_kinds *o, const uint32_t *at, struct arena *mem,
    struct arena *own, const struct onlooker *on)
{
	struct summing k = { .s = s, .sn = sched_snap(s), .o = o, .at = at, .mem = mem, .on = on };
	k.order = sched_begins(k.sn, own, &k.n, on);
	if (!k.order)
		k.order = by_begin(k.sn, at, own, &k.n, on);
	sum_regions(&k, own);
}

/* Where each goes: at[i], which is the number of its kind. */
static void put_regions(const struct sched *s, struct sched_kinds *o, uint32_t *at, uint32_t *place, struct arena *mem,
    const struct arena *own, const struct sched_ask *q)
{
	const struct snap *sn = sched_snap(s);
	bool lengths = q->lengths;
	if (lengths)
		o->length = arena_alloc(mem, (o->nr + 1u) * sizeof *o->length);
	else
		o->r = arena_alloc(mem, (o->nr + 1u) * sizeof *o->r);
	for (uint32_t i = 0; i < sn->nspans && sched_goes_on(&q->on, i); sched_rest(sn, i++, mem)) {
		if (i % SCHED_REST == 0)
			arena_rest(own);
		if (at[i] == UINT32_MAX)
			continue;
		const struct sink_span *sp = &store_span(sn->st, i)->s;
		at[i] = place[at[i]]++;
		if (lengths)
			o->length[at[i]] = sched_length(s, sp->trk, sp->t0, sp->t1);
		else
			o->r[at[i]] = (struct sched_region){ .span = i };
	}
}

struct sched_kinds *sched_regions(const struct sched *s, const struct sched_ask *q, struct arena *mem)
{
	const struct snap *sn = sched_snap(s);
	struct arena own = { .spills = true };
	struct sched_kinds *o = arena_zalloc(mem, sizeof *o);
	struct kinds k = {0};
	uint32_t *of = arena_alloc(&own, ((size_t)sn->nspans + 1) * sizeof *of);
	for (uint32_t i = 0; i < sn->nspans && sched_goes_on(&q->on, i); sched_rest(sn, i++, &own)) {
		const struct sink_span *sp = &store_span(sn->st, i)->s;
		of[i] = region_asked(sn, q, sp) ? kind_of(&k, sn->st, sp) : UINT32_MAX;
		if (of[i] != UINT32_MAX)
			k.v[of[i]].n++;
	}
	uint32_t *place = xmalloc((k.n + 1u) * sizeof *place);
	put_kinds(o, &k, place, mem);
	put_regions(s, o, of, place, mem, &own, q);
	if (!q->lengths)
		make_accounts(s, o, of, mem, &own, &q->on);
	intern_free(&k.index);
	mem_free(k.v);
	mem_free(place);
	arena_free(&own);
	arena_rest(mem);
	if (!goes_on(&q->on))
		o->n = o->nr = 0;
	return o;
}

void sched_region_stat(const struct sched_region *r, struct gstat *g)
{
	*g = (struct gstat){ .total = r->total, .exec = r->exec, .ready = r->ready, .syscall = r->syscall,
	    .sysblock = r->sysblock,
		.unknown = r->unknown, .block = r->block, .range = r->range, .nblock = r->nblock, .nrange = r->nrange };
}
