/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace goroutines`: groups by start function or by another key, or with -name, -group or -ran their goroutines.
 *
 * Groups and goroutines have the same columns of single waits and of the time by class: in text before the name, which is
 * not padded, and in other formats at the end, so that the numbers of the other columns stay. They need a pass over the
 * sheets, which takes half as long as reading the trace, and would make the lines of text twice as long. So text has them
 * only if -sort names one of them, and a class only if some row has time of it.
 *
 * There may be millions of goroutines, so their rows are not kept. With -sort each row is made once more before: only its
 * cell of that column is kept.
 */
#include "config.h"
#include "report/trace/internal.h"
#include "report/trace/summary.h"

#include "base/text/regex.h"
#include "base/wrap_math.h"
#include "trace/alloc/allocations.h"
#include "trace/focus.h"
#include "trace/stats/ran_functions.h"
#include "trace/stats/goroutine_waits.h"
#include "trace/stats/group_key.h"
#include "trace/stats/still_blocked.h"

#include <string.h>

struct listing {
	const struct stats_groups *gs;
	enum group_key_kind by;
	struct still_blocked still;	/* at the end of the trace */
	const struct goroutine_waits *waits;	/* NULL: there are no columns of these */
	const int64_t *alloc;			/* bytes by track, if there are these columns */
	bool shown[TIME_CLASS__N];	/* the classes that are columns */
};

/* Sum up the time by class of n goroutines. */
static void sum_classes(const struct listing *l, uint32_t first, uint32_t n, int64_t ns[TIME_CLASS__N])
{
	memset(ns, 0, TIME_CLASS__N * sizeof *ns);
	for (uint32_t i = first; i < first + n; i++)
		goroutine_waits_add_classes(l->waits, i, ns);
}

/* Return what n goroutines allocated. */
static int64_t sum_alloc(const struct listing *l, uint32_t first, uint32_t n)
{
	int64_t bytes = 0;
	for (uint32_t i = first; i < first + n; i++)
		wrap_add_to(&bytes, l->alloc[l->gs->g[i].trk]);
	return bytes;
}

/* ---- JSON */

static void waits_json(const struct trace_report_ctx *r, struct json *j, const struct listing *l, struct wait_quantiles q,
    uint32_t first, uint32_t n)
{
	int64_t ns[TIME_CLASS__N];
	json_u64(j, "waits", q.n);
	if (q.n) {
		json_i64(j, "wait_p50_ns", q.p50);
		json_i64(j, "wait_p99_ns", q.p99);
	} else {
		json_null(j, "wait_p50_ns");
		json_null(j, "wait_p99_ns");
	}
	trace_report_json_alloc(r, j, sum_alloc(l, first, n));
	sum_classes(l, first, n, ns);
	json_object(j, "classes");
	for (int c = 0; c < TIME_CLASS__N; c++)
		if (ns[c])
			json_i64(j, time_class_name((enum time_class)c), ns[c]);
	json_end(j);
}

static void group_json(const struct trace_report_ctx *r, struct json *j, const struct listing *l, uint32_t i)
{
	const struct stats_group *g = &l->gs->group[i];
	struct trace_report_text s = trace_report_string(r, g->name, "");
	json_object(j, NULL);
	json_str(j, "name", s.s, s.n);
	json_i64(j, "count", g->n);
	json_i64(j, "exec_ns", g->exec);
	struct still_blocked_sum still = still_blocked_sum(&l->still, g);
	json_u64(j, "still_blocked", still.n);
	trace_report_json_still(j, still.longest);
	waits_json(r, j, l, goroutine_waits_of_group(l->waits, i), g->first, g->n);
	json_array(j, "goroutines");
	struct arena parts = {0};
	for (uint32_t k = g->first; k < g->first + g->n; k++) {
		struct goroutine_times x;
		arena_reset(&parts);
		stats_groups_times(l->gs, k, &parts, &x);
		json_object(j, NULL);
		json_u64(j, "id", store_trk(r->st, x.trk)->id);
		trace_report_json_times(r, j, &x);
		trace_report_json_still(j, still_blocked_ns(&l->still, k));
		waits_json(r, j, l, goroutine_waits_of(l->waits, k), k, 1);
		json_end(j);
		if (!trace_report_flush(r))
			break;
	}
	arena_free(&parts);
	json_end(j);
	json_end(j);
}

static void groups_json(const struct trace_report_ctx *r, const struct listing *l, const uint32_t *order)
{
	struct json j = { .b = r->out };
	json_object(&j, NULL);
	if (l->by != GROUP_KEY_FUNCTION)
		json_text(&j, "by", group_key_name(l->by));
	json_array(&j, "groups");
	for (uint32_t i = 0; i < l->gs->n && !r->to->failed; i++)
		if (trace_report_wants_name(r, l->gs->group[order[i]].name))
			group_json(r, &j, l, order[i]);
	json_end(&j);
	json_end(&j);
}

/* ---- the columns that groups and goroutines have in common */

#define NO_GROUP UINT32_MAX
enum { WAIT_COLS = 3, COMMON_COLS = WAIT_COLS + TIME_CLASS__N };
static const struct table_col wait_cols[WAIT_COLS] = {
	{ "Waits", "waits", TB_INT }, { "p50", "wait_p50_ns", TB_NS }, { "p99", "wait_p99_ns", TB_NS },
};
static const struct table_col class_cols[TIME_CLASS__N] = {
#define TIME_CLASS(id, name, title, key, state, text, verb) {title, "class_" key, TB_NS},
#include "trace/time_class.def"
#undef TIME_CLASS
};

static bool has_common_cols(const struct trace_report_ctx *r)
{
	bool has = r->format != TF_TEXT;
	for (int k = 0; k < WAIT_COLS; k++)
		has = has || trace_report_is_sorted_by(r, &wait_cols[k]);
	for (int k = 0; k < TRACE_REPORT_ALLOC_COLS; k++)
		has = has || trace_report_is_sorted_by(r, &trace_report_alloc_cols[k]);
	for (int c = 0; c < TIME_CLASS__N; c++)
		has = has || trace_report_is_sorted_by(r, &class_cols[c]);
	return has;
}

static void choose_classes(const struct trace_report_ctx *r, struct listing *l)
{
	int64_t ns[TIME_CLASS__N];
	for (int c = 0; c < TIME_CLASS__N; c++)
		l->shown[c] = r->format != TF_TEXT || trace_report_is_sorted_by(r, &class_cols[c]);
	for (uint32_t i = 0; i < l->gs->n; i++) {
		sum_classes(l, l->gs->group[i].first, l->gs->group[i].n, ns);
		for (int c = 0; c < TIME_CLASS__N; c++)
			l->shown[c] = l->shown[c] || ns[c];
	}
}

/* Append the name and the common columns to n columns; return how many there are then. */
static uint32_t put_last_cols(
    const struct trace_report_ctx *r, const struct listing *l, const char *title, struct table_col *col, uint32_t n)
{
	const struct table_col name = { title, "name", TB_STR };
	if (r->format != TF_TEXT)
		col[n++] = name;
	if (l->waits) {
		memcpy(col + n, wait_cols, sizeof wait_cols);
		n += WAIT_COLS;
	}
	for (int c = 0; c < TIME_CLASS__N; c++)
		if (l->shown[c])
			col[n++] = class_cols[c];
	for (int k = 0; k < TRACE_REPORT_ALLOC_COLS && l->alloc; k++)
		col[n++] = trace_report_alloc_cols[k];
	if (r->format == TF_TEXT)
		col[n++] = name;
	return n;
}

static void common_cells(struct table *t, const struct listing *l, struct wait_quantiles q, uint32_t first, uint32_t n)
{
	int64_t ns[TIME_CLASS__N];
	table_int(t, q.n);
	for (int k = 0; k < 2; k++)
		if (q.n)
			table_int(t, k ? q.p99 : q.p50);
		else
			table_none(t);
	sum_classes(l, first, n, ns);
	for (int c = 0; c < TIME_CLASS__N; c++)
		if (l->shown[c])
			table_int(t, ns[c]);
}

/* Add their cells, of n goroutines or of the group of that number. */
static void last_cells(const struct trace_report_ctx *r, struct table *t, const struct listing *l,
    struct trace_report_text name, uint32_t first, uint32_t n, uint32_t group)
{
	if (r->format != TF_TEXT)
		table_str(t, name.s, name.n);
	if (l->waits)
		common_cells(t, l,
		    group == NO_GROUP ? goroutine_waits_of(l->waits, first) : goroutine_waits_of_group(l->waits, group), first, n);
	if (l->alloc)
		trace_report_add_alloc(r, t, sum_alloc(l, first, n));
	if (r->format == TF_TEXT)
		table_str(t, name.s, name.n);
}

/* ---- groups */

/* Sum up the times of a group. exec: NULL, or where the running time of each goroutine is put. */
static struct goroutine_times add_up(const struct stats_groups *gs, const struct stats_group *g, int64_t *exec)
{
	struct goroutine_times sum = {0};
	for (uint32_t k = 0; k < g->n; k++) {
		struct goroutine_times x;
		stats_groups_times(gs, g->first + k, NULL, &x);
		sum.total = wrap_add(sum.total, x.total);
		sum.exec = wrap_add(sum.exec, x.exec);
		sum.ready = wrap_add(sum.ready, x.ready);
		sum.syscall = wrap_add(sum.syscall, x.syscall);
		sum.sysblock = wrap_add(sum.sysblock, x.sysblock);
		sum.unknown = wrap_add(sum.unknown, x.unknown);
		sum.blocked = wrap_add(sum.blocked, x.blocked);
		sum.ranged = wrap_add(sum.ranged, x.ranged);
		if (exec)
			exec[k] = x.exec;
	}
	return sum;
}

/* Add the first n of three quantiles over the goroutines of a group. */
static void quantile_cells(struct table *t, int64_t *v, uint32_t ng, int n)
{
	struct stats_share q[] = { { 0.5, 0 }, { 0.99, 0 }, { 1, 0 } };
	stats_quantiles(v, ng, q, 3);
	for (int i = 0; i < n; i++)
		table_int(t, q[i].value);
}

/* Add the sums of a group, and quantiles over its goroutines: of their running time and of their time runnable. */
static void sum_cells(struct table *t, const struct stats_groups *gs, const struct stats_group *g)
{
	size_t bytes = (g->n + (size_t)1) * sizeof(int64_t);
	int64_t *v = mem_bulk(bytes);
	struct goroutine_times sum = add_up(gs, g, v), x;
	trace_report_add_times(t, &sum);
	quantile_cells(t, v, g->n, 3);
	for (uint32_t k = 0; k < g->n; k++) {
		stats_groups_times(gs, g->first + k, NULL, &x);
		v[k] = x.ready;
	}
	quantile_cells(t, v, g->n, 2);
	mem_bulk_free(v, bytes);
}

enum { QUANTS = 5, STILL = 2 };
enum { GROUP_COLS = 1 + TRACE_REPORT_TIME_COLS + QUANTS + STILL + COMMON_COLS + TRACE_REPORT_ALLOC_COLS + 1 };

static const char *const group_title[GROUP_KEY__N] = { "Start function", "Created in", "At the end", "Label", "Task",
    "Last ran on", "Life", "Function" };

static uint32_t group_cols(const struct trace_report_ctx *r, const struct listing *l, struct table_col col[GROUP_COLS])
{
	static const struct table_col quant[QUANTS + STILL] = {
		{ "Exec p50", "exec_p50_ns", TB_NS }, { "p99", "exec_p99_ns", TB_NS }, { "max", "exec_max_ns", TB_NS },
		{ "Wait p50", "sched_wait_p50_ns", TB_NS }, { "p99", "sched_wait_p99_ns", TB_NS },
		{ "Still blocked", "still_blocked", TB_INT }, { "longest", "still_blocked_longest_ns", TB_NS },
	};
	uint32_t n = 0;
	col[n++] = (struct table_col){ "Count", "count", TB_INT };
	memcpy(col + n, trace_report_time_cols, sizeof trace_report_time_cols);
	n += TRACE_REPORT_TIME_COLS;
	memcpy(col + n, quant, sizeof quant);
	return put_last_cols(r, l, group_title[l->by], col, n + QUANTS + STILL);
}

static void group_row(const struct trace_report_ctx *r, struct table *t, const struct listing *l, uint32_t i)
{
	const struct stats_group *g = &l->gs->group[i];
	struct trace_report_text s =
	    trace_report_string(r, g->name, r->format == TF_TEXT ? "(inactive, no stack sampled)" : "");
	table_int(t, g->n);
	sum_cells(t, l->gs, g);
	struct still_blocked_sum still = still_blocked_sum(&l->still, g);
	table_int(t, still.n);
	table_int(t, still.longest);
	last_cells(r, t, l, s, g->first, g->n, i);
}

/* Print the groups. */
static int put_groups(const struct trace_report_ctx *r, const struct listing *l, struct err *e)
{
	struct table t;
	struct table_col col[GROUP_COLS];
	uint32_t column, *order = arena_alloc(r->mem, (l->gs->n + 1u) * sizeof *order);
	bool reverse;
	table_begin(&t, col, group_cols(r, l, col));
	for (uint32_t i = 0; i < l->gs->n; i++) {
		group_row(r, &t, l, i);
		order[i] = i;
	}
	int bad = table_sort_column(&t, r->o, &column, &reverse, e);
	if (!bad && column != TABLE_UNSORTED)
		table_order(&t, column, reverse, order);
	if (!bad && r->format == TF_JSON)
		groups_json(r, l, order);
	else if (!bad && !(bad = table_sort(&t, r->o, e)))
		table_print(&t, r->format, r->out);
	table_free(&t);
	return bad;
}

/* ---- goroutines */

enum { LIST_COLS = 1 + TRACE_REPORT_TIME_COLS + 1 + COMMON_COLS + TRACE_REPORT_ALLOC_COLS + 1 };

static uint32_t list_cols(const struct trace_report_ctx *r, const struct listing *l, struct table_col col[LIST_COLS])
{
	uint32_t n = 0;
	col[n++] = (struct table_col){ "Goroutine", "id", TB_INT };
	memcpy(col + n, trace_report_time_cols, sizeof trace_report_time_cols);
	n += TRACE_REPORT_TIME_COLS;
	col[n++] = (struct table_col){ "Still blocked", "still_blocked_ns", TB_NS };
	return put_last_cols(r, l, "Start function", col, n);
}

static void list_row(const struct trace_report_ctx *r, struct table *t, const struct listing *l, uint32_t i)
{
	struct goroutine_times x;
	stats_groups_times(l->gs, i, NULL, &x);
	struct trace_report_text s = trace_report_string(r, store_trk_start(r->st, x.trk), "");
	table_int(t, (int64_t)store_trk(r->st, x.trk)->id);
	trace_report_add_times(t, &x);
	table_int(t, still_blocked_ns(&l->still, i));
	last_cells(r, t, l, s, i, 1, NO_GROUP);
}

/* Return the goroutines of the groups that -name selects, as indexes into gs->g, group by group. */
static uint32_t *list_items(const struct trace_report_ctx *r, const struct listing *l, uint32_t *n)
{
	uint32_t *item = arena_alloc(r->mem, (l->gs->ng + 1u) * sizeof *item);
	*n = 0;
	for (uint32_t k = 0; k < l->gs->n; k++) {
		const struct stats_group *g = &l->gs->group[k];
		for (uint32_t i = g->first; i < g->first + g->n && trace_report_wants_name(r, g->name); i++)
			item[(*n)++] = i;
	}
	return item;
}

/* Put n items in the order of -sort. t has the columns, and no rows. */
static int sort_items(const struct trace_report_ctx *r, struct table *t, const struct listing *l, uint32_t *item,
    uint32_t n, struct err *e)
{
	uint32_t column;
	bool reverse;
	if (table_sort_column(t, r->o, &column, &reverse, e))
		return -1;
	if (column == TABLE_UNSORTED)
		return 0;
	struct table keys;
	uint32_t *order = xmalloc((n + 1u) * sizeof *order);
	table_begin(&keys, t->col + column, 1);
	for (uint32_t k = 0; k < n; k++) {
		list_row(r, t, l, item[k]);
		table_move_cell(&keys, t, column);
	}
	table_order(&keys, 0, reverse, order);
	for (uint32_t k = 0; k < n; k++)
		order[k] = item[order[k]];
	memcpy(item, order, n * sizeof *item);
	table_free(&keys);
	mem_free(order);
	return 0;
}

/* Print the goroutines. */
static int put_list(const struct trace_report_ctx *r, const struct listing *l, struct err *e)
{
	struct table t;
	struct table_col col[LIST_COLS];
	uint32_t n, *item = list_items(r, l, &n);
	table_begin(&t, col, list_cols(r, l, col));
	int bad = sort_items(r, &t, l, item, n, e);
	for (struct trace_report_rows k = { .r = r, .t = &t }; !bad && trace_report_next_pass(&k);)
		for (uint32_t i = 0; i < n && !r->to->failed; i++) {
			list_row(r, k.t, l, item[i]);
			trace_report_end_item(&k);
		}
	table_free(&t);
	return bad;
}

static bool match_name(void *rx, const char *s, size_t n)
{
	return regex_match(rx, s, n);
}

/* Select the goroutines that ran a function of -ran. */
static int select_ran(struct trace_report_ctx *r, struct err *e)
{
	struct err why = {0};
	struct regex *rx = regex_new(options_str(r->o, OPT_RAN), &why);
	struct trace_filter f = r->filter;
	uint32_t n;
	if (!rx)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-ran: %s", why.msg);
	f.g = r->on;
	f.on = r->ask.on;
	const uint8_t *set = trace_gset_ran(r->sn, &f, match_name, rx, r->mem, &n);
	regex_free(rx);
	r->on = r->ask.g = set;
	return set ? 0 : err_set(e, ERR_CANCEL, ERR_NOWHERE, "stopped");
}

/* Find the groups, and with `measures` the waits of their goroutines. */
static int find_groups(struct trace_report_ctx *r, bool measures, struct listing *l, struct err *e)
{
	if (trace_report_has_option(r, OPT_RAN) && select_ran(r, e))
		return -1;
	if (r->filter.focus)
		r->on = r->ask.g = trace_focus_goroutines(
		    r->filter.focus, r->filter.from, r->filter.to, r->ask.g, r->mem, &r->ask.on);
	struct arena own = {0};
	r->ask.key = group_key_make(r->sn, l->by, r->t0, r->t1, &own, &r->ask.on);
	l->gs = stats_groups(stats_index_new(r->sn, &own), &r->ask, r->mem);
	r->ask.key = NULL;
	arena_free(&own);
	if (r->t1 >= r->sn->t1)
		l->still = still_blocked_find(r->sn, l->gs, r->mem, &r->ask.on);
	if (!measures)
		return 0;
	l->waits = goroutine_waits_measure(r->sn, l->gs, &r->ask, r->mem);
	if (!l->waits)
		return err_set(e, ERR_CANCEL, ERR_NOWHERE, "stopped");
	struct trace_filter f = r->filter;
	f.g = r->on;
	l->alloc = allocations_by_goroutine(r->sn, &f, r->mem);
	choose_classes(r, l);
	return 0;
}

/* ---- what differs between two sides */

/* Not compared are the number of goroutines, which is more in a longer range, and quantiles over them, of times that are
   longer there. Total is the mean number of them that exist. */
enum { CHANGE_COLS = 1 + TRACE_REPORT_TIME_COLS + COMMON_COLS + 1 };

static int put_changes(struct trace_report_ctx *r, struct table *t, const void *by, struct err *e)
{
	struct listing l = { .by = *(const enum group_key_kind *)by };
	r->ask.ends = true;
	if (find_groups(r, true, &l, e))
		return -1;
	for (int c = 0; c < TIME_CLASS__N; c++)
		l.shown[c] = true;
	for (uint32_t i = 0; i < l.gs->n; i++) {
		const struct stats_group *g = &l.gs->group[i];
		struct goroutine_times sum = add_up(l.gs, g, NULL);
		if (!trace_report_wants_name(r, g->name))
			continue;
		table_int(t, g->n);
		trace_report_add_times(t, &sum);
		common_cells(t, &l, goroutine_waits_of_group(l.waits, i), g->first, g->n);
		struct trace_report_text name =
		    trace_report_string(r, g->name, r->format == TF_TEXT ? "(inactive, no stack sampled)" : "");
		table_str(t, name.s, name.n);
	}
	return 0;
}

static int print_changes(struct trace_report_ctx *r, enum group_key_kind by, struct err *e)
{
	static const char sums[] = "total_ns exec_ns sched_wait_ns syscall_ns syscall_block_ns block_ns unknown_ns ranges_ns waits"
#define TIME_CLASS(id, name, title, key, state, text, verb) " class_" key
#include "trace/time_class.def"
#undef TIME_CLASS
	    ;
	static const struct table_col waits[WAIT_COLS] = {
		{ "Waits", "waits", TB_INT }, { "Wait p50", "wait_p50_ns", TB_NS }, { "Wait p99", "wait_p99_ns", TB_NS },
	};
	struct table_col col[CHANGE_COLS] = { { "Count", "count", TB_INT } };
	uint32_t n = 1;
	memcpy(col + n, trace_report_time_cols, sizeof trace_report_time_cols);
	n += TRACE_REPORT_TIME_COLS;
	memcpy(col + n, waits, sizeof waits);
	n += WAIT_COLS;
	memcpy(col + n, class_cols, sizeof class_cols);
	n += TIME_CLASS__N;
	col[n++] = (struct table_col){ group_title[by], "name", TB_STR };
	const struct trace_summary groups = {
	    .col = col, .ncol = n, .sums = sums, .notes = "count", .fill = put_changes, .arg = &by };
	return trace_summary_print(r, &groups, e);
}

int report_goroutines(const struct options *o, struct out *out, struct err *e)
{
	struct trace_report_ctx r;
	if (trace_report_open(&r, o, out, e))
		return -1;
	int by = trace_report_has_option(&r, OPT_BY) ? group_key_find(options_str(o, OPT_BY)) : GROUP_KEY_FUNCTION, bad;
	struct listing l = { .by = (enum group_key_kind)by };
	if (by < 0) {
		bad = err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "-by requires function, creator, state, label, task, proc, life or work, not "
		    "\"%s\"", options_str(o, OPT_BY));
	} else if (trace_summary_compares(o)) {
		bad = print_changes(&r, l.by, e);
	} else {
		bad = find_groups(&r, has_common_cols(&r), &l, e);
		bool narrowed = o->v[OPT_GROUP].set || trace_report_has_option(&r, OPT_RAN) || r.filter.g || r.filter.slice,
		     list = o->v[OPT_NAME].set || (!o->v[OPT_BY].set && narrowed);
		if (!bad)
			bad = (list && r.format != TF_JSON ? put_list : put_groups)(&r, &l, e);
	}
	trace_report_close(&r);
	return bad;
}
