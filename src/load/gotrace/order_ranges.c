/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The part of the state machine that is not scheduling: what users annotate
 * (tasks, regions, labels, logs) and what the runtime marks as going on for a
 * while (garbage collection, sweeping, assists, stops of the world). Only the
 * mark phase orders threads; the rest is checked, remembered until it ends, and
 * said.
 *
 * An end is told by less than its beginning, so it is completed from what was
 * kept: the type and parent of a task, the kind of a stop. Those may be of an
 * earlier generation, whose strings are gone: they were kept as bytes.
 */
#include "config.h"
#include "load/gotrace/order_state.h"

#include <inttypes.h>
#include <string.h>

enum { GC_UNKNOWN, GC_OFF, GC_ON };
enum { RANGES_MAX = 64 };

enum go_advance gostep_annotation(struct step *s)
{
	return gostep_have(s, MUST, MUST) ? gostep_took(s) : GO_BAD;
}

/* ---- tasks, regions and ranges */

/* Bytes of a string of this generation; false when there is none with the id. */
static bool str_bytes(struct step *s, uint64_t id, struct gostr *str)
{
	uint32_t i = gostep_str(s->o, id, s->ev->type);
	if (i != IDTAB_NONE)
		*str = s->o->gen->str[i];
	return i != IDTAB_NONE;
}

enum go_advance gostep_task_begin(struct step *s)
{
	bool fresh;
	struct gostr name;
	struct idslot *slot = idmap_get(&s->o->tasks, s->ev->arg[1]);
	if (slot)
		return gostep_bad(s, "%s: task ID conflict: %" PRIu64, s->ev->arg[1]);
	uint64_t parent = s->ev->arg[2] ? s->ev->arg[2] : UINT64_MAX;
	if (!str_bytes(s, s->ev->arg[3], &name))
		return GO_BAD;
	struct task *t = s->o->free_task;
	if (t)
		s->o->free_task = t->next;
	else
		t = arena_alloc(&s->o->mem, sizeof *t);
	*t = (struct task){.name = name, .parent = parent};
	idmap_put(&s->o->tasks, s->ev->arg[1], &fresh)->p = t;
	s->ev->arg[2] = parent;
	return gostep_annotation(s);
}

enum go_advance gostep_task_end(struct step *s)
{
	struct idslot *slot = idmap_get(&s->o->tasks, s->ev->arg[1]);
	struct task t = {.name = {"", 0}, .parent = UINT64_MAX};
	if (slot) {
		struct task *ended = slot->p;
		t = *ended;
		ended->next = s->o->free_task;
		s->o->free_task = ended;
		idmap_drop(&s->o->tasks, s->ev->arg[1]);
	}
	if (!gostep_have(s, MUST, MUST))
		return GO_BAD;
	struct tev *out = gostep_say(s->o, s->ev->type, s->ev, s->now);
	if (!out)
		return GO_BAD;
	out->value = t.parent;
	out->name = gogen_extra(s->o->gen, t.name.p, t.name.n);
	return GO_YES;
}

/* The region's name, and what its goroutine holds. NULL: it is said why not. */
static struct go_held *region_of(struct step *s, struct gostr *name)
{
	if (!gostep_have(s, MUST, MUST) || !str_bytes(s, s->ev->arg[2], name))
		return NULL;
	struct go_g *g = gostep_g(s);
	if (g)
		return gostep_held(s->o, g);
	gostep_bad(s, "encountered %s without known state for current goroutine %" PRIu64, (uint64_t)s->now.g);
	return NULL;
}

enum go_advance gostep_region_begin(struct step *s)
{
	struct gostr name;
	struct go_held *h = region_of(s, &name);
	if (!h)
		return GO_BAD;
	if (h->nregion == h->capregion) {
		uint32_t cap = h->capregion ? h->capregion * 2 : 4;
		struct region *v = arena_alloc(&s->o->mem, cap * sizeof *v);
		if (h->nregion)
			memcpy(v, h->region, h->nregion * sizeof *v);
		h->region = v;
		h->capregion = cap;
	}
	h->region[h->nregion++] = (struct region){s->ev->arg[1], name};
	return gostep_took(s);
}

/* A region that ends while another is inside is a mistake of the program, and the reference stops
   here. The trace is whole in spite of it: count it, forget what was inside, and go on. */
enum go_advance gostep_region_end(struct step *s)
{
	struct gostr name;
	struct go_held *h = region_of(s, &name);
	if (!h)
		return GO_BAD;
	uint32_t i = h->nregion;
	for (; i; i--) {
		const struct region *r = &h->region[i - 1];
		if (r->task == s->ev->arg[1] && r->name.n == name.n && !memcmp(r->name.p, name.p,
		    name.n))
			break;
		if (h->nregion - i >= RANGES_MAX)
			break;
	}
	if (h->nregion && i != h->nregion && !s->o->gen->salvaged)
		s->o->misused++;
	if (i)
		h->nregion = i - 1;
	return gostep_took(s);
}

static int find_range(const struct ranges *r, uint8_t type, uint64_t kind, bool any)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (r->v[i].type == type && (any || r->v[i].kind == kind))
			return (int)i;
	return -1;
}

static enum go_advance range_add(struct step *s, struct ranges *r, uint8_t type, uint64_t kind)
{
	if (find_range(r, type, kind, false) >= 0)
		return gostep_bad(s, "%s: discovered event already in-flight (%" PRIu64 ")", kind);
	if (r->n == RANGES_MAX)
		return gostep_bad(s, "%s: more than %" PRIu64 " ranges in flight at once",
		    RANGES_MAX);
	if (r->n == r->cap) {
		uint32_t cap = r->cap ? r->cap * 2 : 2;
		struct range *v = arena_alloc(&s->o->mem, cap * sizeof *v);
		if (r->n)
			memcpy(v, r->v, r->n * sizeof *v);
		r->v = v;
		r->cap = cap;
	}
	uint32_t i = type == GE_STWBegin ? idtab_get(&s->o->gen->strs, kind) : 0;
	r->v[r->n++] = (struct range){type, kind, s->o->gen->number,
	    s->o->gen->str[i == IDTAB_NONE ? 0 : i]};
	return gostep_took(s);
}

static enum go_advance range_active(struct step *s, struct ranges *r, uint8_t type)
{
	if (s->o->gen->number == s->o->first_gen)
		return range_add(s, r, type, 0);
	if (find_range(r, type, 0, false) < 0)
		return gostep_bad(s, "resource is missing active range: %s %" PRIu64,
		    s->ev->arg[1]);
	return gostep_took(s);
}

/* Take the range out; *was is it. Order among them means nothing: the last one fills the hole. */
static bool range_end(struct step *s, struct ranges *r, uint8_t type, struct range *was)
{
	int i = find_range(r, type, 0, true);
	if (i < 0)
		return gostep_bad(s, "tried to end event %s, but not in-flight (%" PRIu64 ")", 0),
		    false;
	*was = r->v[i];
	r->v[i] = r->v[--r->n];
	return true;
}

enum go_advance gostep_sweep_begin(struct step *s)
{
	if (!gostep_have(s, MUST, MAY))
		return GO_BAD;
	struct go_p *p = gostep_p(s);
	return p ? range_add(s, &p->ranges, GE_GCSweepBegin, 0)
		 : gostep_bad(s, "%s for unknown proc %" PRIu64, (uint64_t)s->now.p);
}

enum go_advance gostep_sweep_active(struct step *s)
{
	struct go_p *p = gostep_find_p(s->o, (int64_t)s->ev->arg[1]);
	return p ? range_active(s, &p->ranges, GE_GCSweepBegin)
		 : gostep_bad(s, "encountered %s for unknown proc %" PRIu64, s->ev->arg[1]);
}

enum go_advance gostep_sweep_end(struct step *s)
{
	struct range was;
	if (!gostep_have(s, MUST, MAY))
		return GO_BAD;
	struct go_p *p = gostep_p(s);
	if (!p)
		return gostep_bad(s, "%s for unknown proc %" PRIu64, (uint64_t)s->now.p);
	return range_end(s, &p->ranges, GE_GCSweepBegin, &was) ? gostep_took(s) : GO_BAD;
}

enum go_advance gostep_g_range_begin(struct step *s)
{
	if (!gostep_have(s, MUST, MUST))
		return GO_BAD;
	struct go_g *g = gostep_g(s);
	if (!g)
		return gostep_bad(s, "%s without known state for current goroutine %" PRIu64,
		    (uint64_t)s->now.g);
	return range_add(s, &gostep_held(s->o, g)->ranges, s->ev->type, s->ev->type == GE_STWBegin ? s->ev->arg[1]
	    : 0);
}

enum go_advance gostep_g_range_active(struct step *s)
{
	struct go_g *g = gostep_find_g(s->o, (int64_t)s->ev->arg[1]);
	return g ? range_active(s, &gostep_held(s->o, g)->ranges, GE_GCMarkAssistBegin)
		 : gostep_bad(s, "%s: uninitialized goroutine %" PRIu64, s->ev->arg[1]);
}

enum go_advance gostep_g_range_end(struct step *s)
{
	struct range was;
	if (!gostep_have(s, MUST, MUST))
		return GO_BAD;
	struct go_g *g = gostep_g(s);
	if (!g)
		return gostep_bad(s, "%s without known state for current goroutine %" PRIu64,
		    (uint64_t)s->now.g);
	bool stw = s->ev->type == GE_STWEnd;
	if (!range_end(s, &gostep_held(s->o, g)->ranges, stw ? GE_STWBegin : GE_GCMarkAssistBegin, &was))
		return GO_BAD;
	struct tev *t = gostep_say(s->o, s->ev->type, s->ev, s->now);
	if (!t)
		return GO_BAD;
	if (stw && was.gen == s->o->gen->number)
		t->name = gostep_str(s->o, was.kind, GE_STWBegin);
	else if (stw)
		t->name = gogen_extra(s->o->gen, was.name.p, was.name.n);
	return GO_YES;
}

void gostep_gc_was(struct goorder *o, bool on)
{
	o->gc = on ? GC_ON : GC_OFF;
}

/* The mark phase begins and ends on different threads: numbers of its own order it. */
enum go_advance gostep_gc_mark(struct step *s)
{
	struct goorder *o = s->o;
	uint64_t seq = s->ev->arg[1];
	uint8_t type = s->ev->type;
	bool first = type == GE_GCActive ? o->gen->number == o->first_gen
					 : type == GE_GCBegin && o->gc == GC_UNKNOWN;
	if (first && o->gc != GC_UNKNOWN)
		return gostep_bad(s,
		    "%s in the first generation isn't first GC event (%" PRIu64 ")", seq);
	if (!first) {
		if (seq != o->gc_seq + 1)
			return GO_WAIT;
		if (o->gc != (type == GE_GCBegin ? GC_OFF : GC_ON))
			return gostep_bad(s,
			    "encountered %s in the wrong state of the GC (%" PRIu64 ")", seq);
	}
	o->gc_seq = seq;
	o->gc = type == GE_GCEnd ? GC_OFF : GC_ON;
	if (!first && !gostep_have(s, MUST, MUST))
		return GO_BAD;
	return gostep_took(s);
}

enum go_advance gostep_heap_metric(struct step *s)
{
	return gostep_have(s, MUST, MAY) ? gostep_took(s) : GO_BAD;
}

enum go_advance gostep_experimental(struct step *s)
{
	return gostep_have(s, MAY, MAY) ? gostep_took(s) : GO_BAD;
}
