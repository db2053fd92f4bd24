/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What the orderer knows of whom: goroutines, processors and threads by their
 * numbers, for as long as they live.
 *
 * Everything lies in one arena; dead goroutines are used again. The runtime numbers
 * goroutines one after another, so they lie in a table by the last bits of their
 * numbers, where they are found and brought into the cache without a question;
 * only when the place is taken by one that still lives they go through a hash. When
 * those become many the table grows: with half a million that live, each look into
 * the hash would wait three times for memory.
 * Threads keep what they met last, so few events look anything up.
 */
#include "config.h"
#include "load/gostate.h"

struct go_g *gostep_look_up_g(struct goorder *o, int64_t id)
{
	struct idslot *s = idmap_get(&o->gs, (uint64_t)id);
	return s ? s->p : NULL;
}

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

/* A place for a goroutine of which nothing is known yet: where its number says, or, where another still lives there,
   anywhere. */
static struct go_g *place_g(struct goorder *o, int64_t id)
{
	bool fresh;
	struct go_g *g = gostep_place(o, id);
	if (!g->used)
		return g;
	g = o->free_g;
	if (g)
		o->free_g = g->next;
	else
		g = arena_zalloc(&o->mem, sizeof *g);
	return idmap_put(&o->gs, (uint64_t)id, &fresh)->p = g;
}

static void keep_free(struct goorder *o, struct go_g *g)
{
	g->used = false;
	g->next = o->free_g;
	o->free_g = g;
}

void gostep_spread(struct goorder *o)
{
	struct go_g *near = o->near;
	struct idmap far = o->gs;
	uint64_t n = o->nnear;
	if (far.n <= n / 4 || n >= GO_NEAR_MOST)
		return;
	o->nnear = 4 * n;
	o->near = mem_pages(o->nnear * sizeof *o->near);
	o->gs = (struct idmap){0};
	for (struct go_m *m = o->all_m; m; m = m->next)
		m->gs = NULL;
	for (uint64_t i = 0; i < n; i++)
		if (near[i].used)
			*place_g(o, near[i].id) = near[i];
	for (size_t i = 0; i < far.cap; i++) {
		if (!far.slot[i].used)
			continue;
		struct go_g *g = far.slot[i].p;
		*place_g(o, g->id) = *g;
		keep_free(o, g);
	}
	mem_pages_free(near, n * sizeof *near);
	idmap_free(&far);
}

void gostep_places(struct goorder *o, uint64_t n)
{
	mem_pages_free(o->near, o->nnear * sizeof *o->near);
	o->nnear = n;
	o->near = mem_pages(n * sizeof *o->near);
}

const struct go_g *gostep_next_g(const struct goorder *o, size_t *i)
{
	for (; *i < o->nnear; ++*i)
		if (o->near[*i].used)
			return &o->near[(*i)++];
	for (; *i - o->nnear < o->gs.cap; ++*i)
		if (o->gs.slot[*i - o->nnear].used)
			return o->gs.slot[(*i)++ - o->nnear].p;
	return NULL;
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
	struct go_g *g = place_g(o, id);
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
	g->used = false;
	if (g == gostep_place(o, g->id))
		return;
	idmap_drop(&o->gs, (uint64_t)g->id);
	keep_free(o, g);
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
