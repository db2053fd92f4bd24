/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * One pass over the wake-ups and the Ps of all sheets, for what has no intervals of goroutines. It shares nothing with the
 * scan, so another thread can do it at the same time, and boards that need none of it do not pay for it.
 */
#include "config.h"
#include "findings/moments.h"

#include "base/mem/mem.h"

static void add_burst(struct moments *m, const struct sheet *sh, uint32_t first, uint32_t last, uint32_t n)
{
	uint32_t i = sh->edge[first] & ~EDGE_CREATED, k = 0, row = sheet_row_of(sh, i);
	stk_id stack = sheet_stack(sh, i);
	while (k < m->nburst && m->burst[k].stack != stack)
		k++;
	if (k == m->nburst) {
		m->burst = mem_grow(m->burst, &m->cburst, m->nburst + 1u, sizeof *m->burst);
		m->burst[m->nburst++] = (struct moment_burst){.stack = stack, .t0 = sh->t0 + sheet_start(sh, i)};
	}
	struct moment_burst *b = &m->burst[k];
	b->n++;
	b->woken += n;
	b->t1 = sh->t0 + sheet_start(sh, sh->edge[last] & ~EDGE_CREATED);
	b->waker = sheet_peer(sh, i);
	if (i > sh->first[row])
		b->waited = sheet_stack(sh, i - 1);
}

/* Find wake-ups of many goroutines at once. The edges of a sheet are sorted by waker, then time. */
static void find_bursts(struct moments *m, const struct sheet *sh)
{
	trk_id waker = 0;
	stk_id stack = 0;
	int64_t last = 0;
	uint32_t from = 0;
	for (uint32_t k = 0; k <= sh->nedge; k++) {
		uint32_t i = k < sh->nedge ? sh->edge[k] & ~EDGE_CREATED : 0;
		bool wakes = k < sh->nedge && !(sh->edge[k] & EDGE_CREATED);
		trk_id peer = wakes ? sheet_peer(sh, i) : 0;
		stk_id at = peer ? sheet_stack(sh, i) : 0;
		int64_t t = wakes ? sheet_start(sh, i) : 0;
		if (peer && peer == waker && at == stack && t - last < MOMENTS_BURST_NS) {
			last = t;
			continue;
		}
		if (waker && k - from >= MOMENTS_BURST)
			add_burst(m, sh, from, k - 1, k - from);
		from = k;
		waker = peer;
		stack = at;
		last = t;
	}
}

static void mark_beats(struct moments *m, const struct sheet *sh)
{
	for (uint32_t row = 0; row < sh->nother; row++) {
		if (sh->trk[row] >= m->sn->ntrks || store_trk(m->sn->st, sh->trk[row])->kind != TK_P)
			continue;
		for (uint32_t i = sh->first[row], end = sh->first[row + 1]; i < end; i++) {
			int64_t t = sh->t0 + sheet_start(sh, i) - m->t0;
			if (t < 0 || sh->state[i] & SHEET_CONT || t >= m->t1 - m->t0)
				continue;
			uint32_t at = (uint32_t)(t / m->beat_ns);
			m->beat[at >> 3] |= (uint8_t)(1u << (at & 7));
		}
	}
}

bool moments_find(struct moments *m, const struct snap *sn, int64_t t0, int64_t t1, const struct progress_watcher *on)
{
	*m = (struct moments){.sn = sn, .t0 = t0, .t1 = t1, .beat_ns = (t1 - t0) / MOMENTS_BEATS + 1};
	m->beat_ns = m->beat_ns < MOMENTS_BEAT_NS ? MOMENTS_BEAT_NS : m->beat_ns;
	m->nbeat = (uint32_t)((t1 - t0) / m->beat_ns) + 1;
	m->beat = xcalloc(m->nbeat / 8 + 1u, 1);
	bool go = true;
	for (uint32_t i = 0; i < sn->nsheets && go; i++) {
		const struct sheet *sh = sheet_get(sn, i);
		mark_beats(m, sh);
		find_bursts(m, sh);
		sheet_put(sn, i);
		go = watcher_report(on, i, sn->nsheets);
	}
	return go;
}

void moments_free(struct moments *m)
{
	mem_free(m->beat);
	mem_free(m->burst);
	*m = (struct moments){0};
}
