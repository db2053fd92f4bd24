/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace gc`: the cycles of the collector. A cycle is its concurrent mark
 * phase; the stops of the world that begin and end it are known by their names
 * (versions of Go disagree whether they lie inside of it), its assists lie inside
 * of it, and its sweep is all the sweeping until the next cycle begins.
 */
#include "config.h"
#include "report/trep.h"

#include "store/spans.h"

#include <string.h>

/* Time of spans of a kind within [t0, t1), and how many. */
static int64_t time_in(const struct trep *r, enum span_kind kind, int64_t t0, int64_t t1, uint32_t *n)
{
	int64_t sum = 0;
	*n = 0;
	for (uint32_t i = 0; (i = spans_next(r->sn, i, 1u << kind, t0, t1)) != UINT32_MAX; i++) {
		int64_t a, b;
		span_bounds(r->sn, &store_span(r->st, i)->s, &a, &b);
		a = a < t0 ? t0 : a;
		b = b > t1 ? t1 : b;
		if (b > a) {
			sum += b - a;
			++*n;
		}
	}
	return sum;
}

static bool named(const struct trep *r, const struct sink_span *s, const char *word)
{
	struct trep_text name = trep_str(r, s->name, "");
	size_t n = strlen(word);
	for (size_t i = 0; i + n <= name.n; i++)
		if (!memcmp(name.s + i, word, n))
			return true;
	return false;
}

/* The stop of the world of that name within [t0, t1], the last one, as a cell. */
static void stop_in(const struct trep *r, struct table *t, const char *word, int64_t t0, int64_t t1)
{
	int64_t ns = -1;
	for (uint32_t i = 0; (i = spans_next(r->sn, i, 1u << SP_STW, t0, t1 + 1)) != UINT32_MAX; i++) {
		const struct sink_span *s = &store_span(r->st, i)->s;
		int64_t a, b;
		span_bounds(r->sn, s, &a, &b);
		if (named(r, s, word))
			ns = b - a;
	}
	if (ns < 0)
		table_none(t);
	else
		table_int(t, ns);
}

static void count_at(const struct trep *r, struct table *t, enum counter c, int64_t when)
{
	uint32_t i = count_find(r->sn, c, when);
	if (i == UINT32_MAX)
		table_none(t);
	else
		table_int(t, (int64_t)store_count(r->st, c, i)->v);
}

/* before and next: where the cycle before ended and the next begins. */
static void cycle(const struct trep *r, struct table *t, uint32_t number, const struct sink_span *s, int64_t before,
    int64_t next)
{
	int64_t a, b;
	uint32_t n;
	span_bounds(r->sn, s, &a, &b);
	table_int(t, number);
	table_int(t, a);
	table_int(t, b - a);
	stop_in(r, t, "sweep termination", before, b);
	stop_in(r, t, "mark termination", a, next - 1);
	int64_t assist = time_in(r, SP_ASSIST, a, b, &n);
	table_int(t, assist);
	table_int(t, n);
	int64_t sweep = time_in(r, SP_SWEEP, b, next, &n);
	table_int(t, sweep);
	count_at(r, t, CT_HEAP_LIVE, a);
	if (s->t1 == TIME_NONE)
		table_none(t);
	else
		count_at(r, t, CT_HEAP_LIVE, b);
	count_at(r, t, CT_HEAP_GOAL, a);
}

int report_gc(const struct opt *o, struct out *out, struct err *e)
{
	static const struct table_col col[] = {
		{ "GC", "number", TB_INT }, { "Start", "start_ns", TB_NS }, { "Mark", "mark_ns", TB_NS },
		{ "STW before", "stw_before_ns", TB_NS }, { "STW after", "stw_after_ns", TB_NS },
		{ "Assists", "assist_ns", TB_NS }, { "Number", "assists", TB_INT }, { "Sweep", "sweep_ns", TB_NS },
		{ "Heap before", "heap_before_bytes", TB_BYTES }, { "Heap after", "heap_after_bytes", TB_BYTES },
		{ "Goal", "goal_bytes", TB_BYTES },
	};
	struct trep r;
	if (trep_open(&r, o, out, e))
		return -1;
	struct table t;
	table_begin(&t, col, sizeof col / sizeof *col);
	uint32_t number = 0;
	int64_t before = r.sn->t0;
	for (uint32_t i = 0, k; (i = spans_next(r.sn, i, 1u << SP_GC, INT64_MIN / 2, INT64_MAX)) != UINT32_MAX; i++) {
		const struct sink_span *s = &store_span(r.st, i)->s;
		int64_t a, b, next = r.sn->t1, unused;
		k = spans_next(r.sn, i + 1, 1u << SP_GC, INT64_MIN / 2, INT64_MAX);
		if (k != UINT32_MAX)
			span_bounds(r.sn, &store_span(r.st, k)->s, &next, &unused);
		span_bounds(r.sn, s, &a, &b);
		number++;
		if (b >= r.t0 && a <= r.t1)
			cycle(&r, &t, number, s, before, next);
		before = b;
	}
	table_print(&t, r.format, r.out);
	table_free(&t);
	trep_close(&r);
	return 0;
}
