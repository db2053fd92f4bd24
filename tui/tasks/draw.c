/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The tables of tasks and regions: kinds with a histogram of their durations, all on one scale for
 * comparison; the items of a kind with a strip of the states of the goroutine that started them;
 * the events of a task with their position in it. A strip uses the bins of the timeline, which are
 * exact for any length.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/text/text.h"
#include "store/tracks/time_search.h"
#include "term/style.h"
#include "trace/bins.h"

struct tasks_drawing { const struct tasks *p; const struct pane_env *env; int x[10], w[10]; int64_t most; };
enum { K_NAME, K_COUNT, K_P50, K_P95, K_P99, K_MAX, K_HIST, K__N };

static void draw_kind(const void *arg, struct grid *g, int y, uint32_t i)
{
	static const enum stats_spread_at q[] = {SPREAD_P50, SPREAD_P95, SPREAD_P99, SPREAD_MAX};
	const struct tasks_drawing *d = arg;
	const struct kind *k = &d->p->list.kind[d->p->order[i]];
	int end = d->x[K_NAME] + d->w[K_NAME];
	tracepane_draw_symbol(d->env, g, y, d->x[K_NAME], d->w[K_NAME], ST_NORMAL, k->name, tasks_unnamed(d->p));
	if (k->frame && d->w[K_NAME] > 40) {
		struct buf b = {0};
		tracepane_put_frame(tasks_store(d->env), k->frame, &b, true);
		tracepane_draw_text(d->env, g, y, d->x[K_NAME] + 24, end - d->x[K_NAME] - 24, ST_DIM, &b);
		buf_free(&b);
	}
	if (d->x[K_COUNT] >= 0)
		tracepane_draw_count(g, y, d->x[K_COUNT] + d->w[K_COUNT], k->n);
	for (int c = 0; c < 4; c++)
		if (d->x[K_P50 + c] >= 0)
			tracepane_draw_ns(g, y, d->x[K_P50 + c] + d->w[K_P50 + c], k->spread.at[q[c]],
			    d->p->sort[L_KINDS] == SORT_P50 + c ? AT_BOLD : 0);
	if (d->x[K_HIST] >= 0)
		tracepane_draw_histogram(
		    g, y, d->x[K_HIST], d->w[K_HIST], &k->h, d->p->list.lo, d->p->list.hi, ST_HEAT);
}

/* Columns of the list: tasks with a strip of their goroutine's states, regions with its times by state. */
struct item_col { struct list_column c; int val; };
enum { ITEM_COLS = 10, IV_BAR = IV__N, IV_STRIP, IV_WHO };

static int item_cols(const struct tasks *p, struct item_col *c)
{
	enum { NAMES = 24 };
	static const struct item_col all[] = {
		{{"TASK", 8, true, 0, 0, 0, NULL}, IV_ID}, {{"START", 9, true, 0, 0, 0, NULL}, IV_START}, {{"DURATION", 9, true, 0, 0, 0, NULL}, IV_DUR},
		{{"RUN", 7, true, 0, 0, 0, NULL}, IV_RUN}, {{"RUNNABLE", 8, true, 0, 0, 0, NULL}, IV_READY},
		{{"SYSCALL", 7, true, 0, 0, 0, NULL}, IV_SYSCALL}, {{"BLOCKED", 7, true, 0, 0, 0, NULL}, IV_BLOCKED},
		{{"", 8, false, 0, 0, 0, NULL}, IV_BAR}, {{"ACTIVITY", 16, false, 0, 0, 24, NULL}, IV_STRIP},
		{{"GOROUTINE", 0, false, 0, 0, 0, NULL}, IV_WHO},
	};
	int n = 0;
	for (int i = 0; i < ITEM_COLS; i++) {
		bool account = all[i].val >= IV_RUN && all[i].val <= IV_BLOCKED;
		if (account && !p->list.regions)
			continue;
		c[n] = all[i];
		c[n].c.word = c[n].val < IV__N ? tasks_item_sorts[c[n].val].word : NULL;
		if (p->list.regions && (all[i].val == IV_BAR || all[i].val == IV_STRIP))
			c[n].c.leave = NAMES;
		if (c[n].val == p->sort[L_LIST])
			c[n].c.sort = (c[n].val == IV_START || c[n].val == IV_ID) == p->invert[L_LIST] ? -1 : 1;
		n++;
	}
	return n;
}

struct items_drawing {
	const struct tasks *p;
	const struct pane_env *env;
	struct item_col c[ITEM_COLS];
	int n, x[ITEM_COLS], w[ITEM_COLS];
	int64_t most;
};

static void draw_item(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct items_drawing *d = arg;
	const struct store *st = tasks_store(d->env);
	const struct item *it = &d->p->list.item[d->p->shown[i]];
	const struct stats_task *t = d->p->list.regions ? NULL : &d->p->list.ts->task[it->i];
	const struct sink_span *sp = &store_span(st, t ? t->span : d->p->list.ks->r[it->i].span)->s;
	struct buf b = {0};
	for (int k = 0; k < d->n; k++) {
		int w = d->w[k], val = d->c[k].val;
		int64_t v = tasks_value(d->p, it, val < IV__N ? val : IV_DUR);
		if (d->x[k] < 0)
			continue;
		struct rect old = grid_clip(g, (struct rect){y, d->x[k], 1, w});
		if (val == IV_ID && v > 0)
			buf_printf(&b, "%llu", (unsigned long long)v), grid_right(g, 0, w, ST_NORMAL, 0, buf_str(&b));
		else if (val == IV_ID)
			grid_right(g, 0, w, ST_DIM, 0, ".");
		else if (val == IV_START)
			tracepane_draw_time(g, 0, w, v);
		else if (val < IV__N)
			tracepane_draw_ns(g, 0, w, v, val == d->p->sort[L_LIST] ? AT_BOLD : 0);
		else if (val == IV_BAR)
			grid_bar(g, 0, 0, w, d->most > 0 ? (double)v / (double)d->most : 0, ST_HEAT);
		else if (val == IV_STRIP)
			tracepane_draw_states(d->env, g, 0, 0, w, sp->trk, it->t0, it->t1);
		else if (sp->trk)
			tracepane_put_track(st, sp->trk, &b), tracepane_draw_text(d->env, g, 0, 0, w, ST_NORMAL, &b);
		grid_unclip(g, old);
		buf_reset(&b);
		if (val == IV_DUR && it->open)
			grid_text(g, y, d->x[k] + w, ST_WARN, 0, "+");
	}
	buf_free(&b);
}

static void draw_list(const struct tasks *p, const struct pane_env *env, struct grid *g)
{
	struct items_drawing d = {.p = p, .env = env, .most = p->most};
	struct list_column c[ITEM_COLS];
	int h = g->h - 1;
	d.n = item_cols(p, d.c);
	for (int i = 0; i < d.n; i++)
		c[i] = d.c[i].c;
	int bar = p->rows[L_LIST].n > (uint32_t)h;
	list_layout_columns(c, d.n, env->choose - 1 - bar, g->w - 1 - bar, d.x, d.w);
	struct rect old = grid_clip(g, (struct rect){0, 1, 1, g->w - 1});
	list_draw_header(g, 0, c, d.n, d.x, d.w);
	grid_unclip(g, old);
	old = grid_clip(g, (struct rect){1, 0, h, g->w});
	list_draw_rows(&p->rows[L_LIST], g, draw_item, &d,
	    &(struct list_options){p->bars.on, env->find.rx ? p->search.hits.at : NULL});
	grid_unclip(g, old);
}

void tasks_put_line(const struct tasks *p, const struct store *st, const struct task_line *l, struct buf *b)
{
	static const char *const what[] = {"task starts", "log ", "region ", "child task ", "task ends"};
	buf_puts(b, what[l->what]);
	if (l->what == LN_LOG) {
		const struct sink_mark *m = store_mark(st, l->i);
		if (store_str(st, m->category)->n)
			buf_putc(b, '['), tracepane_put_str(st, m->category, "", b), buf_puts(b, "] ");
		tracepane_put_str(st, m->text, "", b);
	} else if (l->what == LN_REGION) {
		tracepane_put_str(st, store_span(st, l->i)->s.name, "(no name)", b);
	} else if (l->what == LN_CHILD) {
		buf_printf(b, "%llu ", (unsigned long long)p->list.ts->task[l->i].id);
		tracepane_put_str(st, p->list.ts->task[l->i].name, "(no name)", b);
	}
}

static void draw_line(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct tasks_drawing *d = arg;
	const struct tasks *p = d->p;
	const struct task_line *l = &p->page.line[i];
	const struct stats_task *t = tasks_shown_task(p);
	int64_t t0 = !t || t->t0 == TIME_NONE ? p->page.line[0].t0 : t->t0;
	struct buf b = {0};
	int bar = g->w >= 100 ? 50 : 22, x = g->w - bar - 1;
	buf_putc(&b, '+');
	text_ns(&b, l->t0 - t0);
	grid_right(g, y, 10, ST_DIM, 0, buf_str(&b));
	buf_reset(&b);
	if (l->trk)
		tracepane_put_id(tasks_store(d->env), l->trk, &b);
	tracepane_draw_text(d->env, g, y, 12, 6, ST_NORMAL, &b);
	buf_reset(&b);
	tasks_put_line(p, tasks_store(d->env), l, &b);
	tracepane_draw_text(d->env, g, y, 19, x - 29, l->what == LN_LOG ? ST_ACCENT : ST_NORMAL, &b);
	buf_free(&b);
	if (l->what == LN_REGION || l->what == LN_CHILD)
		tracepane_draw_ns(g, y, x - 1, l->t1 - l->t0, 0);
	int64_t len = p->page.line[p->page.nline - 1].t0 - t0;
	for (uint32_t k = 0; k < p->page.nline; k++)
		len = p->page.line[k].t1 - t0 > len ? p->page.line[k].t1 - t0 : len;
	if (len <= 0)
		return;
	int a = (int)((double)(l->t0 - t0) / (double)len * (bar - 1));
	int w = (int)((double)(l->t1 - t0) / (double)len * (bar - 1)) - a + 1;
	if (l->what == LN_CHILD)
		grid_bar(g, y, x + a, w, 1, ST_ACCENT);
	else if (l->what == LN_REGION)
		tracepane_draw_states(d->env, g, y, x + a, w, l->trk, l->t0, l->t1);
	else
		grid_put(g, y, x + a, '|', ST_ACCENT, ST_NORMAL, 0);
}

static void draw_one(const struct tasks *p, const struct pane_env *env, struct grid *g)
{
	const struct stats_task *t = tasks_shown_task(p);
	struct buf b = {0};
	if (!t || !p->page.nline) {
		tracepane_draw_empty(g, 1, "This task has not been read yet.");
		return;
	}
	buf_printf(&b, "task %llu  ", (unsigned long long)t->id);
	tracepane_put_str(tasks_store(env), t->name, "(no name)", &b);
	if (t->t0 != TIME_NONE && t->t1 != TIME_NONE)
		buf_puts(&b, "  "), text_ns(&b, t->t1 - t->t0);
	else
		buf_puts(&b, t->t0 == TIME_NONE ? "  started before the trace" : "  does not end in the trace");
	if (t->t0 != TIME_NONE)
		buf_puts(&b, " at "), text_at(&b, t->t0, 100000);
	if (t->parent && t->parent != UINT64_MAX)
		buf_printf(&b, "  child of task %llu", (unsigned long long)t->parent);
	if (p->page.nchild)
		buf_printf(&b, "  %u child%s", p->page.nchild, p->page.nchild == 1 ? "" : "ren");
	tracepane_draw_text(env, g, 0, 1, g->w - 1, ST_TITLE, &b);
	buf_reset(&b);
	if (p->page.whole > 0) {
		buf_puts(&b, "its goroutines: ");
		tracepane_put_shares(p->page.why, p->page.whole, &b);
	} else {
		buf_puts(&b, "no goroutine is known to have worked for it: no regions, and it does not end "
		    "in the trace");
	}
	tracepane_draw_text(env, g, 1, 1, g->w - 1, ST_NORMAL, &b);
	buf_free(&b);
	struct rect old = grid_clip(g, (struct rect){3, 0, g->h - 3, g->w});
	list_draw_rows(&p->rows[L_ONE], g, draw_line, &(struct tasks_drawing){.p = p, .env = env},
	    &(struct list_options){false, NULL});
	grid_unclip(g, old);
}

static const char *why_empty(const struct tasks *p, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	if (async_job(&p->work))
		return tasks_current_target(p).regions ? "Counting regions." : "Counting tasks.";
	if (!sn->complete)
		return p->list.regions ? "No regions have been read yet." : "No tasks have been read yet.";
	if (sn->trace.log)
		return tracepane_log_notice;
	if (env->grep.rx)
		return "No row matches: & and Enter shows all rows.";
	if (p->task_criteria.lo != TIME_NONE || p->task_criteria.hi != TIME_NONE || p->task_criteria.whole)
		return "None has such a duration or is of that kind.\nEsc shows all.";
	if (p->list.scope.part || p->list.scope.f.g)
		return "Nothing passes the filters.\nR removes all filters, u the last one.";
	return p->list.regions ? "The trace has no regions.\n\n"
			    "    defer trace.StartRegion(ctx, \"parse\").End()\n\n"
			    "of the package runtime/trace marks a part of a goroutine with a name.\n[ shows tasks."
			  : "The trace has no tasks.\n\n"
			    "    ctx, task := trace.NewTask(ctx, \"checkout\")\n    defer task.End()\n\n"
			    "of the package runtime/trace gives a name to an operation that may use many\n"
			    "goroutines; regions and log messages with that ctx belong to it.  ] shows regions.";
}

static void draw_kinds(const struct tasks *p, const struct pane_env *env, struct grid *g)
{
	int8_t dir = p->invert[L_KINDS] ? 1 : -1;
	struct list_column c[K__N] = {
	    {p->list.regions ? "REGION" : "TASK", 0, false, 0, 0, 0, NULL},
	    {"COUNT", tracepane_count_width(session_snap(env->s)->nspans), true, 0, 0, 0, NULL},
	    {"p50", 7, true, 0, 0, 0, NULL},
	    {"p95", 7, true, 0, 0, 0, NULL},
	    {"p99", 7, true, 0, 0, 0, NULL},
	    {"MAX", 7, true, 0, 0, 0, NULL},
	    {"", 18, false, 0, 0, 22, NULL},
	};
	static const int col_of[SORT__N] = {K_COUNT, K_P50, K_P95, K_P99, K_MAX, K_NAME};
	for (int i = 0; i < SORT__N; i++)
		c[col_of[i]].word = tasks_kind_sorts[i].word;
	c[col_of[p->sort[L_KINDS]]].sort = p->sort[L_KINDS] == SORT_NAME ? (int8_t)-dir : dir;
	struct buf b = {0};
	if (p->list.hi > p->list.lo) {
		text_ns(&b, p->list.lo);
		buf_puts(&b, " .. ");
		text_ns(&b, p->list.hi);
	}
	c[K_HIST].head = buf_str(&b);
	struct tasks_drawing d = {.p = p, .env = env};
	int bar = p->rows[L_KINDS].n > (uint32_t)(g->h - 1);
	list_layout_columns(c, K__N, env->choose - 1 - bar, g->w - 1 - bar, d.x, d.w);
	struct rect old = grid_clip(g, (struct rect){0, 1, 1, g->w - 1});
	list_draw_header(g, 0, c, K__N, d.x, d.w);
	grid_unclip(g, old);
	buf_free(&b);
	old = grid_clip(g, (struct rect){1, 0, g->h - 1, g->w});
	list_draw_rows(&p->rows[L_KINDS], g, draw_kind, &d,
	    &(struct list_options){p->bars.on, env->find.rx ? p->search.hits.at : NULL});
	grid_unclip(g, old);
}

/* ---- below or beside the list */

/* Return the times of the selected region, shown below the list, or NULL. */
static const struct goroutine_times *region_accounts(const struct tasks *p, struct goroutine_times *room)
{
	const struct item *it =
	    p->level == L_LIST && p->list.regions && p->accounts && !p->bars.on ? item_now(p) : NULL;
	if (it)
		stats_of_region(&p->list.ks->r[it->i], room);
	return it ? room : NULL;
}

int tasks_footer_height(const struct tasks *p, const struct pane_env *env)
{
	if (p->level == L_ONE || !env->detail || env->side_shown || env->rows < 16)
		return 0;
	struct goroutine_times room;
	const struct goroutine_times *s = region_accounts(p, &room);
	int foot = env->rows / 3, need = s ? tracepane_accounts_height(s) + 2 : 0, most = env->rows - 5;
	return need > foot ? need < most ? need : most : foot;
}

static void draw_bars(const struct tasks *p, struct grid *g, int y, int h)
{
	struct buf b = {0};
	if (!p->bars.all)
		return;
	text_count(&b, (int64_t)p->bars.all);
	int x = grid_printf(g, y, 1, ST_HEAD, 0, "durations (%s)", buf_str(&b));
	grid_text(g, y, x + 2, ST_DIM, 0, p->bars.on ? "" : "v selects bars");
	histogram_bars_draw(&p->bars, g, y + 1, 1, h - 1, g->w - 2, ST_HEAT);
	buf_free(&b);
}

/* Return the stack of a line of a task's page; 0: not known. */
static stk_id stack_of(const struct tasks *p, const struct store *st, const struct task_line *l)
{
	const struct stats_task *t = l->what == LN_BEGIN   ? tasks_shown_task(p)
				     : l->what == LN_CHILD ? &p->list.ts->task[l->i]
							   : NULL;
	if (l->what == LN_LOG)
		return store_mark(st, l->i)->stack;
	if (l->what == LN_REGION)
		return store_span(st, l->i)->s.stack;
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
		    style_state_name((enum tstate)k), p->page.why[k], p->page.whole);
	if (!p->page.nline)
		return;
	const struct task_line *l = &p->page.line[p->rows[L_ONE].sel];
	if (l->what == LN_REGION && l->t1 > l->t0)
		y = draw_within(env, g, y + 1, l);
	stk_id stk = stack_of(p, st, l);
	if (!stk || y + 3 > g->h)
		return;
	grid_text(g, ++y, 0, ST_HEAD, 0, l->what == LN_LOG ? "logged at" : "started at");
	tracepane_draw_stack(env, g, y + 1, g->h, stk);
}

/* Draw the longest items of the selected kind: duration, start, name. */
static int draw_longest(const struct tasks *p, const struct pane_env *env, struct grid *g, int y)
{
	const struct store *st = tasks_store(env);
	struct buf b = {0};
	if (!p->nlongest || y + 2 > g->h)
		return y;
	grid_text(g, y++, 0, ST_HEAD, 0, "longest: duration, start");
	for (uint32_t i = 0; i < p->nlongest && y < g->h; i++, y++) {
		const struct item *it = &p->list.item[p->longest[i]];
		const struct stats_task *t = p->list.regions ? NULL : &p->list.ts->task[it->i];
		uint32_t span = t ? t->span : p->list.ks->r[it->i].span;
		tracepane_draw_ns(g, y, 9, it->t1 - it->t0, 0);
		if (it->open)
			grid_text(g, y, 9, ST_WARN, 0, "+");
		tracepane_draw_time(g, y, 20, it->t0);
		buf_reset(&b);
		if (t)
			buf_printf(&b, "task %llu  ", (unsigned long long)t->id);
		if (span != UINT32_MAX && store_span(st, span)->s.trk)
			tracepane_put_track(st, store_span(st, span)->s.trk, &b);
		tracepane_draw_text(env, g, y, 22, g->w - 22, ST_NORMAL, &b);
	}
	buf_free(&b);
	return y + 1;
}

void tasks_draw_side(const void *st, const struct pane_env *env, struct grid *g)
{
	static const char *const name[SPREAD__N] = {"p50", "p90", "p95", "p99", "max"};
	const struct tasks *p = st;
	const struct kind *k = kind_now(p);
	const struct item *it = item_now(p);
	if (p->operations.shown) {
		tasks_operations_draw_side(p, g);
		return;
	}
	if (p->level == L_ONE) {
		side_one(p, env, g);
		return;
	}
	if (!k)
		return;
	int h = g->h > 50 ? 20 : g->h > 30 ? 12 : 8, y = h + 1;
	draw_bars(p, g, 0, h);
	for (int i = 0; i < SPREAD__N; i++, y++) {
		grid_text(g, y, 2, ST_NORMAL, 0, name[i]);
		tracepane_draw_ns(g, y, 16, k->spread.at[i], 0);
	}
	y++;
	if (p->level == L_LIST && p->list.regions && it) {
		grid_text(g, y, 0, ST_HEAD, 0, "where its time went");
		struct goroutine_times s;
		stats_of_region(&p->list.ks->r[it->i], &s);
		y = tracepane_draw_accounts(tasks_store(env), g, y + 1, g->h, &s) + 1;
	}
	if (p->level == L_KINDS)
		y = draw_longest(p, env, g, y);
	stk_id stk = p->level != L_LIST || !it
			 ? 0
			 : store_span(tasks_store(env),
			       p->list.regions ? p->list.ks->r[it->i].span : p->list.ts->task[it->i].span)
			       ->s.stack;
	if (!stk || y + 3 > g->h)
		return;
	grid_text(g, y++, 0, ST_HEAD, 0, "started at");
	tracepane_draw_stack(env, g, y, g->h, stk);
}

void tasks_draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct tasks *p = st;
	int foot = tasks_footer_height(p, env);
	if (p->operations.shown) {
		tasks_operations_draw(p, env, g);
		return;
	}
	if (p->level == L_ONE) {
		draw_one(p, env, g);
		return;
	}
	if (!p->rows[p->level].n) {
		tracepane_draw_empty(g, 1, why_empty(p, env));
		return;
	}
	struct rect old = grid_clip(g, (struct rect){0, 0, g->h - foot, g->w});
	if (p->level == L_KINDS)
		draw_kinds(p, env, g);
	else
		draw_list(p, env, g);
	grid_unclip(g, old);
	struct goroutine_times room;
	const struct goroutine_times *s = foot ? region_accounts(p, &room) : NULL;
	if (s) {
		grid_text(g, g->h - foot + 1, 1, ST_HEAD, 0, "where its time went");
		tracepane_draw_accounts(tasks_store(env), g, g->h - foot + 2, g->h, s);
	} else if (foot) {
		draw_bars(p, g, g->h - foot + 1, foot - 1);
	}
}
