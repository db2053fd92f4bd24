/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The columns of the two tables: of kinds, and of the items of a kind. Which ones there are depends on what is listed:
 * regions have their times by state, operations the time by class of their goroutines, for the classes of which there
 * is time. So a table keeps its sort column as a cell (TC_*), and finds it again when its columns are made anew.
 *
 * Items sort by keys, since there may be millions of them, which a worker puts in order: rows.c stops it before what
 * item_key() reads changes. The classes of an item are 0 until they are known.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/radix_sort.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "term/style.h"
#include "widget/strip.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum tasks_cell {
	TC_NAME, TC_COUNT, TC_RATE, TC_P50, TC_P95, TC_P99, TC_MAX, TC_TOTAL, TC_HISTOGRAM, TC_SHARES, TC_SOURCE, TC_ALLOC, TC_ALLOC_RATE,
	TC_ID, TC_START, TC_DURATION, TC_RUN, TC_READY, TC_SYSCALL, TC_BLOCKED, TC_BAR, TC_STATES, TC_TRACK,
	TC_CLASS			/* plus a time class */
};
#define TC__N ((int)TC_CLASS + (int)TIME_CLASS__N)

/* A column, and of which listings: of operations (OPERATIONS), of regions (REGIONS). */
enum { OPERATIONS = 1, REGIONS = 2, ALL = 3 };
struct cell_column { enum tasks_cell cell; int of; struct pane_table_column c; };

static const struct cell_column of_kinds[] = {
	{TC_NAME, OPERATIONS, {"OPERATION", 24, LIST_NAME_WANT, LIST_TEXT, LIST_KEPT, 1, "name", "name", true}},
	{TC_NAME, REGIONS, {"REGION", 24, LIST_NAME_WANT, LIST_TEXT, LIST_KEPT, 1, "name", "name", true}},
	{TC_COUNT, ALL, {"COUNT", 6, 0, LIST_NUMBER, LIST_FIRST, 0, "count", "number of them", false}},
	{TC_P50, ALL, {"p50", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "p50", "50 percent take this or less", false}},
	{TC_P95, REGIONS, {"p95", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "p95", "95 percent take this or less", false}},
	{TC_P99, ALL, {"p99", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "p99", "99 percent take this or less", false}},
	{TC_TOTAL, OPERATIONS, {"TOTAL", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "total", "sum of their durations", false}},
	{TC_SHARES, OPERATIONS, {"CLASSES", 16, 40, LIST_PICTURE, LIST_FIRST, 1, NULL, NULL, false}},
	{TC_MAX, ALL, {"MAX", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "max", "longest", false}},
	{TC_RATE, OPERATIONS, {"RATE", 7, 0, LIST_NUMBER, LIST_FIRST, 0, NULL, NULL, false}},
	{TC_HISTOGRAM, REGIONS, {"", 18, 0, LIST_PICTURE, LIST_THEN, 1, NULL, NULL, false}},
	{TC_SOURCE, OPERATIONS, {"FOUND BY", 9, 0, LIST_TEXT, LIST_LAST, 0, "source", "how they were found", true}},
};
/* After the classes. */
static const struct cell_column of_kinds_last[] = {
	{TC_ALLOC, OPERATIONS, {"ALLOC", 8, 0, LIST_NUMBER, LIST_LAST, 0, "alloc", "bytes allocated, from the sizes of the heap", false}},
	{TC_ALLOC_RATE, OPERATIONS, {"ALLOC/s", 8, 0, LIST_NUMBER, LIST_LAST, 0, "alloc-rate", "bytes allocated per second of the time range", false}},
};
static const struct cell_column of_items[] = {
	{TC_ID, OPERATIONS, {"OPERATION", 9, 0, LIST_NUMBER, LIST_FIRST, 0, "id", "its number", true}},
	{TC_ID, REGIONS, {"TASK", 8, 0, LIST_NUMBER, LIST_FIRST, 0, "task", "number of the task", true}},
	{TC_START, ALL, {"START", 9, 0, LIST_NUMBER, LIST_FIRST, 0, "start", "time of the start", true}},
	{TC_DURATION, ALL, {"DURATION", 9, 0, LIST_NUMBER, LIST_FIRST, 0, "duration", "duration", false}},
	{TC_RUN, REGIONS, {"RUN", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "run", "executing code", false}},
	{TC_READY, REGIONS, {"RUNNABLE", 8, 0, LIST_NUMBER, LIST_FIRST, 0, "runnable", "ready to run, waiting for a P", false}},
	{TC_SYSCALL, REGIONS, {"SYSCALL", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "syscall", "in system calls", false}},
	{TC_BLOCKED, REGIONS, {"BLOCKED", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "blocked", "waiting for anything but a P", false}},
	{TC_BAR, REGIONS, {"", 8, 0, LIST_PICTURE, LIST_THEN, 0, NULL, NULL, false}},
	{TC_STATES, OPERATIONS, {"ACTIVITY", 24, 64, LIST_PICTURE, LIST_FIRST, 1, NULL, NULL, false}},
	{TC_STATES, REGIONS, {"ACTIVITY", 16, 0, LIST_PICTURE, LIST_THEN, 1, NULL, NULL, false}},
	{TC_TRACK, ALL, {"GOROUTINE", 16, LIST_NAME_WANT, LIST_TEXT, LIST_KEPT, 1, NULL, NULL, false}},
};

/* ---- values */

static const struct kind *kind_of(const struct tasks *p, uint32_t i) { return &p->list.kind[i]; }

/* Return the time by class of a kind, or NULL. */
static const int64_t *kind_classes(const struct tasks *p, const struct kind *k)
{
	return k->of == OPERATION_NONE ? NULL : p->list.ops->kind[k->of].class_ns;
}

/* Return the share of a class in the time of a kind; 0 if none of its time is known. */
static double class_share(const struct tasks *p, const struct kind *k, enum time_class c)
{
	const int64_t *ns = kind_classes(p, k);
	int64_t all = 0;
	for (int i = 0; ns && i < TIME_CLASS__N; i++)
		wrap_add_to(&all, ns[i]);
	return all > 0 ? (double)ns[c] / (double)all : 0;
}

/* Return the bytes that a kind allocated, or that per second of the time range. */
static int64_t alloc_of(const struct tasks *p, const struct kind *k, int what)
{
	double seconds = (double)(p->list.scope.t1 - p->list.scope.t0) / 1e9;
	int64_t bytes = k->of == OPERATION_NONE || !p->list.alloc ? 0 : p->list.alloc[k->of];
	return what == TC_ALLOC ? bytes : seconds > 0 ? (int64_t)((double)bytes / seconds) : 0;
}

static enum operation_source source_of(const struct tasks *p, const struct kind *k)
{
	return k->of == OPERATION_NONE ? OPERATION_TASK : p->list.ops->kind[k->of].source;
}

static int64_t quantile_of(const struct kind *k, int what)
{
	return what == TC_P50 ? k->spread.at[SPREAD_P50] : what == TC_P95 ? k->spread.at[SPREAD_P95]
	    : what == TC_P99 ? k->spread.at[SPREAD_P99] : k->spread.at[SPREAD_MAX];
}

int64_t tasks_class_ns(const struct tasks *p, const struct item *it, enum time_class c)
{
	const struct kind *k = &p->list.kind[it->kind];
	if (!p->classes.t || p->classes.key != tasks_kind_key(k) || it->op == OPERATION_NONE)
		return 0;
	return class_table_get(p->classes.t, it->op - p->list.ops->kind[k->of].first, c);
}

static int64_t blocked_ns(const struct stats_region *r)
{
	int64_t ns = 0;
	for (uint32_t i = 0; i < r->nblock; i++)
		ns += r->block[i].ns;
	return ns;
}

static int64_t item_value(const struct tasks *p, const struct item *it, int what)
{
	const struct kind *k = &p->list.kind[it->kind];
	const struct stats_region *r = k->source == OF_REGION ? &p->list.ks->r[it->i] : NULL;
	switch (what) {
	case TC_ID:
		return (int64_t)(r ? r->task : k->source == OF_TASK ? p->list.ts->task[it->i].id : operations_get(p->list.ops, it->i).id);
	case TC_START: return it->t0;
	case TC_RUN: return r ? r->exec : 0;
	case TC_READY: return r ? r->ready : 0;
	case TC_SYSCALL: return r ? r->syscall + r->sysblock : 0;
	case TC_BLOCKED: return r ? blocked_ns(r) : 0;
	default: return what >= TC_CLASS ? tasks_class_ns(p, it, (enum time_class)(what - TC_CLASS)) : it->t1 - it->t0;
	}
}

/* ---- kinds */

static void put_rate(const struct tasks *p, const struct kind *k, struct buf *b)
{
	double seconds = (double)(p->list.scope.t1 - p->list.scope.t0) / 1e9, v = seconds > 0 ? k->n / seconds : 0;
	int power = 0;
	for (; v >= 9999.5 && power < 4; power++)
		v /= 1000;
	if (v > 0)
		buf_printf(b, "%.*f%.1s/s", v < 10 ? 2 : v < 100 && power ? 1 : 0, v,
		    &"\0kMGT"[power]);
}

static struct strip_part class_part(const void *arg, uint32_t i)
{
	const int64_t *edge = arg;	/* where the classes begin, one after the other */
	return (struct strip_part){edge[i], edge[i + 1], time_class_state((enum time_class)i), STRIP_FULL};
}

/* Draw one bar of all of the time of a kind, divided by class. */
static void draw_shares(const struct tasks *p, struct grid *g, int w, const struct kind *k)
{
	const int64_t *ns = kind_classes(p, k);
	int64_t edge[TIME_CLASS__N + 1] = {0};
	for (int c = 0; c < TIME_CLASS__N; c++)
		edge[c + 1] = wrap_add(edge[c], ns && ns[c] > 0 ? ns[c] : 0);
	strip_draw(g, 0, 0, w, 0, edge[TIME_CLASS__N], class_part, edge, TIME_CLASS__N);
}

static void draw_right(struct grid *g, int w, int attr, struct buf *b)
{
	grid_right(g, 0, w, b->n ? ST_NORMAL : ST_DIM, b->n ? attr : 0, b->n ? buf_str(b) : ".");
}

static void draw_name(const struct pane_env *env, struct grid *g, int w, const struct kind *k)
{
	enum { FRAMED = 40, FRAME_AT = 24 };
	struct buf b = {0};
	if (k->len)
		text_fit_symbol(&b, k->s, k->len, (size_t)w, env->ascii);
	else
		buf_puts(&b, tasks_unnamed(k));
	tracepane_draw_text(env, g, 0, 0, w, k->len ? ST_NORMAL : ST_DIM, &b);
	buf_reset(&b);
	if (k->frame && w > FRAMED) {
		tracepane_put_frame(tasks_store(env), k->frame, &b, true);
		tracepane_draw_text(env, g, 0, FRAME_AT, w - FRAME_AT, ST_DIM, &b);
	}
	buf_free(&b);
}

static void draw_kind_cell(const void *st, const struct pane_env *env, struct grid *g, int w, uint32_t item, int col)
{
	const struct tasks *p = st;
	const struct kind *k = kind_of(p, item);
	int what = p->kind_cols.what[col], attr = p->kinds.sort == col ? AT_BOLD : 0;
	struct buf b = {0};
	if (what == TC_NAME)
		draw_name(env, g, w, k);
	else if (what == TC_COUNT)
		tracepane_draw_count(g, 0, w, k->n);
	else if (what == TC_RATE)
		put_rate(p, k, &b), draw_right(g, w, 0, &b);
	else if (what == TC_TOTAL)
		tracepane_draw_ns(g, 0, w, k->total, attr);
	else if (what == TC_HISTOGRAM)
		tracepane_draw_histogram(g, 0, 0, w, &k->h, p->list.lo, p->list.hi, ST_HEAT);
	else if (what == TC_SHARES)
		draw_shares(p, g, w, k);
	else if (what == TC_ALLOC || what == TC_ALLOC_RATE) {
		int64_t bytes = alloc_of(p, k, what);
		if (bytes)
			text_bytes(&b, bytes);
		draw_right(g, w, attr, &b);
	} else if (what == TC_SOURCE)
		grid_text(g, 0, 0, ST_DIM, 0, operations_source_name(source_of(p, k)));
	else if (what < TC_CLASS)
		tracepane_draw_ns(g, 0, w, quantile_of(k, what), attr);
	else {
		double share = class_share(p, k, (enum time_class)(what - TC_CLASS));
		if (share > 0)
			buf_printf(&b, "%.1f%%", 100 * share);
		draw_right(g, w, attr, &b);
	}
	buf_free(&b);
}

static int compare_names(const struct kind *a, const struct kind *b)
{
	size_t n = a->len < b->len ? a->len : b->len;
	int c = n ? memcmp(a->s, b->s, n) : 0;
	return c ? c : (a->len > b->len) - (a->len < b->len);
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_kinds(const void *st, const struct pane_env *env, int col, int sign, uint32_t i, uint32_t j)
{
	const struct tasks *p = st;
	const struct kind *a = kind_of(p, i), *b = kind_of(p, j);
	int what = p->kind_cols.what[col], c;
	bool quantile = what >= TC_P50 && what <= TC_MAX;
	(void)env;
	if (quantile && !a->spread.n != !b->spread.n)
		return a->spread.n ? -1 : 1;
	if (what == TC_NAME)
		c = compare_names(a, b);
	else if (what == TC_COUNT)
		c = ORDER(a->n, b->n);
	else if (what == TC_TOTAL)
		c = ORDER(a->total, b->total);
	else if (what == TC_ALLOC || what == TC_ALLOC_RATE)
		c = ORDER(alloc_of(p, a, what), alloc_of(p, b, what));
	else if (what == TC_SOURCE)
		c = ORDER(source_of(p, a), source_of(p, b));
	else if (what >= TC_CLASS)
		c = ORDER(class_share(p, a, (enum time_class)(what - TC_CLASS)),
		    class_share(p, b, (enum time_class)(what - TC_CLASS)));
	else
		c = ORDER(quantile_of(a, what), quantile_of(b, what));
	return c ? sign * c : compare_names(a, b);
}

static void put_kind_text(const void *st, const struct pane_env *env, uint32_t item, struct buf *b)
{
	tasks_put_kind(tasks_store(env), kind_of(st, item), b);
}

static int64_t kind_id(const void *st, uint32_t item) { return tasks_kind_key(kind_of(st, item)); }

static bool kind_shown(const void *st, const struct pane_env *env, uint32_t item)
{
	const struct tasks *p = st;
	(void)env;
	return kind_of(p, item)->n && (p->background || !tasks_is_background(p, kind_of(p, item)));
}

/* ---- items */

static void draw_item_cell(const void *st, const struct pane_env *env, struct grid *g, int w, uint32_t item, int col)
{
	const struct tasks *p = st;
	const struct item now = tasks_item(p, item), *it = &now;
	const struct store *store = tasks_store(env);
	int what = p->item_cols.what[col], attr = p->items.sort == col ? AT_BOLD : 0;
	struct item_facts f = tasks_item_facts(&p->list, store, it);
	int64_t v = item_value(p, it, what);
	struct buf b = {0};
	switch (what) {
	case TC_ID:
		if (v > 0)
			buf_printf(&b, "#%llu", (unsigned long long)v);
		draw_right(g, w, 0, &b);
		break;
	case TC_START: tracepane_draw_time(g, 0, w, v); break;
	case TC_DURATION:
		tracepane_draw_ns(g, 0, w - 1, v, attr);
		if (it->open)
			grid_text(g, 0, w - 1, ST_WARN, 0, "+");
		break;
	case TC_BAR: grid_bar(g, 0, 0, w, p->most > 0 ? (double)v / (double)p->most : 0, ST_HEAT); break;
	case TC_STATES: tracepane_draw_states(env, g, 0, 0, w, f.trk, it->t0, it->t1); break;
	case TC_TRACK:
		if (f.trk)
			tracepane_put_track(store, f.trk, &b), tracepane_draw_text(env, g, 0, 0, w, ST_NORMAL, &b);
		break;
	default: tracepane_draw_ns(g, 0, w, v, attr); break;
	}
	buf_free(&b);
}

static void put_item_text(const void *st, const struct pane_env *env, uint32_t item, struct buf *b)
{
	const struct tasks *p = st;
	struct item it = tasks_item(p, item);
	tasks_put_item(&p->list, tasks_store(env), &it, b);
}

static int64_t item_id(const void *st, uint32_t item)
{
	const struct tasks *p = st;
	struct item it = tasks_item(p, item);
	return p->list.regions ? p->list.ks->r[it.i].span : item_value(p, &it, TC_ID);
}

static uint64_t item_key(const void *st, int col, uint32_t item)
{
	const struct tasks *p = st;
	struct item it = tasks_item(p, item);
	return radix_key_ascending(item_value(p, &it, p->item_cols.what[col]));
}

static bool item_shown(const void *st, const struct pane_env *env, uint32_t item)
{
	(void)env;
	return tasks_packed_item(st, item)->in;
}

/* ---- the tables */

static void add_column(struct tasks_columns *to, int what, const struct pane_table_column *c)
{
	to->col[to->n] = *c;
	to->what[to->n++] = what;
}

static void add_columns(struct tasks_columns *to, const struct cell_column *v, size_t n, bool regions)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].of & (regions ? REGIONS : OPERATIONS))
			add_column(to, (int)v[i].cell, &v[i].c);
}

/* Add columns for the classes. */
static void add_class_columns(struct tasks *p, struct tasks_columns *to, const bool *shown, int width)
{
	for (int c = 0; c < TIME_CLASS__N; c++) {
		int w = (int)strlen(p->class_head[c]);
		struct pane_table_column col = {p->class_head[c], (uint8_t)(w > width ? w : width), 0, LIST_NUMBER, LIST_THEN, 0,
		    time_class_name((enum time_class)c), time_class_text((enum time_class)c), false};
		if (shown[c])
			add_column(to, (int)TC_CLASS + c, &col);
	}
}

/* Return the column of a cell; 0: there is none. */
static int column_of(const struct tasks_columns *c, int what)
{
	for (int i = 0; i < c->n; i++)
		if (c->what[i] == what)
			return i;
	return 0;
}

int tasks_sort_word(const struct pane_table *t, const struct tasks_columns *c)
{
	return 2 * c->what[t->sort] + t->invert;
}

/* What the user has chosen for a table, as cells. */
struct chosen_columns { int sort; uint64_t shown; };

static struct chosen_columns chosen_columns(const struct pane_table *t, const struct tasks_columns *c)
{
	struct chosen_columns v = {.sort = tasks_sort_word(t, c)};
	for (int i = 0; i < c->n; i++)
		if (t->cols >> i & 1)
			v.shown |= UINT64_C(1) << c->what[i];
	return v;
}

static bool is_part_of_time(int what)
{
	return what >= TC_CLASS || (what >= TC_RUN && what <= TC_BLOCKED);
}

/* Make the set of the columns by which time is split, with the columns of two other cells. */
static void make_waits_set(struct tasks_columns *to, int a, int b)
{
	to->set[0] = (struct pane_table_set){NULL, "time by what was done and waited for", 0};
	for (int i = 0; i < to->n; i++) {
		if (is_part_of_time(to->what[i]))
			to->set[0].name = "waits";
		if (is_part_of_time(to->what[i]) || to->what[i] == a || to->what[i] == b)
			to->set[0].cols |= UINT64_C(1) << i;
	}
}

/* Set the columns of the kind of a table, and keep what the user has chosen as far as it has those columns still.
   first: the initial sort column. */
static void set_columns(struct pane_table *t, struct tasks_columns *to, int first, struct chosen_columns v)
{
	to->kind.cols = to->col;
	to->kind.ncol = to->n;
	to->kind.sets = to->set;
	to->kind.sort = column_of(to, first);
	tasks_set_sort(t, to, v.sort);
	t->cols = 0;
	for (int i = 0; i < to->n; i++)
		if (v.shown >> to->what[i] & 1)
			t->cols |= UINT64_C(1) << i;
}

void tasks_make_kind_columns(struct tasks *p)
{
	struct tasks_columns *to = &p->kind_cols;
	struct chosen_columns chosen = chosen_columns(&p->kinds, to);
	bool shown[TIME_CLASS__N];
	struct buf b = {0};
	to->n = 0;
	add_columns(to, of_kinds, sizeof of_kinds / sizeof *of_kinds, p->list.regions);
	for (int c = 0; c < TIME_CLASS__N; c++)
		shown[c] = p->list.classes[c] > 0;
	add_class_columns(p, to, shown, 6);
	add_columns(to, of_kinds_last, sizeof of_kinds_last / sizeof *of_kinds_last, p->list.regions);
	if (p->list.hi > p->list.lo) {
		text_ns(&b, p->list.lo);
		buf_puts(&b, " .. ");
		text_ns(&b, p->list.hi);
	}
	snprintf(to->scale, sizeof to->scale, "%s", buf_str(&b));
	buf_free(&b);
	uint32_t most = 0;
	for (uint32_t k = 0; k < p->list.nkind; k++)
		most = p->list.kind[k].n > most ? p->list.kind[k].n : most;
	for (int i = 0; i < to->n; i++) {
		if (to->what[i] == TC_HISTOGRAM)
			to->col[i].head = to->scale;
		if (to->what[i] == TC_COUNT)
			to->col[i].least = (uint8_t)tracepane_count_width(most);
	}
	make_waits_set(to, TC_COUNT, TC_P99);
	set_columns(&p->kinds, to, p->list.regions ? TC_MAX : TC_TOTAL, chosen);
}

void tasks_make_item_columns(struct tasks *p)
{
	struct tasks_columns *to = &p->item_cols;
	const struct kind *k = tasks_opened_kind(p);
	const int64_t *ns = k ? kind_classes(p, k) : NULL;
	struct chosen_columns chosen = chosen_columns(&p->items, to);
	bool shown[TIME_CLASS__N];
	to->n = 0;
	add_columns(to, of_items, sizeof of_items / sizeof *of_items, p->list.regions);
	for (int c = 0; c < TIME_CLASS__N; c++)
		shown[c] = ns && ns[c];
	add_class_columns(p, to, shown, 7);
	make_waits_set(to, TC_ID, TC_DURATION);
	set_columns(&p->items, to, TC_DURATION, chosen);
}

bool tasks_sorts_by_class(const struct tasks *p)
{
	return p->item_cols.what[p->items.sort] >= (int)TC_CLASS;
}

void tasks_set_sort(struct pane_table *t, const struct tasks_columns *c, int word)
{
	t->sort = t->kind->sort;
	t->invert = false;
	for (int i = 0; i < c->n; i++)
		if (c->what[i] == word / 2 && c->col[i].word) {
			t->sort = i;
			t->invert = word % 2;
		}
}

void tasks_open_tables(struct tasks *p)
{
	for (int c = 0; c < TIME_CLASS__N; c++) {
		const char *s = time_class_name((enum time_class)c);
		size_t n = 0;
		for (; s[n] && n + 1 < sizeof p->class_head[c]; n++)
			p->class_head[c][n] = s[n] == '-' ? ' ' : (char)toupper((unsigned char)s[n]);
	}
	p->kind_cols.kind = (struct pane_table_kind){.text = put_kind_text, .cell = draw_kind_cell,
	    .compare = compare_kinds, .id = kind_id, .shown = kind_shown};
	p->item_cols.kind = (struct pane_table_kind){.text = put_item_text, .cell = draw_item_cell,
	    .id = item_id, .shown = item_shown, .key = item_key};
	pane_table_open(&p->kinds, &p->kind_cols.kind);
	pane_table_open(&p->items, &p->item_cols.kind);
	tasks_make_kind_columns(p);
	tasks_make_item_columns(p);
	tasks_set_sort(&p->kinds, &p->kind_cols, 2 * TC_TOTAL);
	tasks_set_sort(&p->items, &p->item_cols, 2 * TC_DURATION);
}
