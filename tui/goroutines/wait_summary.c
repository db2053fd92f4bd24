/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The statistics of the selected group of goroutines: the durations of its waits, as quantiles and
 * histograms, and their wakers. They need a pass over the sheets for all of its spans
 * (trace/stats/wait_stats.c), so they are computed when the selection moves, not when it is drawn:
 * at once in a short pass, because moving in a list must not depend on the length of the trace, and
 * completely in the background (wait_job.c). If that stops early too, this is shown.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/text/text.h"
#include "base/wrap_math.h"
#include "term/style.h"
#include "trace/longest_wait.h"

#include <string.h>

void goroutines_sum_group(const struct snap *sn, const struct stats_groups *gs, uint32_t first, uint32_t n,
    struct goroutines_totals *o)
{
	for (uint32_t i = first; i < first + n; i++) {
		struct goroutine_times g;
		stats_groups_times(gs, i, NULL, &g);
		const struct trk_row *t = store_trk(sn->st, g.trk);
		for (int s = 0; s < TS__N; s++)
			o->ns[s] = wrap_add(o->ns[s], g.ns[s]);
		o->ended += t->to_t1 != 0;
		if (!o->created)
			o->created = store_origin(sn->st, t)->created;
	}
}

/* Choose the wait states with the longest total in the group. */
static void pick_states(struct goroutines_waits *o, const struct goroutines_totals *totals)
{
	int64_t sum[TS__N];
	memcpy(sum, totals->ns, sizeof sum);
	for (int k = 0; k < WAIT_STATS_STATES; k++) {
		int best = TS_NONE;
		for (int s = 0; s < TS__N; s++)
			if (state_is_wait((enum tstate)s) && sum[s] > 0 && (best == TS_NONE || sum[s] > sum[best]))
				best = s;
		o->state[k] = (enum tstate)best;
		if (best != TS_NONE)
			sum[best] = 0;
	}
}

/* Return the distribution of lifetimes: the goroutines of a group are sorted by it, longest first. */
static struct stats_spread sum_lives(const struct stats_groups *gs, const struct goroutines_row *r)
{
	struct stats_spread s = {.n = r->n};
	for (int k = 0; k < SPREAD__N && r->n; k++)
		s.at[k] = stats_groups_total(gs, r->first + r->n - 1 - stats_quantile_rank(r->n, stats_spread_share[k]));
	return s;
}

void goroutines_update_waits(struct goroutines_state *p, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	struct goroutines_row room;
	const struct goroutines_row *r = goroutines_selected_row(p, &room);
	int64_t of = !r ? -2 : r->trk ? (int64_t)r->trk << 1 | 1 : (int64_t)r->name << 1;
	if (p->story.of == of || p->level == GL_ONE)
		return;
	memset(&p->story, 0, sizeof p->story);
	p->story.of = of;
	if (!r)
		return;
	struct goroutines_totals now = {0};
	if (!r->totals)
		goroutines_sum_group(sn, p->gs, r->first, r->n, &now);
	const struct goroutines_totals *totals = r->totals ? r->totals : &now;
	pick_states(&p->story, totals);
	p->story.life = sum_lives(p->gs, r);
	p->story.ended = totals->ended;
	p->story.created = totals->created;
	goroutines_wait_start(p, env);
}

/* The table of quantiles: all four columns if they fit beside the names, else without p95. */
enum { QUANTILE_NAME = 24, QUANTILE = 9, QUANTILE_LEAST = 7 };
static const struct { const char *head; enum stats_spread_at q; } quantile_cols[] = {
    {"p50", SPREAD_P50}, {"p95", SPREAD_P95}, {"p99", SPREAD_P99}, {"max", SPREAD_MAX}};

/* Return the end of column k, or -1: it is not shown. */
static int quantile_end(const struct grid *g, int k)
{
	if (g->w >= QUANTILE_NAME + 4 * QUANTILE)
		return QUANTILE_NAME + QUANTILE * (k + 1);
	return k == 1 ? -1 : g->w - 1 - QUANTILE_LEAST * (k ? 3 - k : 2);
}

static int draw_quantiles(struct grid *g, int y, const char *name, const struct stats_spread *s)
{
	int room = quantile_end(g, 0) - QUANTILE_LEAST;
	struct rect old = grid_clip(g, (struct rect){y, 0, 1, room > 2 ? room : 2});
	grid_text(g, 0, 2, ST_NORMAL, 0, name);
	grid_unclip(g, old);
	for (int k = 0; k < 4; k++)
		if (quantile_end(g, k) >= 0)
			tracepane_draw_ns(g, y, quantile_end(g, k), s->at[quantile_cols[k].q], 0);
	return y + 1;
}

static int draw_still(const struct wait_counts *w, struct grid *g, int y)
{
	struct buf b = {0};
	if (!w->still || y >= g->h)
		return y;
	text_count(&b, w->still);
	buf_puts(&b, w->still == 1 ? ", for " : ", longest ");
	text_ns(&b, w->still_longest);
	grid_text(g, y, 2, ST_WARN, 0, "still blocked");
	grid_text(g, y, 17, ST_NORMAL, 0, buf_str(&b));
	buf_free(&b);
	return y + 1;
}

static int draw_wakers(const struct goroutines_waits *o, const struct pane_env *env, struct grid *g, int y)
{
	const struct wait_counts *w = &o->w;
	if (!w->nwaker || y + 2 > g->h)
		return y;
	grid_text(g, y++, 0, ST_HEAD, 0, "wakers of its waits");
	for (uint32_t i = 0; i < w->nwaker && y < g->h && i < 8; i++, y++) {
		grid_printf(g, y, 2, ST_NORMAL, 0, "%3u%%", (unsigned)(100ull * w->waker[i].n / w->wakes));
		tracepane_draw_symbol(
		    env, g, y, 8, g->w - 8, ST_NORMAL, w->waker[i].name, "(none): timer, network, runtime");
	}
	return y + 1;
}

/* Draw histograms of the waits with the longest totals, each only if it fits. */
static int draw_blocks(const struct goroutines_waits *o, struct grid *g, int y)
{
	enum { LEAST = 8 };
	for (int k = 0; k < WAIT_STATS_STATES && y + LEAST < g->h; k++) {
		if (o->state[k] == TS_NONE || !o->w.block[k].n)
			continue;
		grid_printf(g, y, 0, ST_HEAD, 0, "%s, each time", style_state_name(o->state[k]));
		y = tracepane_draw_histogram_rows(
			g, y + 1, g->h - 1, &o->w.block_histo[k], style_of_state(o->state[k])) +
		    1;
	}
	return y;
}

void goroutines_draw_waits(const struct goroutines_state *p, const struct pane_env *env, struct grid *g)
{
	const struct goroutines_waits *o = &p->story;
	struct goroutines_row room;
	const struct goroutines_row *r = goroutines_selected_row(p, &room);
	int y = 0;
	if (!r)
		return;
	for (int k = 0; k < 4; k++)
		if (quantile_end(g, k) >= 0)
			grid_right(g, y, quantile_end(g, k), ST_HEAD, 0, quantile_cols[k].head);
	tracepane_draw_symbol(env, g, y++, 0, quantile_end(g, 0) - 4, ST_TITLE, r->name, "(no start function)");
	y = draw_quantiles(g, y, "lifetime", &o->life);
	y = draw_quantiles(g, y, "wait for a P", &o->w.ready);
	for (int k = 0; k < WAIT_STATS_STATES && (k < 1 || g->h > 12); k++)
		if (o->state[k] != TS_NONE)
			y = draw_quantiles(g, y, style_state_name(o->state[k]), &o->w.block[k]);
	y = draw_still(&o->w, g, y);
	if (!o->w.ready.n) {
		if (o->part)
			grid_text(g, y, 2, ST_DIM, 0, "counting its waits");
		return;
	}
	if (g->h <= 12) {
		int64_t lo = tracepane_round_decade(o->w.duration_histogram.min, false),
			hi = tracepane_round_decade(o->w.duration_histogram.max, true);
		struct buf b = {0};
		text_ns(&b, lo);
		buf_puts(&b, " .. ");
		text_ns(&b, hi);
		grid_text(g, y, 2, ST_NORMAL, 0, "runnable");
		tracepane_draw_histogram(g, y, 12, 40, &o->w.duration_histogram, lo, hi, ST_HEAT);
		grid_text(g, y, 54, ST_DIM, 0, buf_str(&b));
		buf_free(&b);
		return;
	}
	grid_text(g, ++y, 0, ST_HEAD, 0, "wait for a P, each time");
	y = tracepane_draw_histogram_rows(g, y + 1, g->h - 4, &o->w.duration_histogram, ST_HEAT) + 1;
	y = draw_wakers(o, env, g, y);
	if (o->created && y + 2 < g->h) {
		grid_text(g, y++, 0, ST_HEAD, 0, "created at");
		y = tracepane_draw_stack(env, g, y, y + 6 < g->h ? y + 6 : g->h, o->created) + 1;
	}
	y = draw_blocks(o, g, y);
	if (o->w.cut)
		grid_printf(g, y, 0, ST_WARN, 0, "from the first %u spans%s", o->w.spans,
		    o->part ? ", still counting" : "");
}
