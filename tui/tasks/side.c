/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* The side part: of a kind its histogram, quantiles and longest items; of a page what the selected line is. */
#include "config.h"
#include "tasks/internal.h"

#include "base/text/text.h"
#include "base/wrap_math.h"
#include "store/tracks/time_search.h"
#include "term/style.h"
#include "trace/bins.h"

/* Return the stack of a line of a page; 0: not known. */
static stk_id stack_of(const struct tasks *p, const struct store *st, const struct task_line *l)
{
	const struct stats_task *t = l->what == LN_BEGIN  ? tasks_find_id(&p->list, (uint64_t)p->id)
				     : l->what == LN_TASK ? &p->list.ts->task[l->i]
							  : NULL;
	if (l->what == LN_LOG)
		return store_mark(st, l->i)->stack;
	if (l->what == LN_REGION)
		return store_span(st, l->i)->s.stack;
	if (l->what == LN_STATE)
		return l->i;
	return t && t->span != UINT32_MAX ? store_span(st, t->span)->s.stack : 0;
}

/* Draw the times by state of a region's goroutine during the region. */
static int draw_within(const struct pane_env *env, struct grid *g, int y, const struct task_line *l)
{
	struct bin bin;
	bins_row(session_snap(env->s), l->trk, l->t0, l->t1, 1, &bin);
	grid_text(g, y++, 0, ST_HEAD, 0, "in this region");
	for (int k = TS_NONE + 1; k < TS__N && y < g->h - 2; k++)
		y = tracepane_draw_share(g, y, g->h - 2, style_of_state((enum tstate)k),
		    style_state_name((enum tstate)k), bin.ns[k], l->t1 - l->t0);
	return y;
}

static void side_one(const struct tasks *p, const struct pane_env *env, struct grid *g)
{
	const struct store *st = tasks_store(env);
	int y = 0;
	grid_text(g, y++, 0, ST_HEAD, 0, "what its goroutines did");
	for (int k = 0; k < TS__N && y < g->h / 2; k++)
		y = tracepane_draw_share(g, y, g->h / 2, style_of_state((enum tstate)k),
		    style_state_name((enum tstate)k), p->page.state_ns[k], p->page.whole);
	if (!p->page.nline)
		return;
	const struct task_line *l = &p->page.line[p->lines.sel];
	if (l->what == LN_REGION && l->t1 > l->t0)
		y = draw_within(env, g, y + 1, l);
	stk_id stk = stack_of(p, st, l);
	if (!stk || y + 3 > g->h)
		return;
	grid_text(g, ++y, 0, ST_HEAD, 0, l->what == LN_LOG ? "logged at" : l->what == LN_STATE ? "waits at" : "started at");
	tracepane_draw_stack(env, g, y + 1, g->h, stk);
}

/* Draw the time by class of the selected operation, or of all of the selected kind. */
static int draw_classes(const struct tasks *p, struct grid *g, int y, const struct kind *k, const struct item *it)
{
	const int64_t *of = k->of == OPERATION_NONE ? NULL : p->list.ops->kind[k->of].class_ns;
	int64_t ns[TIME_CLASS__N] = {0}, all = 0;
	for (int c = 0; c < TIME_CLASS__N && of; c++) {
		ns[c] = it ? tasks_class_ns(p, it, (enum time_class)c) : of[c];
		wrap_add_to(&all, ns[c]);
	}
	if (all <= 0 || y + 2 > g->h)
		return y;
	grid_text(g, y++, 0, ST_HEAD, 0, it ? "where its time went" : "where their time went");
	for (int c = 0; c < TIME_CLASS__N; c++)
		if (ns[c] > 0)
			y = tracepane_draw_share(g, y, g->h, style_of_state(time_class_state((enum time_class)c)),
			    time_class_name((enum time_class)c), ns[c], all);
	return y + 1;
}

static int draw_region_times(
    const struct tasks *p, const struct pane_env *env, struct grid *g, int y, const struct item *it)
{
	struct goroutine_times s;
	grid_text(g, y, 0, ST_HEAD, 0, "where its time went");
	stats_of_region(&p->list.ks->r[it->i], &s);
	return tracepane_draw_accounts(tasks_store(env), g, y + 1, g->h, &s) + 1;
}

static void draw_item_side(
    const struct tasks *p, const struct pane_env *env, struct grid *g, int y, const struct kind *k)
{
	struct item now;
	const struct item *it = tasks_item_now(p, &now);
	if (!it)
		return;
	stk_id stack = tasks_item_facts(&p->list, tasks_store(env), it).stack;
	y = p->list.regions ? draw_region_times(p, env, g, y, it) : draw_classes(p, g, y, k, it);
	if (!stack || y + 3 > g->h)
		return;
	grid_text(g, y++, 0, ST_HEAD, 0, k->source == OF_OPERATION ? "found at" : "started at");
	tracepane_draw_stack(env, g, y, g->h, stack);
}

void tasks_draw_side(const void *st, const struct pane_env *env, struct grid *g)
{
	static const char *const name[SPREAD__N] = {"p50", "p90", "p95", "p99", "max"};
	const struct tasks *p = st;
	const struct kind *k = p->level == L_LIST ? tasks_opened_kind(p) : tasks_kind_now(p);
	if (p->level == L_ONE) {
		side_one(p, env, g);
		return;
	}
	if (!k)
		return;
	int h = g->h > 50 ? 20 : g->h > 30 ? 12 : 8, y = h + 1;
	tasks_draw_bars(p, g, 0, h);
	for (int i = 0; i < SPREAD__N; i++, y++) {
		grid_text(g, y, 2, ST_NORMAL, 0, name[i]);
		tracepane_draw_ns(g, y, 16, k->spread.at[i], 0);
	}
	if (p->level == L_KINDS)
		tasks_draw_longest(p, env, g, draw_classes(p, g, y + 1, k, NULL), k);
	else
		draw_item_side(p, env, g, y + 1, k);
}
