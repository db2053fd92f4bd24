/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The part of the state machine that is not scheduling: user annotations (tasks, regions, labels,
 * logs) and ranges of the runtime (garbage collection, sweeping, mark assists, stops of the world).
 * Only the events of the mark phase order threads; the other events are checked, kept until their
 * range ends, and emitted.
 *
 * An end event has fewer fields than its begin event, so it is completed from what was kept: the
 * type and parent of a task, the kind of a stop. These may be of an earlier generation, whose
 * strings are gone, so they were kept as bytes.
 */
#include "config.h"
#include "load/gotrace/order_state.h"

#include <inttypes.h>
#include <string.h>

enum { GC_UNKNOWN, GC_OFF, GC_ON };
enum { RANGES_MAX = 64 };

enum order_result order_annotation(struct order_step *s)
{
	return order_require(s, MUST, MUST) ? order_accept(s) : GO_BAD;
}

/* ---- tasks, regions and ranges */

/* Look up a string of this generation. Returns false if the id is unknown. */
static bool str_bytes(struct order_step *s, uint64_t id, struct gen_string *str)
{
	uint32_t i = order_string(s->o, id, s->ev->type);
	if (i != U64_INDEX_NONE)
		*str = s->o->gen->str[i];
	return i != U64_INDEX_NONE;
}

enum order_result order_task_begin(struct order_step *s)
{
	bool fresh;
	struct gen_string name;
	struct u64_slot *slot = u64_map_get(&s->o->tasks, s->ev->arg[1]);
	if (slot)
		return order_fail(s, "%s: task ID conflict: %" PRIu64, s->ev->arg[1]);
	uint64_t parent = s->ev->arg[2] ? s->ev->arg[2] : UINT64_MAX;
	if (!str_bytes(s, s->ev->arg[3], &name))
		return GO_BAD;
	struct task *t = s->o->free_task;
	if (t)
		s->o->free_task = t->next;
	else
		t = arena_alloc(&s->o->mem, sizeof *t);
	*t = (struct task){.name = name, .parent = parent};
	u64_map_put(&s->o->tasks, s->ev->arg[1], &fresh)->p = t;
	s->ev->arg[2] = parent;
	return order_annotation(s);
}

enum order_result order_task_end(struct order_step *s)
{
	struct u64_slot *slot = u64_map_get(&s->o->tasks, s->ev->arg[1]);
	struct task t = {.name = {"", 0}, .parent = UINT64_MAX};
	if (slot) {
		struct task *ended = slot->p;
		t = *ended;
		ended->next = s->o->free_task;
		s->o->free_task = ended;
		u64_map_remove(&s->o->tasks, s->ev->arg[1]);
	}
	if (!order_require(s, MUST, MUST))
		return GO_BAD;
	struct trace_event *out = order_emit(s->o, s->ev->type, s->ev, s->now);
	if (!out)
		return GO_BAD;
	out->value = t.parent;
	out->name = generation_add_string(s->o->gen, t.name.p, t.name.n);
	return GO_YES;
}

/* Return the extras of the region's goroutine, and the region's name in *name. NULL: o->bad has the reason. */
static struct order_extras *region_of(struct order_step *s, struct gen_string *name)
{
	if (!order_require(s, MUST, MUST) || !str_bytes(s, s->ev->arg[2], name))
		return NULL;
	struct order_goroutine *g = order_current_g(s);
	if (g)
		return order_get_extras(s->o, g);
	order_fail(s, "encountered %s without known state for current goroutine %" PRIu64, (uint64_t)s->now.g);
	return NULL;
}

enum order_result order_region_begin(struct order_step *s)
{
	struct gen_string name;
	struct order_extras *h = region_of(s, &name);
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
	return order_accept(s);
}

static bool is_region(const struct region *r, uint64_t task, const struct gen_string *name)
{
	return r->task == task && r->name.n == name->n && !memcmp(r->name.p, name->p, name->n);
}

/* A region that ends while another is open inside is a mistake of the program; the reference stops here. The trace
   is whole nevertheless: count the mistake, leave the inner regions open, and continue. Only the innermost RANGES_MAX
   regions are compared: to compare all at each end would be quadratic. */
enum order_result order_region_end(struct order_step *s)
{
	struct gen_string name;
	struct order_extras *h = region_of(s, &name);
	if (!h)
		return GO_BAD;
	uint32_t i = h->nregion, least = i > RANGES_MAX ? i - RANGES_MAX : 0;
	while (i > least && !is_region(&h->region[i - 1], s->ev->arg[1], &name))
		i--;
	if (h->nregion && i != h->nregion && !s->o->gen->salvaged)
		s->o->misused++;
	if (i > least) {
		h->nregion--;
		memmove(&h->region[i - 1], &h->region[i], (h->nregion - (i - 1)) * sizeof *h->region);
	}
	return order_accept(s);
}

static int find_range(const struct range_list *r, uint8_t type, uint64_t kind, bool any)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (r->v[i].type == type && (any || r->v[i].kind == kind))
			return (int)i;
	return -1;
}

static enum order_result range_add(struct order_step *s, struct range_list *r, uint8_t type, uint64_t kind)
{
	if (find_range(r, type, kind, false) >= 0)
		return order_fail(s, "%s: discovered event already in-flight (%" PRIu64 ")", kind);
	if (r->n == RANGES_MAX)
		return order_fail(s, "%s: more than %" PRIu64 " ranges in flight at once",
		    RANGES_MAX);
	if (r->n == r->cap) {
		uint32_t cap = r->cap ? r->cap * 2 : 2;
		struct order_range *v = arena_alloc(&s->o->mem, cap * sizeof *v);
		if (r->n)
			memcpy(v, r->v, r->n * sizeof *v);
		r->v = v;
		r->cap = cap;
	}
	uint32_t i = type == GE_STWBegin ? u64_index_get(&s->o->gen->strs, kind) : 0;
	r->v[r->n++] = (struct order_range){type, kind, s->o->gen->number,
	    s->o->gen->str[i == U64_INDEX_NONE ? 0 : i]};
	return order_accept(s);
}

static enum order_result range_active(struct order_step *s, struct range_list *r, uint8_t type)
{
	if (s->o->gen->number == s->o->first_gen)
		return range_add(s, r, type, 0);
	if (find_range(r, type, 0, false) < 0)
		return order_fail(s, "resource is missing active range: %s %" PRIu64,
		    s->ev->arg[1]);
	return order_accept(s);
}

/* Remove the range and return it in *was. The order of ranges has no meaning: the last one moves to its index. */
static bool range_end(struct order_step *s, struct range_list *r, uint8_t type, struct order_range *was)
{
	int i = find_range(r, type, 0, true);
	if (i < 0)
		return order_fail(s, "tried to end event %s, but not in-flight (%" PRIu64 ")", 0),
		    false;
	*was = r->v[i];
	r->v[i] = r->v[--r->n];
	return true;
}

enum order_result order_sweep_begin(struct order_step *s)
{
	if (!order_require(s, MUST, MAY))
		return GO_BAD;
	struct order_proc *p = order_current_p(s);
	return p ? range_add(s, &p->range_list, GE_GCSweepBegin, 0)
		 : order_fail(s, "%s for unknown proc %" PRIu64, (uint64_t)s->now.p);
}

enum order_result order_sweep_active(struct order_step *s)
{
	struct order_proc *p = order_find_p(s->o, (int64_t)s->ev->arg[1]);
	return p ? range_active(s, &p->range_list, GE_GCSweepBegin)
		 : order_fail(s, "encountered %s for unknown proc %" PRIu64, s->ev->arg[1]);
}

enum order_result order_sweep_end(struct order_step *s)
{
	struct order_range was;
	if (!order_require(s, MUST, MAY))
		return GO_BAD;
	struct order_proc *p = order_current_p(s);
	if (!p)
		return order_fail(s, "%s for unknown proc %" PRIu64, (uint64_t)s->now.p);
	return range_end(s, &p->range_list, GE_GCSweepBegin, &was) ? order_accept(s) : GO_BAD;
}

enum order_result order_g_range_begin(struct order_step *s)
{
	if (!order_require(s, MUST, MUST))
		return GO_BAD;
	struct order_goroutine *g = order_current_g(s);
	if (!g)
		return order_fail(s, "%s without known state for current goroutine %" PRIu64,
		    (uint64_t)s->now.g);
	return range_add(
	    s, &order_get_extras(s->o, g)->range_list, s->ev->type, s->ev->type == GE_STWBegin ? s->ev->arg[1] : 0);
}

enum order_result order_g_range_active(struct order_step *s)
{
	struct order_goroutine *g = order_find_g(s->o, (int64_t)s->ev->arg[1]);
	return g ? range_active(s, &order_get_extras(s->o, g)->range_list, GE_GCMarkAssistBegin)
		 : order_fail(s, "%s: uninitialized goroutine %" PRIu64, s->ev->arg[1]);
}

enum order_result order_g_range_end(struct order_step *s)
{
	struct order_range was;
	if (!order_require(s, MUST, MUST))
		return GO_BAD;
	struct order_goroutine *g = order_current_g(s);
	if (!g)
		return order_fail(s, "%s without known state for current goroutine %" PRIu64,
		    (uint64_t)s->now.g);
	bool stw = s->ev->type == GE_STWEnd;
	if (!range_end(s, &order_get_extras(s->o, g)->range_list, stw ? GE_STWBegin : GE_GCMarkAssistBegin, &was))
		return GO_BAD;
	struct trace_event *t = order_emit(s->o, s->ev->type, s->ev, s->now);
	if (!t)
		return GO_BAD;
	if (stw && was.gen == s->o->gen->number)
		t->name = order_string(s->o, was.kind, GE_STWBegin);
	else if (stw)
		t->name = generation_add_string(s->o->gen, was.name.p, was.name.n);
	return GO_YES;
}

void order_assume_gc(struct event_orderer *o, bool on)
{
	o->gc = on ? GC_ON : GC_OFF;
}

/* The mark phase begins and ends on different threads: its events have sequence numbers of their own. */
enum order_result order_gc_mark(struct order_step *s)
{
	struct event_orderer *o = s->o;
	uint64_t seq = s->ev->arg[1];
	uint8_t type = s->ev->type;
	bool first = type == GE_GCActive ? o->gen->number == o->first_gen
					 : type == GE_GCBegin && o->gc == GC_UNKNOWN;
	if (first && o->gc != GC_UNKNOWN)
		return order_fail(s,
		    "%s in the first generation isn't first GC event (%" PRIu64 ")", seq);
	if (!first) {
		if (seq != o->gc_seq + 1)
			return GO_WAIT;
		if (o->gc != (type == GE_GCBegin ? GC_OFF : GC_ON))
			return order_fail(s,
			    "encountered %s in the wrong state of the GC (%" PRIu64 ")", seq);
	}
	o->gc_seq = seq;
	o->gc = type == GE_GCEnd ? GC_OFF : GC_ON;
	if (!first && !order_require(s, MUST, MUST))
		return GO_BAD;
	return order_accept(s);
}

enum order_result order_heap_metric(struct order_step *s)
{
	return order_require(s, MUST, MAY) ? order_accept(s) : GO_BAD;
}

enum order_result order_experimental(struct order_step *s)
{
	return order_require(s, MAY, MAY) ? order_accept(s) : GO_BAD;
}
