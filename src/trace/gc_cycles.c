/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * GC cycles. One pass finds the mark phases, which do not overlap and so are in
 * order. A second assigns each stop, assist and sweep to the cycles it touches,
 * found by binary search. Searching the spans of each cycle would cost cycles
 * times spans. Versions of Go differ in whether the stops are inside the mark
 * phase: a stop may be anywhere between the cycle before and the next.
 */
#include "config.h"
#include "trace/gc_cycles.h"

#include "base/bsearch.h"
#include "base/wrap_math.h"
#include "store/tracks/time_search.h"
#include "trace/focus.h"

#include <string.h>

struct cycles { struct gc_cycle *c; uint32_t n; };

static bool name_contains(const struct store *st, str_id name, const char *word)
{
	const struct str_row *s = store_str(st, name);
	size_t n = strlen(word);
	for (size_t i = 0; i + n <= s->n; i++)
		if (!memcmp(s->s + i, word, n))
			return true;
	return false;
}

/* Return the first cycle that has not ended at t; sweep: including its sweep, up to the start of the next cycle. */
static uint32_t first_at(const struct cycles *o, int64_t t, bool sweep)
{
	struct bsearch_probe h = {.hi = o->n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, (sweep ? o->c[h.at].next : o->c[h.at].t1) < t);
	return h.lo;
}

static int64_t overlap_length(int64_t a, int64_t b, int64_t t0, int64_t t1)
{
	a = a < t0 ? t0 : a;
	b = b > t1 ? t1 : b;
	return b > a ? b - a : 0;
}

static void add_stop(struct cycles *o, const struct store *st, str_id name, int64_t a, int64_t b)
{
	if (name_contains(st, name, "sweep termination"))
		for (uint32_t k = first_at(o, a, false); k < o->n && o->c[k].before <= b; k++)
			o->c[k].stw_before = b - a;
	else if (name_contains(st, name, "mark termination"))
		for (uint32_t k = first_at(o, a, true); k < o->n && o->c[k].t0 <= b; k++)
			if (o->c[k].next > a)
				o->c[k].stw_after = b - a;
}

/* A log has the total time of the assists, on no goroutine, but not their number. */
static void add_assist(struct cycles *o, const struct trace_filter *f, trk_id g, int64_t a, int64_t b)
{
	for (uint32_t k = first_at(o, a, false); k < o->n && o->c[k].t0 < b; k++) {
		int64_t t0 = a < o->c[k].t0 ? o->c[k].t0 : a, t1 = b > o->c[k].t1 ? o->c[k].t1 : b;
		int64_t ns = t1 <= t0 ? 0 : f ? trace_filter_overlap(f, g, t0, t1) : t1 - t0;
		wrap_add_to(&o->c[k].assist, ns);
		o->c[k].nassist += ns > 0 && g;
	}
}

static void add_sweep(struct cycles *o, int64_t a, int64_t b)
{
	for (uint32_t k = first_at(o, a, true); k < o->n && o->c[k].t1 < b; k++)
		wrap_add_to(&o->c[k].sweep, overlap_length(a, b, o->c[k].t1, o->c[k].next));
}

/* Keep the cycles that overlap the selection of the filter, including their stops but not their sweep, and whose start is
   in its focus. */
static void keep_present(struct cycles *o, const struct snap *sn, const struct trace_filter *f, struct arena *mem)
{
	uint32_t nv, m = 0;
	const struct trace_slice *v = trace_filter_presence(sn, f, mem, &nv);
	for (uint32_t i = 0; i < o->n; i++) {
		int64_t t0 = o->c[i].t0 - (o->c[i].stw_before > 0 ? o->c[i].stw_before : 0);
		if (trace_slices_overlap(v, nv, t0, o->c[i].t1) &&
		    trace_focus_has_span(f->focus, &store_span(sn->st, o->c[i].span)->s))
			o->c[m++] = o->c[i];
	}
	o->n = m;
}

struct gc_cycle *gc_cycles(const struct snap *sn, const struct trace_filter *f, struct arena *mem, uint32_t *n)
{
	struct cycles o = {0};
	uint32_t i, count = 0;
	for (i = 0; (i = time_search_next_span(sn, i, 1u << SP_GC, INT64_MIN / 2, INT64_MAX)) != UINT32_MAX; i++)
		count++;
	o.c = arena_zalloc(mem, (count + 1u) * sizeof *o.c);
	for (i = 0;
	     (i = time_search_next_span(sn, i, 1u << SP_GC, INT64_MIN / 2, INT64_MAX)) != UINT32_MAX && o.n < count;
	     i++) {
		struct gc_cycle *c = &o.c[o.n];
		const struct sink_span *s = &store_span(sn->st, i)->s;
		*c = (struct gc_cycle){.number = s->id ? (uint32_t)s->id : o.n + 1, .span = i,
		    .open = s->t1 == TIME_NONE, .stw_before = -1,
		    .stw_after = -1, .before = o.n ? o.c[o.n - 1].t1 : sn->t0, .next = sn->t1};
		time_search_span_bounds(sn, s, &c->t0, &c->t1);
		if (o.n)
			o.c[o.n - 1].next = c->t0;
		o.n++;
	}
	for (i = 0; i < sn->nspans && o.n; i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		int64_t a, b;
		if (s->kind != SP_STW && s->kind != SP_ASSIST && s->kind != SP_SWEEP)
			continue;
		time_search_span_bounds(sn, s, &a, &b);
		if (s->kind == SP_STW)
			add_stop(&o, sn->st, s->name, a, b);
		else if (s->kind == SP_ASSIST)
			add_assist(&o, f, s->trk, a, b);
		else
			add_sweep(&o, a, b);
	}
	if (f)
		keep_present(&o, sn, f, mem);
	*n = o.n;
	return o.c;
}

int64_t gc_cycle_stw(const struct gc_cycle *c)
{
	if (c->stw_before < 0 && c->stw_after < 0)
		return -1;
	return (c->stw_before > 0 ? c->stw_before : 0) + (c->stw_after > 0 ? c->stw_after : 0);
}
