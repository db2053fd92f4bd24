/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * One pass over the wake-ups and the Ps of all sheets, for what has no intervals of goroutines. It shares nothing with the
 * scan, so another thread can do it at the same time, and boards that need none of it do not pay for it.
 */
#include "config.h"
#include "findings/measures/moments.h"

#include "base/mem/mem.h"

/* Return how many different goroutines are woken by the edges [first, end). Two goroutines that wake one another in turn
   have many edges, too. */
static uint32_t count_woken(struct moments *m, const struct sheet *sh, uint32_t first, uint32_t end)
{
	uint32_t n = 0;
	m->burst_number++;
	for (uint32_t k = first; k < end; k++) {
		trk_id g = sh->trk[sheet_row_of(sh, sh->edge[k] & ~EDGE_CREATED)];
		if (g < m->sn->ntrks && m->woken_in[g] != m->burst_number) {
			m->woken_in[g] = m->burst_number;
			n++;
		}
	}
	return n;
}

static void add_burst(struct moments *m, const struct sheet *sh, uint32_t first, uint32_t last, uint32_t n)
{
	uint32_t i = sh->edge[first] & ~EDGE_CREATED, row = sheet_row_of(sh, i);
	stk_id stack = sheet_stack(sh, i);
	bool fresh;
	struct u64_slot *slot = u64_map_put(&m->burst_of, stack, &fresh);
	if (fresh) {
		slot->n = m->nburst;
		m->burst = mem_grow(m->burst, &m->cburst, m->nburst + 1u, sizeof *m->burst);
		m->burst[m->nburst++] = (struct moment_burst){.stack = stack, .t0 = sh->t0 + sheet_start(sh, i)};
	}
	struct moment_burst *b = &m->burst[slot->n];
	b->n++;
	b->woken += n;
	b->t1 = sh->t0 + sheet_start(sh, sh->edge[last] & ~EDGE_CREATED);
	b->waker = sheet_peer(sh, i);
	if (i > sh->first[row])
		b->waited = sheet_stack(sh, i - 1);
}

struct burst_edge { trk_id waker; stk_id stack; uint32_t start; };	/* waker 0: the edge is a creation */

static struct burst_edge edge_at(const struct sheet *sh, uint32_t k)
{
	uint32_t i = sh->edge[k];
	if (i & EDGE_CREATED)
		return (struct burst_edge){0};
	return (struct burst_edge){sheet_peer(sh, i), sheet_stack(sh, i), sheet_start(sh, i)};
}

/* Return whether two adjacent edges belong to one burst. */
static bool is_joined(const struct burst_edge *a, const struct burst_edge *b)
{
	return a->waker && a->waker == b->waker && a->stack == b->stack && b->start - a->start < MOMENTS_BURST_NS;
}

/* Return the first of the edges from .. k that are joined to one another up to k. */
static uint32_t joined_from(const struct sheet *sh, uint32_t from, uint32_t k)
{
	struct burst_edge e = edge_at(sh, k);
	for (; k > from; k--) {
		struct burst_edge before = edge_at(sh, k - 1);
		if (!is_joined(&before, &e))
			break;
		e = before;
	}
	return k;
}

/* Return the end of the edges that are joined to edge k. */
static uint32_t joined_to(const struct sheet *sh, uint32_t k)
{
	struct burst_edge e = edge_at(sh, k);
	while (++k < sh->nedge) {
		struct burst_edge after = edge_at(sh, k);
		if (!is_joined(&e, &after))
			break;
		e = after;
	}
	return k;
}

/* Find wake-ups of many goroutines at once. The edges of a sheet are sorted by waker, then time, so a burst is a sequence
   of joined edges. From edge `from` + MOMENTS_BURST - 1 search backwards. If the search ends at an edge after `from`, no
   burst begins before that edge, and most of the edges before it are not read. `from` is never joined to the edge before
   it. */
static void find_bursts(struct moments *m, const struct sheet *sh)
{
	for (uint32_t from = 0; sh->nedge - from >= MOMENTS_BURST;) {
		uint32_t last = from + MOMENTS_BURST - 1, first = joined_from(sh, from, last);
		if (first == from) {
			first = joined_to(sh, last);
			uint32_t n = count_woken(m, sh, from, first);
			if (n >= MOMENTS_BURST)
				add_burst(m, sh, from, first - 1, n);
		}
		from = first;
	}
}

/* Mark the slots in which a row has the start of an interval, from one slot that has one to the next. */
static void mark_row(struct moments *m, const struct sheet *sh, uint32_t row)
{
	uint32_t i = sh->first[row], end = sh->first[row + 1];
	i += i < end && sh->state[i] & SHEET_CONT;
	while (i < end && sh->t0 + sheet_start(sh, i) < m->t1) {
		int64_t t = sh->t0 + sheet_start(sh, i), next = m->t0;
		if (t >= m->t0) {
			uint32_t at = (uint32_t)((t - m->t0) / m->beat_ns);
			m->beat[at >> 3] |= (uint8_t)(1u << (at & 7));
			next = m->t0 + (at + INT64_C(1)) * m->beat_ns;
		}
		i = sheet_find_from(sh, row, i, next);
		i += sh->t0 + sheet_start(sh, i) < next;
	}
}

static void mark_beats(struct moments *m, const struct sheet *sh)
{
	for (uint32_t row = 0; row < sh->nother; row++)
		if (sh->trk[row] < m->sn->ntrks && store_trk(m->sn->st, sh->trk[row])->kind == TK_P)
			mark_row(m, sh, row);
}

bool moments_find(struct moments *m, const struct snap *sn, int64_t t0, int64_t t1, const struct progress_watcher *on)
{
	*m = (struct moments){.sn = sn, .t0 = t0, .t1 = t1, .beat_ns = (t1 - t0) / MOMENTS_BEATS + 1};
	m->beat_ns = m->beat_ns < MOMENTS_BEAT_NS ? MOMENTS_BEAT_NS : m->beat_ns;
	m->nbeat = (uint32_t)((t1 - t0) / m->beat_ns) + 1;
	m->beat = xcalloc(m->nbeat / 8 + 1u, 1);
	m->woken_in = xcalloc(sn->ntrks + 1u, sizeof *m->woken_in);
	bool go = true;
	for (uint32_t i = 0; i < sn->nsheets && go; i++) {
		const struct sheet *sh = sheet_get(sn, i);
		mark_beats(m, sh);
		find_bursts(m, sh);
		go = watcher_report(on, i, sn->nsheets);
	}
	return go;
}

void moments_free(struct moments *m)
{
	mem_free(m->beat);
	mem_free(m->burst);
	u64_map_free(&m->burst_of);
	mem_free(m->woken_in);
	*m = (struct moments){0};
}
