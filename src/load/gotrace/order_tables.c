/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What the orderer knows of whom: goroutines, processors and threads by their
 * numbers, for as long as they live.
 *
 * Everything lies in one arena; goroutines by their numbers (goroutine_table.c), dead ones are used again.
 * Threads keep what they met last, so few events look anything up.
 */
#include "config.h"
#include "load/gotrace/order_state.h"

struct go_p *gostep_find_p(struct goorder *o, int64_t id)
{
	struct idslot *s = idmap_get(&o->ps, (uint64_t)id);
	return s ? s->p : NULL;
}

struct go_g *gostep_meet_g(struct step *s)
{
	struct go_g *g = gostep_find_g(s->o, s->now.g);
	if (s->m)
		s->m->gs = g;
	return g;
}

struct go_p *gostep_meet_p(struct step *s)
{
	struct go_p *p = gostep_find_p(s->o, s->now.p);
	if (s->m)
		s->m->ps = p;
	return p;
}

void gostep_spread(struct goorder *o)
{
	if (!gonear_crowded(&o->gs, GO_NEAR_MOST))
		return;
	for (struct go_m *m = o->all_m; m; m = m->next)
		m->gs = NULL;
	gonear_spread(&o->gs);
}

void gostep_places(struct goorder *o, uint64_t n)
{
	static const struct gonear_form form = {sizeof(struct go_g), sizeof(struct go_g), offsetof(struct go_g, id),
	    offsetof(struct go_g, used), offsetof(struct go_g, next)};
	gonear_init(&o->gs, &form, n);
}

struct go_held *gostep_held(struct goorder *o, struct go_g *g)
{
	if (g->held)
		return g->held;
	struct go_held *h = o->free_held;
	if (h)
		o->free_held = h->next;
	else
		h = arena_zalloc(&o->mem, sizeof *h);
	h->next = NULL;
	return g->held = h;
}

struct go_g *gostep_add_g(struct goorder *o, int64_t id, uint8_t status)
{
	struct go_g *g = gostep_place(o, id);
	if (g->used)
		g = gonear_add(&o->gs, id);
	*g = (struct go_g){.id = id, .age = o->age, .status = status, .used = true};
	return g;
}

void gostep_drop_g(struct goorder *o, struct go_g *g)
{
	if (g->held) {
		g->held->nregion = g->held->ranges.n = 0;
		g->held->next = o->free_held;
		o->free_held = g->held;
	}
	g->status = G_BAD;	/* which is that of none that lives */
	if (g == gostep_place(o, g->id))
		g->used = false;
	else
		gonear_drop(&o->gs, g);
}

struct go_m *gostep_add_m(struct goorder *o, int64_t id)
{
	struct go_m *m = arena_zalloc(&o->mem, sizeof *m);
	bool fresh;
	*m = (struct go_m){.id = id, .g = -1, .p = -1, .next = o->all_m};
	o->all_m = m;
	idmap_put(&o->ms, (uint64_t)id, &fresh)->p = m;
	return m;
}

struct go_m *gostep_find_m(struct goorder *o, int64_t id)
{
	struct idslot *s = idmap_get(&o->ms, (uint64_t)id);
	return s ? s->p : NULL;
}

struct go_p *gostep_add_p(struct goorder *o, int64_t id, uint8_t status)
{
	struct go_p *p = arena_zalloc(&o->mem, sizeof *p);
	bool fresh;
	*p = (struct go_p){.id = id, .status = status};
	idmap_put(&o->ps, (uint64_t)id, &fresh)->p = p;
	return p;
}
