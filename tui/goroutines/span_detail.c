/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The details of the selected span on a goroutine's page: its stack, the goroutines that it woke,
 * the chain of its wakers, the regions that contain it; and of the goroutine: its times and where
 * it was created. Tab cycles through them if only one fits; a wide screen shows all. Each is
 * computed when drawn, by searches, so its cost depends on what is visible.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/text/text.h"
#include "store/tracks/time_search.h"
#include "store/tracks/wake_edges.h"

#include <string.h>

/* Draw the goroutines that it made runnable during the span. */
static int draw_wakes(const struct goroutines_state *p, const struct pane_env *env, struct grid *g, int y, int h)
{
	const struct snap *sn = session_snap(env->s);
	const struct trace_interval *v = goroutines_page_span(&p->one);
	struct wake_edges_walk w = {0};
	struct edge e;
	while (v && y < h && wake_edges_next(sn, &w, p->one.trk, v->t0, v->t1 + 1, &e)) {
		struct buf b = {0};
		buf_puts(&b, e.created ? "created " : "woke ");
		tracepane_put_track(sn->st, e.to, &b);
		buf_puts(&b, "  ");
		tracepane_put_call_site(sn->st, e.stack, &b);
		tracepane_draw_text(env, g, y++, 2, g->w - 2, ST_NORMAL, &b);
		buf_free(&b);
	}
	return y;
}

/* Return the runnable span related to the selected one: for a wait the one that follows it, for running the one
   before. */
static const struct trace_interval *runnable_span(const struct goroutines_page *o)
{
	uint32_t i = goroutines_page_span_index(o);
	if (o->v[i].state == TS_READY)
		return &o->v[i];
	if (o->v[i].state == TS_RUN)
		return i && o->v[i - 1].state == TS_READY ? &o->v[i - 1] : NULL;
	return i + 1 < o->n && o->v[i + 1].state == TS_READY ? &o->v[i + 1] : NULL;
}

/* Get the runnable interval of the last wake of a goroutine before t; false: not known. */
static bool woken_before(const struct snap *sn, trk_id g, int64_t t, struct trace_interval *v)
{
	enum { STEPS = 400 };
	bool have = trace_interval_at(sn, g, t, v);
	for (int i = 0; have && i < STEPS; i++, have = trace_interval_step(sn, v, -1))
		if (v->state == TS_READY && v->t0 <= t && v->peer)
			return true;
	return false;
}

/* Draw the chain of wakers, back in time. */
static int draw_chain(const struct goroutines_state *p, const struct pane_env *env, struct grid *g, int y, int h)
{
	const struct snap *sn = session_snap(env->s);
	const struct trace_interval *first = runnable_span(&p->one);
	struct trace_interval v;
	struct buf b = {0};
	if (!first)
		return y;
	v = *first;
	for (bool have = true; have && v.peer && y < h; have = woken_before(sn, v.peer, v.t0, &v)) {
		buf_reset(&b);
		buf_putc(&b, '-');
		text_ns(&b, first->t0 - v.t0);
		grid_right(g, y, 12, ST_DIM, 0, buf_str(&b));
		buf_reset(&b);
		tracepane_put_track(sn->st, v.peer, &b);
		buf_puts(&b, "  ");
		tracepane_put_call_site(sn->st, v.stack, &b);
		tracepane_draw_text(env, g, y++, 14, g->w - 14, ST_NORMAL, &b);
	}
	buf_free(&b);
	return y;
}

/* Draw its regions from those at the selected span on, which are marked. */
static int draw_regions(const struct goroutines_state *p, const struct pane_env *env, struct grid *g, int y, int h)
{
	const struct snap *sn = session_snap(env->s);
	const struct trace_interval *v = goroutines_page_span(&p->one);
	uint32_t k = 0;
	int64_t a, b;
	for (; k + 1 < p->one.nregion; k++) {
		time_search_span_bounds(sn, &store_span(sn->st, p->one.region[k])->s, &a, &b);
		if (b > v->t0)
			break;
	}
	for (; k < p->one.nregion && y < h; k++, y++) {
		const struct sink_span *s = &store_span(sn->st, p->one.region[k])->s;
		struct buf t = {0};
		time_search_span_bounds(sn, s, &a, &b);
		bool here = a < v->t1 && b > v->t0;
		tracepane_draw_time(g, y, 11, a);
		tracepane_draw_ns(g, y, 20, b - a, 0);
		tracepane_put_str(sn->st, s->name, "(inherited task)", &t);
		if (s->id)
			buf_printf(&t, "  task %llu", (unsigned long long)s->id);
		grid_text(g, y, 1, ST_ACCENT, AT_BOLD, here ? ">" : " ");
		tracepane_draw_text(env, g, y, 22, g->w - 22, here ? ST_ACCENT : ST_NORMAL, &t);
		buf_free(&t);
	}
	return y;
}

/* Draw the goroutines that it created, from those in or after the selected span on. */
static int draw_children(const struct goroutines_state *p, const struct pane_env *env, struct grid *g, int y, int h)
{
	const struct snap *sn = session_snap(env->s);
	const struct trace_interval *v = goroutines_page_span(&p->one);
	uint32_t k = 0;
	while (k + 1 < p->one.nchild && store_trk(sn->st, p->one.child[k])->t0 < v->t0)
		k++;
	for (; k < p->one.nchild && y < h; k++, y++) {
		const struct trk_row *t = store_trk(sn->st, p->one.child[k]);
		struct buf b = {0};
		tracepane_draw_time(g, y, 11, t->t0);
		tracepane_draw_ns(g, y, 20, (t->to_t1 ? store_t1(sn->st, t) : sn->t1) - t->t0, 0);
		tracepane_put_track(sn->st, p->one.child[k], &b);
		buf_puts(&b, !t->to_t1 ? "  not ended" : "");
		tracepane_draw_text(
		    env, g, y, 22, g->w - 22, t->t0 >= v->t0 && t->t0 < v->t1 ? ST_ACCENT : ST_NORMAL, &b);
		buf_free(&b);
	}
	return y;
}

static stk_id stack_of(const struct goroutines_page *o)
{
	if (goroutines_page_wake(o))
		return goroutines_page_wake(o)->stack;
	const struct trace_interval *v = goroutines_page_span(o);
	/* the stack at which running stopped is that of the next span */
	if (v->state == TS_RUN && goroutines_page_span_index(o) + 1 < o->n && v[1].state != TS_READY)
		return v[1].stack;
	return v->stack;
}

int goroutines_draw_part(const struct goroutines_state *p, const struct pane_env *env, struct grid *g, int y, int h,
    enum goroutines_part part)
{
	static const struct { const char *head, *none; bool span; } about[GP__N] = {
		[GP_STACK] = {"stack at the end of span", "no stack here", true},
		[GP_WAKES] = {"woken and created in span", "none", true},
		[GP_CHAIN] = {"chain of wakers before span", "no goroutine: a timer, the network, the runtime", true},
		[GP_REGIONS] = {"regions", "no regions", false},
		[GP_ACCOUNTS] = {"where its time went", "it did nothing in the range", false},
		[GP_CREATED] = {"created at", "no stack", false},
		[GP_CHILDREN] = {"children", "none", false},
	};
	const struct store *st = session_snap(env->s)->st;
	const struct trk_origin *from = store_origin(st, store_trk(st, p->one.trk));
	if (y + 1 >= h || !p->one.table.rows.n)
		return y;
	const struct tracepane_wake *wake = part == GP_STACK ? goroutines_page_wake(&p->one) : NULL;
	if (wake) {
		struct buf b = {0};
		tracepane_put_id(session_snap(env->s)->st, wake->to, &b);
		grid_printf(g, y, 1, ST_HEAD, 0, "stack that woke %s", buf_str(&b));
		buf_free(&b);
	} else if (about[part].span)
		grid_printf(g, y, 1, ST_HEAD, 0, "%s %u", about[part].head, goroutines_page_span_index(&p->one) + 1);
	else if (part == GP_CHILDREN && p->one.nchild)
		grid_printf(g, y, 1, ST_HEAD, 0, "%u %s", p->one.nchild,
		    p->one.nchild == 1 ? "child" : about[part].head);
	else
		grid_text(g, y, 1, ST_HEAD, 0, about[part].head);
	int was = ++y;
	switch (part) {
	case GP_STACK: y = tracepane_draw_stack(env, g, y, h, stack_of(&p->one)); break;
	case GP_WAKES: y = draw_wakes(p, env, g, y, h); break;
	case GP_CHAIN: y = draw_chain(p, env, g, y, h); break;
	case GP_REGIONS: y = draw_regions(p, env, g, y, h); break;
	case GP_CHILDREN: y = draw_children(p, env, g, y, h); break;
	case GP_ACCOUNTS: y = tracepane_draw_accounts(session_snap(env->s)->st, g, y, h, &p->one.s); break;
	default: y = tracepane_draw_stack(env, g, y, h, from->created ? from->created : from->start); break;
	}
	if (y == was)
		grid_text(g, y++, 2, ST_DIM, 0, part == GP_CHAIN && goroutines_still_blocked(p, env)
			? "nothing: it is still blocked at the end of the trace" : about[part].none);
	return y;
}
