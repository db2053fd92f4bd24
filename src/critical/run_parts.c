/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The stacks of a run, at any place of a trace. trace/run_stacks.h has the rule and walks all runs of a sheet in order;
 * a critical path needs parts of single runs, from the last to the first. So the moments of a run are looked up: its
 * wake-ups in the sheet, the others in the walker's list. What is charged in a part also depends on where the goroutine
 * was before it, mostly the wait before the run, and on the next moment, which may be in another sheet. Runs that long
 * are rare, and are followed piece by piece.
 */
#include "config.h"
#include "critical/internal.h"

#include "store/tracks/wake_edges.h"

/* The moments of one piece, in the order of time: m and k are the indexes of the next moment and wake-up. */
struct piece_moments {
	const struct critical_walker *w;
	struct walk_places *places;
	const struct sheet *sheet;
	trk_id g;
	uint32_t m, k;
};

/* Return the time of an edge, or `other` if it does not exist or is of another waker. */
static int64_t edge_time(const struct sheet *sh, trk_id g, uint32_t k, int64_t other)
{
	uint32_t i = k < sh->nedge ? sh->edge[k] & ~EDGE_CREATED : 0;
	return k < sh->nedge && sheet_peer(sh, i) == g ? sh->t0 + sheet_start(sh, i) : other;
}

/* Return the first edge of the cursor's goroutine, or of a later waker, at or after t: see wake_edges_find(). */
static uint32_t first_edge(struct walk_places *places, const struct track_cursor *c, int64_t t)
{
	enum { NEAR = 8 };
	const struct sheet *sh = track_cursor_sheet(c);
	struct walk_place *v = walk_place_of(places, c);
	for (int n = 0; n < NEAR && v->after < v->upto && t <= v->after; n++) {
		v->upto = v->after;
		v->edge--;
		v->after = edge_time(sh, c->trk, v->edge - 1, INT64_MIN);
	}
	if (t <= v->after || t > v->upto) {
		v->edge = wake_edges_find(sh, c->trk, t);
		v->after = edge_time(sh, c->trk, v->edge - 1, INT64_MIN);
		v->upto = edge_time(sh, c->trk, v->edge, INT64_MAX);
	}
	return v->edge;
}

static struct piece_moments moments_from(
    const struct critical_walker *w, struct walk_places *places, const struct track_cursor *c, int64_t t)
{
	return (struct piece_moments){w, places, track_cursor_sheet(c), c->trk,
	    stack_moments_find(&w->moments, c->trk, t), first_edge(places, c, t)};
}

static uint32_t edge_interval(const struct piece_moments *p)
{
	return p->sheet->edge[p->k] & ~EDGE_CREATED;
}

/* Get the next moment with a stack before t. Return false if there is none. */
static bool next_moment(struct piece_moments *p, int64_t t, struct run_moment *out)
{
	const struct stack_moments *l = &p->w->moments;
	*out = (struct run_moment){.t = t};
	for (; p->k < p->sheet->nedge && sheet_peer(p->sheet, edge_interval(p)) == p->g; p->k++) {
		stk_id stack = sheet_stack(p->sheet, edge_interval(p));
		if (!stack)
			continue;
		int64_t when = p->sheet->t0 + sheet_start(p->sheet, edge_interval(p));
		if (when < t)
			*out = (struct run_moment){.t = when, .stack = stack};
		break;
	}
	const struct stack_moment *m = p->m < l->n && l->v[p->m].g == p->g ? &l->v[p->m] : NULL;
	bool other = m && m->t < out->t;
	if (other)
		*out = (struct run_moment){.t = m->t, .stack = m->stack, .sample = m->sample};
	p->m += other;
	p->k += !other && out->t < t;
	return out->t < t;
}

/* Get where the goroutine was at the last moment before t of the cursor's piece: a wake-up, or what is in the walker's
   list, which is later of equal times. Return false if there is none. */
static bool last_moment(const struct critical_walker *w, struct walk_places *places, const struct track_cursor *c, int64_t t,
    struct run_known *out)
{
	int64_t from = track_cursor_t0(c);
	struct piece_moments p = moments_from(w, places, c, t);
	const struct stack_moment *m = p.m ? &w->moments.v[p.m - 1] : NULL;
	bool found = m && m->g == c->trk && m->t >= from;
	if (found) {
		*out = (struct run_known){m->stack, m->sample};
		from = m->t + 1;
	}
	while (p.k-- && sheet_peer(p.sheet, edge_interval(&p)) == p.g) {
		int64_t when = p.sheet->t0 + sheet_start(p.sheet, edge_interval(&p));
		stk_id stack = sheet_stack(p.sheet, edge_interval(&p));
		if (when < from)
			break;
		if (!stack)
			continue;
		*out = (struct run_known){stack, false};
		return true;
	}
	return found;
}

/* Return the stack at which the goroutine is all the time of a piece: of a mark assist or a stop of the world; else 0. */
static stk_id stack_of_piece(const struct track_cursor *c)
{
	enum tstate s = track_cursor_state(c);
	return s != TS_RUN && state_runs(s) ? track_cursor_stack(c) : 0;
}

/* Get what a piece tells of where the goroutine was at its end: see run_known_enter(). `after`: the piece after it. Return
   false if it is where it was before the piece. */
static bool known_of_piece(const struct track_cursor *c, enum tstate after, stk_id after_stack, struct run_known *out)
{
	enum tstate s = track_cursor_state(c);
	if (after == TS_READY && state_runs(s)) {
		*out = (struct run_known){after_stack, false};
		return true;
	}
	if (s == TS_READY || (state_runs(s) && track_cursor_is_continued(c)))
		return false;
	*out = (struct run_known){s == TS_NONE ? 0 : track_cursor_stack(c), false};
	return out->stack || s == TS_NONE || s >= TS_CHANSEND;
}

/* Return where the goroutine was last before `a`, in or before the piece under the cursor. */
static struct run_known known_before(
    const struct critical_walker *w, struct walk_places *places, const struct track_cursor *at, int64_t a)
{
	struct track_cursor c = *at;
	struct run_known known = {0};
	enum tstate after = TS_NONE;
	stk_id after_stack = 0;
	for (bool any = false; !any;) {
		enum tstate s = track_cursor_state(&c);
		any = after != TS_READY && state_runs(s) && !stack_of_piece(&c) && a > track_cursor_t0(&c) &&
		    last_moment(w, places, &c, a, &known);
		any = any || known_of_piece(&c, after, after_stack, &known);
		if (s != TS_READY || !track_cursor_is_continued(&c)) {
			after = s;
			after_stack = track_cursor_stack(&c);
		}
		a = track_cursor_t0(&c);
		any = any || !track_cursor_step(&c, -1);
	}
	return known;
}

/* Return the next moment of the run, or its end. p: of the piece under the cursor. */
static struct run_moment moment_after(const struct track_cursor *at, struct piece_moments *p)
{
	struct track_cursor c = {0};
	struct run_moment v = {0};
	bool found = next_moment(p, track_cursor_t1(at), &v);
	if (found)
		return v;
	c = *at;
	while (!found && track_cursor_step(&c, 1)) {
		enum tstate s = track_cursor_state(&c);
		v.stack = s == TS_NONE ? 0 : track_cursor_stack(&c);
		if (!state_runs(s) || (v.stack && !track_cursor_is_continued(&c)))
			break;
		struct piece_moments next = moments_from(p->w, p->places, &c, track_cursor_t0(&c));
		found = next_moment(&next, track_cursor_t1(&c), &v);
	}
	return v;
}

void critical_run_parts(const struct critical_walker *w, struct walk_places *places, const struct track_cursor *c, int64_t a,
    int64_t b, critical_part_fn *fn, void *arg)
{
	stk_id all = stack_of_piece(c);
	if (all) {
		fn(arg, a, b, all, all);
		return;
	}
	struct run_known known = known_before(w, places, c, a);
	struct piece_moments p = moments_from(w, places, c, a);
	struct run_moment m;
	while (next_moment(&p, b, &m)) {
		stk_id stack = run_stacks_charged(w->sn->st, c->trk, &known, &m, &places->pairs);
		if (m.t > a)
			fn(arg, a, m.t, stack, m.stack);
		a = m.t;
	}
	if (b <= a)
		return;
	m = moment_after(c, &p);
	fn(arg, a, b, run_stacks_charged(w->sn->st, c->trk, &known, &m, &places->pairs), m.stack);
}
