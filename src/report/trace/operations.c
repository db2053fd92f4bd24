/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace operations`: the kinds of operations with their durations and their time by class; with -name the operations
 * of the kinds of that name; JSON has both.
 *
 * In text, a class is a column only if some row may have time of it or -sort names it; of kinds it is a share of the
 * kind's time. A comparison has all classes, as times. The classes of each operation take another pass over the trace
 * for each kind, so JSON has them with -name only.
 */
#include "config.h"
#include "report/trace/internal.h"
#include "report/trace/summary.h"

#include "base/wrap_math.h"
#include "operations/operations.h"

#include <string.h>

/* Find the selected operations. Return NULL with *e if stopped. */
static const struct operations *find_operations(const struct trace_report_ctx *r, struct err *e)
{
	const struct operation_criteria c = {.lo = r->task_criteria.lo, .hi = r->task_criteria.hi,
	    .whole = r->task_criteria.whole, .kind = r->match.operation,
	    .by_id = r->match.operations && r->match.by_id, .id = r->match.span.id, .ends = trace_summary_compares(r->o)};
	struct trace_filter f = r->filter;
	f.g = r->on;
	const struct operations *o = operations_find(r->sn, &f, &c, r->mem, &r->ask.on);
	if (!o)
		err_set(e, ERR_CANCEL, ERR_NOWHERE, "stopped");
	return o;
}

/* ---- kinds */

enum { FIRST_COLS = 9, KIND_COLS = FIRST_COLS + TIME_CLASS__N + TRACE_REPORT_ALLOC_COLS + 3 };

/* The columns of classes; before: that of requests which began before the trace; shares: in text, in which the name, which
   is not padded, is the last one. */
struct class_columns { bool shown[TIME_CLASS__N], shares, before, alloc; };

static const struct table_col class_cols[TIME_CLASS__N] = {
#define TIME_CLASS(id, name, title, key, state, text, verb) {title, key, TB_NS},
#include "trace/time_class.def"
#undef TIME_CLASS
};

/* Is the column of a class shown in any case? Text has it if -sort names it, even if all of it is empty. */
static bool is_wanted(const struct trace_report_ctx *r, int c)
{
	return r->format != TF_TEXT || trace_report_is_sorted_by(r, &class_cols[c]);
}

/* Return what kinds, or operations, allocated; NULL: there are no columns of that. */
static const int64_t *find_alloc(const struct trace_report_ctx *r, const struct operations *o, bool kinds)
{
	struct trace_filter f = r->filter;
	bool wanted = r->format != TF_TEXT;
	f.g = r->on;
	for (int k = 0; k < TRACE_REPORT_ALLOC_COLS; k++)
		wanted = wanted || trace_report_is_sorted_by(r, &trace_report_alloc_cols[k]);
	return wanted ? operations_allocated(r->sn, o, &f, kinds, r->mem) : NULL;
}

static struct class_columns choose_classes(const struct trace_report_ctx *r, const struct operations *o)
{
	struct class_columns cols = {.shares = r->format == TF_TEXT, .before = r->format != TF_TEXT};
	for (uint32_t k = 0; k < o->nkinds; k++)
		cols.before = cols.before || o->kind[k].nbefore;
	for (int c = 0; c < TIME_CLASS__N; c++) {
		cols.shown[c] = is_wanted(r, c);
		for (uint32_t k = 0; k < o->nkinds && !cols.shown[c]; k++)
			cols.shown[c] = o->kind[k].class_ns[c] != 0;
	}
	return cols;
}

static uint32_t kind_cols(const struct class_columns *cols, struct table_col *col)
{
	static const struct table_col first[FIRST_COLS] = {
		{ "Count", "count", TB_INT }, { "Complete", "complete", TB_INT }, { "p50", "p50_ns", TB_NS },
		{ "p90", "p90_ns", TB_NS }, { "p99", "p99_ns", TB_NS }, { "Max", "max_ns", TB_NS },
		{ "Slow", "slow", TB_INT }, { "Total", "total_ns", TB_NS }, { "Found by", "found_by", TB_STR },
	};
	uint32_t n = FIRST_COLS;
	memcpy(col, first, sizeof first);
	for (int c = 0; c < TIME_CLASS__N; c++)
		if (cols->shown[c]) {
			col[n] = class_cols[c];
			if (cols->shares)
				col[n].kind = TB_SHARE;
			n++;
		}
	if (cols->before)
		col[n++] = (struct table_col){ "Before", "before", TB_INT };
	col[n++] = (struct table_col){ "Counted by", "counted_by", TB_STR };
	if (!cols->shares)
		col[n++] = (struct table_col){ "Operation", "name", TB_STR };
	for (int k = 0; k < TRACE_REPORT_ALLOC_COLS && cols->alloc; k++)
		col[n++] = trace_report_alloc_cols[k];
	if (cols->shares)
		col[n++] = (struct table_col){ "Operation", "name", TB_STR };
	return n;
}

static int64_t class_total(const struct operation_kind *k)
{
	int64_t all = 0;
	for (int c = 0; c < TIME_CLASS__N; c++)
		wrap_add_to(&all, k->class_ns[c]);
	return all;
}

static void put_quantile(struct table *t, const struct operation_kind *k, int64_t ns)
{
	if (k->ncomplete)
		table_int(t, ns);
	else
		table_none(t);
}

/* alloc: what its operations allocated, if there are columns of that. */
static void put_kind(const struct trace_report_ctx *r, struct table *t, const struct operation_kind *k,
    const struct class_columns *cols, int64_t alloc)
{
	const char *source = operations_source_name(k->source), *counted = operations_counted_by(k);
	int64_t all = class_total(k);
	table_int(t, k->n - k->nbefore);
	table_int(t, k->ncomplete);
	put_quantile(t, k, k->p50);
	put_quantile(t, k, k->p90);
	put_quantile(t, k, k->p99);
	put_quantile(t, k, k->max);
	table_int(t, k->nslow);
	table_int(t, k->total);
	table_str(t, source, strlen(source));
	for (int c = 0; c < TIME_CLASS__N; c++) {
		if (cols->shown[c] && cols->shares && !k->class_ns[c])
			table_none(t);
		else if (cols->shown[c] && cols->shares)
			table_share(t, all > 0 ? (double)k->class_ns[c] / (double)all : 0);
		else if (cols->shown[c])
			table_int(t, k->class_ns[c]);
	}
	if (cols->before)
		table_int(t, k->nbefore);
	table_str(t, counted, strlen(counted));
	if (!cols->shares)
		table_str(t, k->name, k->nname);
	if (cols->alloc)
		trace_report_add_alloc(r, t, alloc);
	if (cols->shares)
		table_str(t, k->name, k->nname);
}

static int kinds_table(const struct trace_report_ctx *r, const struct operations *o, struct err *e)
{
	struct class_columns cols = choose_classes(r, o);
	const int64_t *alloc = find_alloc(r, o, true);
	cols.alloc = alloc != NULL;
	struct table_col col[KIND_COLS];
	struct table t;
	table_begin(&t, col, kind_cols(&cols, col));
	for (uint32_t k = 0; k < o->nkinds; k++)
		put_kind(r, &t, &o->kind[k], &cols, alloc ? alloc[k] : 0);
	int bad = table_sort(&t, r->o, e);
	if (!bad)
		table_print(&t, r->format, r->out);
	table_free(&t);
	return bad;
}

/* ---- what differs between two sides */

#define TIME_CLASS(id, name, title, key, state, text, verb) " " key
static const char sums[] = "count complete slow total_ns before"
#include "trace/time_class.def"
    ;
#undef TIME_CLASS

static int put_kinds(struct trace_report_ctx *r, struct table *t, const void *cols, struct err *e)
{
	const struct operations *o = find_operations(r, e);
	for (uint32_t k = 0; o && k < o->nkinds; k++)
		if (trace_report_is_named(r, o->kind[k].name, o->kind[k].nname))
			put_kind(r, t, &o->kind[k], cols, 0);
	return o ? 0 : -1;
}

static int print_changes(struct trace_report_ctx *r, struct err *e)
{
	struct class_columns cols = {.shares = false, .before = true};
	struct table_col col[KIND_COLS];
	for (int c = 0; c < TIME_CLASS__N; c++)
		cols.shown[c] = true;
	const struct trace_summary kinds = {
	    .col = col, .ncol = kind_cols(&cols, col), .sums = sums, .fill = put_kinds, .arg = &cols};
	return trace_summary_print(r, &kinds, e);
}

/* ---- operations */

/* What is listed: the operations of the named kinds, with their time by class. */
struct operation_rows {
	const struct operations *o;
	const struct class_table **of;	/* by kind; NULL: it is not named */
	const int64_t *alloc;		/* of operations; in JSON without -name of kinds; NULL: not shown */
	bool shown[TIME_CLASS__N];	/* which classes are columns */
};

/* Sum up the classes of the operations of the named kinds. */
static int find_classes(const struct trace_report_ctx *r, struct operation_rows *l, struct err *e)
{
	l->of = arena_zalloc(r->mem, (l->o->nkinds + 1u) * sizeof *l->of);
	for (int c = 0; c < TIME_CLASS__N; c++)
		l->shown[c] = is_wanted(r, c);
	for (uint32_t k = 0; k < l->o->nkinds; k++) {
		if (!trace_report_is_named(r, l->o->kind[k].name, l->o->kind[k].nname))
			continue;
		l->of[k] = operations_classes(r->sn, l->o, k, r->mem, &r->ask.on);
		if (!l->of[k])
			return err_set(e, ERR_CANCEL, ERR_NOWHERE, "stopped");
		for (int i = 0; i < l->of[k]->ncol; i++)
			l->shown[l->of[k]->col[i]] = true;
	}
	return 0;
}

static void put_operation(const struct trace_report_ctx *r, struct table *t, const struct operation_rows *l, uint32_t i)
{
	struct operation x = operations_get(l->o, i);
	const struct operation_kind *k = &l->o->kind[x.kind];
	table_int(t, (int64_t)x.id);
	if (x.g)
		table_int(t, (int64_t)store_trk(r->st, x.g)->id);
	else
		table_none(t);
	table_int(t, x.t0);
	table_int(t, x.t1 - x.t0);
	table_int(t, x.complete);
	table_int(t, x.complete && x.t1 - x.t0 >= k->slow_from);
	for (int c = 0; c < TIME_CLASS__N; c++) {
		int64_t ns = class_table_get(l->of[x.kind], i - k->first, (enum time_class)c);
		if (l->shown[c] && r->format == TF_TEXT && !ns)
			table_none(t);
		else if (l->shown[c])
			table_int(t, ns);
	}
	table_str(t, k->name, k->nname);
	if (l->alloc)
		table_int(t, l->alloc[i]);
}

enum { LIST_FIRST_COLS = 6, LIST_COLS = LIST_FIRST_COLS + TIME_CLASS__N + 2 };

static uint32_t list_cols(const struct operation_rows *l, struct table_col *col)
{
	static const struct table_col first[LIST_FIRST_COLS] = {
		{ "Operation", "operation", TB_INT }, { "Goroutine", "goroutine", TB_INT }, { "Start", "start_ns", TB_NS },
		{ "Duration", "duration_ns", TB_NS }, { "Complete", "complete", TB_INT }, { "Slow", "slow", TB_INT },
	};
	uint32_t n = LIST_FIRST_COLS;
	memcpy(col, first, sizeof first);
	for (int c = 0; c < TIME_CLASS__N; c++)
		if (l->shown[c])
			col[n++] = class_cols[c];
	col[n++] = (struct table_col){ "Kind", "name", TB_STR };
	if (l->alloc)
		col[n++] = trace_report_alloc_cols[0];
	return n;
}

/* Print the rows in the order of time, without keeping them. */
static void pour_list(const struct trace_report_ctx *r, struct table *t, const struct operation_rows *l)
{
	for (struct trace_report_rows rows = { .r = r, .t = t }; trace_report_next_pass(&rows);)
		for (uint32_t i = 0; i < l->o->n && !r->to->failed; i++)
			if (l->of[operations_kind_of(l->o, i)]) {
				put_operation(r, t, l, i);
				trace_report_end_item(&rows);
			}
}

static int sorted_list(const struct trace_report_ctx *r, struct table *t, const struct operation_rows *l, struct err *e)
{
	for (uint32_t i = 0; i < l->o->n; i++)
		if (l->of[operations_kind_of(l->o, i)])
			put_operation(r, t, l, i);
	if (table_sort(t, r->o, e))
		return -1;
	table_print(t, r->format, r->out);
	return 0;
}

static int list_table(const struct trace_report_ctx *r, const struct operation_rows *l, struct err *e)
{
	struct table_col col[LIST_COLS];
	struct table t;
	int bad = 0;
	table_begin(&t, col, list_cols(l, col));
	if (r->o->v[OPT_SORT].set)
		bad = sorted_list(r, &t, l, e);
	else
		pour_list(r, &t, l);
	table_free(&t);
	return bad;
}

/* ---- JSON */

static void classes_json(struct json *j, const int64_t ns[TIME_CLASS__N])
{
	json_object(j, "classes");
	for (int c = 0; c < TIME_CLASS__N; c++)
		if (ns[c])
			json_i64(j, time_class_name((enum time_class)c), ns[c]);
	json_end(j);
}

/* Write the function of the handler that worked for a request, if it is known. */
static void json_handler(const struct trace_report_ctx *r, struct json *j, stk_id handler)
{
	if (!handler)
		return;
	struct trace_report_text s =
	    trace_report_string(r, store_fun(r->st, store_frm(r->st, stk_frame(r->st, handler))->fun)->name, "");
	json_str(j, "handler", s.s, s.n);
}

static void operation_json(const struct trace_report_ctx *r, struct json *j, const struct operations *o,
    const struct operation *x, const int64_t ns[TIME_CLASS__N], const int64_t *alloc)
{
	json_object(j, NULL);
	json_u64(j, "id", x->id);
	json_u64(j, "goroutine", x->g ? store_trk(r->st, x->g)->id : 0);
	json_handler(r, j, operations_handler(o, x));
	json_i64(j, "start_ns", x->t0);
	if (x->complete)
		json_i64(j, "duration_ns", x->t1 - x->t0);
	else
		json_null(j, "duration_ns");
	if (alloc)
		json_i64(j, "alloc_bytes", *alloc);
	if (ns)
		classes_json(j, ns);
	json_end(j);
}

/* With -name, also the classes of each operation. */
static void kind_json(const struct trace_report_ctx *r, struct json *j, const struct operation_rows *l, uint32_t kind)
{
	static const char *const key[] = {"p50_ns", "p90_ns", "p99_ns", "max_ns"};
	const struct operation_kind *k = &l->o->kind[kind];
	const struct class_table *of = l->of ? l->of[kind] : NULL;
	const int64_t quantile[] = {k->p50, k->p90, k->p99, k->max};
	json_object(j, NULL);
	json_str(j, "name", k->name, k->nname);
	json_text(j, "found_by", operations_source_name(k->source));
	json_text(j, "counted_by", operations_counted_by(k));
	json_i64(j, "count", k->n - k->nbefore);
	if (k->source == OPERATION_SERVER && !k->streams) {
		json_i64(j, "before", k->nbefore);
		json_i64(j, "begun", k->nbegun);
	}
	json_i64(j, "complete", k->ncomplete);
	for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
		if (k->ncomplete)
			json_i64(j, key[i], quantile[i]);
		else
			json_null(j, key[i]);
	}
	json_i64(j, "slow", k->nslow);
	int64_t bytes = 0;
	for (uint32_t i = 0; of && i < k->n; i++)
		wrap_add_to(&bytes, l->alloc[k->first + i]);
	trace_report_json_alloc(r, j, of ? bytes : l->alloc[kind]);
	classes_json(j, k->class_ns);
	json_array(j, "operations");
	for (uint32_t i = 0; i < k->n && trace_report_flush(r); i++) {
		int64_t ns[TIME_CLASS__N];
		for (int c = 0; c < TIME_CLASS__N; c++)
			ns[c] = of ? class_table_get(of, i, (enum time_class)c) : 0;
		struct operation x = operations_of_kind(l->o, kind, i);
		operation_json(r, j, l->o, &x, of ? ns : NULL, of ? &l->alloc[k->first + i] : NULL);
	}
	json_end(j);
	json_end(j);
}

static void operations_json(const struct trace_report_ctx *r, const struct operation_rows *l)
{
	struct json j = { .b = r->out };
	json_object(&j, NULL);
	json_array(&j, "kinds");
	for (uint32_t k = 0; k < l->o->nkinds && !r->to->failed; k++)
		if (trace_report_is_named(r, l->o->kind[k].name, l->o->kind[k].nname))
			kind_json(r, &j, l, k);
	json_end(&j);
	json_end(&j);
}

static int print_operations(const struct trace_report_ctx *r, struct err *e)
{
	bool list = r->o->v[OPT_NAME].set;
	struct operation_rows l = {.o = find_operations(r, e)};
	if (!l.o || (list && find_classes(r, &l, e)))
		return -1;
	if (r->format != TF_JSON && !list)
		return kinds_table(r, l.o, e);
	l.alloc = find_alloc(r, l.o, !list);
	if (r->format != TF_JSON)
		return list_table(r, &l, e);
	operations_json(r, &l);
	return 0;
}

int report_operations(const struct options *o, struct out *out, struct err *e)
{
	struct trace_report_ctx r;
	if (trace_report_open(&r, o, out, e))
		return -1;
	int bad = trace_summary_compares(o) ? print_changes(&r, e) : print_operations(&r, e);
	trace_report_close(&r);
	return bad;
}
