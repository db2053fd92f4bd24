/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Focus and ignore on the lists of a trace. The names have been matched once (filter/trace_focus.c); what is left is a byte
 * for each node of the call tree and a bit for each goroutine, so to ask for a stack is one lookup. Nothing is kept by
 * interval, of which there may be very many: an operation or a cell of the timeline walks over its own, which is linear in
 * a list because its rows hardly overlap. For all goroutines of the trace that would read the sheets in the order of
 * goroutines, so these are found by one pass over the sheets.
 *
 * A row of a sheet has the stacks of its own goroutine, but where it becomes runnable, that of its waker: this one belongs
 * to the waker. A run has no stack. Its goroutine was in the functions that the stacks before and after it have in common
 * (run_stacks.c), as the sample type `run` charges it. These are functions of recorded stacks, so only a run that reaches
 * over the end of the time that is asked for needs them.
 */
#include "config.h"
#include "trace/focus.h"

#include "base/mem/mem.h"
#include "store/tracks/wake_edges.h"
#include "trace/bins.h"
#include "trace/filter.h"
#include "trace/run_stacks.h"
#include "trace/track_cursor.h"

unsigned trace_focus_stack(const struct trace_focus *f, stk_id s)
{
	return s < f->sn->nstks ? f->stack[s] : 0;
}

unsigned trace_focus_start(const struct trace_focus *f, trk_id g)
{
	unsigned hits = 0;
	for (int i = 0; i < 2 && g && g < f->sn->ntrks; i++)
		if (f->start[i] && trace_gset_has(f->start[i], g))
			hits |= i ? HITS_IGNORE : HITS_FOCUS;
	return hits;
}

bool trace_focus_has_event(const struct trace_focus *f, trk_id g, trk_id other, stk_id s)
{
	return trace_focus_takes(f, trace_focus_stack(f, s) | trace_focus_start(f, g) | trace_focus_start(f, other));
}

bool trace_focus_has_span(const struct trace_focus *f, const struct sink_span *s)
{
	return !f || trace_focus_has_event(f, s->trk, 0, s->stack);
}

/* Can no other function change whether it is in focus? */
static bool is_settled(const struct trace_focus *f, unsigned hits)
{
	return hits & HITS_IGNORE || (!(f->asked & HITS_IGNORE) && hits & HITS_FOCUS);
}

/* Return the stack that a piece has of its own goroutine; 0: none. */
static stk_id own_stack(const struct track_cursor *c)
{
	enum tstate s = track_cursor_state(c);
	return s == TS_NONE || (s == TS_READY && track_cursor_peer(c)) ? 0 : track_cursor_stack(c);
}

/* Return the nearest stack of the goroutine itself before (dir -1) or after (dir 1) a piece; 0: there is none near. */
static stk_id nearest_stack(struct track_cursor c, int dir)
{
	enum { STEPS = 8 };
	for (int i = 0; i < STEPS && track_cursor_step(&c, dir) && track_cursor_state(&c) != TS_NONE; i++)
		if (own_stack(&c))
			return own_stack(&c);
	return 0;
}

static unsigned piece_hits(const struct trace_focus *f, const struct track_cursor *c)
{
	stk_id own = own_stack(c), before;
	if (own || track_cursor_state(c) == TS_NONE)
		return trace_focus_stack(f, own);
	before = nearest_stack(*c, -1);
	unsigned hits = trace_focus_stack(f, before);
	if (!hits || !state_runs(track_cursor_state(c)))
		return hits;	/* it is runnable where it waited; what is in common is a part of that stack */
	stk_id after = nearest_stack(*c, 1);
	return hits & trace_focus_stack(f, after) ? trace_focus_stack(f, run_stacks_common(f->sn->st, before, after)) : 0;
}

/* Set the cursor to the first piece of a goroutine in [t0, t1). */
static bool seek_first(const struct trace_focus *f, struct track_cursor *c, trk_id g, int64_t t0, int64_t t1)
{
	struct trace_interval v;
	if (track_cursor_seek(c, f->sn, g, t0))
		return true;
	return trace_interval_near(f->sn, g, t0, 1, &v) && v.t0 < t1 && track_cursor_seek(c, f->sn, g, v.t0);
}

/* Return the filters that stacks match which were recorded in the time but start no interval of the goroutine: where it
   woke or created others, CPU samples, the user's tasks, regions and logs. */
static unsigned moment_hits(const struct trace_focus *f, trk_id g, int64_t t0, int64_t t1, unsigned hits, uint32_t most)
{
	struct wake_edges_walk walk = {0};
	struct edge edge;
	for (uint32_t i = stack_moments_find(&f->moments, g, t0); i < f->moments.n && !is_settled(f, hits); i++) {
		const struct stack_moment *m = &f->moments.v[i];
		if (m->g != g || m->t >= t1)
			break;
		hits |= trace_focus_stack(f, m->stack);
	}
	for (uint32_t i = 0; i < most && !is_settled(f, hits) && wake_edges_next(f->sn, &walk, g, t0, t1, &edge); i++)
		hits |= trace_focus_stack(f, edge.stack);
	return hits;
}

/* Return the filters that a goroutine matches in [t0, t1). */
static unsigned time_hits(const struct trace_focus *f, trk_id g, int64_t t0, int64_t t1, uint32_t pieces)
{
	struct track_cursor c = {0};
	unsigned hits = trace_focus_start(f, g);
	t1 = t1 > t0 ? t1 : t0 + 1;
	bool more = !is_settled(f, hits) && seek_first(f, &c, g, t0, t1);
	for (; more && !is_settled(f, hits) && track_cursor_t0(&c) < t1; more = track_cursor_step(&c, 1)) {
		if (!pieces--)
			return hits | HITS_FOCUS;
		hits |= piece_hits(f, &c);
	}
	return is_settled(f, hits) ? hits : moment_hits(f, g, t0, t1, hits, pieces);
}

bool trace_focus_has_time(const struct trace_focus *f, trk_id g, int64_t t0, int64_t t1, uint32_t pieces)
{
	return trace_focus_takes(f, time_hits(f, g, t0, t1, pieces));
}

/* ---- all goroutines */

enum { HITS_SEEN = 4 };		/* it has an interval in the time range */
struct focus_pass { const struct trace_focus *f; int64_t from, to; uint8_t *hits; };	/* hits: by track */

static void pass_row(const struct focus_pass *p, const struct sheet *sh, uint32_t row)
{
	uint8_t *own = &p->hits[sh->trk[row]];
	for (uint32_t i = sh->first[row]; i < sh->first[row + 1]; i++) {
		unsigned s = sh->state[i] & SHEET_STATE;
		int64_t t0 = sh->t0 + sheet_start(sh, i);
		if (t0 >= p->to)
			break;
		if (s == TS_NONE || (t0 < p->from && sheet_end(sh, row, i) <= p->from))
			continue;
		stk_id stack = sheet_stack(sh, i);
		trk_id waker = s == TS_READY && stack ? sheet_peer(sh, i) : 0;
		*own |= HITS_SEEN;
		if (!waker)
			*own |= (uint8_t)trace_focus_stack(p->f, stack);
		else if (t0 >= p->from && waker < p->f->sn->ntrks && !(sh->state[i] & SHEET_CONT))
			p->hits[waker] |= (uint8_t)trace_focus_stack(p->f, stack);
	}
}

static void pass_sheets(const struct focus_pass *p, const struct progress_watcher *on)
{
	const struct snap *sn = p->f->sn;
	for (uint32_t k = 0; k < sn->nsheets && (!on || watcher_report(on, k, sn->nsheets)); k++) {
		const struct sheet_slot *slot = store_slot(sn->st, k);
		if (slot->t1 <= p->from || slot->t0 >= p->to)
			continue;
		const struct sheet *sh = sheet_get(sn, k);
		for (uint32_t r = sh->nother; r < sh->ntrk; r++)
			pass_row(p, sh, r);
	}
	for (uint32_t i = 0; i < p->f->moments.n; i++) {
		const struct stack_moment *m = &p->f->moments.v[i];
		if (m->t >= p->from && m->t < p->to && m->g < sn->ntrks)
			p->hits[m->g] |= (uint8_t)trace_focus_stack(p->f, m->stack);
	}
}

/* At the two ends of a range a goroutine may run, or be runnable, between stacks that lie outside of it. */
static unsigned end_hits(const struct focus_pass *p, trk_id g, unsigned hits)
{
	const struct snap *sn = p->f->sn;
	hits |= p->from > sn->t0 && !is_settled(p->f, hits) ? time_hits(p->f, g, p->from, p->from + 1, FOCUS_ALL_PIECES) : 0;
	hits |= p->to < sn->t1 && !is_settled(p->f, hits) ? time_hits(p->f, g, p->to - 1, p->to, FOCUS_ALL_PIECES) : 0;
	return hits;
}

uint8_t *trace_focus_goroutines(const struct trace_focus *f, int64_t from, int64_t to, const uint8_t *among, struct arena *a,
    const struct progress_watcher *on)
{
	const struct snap *sn = f->sn;
	struct focus_pass p = {f, from == TIME_NONE ? INT64_MIN : from, to == TIME_NONE ? INT64_MAX : to, NULL};
	uint8_t *set = arena_zalloc(a, sn->ntrks / 8 + 1u);
	p.hits = xcalloc(sn->ntrks + 1u, 1);
	pass_sheets(&p, on);
	for (trk_id t = 1; t < sn->ntrks; t++) {
		if (!trace_gset_has(among, t) || store_trk(sn->st, t)->kind != TK_G)
			continue;
		unsigned hits = p.hits[t] | trace_focus_start(f, t);
		if (hits & HITS_SEEN)
			hits = end_hits(&p, t, hits);
		if (trace_focus_takes(f, hits))
			set[t >> 3] |= (uint8_t)(1u << (t & 7));
	}
	mem_free(p.hits);
	return set;
}
