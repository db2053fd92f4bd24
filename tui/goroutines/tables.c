/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The tables of groups and of the goroutines of a group: their columns, and what a row has in each. Both have the same
 * columns of times. A group has its sums when it is drawn; the row of a goroutine is made from its times, because there
 * may be a million of them, and for the same reason the list of goroutines is ordered by keys. Waits and times by class
 * are measured later, and are empty until then.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/radix_sort.h"
#include "base/text/text.h"
#include "term/style.h"

#include <string.h>

/* TIME(value, heading, width, when it is shown, word, text): the columns of times that both tables have. */
#define TIMES_BEFORE_SHARE(TIME) \
	TIME(GV_RUN, "RUN", 7, LIST_FIRST, "run", "executing code") \
	TIME(GV_READY, "RUNNABLE", 8, LIST_FIRST, "runnable", "ready to run, waiting for a P") \
	TIME(GV_SYSCALL, "SYSCALL", 7, LIST_FIRST, "syscall", "in system calls") \
	TIME(GV_BLOCKED, "BLOCKED", 7, LIST_FIRST, "blocked", "waiting for anything but a P")
#define MEASURED_TIMES(TIME) \
	TIME(GV_P50, "p50", 7, LIST_LAST, "p50", "half of the single waits take this or less") \
	TIME(GV_P99, "p99", 7, LIST_LAST, "p99", "99 percent of the single waits take this or less") \
	TIME(GV_CLASS + TIME_NETWORK, "NETWORK", 7, LIST_LAST, "network", "waiting for the network") \
	TIME(GV_CLASS + TIME_LOCK, "LOCK", 7, LIST_LAST, "lock", "waiting for mutexes and other semaphores") \
	TIME(GV_CLASS + TIME_CHANNEL, "CHANNEL", 7, LIST_LAST, "channel", "waiting for sends and receives") \
	TIME(GV_CLASS + TIME_SELECT, "SELECT", 7, LIST_LAST, "select", "waiting in select statements") \
	TIME(GV_CLASS + TIME_SLEEP, "SLEEP", 7, LIST_LAST, "sleep", "in time.Sleep") \
	TIME(GV_CLASS + TIME_GC_ASSIST, "ASSIST", 7, LIST_LAST, "gc-assist", "marking for the GC, or waiting for that") \
	TIME(GV_CLASS + TIME_WAITGROUP, "WAITGROUP", 9, LIST_LAST, "waitgroup", "waiting for a sync.WaitGroup") \
	TIME(GV_CLASS + TIME_COND, "COND", 7, LIST_LAST, "cond", "waiting for a sync.Cond") \
	TIME(GV_ALLOC, "ALLOC", 8, LIST_LAST, "alloc", "bytes allocated, from the sizes of the heap") \
	TIME(GV_ALLOC_RATE, "ALLOC/s", 8, LIST_LAST, "alloc-rate", "bytes allocated per second of the time range") \
	TIME(GV_CLASS + TIME_GC_OTHER, "GC", 7, LIST_LAST, "gc-other", "sweeping, or waiting for the GC") \
	TIME(GV_CLASS + TIME_STW, "STW", 7, LIST_LAST, "stw", "in stops of the world, or waiting for one") \
	TIME(GV_CLASS + TIME_STILL_BLOCKED, "FOREVER", 7, LIST_LAST, "still-blocked", "in waits that can never end") \
	TIME(GV_CLASS + TIME_UNKNOWN, "UNKNOWN", 7, LIST_LAST, "unknown", "in states that the trace does not tell") \
	TIME(GV_CLASS + TIME_ON_CPU, "ON-CPU", 7, LIST_LAST, "on-cpu", "executing code of the program, without GC work")

#define AS_VALUE(value, head, width, drop, word, what) value,
#define AS_COLUMN(value, head, width, drop, word, what) {head, width, 0, LIST_NUMBER, drop, 0, word, what, false},
#define AS_COUNT(value, head, width, drop, word, what) +1
enum {
	SUMS_BEFORE = 0 TIMES_BEFORE_SHARE(AS_COUNT), MEASURED = 0 MEASURED_TIMES(AS_COUNT),
	GROUP_COUNT = 0, GROUP_RUN, GROUP_SHARE = GROUP_RUN + SUMS_BEFORE, GROUP_TOTAL, GROUP_MEASURED,
	GROUP_NAME = GROUP_MEASURED + MEASURED + 1, GROUP_COLS,
	LIST_G = 0, LIST_START, LIST_RUN, LIST_TOTAL = LIST_RUN + SUMS_BEFORE, LIST_MEASURED,
	LIST_STATE = LIST_MEASURED + MEASURED + 1, LIST_COLS
};
#define WAITS_COLUMN {"WAITS", 7, 0, LIST_NUMBER, LIST_LAST, 0, "waits", "number of single waits", false}
static const struct pane_table_column group_cols[GROUP_COLS] = {
	{"COUNT", 0, 0, LIST_NUMBER, LIST_KEPT, 0, "number", "number of goroutines", false},
	TIMES_BEFORE_SHARE(AS_COLUMN)
	{"SHARE", 8, 0, LIST_PICTURE, LIST_FIRST, 1, NULL, "", false},
	{"TOTAL", 7, 0, LIST_NUMBER, LIST_LAST, 0, "total", "sum of the states", false},
	MEASURED_TIMES(AS_COLUMN)
	WAITS_COLUMN,
	{"", 20, LIST_NAME_WANT, LIST_TEXT, LIST_KEPT, 1, "name", "name", true},
};
static const struct pane_table_column list_cols[LIST_COLS] = {
	{"G", 0, 0, LIST_NUMBER, LIST_KEPT, 0, "number", "number of the goroutine", true},
	{"START", 9, 0, LIST_NUMBER, LIST_FIRST, 0, "start", "time of the start", true},
	TIMES_BEFORE_SHARE(AS_COLUMN)
	{"TOTAL", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "total", "sum of the states", false},
	MEASURED_TIMES(AS_COLUMN)
	WAITS_COLUMN,
	{"", 16, LIST_NAME_WANT, LIST_TEXT, LIST_KEPT, 1, NULL, "", false},
};
/* The values of the columns; GV__N: another one. */
static const enum goroutines_value group_values[GROUP_COLS] = {
	GV__N, TIMES_BEFORE_SHARE(AS_VALUE) GV__N, GV_TOTAL, MEASURED_TIMES(AS_VALUE) GV_WAITS, GV__N};
static const enum goroutines_value list_values[LIST_COLS] = {
	GV__N, GV__N, TIMES_BEFORE_SHARE(AS_VALUE) GV_TOTAL, MEASURED_TIMES(AS_VALUE) GV_WAITS, GV__N};

#define COLUMN_RANGE(from, n) (((UINT64_C(1) << (n)) - 1) << (from))
static const struct pane_table_set group_sets[] = {
	{"waits", "single waits: p50, p99; time by reason", COLUMN_RANGE(GROUP_MEASURED, MEASURED + 1)},
	{"states", "running, runnable, in system calls, blocked", COLUMN_RANGE(GROUP_RUN, SUMS_BEFORE + 2)}, {NULL, NULL, 0}};
static const struct pane_table_set list_sets[] = {
	{"waits", "single waits: p50, p99; time by reason", COLUMN_RANGE(LIST_MEASURED, MEASURED + 1)},
	{"states", "running, runnable, in system calls, blocked", COLUMN_RANGE(LIST_START, SUMS_BEFORE + 2)}, {NULL, NULL, 0}};

/* Return an upper bound of the first column: the number of goroutines, or for the list the number of the newest
   goroutine. */
static uint64_t most_first(const struct goroutines_state *p, bool groups)
{
	const struct snap *sn = p->scope.sn;
	if (!sn || sn->ntrks < 2)
		return 0;
	return groups ? sn->ntrks : store_trk(sn->st, sn->ntrks - 1)->id;
}

static void set_group_heads(const void *st, const struct pane_env *env, struct list_column *c)
{
	const struct goroutines_state *p = st;
	int width = tracepane_count_width(most_first(p, true)), least = (int)sizeof "COUNT";	/* with the sort arrow */
	(void)env;
	c[GROUP_COUNT].least = (uint8_t)(width > least ? width : least);
	c[GROUP_NAME].head = group_key_heading(p->by);
}

static void set_list_heads(const void *st, const struct pane_env *env, struct list_column *c)
{
	const struct goroutines_state *p = st;
	(void)env;
	c[LIST_G].least = (uint8_t)tracepane_count_width(most_first(p, false));
	c[LIST_STATE].head = !group_key_is_function(p->by) ? "START FUNCTION, LAST STATE, CREATED BY" : "STATE, CREATED BY";
}

static const struct store *store_of(const struct goroutines_state *p)
{
	return stats_index_snap(p->stats_index)->st;
}

/* ---- values */

static int64_t group_value(const struct goroutines_state *p, uint32_t item, enum goroutines_value v)
{
	int64_t x = 0;
	if (v < GV_SUMS)
		return p->groups[item].v[v];
	goroutines_measured_value(p, true, item, v, &x);
	return x;
}

static int64_t goroutine_value(const struct goroutines_state *p, uint32_t item, enum goroutines_value v)
{
	int64_t x = 0;
	if (v < GV_SUMS) {
		struct goroutine_times s;
		stats_groups_times(p->gs, p->first + item, NULL, &s);
		return goroutines_sum_of(&s, v);
	}
	goroutines_measured_value(p, false, p->first + item, v, &x);
	return x;
}

static void draw_bytes(struct grid *g, int w, int64_t bytes, bool sorted)
{
	struct buf b = {0};
	text_bytes(&b, bytes);
	grid_right(g, 0, w, bytes ? ST_NORMAL : ST_DIM, bytes && sorted ? AT_BOLD : 0, bytes ? buf_str(&b) : ".");
	buf_free(&b);
}

/* Draw a value of a row; nothing until it is measured. */
static void draw_value(const struct goroutines_state *p, struct grid *g, int w, enum goroutines_value v, int64_t x, bool sorted)
{
	if (v >= GV_SUMS && !p->measures)
		return;
	if (v == GV_WAITS)
		tracepane_draw_count(g, 0, w, x);
	else if (v == GV_ALLOC || v == GV_ALLOC_RATE)
		draw_bytes(g, w, x, sorted);
	else
		tracepane_draw_ns(g, 0, w, x, sorted ? AT_BOLD : 0);
}

bool goroutines_sorts_by_measure(const struct goroutines_state *p)
{
	enum goroutines_value v = list_values[p->table[GL_LIST].sort];
	return v >= GV_SUMS && v != GV__N;
}

/* ---- groups */

static int compare_groups(const void *st, const struct pane_env *env, int col, int sign, uint32_t a, uint32_t b)
{
	const struct goroutines_state *p = st;
	const struct goroutines_row *x = &p->groups[a], *y = &p->groups[b];
	(void)env;
	if (col == GROUP_NAME)
		return sign * stats_compare_names(store_of(p), x->name, y->name);
	if (col == GROUP_COUNT)
		return sign * ((x->n > y->n) - (x->n < y->n));
	if (group_values[col] == GV__N)
		return 0;
	int64_t m = group_value(p, a, group_values[col]), n = group_value(p, b, group_values[col]);
	return sign * ((m > n) - (m < n));
}

static void draw_tag(const struct goroutines_state *p, struct grid *g, const struct goroutines_row *r)
{
	if (goroutines_is_tagged(p, r))
		grid_put(g, 0, 0, '+', ST_ACCENT, ST_NORMAL, AT_BOLD);
}

static void draw_group(const void *st, const struct pane_env *env, struct grid *g, int w, uint32_t item, int col)
{
	const struct goroutines_state *p = st;
	const struct goroutines_row *r = &p->groups[item];
	switch (col) {
	case GROUP_COUNT:
		draw_tag(p, g, r);
		tracepane_draw_count(g, 0, w, r->n);
		break;
	case GROUP_SHARE:
		grid_bar(g, 0, 0, w, p->most > 0 ? (double)r->v[GV_RUN] / (double)p->most : 0, ST_HEAT);
		break;
	case GROUP_NAME:
		tracepane_draw_symbol(env, g, 0, 0, w, ST_NORMAL, r->name, "(no start function)");
		break;
	default:
		draw_value(p, g, w, group_values[col], group_value(p, item, group_values[col]), col == p->table[GL_GROUPS].sort);
		break;
	}
}

static void put_group_text(const void *st, const struct pane_env *env, uint32_t item, struct buf *b)
{
	const struct goroutines_state *p = st;
	goroutines_put_row_text(session_snap(env->s)->st, &p->groups[item], b);
}

static int64_t group_id(const void *st, uint32_t item)
{
	return (int64_t)((const struct goroutines_state *)st)->groups[item].name;
}

const struct pane_table_kind goroutines_groups_table = {
    .cols = group_cols, .ncol = GROUP_COLS, .sort = GROUP_RUN, .text = put_group_text, .cell = draw_group,
    .heads = set_group_heads, .compare = compare_groups, .id = group_id,
    .sets = group_sets};

/* ---- the goroutines of a group */

static uint64_t goroutine_key(const void *st, int col, uint32_t item)
{
	const struct goroutines_state *p = st;
	if (col == LIST_G)
		return store_trk(store_of(p), p->gs->g[p->first + item].trk)->id;
	return radix_key_ascending(
	    col == LIST_START ? stats_groups_start(p->gs, p->first + item) : goroutine_value(p, item, list_values[col]));
}

/* Draw the last state of a goroutine, and its creator. */
static void draw_state(
    const struct goroutines_state *p, const struct pane_env *env, struct grid *g, int w, const struct goroutines_row *r)
{
	const struct snap *sn = session_snap(env->s);
	const struct trk_row *t = store_trk(sn->st, r->trk);
	struct buf b = {0};
	struct trace_interval v;
	if (!group_key_is_function(p->by)) {
		tracepane_put_str(sn->st, store_origin(sn->st, t)->name, "(no start function)", &b);
		buf_puts(&b, "  ");
	}
	if (t->to_t1 && store_t1(sn->st, t) <= p->scope.t1)
		buf_puts(&b, "ended");
	else if (trace_interval_at(sn, r->trk, p->scope.t1 - 1, &v))
		buf_puts(&b, style_state_name(v.state));
	if (t->creator) {
		buf_puts(&b, "  by ");
		tracepane_put_track(sn->st, t->creator, &b);
	}
	tracepane_draw_text(env, g, 0, 0, w, ST_NORMAL, &b);
	buf_free(&b);
}

static void draw_goroutine(const void *st, const struct pane_env *env, struct grid *g, int w, uint32_t item, int col)
{
	const struct goroutines_state *p = st;
	struct goroutines_row room;
	const struct goroutines_row *r = goroutines_row(p, GL_LIST, item, &room);
	switch (col) {
	case LIST_G:
		draw_tag(p, g, r);
		tracepane_draw_count(g, 0, w, (int64_t)store_trk(session_snap(env->s)->st, r->trk)->id);
		break;
	case LIST_START: tracepane_draw_time(g, 0, w, r->t0); break;
	case LIST_STATE: draw_state(p, env, g, w, r); break;
	default:
		draw_value(p, g, w, list_values[col], goroutine_value(p, item, list_values[col]), col == p->table[GL_LIST].sort);
		break;
	}
}

static void put_goroutine_text(const void *st, const struct pane_env *env, uint32_t item, struct buf *b)
{
	struct goroutines_row room;
	goroutines_put_row_text(session_snap(env->s)->st, goroutines_row(st, GL_LIST, item, &room), b);
}

static int64_t goroutine_id(const void *st, uint32_t item)
{
	const struct goroutines_state *p = st;
	return p->gs->g[p->first + item].trk;
}

/* The length of its life in the time range. */
static int64_t goroutine_duration(const void *st, uint32_t item)
{
	const struct goroutines_state *p = st;
	return stats_groups_total(p->gs, p->first + item);
}

const struct pane_table_kind goroutines_list_table = {
    .cols = list_cols, .ncol = LIST_COLS, .sort = LIST_RUN, .text = put_goroutine_text, .cell = draw_goroutine,
    .heads = set_list_heads, .key = goroutine_key, .id = goroutine_id, .duration = goroutine_duration,
    .sets = list_sets};

/* ---- searches */

void goroutines_put_row_text(const struct store *st, const struct goroutines_row *r, struct buf *b)
{
	if (r->trk) {
		tracepane_put_id(st, r->trk, b);
		buf_putc(b, ' ');
	}
	tracepane_put_str(st, r->name, "(no start function)", b);
	if (r->trk && store_trk(st, r->trk)->creator) {
		buf_putc(b, ' ');
		tracepane_put_track(st, store_trk(st, r->trk)->creator, b);
	}
}

bool goroutines_row_matches(const struct store *st, const struct goroutines_row *r, const struct regex *rx)
{
	struct buf b = {0};
	goroutines_put_row_text(st, r, &b);
	bool match = regex_match(rx, b.p, b.n);
	buf_free(&b);
	return match;
}
