/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace why`: where the time of one operation went, by its critical path. Of several that are selected it is the one
 * nearest their 99th percentile. Without a choice: the operation that shows the tail of the main kind, and the sum
 * over all operations.
 */
#include "config.h"
#include "report/trace/compare.h"
#include "report/trace/internal.h"

#include "base/text/text.h"
#include "base/wrap_math.h"
#include "critical/many.h"
#include "critical/trigger.h"
#include "critical/waterfall.h"
#include "session/query_targets.h"

#include <inttypes.h>
#include <string.h>

struct why_report {
	const struct trace_report_ctx *r;
	const struct operations *ops;
	const struct critical_walker *walker;
	struct query_targets targets;
	uint32_t at;			/* the target that is explained */
	bool triggered;			/* it is what the trigger of a flight recorder was about */
	struct critical_trigger trigger;
	struct critical_path path;
	struct critical_lines *lines;
	struct critical_waterfall *picture;
	struct critical_sum sum;	/* of all targets, if nothing was chosen; lines NULL: none */
};

/* ---- targets */

/* Take the operation for which a flight recorder wrote the snapshot. It may be open at the end: then it is no target of
   the sum. */
static bool choose_trigger(struct why_report *y)
{
	const struct trace_report_ctx *r = y->r;
	const struct trace_filter *f = &r->filter;
	if (y->targets.chosen || f->from != TIME_NONE || f->to != TIME_NONE || f->g || f->slice ||
	    !critical_find_trigger(r->sn, y->ops, &y->trigger) || y->trigger.operation == OPERATION_NONE)
		return false;
	uint32_t n = y->targets.n;
	struct critical_target *v = arena_alloc(r->mem, (n + 1u) * sizeof *v);
	memcpy(v, y->targets.v, n * sizeof *v);
	v[n] = critical_target_of_operation(y->ops, y->trigger.operation);
	y->targets.v = v;
	y->at = n;
	for (uint32_t i = 0; i < n; i++)
		y->at = v[i].operation == y->trigger.operation ? i : y->at;
	return true;
}

/* Choose the target that is explained: without a choice one of the main kind. */
static uint32_t choose_target(const struct why_report *y)
{
	uint32_t slowest = y->targets.chosen ? UINT32_MAX : operations_main_kind(y->ops), n = 0;
	struct critical_target *v = xmalloc((y->targets.n + 1u) * sizeof *v);
	uint32_t *index = xmalloc((y->targets.n + 1u) * sizeof *index);
	for (uint32_t i = 0; i < y->targets.n; i++) {
		const struct critical_target *t = &y->targets.v[i];
		if (y->targets.chosen || operations_kind_of(y->ops, t->operation) == slowest) {
			index[n] = i;
			v[n++] = *t;
		}
	}
	uint32_t at = n ? index[critical_target_nearest_p99(v, n)] : 0;
	mem_free(v);
	mem_free(index);
	return at;
}

static int find_targets(struct why_report *y, struct err *e)
{
	const struct trace_report_ctx *r = y->r;
	struct query q;
	if (query_of_options(r->o, &q, e) || query_add_places(r->sn, r->o, &q, e) ||
	    query_targets_find(r->sn, y->ops, &q, false, r->mem, &y->targets, e))
		return -1;
	if (!y->targets.n)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "%s", y->targets.chosen
		    ? "no task, operation, region or goroutine of the trace is selected"
		    : "the trace has no operations: use -goroutine, -from and -to");
	y->triggered = choose_trigger(y);
	if (!y->triggered)
		y->at = choose_target(y);
	return 0;
}

static bool make_answer(struct why_report *y)
{
	const struct trace_report_ctx *r = y->r;
	const struct critical_target *t = &y->targets.v[y->at];
	critical_path_walk(y->walker, t->g, t->t0, t->t1, &y->path);
	y->lines = critical_lines_new(r->sn);
	y->picture = critical_waterfall_new(y->lines, &y->path);
	return y->targets.chosen ||
	    critical_sum_lines(y->walker, y->targets.v, y->targets.n, &r->filter.on, &y->sum);
}

/* ---- tables */

enum { LINES = 20 };	/* of a text; the others are one line */

/* Append why the operation waited for the time of a line, and whether the time is exact. */
static void put_because(const struct critical_lines *l, const struct critical_line *v, struct buf *b)
{
	critical_line_put_because(l, v, b);
	if (v->approximate)
		buf_puts(b, " (approximate)");
}

/* Text: the place before the reason, and only the first user frame. For scripts the columns of a place are the last. */
static void put_line(const struct why_report *y, struct table *t, const struct critical_lines *l,
    const struct critical_line *v)
{
	struct buf b = {0};
	int64_t total = critical_lines_total(l);
	table_share(t, total ? (double)v->ns / (double)total : 0);
	table_int(t, v->ns);
	table_str(t, time_class_name(v->cls), strlen(time_class_name(v->cls)));
	if (y->r->format == TF_TEXT) {
		critical_put_place(&b, y->r->st, v->at);
		table_str(t, b.p, b.n);
		buf_reset(&b);
	}
	critical_line_put_whose(l, v, &b);
	table_str(t, b.p, b.n);
	buf_reset(&b);
	put_because(l, v, &b);
	table_str(t, b.p, b.n);
	if (y->r->format != TF_TEXT)
		trace_report_add_site(y->r, t, v->stack);
	buf_free(&b);
}

static void put_others(struct table *t, const struct critical_lines *l, uint32_t from)
{
	struct buf b = {0};
	int64_t ns = 0, total = critical_lines_total(l);
	uint32_t n = critical_lines_count(l);
	if (from == n)
		return;
	for (uint32_t i = from; i < n; i++)
		wrap_add_to(&ns, critical_lines_at(l, i)->ns);
	buf_printf(&b, "%" PRIu32 " other line%s", n - from, text_s(n - from));
	table_share(t, total ? (double)ns / (double)total : 0);
	table_int(t, ns);
	table_str(t, b.p, b.n);
	for (int i = 0; i < 3; i++)
		table_str(t, "", 0);
	buf_free(&b);
}

static void put_lines(const struct why_report *y, const struct critical_lines *l)
{
#define AMOUNT { "Share", "share", TB_SHARE }, { "Time", "duration_ns", TB_NS }, { "Class", "class", TB_STR }
#define REASON { "Whose", "whose", TB_STR }, { "Because", "because", TB_STR }
	static const struct table_col text[] = { AMOUNT, { "Where", "where", TB_STR }, REASON };
	static const struct table_col data[] = { AMOUNT, REASON, TRACE_REPORT_SITE };
#undef AMOUNT
#undef REASON
	const struct trace_report_ctx *r = y->r;
	struct table t;
	uint32_t n = critical_lines_count(l), shown = r->format == TF_TEXT && n > LINES + 1 ? LINES : n;
	if (r->format == TF_TEXT)
		table_begin(&t, text, sizeof text / sizeof *text);
	else
		table_begin(&t, data, sizeof data / sizeof *data);
	for (uint32_t i = 0; i < shown; i++)
		put_line(y, &t, l, critical_lines_at(l, i));
	put_others(&t, l, shown);
	table_print(&t, r->format, r->out);
	table_free(&t);
}

/* ---- text */

/* Get the durations of the complete ones among which a target has its rank: of an operation, those of its kind. */
static int64_t *durations_of_kind(const struct why_report *y, const struct critical_target *t, uint32_t *n)
{
	const struct operation_kind *k = t->operation == OPERATION_NONE ? NULL
	    : &y->ops->kind[operations_kind_of(y->ops, t->operation)];
	uint32_t all = k ? k->n : y->targets.n;
	int64_t *ns = xmalloc((all + 1u) * sizeof *ns);
	*n = 0;
	for (uint32_t i = 0; i < all; i++) {
		struct critical_target x = k ? critical_target_of_operation(y->ops, k->first + i) : y->targets.v[i];
		if (x.complete)
			ns[(*n)++] = x.t1 - x.t0;
	}
	return ns;
}

static void put_rank(const struct why_report *y, const struct critical_target *t)
{
	uint32_t n, upto = 0;
	int64_t *ns = durations_of_kind(y, t, &n);
	for (uint32_t i = 0; i < n; i++)
		upto += ns[i] <= t->t1 - t->t0;
	if (n > 1 && t->complete) {
		stats_sort(ns, n);
		buf_puts(y->r->out, " (");
		critical_put_rank(y->r->out, upto, n);
		buf_puts(y->r->out, "; p50 ");
		text_ns(y->r->out, stats_quantile(ns, n, 0.5));
		buf_putc(y->r->out, ')');
	}
	mem_free(ns);
}

static void put_head(const struct why_report *y)
{
	const struct critical_target *t = &y->targets.v[y->at];
	struct buf *b = y->r->out;
	const struct trk_row *g = store_trk(y->r->st, t->g);
	struct trace_report_text name = trace_report_string(y->r, store_origin(y->r->st, g)->name, "");
	buf_puts(b, "why ");
	text_safe(b, t->kind.s, t->kind.n);
	buf_printf(b, t->operation == OPERATION_NONE ? " %" PRIu64 ": " : " #%" PRIu64 ": ", t->id);
	text_ns(b, y->path.t1 - y->path.t0);
	put_rank(y, t);
	buf_printf(b, ", G%" PRIu64 " ", (uint64_t)g->id);
	text_safe(b, name.s, name.n);
	buf_puts(b, ", at ");
	text_at(b, y->path.t0, 1000);
	buf_puts(b, t->complete ? "" : ", not complete in the trace");
	if (y->triggered) {
		buf_putc(b, '\n');
		critical_put_trigger(b, y->r->sn, y->ops, &y->trigger);
	}
	if (y->targets.n > 1 && y->targets.chosen)
		buf_printf(b, t->complete ? "\nof %" PRIu32 " that fit it is the one nearest their p99"
		    : "\nof %" PRIu32 " that fit it is the longest that is not complete", y->targets.n);
	struct buf most = {0};
	critical_put_most(&most, y->r->sn, y->lines, y->picture);
	buf_putc(b, '\n');
	text_safe(b, most.p, most.n);
	buf_puts(b, most.n ? "\n\n" : "\n");
	buf_free(&most);
}

static void put_sum_head(const struct why_report *y)
{
	struct buf *b = y->r->out;
	buf_printf(b, "\nall %" PRIu32 " operations together: ", y->targets.n);
	text_ns(b, critical_lines_total(y->sum.lines));
	if (y->sum.n < y->targets.n)
		buf_printf(b, " (approximate: %" PRIu32 " of them, evenly spaced)", y->sum.n);
	buf_puts(b, "\n\n");
}

/* ---- JSON */

static struct trace_report_text function_name(const struct why_report *y, stk_id node)
{
	return trace_report_string(
	    y->r, store_fun(y->r->st, store_frm(y->r->st, stk_frame(y->r->st, node))->fun)->name, "");
}

static void json_place(const struct why_report *y, struct json *j, stk_id stack)
{
	stk_id at = critical_place(y->r->st, stack);
	const struct frm_row *f = store_frm(y->r->st, stk_frame(y->r->st, at));
	const struct fun_row *fun = store_fun(y->r->st, f->fun);
	struct trace_report_text name = function_name(y, at), file = trace_report_string(y->r, fun->file, "");
	json_str(j, "function", name.s, name.n);
	json_str(j, "file", file.s, file.n);
	json_i64(j, "line", at ? f->line : 0);
}

static void json_goroutine(const struct why_report *y, struct json *j, const char *key, trk_id g)
{
	if (g)
		json_u64(j, key, store_trk(y->r->st, g)->id);
	else
		json_null(j, key);
}

static void json_via(const struct why_report *y, struct json *j, uint32_t via)
{
	uint32_t *way = xmalloc((CRITICAL_DEPTH + 1) * sizeof *way), n = 0;
	for (; via != CRITICAL_NONE && n < CRITICAL_DEPTH; via = y->path.via[via].up)
		way[n++] = via;
	json_array(j, "via");
	while (n) {
		const struct critical_via *v = &y->path.via[way[--n]];
		stk_id at = critical_place(y->r->st, v->stack);
		struct trace_report_text name = function_name(y, at);
		json_object(j, NULL);
		json_goroutine(y, j, "goroutine", v->g);
		json_str(j, "function", name.s, name.n);
		json_text(j, "class", time_class_name(v->cls));
		json_end(j);
	}
	json_end(j);
	mem_free(way);
}

/* occupants: the start function of several goroutines, which share the part. */
static void json_occupant(const struct why_report *y, struct json *j, const struct critical_piece *v)
{
	const struct str_row *name = store_str(y->r->st, v->occupant ? (str_id)store_trk_name(y->r->st, v->occupant) : 0);
	json_goroutine(y, j, "occupant", v->several ? 0 : v->occupant);
	if (v->several)
		json_str(j, "occupants", name->s, name->n);
}

static void json_part(const struct why_report *y, struct json *j, const struct critical_piece *v)
{
	int64_t total = y->path.t1 - y->path.t0;
	json_object(j, NULL);
	json_text(j, "class", time_class_name(v->cls));
	json_i64(j, "ns", v->t1 - v->t0);
	json_f64(j, "share", (double)(v->t1 - v->t0) / (double)total);
	json_place(y, j, v->stack);
	json_array(j, "stack");
	for (stk_id s = v->end ? v->end : v->stack; s; s = stk_parent(y->r->st, s)) {
		struct trace_report_text name = function_name(y, s);
		json_str(j, NULL, name.s, name.n);
	}
	json_end(j);
	json_goroutine(y, j, "goroutine", v->g);
	json_via(y, j, v->via);
	json_i64(j, "from_ns", v->t0);
	json_i64(j, "to_ns", v->t1);
	json_bool(j, "followed", v->followed);
	if (v->reason == CRITICAL_OCCUPIED)
		json_occupant(y, j, v);
	if (v->reason == CRITICAL_BEFORE)
		json_bool(j, "before_trace", true);
	if (v->approximate)
		json_bool(j, "approximate", true);
	json_end(j);
}

/* Write a line as one sentence. */
static void json_line_text(struct json *j, const struct critical_lines *l, const struct critical_line *v,
    const struct store *st, double share)
{
	struct buf b = {0}, more = {0};
	buf_printf(&b, "%.1f %% ", 100 * share);
	text_ns(&b, v->ns);
	buf_printf(&b, " %s", time_class_name(v->cls));
	buf_puts(&b, v->at ? " " : "");
	critical_put_place(&b, st, v->at);
	critical_line_put_whose(l, v, &more);
	buf_puts(&b, more.n ? ", " : "");
	buf_put(&b, more.p, more.n);
	buf_reset(&more);
	put_because(l, v, &more);
	buf_puts(&b, more.n ? ", " : "");
	buf_put(&b, more.p, more.n);
	json_str(j, "text", b.p, b.n);
	buf_free(&b);
	buf_free(&more);
}

static void json_lines(const struct why_report *y, struct json *j, const struct critical_lines *l)
{
	int64_t total = critical_lines_total(l);
	json_array(j, "lines");
	for (uint32_t i = 0; i < critical_lines_count(l) && trace_report_flush(y->r); i++) {
		const struct critical_line *v = critical_lines_at(l, i);
		double share = total ? (double)v->ns / (double)total : 0;
		json_object(j, NULL);
		json_text(j, "class", time_class_name(v->cls));
		json_i64(j, "ns", v->ns);
		json_f64(j, "share", share);
		json_place(y, j, v->at);
		json_i64(j, "goroutines", v->ngoroutines);
		if (v->approximate)
			json_bool(j, "approximate", true);
		json_line_text(j, l, v, y->r->st, share);
		json_end(j);
	}
	json_end(j);
	json_object(j, "classes");
	for (int c = 0; c < TIME_CLASS__N; c++)
		if (critical_lines_classes(l)[c])
			json_i64(j, time_class_name((enum time_class)c), critical_lines_classes(l)[c]);
	json_end(j);
}

static void why_json(const struct why_report *y)
{
	const struct critical_target *t = &y->targets.v[y->at];
	struct json j = { .b = y->r->out };
	json_object(&j, NULL);
	json_object(&j, "operation");
	json_u64(&j, "id", t->id);
	json_str(&j, "kind", t->kind.s, t->kind.n);
	json_goroutine(y, &j, "goroutine", t->g);
	json_i64(&j, "start_ns", y->path.t0);
	json_i64(&j, "duration_ns", y->path.t1 - y->path.t0);
	json_end(&j);
	json_i64(&j, "count", y->targets.n);
	json_array(&j, "parts");
	for (size_t i = 0; i < y->path.n && trace_report_flush(y->r); i++)
		json_part(y, &j, &y->path.v[i]);
	json_end(&j);
	json_lines(y, &j, y->lines);
	if (y->sum.lines) {
		json_object(&j, "all");
		json_i64(&j, "count", y->sum.n);
		json_bool(&j, "approximate", y->sum.n < y->targets.n);
		json_lines(y, &j, y->sum.lines);
		json_end(&j);
	}
	json_end(&j);
}

static void print_answer(const struct why_report *y)
{
	if (y->r->format == TF_JSON) {
		why_json(y);
		return;
	}
	if (y->r->format == TF_TEXT)
		put_head(y);
	put_lines(y, y->lines);
	if (y->r->format == TF_TEXT && y->sum.lines && y->targets.n > 1) {
		put_sum_head(y);
		put_lines(y, y->sum.lines);
	}
}

/* Print what is different in slow operations. */
static int compare_with_rest(struct trace_report_ctx *r, struct err *e)
{
	struct report_comparison p;
	int bad = report_compare_open(&p, r, NULL, NULL, e);
	struct json j = {.b = r->out};
	if (!bad && r->format == TF_JSON) {
		json_object(&j, NULL);
		report_compare_json(&j, p.c);
		json_end(&j);
	} else if (!bad && r->format == TF_TEXT) {
		report_compare_text(r, p.c);
	} else if (!bad) {
		report_compare_table(r, p.c);
	}
	report_compare_close(&p);
	return bad;
}

int report_why(const struct options *o, struct out *out, struct err *e)
{
	struct trace_report_ctx r;
	struct why_report y = {.r = &r};
	int bad = -1;
	if (trace_report_open(&r, o, out, e))
		return -1;
	y.ops = operations_shared(r.sn, &r.filter.on);
	y.walker = y.ops ? critical_walker_new(r.sn, y.ops, r.mem, &r.filter.on) : NULL;
	if (y.walker && options_bool(o, OPT_REST))
		bad = compare_with_rest(&r, e);
	else if (y.walker && !find_targets(&y, e)) {
		bad = 0;
		if (make_answer(&y))
			print_answer(&y);
	}
	critical_lines_free(y.lines);
	critical_waterfall_free(y.picture);
	critical_lines_free(y.sum.lines);
	critical_path_free(&y.path);
	trace_report_close(&r);
	return bad;
}
