/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Names and texts of events. Nothing here depends on the pane: a background search makes the same
 * texts.
 */
#include "config.h"
#include "events/internal.h"

#include "base/text/text.h"
#include "store/tracks/time_search.h"
#include "term/style.h"
#include "trace/bins.h"

#include <string.h>

enum { ALL_SPANS = (1 << (SP_RANGE + 1)) - 1, ALL_MARKS = (1 << MK__N) - 1 };
const struct events_view events_views[EV_VIEWS] = {
    {"all", EVENT_ALL, ALL_SPANS, ALL_MARKS},
    {"goroutines",
	1 << EVENT_CREATE | 1 << EVENT_READY | 1 << EVENT_RUN | 1 << EVENT_BLOCK | 1 << EVENT_SYSCALL | 1 << EVENT_END,
	0, 0},
    {"blocks", 1 << EVENT_BLOCK | 1 << EVENT_SYSCALL | 1 << EVENT_READY, 0, 0},
    {"life", 1 << EVENT_CREATE | 1 << EVENT_END, 0, 0},
    {"user", 1 << EVENT_BEGIN_SPAN | 1 << EVENT_END_SPAN | 1 << EVENT_MARK, 1 << SP_TASK | 1 << SP_REGION, 1 << MK_LOG},
    {"procs", 1 << EVENT_MARK | 1 << EVENT_PROC_START | 1 << EVENT_PROC_STOP, 0,
	1 << MK_PROC_STEAL | 1 << MK_GOMAXPROCS},
    {"gc", 1 << EVENT_BEGIN_SPAN | 1 << EVENT_END_SPAN | 1 << EVENT_GOAL,
	1 << SP_GC | 1 << SP_STW | 1 << SP_ASSIST | 1 << SP_SWEEP, 0},
    {"samples", 1 << EVENT_SAMPLE, 0, 0},
};

static void span_words(const struct store *st, const struct event_item *e, struct buf *b)
{
	const struct sink_span *s = &store_span(st, e->peer)->s;
	if (s->kind == SP_TASK || (s->kind == SP_REGION && s->id))
		buf_printf(b, "task %llu ", (unsigned long long)s->id);
	if (s->kind == SP_TASK || s->kind == SP_REGION || s->kind == SP_STW || s->kind == SP_RANGE)
		tracepane_put_str(st, s->name, "(no name)", b);
	if (e->kind == EVENT_END_SPAN && s->t0 != TIME_NONE) {
		buf_putc(b, ' ');
		text_ns(b, s->t1 - s->t0);
	}
}

static void mark_words(const struct store *st, const struct sink_mark *m, struct buf *b)
{
	if (m->kind == MK_PROC_STEAL && m->task)
		buf_puts(b, "by "), tracepane_put_track(st, (trk_id)m->task, b);
	else if (m->kind == MK_GOMAXPROCS)
		buf_printf(b, "%llu P%s from now on", (unsigned long long)m->task, text_s(m->task));
	else if (m->kind == MK_QUEUE)
		buf_printf(b, "%llu in the queue", (unsigned long long)m->task);
	else if (m->task)
		buf_printf(b, "task %llu ", (unsigned long long)m->task);
	if (store_str(st, m->category)->n)
		buf_putc(b, '['), tracepane_put_str(st, m->category, "", b), buf_puts(b, "] ");
	tracepane_put_str(st, m->text, "", b);
}

/* Append the details of an event, without its time and goroutine. */
void events_describe(const struct snap *sn, const struct event_item *e, struct buf *b)
{
	const struct store *st = sn->st;
	switch (e->kind) {
	case EVENT_CREATE:
	case EVENT_READY:
		if (e->peer)
			buf_puts(b, "by "), tracepane_put_track(st, e->peer, b);
		break;
	case EVENT_RUN:
		if (e->peer && e->peer < sn->ntrks)
			buf_puts(b, "on "), tracepane_put_id(st, e->peer, b);
		break;
	case EVENT_BLOCK: buf_puts(b, style_state_name(e->state)); break;
	case EVENT_SYSCALL: buf_puts(b, e->state == TS_SYSBLOCK ? "blocked, P lost" : ""); break;
	case EVENT_BEGIN_SPAN:
	case EVENT_END_SPAN: span_words(st, e, b); break;
	case EVENT_MARK: mark_words(st, store_mark(st, e->peer), b); break;
	case EVENT_HEAP: text_bytes(b, (int64_t)(store_count(st, CT_HEAP_LIVE, e->peer)->v & INT64_MAX)); break;
	case EVENT_GOAL: text_bytes(b, (int64_t)(store_count(st, CT_HEAP_GOAL, e->peer)->v & INT64_MAX)); break;
	default: break;
	}
	if (e->stack) {
		buf_puts(b, b->n && b->p[b->n - 1] != ' ' ? "  " : "");
		tracepane_put_call_site(st, e->stack, b);
	}
}

void events_row_text(const struct snap *sn, const struct event_item *e, struct buf *b)
{
	buf_reset(b);
	buf_puts(b, trace_events_name(sn, e));
	buf_putc(b, ' ');
	if (e->trk)
		tracepane_put_track(sn->st, e->trk, b);
	buf_putc(b, ' ');
	events_describe(sn, e, b);
}

void events_export_line(const struct snap *sn, const struct event_item *e, struct buf *b)
{
	text_at(b, e->t, 1);
	buf_putc(b, ' ');
	struct buf row = {0};
	events_row_text(sn, e, &row);
	buf_put(b, row.p, row.n);
	buf_putc(b, '\n');
	buf_free(&row);
}

int events_event_stacks(const struct snap *sn, const struct event_item *e, struct events_stack out[2])
{
	bool wakes = e->kind == EVENT_READY || e->kind == EVENT_CREATE;
	int n = 0;
	struct trace_interval v;
	if (e->stack)
		out[n++] = (struct events_stack){wakes ? "stack of the waker" : "stack", e->stack};
	if (e->kind == EVENT_CREATE && e->trk)
		out[n++] = (struct events_stack){"starts in", store_origin(sn->st, store_trk(sn->st, e->trk))->start};
	else if ((e->kind == EVENT_READY || e->kind == EVENT_RUN) && e->trk && e->t > sn->t0 &&
		 trace_interval_at(sn, e->trk, e->t - 1, &v) && v.stack && v.stack != e->stack)
		out[n++] =
		    (struct events_stack){e->kind == EVENT_READY ? "where it waited" : "made runnable by", v.stack};
	return n;
}

enum style events_event_style(const struct snap *sn, const struct event_item *e)
{
	switch (e->kind) {
	case EVENT_RUN: return ST_S_RUN;
	case EVENT_READY:
	case EVENT_CREATE: return ST_S_READY;
	case EVENT_BLOCK:
	case EVENT_SYSCALL: return style_of_state(e->state);
	case EVENT_BEGIN_SPAN:
	case EVENT_END_SPAN: return store_span(sn->st, e->peer)->s.kind == SP_STW ? ST_STWLINE
				: store_span(sn->st, e->peer)->s.kind >= SP_GC ? ST_S_GC : ST_ACCENT;
	case EVENT_MARK: return ST_ACCENT;
	default: return ST_DIM;
	}
}

