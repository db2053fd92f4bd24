/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The merge of one generation: a cursor for each thread, positioned on its next event, in a heap by
 * time. The earliest event is tried first and is nearly always possible. If the orderer returns
 * GO_WAIT, the other threads are tried in the order of their times. CPU samples, which do not wait,
 * are inserted by time.
 *
 * Events of equal times are ordered by the heap, so its rules for sifting are those of the
 * reference: the same rules give the same order. A sorted array is a heap, so it need not be
 * rebuilt after the other threads were tried.
 */
#include "config.h"
#include "load/gotrace/merge.h"

#include "base/mem/mem.h"
#include "load/gotrace/event_stream.h"
#include "load/gotrace/order_fast.h"
#include "load/gotrace/order_state.h"

#include <string.h>

/* Limit of the work for tries of other threads: a crafted trace of a million threads would never end. */
enum { PATIENCE = 1 << 25, PER_EVENT = 256 };
struct batch_cursor {
	struct byte_cursor c;		/* in the current batch */
	int64_t m;
	/* State: NULL until known; fast: the same if order_fast.h may be used, else NULL. */
	struct order_thread *state, *fast;
	uint32_t next;		/* the next batch: index + 1 */
	uint32_t batch;
	struct wire_event ev;	/* before the first event its time is that of the batch, then that of the last event */
};

#define NEVER INT64_MAX	/* time of an unused slot: later than all others */
struct merge_slot {
	int64_t time;
	struct batch_cursor *cur;
};

struct merge_state {
	struct event_orderer *o;
	struct trace_generation *g;
	struct batch_cursor *cur;
	struct merge_slot *heap; /* n slots and, after them, enough unused ones that each slot has two children */
	size_t n;
	struct merge_slot *tmp;	/* for sorting */
	/* Events of a salvaged generation that were left out, or taken although not possible. */
	uint64_t dropped, forced;
	uint64_t taken, tried;	/* events taken; threads tried in place of the earliest */
	/* ns per tick if that is a whole number: a number of ticks below few is multiplied by it */
	uint64_t ns, few;
	struct err *e;
};

/* ---- the heap */

static size_t sift_up(struct merge_slot *h, size_t i)
{
	struct merge_slot s = h[i];
	for (; i > 0 && h[(i - 1) / 2].time > s.time; i = (i - 1) / 2)
		h[i] = h[(i - 1) / 2];
	h[i] = s;
	return i;
}

/* Select the earlier child without a branch, which could not be predicted. */
static void sift_down(struct merge_slot *h, size_t i)
{
	struct merge_slot s = h[i];
	for (;;) {
		size_t l = 2 * i + 1, best = l + (h[l + 1].time < h[l].time);
		if (h[best].time >= s.time)
			break;
		h[i] = h[best];
		i = best;
	}
	h[i] = s;
}

static void heap_changed(struct merge_state *m, size_t i)
{
	if (sift_up(m->heap, i) == i)
		sift_down(m->heap, i);
}

static void heap_drop(struct merge_state *m, size_t i)
{
	for (; i > 0; i = (i - 1) / 2) {
		struct merge_slot t = m->heap[i];
		m->heap[i] = m->heap[(i - 1) / 2];
		m->heap[(i - 1) / 2] = t;
	}
	m->heap[0] = m->heap[--m->n];
	m->heap[m->n].time = NEVER;
	sift_down(m->heap, 0);
}

/* Stable merge sort, linear if the slots are sorted already. Short runs are sorted by insertion. */
static void sort_slots(struct merge_slot *v, struct merge_slot *tmp, size_t n)
{
	enum { RUN = 12 };
	for (size_t at = 0; at < n; at += RUN)
		for (size_t i = at + 1; i < n && i < at + RUN; i++) {
			struct merge_slot s = v[i];
			size_t j = i;
			for (; j > at && v[j - 1].time > s.time; j--)
				v[j] = v[j - 1];
			v[j] = s;
		}
	for (size_t w = RUN; w < n; w *= 2)
		for (size_t at = 0; at + w < n; at += 2 * w) {
			size_t mid = at + w, end = mid + w < n ? mid + w : n, i = at, j = mid,
			    k = 0;
			if (v[mid - 1].time <= v[mid].time)
				continue;
			while (i < mid && j < end)
				tmp[k++] = v[j].time < v[i].time ? v[j++] : v[i++];
			while (i < mid)
				tmp[k++] = v[i++];
			memcpy(v + at, tmp, k * sizeof *v);
		}
}

/* ---- the cursors */

/* Move to the first event of the thread's next batch, or past damage. Returns 1 if the cursor is on an event, 0 if
   there is none, -1 for damage. */
static int cursor_turn(struct merge_state *m, struct batch_cursor *c)
{
	while (!byte_cursor_left(&c->c)) {
		if (!c->next)
			return 0;
		c->batch = c->next - 1;
		const struct wire_batch *b = &m->g->batch[c->batch];
		c->c = byte_cursor_make(b->p, b->n, b->at);
		c->next = b->next;
		c->ev.time = wire_time(m->g->ns_per_tick, b->time);
		m->o->bytes += b->n;
	}
	uint64_t dt;
	if (!wire_read_event(&c->c, &c->ev, &dt, m->e)) {
		if (!m->g->salvaged)
			return -1;
		c->c.p = c->c.end;
		c->next = 0;
		return 0;
	}
	c->ev.time = wire_add(wire_time(m->g->ns_per_tick, dt), c->ev.time);
	return 1;
}

/* Move to the thread's next event; returns the same. */
static inline __attribute__((always_inline)) int cursor_next(struct merge_state *m, struct batch_cursor *c)
{
	uint64_t dt;
	const uint8_t *p;
	if (byte_cursor_left(&c->c) < WIRE_EVENT_ROOM || !(p = wire_read_event_fast(c->c.p, &c->ev, &dt)))
		return cursor_turn(m, c);
	c->c.p = p;
	c->ev.time = wire_add(dt < m->few ? (int64_t)(dt * m->ns) : wire_time(m->g->ns_per_tick, dt), c->ev.time);
	/* often the entry of the event's goroutine, which is used after events of other threads */
	__builtin_prefetch(order_place_g(m->o, (int64_t)c->ev.arg[1]));
	return 1;
}

/* The thread has no more events. */
static void slot_ends(struct merge_state *m, size_t i)
{
	if (m->heap[i].cur->state)
		m->heap[i].cur->state->age = 0;
	heap_drop(m, i);
}

/* Move the cursor of the earliest event to its next event, which mostly stays the earliest. */
static inline __attribute__((always_inline)) enum order_result step_head(struct merge_state *m)
{
	struct merge_slot *h = m->heap;
	struct batch_cursor *c = h->cur;
	int n = cursor_next(m, c);
	if (n <= 0) {
		if (n == 0)
			slot_ends(m, 0);
		return n ? GO_BAD : GO_YES;
	}
	int64_t t = h->time = c->ev.time;
	if (h[1].time < t || h[2].time < t)
		sift_down(h, 0);
	return GO_YES;
}

/* Move the cursor of slot i to its next event. */
static enum order_result step_slot(struct merge_state *m, size_t i)
{
	struct batch_cursor *c = m->heap[i].cur;
	int n = cursor_next(m, c);
	if (n < 0)
		return GO_BAD;
	if (n) {
		m->heap[i].time = c->ev.time;
		heap_changed(m, i);
	} else {
		slot_ends(m, i);
	}
	return GO_YES;
}

/* Leave out an event whose cause is in a missing batch. */
static enum order_result drop_slot(struct merge_state *m, size_t i)
{
	m->dropped++;
	return step_slot(m, i);
}

/* Take the event of slot i although its cause is missing. GO_WAIT: it contradicts known state, or there were too
   many tries. */
static enum order_result force_slot(struct merge_state *m, size_t i)
{
	struct batch_cursor *c = m->heap[i].cur;
	m->tried += 1 + m->o->ms.n / 16;	/* order_force() walks over all threads */
	if (m->tried > PATIENCE + PER_EVENT * m->taken || order_force(m->o, &c->ev, c->m, &c->state) != GO_YES)
		return GO_WAIT;
	m->forced++;
	m->taken++;
	return step_slot(m, i);
}

/* Handle a contradiction in the first generation if its end is missing: mark it as salvaged, as its order is a guess
   from here on. Guesses are not added after facts. Returns whether it is salvaged. */
static bool is_incomplete(struct merge_state *m)
{
	if (m->g->torn && m->o->info->generations == 1)
		m->g->salvaged = true;
	return m->g->salvaged;
}

static enum order_result __attribute__((noinline)) take_slowly(struct merge_state *m, struct batch_cursor *c)
{
	enum order_result r = order_advance(m->o, &c->ev, c->m, &c->state);
	c->fast = m->o->general ? NULL : c->state;
	return r;
}

static inline __attribute__((always_inline)) enum order_result try_slot(struct merge_state *m, size_t i)
{
	struct batch_cursor *c = m->heap[i].cur;
	enum order_result r = c->fast && order_fast_advance(m->o, &c->ev, c->fast) ? GO_YES : take_slowly(m, c);
	if (r == GO_YES) {
		m->taken++;
		return i ? step_slot(m, i) : step_head(m);
	}
	if (r == GO_WAIT)
		return r;
	if (!m->g->salvaged) {
		*m->e = m->o->bad;
		m->e->at = byte_cursor_at(&c->c);
	}
	if (!is_incomplete(m))
		return r;
	r = force_slot(m, i);
	return r == GO_WAIT ? drop_slot(m, i) : r;
}

/* Called for slots other than the earliest, which is rare: not inlined. */
static enum order_result __attribute__((noinline)) try_other(struct merge_state *m, size_t i)
{
	return try_slot(m, i);
}

/* No thread can advance because a cause is in a missing batch: take the earliest event that does not contradict
   known state. */
static int force_any(struct merge_state *m)
{
	for (size_t i = 0; i < m->n; i++) {
		enum order_result r = force_slot(m, i);
		if (r != GO_WAIT)
			return r == GO_YES ? 0 : -1;
	}
	return drop_slot(m, 0) == GO_YES ? 0 : -1;
}

/* The earliest event has to wait: try the other threads. */
static int advance_other(struct merge_state *m)
{
	m->tried += m->n / 16;	/* cost of sorting what is nearly sorted */
	if (m->tried > PATIENCE + PER_EVENT * m->taken)
		return err_set(m->e, ERR_LIMIT, byte_cursor_at(&m->heap[0].cur->c),
		    "too many threads (%zu) wait for each other", m->n);
	sort_slots(m->heap, m->tmp, m->n);
	for (size_t i = 1; i < m->n; i++) {
		m->tried++;
		enum order_result r = try_other(m, i);
		if (r != GO_WAIT)
			return r == GO_YES ? 0 : -1;
	}
	const struct batch_cursor *c = m->heap[0].cur;
	if (!m->g->salvaged)
		err_set(m->e, ERR_FORMAT, byte_cursor_at(&c->c), "broken trace: failed to advance: "
		    "no event is possible; the next of M %lld is %s", (long long)c->m,
		    wire_event_specs[c->ev.type].name);
	return is_incomplete(m) ? force_any(m) : -1;
}

/* Prepare multiplication by whole numbers. A tick is 64 ns on nearly all systems; then conversion to double and
   back, a dozen instructions for each event, is not needed. */
static void whole_ticks(struct merge_state *m)
{
	enum { MOST = 1 << 20, FEW = 32 };	/* their product is exact as a double, too */
	double ns = m->g->ns_per_tick;
	if (ns >= 1 && ns <= MOST && ns == (double)(uint64_t)ns) {
		m->ns = (uint64_t)ns;
		m->few = (uint64_t)1 << FEW;
	}
}

static int init_merge(struct merge_state *m)
{
	struct trace_generation *g = m->g;
	whole_ticks(m);
	m->cur = xcalloc(g->nthread, sizeof *m->cur);
	size_t all = 2 * (size_t)g->nthread + 3;
	m->heap = xmalloc((all + g->nthread) * sizeof *m->heap);
	m->tmp = m->heap + all;
	for (size_t i = 0; i < all; i++)
		m->heap[i] = (struct merge_slot){NEVER, NULL};
	for (size_t i = 0; i < g->nthread; i++) {
		struct batch_cursor *c = &m->cur[i];
		c->m = (int64_t)g->thread[i].m;
		c->next = g->thread[i].first;
	}
	for (size_t i = 0; i < g->nthread; i++) {
		int r = cursor_next(m, &m->cur[i]);
		if (r < 0)
			return -1;
		if (!r)
			continue;
		m->heap[m->n++] = (struct merge_slot){m->cur[i].ev.time, &m->cur[i]};
		sift_up(m->heap, m->n - 1);
	}
	return 0;
}

static int run_merge(struct merge_state *m)
{
	struct event_orderer *o = m->o;
	const struct trace_generation *g = m->g;
	size_t s = 0;	/* the next CPU sample */
	while (m->n || s < g->nsample) {
		if (o->next > o->full) {
			if (!order_flush(o))
				return 0;
			order_grow_table(o);
		}
		if (s < g->nsample && (!m->n || g->sample[s].time < m->heap[0].time)) {
			order_emit_sample(o, &g->sample[s++]);
			continue;
		}
		enum order_result r = try_slot(m, 0);
		if (r == GO_BAD || (r == GO_WAIT && advance_other(m)))
			return -1;
	}
	return 0;
}

/* Return the number of bytes that were not read. */
static uint64_t bytes_left(const struct merge_state *m)
{
	uint64_t n = 0;
	for (size_t i = 0; i < m->g->nthread; i++) {
		n += byte_cursor_left(&m->cur[i].c);
		for (uint32_t b = m->cur[i].next; b; b = m->g->batch[b - 1].next)
			n += m->g->batch[b - 1].n;
	}
	return n;
}

int merge_generation(struct event_orderer *o, struct trace_generation *g, uint64_t *lost, struct err *e)
{
	struct merge_state m = {.o = o, .g = g, .e = e};
	o->gen = g;
	o->age++;
	o->bytes = g->at;
	order_emit_sync(o, wire_time(g->ns_per_tick, g->min_ticks), true);
	int r = init_merge(&m);
	if (!r)
		r = run_merge(&m);
	*lost = r ? bytes_left(&m) : 0;
	o->dropped += m.dropped;
	o->forced += m.forced;
	mem_free(m.cur);
	mem_free(m.heap);
	order_flush(o);
	return r;
}
