/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Events of a time range. The store has no list of events: it has intervals by
 * goroutine, spans, marks, counters and samples. The range is found in each of them by
 * binary search (spans by the extents of every 64) and merged by one sort. So reading
 * around a moment costs what happened around it, plus a search for each goroutine that
 * existed then; the trace is never read as a whole. The alternative, an index of all
 * events by time, would double the store for one pane.
 *
 * The length of a range with enough events is found by counting intervals, which takes
 * two searches per goroutine and no walk.
 */
#include "config.h"
#include "trace/events.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "store/tracks/time_search.h"

#include <stdlib.h>
#include <string.h>

static bool is_running(enum tstate s)
{
	return s == TS_RUN || s == TS_ASSIST || s == TS_SWEEP || s == TS_STW || s == TS_GCWORK;
}

static int event_cmp(const void *a, const void *b)
{
	const struct event_item *x = a, *y = b;
	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->trk != y->trk)
		return x->trk < y->trk ? -1 : 1;
	return x->peer < y->peer ? -1 : x->peer > y->peer;
}

/* By time alone if events of one instant must stay together. */
static int compare_events(const struct event_list *l, const struct event_item *a, const struct event_item *b)
{
	return !l->whole ? event_cmp(a, b) : a->t < b->t ? -1 : a->t > b->t;
}

/* Of more than `max` events move the first ones to the front, unordered, including those equal to the last one moved.
   Return their number. This avoids sorting the events that will be cut off, which may be a million. */
static uint32_t select_first(struct event_list *l, uint32_t max)
{
	struct event_item *v = l->v;
	uint32_t lo = 0, hi = l->n, at = 1;	/* the cut is within [lo, hi) */
	while (hi - lo > 64) {
		const struct event_item *p[3];	/* pick at random: the events of each row are in order, row after row */
		for (int i = 0; i < 3; i++) {
			at = at * 1664525 + 1013904223;
			p[i] = &v[lo + (uint32_t)((uint64_t)at * (hi - lo) >> 32)];
		}
		const struct event_item *a = p[0], *b = p[1], *c = p[2];
		bool ab = compare_events(l, a, b) < 0, bc = compare_events(l, b, c) < 0,
		     ac = compare_events(l, a, c) < 0;
		struct event_item by = ab ? (bc ? *b : ac ? *c : *a) : ac ? *a : bc ? *c : *b;	/* the median */
		uint32_t i = lo, j = hi, k = lo;	/* [lo, i): before `by`; [i, k): equal; [j, hi): after it */
		while (k < j) {
			struct event_item e = v[k];
			int d = compare_events(l, &e, &by);
			if (d < 0) {
				v[k++] = v[i];
				v[i++] = e;
			} else if (d > 0) {
				v[k] = v[--j];
				v[j] = e;
			} else {
				k++;
			}
		}
		if (max < i)
			hi = i;
		else if (max >= j)
			lo = j;
		else
			return j;
	}
	return hi;
}

/* Sort in the order of event_cmp(). Many events may be of one instant, as at the start of a trace, which has the state
   of each goroutine: then sort by numbers, the least significant first, because most are in order already. */
static void sort_events(struct event_item *v, uint32_t n)
{
	enum { MANY = 4000 };
	if (n < MANY) {
		if (n)
			qsort(v, n, sizeof *v, event_cmp);
		return;
	}
	struct radix_item *k = xmalloc(n * sizeof *k);
	struct event_item *to = xmalloc(n * sizeof *to);
	for (uint32_t i = 0; i < n; i++)
		k[i] = (struct radix_item){v[i].peer, i};
	radix_sort_items(k, n);
	for (uint32_t i = 0; i < n; i++)
		k[i].key = (uint64_t)v[k[i].v].kind << 32 | v[k[i].v].trk;
	radix_sort_items(k, n);
	for (uint32_t i = 0; i < n; i++)
		k[i].key = radix_key_ascending(v[k[i].v].t);
	radix_sort_items(k, n);
	for (uint32_t i = 0; i < n; i++)
		to[i] = v[k[i].v];
	memcpy(v, to, n * sizeof *v);
	mem_free(to);
	mem_free(k);
}

/* If there are more than max events, cut off those that are too far before the requested event. Return the number of
   events that remain before it. */
static uint32_t drop_first(struct event_list *l)
{
	uint32_t before = 0;
	for (uint32_t i = 0; i < l->n; i++)
		before += compare_events(l, &l->v[i], &l->at) < 0;
	if (l->n <= l->max || before <= l->max / 2)
		return before;
	uint32_t n = select_first(l, before - l->max / 2);
	for (uint32_t i = 0; i < n; i++)
		if (!l->cut0 || compare_events(l, &l->v[i], &l->last0) > 0) {
			l->last0 = l->v[i];
			l->cut0 = true;
		}
	l->t0 = l->whole ? l->last0.t + 1 : l->last0.t;
	l->n -= n;
	memmove(l->v, l->v + n, l->n * sizeof *l->v);
	return before - n;
}

/* Cut off the events from n on; later events that are not before the first of these are dropped too. */
static void drop_last(struct event_list *l, uint32_t n)
{
	for (uint32_t i = n; i < l->n; i++)
		if (!l->cut1 || compare_events(l, &l->v[i], &l->first1) < 0) {
			l->first1 = l->v[i];
			l->cut1 = true;
		}
	if (n < l->n)
		l->t1 = l->whole ? l->first1.t : l->first1.t + 1;
	l->n = n;
}

/* So many events were added that most will be cut off: cut now and make the range smaller. */
static void thin_events(struct event_list *l)
{
	uint32_t before = drop_first(l);
	if (l->n - before > l->max)
		drop_last(l, select_first(l, before + l->max));
	l->full = l->n + l->max;
}

static bool is_cut_off(const struct event_list *l, const struct event_item *e)
{
	return (l->cut0 && compare_events(l, e, &l->last0) <= 0) || (l->cut1 && compare_events(l, e, &l->first1) >= 0);
}

static void add_event(struct event_list *l, const struct trace_events_query *q, const struct event_item *e)
{
	if (!(q->kinds >> e->kind & 1) || is_cut_off(l, e) || (q->want && !q->want(q->arg, e)))
		return;
	l->v = mem_grow(l->v, &l->cap, l->n + 1u, sizeof *l->v);
	l->v[l->n++] = *e;
	if (l->n >= l->full)
		thin_events(l);
}

/* Make an event of the start of an interval that follows state `was`. Return false if it is no event. */
static bool make_transition(enum tstate s, enum tstate was, struct event_item *e)
{
	e->state = s;
	if (s == TS_NONE) {
		e->kind = EVENT_END;
		return was != TS_NONE;
	}
	if (is_running(s)) {
		e->kind = EVENT_RUN;
		e->state = was;
		return !is_running(was);	/* assists, sweeps and stops are spans */
	}
	if (s == TS_READY)
		e->kind = was == TS_NONE ? EVENT_CREATE : EVENT_READY;
	else
		e->kind = s == TS_SYSCALL || s == TS_SYSBLOCK ? EVENT_SYSCALL : EVENT_BLOCK;
	return true;
}

/* Is the event after the first one cut off, as far as it is known without its peer? Of a million events of one instant
   nearly all are, so this is checked before the peer is looked up. */
static bool is_after_cut(const struct event_list *l, const struct event_item *e)
{
	const struct event_item *f = &l->first1;
	if (!l->cut1 || e->t != f->t || l->whole)
		return l->cut1 && e->t > f->t;
	return e->kind != f->kind ? e->kind > f->kind : e->trk > f->trk;
}

/* Return the first interval of a row that starts at or after t, in ns since the start of the sheet. */
static uint32_t first_from(const struct sheet *sh, uint32_t row, int64_t t)
{
	uint32_t at = sh->first[row], end = sh->first[row + 1];
	if (sheet_start(sh, end - 1) < t)
		return end;
	if (end - at > 1 && sheet_start(sh, at + 1) >= t)
		return sheet_start(sh, at) >= t ? at : at + 1;
	for (uint32_t n = end - at, half; n > 1; n -= half) {	/* without branches, because they are unpredictable */
		half = n / 2;
		at += sheet_start(sh, at + half - 1) < t ? half : 0;
	}
	return at;
}

static void gather_row(const struct trace_events_query *q, const struct sheet *sh, uint32_t row, struct event_list *l)
{
	int64_t t0 = l->t0 < sh->t0 ? 0 : l->t0 - sh->t0;
	for (uint32_t i = first_from(sh, row, t0); i < sh->first[row + 1]; i++) {
		int64_t t = sh->t0 + sheet_start(sh, i);
		if (t >= l->t1)
			break;
		if (sh->state[i] & SHEET_CONT)
			continue;
		struct event_item e = {.t = t, .trk = sh->trk[row]};
		bool first = i == sh->first[row];
		enum tstate was = first ? TS_NONE : (enum tstate)(sh->state[i - 1] & SHEET_STATE);
		if (!first && sh->state[i - 1] & SHEET_PAST)
			continue;	/* the same state, now recorded by an event */
		if (!make_transition((enum tstate)(sh->state[i] & SHEET_STATE), was, &e) || is_after_cut(l, &e))
			continue;
		e.peer = sheet_peer(sh, i);
		e.stack = e.kind == EVENT_END || e.kind == EVENT_RUN ? 0 : sheet_stack(sh, i);
		add_event(l, q, &e);
	}
}

/* Rows [row, end). There may be a million rows, and few have events in the range: two or three comparisons find
   these. */
static void gather_rows(
    const struct trace_events_query *q, const struct sheet *sh, uint32_t row, uint32_t end, struct event_list *l)
{
	const uint32_t *first = sh->first;
	for (; row < end; row++) {
		int64_t t0 = l->t0 - sh->t0, t1 = l->t1 - sh->t0;	/* the range may have become smaller */
		uint32_t i = first[row], last = first[row + 1] - 1;
		if (sheet_start(sh, last) >= t0 && sheet_start(sh, i) < t1 &&
		    (i < last || !(sh->state[i] & SHEET_CONT)))
			gather_row(q, sh, row, l);
	}
}

static const enum counter counters[EVENT__N] = {
	[EVENT_PROC_START] = CT_PROC_START, [EVENT_PROC_STOP] = CT_PROC_STOP, [EVENT_HEAP] = CT_HEAP_LIVE,
	[EVENT_GOAL] = CT_HEAP_GOAL,
};

static void gather_counts(const struct snap *sn, const struct trace_events_query *q, struct event_list *l)
{
	for (int k = EVENT_PROC_START; k <= EVENT_GOAL; k++) {
		enum counter c = counters[k];
		if (!(q->kinds >> k & 1))
			continue;
		for (uint32_t i = time_search_counter_before(sn, c, l->t0),
			      end = time_search_counter_before(sn, c, l->t1);
		     i < end; i++) {
			const struct count_row *r = store_count(sn->st, c, i);
			trk_id trk = k <= EVENT_PROC_STOP ? (trk_id)r->v : 0;
			add_event(l, q, &(struct event_item){r->t, (enum event_item_kind)k, TS_NONE, trk, i, 0});
		}
	}
}

static void gather_annotations(const struct snap *sn, const struct trace_events_query *q, struct event_list *l)
{
	uint32_t end, i;
	for (i = 0; (i = time_search_next_span(sn, i, q->spans, l->t0, l->t1)) != UINT32_MAX; i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		if (s->t0 != TIME_NONE && s->t0 >= l->t0 && s->t0 < l->t1)
			add_event(l, q, &(struct event_item){s->t0, EVENT_BEGIN_SPAN, TS_NONE, s->trk, i, s->stack});
		if (s->t1 != TIME_NONE && s->t1 >= l->t0 && s->t1 < l->t1)
			add_event(l, q, &(struct event_item){s->t1, EVENT_END_SPAN, TS_NONE,
			    s->trk1 && s->kind != SP_SWEEP ? s->trk1 : s->trk, i, s->stack1});
	}
	for (i = time_search_marks(sn, l->t0, l->t1, &end); i < end; i++) {
		const struct sink_mark *m = store_mark(sn->st, i);
		if (q->marks >> m->kind & 1)
			add_event(l, q, &(struct event_item){m->t, EVENT_MARK, TS_NONE, m->trk, i, m->stack});
	}
	for (i = 0; i < sn->nsmps; i++) {
		struct smp_time s = store_smp_time(sn->st, i);
		if (s.when != TIME_NONE && s.when >= l->t0 && s.when < l->t1)
			add_event(l, q,
			    &(struct event_item){s.when, EVENT_SAMPLE, TS_NONE, s.trk, i, store_smp(sn->st, i)->stack});
	}
}

/* Gather the rows of a sheet; if they are very many and no other sheet may be needed, on several processors. */
enum { MANY_ROWS = 50000, PARTS = 2 };
struct sheet_events { const struct trace_events_query *q; const struct sheet *sh; struct event_list part[PARTS]; };

static void gather_part(void *arg, uint32_t k)
{
	struct sheet_events *r = arg;
	uint64_t first = r->sh->nother, n = r->sh->ntrk - first;
	uint32_t row = (uint32_t)(first + n * k / PARTS), end = (uint32_t)(first + n * (k + 1) / PARTS);
	gather_rows(r->q, r->sh, row, end, &r->part[k]);
}

static void gather_sheet(const struct trace_events_query *q, const struct sheet *sh, struct event_list *l)
{
	struct sheet_events r = {.q = q, .sh = sh};
	if (q->g) {	/* one row of ten thousand, in each sheet */
		int32_t row = sheet_row(sh, q->g);
		if (row >= (int32_t)sh->nother)
			gather_rows(q, sh, (uint32_t)row, (uint32_t)row + 1, l);
		return;
	}
	if (q->want || sh->ntrk - sh->nother < MANY_ROWS) {
		gather_rows(q, sh, sh->nother, sh->ntrk, l);
		return;
	}
	for (int k = 0; k < PARTS; k++)
		r.part[k] = (struct event_list){
		    .t0 = l->t0, .t1 = l->t1, .at = l->at, .max = l->max, .full = l->full, .whole = l->whole};
	job_parallel(PARTS, gather_part, &r);
	for (int k = 0; k < PARTS; k++) {
		struct event_list *p = &r.part[k];
		if (p->cut0 && (!l->cut0 || compare_events(l, &p->last0, &l->last0) > 0))
			l->last0 = p->last0, l->t0 = p->t0;
		if (p->cut1 && (!l->cut1 || compare_events(l, &p->first1, &l->first1) < 0))
			l->first1 = p->first1, l->t1 = p->t1;
		l->cut0 |= p->cut0;
		l->cut1 |= p->cut1;
	}
	uint32_t all = l->n, n = 0;
	for (int k = 0; k < PARTS; k++)
		all += r.part[k].n;
	l->v = mem_grow(l->v, &l->cap, (size_t)all + 1, sizeof *l->v);
	for (uint32_t i = 0; i < l->n; i++)	/* apply the cuts of all parts */
		if (!is_cut_off(l, &l->v[i]))
			l->v[n++] = l->v[i];
	for (int k = 0; k < PARTS; k++) {
		for (uint32_t i = 0; i < r.part[k].n; i++)
			if (!is_cut_off(l, &r.part[k].v[i]))
				l->v[n++] = r.part[k].v[i];
		mem_free(r.part[k].v);
	}
	l->n = n;
}

/* Gather around l->at; the caller sets l->whole. */
static void gather_events(const struct snap *sn, const struct trace_events_query *q, struct event_list *l)
{
	enum {
		TRANSITIONS = 1 << EVENT_CREATE | 1 << EVENT_READY | 1 << EVENT_RUN | 1 << EVENT_BLOCK |
			      1 << EVENT_SYSCALL | 1 << EVENT_END
	};
	int64_t t0 = l->t0, t1 = l->t1;
	l->n = 0;
	l->cut0 = l->cut1 = false;
	l->full = l->max < UINT32_MAX / 2 ? 2 * l->max : UINT32_MAX;
	for (uint32_t s = 0; s < sn->nsheets && q->kinds & TRANSITIONS; s++) {
		const struct sheet_slot *slot = store_slot(sn->st, s);
		if (slot->t1 <= t0 || slot->t0 >= t1)
			continue;
		const struct sheet *sh = sheet_get(sn, s);
		gather_sheet(q, sh, l);
	}
	gather_annotations(sn, q, l);
	gather_counts(sn, q, l);
	uint32_t n = 0;
	for (uint32_t i = 0; i < l->n; i++)
		if (!is_cut_off(l, &l->v[i]))
			l->v[n++] = l->v[i];
	l->n = n;
	drop_first(l);
}

void trace_events_gather_at(const struct snap *sn, const struct trace_events_query *q, int64_t t0, int64_t t1,
    const struct event_item *at, uint32_t max, struct event_list *l)
{
	l->t0 = t0;
	l->t1 = t1;
	l->at = *at;
	l->max = max;
	l->whole = false;
	gather_events(sn, q, l);
	if (l->n > max)
		drop_last(l, select_first(l, max));
	sort_events(l->v, l->n);
}

void trace_events_gather(const struct snap *sn, const struct trace_events_query *q, int64_t t0, int64_t t1,
    uint32_t max, struct event_list *l)
{
	l->t0 = t0;
	l->t1 = t1;
	l->at = (struct event_item){.t = t0};
	l->max = max;
	l->whole = true;
	gather_events(sn, q, l);
	uint32_t all = l->n > max ? select_first(l, max) : l->n, n = max;
	sort_events(l->v, all);
	if (l->n <= max)
		return;
	int64_t cut = l->v[max].t;
	while (n && l->v[n - 1].t == cut)
		n--;
	if (!n) {	/* all are of one instant: take them together */
		for (n = max; n < all && l->v[n].t == cut; n++)
			;
		for (uint32_t i = all; n == all && i < l->n; i++)
			l->t1 = l->v[i].t < l->t1 ? l->v[i].t : l->t1;
		cut = n < all ? l->v[n].t : l->t1;
	}
	l->t1 = cut;
	l->n = n;
}

/* Count the intervals of goroutines in a time range, approximately: in a sheet with many goroutines only some are
   sampled. If nearly none of these has intervals there, assume an even distribution: for half a million goroutines one
   sampled interval would count as a thousand events. */
enum { ASKED = 512, SURE = 16 };
static uint64_t count_events(const struct snap *sn, int64_t t0, int64_t t1)
{
	uint64_t n = 0;
	for (uint32_t s = 0; s < sn->nsheets; s++) {
		const struct sheet_slot *slot = store_slot(sn->st, s);
		if (slot->t1 <= t0 || slot->t0 >= t1)
			continue;
		if (slot->t0 >= t0 && slot->t1 <= t1) {
			/* the first interval of each row continues from the sheet before */
			n += slot->n - slot->ntrk;
			continue;
		}
		const struct sheet *sh = sheet_get(sn, s);
		uint32_t step = (sh->ntrk - sh->nother) / ASKED + 1;
		uint64_t some = 0;
		for (uint32_t row = sh->nother; row < sh->ntrk; row += step)
			some += sheet_find(sh, row, t1) - sheet_find(sh, row, t0);
		int64_t a = slot->t0 > t0 ? slot->t0 : t0, b = slot->t1 < t1 ? slot->t1 : t1;
		if (step > 1 && some < SURE)
			n += (uint64_t)((double)(slot->n - slot->ntrk) / (double)(slot->t1 - slot->t0) *
			    (double)(b - a));
		else
			n += some * step;
	}
	return n;
}

enum { FAR_TOO_MUCH = 8 };
void trace_events_range_around(
    const struct snap *sn, int64_t t, uint32_t want, int64_t lo, int64_t hi, int64_t *t0, int64_t *t1)
{
	/* the range grows fourfold until it has enough events; if it then has far too many, because something started
	   all at once, bisect between this size and the last */
	int64_t half = 1000, less = 0, more = 0;
	for (int i = 0; i < 64; i++) {
		*t0 = t - half < lo ? lo : t - half;
		*t1 = t + half > hi ? hi : t + half;
		bool all = *t0 == lo && *t1 == hi;
		uint64_t n = count_events(sn, *t0, *t1);
		if (n < want && (all || half > INT64_MAX / 8))
			return;
		if (n >= want && (n / FAR_TOO_MUCH <= want || half - less <= half / 256))
			return;
		if (n < want)
			less = half;
		else
			more = half;
		half = more ? less + (more - less) / 2 : half * 4;
	}
}

const char *trace_events_name(const struct snap *sn, const struct event_item *e)
{
	static const char *const names[EVENT__N] = {"GoCreate", "GoReady", "GoStart", "GoBlock", "Syscall", "GoEnd"};
	static const char *const begin[] = {"TaskBegin", "RegionBegin", "GCBegin", "STWBegin", "AssistBegin",
	    "SweepBegin", "RangeBegin"};
	static const char *const end[] = {"TaskEnd", "RegionEnd", "GCEnd", "STWEnd", "AssistEnd", "SweepEnd",
	    "RangeEnd"};
	static const char *const marks[] = {"Log", "ProcSteal", "GoMaxProcs", "Label", "NetWake", "Queue"};
	switch (e->kind) {
	case EVENT_BEGIN_SPAN: return begin[store_span(sn->st, e->peer)->s.kind];
	case EVENT_END_SPAN: return end[store_span(sn->st, e->peer)->s.kind];
	case EVENT_MARK: return marks[store_mark(sn->st, e->peer)->kind];
	case EVENT_SAMPLE: return "CPUSample";
	case EVENT_PROC_START: return "ProcStart";
	case EVENT_PROC_STOP: return "ProcStop";
	case EVENT_HEAP: return "HeapAlloc";
	case EVENT_GOAL: return "HeapGoal";
	case EVENT_RUN: return e->state == TS_SYSCALL ? "SyscallEnd" : "GoStart";
	default: return names[e->kind];
	}
}
