/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The table in the upper part of the GC pane. It shows one of three lists: cycles (cycles.c),
 * stops, or sums of stops (gc/stops.c). This file has what the three share: columns, sorting,
 * drawing.
 *
 * A list is an array of indexes into the result of the analysis; sorting only changes that array.
 * Each list keeps its own order. The selection is kept by the identity of the row, so it survives
 * another order or snapshot. Directions are those of the reports: numbers, times and names
 * ascending, durations, counts and sizes descending.
 */
#include "config.h"
#include "gc/internal.h"

#include "calltree/weighted.h"

#include <string.h>

struct column { struct list_column c; const char *what; bool up; };	/* up: ascending unless inverted */

static const struct column cycle_cols[CYCLE_COLS] = {
    [CYCLE_NUMBER] = {{"GC", 5, true, 0, 0, 0, "number"}, "the number of the cycle", true},
    [CYCLE_START] = {{"START", 9, true, 0, 0, 0, "start"}, "when it started", true},
    [CYCLE_MARK] = {{"MARK", 7, true, 0, 0, 0, "mark"}, "duration of the mark phase", false},
    [CYCLE_STW] = {{"STW", 7, true, 0, 0, 0, "stw"}, "duration of its two stops", false},
    [CYCLE_ASSIST] = {{"ASSIST", 7, true, 0, 0, 0, "assist"}, "time of its mark assists", false},
    [CYCLE_ASSISTS] = {{"ASSISTS", 7, true, 0, 0, 0, "assists"}, "number of its mark assists", false},
    [CYCLE_HEAP] = {{"HEAP", 6, true, 0, 0, 0, "heap_before"}, "heap size at its start", false},
    [CYCLE_AFTER] = {{"AFTER", 6, true, 0, 0, 0, "heap_after"}, "heap size at the end of the mark phase", false},
    [CYCLE_GOAL] = {{"GOAL", 6, true, 0, 0, 0, "goal"}, "heap goal", false},
    [CYCLE_SWEEP] = {{"SWEEP", 7, true, 0, 0, 0, "sweep"}, "time spent sweeping for allocations", false},
}, stop_cols[STOP_COLS] = {
    [STOP_START] = {{"START", 10, true, 0, 0, 0, "start"}, "when it started", true},
    [STOP_DUR] = {{"DURATION", 9, true, 0, 0, 0, "duration"}, "how long it took, longest first", false},
    [STOP_WHY] = {{"WHY", 0, false, 0, 0, 0, "kind"}, "the reason", true},
    [STOP_WHO] = {{"GOROUTINE", 29, false, 0, 0, 40, "goroutine"}, "the goroutine that stopped the world", true},
}, sum_cols[SUM_COLS] = {
    [SUM_COUNT] = {{"COUNT", 7, true, 0, 0, 0, "count"}, "the number of stops", false},
    [SUM_TOTAL] = {{"TOTAL", 9, true, 0, 0, 0, "total"}, "the sum of their durations", false},
    [SUM_MAX] = {{"MAX", 9, true, 0, 0, 0, "max"}, "the longest stop", false},
    [SUM_MEAN] = {{"MEAN", 9, true, 0, 0, 0, "mean"}, "the total divided by the count", false},
    [SUM_NAME] = {{"WHY", 0, false, 0, 0, 0, "kind"}, "the reason, or the caller", true},
};

static const struct {
	const struct column *col;
	int n, first;	/* number of columns; the initial sort column */
	const char *report;
} lists[GC_LISTS] = {
    [GC_CYCLES] = {cycle_cols, CYCLE_COLS, CYCLE_NUMBER, "gc"},
    [GC_STOPS] = {stop_cols, STOP_COLS, STOP_START, "stw"},
    [GC_SUMS] = {sum_cols, SUM_COLS, SUM_TOTAL, "stw"},
};

enum gc_list gc_list(const struct gc_state *p)
{
	return !p->stops ? GC_CYCLES : p->stop.by != STOPS_SINGLE && !p->stop.open ? GC_SUMS : GC_STOPS;
}

void gc_table_begin(struct gc_state *p)
{
	for (int l = 0; l < GC_LISTS; l++)
		p->sort[l] = lists[l].first;
}

static int sign_of(const struct gc_state *p, enum gc_list l)
{
	return lists[l].col[p->sort[l]].up != p->invert[l] ? 1 : -1;
}

/* Get the columns of a list, with the sort column marked; return how many. */
static int columns(const struct gc_state *p, enum gc_list l, struct list_column *c)
{
	for (int i = 0; i < lists[l].n; i++)
		c[i] = lists[l].col[i].c;
	c[p->sort[l]].sort = (int8_t)sign_of(p, l);
	if (l == GC_SUMS) {
		c[SUM_NAME].word = stops_by_name[p->stop.by];
		c[SUM_NAME].head = p->stop.by == STOPS_CALLER ? "CALLER" : "WHY";
	}
	return lists[l].n;
}

/* ---- order */

struct by { const struct gc_state *p; const struct store *st; const struct gc_key *key; int col, sign; };

static int cmp_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int cmp_cycle(const void *ctx, uint32_t i, uint32_t k)
{
	const struct by *o = ctx;
	struct gc_key a = o->key[i], b = o->key[k];
	int c = a.none || b.none ? a.none - b.none : o->sign * cmp_i64(a.v, b.v);
	return c ? c : cmp_i64(i, k);
}

static int cmp_stop(const void *ctx, uint32_t i, uint32_t k)
{
	const struct by *o = ctx;
	int c = gc_stop_cmp(o->p, o->st, (enum gc_stop_col)o->col, o->sign, i, k);
	return c ? c : cmp_i64(i, k);
}

static int cmp_sum(const void *ctx, uint32_t i, uint32_t k)
{
	const struct by *o = ctx;
	int c = gc_sum_cmp(o->p, o->st, (enum gc_sum_col)o->col, o->sign, i, k);
	return c ? c : cmp_i64(i, k);
}

static int64_t identity(const struct gc_state *p, enum gc_list l, uint32_t row)
{
	uint32_t i = p->row[l != GC_CYCLES][row];
	return l == GC_CYCLES ? p->cycle[i].span : l == GC_STOPS ? p->stop.v[i].span : (int64_t)p->stop.group[i].key;
}

int64_t gc_selected(const struct gc_state *p, int stops)
{
	enum gc_list l = !stops ? GC_CYCLES : p->stop.by != STOPS_SINGLE && !p->stop.open ? GC_SUMS : GC_STOPS;
	return p->rows[stops].n ? identity(p, l, p->rows[stops].sel) : -1;
}

void gc_table_order(struct gc_state *p, const struct snap *sn, enum gc_list l, uint32_t n, int64_t select)
{
	struct rows *rows = &p->rows[l != GC_CYCLES];
	struct gc_key *key = NULL;
	if (l == GC_CYCLES) {
		key = xmalloc((p->ncycle + 1u) * sizeof *key);
		for (uint32_t i = 0; i < p->ncycle; i++)
			key[i] = gc_cycle_value(sn, &p->cycle[i], (enum gc_cycle_col)p->sort[l]);
	}
	struct by by = {p, sn->st, key, p->sort[l], sign_of(p, l)};
	calltree_sort_u32(p->row[l != GC_CYCLES], n,
	    l == GC_CYCLES  ? cmp_cycle
	    : l == GC_STOPS ? cmp_stop
			    : cmp_sum,
	    &by);
	mem_free(key);
	list_set_count(rows, n);
	for (uint32_t i = 0; i < n && select >= 0; i++)
		if (identity(p, l, i) == select)
			list_select(rows, i);
}

/* ---- commands */

static void relist(struct gc_state *p, const struct pane_env *env, int64_t select)
{
	const struct snap *sn = session_snap(env->s);
	if (p->stops)
		gc_stops_list(p, sn, select);
	else
		gc_cycles_list(p, sn, select);
}

/* Sort by another column and select the first row. */
static enum verdict sort_by(struct gc_state *p, const struct pane_env *env, int col)
{
	enum gc_list l = gc_list(p);
	p->sort[l] = col;
	p->invert[l] = false;
	relist(p, env, -1);
	list_select(&p->rows[p->stops], 0);
	return V_DONE;
}

static enum verdict sort_word(struct gc_state *p, const struct pane_env *env, const char *word, struct ask *out)
{
	struct list_column c[GC_COLS_MAX];
	int n = columns(p, gc_list(p), c);
	struct buf b = {0};
	for (int i = 0; i < n; i++) {
		if (!strcmp(c[i].word, word)) {
			buf_free(&b);
			return sort_by(p, env, i);
		}
		buf_printf(&b, " %s", c[i].word);
	}
	enum verdict v = pane_message(out, "sort by:%s", buf_str(&b));
	buf_free(&b);
	return v;
}

enum verdict gc_table_act(struct gc_state *p, const struct pane_env *env, const struct act *a, struct ask *out)
{
	enum gc_list l = gc_list(p);
	int n = lists[l].n;
	switch ((int)a->cmd) {
	case CMD_SORT:
		if (a->arg)
			return sort_word(p, env, a->arg, out);
		return sort_by(p, env, (p->sort[l] + 1) % n);
	case CMD_SORT_RIGHT: return sort_by(p, env, (p->sort[l] + 1) % n);
	case CMD_SORT_LEFT: return sort_by(p, env, (p->sort[l] + n - 1) % n);
	case CMD_INVERT:
		p->invert[l] = !p->invert[l];
		relist(p, env, gc_selected(p, p->stops));
		return V_DONE;
	default: return V_PASS;
	}
}

int gc_table_sorts(const struct gc_state *p, struct choice *out)
{
	struct list_column c[GC_COLS_MAX];
	enum gc_list l = gc_list(p);
	int n = columns(p, l, c);
	for (int i = 0; i < n; i++)
		pane_set_choice(&out[i], c[i].word, lists[l].col[i].what, c[i].sort != 0);
	return n;
}

void gc_table_report(const struct gc_state *p, const struct pane_env *env, struct pane_report *r)
{
	struct list_column c[GC_COLS_MAX];
	enum gc_list l = gc_list(p);
	int k = 0;
	columns(p, l, c);
	r->name = lists[l].report;
	if (p->sort[l] != lists[l].first || p->invert[l])
		r->options[k++] = arena_printf(env->scratch, "-sort=%s%s", p->invert[l] ? "-" : "", c[p->sort[l]].word);
	if (l != GC_CYCLES && p->stop.by != STOPS_SINGLE)
		r->options[k++] = arena_printf(env->scratch, "-by=%s", stops_by_name[p->stop.by]);
	if (l == GC_STOPS && p->stop.open) {
		struct buf b = {0};
		stops_name(session_snap(env->s)->st, p->stop.v[p->row[1][0]].span, p->stop.by, &b);
		r->options[k++] = arena_printf(env->scratch, "-name=%s", buf_str(&b));
		buf_free(&b);
	}
}

/* ---- drawing */

struct drawing { const struct gc_state *p; const struct pane_env *env; int n, x[GC_COLS_MAX], w[GC_COLS_MAX]; };

static void draw_cell(const struct drawing *d, struct grid *g, int k, uint32_t row)
{
	const struct gc_state *p = d->p;
	const struct stop *one = p->stops ? gc_stop_at(p, row) : NULL;
	const struct stop_group *sum = p->stops ? gc_stop_group_at(p, row) : NULL;
	if (one)
		gc_stop_cell(d->env, g, d->w[k], one, (enum gc_stop_col)k);
	else if (sum)
		gc_sum_cell(p, d->env, g, d->w[k], sum, (enum gc_sum_col)k);
	else
		gc_cycle_cell(session_snap(d->env->s), g, d->w[k], gc_cycle_at(p, row), (enum gc_cycle_col)k);
}

static void draw_row(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct drawing *d = arg;
	for (int k = 0; k < d->n; k++) {
		if (d->x[k] < 0)
			continue;
		struct rect old = grid_clip(g, (struct rect){y, d->x[k], 1, d->w[k]});
		draw_cell(d, g, k, i);
		grid_unclip(g, old);
	}
}

void gc_table_draw(const struct gc_state *p, const struct pane_env *env, struct grid *g, int h)
{
	struct drawing d = {.p = p, .env = env};
	struct list_column c[GC_COLS_MAX];
	const struct rows *rows = &p->rows[p->stops];
	bool bar = rows->n > (uint32_t)h;
	d.n = columns(p, gc_list(p), c);
	list_layout_columns(c, d.n, env->choose - 1 - bar, g->w - 1 - bar, d.x, d.w);
	struct rect old = grid_clip(g, (struct rect){0, 1, 1, g->w - 1});
	list_draw_header(g, 0, c, d.n, d.x, d.w);
	grid_unclip(g, old);
	old = grid_clip(g, (struct rect){1, 0, h, g->w});
	list_draw_rows(rows, g, draw_row, &d,
	    &(struct list_options){p->part != PART_TABLE, env->find.rx ? p->hit.at : NULL});
	grid_unclip(g, old);
}
