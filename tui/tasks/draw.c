/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The lists, with the histogram or the times of the selected region below them where there is no side part; and the
 * page of a task or operation, whose lines have their position in it as a bar. A strip of states uses the bins of the
 * timeline, which are exact for any length.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/text/text.h"
#include "term/style.h"

/* ---- page */

struct tasks_page_drawing { const struct tasks *p; const struct pane_env *env; int64_t t0, length; };

/* Draw where a line is in the time of the page. */
static void draw_position(
    const struct tasks_page_drawing *d, struct grid *g, int y, int x, int bar, const struct task_line *l)
{
	int a = (int)((double)(l->t0 - d->t0) / (double)d->length * (bar - 1));
	int w = (int)((double)(l->t1 - d->t0) / (double)d->length * (bar - 1)) - a + 1;
	if (l->what == LN_TASK || l->what == LN_OPERATION)
		grid_bar(g, y, x + a, w, 1, ST_ACCENT);
	else if (l->what == LN_REST)
		return;
	else if (l->what == LN_REGION || l->what == LN_STATE)
		tracepane_draw_states(d->env, g, y, x + a, w, l->trk, l->t0, l->t1);
	else
		grid_put(g, y, x + a, '|', ST_ACCENT, ST_NORMAL, 0);
}

static void draw_line(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct tasks_page_drawing *d = arg;
	const struct tasks *p = d->p;
	const struct task_line *l = &p->page.line[i];
	struct buf b = {0};
	int half = (g->w - 36) / 2, bar = half < 6 ? 6 : half > 50 ? 50 : half, x = g->w - bar - 1;
	bool lasts = l->what != LN_BEGIN && l->what != LN_LOG && l->what != LN_END;
	buf_putc(&b, '+');
	text_ns(&b, l->t0 - d->t0);
	grid_right(g, y, 10, ST_DIM, 0, l->what == LN_REST ? "in all" : buf_str(&b));
	buf_reset(&b);
	if (l->trk)
		tracepane_put_id(tasks_store(d->env), l->trk, &b);
	tracepane_draw_text(d->env, g, y, 12, 6, ST_NORMAL, &b);
	buf_reset(&b);
	tasks_put_line(p, tasks_store(d->env), l, &b);
	tracepane_draw_text(d->env, g, y, 19, x - 29, l->what == LN_LOG ? ST_ACCENT : ST_NORMAL, &b);
	buf_free(&b);
	if (lasts)
		tracepane_draw_ns(g, y, x - 1, l->what == LN_REST ? l->ns : l->t1 - l->t0, 0);
	if (d->length > 0 && bar)
		draw_position(d, g, y, x, bar, l);
}

/* Append "task 822  report  330ms at 0.798714s  child of task 3  2 children". */
static void put_page_title(const struct tasks *p, const struct store *st, struct buf *b)
{
	const struct stats_task *t = tasks_find_id(&p->list, (uint64_t)p->id);
	uint32_t i = t ? OPERATION_NONE : tasks_find_operation(&p->list, (uint64_t)p->id);
	const struct operations *o = p->list.ops;
	int64_t t0, t1;
	tasks_page_bounds(p, &t0, &t1);
	buf_printf(b, "%s #%llu  ", t ? "task" : "operation", (unsigned long long)p->id);
	if (t)
		tracepane_put_str(st, t->name, "(no name)", b);
	else
		text_safe(b, o->kind[operations_kind_of(o, i)].name, o->kind[operations_kind_of(o, i)].nname);
	if (t0 != TIME_NONE && t1 != TIME_NONE)
		buf_puts(b, "  "), text_ns(b, t1 - t0);
	else
		buf_puts(b, t0 == TIME_NONE ? "  started before the trace" : "  does not end in the trace");
	if (t0 != TIME_NONE)
		buf_puts(b, " at "), text_at(b, t0, 100000);
	if (!t && !operations_get(o, i).complete)
		buf_puts(b, "  not complete in the trace");
	if (t && t->parent && t->parent != UINT64_MAX)
		buf_printf(b, "  child of task #%llu", (unsigned long long)t->parent);
	uint32_t parent = t ? OPERATION_NONE : operations_parent(o, i);
	if (parent != OPERATION_NONE)
		buf_printf(b, "  child of #%llu", (unsigned long long)operations_get(o, parent).id);
	if (p->page.nchild)
		buf_printf(b, "  %u child%s", p->page.nchild, p->page.nchild == 1 ? "" : "ren");
}

static void put_page_states(const struct tasks *p, struct buf *b)
{
	if (p->page.whole > 0)
		buf_puts(b, "its goroutines: "), tracepane_put_shares(p->page.state_ns, p->page.whole, b);
	else
		buf_puts(b, "no goroutine is known to have worked for it: no regions, and it does not end in the trace");
}

/* Return the time from the start of a page to the end of its last line. */
static int64_t page_length(const struct tasks *p, int64_t t0)
{
	int64_t length = 0;
	for (uint32_t k = 0; k < p->page.nline; k++)
		length = p->page.line[k].t1 - t0 > length ? p->page.line[k].t1 - t0 : length;
	return length;
}

static void draw_one(const struct tasks *p, const struct pane_env *env, struct grid *g)
{
	struct tasks_page_drawing d = {.p = p, .env = env};
	struct buf b = {0};
	int64_t end;
	if (!tasks_page_bounds(p, &d.t0, &end) || !p->page.nline) {
		tracepane_draw_empty(
		    g, 1, async_job(&p->paging) ? "The page is being made." : "This operation has not been read yet.");
		return;
	}
	d.t0 = d.t0 == TIME_NONE ? p->page.line[0].t0 : d.t0;
	d.length = page_length(p, d.t0);
	put_page_title(p, tasks_store(env), &b);
	tracepane_draw_text(env, g, 0, 1, g->w - 1, ST_TITLE, &b);
	buf_reset(&b);
	put_page_states(p, &b);
	tracepane_draw_text(env, g, 1, 1, g->w - 1, ST_NORMAL, &b);
	buf_free(&b);
	if (p->page.trk)
		tracepane_draw_states(env, g, 2, 1, g->w - 2, p->page.trk, d.t0, d.t0 + d.length);
	struct rect old = grid_clip(g, (struct rect){3, 0, g->h - 3, g->w});
	list_draw_rows(&p->lines, g, draw_line, &d,
	    &(struct list_options){false, list_hits_marks(&p->line_hits, &p->lines, env->find.rx)});
	grid_unclip(g, old);
}

/* ---- lists */

static const char *why_empty(const struct tasks *p, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	if (async_job(&p->work))
		return tasks_current_target(p).regions ? "Counting regions." : "Counting operations.";
	if (p->level == L_LIST && async_job(&p->items.order))
		return "Putting them in order.";
	if (!sn->complete)
		return p->list.regions ? "No regions have been read yet."
			: "No tasks have been read yet. Other operations need the whole trace.";
	if (sn->trace.log)
		return tracepane_log_notice;
	if (env->grep.rx)
		return "No row matches: & and Enter shows all rows.";
	if (p->brush.limits || p->whole)
		return "None has such a duration or is of that kind.\nEsc shows all.";
	if (tracepane_is_filtered(&p->list.scope) || p->list.scope.part)
		return "Nothing passes the filters.\nR removes all filters, u the last one.";
	return p->list.regions ? "The trace has no regions.\n\n"
			    "    defer trace.StartRegion(ctx, \"parse\").End()\n\n"
			    "of the package runtime/trace marks a part of a goroutine with a name.\n[ ] shows operations."
			  : "The trace has no operations: no tasks, no requests of known servers, no loops, and no\n"
			    "goroutine that runs code of the program.\n\n"
			    "    ctx, task := trace.NewTask(ctx, \"checkout\")\n    defer task.End()\n\n"
			    "of the package runtime/trace gives a name to an operation that may use many\n"
			    "goroutines; regions and log messages with that ctx belong to it.  [ ] shows regions.";
}

/* Return the times of the selected region, shown below the list, or NULL. */
static const struct goroutine_times *region_accounts(const struct tasks *p, struct goroutine_times *room)
{
	struct item now;
	const struct item *it =
	    p->level == L_LIST && p->list.regions && p->accounts && !p->brush.bars.on ? tasks_item_now(p, &now) : NULL;
	if (it)
		stats_of_region(&p->list.ks->r[it->i], room);
	return it ? room : NULL;
}

/* Return the lines of the histogram: of the list of kinds, also those that the list leaves. */
int tasks_footer_height(const struct tasks *p, const struct pane_env *env)
{
	if (p->level == L_ONE || !env->detail || env->side_shown || env->rows < 16)
		return 0;
	int left = env->rows - 2 - (p->nbackground ? 1 : 0) - (int)(p->kinds.rows.n < 1000 ? p->kinds.rows.n : 1000);
	if (p->level == L_KINDS && left > env->rows / 3)
		return left;
	struct goroutine_times room;
	const struct goroutine_times *s = region_accounts(p, &room);
	int foot = env->rows / 3, need = s ? tracepane_accounts_height(s) + 2 : 0, most = env->rows - 5;
	return need > foot ? need < most ? need : most : foot;
}

int tasks_table_height(const struct tasks *p, const struct pane_env *env)
{
	int h = env->rows - 1 - tasks_footer_height(p, env) - (p->level == L_KINDS && p->nbackground ? 1 : 0);
	return h > 0 ? h : 0;
}

/* Draw the line of what is left out below the kinds. */
static void draw_background(const struct tasks *p, const struct pane_env *env, struct grid *g)
{
	int h = tasks_table_height(p, env), y = 1 + (p->kinds.rows.n < (uint32_t)h ? (int)p->kinds.rows.n : h);
	struct buf b = {0};
	buf_puts(&b, "background: ");
	text_count(&b, p->nbackground);
	buf_printf(&b, " goroutine%s that live%s all of the trace", text_s(p->nbackground), p->nbackground == 1 ? "s" : "");
	int x = grid_textn(g, y, 1, ST_DIM, 0, b.p, b.n);
	grid_text(g, y, x + 2, ST_KEY, 0, "Tab");
	grid_text(g, y, x + 6, ST_DIM, 0, p->nbackground == 1 ? "shows it" : "shows them");
	buf_free(&b);
}

int tasks_draw_longest(const struct tasks *p, const struct pane_env *env, struct grid *g, int y, const struct kind *k)
{
	enum { STRIP_AT = 34 };
	const struct store *st = tasks_store(env);
	struct buf b = {0};
	if (!k || !p->nlongest || y + 2 > g->h)
		return y;
	grid_text(g, y++, 1, ST_HEAD, 0, p->list.regions ? "longest    START" : "slowest    START     OPERATION  ACTIVITY");
	for (uint32_t i = 0; i < p->nlongest && y < g->h; i++, y++) {
		const struct item now = tasks_unpack(&p->list, k, &p->list.item[p->longest[i]]), *it = &now;
		struct item_facts f = tasks_item_facts(&p->list, st, it);
		tracepane_draw_ns(g, y, 9, it->t1 - it->t0, 0);
		if (it->open)
			grid_text(g, y, 9, ST_WARN, 0, "+");
		tracepane_draw_time(g, y, 20, it->t0);
		buf_reset(&b);
		if (!p->list.regions) {
			buf_printf(&b, "#%llu", (unsigned long long)f.id);
			grid_right(g, y, STRIP_AT - 3, ST_NORMAL, 0, buf_str(&b));
			tracepane_draw_states(env, g, y, STRIP_AT - 1, g->w - STRIP_AT, f.trk, it->t0, it->t1);
		} else if (f.trk) {
			tracepane_put_track(st, f.trk, &b);
			tracepane_draw_text(env, g, y, 22, g->w - 22, ST_NORMAL, &b);
		}
	}
	buf_free(&b);
	return y;
}

void tasks_draw_bars(const struct tasks *p, struct grid *g, int y, int h)
{
	if (p->brush.bars.all)
		brush_draw(&p->brush, g, y, h);
}

enum { BARS_MOST = 10 };	/* lines of a histogram below which the slowest are listed */

void tasks_draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct tasks *p = st;
	const struct pane_table *t = p->level == L_KINDS ? &p->kinds : &p->items;
	int foot = tasks_footer_height(p, env);
	if (p->level == L_ONE) {
		draw_one(p, env, g);
		return;
	}
	if (!t->rows.n) {
		tracepane_draw_empty(g, 1, why_empty(p, env));
		return;
	}
	pane_table_draw(t, p, env, g, 0, tasks_table_height(p, env), p->brush.bars.on);
	if (p->level == L_KINDS && p->nbackground)
		draw_background(p, env, g);
	struct goroutine_times room;
	const struct goroutine_times *s = foot ? region_accounts(p, &room) : NULL;
	if (s) {
		grid_text(g, g->h - foot + 1, 1, ST_HEAD, 0, "where its time went");
		tracepane_draw_accounts(tasks_store(env), g, g->h - foot + 2, g->h, s);
	} else if (foot) {
		int bars = foot - 1 < BARS_MOST ? foot - 1 : BARS_MOST;
		tasks_draw_bars(p, g, g->h - foot + 1, bars);
		if (p->level == L_KINDS)
			tasks_draw_longest(p, env, g, g->h - foot + 2 + bars, tasks_kind_now(p));
	}
}
