/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What is told of the selected group of goroutines: how long its waits are, in
 * quantiles and as a histogram, and who ends them. It takes a walk over the
 * group's spans, so it is made when the selection moves, not when it is drawn,
 * and stops after STORY_SPANS of them, or fewer where they go on over many sheets: moving through a list must not
 * depend on the length of the trace. When it stopped early it says so.
 *
 * Goroutines are walked through in batches, sheet by sheet, all of a batch in one before the next: sheets may have
 * been dropped, and are made again in their order.
 */
#include "config.h"
#include "gorview.h"

#include "analysis/longwait.h"
#include "base/mem.h"
#include "base/text.h"
#include "store/edges.h"
#include "timeline.h"

#include <string.h>

void gor_tell(const struct snap *sn, const struct sched_groups *gs, uint32_t first, uint32_t n, struct gor_told *o)
{
	for (uint32_t i = first; i < first + n; i++) {
		const struct trk_row *t = store_trk(sn->st, gs->g[i].trk);
		for (int s = 0; s < TS__N; s++)
			o->ns[s] += gs->g[i].ns[s];
		histo_add(&o->life, gs->g[i].total);
		o->ended += t->t1 != TIME_NONE;
		if (!o->created)
			o->created = t->created;
	}
}

/* The waits that take longest of all in the group. */
static void pick_states(struct gor_story *o, const struct gor_told *told)
{
	int64_t sum[TS__N];
	memcpy(sum, told->ns, sizeof sum);
	for (int k = 0; k < STORY_STATES; k++) {
		int best = TS_NONE;
		for (int s = 0; s < TS__N; s++)
			if (state_waits((enum tstate)s) && sum[s] > 0 && (best == TS_NONE || sum[s] > sum[best]))
				best = s;
		o->state[k] = (enum tstate)best;
		if (best != TS_NONE)
			sum[best] = 0;
	}
}

static void add_waker(struct gor_story *o, const struct store *st, trk_id who)
{
	str_id name = who ? store_trk(st, who)->name : 0;
	o->wakes++;
	for (uint32_t i = 0; i < o->nwaker; i++)
		if (o->waker[i].name == name) {
			o->waker[i].n++;
			while (i && o->waker[i].n > o->waker[i - 1].n) {
				uint32_t n = o->waker[i].n;
				o->waker[i].name = o->waker[i - 1].name;
				o->waker[i].n = o->waker[i - 1].n;
				o->waker[--i].name = name;
				o->waker[i].n = n;
			}
			return;
		}
	if (o->nwaker < STORY_WAKERS) {
		o->waker[o->nwaker].name = name;
		o->waker[o->nwaker++].n = 1;
	}
}

struct walker { struct ival v; trk_id g; uint32_t sheet; bool begun, have, waited; };
enum { BATCH_FIRST = 16, BATCH_MOST = 256 };

static void walk_begin(const struct gor *p, const struct snap *sn, struct walker *w)
{
	int64_t born = store_trk(sn->st, w->g)->t0, t = born != TIME_NONE && born > p->scope.t0 ? born : p->scope.t0;
	w->begun = true;
	w->have = ival_at(sn, w->g, t, &w->v) || ival_near(sn, w->g, t, 1, &w->v);
	w->sheet = w->have ? w->v.sheet : 0;
}

/* What it does up to t. */
static void walk(struct gor *p, const struct snap *sn, struct walker *w, int64_t t)
{
	struct gor_story *o = &p->story;
	for (; w->have && w->v.t0 < t; w->have = ival_step(sn, &w->v, 1)) {
		const struct ival *v = &w->v;
		o->cost += 1 + (v->sheet - w->sheet) * STORY_SHEET;
		w->sheet = v->sheet;
		if (o->cost > STORY_SPANS) {
			o->cut = true;
			return;
		}
		o->spans++;
		if (v->state == TS_READY) {
			histo_add(&o->ready, v->t1 - v->t0);
			if (w->waited)
				add_waker(o, sn->st, v->who);
		}
		w->waited = state_waits(v->state);
		for (int k = 0; k < STORY_STATES && w->waited; k++)
			if (v->state == o->state[k])
				histo_add(&o->block[k], v->t1 - v->t0);
	}
}

static void walk_batch(struct gor *p, const struct snap *sn, const struct gstat *g, uint32_t n)
{
	struct walker *w = xcalloc(n, sizeof *w);
	for (uint32_t i = 0; i < n; i++)
		w[i].g = g[i].trk;
	for (uint32_t s = 0; s < sn->nsheets && !p->story.cut; s++) {
		const struct sheet_slot *slot = store_slot(sn->st, s);
		if (slot->t1 <= p->scope.t0)
			continue;
		if (slot->t0 >= p->scope.t1)
			break;
		int64_t to = slot->t1 < p->scope.t1 && s + 1 < sn->nsheets ? slot->t1 : p->scope.t1;
		for (uint32_t i = 0; i < n && !p->story.cut; i++) {
			int64_t born = store_trk(sn->st, w[i].g)->t0;
			if (!w[i].begun && (born == TIME_NONE || born < to))
				walk_begin(p, sn, &w[i]);
			walk(p, sn, &w[i], to);
		}
	}
	mem_free(w);
}

void gor_story_make(struct gor *p, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	struct gor_row room;
	const struct gor_row *r = gor_sel(p, &room);
	int64_t of = !r ? 0 : r->trk ? (int64_t)r->trk << 1 | 1 : (int64_t)r->name << 1;
	if (p->story_of == of && (p->story.spans || p->story.cut))
		return;
	memset(&p->story, 0, sizeof p->story);
	p->story_of = of;
	if (!r)
		return;
	struct gor_told now = {0};
	if (!r->told)
		gor_tell(sn, p->gs, r->first, r->n, &now);
	const struct gor_told *told = r->told ? r->told : &now;
	pick_states(&p->story, told);
	p->story.life = told->life;
	p->story.ended = told->ended;
	p->story.created = told->created;
	for (uint32_t i = 0, n = BATCH_FIRST; i < r->n && !p->story.cut; i += n, n = n < BATCH_MOST ? 2 * n : n) {
		n = n < r->n - i ? n : r->n - i;
		walk_batch(p, sn, p->gs->g + r->first + i, n);
		if (i + n < r->n && i + n >= STORY_GS && p->story.cost > STORY_SPANS / 10)
			p->story.cut = true;
	}
}

bool gor_story_span(const struct gor *p, const struct pane_env *env, bool woke, struct ival *best, bool *all)
{
	const struct snap *sn = session_snap(env->s);
	struct gor_row room;
	const struct gor_row *r = gor_sel(p, &room);
	struct edge e;
	bool any = false;
	*all = true;
	if (!r || !r->n)
		return false;
	for (uint32_t i = r->first; woke && i < r->first + r->n && !any; i++) {
		trk_id g = p->gs->g[i].trk;
		struct edge_walk w = {0};
		any = edges_from(sn, &w, g, p->scope.t0, p->scope.t1, &e) && ival_at(sn, g, e.t, best);
	}
	if (woke)
		return any;
	trk_id *g = xmalloc(r->n * sizeof *g);
	for (uint32_t i = 0; i < r->n; i++)
		g[i] = p->gs->g[r->first + i].trk;
	any = longest_wait(sn, g, r->n, p->scope.t0, p->scope.t1, best, all);
	mem_free(g);
	return any;
}

static int quantiles(struct grid *g, int y, const char *name, const struct histo *h)
{
	static const double q[] = {0.50, 0.95, 0.99, 1};
	grid_text(g, y, 2, ST_NORMAL, 0, name);
	for (int k = 0; k < 4; k++) {
		int x1 = 24 + 9 * (k + 1);
		tp_ns(g, y, x1, histo_quantile(h, q[k]), 0);
	}
	return y + 1;
}

static int draw_wakers(const struct gor_story *o, const struct pane_env *env, struct grid *g, int y)
{
	if (!o->nwaker || y + 2 > g->h)
		return y;
	grid_text(g, y++, 0, ST_HEAD, 0, "who ends its waits");
	for (uint32_t i = 0; i < o->nwaker && y < g->h && i < 8; i++, y++) {
		grid_printf(g, y, 2, ST_NORMAL, 0, "%3u%%", (unsigned)(100ull * o->waker[i].n / o->wakes));
		tp_symbol(env, g, y, 8, g->w - 8, ST_NORMAL, o->waker[i].name, "nobody: timer, network, runtime");
	}
	return y + 1;
}

void gor_story_draw(const struct gor *p, const struct pane_env *env, struct grid *g)
{
	static const char *const head[] = {"p50", "p95", "p99", "max"};
	const struct gor_story *o = &p->story;
	struct gor_row room;
	const struct gor_row *r = gor_sel(p, &room);
	int y = 0;
	if (!r)
		return;
	for (int k = 0; k < 4; k++)
		grid_right(g, y, 24 + 9 * (k + 1), ST_HEAD, 0, head[k]);
	tp_symbol(env, g, y++, 0, 22, ST_TITLE, r->name, "(no start function)");
	y = quantiles(g, y, "lifetime", &o->life);
	y = quantiles(g, y, "runnable, each time", &o->ready);
	for (int k = 0; k < STORY_STATES && (k < 1 || g->h > 12); k++)
		if (o->state[k] != TS_NONE)
			y = quantiles(g, y, state_name(o->state[k]), &o->block[k]);
	if (!o->ready.n)
		return;
	if (g->h <= 12) {
		int64_t lo = tp_decade(o->ready.min, false), hi = tp_decade(o->ready.max, true);
		struct buf b = {0};
		text_ns(&b, lo);
		buf_puts(&b, " .. ");
		text_ns(&b, hi);
		grid_text(g, y, 2, ST_NORMAL, 0, "runnable");
		tp_hist(g, y, 12, 40, &o->ready, lo, hi, ST_S_READY);
		grid_text(g, y, 54, ST_DIM, 0, buf_str(&b));
		buf_free(&b);
		return;
	}
	grid_text(g, ++y, 0, ST_HEAD, 0, "runnable, each time");
	y = tp_hist_rows(g, y + 1, g->h - 4, &o->ready, ST_S_READY) + 1;
	y = draw_wakers(o, env, g, y);
	if (o->created && y + 2 < g->h) {
		grid_text(g, y++, 0, ST_HEAD, 0, "created at");
		y = tp_stack(env, g, y, y + 6 < g->h ? y + 6 : g->h, o->created) + 1;
	}
	if (o->cut)
		grid_printf(g, y, 0, ST_WARN, 0, "of the first %u spans", o->spans);
}
