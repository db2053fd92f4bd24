/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The table of groups or of the goroutines of a group, with as many columns as fit, the wait
 * statistics of the selection below or beside it, and the lines above and below the pane. A frame
 * only reads visible rows: sums over all groups are computed when the groups are made.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/text/text.h"
#include "term/style.h"

#include <string.h>

/* Return an upper bound of the first column: the number of goroutines, or for the list the number of the newest
   goroutine. */
static uint64_t most_first(const struct goroutines_state *p)
{
	const struct snap *sn = p->scope.sn;
	if (!sn || sn->ntrks < 2)
		return 0;
	return p->level == GL_GROUPS ? sn->ntrks : store_trk(sn->st, sn->ntrks - 1)->id;
}

/* Columns on the right are left out if there is no room: list_layout_columns(). */
int goroutines_list_columns(const struct goroutines_state *p, struct goroutines_column c[GOR_COLS])
{
	enum { NAMES = 30 };	/* cells of the name that take precedence over the columns of single kinds of waits */
	static const struct goroutines_column all[] = {
		{{"RUN", 7, true, 0, 0, 0, NULL}, GV_RUN}, {{"RUNNABLE", 8, true, 0, 0, 0, NULL}, GV_READY},
		{{"SYSCALL", 7, true, 0, 0, 0, NULL}, GV_SYSCALL}, {{"BLOCKED", 7, true, 0, 0, 0, NULL}, GV_BLOCKED},
		{{"SHARE", 8, false, 0, 0, 0, NULL}, GV_RUN}, {{"TOTAL", 7, true, 0, 0, 0, NULL}, GV_TOTAL},
		{{"CHAN", 7, true, 0, NAMES, 0, NULL}, GV_CHAN}, {{"MUTEX", 7, true, 0, NAMES, 0, NULL}, GV_SYNC},
		{{"NET", 7, true, 0, NAMES, 0, NULL}, GV_NET}, {{"SLEEP", 7, true, 0, NAMES, 0, NULL}, GV_SLEEP},
		{{"GC", 7, true, 0, NAMES, 0, NULL}, GV_GC},
	};
	bool groups = p->level == GL_GROUPS;
	int n = 0, first = tracepane_count_width(most_first(p)),
	    least = groups ? (int)sizeof "COUNT" : 0; /* with the sort arrow */
	c[n++] = (struct goroutines_column){
	    {groups ? "COUNT" : "G", first > least ? first : least, true, 0, 0, 0, NULL}, SORT_N};
	if (!groups)
		c[n++] = (struct goroutines_column){{"START", 9, true, 0, 0, 0, NULL}, SORT_NAME};
	for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) {
		bool share = !all[i].c.right, total = all[i].val == GV_TOTAL;
		if (share && !groups)
			continue;
		c[n] = all[i];
		c[n++].c.leave = total && groups ? NAMES : all[i].c.leave;
	}
	c[n++] = (struct goroutines_column){{groups ? group_key_heading(p->by)
		: p->by != GROUP_KEY_FUNCTION ? "START FUNCTION, LAST STATE, CREATED BY" : "STATE, CREATED BY",
		0, false, 0, 0, 0, NULL}, groups ? SORT_NAME : SORT__N};
	for (int i = 0; i < n; i++) {
		const char *what;
		if (!strcmp(c[i].c.head, "SHARE"))
			continue;
		c[i].c.word = goroutines_sort_word(p, c[i].val, &what);
		if (c[i].val == p->sort[p->level])
			c[i].c.sort =
			    (c[i].val >= SORT_NAME || (!groups && c[i].val == SORT_N)) == p->invert[p->level] ? -1 : 1;
	}
	return n;
}

struct rows_drawing {
	const struct goroutines_state *p;
	const struct pane_env *env;
	struct goroutines_column c[GOR_COLS];
	int n, x[GOR_COLS], w[GOR_COLS];
};

static void draw_last(const struct rows_drawing *d, struct grid *g, int y, int x, int w, const struct goroutines_row *r)
{
	const struct snap *sn = session_snap(d->env->s);
	const struct trk_row *t = store_trk(sn->st, r->trk);
	struct buf b = {0};
	struct trace_interval v;
	if (d->p->by != GROUP_KEY_FUNCTION) {
		tracepane_put_str(sn->st, t->name, "(no start function)", &b);
		buf_puts(&b, "  ");
	}
	if (t->to_t1 && store_t1(sn->st, t) <= d->p->scope.t1)
		buf_puts(&b, "ended");
	else if (trace_interval_at(sn, r->trk, d->p->scope.t1 - 1, &v))
		buf_puts(&b, style_state_name(v.state));
	if (t->creator) {
		buf_puts(&b, "  by ");
		tracepane_put_track(sn->st, t->creator, &b);
	}
	tracepane_draw_text(d->env, g, y, x, w, ST_NORMAL, &b);
	buf_free(&b);
}

static void draw_cell(const struct rows_drawing *d, struct grid *g, int k, const struct goroutines_row *r)
{
	int w = d->w[k], val = d->c[k].val;
	if (k == d->n - 1 && r->trk)
		draw_last(d, g, 0, 0, w, r);
	else if (k == d->n - 1)
		tracepane_draw_symbol(d->env, g, 0, 0, w, ST_NORMAL, r->name, "(no start function)");
	else if (val < GV__N && !d->c[k].c.right)
		grid_bar(g, 0, 0, w, d->p->most > 0 ? (double)r->v[val] / (double)d->p->most : 0, ST_HEAT);
	else if (val < GV__N)
		tracepane_draw_ns(g, 0, w, r->v[val], d->c[k].c.sort ? AT_BOLD : 0);
	else if (val == SORT_NAME)
		tracepane_draw_time(g, 0, w, r->t0);
	else
		tracepane_draw_count(
		    g, 0, w, r->trk ? (int64_t)store_trk(session_snap(d->env->s)->st, r->trk)->id : r->n);
}

static void draw_row(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct rows_drawing *d = arg;
	struct goroutines_row room;
	const struct goroutines_row *r = goroutines_row(d->p, d->p->level, i, &room);
	if (goroutines_is_tagged(d->p, r))
		grid_put(g, y, 0, '+', ST_ACCENT, ST_NORMAL, AT_BOLD);
	for (int k = 0; k < d->n; k++) {
		if (d->x[k] < 0)
			continue;
		struct rect old = grid_clip(g, (struct rect){y, d->x[k], 1, d->w[k]});
		draw_cell(d, g, k, r);
		grid_unclip(g, old);
	}
}

int goroutines_footer_height(const struct pane_env *env)
{
	return env->detail && !env->side_shown && env->rows >= 18 ? 7 : 0;
}

void goroutines_draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct goroutines_state *p = st;
	struct rows_drawing d = {.p = p, .env = env};
	if (p->level == GL_ONE) {
		goroutines_page_draw(p, env, g);
		return;
	}
	if (!p->rows[p->level].n) {
		tracepane_draw_empty(g, 1,
		    !p->gs					    ? "Counting goroutines."
		    : !session_snap(env->s)->complete && !p->gs->ng ? "No goroutines have been read yet."
		    : session_snap(env->s)->trace.log && !p->gs->ng ? tracepane_log_notice
		    : env->grep.rx				    ? "No row matches: & and Enter shows all rows."
		    : p->scope.part || p->scope.f.g
			? "No goroutine passes the filters.\nR removes all filters, u the last one."
			: "The trace has no goroutines: it is truncated before the first of them, "
			  "or\n"
			  "tracing was stopped immediately. ^G shows what was read.");
		return;
	}
	struct list_column c[GOR_COLS];
	int foot = goroutines_footer_height(env), h = g->h - 1 - foot;
	d.n = goroutines_list_columns(p, d.c);
	for (int i = 0; i < d.n; i++)
		c[i] = d.c[i].c;
	int bar = p->rows[p->level].n > (uint32_t)h;
	list_layout_columns(c, d.n, env->choose - 1 - bar, g->w - 1 - bar, d.x, d.w);
	struct rect old = grid_clip(g, (struct rect){0, 1, 1, g->w - 1});
	list_draw_header(g, 0, c, d.n, d.x, d.w);
	grid_unclip(g, old);
	old = grid_clip(g, (struct rect){1, 0, h, g->w});
	list_draw_rows(
	    &p->rows[p->level], g, draw_row, &d, &(struct list_options){false, env->find.rx ? p->hits.at : NULL});
	grid_unclip(g, old);
	if (foot) {
		old = grid_clip(g, (struct rect){g->h - foot + 1, 1, foot - 1, g->w - 1});
		goroutines_draw_waits(p, env, g);
		grid_unclip(g, old);
	}
}

void goroutines_draw_side(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct goroutines_state *p = st;
	if (p->level == GL_ONE)
		goroutines_page_draw_side(p, env, g);
	else
		goroutines_draw_waits(p, env, g);
}

/* ---- the lines above and below */

void goroutines_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct goroutines_state *p = st;
	if (async_job(&p->work))
		tracepane_put_progress(async_job(&p->work), "counting", b);
	if (!p->gs)
		return;
	goroutines_wait_progress(p, b);
	if (p->level == GL_ONE) {
		goroutines_page_summary(p, env, b);
		return;
	}
	if (p->level == GL_LIST) {
		buf_puts(b, "Gor > ");
		tracepane_put_str(session_snap(env->s)->st, p->open, "(no start function)", b);
		buf_puts(b, "   ");
		text_count(b, p->rows[GL_LIST].n);
		buf_puts(b, p->rows[GL_LIST].n == 1 ? " goroutine   " : " goroutines   ");
	} else {
		text_count(b, p->gs->ng);
		buf_printf(b, " goroutine%s in ", text_s(p->gs->ng));
		text_count(b, p->ngroup);
		buf_printf(b, " group%s, by %s | ", text_s(p->ngroup),
		    p->by == GROUP_KEY_FUNCTION ? "start function" : group_key_name(p->by));
	}
	if (p->level != GL_ONE && p->tags[p->level].n)
		buf_printf(b, "%zu tagged | ", p->tags[p->level].n);
	tracepane_put_scope(&p->scope, b);
	if (env->find.rx && async_job(&p->search) && p->level != GL_ONE)
		buf_printf(b, " | /%s searching", env->find.text);
	else if (env->find.rx && p->hits.at)
		buf_printf(b, " | /%s %u match%s", env->find.text, p->hits.n, text_es(p->hits.n));
}

/* Return the share of the group in the running time of all goroutines in the window. */
static double share_of(const struct goroutines_state *p, const struct goroutines_row *r)
{
	return p->ran > 0 ? 100.0 * (double)r->v[GV_RUN] / (double)p->ran : 0;
}

void goroutines_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct goroutines_state *p = st;
	struct goroutines_row room;
	const struct goroutines_row *r = goroutines_selected_row(p, &room);
	const struct store *s = session_snap(env->s)->st;
	if (p->level == GL_ONE) {
		goroutines_page_detail(p, env, b);
		return;
	}
	if (!r)
		return;
	if (r->trk)
		tracepane_put_track(s, r->trk, b);
	else
		tracepane_put_str(s, r->name, "(no start function)", b);
	if (!r->trk)
		buf_printf(b, ": %u ended, %u alive, %.2f%% of the running time", p->story.ended, r->n - p->story.ended,
		    share_of(p, r));
	if (p->story.created) {
		buf_puts(b, "  created at ");
		tracepane_put_site(s, p->story.created, b);
	}
}
