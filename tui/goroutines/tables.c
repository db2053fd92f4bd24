/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The tables of groups and of the goroutines of a group: their columns, and what a row has in each. Both have the same
 * columns of times. A group has its sums when it is drawn; the row of a goroutine is made from its times, because there
 * may be a million of them, and for the same reason the list of goroutines is ordered by keys.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/radix_sort.h"
#include "base/text/text.h"
#include "term/style.h"

#include <string.h>

enum { NAMES = 30 };	/* cells of the name that take precedence over the columns of single kinds of waits */

#define TIME_COLUMN(head, width, leave, word, what) {{head, width, true, 0, leave, 0, word}, what, false}
#define COL_RUN_TIME TIME_COLUMN("RUN", 7, 0, "run", "executing code")
#define COL_READY_TIME TIME_COLUMN("RUNNABLE", 8, 0, "runnable", "ready to run, waiting for a P")
#define COL_SYSCALL_TIME TIME_COLUMN("SYSCALL", 7, 0, "syscall", "in system calls")
#define COL_BLOCKED_TIME TIME_COLUMN("BLOCKED", 7, 0, "blocked", "waiting for anything but a P")
#define COL_CHAN_TIME TIME_COLUMN("CHAN", 7, NAMES, "chan", "waiting for channels")
#define COL_SYNC_TIME TIME_COLUMN("MUTEX", 7, NAMES, "mutex", "waiting for mutexes and other locks")
#define COL_NET_TIME TIME_COLUMN("NET", 7, NAMES, "net", "waiting for the network")
#define COL_SLEEP_TIME TIME_COLUMN("SLEEP", 7, NAMES, "sleep", "in time.Sleep")
#define COL_GC_TIME TIME_COLUMN("GC", 7, NAMES, "gc", "waiting for the collector")

enum group_col {
	GROUP_COUNT, GROUP_RUN, GROUP_READY, GROUP_SYSCALL, GROUP_BLOCKED, GROUP_SHARE, GROUP_TOTAL, GROUP_CHAN, GROUP_SYNC,
	GROUP_NET, GROUP_SLEEP, GROUP_GC, GROUP_NAME, GROUP_COLS
};
enum list_col {
	LIST_G, LIST_START, LIST_RUN, LIST_READY, LIST_SYSCALL, LIST_BLOCKED, LIST_TOTAL, LIST_CHAN, LIST_SYNC, LIST_NET,
	LIST_SLEEP, LIST_GC, LIST_STATE, LIST_COLS
};
static const struct pane_table_column group_cols[GROUP_COLS] = {
	[GROUP_COUNT] = {{"COUNT", 0, true, 0, 0, 0, "number"}, "number of goroutines", false},
	[GROUP_RUN] = COL_RUN_TIME, [GROUP_READY] = COL_READY_TIME, [GROUP_SYSCALL] = COL_SYSCALL_TIME,
	[GROUP_BLOCKED] = COL_BLOCKED_TIME, [GROUP_SHARE] = {{"SHARE", 8, false, 0, 0, 0, NULL}, "", false},
	[GROUP_TOTAL] = TIME_COLUMN("TOTAL", 7, NAMES, "total", "sum of the states"),
	[GROUP_CHAN] = COL_CHAN_TIME, [GROUP_SYNC] = COL_SYNC_TIME, [GROUP_NET] = COL_NET_TIME,
	[GROUP_SLEEP] = COL_SLEEP_TIME, [GROUP_GC] = COL_GC_TIME,
	[GROUP_NAME] = {{"", 0, false, 0, 0, 0, "name"}, "name", true},
};
static const struct pane_table_column list_cols[LIST_COLS] = {
	[LIST_G] = {{"G", 0, true, 0, 0, 0, "number"}, "number of the goroutine", true},
	[LIST_START] = {{"START", 9, true, 0, 0, 0, "start"}, "time of the start", true},
	[LIST_RUN] = COL_RUN_TIME, [LIST_READY] = COL_READY_TIME, [LIST_SYSCALL] = COL_SYSCALL_TIME,
	[LIST_BLOCKED] = COL_BLOCKED_TIME, [LIST_TOTAL] = TIME_COLUMN("TOTAL", 7, 0, "total", "sum of the states"),
	[LIST_CHAN] = COL_CHAN_TIME, [LIST_SYNC] = COL_SYNC_TIME, [LIST_NET] = COL_NET_TIME,
	[LIST_SLEEP] = COL_SLEEP_TIME, [LIST_GC] = COL_GC_TIME,
	[LIST_STATE] = {{"", 0, false, 0, 0, 0, NULL}, "", false},
};
/* The values of the columns; GV__N: it has another one. */
static const enum goroutines_value group_values[GROUP_COLS] = {
	GV__N, GV_RUN, GV_READY, GV_SYSCALL, GV_BLOCKED, GV__N, GV_TOTAL, GV_CHAN, GV_SYNC, GV_NET, GV_SLEEP, GV_GC, GV__N};
static const enum goroutines_value list_values[LIST_COLS] = {
	GV__N, GV__N, GV_RUN, GV_READY, GV_SYSCALL, GV_BLOCKED, GV_TOTAL, GV_CHAN, GV_SYNC, GV_NET, GV_SLEEP, GV_GC, GV__N};

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
	c[GROUP_COUNT].width = width > least ? width : least;
	c[GROUP_NAME].head = group_key_heading(p->by);
}

static void set_list_heads(const void *st, const struct pane_env *env, struct list_column *c)
{
	const struct goroutines_state *p = st;
	(void)env;
	c[LIST_G].width = tracepane_count_width(most_first(p, false));
	c[LIST_STATE].head = p->by != GROUP_KEY_FUNCTION ? "START FUNCTION, LAST STATE, CREATED BY" : "STATE, CREATED BY";
}

static const struct store *store_of(const struct goroutines_state *p)
{
	return stats_index_snap(p->stats_index)->st;
}

/* ---- groups */

static int compare_groups(const void *st, const struct pane_env *env, int col, int sign, uint32_t a, uint32_t b)
{
	const struct goroutines_state *p = st;
	const struct goroutines_row *x = &p->groups[a], *y = &p->groups[b];
	enum goroutines_value v = group_values[col];
	(void)env;
	if (col == GROUP_NAME)
		return sign * stats_compare_names(store_of(p), x->name, y->name);
	if (col == GROUP_COUNT)
		return sign * ((x->n > y->n) - (x->n < y->n));
	return v == GV__N ? 0 : sign * ((x->v[v] > y->v[v]) - (x->v[v] < y->v[v]));
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
		tracepane_draw_ns(g, 0, w, r->v[group_values[col]], col == p->table[GL_GROUPS].sort ? AT_BOLD : 0);
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
    .heads = set_group_heads, .compare = compare_groups, .id = group_id};

/* ---- the goroutines of a group */

static uint64_t goroutine_key(const void *st, int col, uint32_t item)
{
	const struct goroutines_state *p = st;
	const struct goroutine_times *s = &p->gs->g[p->first + item];
	if (col == LIST_G)
		return store_trk(store_of(p), p->trk[p->first + item])->id;
	return radix_key_ascending(col == LIST_START ? s->t0 : goroutines_value_of(s, list_values[col]));
}

/* Draw the last state of a goroutine, and its creator. */
static void draw_state(
    const struct goroutines_state *p, const struct pane_env *env, struct grid *g, int w, const struct goroutines_row *r)
{
	const struct snap *sn = session_snap(env->s);
	const struct trk_row *t = store_trk(sn->st, r->trk);
	struct buf b = {0};
	struct trace_interval v;
	if (p->by != GROUP_KEY_FUNCTION) {
		tracepane_put_str(sn->st, t->name, "(no start function)", &b);
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
		tracepane_draw_ns(g, 0, w, r->v[list_values[col]], col == p->table[GL_LIST].sort ? AT_BOLD : 0);
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
	return p->trk[p->first + item];
}

/* The length of its life in the time range. */
static int64_t goroutine_duration(const void *st, uint32_t item)
{
	const struct goroutines_state *p = st;
	return p->gs->g[p->first + item].total;
}

const struct pane_table_kind goroutines_list_table = {
    .cols = list_cols, .ncol = LIST_COLS, .sort = LIST_RUN, .text = put_goroutine_text, .cell = draw_goroutine,
    .heads = set_list_heads, .key = goroutine_key, .id = goroutine_id, .duration = goroutine_duration};

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
