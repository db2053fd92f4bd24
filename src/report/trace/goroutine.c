/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace goroutine ID`: one goroutine, all of its states in time order with wakers and the places where it waited.
 */
#include "config.h"
#include "report/trace/internal.h"

#include "base/text/text.h"
#include "calltree/weighted.h"
#include "trace/bins.h"
#include "trace/longest_wait.h"
#include "trace/wait_before.h"

#include <inttypes.h>
#include <string.h>

static const char *const state_names[TS__N] = {
#define STATE(id, letter, name, reason) name,
#include "state.def"
#undef STATE
};

static void put_waker_cell(const struct trace_report_ctx *r, struct table *t, const struct trace_interval *v)
{
	struct buf b = {0};
	if (v->state == TS_OTHER && v->peer) {
		struct trace_report_text s = trace_report_string(r, v->peer, "");
		buf_put(&b, s.s, s.n);
	} else if (v->peer) {
		const struct trk_row *w = store_trk(r->st, v->peer);
		buf_printf(&b, "%s%" PRIu64, w->kind == TK_G ? "g" : "p", (uint64_t)w->id);
	}
	table_str(t, b.p ? b.p : "", b.n);
	buf_free(&b);
}

static void states_table(const struct trace_report_ctx *r, trk_id g, struct table *t)
{
	static const struct table_col col[] = {
		{ "At", "start_ns", TB_NS }, { "Duration", "duration_ns", TB_NS }, { "State", "state", TB_STR },
		{ "By", "by", TB_STR }, TRACE_REPORT_SITE,
	};
	struct trace_interval v;
	table_begin(t, col, trace_report_site_cols(r, sizeof col / sizeof *col));
	bool go = trace_interval_at(r->sn, g, r->t0, &v) || trace_interval_near(r->sn, g, r->t0, 1, &v);
	for (; go && v.t0 < r->t1; go = trace_interval_step(r->sn, &v, 1)) {
		table_int(t, v.t0);
		table_int(t, v.t1 - v.t0);
		table_str(t, state_names[v.state], strlen(state_names[v.state]));
		put_waker_cell(r, t, &v);
		trace_report_add_site(r, t, v.stack);
	}
}

static void stack_lines(const struct trace_report_ctx *r, const char *title, stk_id s)
{
	if (!s)
		return;
	buf_puts(r->out, title);
	buf_putc(r->out, '\n');
	struct buf line = {0};
	for (; s; s = stk_parent(r->st, s)) {
		buf_reset(&line);
		trace_report_put_frame(r, &line, stk_frame(r->st, s));
		buf_puts(r->out, "    ");
		text_safe(r->out, line.p, line.n);
		buf_putc(r->out, '\n');
	}
	buf_free(&line);
}

static void part_line(const struct trace_report_ctx *r, const char *what, struct trace_report_text name, int64_t ns)
{
	if (!ns)
		return;
	buf_printf(r->out, "  %s", what);
	text_safe(r->out, name.s, name.n);
	buf_puts(r->out, ": ");
	text_ns(r->out, ns);
	buf_putc(r->out, '\n');
}

/* Print the goroutines that it created, in the order of their ids in the store. */
static void children_lines(const struct trace_report_ctx *r, trk_id g)
{
	bool any = false;
	for (trk_id t = 1; t < r->sn->ntrks; t++) {
		const struct trk_row *row = store_trk(r->st, t);
		if (row->kind != TK_G || row->creator != g)
			continue;
		struct trace_report_text name = trace_report_string(r, store_origin(r->st, row)->name, "(no start function)");
		buf_puts(r->out, any ? "" : "created by it\n");
		any = true;
		buf_printf(r->out, "    goroutine %" PRIu64 " ", (uint64_t)row->id);
		text_safe(r->out, name.s, name.n);
		if (row->t0 != TIME_NONE) {
			buf_puts(r->out, " at ");
			text_ns(r->out, row->t0);
		}
		buf_putc(r->out, '\n');
	}
}

static bool its_region(const struct sink_span *s, trk_id g)
{
	return s->kind == SP_REGION && s->trk == g && !(s->v0 & RG_LOOSE);
}

static int cmp_begin(const void *ctx, uint32_t a, uint32_t b)
{
	int64_t x = store_span(ctx, a)->s.t0, y = store_span(ctx, b)->s.t0;
	x = x == TIME_NONE ? INT64_MIN : x;
	y = y == TIME_NONE ? INT64_MIN : y;
	return x != y ? (x < y ? -1 : 1) : a < b ? 1 : -1;	/* the one that ends later is outside */
}

/* Return the regions of a goroutine by start; the caller frees them. */
static uint32_t *regions_of(const struct trace_report_ctx *r, trk_id g, uint32_t *n)
{
	uint32_t *v = NULL;
	size_t cap = 0;
	*n = 0;
	for (uint32_t i = 0; i < r->sn->nspans; i++) {
		if (!its_region(&store_span(r->st, i)->s, g))
			continue;
		v = mem_grow(v, &cap, *n + 1u, sizeof *v);
		v[(*n)++] = i;
	}
	calltree_sort_u32(v, *n, cmp_begin, r->st);
	return v;
}

static void region_lines(const struct trace_report_ctx *r, trk_id g)
{
	uint32_t n, *v = regions_of(r, g, &n);
	for (uint32_t i = 0; i < n; i++) {
		const struct sink_span *s = &store_span(r->st, v[i])->s;
		int64_t a, b;
		struct trace_report_text name = trace_report_string(r, s->name, "(inherited task)");
		buf_puts(r->out, i ? "" : "regions\n");
		time_search_span_bounds(r->sn, s, &a, &b);
		buf_puts(r->out, "    ");
		text_safe(r->out, name.s, name.n);
		if (s->id)
			buf_printf(r->out, " of task %" PRIu64, s->id);
		buf_puts(r->out, s->t0 == TIME_NONE ? " started before the trace, " : " at ");
		if (s->t0 != TIME_NONE) {
			text_ns(r->out, a);
			buf_puts(r->out, ", ");
		}
		text_ns(r->out, b - a);
		buf_puts(r->out, s->t1 == TIME_NONE ? ", not ended\n" : "\n");
	}
	mem_free(v);
}

/* Did the goroutine exist before? A C thread that calls into Go again gets the same goroutine number, and the times are
   those of the last call. */
static bool lived_before(const struct trace_report_ctx *r, trk_id g)
{
	struct trace_interval v;
	int64_t t0 = store_trk(r->st, g)->t0;
	bool have = t0 != TIME_NONE &&
		    (trace_interval_at(r->sn, g, r->sn->t0, &v) || trace_interval_near(r->sn, g, r->sn->t0, 1, &v));
	while (have && v.state == TS_NONE)
		have = trace_interval_step(r->sn, &v, 1);
	return have && v.t0 < t0;
}

/* Return "still blocked" or "still runnable" for the end of the trace, with its last span in *v; NULL: neither. */
static const char *still(const struct trace_report_ctx *r, trk_id g, struct trace_interval *v)
{
	return trace_interval_at(r->sn, g, r->sn->t1 - 1, v) ? trace_interval_end_text(r->sn, v) : NULL;
}

static void still_line(const struct trace_report_ctx *r, trk_id g)
{
	struct trace_interval v;
	const char *how = still(r, g, &v);
	if (!how)
		return;
	buf_printf(r->out, "  %s at the end of the trace", how);
	if (state_is_wait(v.state))
		buf_printf(r->out, ", %s", state_names[v.state]);
	buf_puts(r->out, ": ");
	text_ns(r->out, v.t1 - v.t0);
	buf_putc(r->out, '\n');
}

static void goroutine_head(const struct trace_report_ctx *r, trk_id g, const struct goroutine_times *x)
{
	const struct trk_row *row = store_trk(r->st, g);
	const struct trace_report_text no = { "", 0 };
	struct trace_report_text name = trace_report_string(r, store_origin(r->st, row)->name, "(no stack sampled)");
	buf_printf(r->out, "goroutine %" PRIu64 " ", (uint64_t)row->id);
	text_safe(r->out, name.s, name.n);
	if (row->creator)
		buf_printf(r->out, ", created by goroutine %" PRIu64, (uint64_t)store_trk(r->st, row->creator)->id);
	buf_puts(r->out, !row->to_t1 ? ", alive at the end\n" : "\n");
	if (store_trk_start(r->st, g) != store_trk_name(r->st, g)) {
		struct trace_report_text start = trace_report_string(r, store_trk_start(r->st, g), "");
		buf_puts(r->out, "  called by its start function ");
		text_safe(r->out, start.s, start.n);
		buf_putc(r->out, '\n');
	}
	if (lived_before(r, g)) {
		buf_puts(r->out, "  last call from C at ");
		text_ns(r->out, row->t0);
		buf_puts(r->out, "; its spans and regions are those of all calls from C\n");
	}
	part_line(r, "total", no, x->total);
	part_line(r, "running", no, x->exec);
	part_line(r, "runnable", no, x->ready);
	part_line(r, "in system calls", no, x->syscall);
	part_line(r, "blocked in system calls", no, x->sysblock);
	for (uint32_t i = 0; i < x->nblock; i++) {
		bool unknown = !x->block[i].name && !*x->block[i].text;
		int64_t ns = x->block[i].ns - (unknown ? x->before_ns : 0);
		if (ns > 0 || !unknown)
			part_line(r, "blocked, ",
			    trace_report_string(r, x->block[i].name, unknown ? "reason unknown" : x->block[i].text), ns);
	}
	if (x->before_ns)
		part_line(r, "blocked " TRACE_BEFORE ", ",
		    trace_report_string(r, 0, stats_before_reason(x)), x->before_ns);
	still_line(r, g);
	part_line(r, "unknown", no, x->unknown);
	for (uint32_t i = 0; i < x->nrange; i++)
		part_line(r, "of that, in ", trace_report_string(r, x->range[i].name, ""), x->range[i].ns);
	stack_lines(r, "created at", store_origin(r->st, row)->created);
	children_lines(r, g);
	region_lines(r, g);
	buf_putc(r->out, '\n');
}

/* Write the goroutines that it created, and its regions; the end of a region is null if the trace does not have it. */
static void relatives_json(const struct trace_report_ctx *r, trk_id g, struct json *j)
{
	json_array(j, "children");
	for (trk_id t = 1; t < r->sn->ntrks; t++) {
		const struct trk_row *row = store_trk(r->st, t);
		if (row->kind != TK_G || row->creator != g)
			continue;
		struct trace_report_text name = trace_report_string(r, store_origin(r->st, row)->name, "");
		json_object(j, NULL);
		json_u64(j, "id", row->id);
		json_str(j, "name", name.s, name.n);
		json_i64(j, "start_ns", row->t0 == TIME_NONE ? 0 : row->t0);
		json_end(j);
	}
	json_end(j);
	json_array(j, "regions");
	uint32_t n, *v = regions_of(r, g, &n);
	for (uint32_t i = 0; i < n; i++) {
		const struct sink_span *s = &store_span(r->st, v[i])->s;
		struct trace_report_text name = trace_report_string(r, s->name, "");
		json_object(j, NULL);
		json_str(j, "name", name.s, name.n);
		json_u64(j, "task", s->id);
		if (s->t0 == TIME_NONE)
			json_null(j, "start_ns");
		else
			json_i64(j, "start_ns", s->t0);
		if (s->t1 == TIME_NONE)
			json_null(j, "end_ns");
		else
			json_i64(j, "end_ns", s->t1);
		json_end(j);
	}
	json_end(j);
	mem_free(v);
}

/* Write the first user frame from the cells after "where"; null if the stack has none. */
static void user_json(struct json *j, const struct table_cell *c)
{
	if (c[0].none) {
		json_null(j, "user_function");
		json_null(j, "user_file");
		json_null(j, "user_line");
		return;
	}
	json_str(j, "user_function", c[0].s, c[0].n);
	json_str(j, "user_file", c[1].s, c[1].n);
	json_i64(j, "user_line", c[2].i);
}

static void goroutine_json(
    const struct trace_report_ctx *r, trk_id g, const struct goroutine_times *x, const struct table *t)
{
	const struct trk_row *row = store_trk(r->st, g);
	struct trace_report_text name = trace_report_string(r, store_origin(r->st, row)->name, "");
	struct json j = { .b = r->out };
	json_object(&j, NULL);
	json_u64(&j, "id", row->id);
	json_str(&j, "name", name.s, name.n);
	struct trace_report_text start = trace_report_string(r, store_trk_start(r->st, g), "");
	json_str(&j, "start_function", start.s, start.n);
	if (row->creator)
		json_u64(&j, "creator", store_trk(r->st, row->creator)->id);
	else
		json_null(&j, "creator");
	json_i64(&j, "start_ns", x->t0);
	trace_report_json_times(r, &j, x);
	struct trace_interval last;
	const char *how = still(r, g, &last);
	trace_report_json_still(&j, how && state_is_wait(last.state) ? last.t1 - last.t0 : 0);
	json_array(&j, "states");
	for (size_t i = 0; i + t->ncol <= t->ncell; i += t->ncol) {
		json_object(&j, NULL);
		json_i64(&j, "start_ns", t->cell[i].i);
		json_i64(&j, "duration_ns", t->cell[i + 1].i);
		json_str(&j, "state", t->cell[i + 2].s, t->cell[i + 2].n);
		json_str(&j, "by", t->cell[i + 3].s, t->cell[i + 3].n);
		json_str(&j, "who", t->cell[i + 3].s, t->cell[i + 3].n);	/* the earlier name of "by", for programs that read it */
		json_str(&j, "where", t->cell[i + 4].s, t->cell[i + 4].n);
		user_json(&j, &t->cell[i + 5]);
		json_end(&j);
	}
	json_end(&j);
	relatives_json(r, g, &j);
	json_end(&j);
}

int report_goroutine(const struct options *o, struct out *out, struct err *e)
{
	struct trace_report_ctx r;
	if (trace_report_open(&r, o, out, e))
		return -1;
	uint64_t id;
	trk_id g = trace_parse_id(o->arg ? o->arg : "", 'g', &id) ? trace_find_track(r.sn, TK_G, id) : 0;
	if (!g) {
		trace_report_close(&r);
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "no goroutine \"%s\" in the trace",
		    o->arg ? o->arg : "");
	}
	struct goroutine_times x;
	struct table t;
	stats_of_goroutine(stats_index_new(r.sn, r.mem), g, TIME_NONE, TIME_NONE, r.mem, &x);
	states_table(&r, g, &t);
	int bad = table_sort(&t, o, e);
	if (!bad && r.format == TF_JSON) {
		goroutine_json(&r, g, &x, &t);
	} else if (!bad) {
		if (r.format == TF_TEXT)
			goroutine_head(&r, g, &x);
		table_print(&t, r.format, r.out);
	}
	table_free(&t);
	trace_report_close(&r);
	return bad;
}
