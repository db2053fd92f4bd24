/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * From weights to things and calls.
 *
 * Weights sit on a tree of frames, where main.f at line 12 and at line 15 are
 * two nodes. What is shown are things: each frame is the thing that its
 * granularity makes of it (things.c), and nodes below the same node that are the
 * same thing are one node here (shape.c). What is left to do for a query is
 * here: to add up. One loop backwards makes the totals, one over the nodes that
 * something counts at or below the things' weights; and when those are not all
 * nodes, one copies them together, skipping whole subtrees without weight.
 *
 * A thing's cumulative weight counts a stack once however often it recurs:
 * only nodes without the same thing above them add, and which those are is a
 * matter of the shape.
 *
 * The columns of a weighing are not cleared but set where they are hit, and go
 * back to the shape for the next one: on 6 M nodes asking the system for fresh
 * memory costs as much as the adding.
 */
#include "config.h"
#include "analysis/calls.h"

#include "analysis/shape.h"
#include "base/mem.h"
#include "base/text.h"

#include <string.h>

static int64_t plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);	/* a file may hold any values */
}

/* ---- a weighing */

struct columns { int64_t *flat, *cum, *oflat, *ocum; uint8_t *hit; };

static struct columns columns_in(void *room, size_t n, bool two)
{
	int64_t *v = room;
	struct columns c = {v, v + n, two ? v + 2 * n : NULL, two ? v + 3 * n : NULL, NULL};
	c.hit = (uint8_t *)(v + (two ? 4 : 2) * n);
	return c;
}

struct calls *calls_begin(struct shape *s, bool two, struct onto *o)
{
	struct calls *c = xcalloc(1, sizeof *c);
	size_t size = (size_t)s->n * ((two ? 4 : 2) * sizeof(int64_t) + 1);
	*c = (struct calls){
	    .refs = 1, .st = s->things->st, .gran = s->things->gran, .shape = shape_ref(s), .nroom = size};
	if (s->spare && s->nspare >= size) {
		c->room = s->spare;
		c->nroom = s->nspare;
		s->spare = NULL;
	} else {
		c->room = xmalloc(size);
	}
	struct columns v = columns_in(c->room, s->n, two);
	memset(v.hit, 0, s->n);
	*o = (struct onto){.at = s->at, .flat = v.flat, .oflat = v.oflat, .hit = v.hit, .thing = s->things->of,
	    .nthing = s->things->n};
	return c;
}

static void give_back(struct calls *c)
{
	struct shape *s = c->shape;
	if (c->room && !s->spare) {
		s->spare = c->room;
		s->nspare = c->nroom;
	} else {
		mem_free(c->room);
	}
	c->room = NULL;
}

/* Totals of the nodes that something counts at or below; how many there are. The root is one. */
static uint32_t add_up(const struct shape *s, const struct columns *v)
{
	uint32_t k = 0;
	v->hit[0] |= HIT_BELOW * !v->hit[0];
	v->cum[0] = 0;
	if (v->ocum)
		v->ocum[0] = 0;
	for (uint32_t i = s->n; i-- > 0;) {
		uint8_t h = v->hit[i], *up = &v->hit[s->parent[i]];
		uint32_t p = s->parent[i];
		if (!h)
			continue;
		k++;
		if (!(h & HIT_OWN))
			v->flat[i] = 0;
		v->cum[i] = h & HIT_BELOW ? plus(v->cum[i], v->flat[i]) : v->flat[i];
		if (i)
			v->cum[p] = *up & HIT_BELOW ? plus(v->cum[p], v->cum[i]) : v->cum[i];
		if (v->ocum) {
			if (!(h & HIT_OWN))
				v->oflat[i] = 0;
			v->ocum[i] = h & HIT_BELOW ? plus(v->ocum[i], v->oflat[i]) : v->oflat[i];
			if (i)
				v->ocum[p] = *up & HIT_BELOW ? plus(v->ocum[p], v->ocum[i]) : v->ocum[i];
		}
		*up |= HIT_BELOW;
	}
	return k;
}

/* The shape's tree as it is. */
static void share(struct calls *c, const struct columns *v)
{
	const struct shape *s = c->shape;
	c->t = (struct ctree){.n = s->n, .parent = s->parent, .next = s->next, .thing = s->thing, .how = s->how,
	    .flat = v->flat, .cum = v->cum, .oflat = v->oflat, .ocum = v->ocum};
	c->of = s->of;
}

struct part { uint32_t *parent, *next, *thing, *of; int64_t *flat, *cum, *oflat, *ocum; uint8_t *how; };

static struct part part_new(struct arena *a, uint32_t k, bool two)
{
	size_t id = k * sizeof(uint32_t), cell = k * sizeof(int64_t);
	return (struct part){.parent = arena_alloc(a, id), .next = arena_alloc(a, id),
	    .thing = arena_alloc(a, id), .of = arena_alloc(a, id), .flat = arena_alloc(a, cell),
	    .cum = arena_alloc(a, cell), .oflat = two ? arena_alloc(a, cell) : NULL,
	    .ocum = two ? arena_alloc(a, cell) : NULL, .how = arena_alloc(a, k)};
}

/* Copy the k nodes with weight together. What is above a node with weight has weight, so those that are
   open at a node are the path to it. */
static void copy(struct calls *c, const struct columns *v, uint32_t k)
{
	const struct shape *s = c->shape;
	struct part t = part_new(&c->arena, k, v->oflat != NULL);
	struct open { uint32_t end, id; } *open = NULL;
	size_t depth = 0, cap = 0;
	uint32_t m = 0;
	for (uint32_t i = 0; i < s->n;) {
		if (!v->hit[i]) {
			i = s->next[i];
			continue;
		}
		for (; depth && open[depth - 1].end <= i; depth--)
			t.next[open[depth - 1].id] = m;
		t.parent[m] = depth ? open[depth - 1].id : 0;
		t.thing[m] = s->thing[i];
		t.how[m] = s->how[i];
		t.flat[m] = v->flat[i];
		t.cum[m] = v->cum[i];
		if (t.oflat) {
			t.oflat[m] = v->oflat[i];
			t.ocum[m] = v->ocum[i];
		}
		open = mem_grow(open, &cap, depth + 1, sizeof *open);
		open[depth++] = (struct open){s->next[i++], m++};
	}
	while (depth)
		t.next[open[--depth].id] = m;
	mem_free(open);
	c->t = (struct ctree){.n = k, .parent = t.parent, .next = t.next, .thing = t.thing, .how = t.how,
	    .flat = t.flat, .cum = t.cum, .oflat = t.oflat, .ocum = t.ocum};
	c->of = t.of;
}

/* ---- things */

struct sums { int64_t flat, cum, oflat, ocum; uint32_t nnode; uint8_t how; };

static void weigh_things(struct calls *c, struct sums *sum)
{
	const struct ctree *t = &c->t;
	for (uint32_t i = 0; i < t->n; i++) {
		struct sums *g = &sum[t->thing[i]];
		uint8_t how = t->how[i];
		g->flat = plus(g->flat, t->flat[i]);
		g->how |= how;
		g->nnode++;
		if (!(how & CT_AGAIN))
			g->cum = plus(g->cum, t->cum[i]);
		if (!t->oflat)
			continue;
		g->oflat = plus(g->oflat, t->oflat[i]);
		if (!(how & CT_AGAIN))
			g->ocum = plus(g->ocum, t->ocum[i]);
	}
}

/* Own and cumulative weight of each thing, and the list of its nodes. */
static void make_things(struct calls *c)
{
	const struct things *of = c->shape->things;
	struct sums *sum = xcalloc(of->n, sizeof *sum);
	uint32_t at = 0;
	weigh_things(c, sum);
	c->nthing = of->n;
	c->thing = xmalloc(of->n * sizeof *c->thing);
	memcpy(c->thing, of->row, of->n * sizeof *c->thing);
	for (uint32_t k = 0; k < of->n; k++) {
		struct thing *g = &c->thing[k];
		g->flat = sum[k].flat;
		g->cum = sum[k].cum;
		g->oflat = sum[k].oflat;
		g->ocum = sum[k].ocum;
		g->inl = sum[k].how & CT_INL;
		g->notinl = sum[k].how & CT_NOTINL;
		g->node0 = at;
		g->nnode = sum[k].nnode;
		at += g->nnode;
	}
	mem_free(sum);
}

static void list_nodes(struct calls *c, uint32_t *of)
{
	uint32_t *at = xmalloc(c->nthing * sizeof *at);
	for (uint32_t k = 0; k < c->nthing; k++)
		at[k] = c->thing[k].node0;
	for (uint32_t i = 0; i < c->t.n; i++)
		of[at[c->t.thing[i]]++] = i;
	mem_free(at);
}

/* Things are taken away: move what was weighed to a shape without them. */
static void take_away(struct calls *c, const struct onto *o, const struct columns *v)
{
	struct onto to;
	struct shape *from = c->shape, *s = shape_left(from, v->hit, o->dead);
	struct calls *d = calls_begin(s, o->oflat != NULL, &to);
	shape_free(s);		/* d holds it */
	for (uint32_t i = 0; i < from->n; i++) {
		uint32_t at = !i || s->at[i] == SHAPE_NONE ? 0 : s->at[i];
		if (v->hit[i] & HIT_OWN && (at || o->bare))
			onto_put(&to, at, v->flat[i], o->oflat ? v->oflat[i] : 0);
	}
	give_back(c);
	c->shape = s;
	c->room = d->room;
	c->nroom = d->nroom;
	d->room = NULL;
	d->shape = from;
	calls_free(d);
}

void calls_finish(struct calls *c, const struct onto *o)
{
	struct columns v = columns_in(c->room, c->shape->n, o->oflat != NULL);
	uint32_t k = add_up(c->shape, &v);
	if (o->dead) {
		take_away(c, o, &v);
		v = columns_in(c->room, c->shape->n, o->oflat != NULL);
		k = add_up(c->shape, &v);
		mem_free(o->dead);
	}
	struct shape *s = c->shape;
	if (k == s->n)
		share(c, &v);
	else
		copy(c, &v, k);
	make_things(c);
	if (k < s->n) {
		list_nodes(c, (uint32_t *)(uintptr_t)c->of);
		give_back(c);
	}
	c->total = c->t.cum[0];
	c->all = o->all;
	c->unit = o->unit;
	c->show = o->show;
}

struct calls *calls_new(struct things *things, const struct weights *w)
{
	struct things *t = w->label ? things_tags(things, w->label, w->n) : things_ref(things);
	struct shape *s =
	    shape_new(t, &(struct frames){.n = w->n, .parent = w->parent, .frame = w->frame, .label = w->label});
	struct onto o;
	struct calls *c = calls_begin(s, w->oflat != NULL, &o);
	for (uint32_t i = 0; i < w->n; i++)	/* all of them: what sums up to nothing is there too */
		onto_put(&o, s->at[i], w->flat[i], w->oflat ? w->oflat[i] : 0);
	o.all = w->all;
	o.unit = w->unit;
	o.show = w->show;
	calls_finish(c, &o);
	shape_free(s);
	things_free(t);
	return c;
}

struct calls *calls_ref(struct calls *c)
{
	c->refs++;
	return c;
}

void calls_free(struct calls *c)
{
	if (!c || --c->refs)
		return;
	give_back(c);
	shape_free(c->shape);
	arena_free(&c->arena);
	mem_free(c->thing);
	mem_free(c);
}

struct str_row calls_symbol(const struct calls *c, uint32_t thing)
{
	return thing_symbol(c->st, &c->thing[thing]);
}

void calls_name(const struct calls *c, uint32_t thing, struct buf *b)
{
	const struct thing *t = &c->thing[thing];
	struct str_row s = calls_symbol(c, thing);
	if (t->addr)
		buf_printf(b, "%016llx ", (unsigned long long)t->addr);
	if (!t->name && !t->file && t->map)
		buf_putc(b, '[');
	text_safe(b, s.s, s.n);
	if (!t->name && !t->file && t->map)
		buf_putc(b, ']');
	if (t->name && t->file) {
		s = *store_str(c->st, t->file);
		buf_putc(b, ' ');
		text_safe(b, s.s, s.n);
	}
	if (t->line)
		buf_printf(b, ":%lld", (long long)t->line);
}

void calls_where(const struct calls *c, uint32_t thing, struct buf *b)
{
	const struct thing *t = &c->thing[thing];
	if (!t->frm)
		return;
	const struct fun_row *fu = store_fun(c->st, t->fun);
	struct str_row s = *store_str(c->st, fu->file);
	if (!s.n)
		return;
	size_t base = s.n;
	while (base && s.s[base - 1] != '/')
		base--;
	text_safe(b, s.s + base, s.n - base);
	int64_t line = t->line ? t->line : fu->line ? fu->line : store_frm(c->st, t->frm)->line;
	if (line > 0 && c->gran != CG_FILES)
		buf_printf(b, ":%lld", (long long)line);
}

uint32_t calls_find(const struct calls *c, uint64_t id)
{
	for (uint32_t i = 1; id && i < c->nthing; i++)
		if (c->thing[i].id == id && c->thing[i].nnode)
			return i;
	return 0;
}

uint32_t calls_fun(const struct calls *c, fun_id f)
{
	if (!f || f >= col_n(&c->st->funs))
		return 0;
	const struct fun_row *want = store_fun(c->st, f);
	uint32_t best = 0;
	for (uint32_t i = 1; i < c->nthing; i++) {
		const struct thing *t = &c->thing[i];
		if (t->tag || !t->frm || !t->nnode)
			continue;
		bool same = c->gran == CG_FILES ? t->file && t->file == want->file
						: t->name && t->name == want->name;
		if (same && (t->fun == f || !best))
			best = i;
		if (same && t->fun == f)
			break;
	}
	return best;
}
