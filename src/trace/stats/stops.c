/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Stops of the world, for the report `stw` and for the GC pane, so that both count
 * the same stops. A stop is a span of the store. Its group is a number: the name of
 * the span, or function and line of the frame that represents its stack. Stops are
 * sorted by that number and summed run by run, so the time does not depend on the
 * number of groups.
 */
#include "config.h"
#include "trace/stats/stops.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "store/tracks/time_search.h"
#include "trace/focus.h"
#include "trace/user_code.h"

#include <stdlib.h>
#include <string.h>

const char *const stops_by_name[STOPS_BY__N] = {"single", "kind", "caller"};

struct stop *stops_find(const struct snap *sn, const struct trace_filter *f, int64_t t0, int64_t t1, struct arena *mem,
    uint32_t *n)
{
	struct stop *v = NULL;
	size_t cap = 0;
	uint32_t k = 0, nthere;
	const struct trace_slice *there = trace_filter_presence(sn, f, mem, &nthere);
	for (uint32_t i = 0; (i = time_search_next_span(sn, i, 1u << SP_STW, t0, t1)) != UINT32_MAX; i++) {
		struct stop s = {.span = i};
		time_search_span_bounds(sn, &store_span(sn->st, i)->s, &s.t0, &s.t1);
		if (!trace_slices_overlap(there, nthere, s.t0, s.t1) || !trace_focus_has_span(f->focus, &store_span(sn->st, i)->s))
			continue;
		v = mem_grow(v, &cap, k + 1u, sizeof *v);
		v[k++] = s;
	}
	struct stop *out = arena_alloc(mem, (k + 1u) * sizeof *out);
	if (k)
		memcpy(out, v, k * sizeof *v);
	mem_free(v);
	*n = k;
	return out;
}

frm_id stops_caller(const struct store *st, uint32_t span)
{
	stk_id s = user_code_site(st, store_span(st, span)->s.stack);
	return s ? stk_frame(st, s) : 0;
}

struct stop_kind stops_kind(const struct store *st, uint32_t span)
{
	static const char before[] = "stop-the-world (";
	const struct str_row *name = store_str(st, store_span(st, span)->s.name);
	size_t k = sizeof before - 1;
	if (name->n > k + 1 && !memcmp(name->s, before, k))
		return (struct stop_kind){name->s + k, name->n - k - 1};
	return (struct stop_kind){name->s, name->n};
}

static void put_str(const struct store *st, str_id id, struct buf *b)
{
	const struct str_row *s = store_str(st, id);
	if (id && s->n)
		buf_put(b, s->s, s->n);
	else
		buf_putc(b, '?');
}

void stops_name(const struct store *st, uint32_t span, enum stops_by by, struct buf *b)
{
	frm_id f = by == STOPS_CALLER ? stops_caller(st, span) : 0;
	if (by == STOPS_KIND) {
		struct stop_kind kind = stops_kind(st, span);
		buf_put(b, kind.s, kind.n);
	} else if (f) {
		const struct frm_row *row = store_frm(st, f);
		const struct fun_row *fun = store_fun(st, row->fun);
		put_str(st, fun->name, b);
		buf_putc(b, ' ');
		put_str(st, fun->file, b);
		buf_putc(b, ':');
		buf_i64(b, row->line);
	}
}

uint64_t stops_key(const struct snap *sn, uint32_t span, enum stops_by by)
{
	if (by == STOPS_SINGLE)
		return span;
	if (by == STOPS_KIND)
		return store_span(sn->st, span)->s.name;
	frm_id f = stops_caller(sn->st, span);
	const struct frm_row *row = f ? store_frm(sn->st, f) : NULL;
	return row ? (uint64_t)row->fun << 32 | (uint32_t)row->line : 0;
}

struct stop_key { uint64_t key; uint32_t i; };

static int by_key(const void *a, const void *b)
{
	const struct stop_key *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

static int by_total(const void *a, const void *b)
{
	const struct stop_group *x = a, *y = b;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

struct stop_group *stops_group(const struct snap *sn, const struct stop *v, uint32_t n, enum stops_by by,
    struct arena *mem, uint32_t *ngroup)
{
	struct stop_key *k = xmalloc((n + 1u) * sizeof *k);
	struct stop_group *g = arena_alloc(mem, (n + 1u) * sizeof *g);
	uint32_t ng = 0;
	for (uint32_t i = 0; i < n; i++)
		k[i] = (struct stop_key){stops_key(sn, v[i].span, by), i};
	if (n)
		qsort(k, n, sizeof *k, by_key);
	for (uint32_t i = 0; i < n; i++) {
		int64_t ns = v[k[i].i].t1 - v[k[i].i].t0;
		if (!i || k[i].key != k[i - 1].key)
			g[ng++] = (struct stop_group){.key = k[i].key, .first = k[i].i, .longest = k[i].i, .max = ns};
		struct stop_group *to = &g[ng - 1];
		to->n++;
		to->total = wrap_add(to->total, ns);
		if (ns > to->max) {
			to->max = ns;
			to->longest = k[i].i;
		}
	}
	mem_free(k);
	if (ng)
		qsort(g, ng, sizeof *g, by_total);
	*ngroup = ng;
	return g;
}
