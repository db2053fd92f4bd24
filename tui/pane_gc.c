/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Garbage collection: the cycles or, by [ and ], the stops of the world; below,
 * how much of the processors is left to the program in the worst window of each
 * length (minimum mutator utilisation), and where the worst windows are.
 *
 * Cycles come from analysis/cycles.c, utilisation from analysis/mmu.c, as the
 * reports have them. The curve is PLOT numbers, made when the trace has been
 * read, when the query has another range of time, or when another part of the
 * collector's work is to count, never while drawing: a million steps of it take
 * a second. The worst windows are of the length that is chosen on the curve.
 */
#include "config.h"
#include "tracepane.h"

#include "analysis/cycles.h"
#include "analysis/mmu.h"
#include "base/text.h"
#include "store/spans.h"

#include <stdlib.h>
#include <string.h>

enum { WORST = 10, PLOT = MMU_PLOT };
enum gc_part { PART_TABLE, PART_CURVE, PART_WORST, PART__N };

static const unsigned includes[] = {	/* what e goes through */
	MMU_STW | MMU_BACKGROUND | MMU_ASSIST, MMU_STW | MMU_BACKGROUND | MMU_ASSIST | MMU_SWEEP, MMU_STW,
	MMU_STW | MMU_ASSIST, MMU_BACKGROUND, MMU_ASSIST, MMU_SWEEP,
};
static const struct { const char *word; unsigned flag; } kinds[] = {
	{"stw", MMU_STW}, {"background", MMU_BACKGROUND}, {"assist", MMU_ASSIST}, {"sweep", MMU_SWEEP},
};
static const struct { const char *words, *rest; double q; } pcts[] = {
	{"min", "", 0}, {"p99.9", "0.1", 0.001}, {"p99", "1", 0.01}, {"p95", "5", 0.05},
};
enum { INCLUDES = sizeof includes / sizeof *includes, KINDS = 4, PCTS = 4 };

struct gc {
	struct arena mem, curve;
	struct tp_scope scope;
	struct gc_cycle *cycle;
	uint32_t ncycle;
	uint32_t *row[2];		/* cycles, stops of the window: indexes of cycle[], of spans */
	struct rows rows[2], worst_rows;
	bool stops;			/* the table shows stops of the world */
	enum gc_part part;
	unsigned include;
	int pct;
	bool per_proc;
	struct histo stw;
	int64_t mark, assist, stopped;	/* totals of the window */
	bool plotted;
	int64_t plot0, plot1;		/* of which time */
	const struct mmu *mmu;
	double util[PLOT];
	int64_t window[PLOT];
	int at;				/* of window[]: how long the worst windows are */
	struct mmu_window worst[WORST];
};

/* ---- making */

static void find_worst(struct gc *p)
{
	rows_set(&p->worst_rows, mmu_worst(p->mmu, p->window[p->at], WORST, p->worst));
}

static void plot(struct gc *p, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	p->plotted = false;
	rows_set(&p->worst_rows, 0);
	if (!sn->complete || !sn->nutils)
		return;
	arena_reset(&p->curve);
	p->mmu = mmu_new(sn, p->include | MMU_EXACT | (p->per_proc ? MMU_PER_PROC : 0), &p->curve);
	if (p->scope.part)
		p->mmu = mmu_cut(p->mmu, p->scope.t0, p->scope.t1, &p->curve);
	p->plot0 = p->scope.t0;
	p->plot1 = p->scope.t1;
	if (!p->mmu->n)
		return;
	int64_t was = p->window[p->at] ? p->window[p->at] : 10 * 1000 * 1000;
	mmu_plot(p->mmu, p->window);
	p->at = 0;
	for (int i = 0; i < PLOT; i++) {
		p->util[i] = p->pct ? mmu_quantile(p->mmu, p->window[i], pcts[p->pct].q) : mmu_min(p->mmu, p->window[i]);
		p->at = p->window[i] <= was ? i : p->at;
	}
	find_worst(p);
	p->plotted = true;
}

static void update(void *st, const struct pane_env *env)
{
	struct gc *p = st;
	const struct snap *sn = session_snap(env->s);
	uint32_t n = 0;
	arena_reset(&p->mem);
	memset(&p->stw, 0, sizeof p->stw);
	tp_scope(env, &p->mem, &p->scope);
	p->cycle = gc_cycles(sn, &p->mem, &p->ncycle);
	p->row[0] = arena_alloc(&p->mem, (p->ncycle + 1u) * sizeof **p->row);
	p->mark = p->assist = p->stopped = 0;
	for (uint32_t i = 0; i < p->ncycle; i++)
		if (p->cycle[i].t1 >= p->scope.t0 && p->cycle[i].t0 < p->scope.t1) {
			p->row[0][n++] = i;
			p->mark += p->cycle[i].t1 - p->cycle[i].t0;
			p->assist += p->cycle[i].assist;
		}
	rows_set(&p->rows[0], n);
	n = 0;
	size_t cap = 0;
	uint32_t *stw = NULL;
	for (uint32_t i = 0; (i = spans_next(sn, i, 1u << SP_STW, p->scope.t0, p->scope.t1)) != UINT32_MAX; i++) {
		int64_t a, b;
		span_bounds(sn, &store_span(sn->st, i)->s, &a, &b);
		stw = mem_grow(stw, &cap, n + 1u, sizeof *stw);
		stw[n++] = i;
		histo_add(&p->stw, b - a);
		p->stopped += b - a;
	}
	p->row[1] = arena_alloc(&p->mem, (n + 1u) * sizeof **p->row);
	if (n)
		memcpy(p->row[1], stw, n * sizeof *stw);
	mem_free(stw);
	rows_set(&p->rows[1], n);
	if (!p->plotted || p->plot0 != p->scope.t0 || p->plot1 != p->scope.t1)
		plot(p, env);
}

static void begin(void *st, const struct pane_env *env)
{
	struct gc *p = st;
	(void)env;
	p->include = includes[0];
}

static void close_gc(void *st)
{
	struct gc *p = st;
	arena_free(&p->mem);
	arena_free(&p->curve);
}

/* ---- drawing */

struct drawing { const struct gc *p; const struct pane_env *env; int x[12], w[12]; };

static const struct rows_col cycle_cols[] = {
	{"GC", 5, true, 0}, {"START", 9, true, 0}, {"MARK", 7, true, 0}, {"STW", 7, true, 0}, {"ASSIST", 7, true, 0},
	{"ASSISTS", 7, true, 0}, {"HEAP", 6, true, 0}, {"AFTER", 6, true, 0}, {"GOAL", 6, true, 0}, {"SWEEP", 7, true, 0},
};
enum { CYCLE_COLS = 10 };

static void draw_count(const struct snap *sn, struct grid *g, int y, int x1, enum counter c, int64_t t)
{
	uint32_t i = count_find(sn, c, t);
	if (i == UINT32_MAX)
		grid_right(g, y, x1, ST_DIM, 0, "-");
	else
		tp_bytes(g, y, x1, store_count(sn->st, c, i)->v);
}

static void draw_cycle(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct drawing *d = arg;
	const struct snap *sn = session_snap(d->env->s);
	const struct gc_cycle *c = &d->p->cycle[d->p->row[0][i]];
	int64_t stw = (c->stw_before > 0 ? c->stw_before : 0) + (c->stw_after > 0 ? c->stw_after : 0);
	for (int k = 0; k < CYCLE_COLS; k++) {
		int x1 = d->x[k] + d->w[k];
		if (d->x[k] < 0)
			continue;
		switch (k) {
		case 0: grid_printf(g, y, x1 - 5, ST_NORMAL, 0, "%5u", c->number); break;
		case 1: tp_at(g, y, x1, c->t0); break;
		case 2: tp_ns(g, y, x1, c->t1 - c->t0, 0); break;
		case 3: tp_ns(g, y, x1, stw, 0); break;
		case 4: tp_ns(g, y, x1, c->assist, 0); break;
		case 5: tp_count(g, y, x1, c->nassist); break;
		case 6: draw_count(sn, g, y, x1, CT_HEAP_LIVE, c->t0); break;
		case 7:
			if (!c->open)
				draw_count(sn, g, y, x1, CT_HEAP_LIVE, c->t1);
			break;
		case 8: draw_count(sn, g, y, x1, CT_HEAP_GOAL, c->t0); break;
		case 9: tp_ns(g, y, x1, c->sweep, 0); break;
		default: break;
		}
	}
}

static void stop_name(const struct store *st, const struct sink_span *s, struct buf *b)
{
	tp_str(st, s->name, "stop the world", b);
}

static void draw_stop(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct drawing *d = arg;
	const struct snap *sn = session_snap(d->env->s);
	const struct sink_span *s = &store_span(sn->st, d->p->row[1][i])->s;
	struct buf b = {0};
	int64_t t0, t1;
	span_bounds(sn, s, &t0, &t1);
	tp_at(g, y, 10, t0);
	tp_ns(g, y, 18, t1 - t0, 0);
	stop_name(sn->st, s, &b);
	tp_text(d->env, g, y, 20, 40, ST_NORMAL, &b);
	buf_reset(&b);
	if (s->trk) {
		buf_puts(&b, "by ");
		tp_who(sn->st, s->trk, &b);
	}
	tp_text(d->env, g, y, 60, g->w - 60, ST_NORMAL, &b);
	buf_free(&b);
}

/* The utilisation of a column of the curve: the worst of the windows it stands for. */
static double util_at(const struct gc *p, int x, int w)
{
	int a = x * PLOT / w, b = (x + 1) * PLOT / w;
	double u = p->util[a];
	for (int i = a + 1; i < b && i < PLOT; i++)
		u = p->util[i] < u ? p->util[i] : u;
	return u;
}

static void draw_curve(const struct gc *p, struct grid *g, int y, int h)
{
	int w = g->w - 8 > 140 ? 140 : g->w - 8;
	if (h < 2 || w < 10)
		return;
	for (int r = 0; r < h; r++) {
		if (r % (h > 8 ? 4 : 2) == 0)
			grid_printf(g, y + r, 1, ST_DIM, 0, "%3d%%", 100 - 100 * r / h);
		grid_put(g, y + r, 5, 0x2502, ST_RULE, ST_NORMAL, 0);
		for (int x = 0; x < w; x++) {
			double level = util_at(p, x, w) * h - (h - 1 - r);
			if (level > 0)
				grid_level(g, y + r, 6 + x, level > 1 ? 1 : level, ST_S_RUN, ST_NORMAL);
		}
	}
	if (p->part == PART_CURVE) {
		int x = p->at * w / PLOT;
		for (int r = 0; r < h; r++)
			grid_back(g, (struct rect){y + r, 6 + x, 1, 1}, ST_CURSOR);
		grid_put(g, y + h, 6 + x, '^', ST_CURSOR, ST_NORMAL, AT_BOLD);
	}
	int last = -20;
	for (int x = 0; x < w && p->part != PART_CURVE; x++) {
		int64_t a = p->window[x * PLOT / w], b = x ? p->window[(x - 1) * PLOT / w] : 0;
		if (x && tp_decade(a, false) == tp_decade(b, false))
			continue;
		if (x - last < 8 || x + 12 > w)
			continue;
		struct buf s = {0};
		text_ns(&s, x ? tp_decade(a, false) : a);
		grid_text(g, y + h, 6 + x, ST_DIM, 0, buf_str(&s));
		buf_free(&s);
		last = x;
	}
	grid_right(g, y + h, g->w - 1 < 8 + w ? g->w - 1 : 8 + w, ST_DIM, 0, "window");
}

static void draw_worst(const struct gc *p, const struct pane_env *env, struct grid *g, int y)
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
		if (sel)
			grid_select(g, (struct rect){y, x, 1, to + 1 - x});
		x = to + 2;
	}
	buf_free(&b);
}

static int curve_of(const struct pane_env *env)
{
	return env->rows < 14 ? 0 : env->rows >= 40 ? 20 : 6;
}
static int table_h(const struct gc *p, const struct pane_env *env)
{
	int c = curve_of(env);
	(void)p;
	return env->rows - 1 - (c ? c + 5 : 0);
}

static void draw_below(const struct gc *p, const struct pane_env *env, struct grid *g, int y)
{
	int h = curve_of(env);
	if (!h)
		return;
	int hx = grid_printf(g, y, 1, ST_HEAD, 0, "MMU %s", p->per_proc ? "of each P (V)" : "of all Ps (V)") + 2;
	for (int i = 0; i < KINDS; i++)
		hx = grid_printf(g, y, hx, p->include & kinds[i].flag ? ST_NORMAL : ST_DIM, 0, "[%c]%s",
		    p->include & kinds[i].flag ? 'x' : ' ', kinds[i].word) + 1;
	hx = grid_printf(g, y, hx, ST_NORMAL, 0, "(e)  %s (%%)", pcts[p->pct].words) + 2;
	if (p->scope.part)
		grid_text(g, y, hx, ST_ACCENT, 0, "of the range alone");
	if (!p->plotted) {
		tp_empty(g, y + 1, session_snap(env->s)->complete ? "The trace says nothing of what the collector takes."
								   : "The curve comes when all of the trace has been read.");
		return;
	}
	draw_curve(p, g, y + 1, h);
	draw_worst(p, env, g, y + h + 2);
	struct buf b = {0};
	buf_printf(&b, "%u stops", p->rows[1].n);
	static const struct { const char *name; double q; } q[] = {{"p50", 0.5}, {"p99", 0.99}, {"max", 1}};
	for (int k = 0; k < 3 && p->stw.n; k++) {
		buf_printf(&b, "  %s ", q[k].name);
		text_ns(&b, histo_quantile(&p->stw, q[k].q));
	}
	int x = grid_text(g, y + h + 3, 1, ST_NORMAL, 0, buf_str(&b));
	if (p->stw.n)
		tp_hist(g, y + h + 3, x + 2, 30, &p->stw, tp_decade(p->stw.min, false), tp_decade(p->stw.max, true), ST_STWLINE);
	buf_free(&b);
}

static void draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct gc *p = st;
	struct drawing d = {.p = p, .env = env};
	const struct rows *rows = &p->rows[p->stops];
	int h = table_h(p, env);
	bool bar = rows->n > (uint32_t)h;
	if (!p->stops) {
		rows_layout(cycle_cols, CYCLE_COLS, g->w - 1 - bar, d.x, d.w);
		struct rect old = grid_clip(g, (struct rect){0, 1, 1, g->w - 1});
		rows_head(g, 0, cycle_cols, CYCLE_COLS, d.x, d.w);
		grid_unclip(g, old);
	} else {
		grid_text(g, 0, 1, ST_HEAD, 0, "     START      FOR  WHY");
		grid_text(g, 0, 61, ST_HEAD, 0, "WHO");
	}
	if (!rows->n)
		tp_empty(g, 1, !session_snap(env->s)->complete ? "Nothing of the kind has been read yet."
			: p->scope.part ? "The collector did nothing in this window: :t alone shows the whole trace."
			: p->stops ? "The world was never stopped while this was traced."
			: "The collector did not run while this was traced: a longer trace, or a heap that grows, has cycles.");
	struct rect old = grid_clip(g, (struct rect){1, 0, h, g->w});
	rows_draw(rows, g, p->stops ? draw_stop : draw_cycle, &d, &(struct rows_look){p->part != PART_TABLE, NULL});
	grid_unclip(g, old);
	draw_below(p, env, g, h + 1);
}

/* ---- who assists */

struct helper { uint32_t key; int64_t ns; uint32_t n; };	/* a goroutine, or a stack */

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

/* The assists of a cycle by goroutine, or by the program's own frame that allocated; most first. */
static uint32_t helpers(const struct snap *sn, const struct gc_cycle *c, bool stacks, struct helper *h, uint32_t room)
{
	uint32_t n = 0, m = 0;
	for (uint32_t i = 0; n < room && (i = spans_next(sn, i, 1u << SP_ASSIST, c->t0, c->t1)) != UINT32_MAX; i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		int64_t a, b;
		span_bounds(sn, s, &a, &b);
		stk_id own = tp_own(sn->st, s->stack);
		h[n++] = (struct helper){stacks ? own ? store_stk(sn->st, own)->frame : 0 : s->trk, b - a, 1};
	}
	if (n)
		qsort(h, n, sizeof *h, key_cmp);
	for (uint32_t i = 0; i < n; i++) {
		if (m && h[m - 1].key == h[i].key) {
			h[m - 1].ns += h[i].ns;
			h[m - 1].n++;
		} else {
			h[m++] = h[i];
		}
	}
	if (m)
		qsort(h, m, sizeof *h, helper_cmp);
	return m;
}

static int draw_helpers(const struct pane_env *env, struct grid *g, int y, int h, const struct gc_cycle *c, bool stacks)
{
	const struct snap *sn = session_snap(env->s);
	uint32_t room = c->nassist + 16;
	struct helper *v = arena_alloc(env->scratch, room * sizeof *v);
	uint32_t n = helpers(sn, c, stacks, v, room);
	for (uint32_t i = 0; i < n && y < h; i++, y++) {
		struct buf t = {0};
		tp_ns(g, y, 9, v[i].ns, 0);
		tp_count(g, y, 15, v[i].n);
		if (stacks && v[i].key)
			tp_frame(sn->st, v[i].key, &t, true);
		else if (!stacks)
			tp_who(sn->st, v[i].key, &t);
		tp_text(env, g, y, 16, g->w - 16, ST_NORMAL, &t);
		buf_free(&t);
	}
	return y + 1;
}

static void side(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct gc *p = st;
	const struct snap *sn = session_snap(env->s);
	int y = 0;
	if (p->stops && p->rows[1].n) {
		grid_text(g, y++, 0, ST_HEAD, 0, "where it was stopped");
		tp_stack(env, g, y, g->h, store_span(sn->st, p->row[1][p->rows[1].sel])->s.stack);
		return;
	}
	if (!p->rows[0].n)
		return;
	const struct gc_cycle *c = &p->cycle[p->row[0][p->rows[0].sel]];
	grid_printf(g, y++, 0, ST_HEAD, 0, "who assisted in cycle %u: time, times", c->number);
	if (c->nassist) {
		y = draw_helpers(env, g, y, y + (g->h - y) / 3, c, false);
		grid_text(g, y++, 0, ST_HEAD, 0, "where they allocated");
		y = draw_helpers(env, g, y, y + (g->h - y) / 2, c, true);
	} else {
		grid_text(g, y++, 2, ST_DIM, 0, "nobody had to assist");
	}
	grid_text(g, ++y, 0, ST_HEAD, 0, "begun by");
	tp_stack(env, g, y + 1, g->h, store_span(sn->st, c->span)->s.stack);
}

/* ---- acting */

static bool selected(const struct gc *p, const struct pane_env *env, struct place *to)
{
	const struct snap *sn = session_snap(env->s);
	const struct rows *rows = &p->rows[p->stops];
	if (p->part != PART_TABLE && p->worst_rows.n) {	/* on the curve: the one that its point tells of */
		to->t0 = p->worst[p->part == PART_WORST ? p->worst_rows.sel : 0].t0;
		to->t1 = to->t0 + p->window[p->at];
		return true;
	}
	if (!rows->n)
		return false;
	const struct sink_span *s = &store_span(sn->st,
	    p->stops ? p->row[1][rows->sel] : p->cycle[p->row[0][rows->sel]].span)->s;
	span_bounds(sn, s, &to->t0, &to->t1);
	if (p->stops)
		to->trk = s->trk;
	tp_place(sn->st, s->stack, to);
	return true;
}

static enum verdict include_cmd(struct gc *p, const struct pane_env *env, const char *arg, struct ask *out)
{
	unsigned flags = 0;
	for (const char *s = arg ? arg : "stw,background,assist"; *s;) {
		size_t n = strcspn(s, ", ");
		int i = 0;
		while (i < KINDS && (strlen(kinds[i].word) != n || strncmp(kinds[i].word, s, n)))
			i++;
		if (i == KINDS)
			return tp_message(out, "include takes stw, background, assist and sweep, with commas between");
		flags |= kinds[i].flag;
		s += n + strspn(s + n, ", ");
	}
	p->include = flags;
	plot(p, env);
	return V_DONE;
}

/* The flame graph of the assists, of the cycle that is selected. */
static enum verdict assists(const struct gc *p, const struct pane_env *env, struct ask *out)
{
	if (!p->rows[0].n)
		return tp_message(out, "there is no cycle whose assists could be shown");
	out->kind = ASK_QUERY;
	out->pane = "flame";
	out->query = *session_query(env->s);
	out->query.type = TW_ASSIST;
	out->query.suspended = false;
	if (!p->stops && p->part == PART_TABLE) {
		const struct gc_cycle *c = &p->cycle[p->row[0][p->rows[0].sel]];
		if (!c->nassist)
			return tp_message(out, "nobody had to assist in this cycle: another one, or Tab and 4 for all of them");
		out->query.from = c->t0;
		out->query.to = c->t1;
	}
	return V_ASK;
}

static enum verdict act(void *st, const struct pane_env *env, const struct act *a, struct ask *out)
{
	struct gc *p = st;
	struct act as = *a;
	bool worst = p->part == PART_WORST;
	if (p->part == PART_CURVE && (a->cmd == CMD_LEFT || a->cmd == CMD_RIGHT)) {
		int at = p->at + (a->cmd == CMD_LEFT ? -act_n(a) : act_n(a));
		p->at = at < 0 ? 0 : at >= PLOT ? PLOT - 1 : at;
		find_worst(p);
		return V_DONE;
	}
	if (worst && (a->cmd == CMD_LEFT || a->cmd == CMD_RIGHT))
		as.cmd = a->cmd == CMD_LEFT ? CMD_UP : CMD_DOWN;
	if (rows_act(worst ? &p->worst_rows : &p->rows[p->stops], &as, worst ? 1 : table_h(p, env))) {
		if (p->part == PART_CURVE)	/* who moves in the table is in it */
			p->part = PART_TABLE;
		return V_DONE;
	}
	switch ((int)a->cmd) {
	case CMD_PREV_KIND:
	case CMD_NEXT_KIND: p->stops = !p->stops; return V_DONE;
	case CMD_NEXT_PART:
	case CMD_PREV_PART:
		p->part = p->plotted ? (p->part + (a->cmd == CMD_NEXT_PART ? 1u : PART__N - 1u)) % PART__N : PART_TABLE;
		return V_DONE;
	case CMD_COLUMNS: {
		unsigned i = 0;
		while (i < INCLUDES && includes[i] != p->include)
			i++;
		p->include = includes[(i + 1) % INCLUDES];
		plot(p, env);
		return V_DONE;
	}
	case CMD_INCLUDE: return include_cmd(p, env, a->arg, out);
	case CMD_PANE_FLAME: return a->arg ? V_PASS : assists(p, env, out);
	case CMD_PERCENT:
		p->pct = (p->pct + 1) % PCTS;
		plot(p, env);
		return V_DONE;
	case CMD_PER_PROC:
		p->per_proc = !p->per_proc;
		plot(p, env);
		return V_DONE;
	case CMD_OPEN:
		out->kind = ASK_PANE;
		out->pane = "timeline";
		return selected(p, env, &out->place) ? V_ASK : V_DONE;
	case CMD_FOCUS:
		if (a->arg || !selected(p, env, &out->place))
			return V_PASS;
		out->kind = ASK_QUERY;
		out->query = *session_query(env->s);
		out->query.from = out->place.t0;
		out->query.to = out->place.t1;
		return V_ASK;
	default: return V_PASS;
	}
}

static void place(const void *st, const struct pane_env *env, struct place *to)
{
	selected(st, env, to);
}

static void report(const void *st, const struct pane_env *env, struct pane_report *r)
{
	const struct gc *p = st;
	(void)env;
	r->name = p->stops ? "stw" : "gc";
}

static void save(const void *st, struct view *v)
{
	const struct gc *p = st;
	*v = (struct view){{p->stops, 0, 0, 0}, {p->rows[p->stops].sel, 0, 0, 0}};
}

static void load(void *st, const struct pane_env *env, const struct view *v)
{
	struct gc *p = st;
	(void)env;
	p->stops = v->zoom[0] != 0;
	rows_select(&p->rows[p->stops], (uint32_t)v->cursor[0]);
}

static void summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct gc *p = st;
	int64_t len = p->scope.t1 - p->scope.t0;
	(void)env;
	buf_printf(b, "%u cycle%s, marking %.1f%% of the time, assists ", p->rows[0].n, p->rows[0].n == 1 ? "" : "s",
	    len > 0 ? 100.0 * (double)p->mark / (double)len : 0.0);
	text_ns(b, p->assist);
	buf_printf(b, ", %u stop%s ", p->rows[1].n, p->rows[1].n == 1 ? "" : "s");
	text_ns(b, p->stopped);
	buf_puts(b, " | ");
	tp_scope_words(&p->scope, b);
}

static void detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct gc *p = st;
	const struct snap *sn = session_snap(env->s);
	struct place at = PLACE_NONE;
	if (p->part == PART_CURVE && p->plotted) {
		buf_puts(b, p->pct ? "of the windows of " : "in the worst window of ");
		text_ns(b, p->window[p->at]);
		buf_printf(b, p->pct ? " all but %s%% leave" : " the program has%s", p->pct ? pcts[p->pct].rest : "");
		buf_printf(b, " %.2f%% of the Ps", 100 * p->util[p->at]);
		return;
	}
	if (!selected(p, env, &at))
		return;
	if (p->part == PART_WORST) {
		buf_printf(b, "the program has %.1f%% of the Ps for ", 100 * p->worst[p->worst_rows.sel].util);
		text_ns(b, p->window[p->at]);
		buf_puts(b, " from ");
		text_at(b, at.t0, 1000);
	} else if (p->stops) {
		stop_name(sn->st, &store_span(sn->st, p->row[1][p->rows[1].sel])->s, b);
		buf_puts(b, "  ");
		tp_site(sn->st, at.stk, b);
	} else {
		const struct gc_cycle *c = &p->cycle[p->row[0][p->rows[0].sel]];
		buf_printf(b, "GC %u%s: stopped ", c->number, c->open ? ", not ended" : "");
		text_ns(b, c->stw_before < 0 ? 0 : c->stw_before);
		buf_puts(b, " before, ");
		text_ns(b, c->stw_after < 0 ? 0 : c->stw_after);
		buf_puts(b, " after the mark phase");
		if (at.stk)
			buf_puts(b, "; begun by "), tp_site(sn->st, at.stk, b);
	}
}

static void keys(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct gc *p = st;
	(void)env;
	buf_puts(b, p->part == PART_CURVE ? "h l window  Tab worst windows" : p->part == PART_WORST
		? "h l window  Enter timeline  f only then  Tab table" : p->stops ? "Enter timeline  [ ] cycles  Tab curve"
		: "Enter timeline  [ ] stops  Tab curve  4 assists");
	buf_puts(b, "  e what counts  % percentile  V per P");
	if (p->part == PART_TABLE)
		buf_puts(b, "  f only then");
}

static void click(void *st, const struct pane_env *env, int y, int x, bool twice, struct ask *ask)
{
	struct gc *p = st;
	uint32_t i = rows_at(&p->rows[p->stops], y - 1, table_h(p, env));
	(void)x;
	if (i == UINT32_MAX)
		return;
	p->part = PART_TABLE;
	rows_select(&p->rows[p->stops], i);
	if (twice)
		act(st, env, &(struct act){.cmd = CMD_OPEN}, ask);
}

static int topics(const void *st, const struct pane_env *env, enum topic *t)
{
	const struct gc *p = st;
	(void)env;
	t[0] = p->part == PART_WORST ? TOPIC_GC_MMU : p->stops ? TOPIC_GC_STOP : TOPIC_GC_CYCLE;
	t[1] = TOPIC_GC_MMU;
	return 2;
}

const struct pane_ops pane_gc = {
    .name = "gc", .tab = "GC", .bit = P_GC, .cmd = CMD_PANE_GC, .trace_only = true, .state_size = sizeof(struct gc),
    .open = begin, .close = close_gc, .update = update, .draw = draw, .act = act, .place = place, .topics = topics, .save = save, .load = load, .report = report,
    .summary = summary, .detail = detail, .keys = keys, .side = side, .click = click,
};
