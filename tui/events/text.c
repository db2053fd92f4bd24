/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What events are called and say. Nothing here knows the pane: a search beside
 * the keyboard makes the same words of the same events.
 */
#include "config.h"
#include "events/internal.h"

#include "base/text/text.h"
#include "store/tracks/time_search.h"
#include "timeline/timeline.h"
#include "trace/bins.h"

#include <string.h>

enum { ALL_SPANS = (1 << (SP_RANGE + 1)) - 1, ALL_MARKS = (1 << MK__N) - 1 };
const struct ev_view ev_views[EV_VIEWS] = {
	{"all", EL_ALL, ALL_SPANS, ALL_MARKS},
	{"goroutines", 1 << EL_CREATE | 1 << EL_READY | 1 << EL_RUN | 1 << EL_BLOCK | 1 << EL_SYSCALL | 1 << EL_END,
	0, 0},
	{"blocks", 1 << EL_BLOCK | 1 << EL_SYSCALL | 1 << EL_READY, 0, 0},
	{"life", 1 << EL_CREATE | 1 << EL_END, 0, 0},
	{"user", 1 << EL_BEGIN_SPAN | 1 << EL_END_SPAN | 1 << EL_MARK, 1 << SP_TASK | 1 << SP_REGION, 1 << MK_LOG},
	{"procs", 1 << EL_MARK | 1 << EL_PROC_START | 1 << EL_PROC_STOP, 0, 1 << MK_PROC_STEAL | 1 << MK_GOMAXPROCS},
	{"gc", 1 << EL_BEGIN_SPAN | 1 << EL_END_SPAN | 1 << EL_GOAL,
	1 << SP_GC | 1 << SP_STW | 1 << SP_ASSIST | 1 << SP_SWEEP, 0},
	{"samples", 1 << EL_SAMPLE, 0, 0},
};

static void span_words(const struct store *st, const struct el_event *e, struct buf *b)
{
	const struct sink_span *s = &store_span(st, e->who)->s;
	if (s->kind == SP_TASK || (s->kind == SP_REGION && s->id))
		buf_printf(b, "task %llu ", (unsigned long long)s->id);
	if (s->kind == SP_TASK || s->kind == SP_REGION || s->kind == SP_STW || s->kind == SP_RANGE)
		tp_str(st, s->name, "(no name)", b);
	if (e->kind == EL_END_SPAN && s->t0 != TIME_NONE) {
		buf_putc(b, ' ');
		text_ns(b, s->t1 - s->t0);
	}
}

static void mark_words(const struct store *st, const struct sink_mark *m, struct buf *b)
{
	if (m->kind == MK_PROC_STEAL && m->task)
		buf_puts(b, "by "), tp_who(st, (trk_id)m->task, b);
	else if (m->kind == MK_GOMAXPROCS)
		buf_printf(b, "%llu P%s from now on", (unsigned long long)m->task, text_s(m->task));
	else if (m->kind == MK_QUEUE)
		buf_printf(b, "%llu in the queue", (unsigned long long)m->task);
	else if (m->task)
		buf_printf(b, "task %llu ", (unsigned long long)m->task);
	if (store_str(st, m->category)->n)
		buf_putc(b, '['), tp_str(st, m->category, "", b), buf_puts(b, "] ");
	tp_str(st, m->text, "", b);
}

/* What happened, without when and to whom. */
void ev_words(const struct snap *sn, const struct el_event *e, struct buf *b)
{
	const struct store *st = sn->st;
	switch (e->kind) {
	case EL_CREATE:
	case EL_READY:
		if (e->who)
			buf_puts(b, "by "), tp_who(st, e->who, b);
		break;
	case EL_RUN:
		if (e->who && e->who < sn->ntrks)
			buf_puts(b, "on "), tp_id(st, e->who, b);
		break;
	case EL_BLOCK: buf_puts(b, state_name(e->state)); break;
	case EL_SYSCALL: buf_puts(b, e->state == TS_SYSBLOCK ? "blocked, P lost" : ""); break;
	case EL_BEGIN_SPAN:
	case EL_END_SPAN: span_words(st, e, b); break;
	case EL_MARK: mark_words(st, store_mark(st, e->who), b); break;
	case EL_HEAP: text_bytes(b, (int64_t)(store_count(st, CT_HEAP_LIVE, e->who)->v & INT64_MAX)); break;
	case EL_GOAL: text_bytes(b, (int64_t)(store_count(st, CT_HEAP_GOAL, e->who)->v & INT64_MAX)); break;
	default: break;
	}
	if (e->stack) {
		buf_puts(b, b->n && b->p[b->n - 1] != ' ' ? "  " : "");
		tp_site_call(st, e->stack, b);
	}
}

void ev_text(const struct snap *sn, const struct el_event *e, struct buf *b)
{
	buf_reset(b);
	buf_puts(b, el_name(sn, e));
	buf_putc(b, ' ');
	if (e->trk)
		tp_who(sn->st, e->trk, b);
	buf_putc(b, ' ');
	ev_words(sn, e, b);
}

void ev_line(const struct snap *sn, const struct el_event *e, struct buf *b)
{
	text_at(b, e->t, 1);
	buf_putc(b, ' ');
	struct buf row = {0};
	ev_text(sn, e, &row);
	buf_put(b, row.p, row.n);
	buf_putc(b, '\n');
	buf_free(&row);
}

int ev_stacks(const struct snap *sn, const struct el_event *e, struct ev_stack out[2])
{
	bool wakes = e->kind == EL_READY || e->kind == EL_CREATE;
	int n = 0;
	struct ival v;
	if (e->stack)
		out[n++] = (struct ev_stack){wakes ? "stack of the waker" : "stack", e->stack};
	if (e->kind == EL_CREATE && e->trk)
		out[n++] = (struct ev_stack){"starts in", store_trk(sn->st, e->trk)->start};
	else if ((e->kind == EL_READY || e->kind == EL_RUN) && e->trk && e->t > sn->t0 &&
		 ival_at(sn, e->trk, e->t - 1, &v) && v.stack && v.stack != e->stack)
		out[n++] = (struct ev_stack){e->kind == EL_READY ? "where it waited" : "made runnable by", v.stack};
	return n;
}

enum style ev_style(const struct snap *sn, const struct el_event *e)
{
	switch (e->kind) {
	case EL_RUN: return ST_S_RUN;
	case EL_READY:
	case EL_CREATE: return ST_S_READY;
	case EL_BLOCK:
	case EL_SYSCALL: return state_style(e->state);
	case EL_BEGIN_SPAN:
	case EL_END_SPAN: return store_span(sn->st, e->who)->s.kind == SP_STW ? ST_STWLINE
				: store_span(sn->st, e->who)->s.kind >= SP_GC ? ST_S_GC : ST_ACCENT;
	case EL_MARK: return ST_ACCENT;
	default: return ST_DIM;
	}
}

