/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The trigger of a flight recorder. A program keeps the last seconds of its trace, and writes them when something was too
 * slow: that is what the reader wants to have explained, and not what is slowest in the snapshot. WriteTo ends the last
 * generation before it records anything of its own call, so no stack of the file has it. But its goroutine has a P then,
 * and of the goroutines that have one it is the last that did something.
 *
 * Mostly it is the goroutine of the operation: the one that contains the end, or else its last one. If a goroutine only
 * for snapshots was woken to write it, it is the operation of the one that woke it, or else the one that ended last
 * before.
 *
 * A trace that is no snapshot has the stop of the world with which it started, in Go 1.22 and later. FlightRecorder.Start
 * makes one as well, which is in the snapshot of a program that has not run for long.
 */
#include "config.h"
#include "critical/trigger.h"

#include "base/text/text.h"
#include "store/tracks/time_search.h"
#include "trace/bins.h"

#include <inttypes.h>
#include <string.h>

static bool is_named(const struct store *st, str_id id, const char *name)
{
	const struct str_row *s = store_str(st, id);
	return s->n == strlen(name) && !memcmp(s->s, name, s->n);
}

static bool starts_recorder(const struct store *st, stk_id stack)
{
	for (; stack; stack = stk_parent(st, stack))
		if (is_named(st, store_fun(st, store_frm(st, stk_frame(st, stack))->fun)->name,
			"runtime/trace.(*FlightRecorder).Start"))
			return true;
	return false;
}

static bool is_snapshot(const struct snap *sn)
{
	enum { STOPS = 22 };	/* Go 1.22 records the first stop */
	if (!sn->complete || sn->trace.log || sn->trace.version < STOPS || sn->nwarns || !sn->nsheets)
		return false;
	for (uint32_t i = 0; (i = time_search_next_span(sn, i, 1u << SP_STW, sn->t0, sn->t1)) != UINT32_MAX; i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		if (is_named(sn->st, s->name, "stop-the-world (start trace)"))
			return starts_recorder(sn->st, s->stack);
	}
	return true;
}

/* Return when a goroutine last did something that was recorded: its state changed, or it woke another one. */
static int64_t last_event(const struct snap *sn, trk_id g)
{
	struct trace_interval v;
	int64_t t = trace_interval_at(sn, g, sn->t1 - 1, &v) ? v.t0 : sn->t0;
	const struct sheet *sh = sheet_get(sn, sn->nsheets - 1);
	for (uint32_t k = wake_edges_find(sh, g, t); k < sh->nedge; k++) {
		uint32_t i = sh->edge[k] & ~EDGE_CREATED;
		if (sheet_peer(sh, i) != g)
			break;
		int64_t when = sh->t0 + sheet_start(sh, i);
		t = when > t ? when : t;
	}
	return t;
}

/* Return the goroutine that has a P at the end and did something last; 0: none has. */
static trk_id last_goroutine(const struct snap *sn)
{
	trk_id best = 0;
	int64_t at = INT64_MIN;
	for (trk_id p = 1; p < sn->ntrks; p++) {
		struct trace_interval v;
		if (store_trk(sn->st, p)->kind != TK_P || !trace_interval_at(sn, p, sn->t1 - 1, &v))
			continue;
		bool has = (state_runs(v.state) && v.state != TS_GCWORK) || v.state == TS_SYSCALL;
		if (!has || !v.peer || v.peer >= sn->ntrks)
			continue;
		int64_t t = last_event(sn, v.peer);
		if (t > at) {
			at = t;
			best = v.peer;
		}
	}
	return best;
}

/* Return what ended the last wait of a goroutine, 0 if that was no goroutine, and when. */
static trk_id last_waker(const struct snap *sn, trk_id g, int64_t *t)
{
	enum { STEPS = 4096 };
	struct trace_interval v, before;
	bool on = trace_interval_at(sn, g, sn->t1 - 1, &v);
	*t = sn->t1;
	for (int i = 0; i < STEPS && on; i++) {
		before = v;
		on = trace_interval_step(sn, &before, -1);
		if (v.state == TS_READY && on && before.state >= TS_CHANSEND) {
			*t = v.t0;
			return v.peer;
		}
		v = before;
	}
	return 0;
}

struct last_operations { uint32_t own, wakers, any, contains; };

static void keep_later(const struct operations *ops, uint32_t *best, uint32_t i, int64_t t1)
{
	if (*best == OPERATION_NONE || operations_get(ops, *best).t1 < t1)
		*best = i;
}

static uint32_t find_operation(const struct snap *sn, const struct operations *ops, trk_id g)
{
	struct last_operations last = {OPERATION_NONE, OPERATION_NONE, OPERATION_NONE, OPERATION_NONE};
	int64_t woken;
	trk_id waker = last_waker(sn, g, &woken);
	for (uint32_t i = 0; i < ops->n; i++) {
		struct operation o = operations_get(ops, i);
		if (ops->kind[o.kind].source > OPERATION_SERVER)	/* tasks and requests come first */
			break;
		if (o.g == g)
			keep_later(ops, &last.own, i, o.t1);
		if (o.t1 > woken && o.t0 <= woken && o.g == waker)
			keep_later(ops, &last.contains, i, o.t0);
		if (o.t1 > woken || !o.complete)
			continue;
		keep_later(ops, &last.any, i, o.t1);
		if (o.g == waker)
			keep_later(ops, &last.wakers, i, o.t1);
	}
	return last.own != OPERATION_NONE ? last.own : last.contains != OPERATION_NONE ? last.contains
	    : last.wakers != OPERATION_NONE ? last.wakers : last.any;
}

bool critical_find_trigger(const struct snap *sn, const struct operations *ops, struct critical_trigger *out)
{
	if (!is_snapshot(sn))
		return false;
	out->g = last_goroutine(sn);
	out->operation = out->g ? find_operation(sn, ops, out->g) : OPERATION_NONE;
	return out->g != 0;
}

void critical_put_triggering(
    struct buf *b, const struct snap *sn, const struct operations *ops, const struct critical_trigger *t)
{
	struct operation o = operations_get(ops, t->operation);
	const struct operation_kind *k = &ops->kind[o.kind];
	buf_puts(b, o.t1 < sn->t1 || o.complete ? "after " : "in ");
	text_safe(b, k->name, k->nname);
	buf_printf(b, " #%" PRIu64 " (", o.id);
	text_ns(b, o.t1 - o.t0);
	buf_putc(b, ')');
}

void critical_put_trigger(
    struct buf *b, const struct snap *sn, const struct operations *ops, const struct critical_trigger *t)
{
	buf_printf(b, "snapshot of a flight recorder, written by G%" PRIu64, (uint64_t)store_trk(sn->st, t->g)->id);
	if (t->operation == OPERATION_NONE)
		return;
	buf_putc(b, ' ');
	critical_put_triggering(b, sn, ops, t);
}
