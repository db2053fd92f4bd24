/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The parts of the garbage collection pane below its table (app/pane_table.c): the utilisation curve,
 * with its worst windows if there is room, and in the side part the goroutines that assisted.
 *
 * The curve has PLOT points and as many columns as fit; a column shows the worst of its points, so
 * no dip is lost on a narrow screen. Assists are summed by sorting those of one cycle, when they
 * are drawn: no cycle has enough of them to cause a delay.
 */
#include "config.h"
#include "gc/internal.h"

#include "base/text/text.h"
#include "base/wrap_math.h"
#include "store/tracks/time_search.h"
#include "trace/user_code.h"

#include <stdlib.h>
#include <string.h>

/* Return the utilisation of a column of the curve: the worst of its windows. */
static double util_at(const struct gc_state *p, int x, int w)
{
	int a = x * PLOT / w, b = (x + 1) * PLOT / w;
	double u = p->util[a];
	for (int i = a + 1; i < b && i < PLOT; i++)
		u = p->util[i] < u ? p->util[i] : u;
	return u;
}

static void draw_curve(const struct gc_state *p, struct grid *g, int y, int h)
{
	int w = g->w - 8 > 140 ? 140 : g->w - 8;
	if (h < 2 || w < 10)
		return;
	int parts = h < 8 ? 2 : 4;	/* the labels are round numbers, each in the row at that level */
	for (int i = parts; i > 0; i--)
		grid_printf(g, y + h - (i * h + parts - 1) / parts, 1, ST_DIM, 0, "%3d%%", 100 * i / parts);
	for (int r = 0; r < h; r++) {
		grid_put(g, y + r, 5, 0x2502, ST_RULE, ST_NORMAL, 0);
		for (int x = 0; x < w; x++) {
			double level = util_at(p, x, w) * h - (h - 1 - r);
			if (level > 0)
				grid_level(g, y + r, 6 + x, level > 1 ? 1 : level, ST_HEAT, ST_NORMAL);
		}
	}
	if (p->part == PART_CURVE) {
		int x = p->at * w / PLOT;
		grid_focus(g, y + h, 6 + x);
		for (int r = 0; r < h; r++)
			grid_back(g, (struct rect){y + r, 6 + x, 1, 1}, ST_CURSOR);
		grid_put(g, y + h, 6 + x, '^', ST_CURSOR, ST_NORMAL, AT_BOLD);
	}
	int last = -20;
	for (int x = 0; x < w && p->part != PART_CURVE; x++) {
		int64_t a = p->window[x * PLOT / w], b = x ? p->window[(x - 1) * PLOT / w] : 0;
		if (x && tracepane_round_decade(a, false) == tracepane_round_decade(b, false))
			continue;
		if (x - last < 8 || x + 12 > w)
			continue;
		struct buf s = {0};
		text_ns(&s, x ? tracepane_round_decade(a, false) : a);
		grid_text(g, y + h, 6 + x, ST_DIM, 0, buf_str(&s));
		buf_free(&s);
		last = x;
	}
	grid_right(g, y + h, g->w - 1 < 8 + w ? g->w - 1 : 8 + w, ST_DIM, 0, "window");
}

static void draw_worst(const struct gc_state *p, const struct pane_env *env, struct grid *g, int y)
{
	struct buf b = {0};
	(void)env;
	text_ns(&b, p->window[p->at]);
	int x = grid_printf(g, y, 1, ST_HEAD, 0, "worst %s windows:", buf_str(&b)) + 1;
	for (uint32_t i = 0; i < p->worst_rows.n; i++) {
		buf_reset(&b);
		text_at(&b, p->worst[i].t0, 100000);
		if (p->per_proc)
			buf_printf(&b, " P%u", p->worst[i].proc);
		buf_printf(&b, " %.0f%%", 100 * p->worst[i].util);
		if (x + (int)b.n + 2 > g->w)
			break;
		bool sel = i == p->worst_rows.sel && p->part == PART_WORST;
		int to = grid_text(g, y, x + 1, ST_NORMAL, 0, buf_str(&b));
		if (sel) {
			grid_select(g, (struct rect){y, x, 1, to + 1 - x});
			grid_focus(g, y, x);
		}
		x = to + 2;
	}
	buf_free(&b);
}

/* Return the lines of the curve: those that the longer of the two tables leaves, so that switching tables does not
   change it. */
static int curve_of(const struct gc_state *p, const struct pane_env *env)
{
	enum { AROUND = 6, MOST = 30 };	/* lines of the table heading and around the curve */
	uint32_t cycles = p->table[GC_CYCLES].rows.n, stops = p->table[gc_stops_list(p)].rows.n,
		 rows = cycles > stops ? cycles : stops;
	int least = env->rows >= 40 ? 20 : 6, free = env->rows - AROUND - (rows < 3 ? 3 : rows > 1000 ? 1000 : (int)rows);
	return env->rows < 14 ? 0 : free < least ? least : free > MOST ? MOST : free;
}

int gc_table_height(const struct gc_state *p, const struct pane_env *env)
{
	int c = curve_of(p, env);
	return env->rows - 1 - (c ? c + 5 : 0);
}

static void draw_below(const struct gc_state *p, const struct pane_env *env, struct grid *g, int y)
{
	int h = curve_of(p, env);
	if (!h)
		return;
	int hx = grid_printf(g, y, 1, ST_HEAD, 0, "MMU %s", p->per_proc ? "of each P (V)" : "of all Ps (V)") + 2;
	for (int i = 0; i < GC_KINDS; i++)
		hx = grid_printf(g, y, hx, p->include & gc_kinds[i].flag ? ST_NORMAL : ST_DIM, 0, "[%c]%s",
		    p->include & gc_kinds[i].flag ? 'x' : ' ', gc_kinds[i].word) + 1;
	hx = grid_printf(g, y, hx, ST_NORMAL, 0, "(e)  %s (%%)", gc_pcts[p->pct].words) + 2;
	if (p->scope.part)
		hx = grid_text(g, y, hx, ST_ACCENT, 0, "of the range only") + 2;
	if (gc_curve_pending(p))
		grid_text(g, y, hx, ST_WARN, 0, "counting");
	if (!p->plotted) {
		tracepane_draw_empty(g, y + 1, gc_curve_pending(p) ? ""
			: session_snap(env->s)->complete ? "The trace has no data on GC work."
			: "The curve appears when the whole trace has been read.");
		return;
	}
	draw_curve(p, g, y + 1, h);
	draw_worst(p, env, g, y + h + 2);
	struct buf b = {0};
	buf_printf(&b, "%u stop%s", p->stop.n, text_s(p->stop.n));
	static const struct { const char *name; enum stats_spread_at q; } q[] = {
	    {"p50", SPREAD_P50}, {"p99", SPREAD_P99}, {"max", SPREAD_MAX}};
	for (int k = 0; k < 3 && p->stw.n; k++) {
		buf_printf(&b, "  %s ", q[k].name);
		text_ns(&b, p->stw_spread.at[q[k].q]);
	}
	int x = grid_text(g, y + h + 3, 1, ST_NORMAL, 0, buf_str(&b));
	if (p->stw.n)
		tracepane_draw_histogram(g, y + h + 3, x + 2, 30, &p->stw, tracepane_round_decade(p->stw.min, false),
		    tracepane_round_decade(p->stw.max, true), ST_HEAT);
	buf_free(&b);
}

/* Return whether the whole trace has no cycle. Then the program had nearly all of the Ps at any time, and the curve would be
   a full block. */
static bool is_without_cycles(const struct gc_state *p, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	return sn->complete && !p->table[GC_CYCLES].rows.n && !p->stops && p->part == PART_TABLE && !env->grep.rx &&
	       !p->scope.f.g && !p->scope.part;
}

static void draw_without_cycles(const struct gc_state *p, const struct pane_env *env, struct grid *g)
{
	const struct snap *sn = session_snap(env->s);
	struct buf b = {0};
	buf_puts(&b, "No GC cycle in ");
	text_ns(&b, sn->t1 - sn->t0);
	buf_puts(&b, ".");
	grid_text(g, 1, 2, ST_NORMAL, 0, buf_str(&b));
	buf_reset(&b);
	if (p->stop.n) {
		buf_printf(&b, "%u other stop%s of the world took ", p->stop.n, text_s(p->stop.n));
		text_ns(&b, p->stopped);
		buf_printf(&b, ": ] lists %s.", p->stop.n == 1 ? "it" : "them");
		grid_text(g, 2, 2, ST_NORMAL, 0, buf_str(&b));
	}
	buf_free(&b);
}

void gc_draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct gc_state *p = st;
	const struct pane_table *t = &p->table[gc_list(p)];
	int h = gc_table_height(p, env);
	if (is_without_cycles(p, env)) {
		draw_without_cycles(p, env, g);
		return;
	}
	pane_table_draw(t, p, env, g, 0, h, p->part != PART_TABLE);
	if (!t->rows.n)
		tracepane_draw_empty(g, 1, !session_snap(env->s)->complete ? "Nothing has been read yet."
			: env->grep.rx ? "No row matches: & and Enter shows all rows."
			: p->scope.f.g || p->scope.f.focus ? "Nothing passes the filters.\n"
					 "R removes all filters, u the last one."
			: p->scope.part ? "No GC cycle in this range: :t without argument shows the whole trace."
			: p->stops ? "The world was not stopped in this trace."
			: "No GC cycle in this trace: a longer trace, or a program that allocates more, has "
			  "cycles.");
	draw_below(p, env, g, h + 1);
}

/* ---- assists */

struct helper { uint32_t key; int64_t ns; uint32_t n; };	/* by goroutine or by stack */

static int helper_cmp(const void *a, const void *b)
{
	const struct helper *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static int key_cmp(const void *a, const void *b)
{
	uint32_t x = ((const struct helper *)a)->key, y = ((const struct helper *)b)->key;
	return x < y ? -1 : x > y;
}

/* Sum the assists of a cycle by goroutine, or by the frame of the program that allocated; most first. */
static uint32_t count_helpers(const struct snap *sn, const struct trace_filter *f, const struct gc_cycle *c,
    bool stacks, struct helper *h, uint32_t room)
{
	uint32_t n = 0, m = 0;
	for (uint32_t i = 0;
	     n < room && (i = time_search_next_span(sn, i, 1u << SP_ASSIST, c->t0, c->t1)) != UINT32_MAX; i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		int64_t a, b;
		time_search_span_bounds(sn, s, &a, &b);
		int64_t ns = trace_filter_overlap(f, s->trk, a, b);
		if (!ns)
			continue;
		stk_id own = user_code_site(sn->st, s->stack);
		h[n++] = (struct helper){stacks ? own ? stk_frame(sn->st, own) : 0 : s->trk, ns, 1};
	}
	if (n)
		qsort(h, n, sizeof *h, key_cmp);
	for (uint32_t i = 0; i < n; i++) {
		if (m && h[m - 1].key == h[i].key) {
			wrap_add_to(&h[m - 1].ns, h[i].ns);
			h[m - 1].n++;
		} else {
			h[m++] = h[i];
		}
	}
	if (m)
		qsort(h, m, sizeof *h, helper_cmp);
	return m;
}

static int draw_helpers(const struct gc_state *p, const struct pane_env *env, struct grid *g, int y, int h,
    const struct gc_cycle *c, bool stacks)
{
	const struct snap *sn = session_snap(env->s);
	uint32_t room = c->nassist + 16;
	struct helper *v = arena_alloc(env->scratch, room * sizeof *v);
	uint32_t n = count_helpers(sn, &p->scope.f, c, stacks, v, room);
	for (uint32_t i = 0; i < n && y < h; i++, y++) {
		struct buf t = {0};
		tracepane_draw_ns(g, y, 9, v[i].ns, 0);
		tracepane_draw_count(g, y, 15, v[i].n);
		if (stacks && v[i].key)
			tracepane_put_frame(sn->st, v[i].key, &t, true);
		else if (!stacks)
			tracepane_put_track(sn->st, v[i].key, &t);
		tracepane_draw_text(env, g, y, 16, g->w - 16, ST_NORMAL, &t);
		buf_free(&t);
	}
	return y + 1;
}

void gc_draw_side(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct gc_state *p = st;
	const struct snap *sn = session_snap(env->s);
	int y = 0;
	const struct stop_group *group = p->stops ? gc_selected_group(p) : NULL;
	const struct stop *one = group ? &p->stop.v[group->longest] : p->stops ? gc_selected_stop(p) : NULL;
	if (one) {
		grid_text(g, y++, 0, ST_HEAD, 0, group ? "stack of the longest stop" : "where it was stopped");
		tracepane_draw_stack(env, g, y, g->h, store_span(sn->st, one->span)->s.stack);
		return;
	}
	const struct gc_cycle *c = gc_selected_cycle(p);
	if (!c)
		return;
	grid_printf(g, y++, 0, ST_HEAD, 0, "mark assists in cycle %u: time, count", c->number);
	if (c->nassist) {
		y = draw_helpers(p, env, g, y, y + (g->h - y) / 3, c, false);
		grid_text(g, y++, 0, ST_HEAD, 0, "where they allocated");
		y = draw_helpers(p, env, g, y, y + (g->h - y) / 2, c, true);
	} else {
		grid_text(g, y++, 2, ST_DIM, 0, "no mark assists");
	}
	grid_text(g, ++y, 0, ST_HEAD, 0, "started by");
	tracepane_draw_stack(env, g, y + 1, g->h, store_span(sn->st, c->span)->s.stack);
}
