/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What crosses the border of two generations, as bytes. With it a generation can be read again
 * alone, after its sheets were evicted to save memory. Its size depends on what is live: for each
 * goroutine, processor and thread it holds the state in the orderer and in the interpreter where
 * the generation ends.
 *
 * Left out is what no state of a track depends on: tasks, regions, beginnings of spans, names; and
 * sequence numbers, which are not valid in another generation. Most goroutines wait and have no
 * other state, which takes four bytes each.
 *
 * Strings and stacks are not interned again either: the ids that the sink gave to those of the
 * generation are kept with it, so events find them as before. The bytes that are read here were
 * written by this file in the same process, and never to a file, so they are not checked.
 */
#include "config.h"
#include "load/gotrace/checkpoint.h"

#include "base/mem/mem.h"
#include "load/gotrace/order_state.h"

#include <string.h>

static void put_int(struct buf *b, int64_t v)
{
	buf_varint(b, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

static int64_t get_int(struct byte_cursor *c)
{
	uint64_t v = byte_cursor_uvarint(c);
	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

/* Difference and sum with wrap-around: ids are read from a file and may be anything. */
static int64_t wrap_delta(int64_t to, int64_t from)
{
	return (int64_t)((uint64_t)to - (uint64_t)from);
}

static int64_t wrap_advance(int64_t from, int64_t by)
{
	return (int64_t)((uint64_t)from + (uint64_t)by);
}

void gotrace_free_checkpoint(struct buf *b)
{
	if (b)
		buf_free(b);
	mem_free(b);
}

/* ---- the orderer's state */

static void put_ranges(struct buf *b, const struct range_list *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		buf_varint(b, r->v[i].type);
		buf_varint(b, r->v[i].kind);
		buf_varint(b, r->v[i].gen);
	}
}

static void get_ranges(struct event_orderer *o, struct byte_cursor *c, struct range_list *r, uint64_t n)
{
	r->cap = r->n = (uint32_t)n;
	if (n)
		r->v = arena_alloc(&o->mem, n * sizeof *r->v);
	for (uint32_t i = 0; i < r->n; i++) {
		uint8_t type = (uint8_t)byte_cursor_uvarint(c);
		uint64_t kind = byte_cursor_uvarint(c);
		r->v[i] = (struct order_range){ type, kind, byte_cursor_uvarint(c), { "", 0 } };
	}
}

void gotrace_save_order(const struct event_orderer *o, struct buf *b)
{
	uint64_t nm = 0, ng = 0;
	const struct order_goroutine *g;
	buf_varint(b, o->first_gen);
	buf_varint(b, o->gc_seq);
	buf_varint(b, (uint64_t)o->gc);
	put_int(b, o->last);
	buf_varint(b, o->syncs);
	buf_varint(b, o->gs.n);
	for (size_t i = 0; goroutine_table_next(&o->gs, &i);)
		ng++;
	buf_varint(b, ng);
	int64_t before = 0;
	for (size_t i = 0; (g = goroutine_table_next(&o->gs, &i)); before = g->id) {
		put_int(b, wrap_delta(g->id, before));
		buf_varint(b, g->status | (uint64_t)(g->held ? g->held->range_list.n : 0) << 3);
		if (g->held)
			put_ranges(b, &g->held->range_list);
	}
	buf_varint(b, o->ps.n);
	for (size_t i = 0; i < o->ps.cap; i++) {
		const struct order_proc *p = o->ps.slot[i].used ? o->ps.slot[i].p : NULL;
		if (!p)
			continue;
		put_int(b, p->id);
		buf_varint(b, p->status | (uint64_t)p->range_list.n << 3);
		put_ranges(b, &p->range_list);
	}
	for (const struct order_thread *m = o->all_m; m; m = m->next)
		nm++;
	buf_varint(b, nm);
	for (const struct order_thread *m = o->all_m; m; m = m->next) {
		put_int(b, m->id);
		put_int(b, m->p);
		put_int(b, m->g);
	}
}

/* all_m lists the newest thread first, so add them in the opposite order. */
static void get_ms(struct event_orderer *o, struct byte_cursor *c)
{
	uint64_t n = byte_cursor_uvarint(c);
	struct order_place *w = xmalloc(n * sizeof *w + 1);
	for (uint64_t i = 0; i < n; i++) {
		w[i].m = get_int(c);
		w[i].p = get_int(c);
		w[i].g = get_int(c);
	}
	while (n--) {
		struct order_thread *m = order_add_m(o, w[n].m);
		m->p = w[n].p;
		struct order_proc *p = order_find_p(o, m->p);
		if (p)
			p->m = m;
		m->g = w[n].g;
	}
	mem_free(w);
}

void gotrace_restore_order(struct event_orderer *o, struct byte_cursor *c)
{
	bool fresh;
	o->first_gen = byte_cursor_uvarint(c);
	o->gc_seq = byte_cursor_uvarint(c);
	o->gc = (int)byte_cursor_uvarint(c);
	o->last = get_int(c);
	o->syncs = byte_cursor_uvarint(c);
	order_init_table(o, byte_cursor_uvarint(c));
	int64_t id = 0;
	for (uint64_t n = byte_cursor_uvarint(c); n; n--) {
		id = wrap_advance(id, get_int(c));
		uint64_t v = byte_cursor_uvarint(c);
		struct order_goroutine *g = order_add_g(o, id, v & 7);
		if (v >> 3)
			get_ranges(o, c, &order_get_extras(o, g)->range_list, v >> 3);
	}
	for (uint64_t n = byte_cursor_uvarint(c); n; n--) {
		struct order_proc *p = arena_zalloc(&o->mem, sizeof *p);
		p->id = get_int(c);
		uint64_t v = byte_cursor_uvarint(c);
		p->status = v & 7;
		get_ranges(o, c, &p->range_list, v >> 3);
		u64_map_put(&o->ps, (uint64_t)p->id, &fresh)->p = p;
	}
	get_ms(o, c);
}

/* ---- the interpreter's state */

enum { G_SYSTEM = 1, G_NAMED = 2, G_MARKS = 4, G_DEDICATED = 8, G_FRACTIONAL = 16, G_RANGED = 32,
	G_ASSISTS = 64, G_STOPS = 128, G_ALONE = 256, G_HAS_P = 512, G_WORKS = 10 /* shift of two bits */ };

/* Write ids as the difference from those of the previous goroutine. */
static void put_g(
    struct buf *b, const struct gotrace *r, const struct track_goroutine *g, const struct track_goroutine *before)
{
	const struct track_proc *p = track_states_p_of(g);
	put_int(b, wrap_delta(g->id, before->id));
	put_int(b, (int64_t)g->trk - before->trk);
	buf_varint(b, g->state | (uint64_t)g->shown << 4);
	buf_varint(b, (g->system ? G_SYSTEM : 0u) | (g->named ? G_NAMED : 0u) | (g->mark_worker ? G_MARKS : 0u) |
	    (g->dedicated ? G_DEDICATED : 0u) | (g->fractional ? G_FRACTIONAL : 0u) | (g->ranged ? G_RANGED : 0u) |
	    (g->assists ? G_ASSISTS : 0u) | (g->stops ? G_STOPS : 0u) |
	    (g->alone ? G_ALONE : 0u) | (p ? G_HAS_P : 0u) | (unsigned)g->works << G_WORKS);
	if (g->alone || p)
		put_int(b, p ? p->id : g->m);
	if (g->alone)
		put_int(b, track_states_lost_p(r, g));
}

static void put_p(struct buf *b, const struct track_proc *p)
{
	put_int(b, p->id);
	put_int(b, p->m);
	buf_varint(b, p->trk);
	put_int(b, p->g ? p->g->id : -1);
	put_int(b, p->syscall_g);
	buf_varint(b, p->shown);
	buf_varint(b, p->peer);
	buf_varint(b, (p->swept_by_g ? 1u : 0u) | (p->sweep.open ? 2u : 0u));
	put_int(b, p->sweep_g);
}

static void put_state(struct buf *b, const struct gotrace *r)
{
	put_int(b, r->base);
	put_int(b, r->sync);
	put_int(b, r->last);
	buf_varint(b, r->nsync);
	buf_varint(b, r->ms.n);
	for (size_t i = 0; i < r->ms.cap; i++) {
		const struct track_thread *m = r->ms.slot[i].used ? r->ms.slot[i].p : NULL;
		if (!m)
			continue;
		put_int(b, m->id);
		buf_varint(b, m->trk);
		buf_varint(b, m->peer);
		buf_varint(b, m->shown);
	}
	uint64_t ng = 0;
	const struct track_goroutine none = {0}, *g, *before = &none;
	buf_varint(b, r->gs.n);
	for (size_t i = 0; goroutine_table_next(&r->gs, &i);)
		ng++;
	buf_varint(b, ng);
	for (size_t i = 0; (g = goroutine_table_next(&r->gs, &i)); before = g)
		put_g(b, r, g, before);
	buf_varint(b, r->ps.n);
	for (size_t i = 0; i < r->ps.cap; i++)
		if (r->ps.slot[i].used)
			put_p(b, r->ps.slot[i].p);
}

/* Read a goroutine; *of_p is the id of its P or -1, because the Ps are read after the goroutines. */
static struct track_goroutine *get_g(
    struct gotrace *r, struct byte_cursor *c, const struct track_goroutine *before, int64_t *of_p)
{
	int64_t id = wrap_advance(before->id, get_int(c));
	struct track_goroutine *g = goroutine_table_add(&r->gs, id);
	*g = (struct track_goroutine){ .id = id };
	g->trk = (trk_id)(before->trk + get_int(c));
	uint64_t v = byte_cursor_uvarint(c);
	g->state = v & 15;
	g->shown = (uint8_t)(v >> 4);
	v = byte_cursor_uvarint(c);
	g->system = v & G_SYSTEM;
	g->named = v & G_NAMED;
	g->mark_worker = v & G_MARKS;
	g->dedicated = v & G_DEDICATED;
	g->fractional = v & G_FRACTIONAL;
	g->ranged = v & G_RANGED;
	g->assists = v & G_ASSISTS;
	g->stops = v & G_STOPS;
	g->works = v >> G_WORKS & 3;
	*of_p = -1;
	g->alone = v & G_ALONE;
	if (g->alone) {
		g->m = get_int(c);
		track_states_set_lost_p(r, g, get_int(c));
	} else if (v & G_HAS_P) {
		*of_p = get_int(c);
	}
	return g;
}

static void get_p(struct gotrace *r, struct byte_cursor *c)
{
	bool fresh;
	struct track_proc *p = arena_zalloc(r->mem, sizeof *p);
	p->id = get_int(c);
	p->m = get_int(c);
	p->trk = (trk_id)byte_cursor_uvarint(c);
	p->g = track_states_find_g(r, get_int(c));
	p->syscall_g = get_int(c);
	p->shown = (uint8_t)byte_cursor_uvarint(c);
	p->peer = (trk_id)byte_cursor_uvarint(c);
	uint64_t v = byte_cursor_uvarint(c);
	p->swept_by_g = v & 1;
	p->sweep.open = v & 2;
	p->sweep_g = get_int(c);
	u64_map_put(&r->ps, (uint64_t)p->id, &fresh)->p = p;
	if ((uint64_t)p->id < NEAR_PS)
		r->near[p->id] = p;
}

static void get_state(struct gotrace *r, struct byte_cursor *c)
{
	bool fresh;
	r->base = get_int(c);
	r->sync = get_int(c);
	r->last = get_int(c);
	r->nsync = byte_cursor_uvarint(c);
	r->begun = true;
	for (uint64_t n = byte_cursor_uvarint(c); n; n--) {
		struct track_thread *m = arena_zalloc(r->mem, sizeof *m);
		m->id = get_int(c);
		m->trk = (trk_id)byte_cursor_uvarint(c);
		m->peer = (trk_id)byte_cursor_uvarint(c);
		m->shown = (uint8_t)byte_cursor_uvarint(c);
		u64_map_put(&r->ms, (uint64_t)m->id, &fresh)->p = m;
	}
	track_states_init_table(r, byte_cursor_uvarint(c));
	uint64_t ngs = byte_cursor_uvarint(c);
	struct { struct track_goroutine *g; int64_t p; } *held = NULL;
	const struct track_goroutine none = {0}, *before = &none;
	size_t n = 0, room = 0;
	for (uint64_t i = 0; i < ngs; i++) {
		held = mem_grow(held, &room, n + 1, sizeof *held);
		before = held[n].g = get_g(r, c, before, &held[n].p);
		n += held[n].p != -1;
	}
	for (uint64_t k = byte_cursor_uvarint(c); k; k--)
		get_p(r, c);
	for (size_t i = 0; i < n; i++) {
		const struct u64_slot *s = u64_map_get(&r->ps, (uint64_t)held[i].p);
		held[i].g->p = s ? s->p : NULL;
	}
	mem_free(held);
}

/* ---- strings and stacks */

/* Write the non-zero entries of a table by id, each id as the difference from the previous one. */
static void put_table(struct buf *b, const uint32_t *v, size_t n)
{
	size_t last = 0, known = 0;
	for (size_t i = 0; i < n; i++)
		known += v[i] != 0;
	buf_varint(b, known);
	for (size_t i = 0; i < n; i++)
		if (v[i]) {
			buf_varint(b, i - last);
			buf_varint(b, v[i]);
			last = i;
		}
}

static void get_table(struct byte_cursor *c, uint32_t *v, size_t n)
{
	size_t at = 0;
	for (uint64_t k = byte_cursor_uvarint(c); k; k--) {
		at += byte_cursor_uvarint(c);
		uint32_t is = (uint32_t)byte_cursor_uvarint(c);
		if (at < n)
			v[at] = is;
	}
}

void gotrace_restore_tables(struct gotrace *r)
{
	struct byte_cursor c = byte_cursor_make(r->reread->tables, r->reread->ntables, 0);
	get_table(&c, r->tab.stack, r->tab.nstack);
	get_table(&c, r->tab.str, r->tab.nstr);
}

/* Write the strings that states of tracks refer to: only reasons of waiting without a state of their own. */
static void put_reasons(struct buf *b, const struct interned_tables *t)
{
	uint32_t *v = xcalloc(t->nstr + 1, sizeof *v);
	for (size_t i = 0; i < t->nstr && i < t->nwait; i++)
		v[i] = t->wait[i] > TS__N ? t->str[i] : 0;
	put_table(b, v, t->nstr);
	mem_free(v);
}

void gotrace_emit_checkpoint(struct gotrace *r, const struct trace_generation *gen, const struct buf *order)
{
	struct buf tables = {0}, state = {0};
	put_table(&tables, r->tab.stack, r->tab.nstack);
	put_reasons(&tables, &r->tab);
	put_state(&state, r);
	buf_put(&state, order->p, order->n);
	struct sink_checkpoint keep = { .at = gen->at, .end = gen->end, .tables = tables.p, .ntables = tables.n,
		.state = state.p, .nstate = state.n, .torn = gen->torn };
	r->sink->trace->checkpoint(r->sink->self, &keep);
	buf_free(&tables);
	buf_free(&state);
}

struct byte_cursor gotrace_restore_state(struct gotrace *r, const struct sink_checkpoint *gen)
{
	struct byte_cursor c = byte_cursor_make(gen->state, gen->nstate, 0);
	if (gen->nstate)
		get_state(r, &c);
	return c;
}
