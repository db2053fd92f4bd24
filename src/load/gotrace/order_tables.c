/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The orderer's tables of live goroutines, processors and threads by id.
 *
 * All entries are in one arena except goroutines (goroutine_table.c), whose entries are reused.
 * Threads cache the G and P that they used last, so few events need a lookup.
 */
#include "config.h"
#include "load/gotrace/order_state.h"

struct order_proc *order_find_p(struct event_orderer *o, int64_t id)
{
	struct u64_slot *s = u64_map_get(&o->ps, (uint64_t)id);
	return s ? s->p : NULL;
}

struct order_goroutine *order_lookup_g(struct order_step *s)
{
	struct order_goroutine *g = order_find_g(s->o, s->now.g);
	if (s->m)
		s->m->gs = g;
	return g;
}

struct order_proc *order_lookup_p(struct order_step *s)
{
	struct order_proc *p = order_find_p(s->o, s->now.p);
	if (s->m)
		s->m->ps = p;
	return p;
}

void order_grow_table(struct event_orderer *o)
{
	if (!goroutine_table_is_crowded(&o->gs, GO_NEAR_MOST))
		return;
	for (struct order_thread *m = o->all_m; m; m = m->next)
		m->gs = NULL;
	goroutine_table_grow(&o->gs);
}

void order_init_table(struct event_orderer *o, uint64_t n)
{
	static const struct goroutine_table_form form = {sizeof(struct order_goroutine), sizeof(struct order_goroutine),
	    offsetof(struct order_goroutine, id), offsetof(struct order_goroutine, used),
	    offsetof(struct order_goroutine, next)};
	goroutine_table_init(&o->gs, &form, n);
}

struct order_extras *order_get_extras(struct event_orderer *o, struct order_goroutine *g)
{
	if (g->held)
		return g->held;
	struct order_extras *h = o->free_held;
	if (h)
		o->free_held = h->next;
	else
		h = arena_zalloc(&o->mem, sizeof *h);
	h->next = NULL;
	return g->held = h;
}

struct order_goroutine *order_add_g(struct event_orderer *o, int64_t id, uint8_t status)
{
	struct order_goroutine *g = order_place_g(o, id);
	if (g->used)
		g = goroutine_table_add(&o->gs, id);
	*g = (struct order_goroutine){.id = id, .age = o->age, .status = status, .used = true};
	return g;
}

void order_remove_g(struct event_orderer *o, struct order_goroutine *g)
{
	if (g->held) {
		g->held->nregion = g->held->range_list.n = 0;
		g->held->next = o->free_held;
		o->free_held = g->held;
	}
	g->status = G_BAD;	/* no live goroutine has this status */
	if (g == order_place_g(o, g->id))
		g->used = false;
	else
		goroutine_table_remove(&o->gs, g);
}

struct order_thread *order_add_m(struct event_orderer *o, int64_t id)
{
	struct order_thread *m = arena_zalloc(&o->mem, sizeof *m);
	bool fresh;
	*m = (struct order_thread){.id = id, .g = -1, .p = -1, .next = o->all_m};
	o->all_m = m;
	u64_map_put(&o->ms, (uint64_t)id, &fresh)->p = m;
	return m;
}

struct order_thread *order_find_m(struct event_orderer *o, int64_t id)
{
	struct u64_slot *s = u64_map_get(&o->ms, (uint64_t)id);
	return s ? s->p : NULL;
}

struct order_proc *order_add_p(struct event_orderer *o, int64_t id, uint8_t status)
{
	struct order_proc *p = arena_zalloc(&o->mem, sizeof *p);
	bool fresh;
	*p = (struct order_proc){.id = id, .status = status};
	u64_map_put(&o->ps, (uint64_t)id, &fresh)->p = p;
	return p;
}
