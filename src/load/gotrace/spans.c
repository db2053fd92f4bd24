/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Spans of a Go trace: ranges of the runtime (mark phase, assists, sweeps, stops of the world) and
 * of the program (tasks, regions). They are passed to the sink when they end, or at the end of the
 * trace.
 *
 * Ranges are charged as by the reference. A range that was active at its first event began with the
 * last Sync. A sweep belongs to its P, and to the goroutine only if both ends were on it. A sweep
 * whose end was recorded on another goroutine stays open for the first (sweep_lost) until that one
 * sweeps again or ends; then it is emitted as SP_RANGE.
 *
 * A goroutine created inside of a region inherits the region's task. It gets a region without a
 * name, the outermost of its regions, as in the reference.
 */
#include "config.h"
#include "load/gotrace/internal.h"

#include "base/intern.h"
#include "base/mem/mem.h"

#include <stdio.h>
#include <string.h>

static void emit_span(struct gotrace *r, const struct sink_span *s)
{
	r->sink->trace->span(r->sink->self, s);
}

static str_id sink_string(struct gotrace *r, const char *s)
{
	return r->sink->ops->str(r->sink->self, s, strlen(s));
}

/* ---- ranges of the runtime */

/* Open a range. An "active" event of an open range changes nothing. */
static void range_open(struct gotrace *r, struct open_range *g, const struct trace_event *ev, str_id name)
{
	if (ev->kind == TEV_RANGE_ACTIVE && g->open)
		return;
	int64_t t0 = gotrace_now(r);
	if (ev->kind == TEV_RANGE_ACTIVE)
		t0 = r->sync > r->base ? gotrace_rel(r, r->sync) : TIME_NONE;
	*g = (struct open_range){ true, t0, name, intern_tables_stack(r, ev->stack) };
}

static void range_gc(struct gotrace *r, const struct trace_event *ev)
{
	if (ev->kind != TEV_RANGE_END) {
		if (!r->n_gc)
			r->n_gc = sink_string(r, "GC concurrent mark phase");
		const struct track_goroutine *by = track_states_g_of_event(r, ev);
		range_open(r, &r->gc, ev, r->n_gc);
		r->gc_trk = by ? by->trk : 0;
		r->gc_live = r->heap_live;
		return;
	}
	if (r->gc.open)
		emit_span(r, &(struct sink_span){ .kind = SP_GC, .t0 = r->gc.t0, .t1 = gotrace_now(r), .trk = r->gc_trk,
			.name = r->gc.name, .stack = r->gc.stack, .v0 = r->gc_live, .v1 = r->heap_live });
	r->gc.open = false;
}

/* Emit a mark assist or stop of the world of a goroutine if it is open, and close it. */
static void range_close(
    struct gotrace *r, const struct track_goroutine *g, struct open_range *x, enum span_kind kind, int64_t t1)
{
	if (x->open)
		emit_span(r, &(struct sink_span){ .kind = kind, .t0 = x->t0, .t1 = t1, .trk = g->trk,
			.name = x->name, .stack = x->stack });
	x->open = false;
}

/* Return the ranges of the goroutine, added if there are none. */
static struct goroutine_ranges *ranges_of(struct gotrace *r, struct track_goroutine *g)
{
	bool fresh;
	struct u64_slot *s = u64_map_put(&r->ranges, (uint64_t)g->id, &fresh);
	struct goroutine_ranges *x = fresh ? r->free_ranges : s->p;
	if (fresh && x)
		r->free_ranges = x->free;
	s->p = x = x ? x : arena_alloc(r->mem, sizeof *x);
	if (fresh || !g->ranged)	/* or they belong to an earlier goroutine with this id */
		*x = (struct goroutine_ranges){ .free = NULL };
	g->ranged = true;
	return x;
}

/* End all ranges of the goroutine and free its entry. */
static void ranges_end(struct gotrace *r, struct track_goroutine *g, int64_t t)
{
	const struct u64_slot *s = u64_map_get(&r->ranges, (uint64_t)g->id);
	if (!s)
		return;
	struct goroutine_ranges *x = s->p;
	range_close(r, g, &x->assist, SP_ASSIST, t);
	range_close(r, g, &x->stw, SP_STW, t);
	if (g->swept)
		emit_span(r, &(struct sink_span){ .kind = SP_RANGE, .t0 = x->sweep_lost, .t1 = t, .trk = g->trk,
			.name = r->n_sweep });
	x->free = r->free_ranges;
	r->free_ranges = x;
	u64_map_remove(&r->ranges, (uint64_t)g->id);
}

static void range_assist(struct gotrace *r, const struct trace_event *ev)
{
	struct track_goroutine *g = track_states_find_g(r, ev->id);
	bool begin = ev->kind != TEV_RANGE_END;
	if (ev->kind == TEV_RANGE_BEGIN || (ev->kind == TEV_RANGE_ACTIVE && r->nsync <= 1)) {
		const struct track_goroutine *at = track_states_g_of_event(r, ev);
		bool runs = at && (at->state == TST_RUNNING || at->state == TST_SYSCALL);
		track_states_add_util(r, UT_ASSIST, ev->p, 1, !(ev->kind == TEV_RANGE_BEGIN) && runs);
	} else if (!begin) {
		track_states_add_util(r, UT_ASSIST, ev->p, -1, false);
	}
	if (!g)
		return;
	if (!r->n_assist)
		r->n_assist = sink_string(r, "GC mark assist");
	if (begin)
		range_open(r, &ranges_of(r, g)->assist, ev, r->n_assist);
	else if (g->ranged)
		range_close(r, g, &ranges_of(r, g)->assist, SP_ASSIST, gotrace_now(r));
	g->assists = begin;
	track_states_update(r, g, intern_tables_stack(r, ev->stack));
}

static void range_stw(struct gotrace *r, const struct trace_event *ev)
{
	struct track_goroutine *g = track_states_find_g(r, ev->id);
	size_t n;
	const char *why = generation_str(r->tab.gen, ev->name, &n);
	bool gc = false;
	for (size_t i = 0; i + 1 < n; i++)
		gc = gc || (why[i] == 'G' && why[i + 1] == 'C');
	if (gc && (ev->kind != TEV_RANGE_ACTIVE || r->nsync <= 1))
		track_states_add_util(r, UT_STW, 0, ev->kind == TEV_RANGE_END ? -1 : 1, false);
	if (!g)
		return;
	g->stops = ev->kind != TEV_RANGE_END;
	if (!g->stops) {
		if (g->ranged)
			range_close(r, g, &ranges_of(r, g)->stw, SP_STW, gotrace_now(r));
	} else {
		char name[1200];
		int len = snprintf(name, sizeof name, "stop-the-world (%.*s)", (int)(n < 1100 ? n : 1100), why);
		range_open(r, &ranges_of(r, g)->stw, ev, r->sink->ops->str(r->sink->self, name, (size_t)len));
	}
	track_states_update(r, g, intern_tables_stack(r, ev->stack));
}

static void range_sweep(struct gotrace *r, const struct trace_event *ev)
{
	if (ev->id < 0)
		return;
	struct track_proc *p = track_states_get_p(r, ev->id);
	struct track_goroutine *g = track_states_g_of_event(r, ev);
	if (!r->n_sweep)
		r->n_sweep = sink_string(r, "GC incremental sweep");
	if (ev->kind == TEV_RANGE_BEGIN || (ev->kind == TEV_RANGE_ACTIVE && r->nsync <= 1))
		track_states_add_util(r, UT_SWEEP, ev->p, 1, ev->kind == TEV_RANGE_ACTIVE);
	else if (ev->kind == TEV_RANGE_END)
		track_states_add_util(r, UT_SWEEP, ev->p, -1, false);
	if (ev->kind != TEV_RANGE_END) {
		bool same = p->sweep.open && p->swept_by_g == !!g && (!g || p->sweep_g == g->id);
		if (!same)
			p->sweep.open = false;
		range_open(r, &p->sweep, ev, r->n_sweep);
		p->swept_by_g = g != NULL;
		p->sweep_g = g ? g->id : -1;
		if (g)
			g->swept = false;
	} else if (p->sweep.open) {
		struct track_goroutine *began = p->swept_by_g ? track_states_find_g(r, p->sweep_g) : NULL;
		bool here = began && began == g;
		emit_span(r, &(struct sink_span){ .kind = SP_SWEEP, .t0 = p->sweep.t0, .t1 = gotrace_now(r),
			.trk = p->trk, .trk1 = here ? began->trk : 0, .name = r->n_sweep, .stack = p->sweep.stack,
			.v0 = ev->value, .v1 = ev->value2 });
		if (began && !here) {
			ranges_of(r, began)->sweep_lost = p->sweep.t0 == TIME_NONE ? 0 : p->sweep.t0;
			began->swept = true;
		}
		p->sweep.open = false;
		if (began)
			track_states_update(r, began, 0);
	}
	if (g)
		track_states_update(r, g, intern_tables_stack(r, trace_event_stack(ev)));
}

void spans_range_event(struct gotrace *r, const struct trace_event *ev)
{
	switch (ev->what) {
	case TRG_GC: range_gc(r, ev); break;
	case TRG_ASSIST: range_assist(r, ev); break;
	case TRG_SWEEP: range_sweep(r, ev); break;
	case TRG_STW: range_stw(r, ev); break;
	default: break;
	}
}

/* ---- regions

   The open regions of a goroutine are a list, innermost first. As a rule they nest, and the first is the one that ends.
   In a goroutine where another one ended first ("tangled") they are in a hash table as well, until none is open: to
   search the list for each end would be quadratic. */

static uint64_t region_key(const struct track_goroutine *g, uint64_t task, str_id name)
{
	return intern_hash_u64(g->trk, name) ^ task << 32 ^ task >> 32;
}

static void region_index(struct gotrace *r, const struct track_goroutine *g, struct open_region *o)
{
	bool fresh;
	struct u64_slot *s = u64_map_put(&r->regions, region_key(g, o->task, o->name), &fresh);
	o->same = fresh ? NULL : s->p;
	s->p = o;
}

static void region_unindex(struct gotrace *r, const struct track_goroutine *g, const struct open_region *o)
{
	uint64_t key = region_key(g, o->task, o->name);
	struct u64_slot *s = u64_map_get(&r->regions, key);
	if (s->p == o && !o->same) {
		u64_map_remove(&r->regions, key);
		return;
	}
	if (s->p == o) {
		s->p = o->same;
		return;
	}
	struct open_region *x = s->p;
	while (x->same != o)
		x = x->same;
	x->same = o->same;
}

/* Add all open regions of a goroutine to the table. The innermost one of a slot is the first. */
static void region_tangle(struct gotrace *r, struct track_goroutine *g)
{
	struct open_region *o = g->top;
	while (o->up)
		o = o->up;
	for (; o; o = o->inner)
		region_index(r, g, o);
	g->tangled = true;
}

static bool is_region(const struct open_region *o, uint64_t task, str_id name)
{
	return o->task == task && o->name == name && !(o->flags & RG_INHERITED);
}

/* Return the innermost open region of this task and name, or NULL. */
static struct open_region *region_find(struct gotrace *r, struct track_goroutine *g, uint64_t task, str_id name)
{
	if (!g->top || is_region(g->top, task, name))
		return g->top;
	if (!g->tangled)
		region_tangle(r, g);
	const struct u64_slot *s = u64_map_get(&r->regions, region_key(g, task, name));
	struct open_region *o = s ? s->p : NULL;
	while (o && !is_region(o, task, name))
		o = o->same;
	return o;
}

static struct open_region *region_push(struct gotrace *r, struct track_goroutine *g, const struct open_region *what)
{
	struct open_region *o = r->free_open;
	if (o)
		r->free_open = o->up;
	else
		o = arena_alloc(r->mem, sizeof *o);
	*o = *what;
	o->up = g->top;
	if (g->top)
		g->top->inner = o;
	g->top = o;
	if (g->tangled)
		region_index(r, g, o);
	return o;
}

static void region_remove(struct gotrace *r, struct track_goroutine *g, struct open_region *o)
{
	if (g->tangled)
		region_unindex(r, g, o);
	if (o->up)
		o->up->inner = o->inner;
	*(o->inner ? &o->inner->up : &g->top) = o->up;
	g->tangled = g->tangled && g->top;
	o->up = r->free_open;
	r->free_open = o;
}

/* Emit an open region that ended at t1 and remove it. */
static void region_end(struct gotrace *r, struct track_goroutine *g, struct open_region *o, int64_t t1, stk_id stack1,
    unsigned flags, unsigned ended)
{
	emit_span(r, &(struct sink_span){ .kind = SP_REGION, .t0 = o->t0, .t1 = t1, .trk = g->trk, .trk1 = g->trk,
		.id = o->task, .parent = o->seq, .name = o->name, .stack = o->stack, .stack1 = stack1,
		.v0 = o->flags | flags, .v1 = ended });
	region_remove(r, g, o);
}

void spans_inherit_task(struct gotrace *r, struct track_goroutine *child, const struct track_goroutine *creator)
{
	if (!creator->top)
		return;
	region_push(r, child, &(struct open_region){ .task = creator->top->task, .seq = r->seq++, .t0 = gotrace_now(r),
		.stack = intern_tables_stack(r, r->ev->stack), .flags = RG_INHERITED });
}

static void user_region(struct gotrace *r, const struct trace_event *ev)
{
	struct track_goroutine *g = track_states_g_of_event(r, ev);
	if (!g)
		return;
	str_id name = intern_tables_str(r, ev->name);
	stk_id stack = intern_tables_stack(r, ev->stack);
	if (ev->kind == TEV_REGION_BEGIN) {
		region_push(r, g, &(struct open_region){ .task = (uint64_t)ev->id, .seq = r->seq++, .name = name,
			.t0 = gotrace_now(r), .stack = stack });
		return;
	}
	struct open_region *o = region_find(r, g, (uint64_t)ev->id, name);
	if (!o)		/* it began before the trace, or in a part that is lost */
		o = region_push(r, g, &(struct open_region){ .task = (uint64_t)ev->id, .seq = r->seq++, .name = name,
			.t0 = TIME_NONE });
	region_end(r, g, o, gotrace_now(r), stack, 0, 0);
}

void spans_end_g(struct gotrace *r, struct track_goroutine *g, const struct trace_event *ev)
{
	int64_t t = ev ? gotrace_now(r) : TIME_NONE;
	unsigned ended = ev ? 1u + 16u * ev->from + ev->to : 0;
	while (g->top)
		region_end(r, g, g->top, g->system ? TIME_NONE : t,
		    ev && !g->system ? intern_tables_stack(r, ev->stack) : 0, g->system ? RG_LOOSE : 0,
		    g->system ? 0 : ended);
	if (g->ranged)
		ranges_end(r, g, t);
	g->assists = g->stops = g->swept = false;
}

/* ---- tasks and logs */

static struct open_task *task_room(struct gotrace *r)
{
	struct open_task *t = r->free_task;
	if (!t)
		return arena_alloc(r->mem, sizeof *t);
	r->free_task = t->free;
	return t;
}

static void user_task(struct gotrace *r, const struct trace_event *ev)
{
	bool fresh;
	const struct track_goroutine *g = track_states_g_of_event(r, ev);
	trk_id trk = g ? g->trk : 0;
	str_id name = intern_tables_str(r, ev->name);
	stk_id stack = intern_tables_stack(r, ev->stack);
	struct u64_slot *s = u64_map_get(&r->tasks, (uint64_t)ev->id);
	if (ev->kind == TEV_TASK_BEGIN) {
		struct open_task *t = s ? s->p : task_room(r);
		*t = (struct open_task){
		    .name = name, .parent = ev->value, .t0 = gotrace_now(r), .trk = trk, .stack = stack};
		u64_map_put(&r->tasks, (uint64_t)ev->id, &fresh)->p = t;
		return;
	}
	struct open_task none = { .name = name, .parent = ev->value, .t0 = TIME_NONE }, *t = s ? s->p : &none;
	emit_span(r, &(struct sink_span){ .kind = SP_TASK, .t0 = t->t0, .t1 = gotrace_now(r), .trk = t->trk,
		.trk1 = trk, .id = (uint64_t)ev->id, .parent = t->parent, .name = name, .stack = t->stack,
		.stack1 = stack, .v0 = t->parent == UINT64_MAX && ev->value != UINT64_MAX ? ev->value + 1 : 0 });
	if (s) {
		t->free = r->free_task;
		r->free_task = t;
		u64_map_remove(&r->tasks, (uint64_t)ev->id);
	}
}

static void user_log(struct gotrace *r, const struct trace_event *ev)
{
	const struct track_goroutine *g = track_states_g_of_event(r, ev);
	r->sink->trace->mark(r->sink->self, &(struct sink_mark){ .t = gotrace_now(r), .kind = MK_LOG,
		.trk = g ? g->trk : 0, .task = (uint64_t)ev->id, .category = intern_tables_str(r, ev->name),
		.text = intern_tables_str(r, ev->text), .stack = intern_tables_stack(r, ev->stack) });
}

void spans_user_event(struct gotrace *r, const struct trace_event *ev)
{
	if (ev->kind == TEV_LOG)
		user_log(r, ev);
	else if (ev->kind == TEV_TASK_BEGIN || ev->kind == TEV_TASK_END)
		user_task(r, ev);
	else
		user_region(r, ev);
}

/* ---- the end of the trace */

static void end_sweeps(struct gotrace *r)
{
	struct u64_slot *by_id = u64_map_sorted(&r->ps);
	for (size_t i = 0; i < r->ps.n; i++) {
		const struct track_proc *p = by_id[i].p;
		if (!p->sweep.open)
			continue;
		const struct track_goroutine *g = p->swept_by_g ? track_states_find_g(r, p->sweep_g) : NULL;
		emit_span(r, &(struct sink_span){ .kind = SP_SWEEP, .t0 = p->sweep.t0, .t1 = TIME_NONE, .trk = p->trk,
			.trk1 = g ? g->trk : 0, .name = r->n_sweep, .stack = p->sweep.stack });
	}
	mem_free(by_id);
}

static void end_live_gs(struct gotrace *r)
{
	struct u64_hash open = {0};
	struct track_goroutine *g;
	bool fresh;
	for (size_t i = 0; (g = goroutine_table_next(&r->gs, &i));)
		if (g->top || g->ranged)
			u64_map_put(&open, (uint64_t)g->id, &fresh)->p = g;
	struct u64_slot *by_id = u64_map_sorted(&open);
	for (size_t i = 0; i < open.n; i++)
		spans_end_g(r, by_id[i].p, NULL);
	mem_free(by_id);
	u64_map_free(&open);
}

static void end_tasks(struct gotrace *r)
{
	struct u64_slot *by_id = u64_map_sorted(&r->tasks);
	for (size_t i = 0; i < r->tasks.n; i++) {
		const struct open_task *t = by_id[i].p;
		emit_span(r, &(struct sink_span){ .kind = SP_TASK, .t0 = t->t0, .t1 = TIME_NONE, .trk = t->trk,
			.id = by_id[i].key, .parent = t->parent, .name = t->name, .stack = t->stack });
	}
	mem_free(by_id);
}

void spans_end_all(struct gotrace *r)
{
	end_sweeps(r);
	end_live_gs(r);
	end_tasks(r);
	if (r->gc.open)
		emit_span(r, &(struct sink_span){ .kind = SP_GC, .t0 = r->gc.t0, .t1 = TIME_NONE, .trk = r->gc_trk,
			.name = r->gc.name, .stack = r->gc.stack, .v0 = r->gc_live });
}
