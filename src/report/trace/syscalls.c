/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace syscalls`: system calls by place: the innermost frame (the call) and
 * the first user frame, or the outermost frame if there is no user code (the
 * caller). Count, total and quantiles, by the rules of -type=syscall.
 */
#include "config.h"
#include "report/trace/internal.h"

#include "base/u64_map.h"
#include "base/wrap_math.h"
#include "report/trace/summary.h"
#include "trace/focus.h"
#include "trace/user_code.h"

#include <stdlib.h>
#include <string.h>

struct site { frm_id leaf, from; uint32_t n, first; int64_t total; };
struct syscall_time { int64_t ns; uint32_t site; };
struct syscall_table {
	const struct trace_report_ctx *r;
	struct data_column v;			/* struct syscall_time, in the order of calls; there may be very many */
	uint32_t *of_stack;		/* by stack: index of its site + 1 */
	struct site *site;
	size_t csite;
	uint32_t n;			/* number of sites */
	struct u64_hash index;		/* by leaf and from: index of the site */
};

/* Find the call and the caller of a stack; done once per stack. */
static uint32_t site_of(struct syscall_table *c, stk_id stack)
{
	const struct trace_report_ctx *r = c->r;
	stk_id user = user_code_first_frame(r->st, stack);
	struct site x = { .leaf = stack ? stk_frame(r->st, stack) : 0,
	    .from = user ? stk_frame(r->st, user) : stats_root_frame(r->st, stack) };
	bool fresh;
	struct u64_slot *i = u64_map_put(&c->index, (uint64_t)x.leaf << 32 | x.from, &fresh);
	if (fresh) {
		i->n = c->n;
		c->site = mem_grow(c->site, &c->csite, ++c->n, sizeof *c->site);
		c->site[i->n] = x;
	}
	return (uint32_t)i->n;
}

static void one_call(void *arg, const struct charged_stretch *x)
{
	struct syscall_table *c = arg;
	const struct trace_focus *focus = c->r->filter.focus;
	if (focus && !trace_focus_has_event(focus, x->g, 0, x->stack))
		return;
	uint32_t *site = &c->of_stack[x->stack];
	if (!*site)
		*site = site_of(c, x->stack) + 1;
	struct site *s = &c->site[*site - 1];
	s->n++;
	s->total = wrap_add(s->total, x->ns);
	*(struct syscall_time *)column_add(&c->v, NULL) = (struct syscall_time){ x->ns, *site - 1 };
}

static int by_total(const void *a, const void *b)
{
	const struct site *x = a, *y = b;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (x->leaf != y->leaf)
		return x->leaf < y->leaf ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* Return the durations by site, in the order of the first call of each site. */
static int64_t *by_site(const struct syscall_table *c)
{
	uint32_t n = column_n(&c->v), *at = xmalloc((c->n + 1u) * sizeof *at), all = 0;
	int64_t *ns = arena_alloc(c->r->mem, (n + 1u) * sizeof *ns);
	for (uint32_t i = 0; i < c->n; i++) {
		c->site[i].first = at[i] = all;
		all += c->site[i].n;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct syscall_time *v = column_at(&c->v, i);
		ns[at[v->site]++] = v->ns;
	}
	mem_free(at);
	return ns;
}

static void site_row(const struct trace_report_ctx *r, struct table *t, const struct site *s, int64_t *ns)
{
	int64_t q[TRACE_REPORT_QUANTILES];
	trace_report_quantiles(ns + s->first, s->n, q);
	table_int(t, s->n);
	table_int(t, s->total);
	for (int i = 0; i < TRACE_REPORT_QUANTILES; i++)
		table_int(t, q[i]);
	const frm_id f[] = { s->leaf, s->from };
	for (int i = 0; i < 2; i++) {
		struct buf b = {0};
		trace_report_put_frame(r, &b, f[i]);
		table_str(t, b.p ? b.p : "", b.n);
		buf_free(&b);
	}
}

static int put_calls(struct trace_report_ctx *r, struct table *t, const void *arg, struct err *e)
{
	(void)arg, (void)e;
	struct syscall_table c = { .r = r, .of_stack = xcalloc(r->sn->nstks + 1u, sizeof *c.of_stack) };
	column_init(&c.v, sizeof(struct syscall_time));
	r->filter.each = one_call;
	r->filter.arg = &c;
	trace_weigh(r->sn, TRACE_SYSCALL, &r->filter, r->mem);
	int64_t *ns = by_site(&c);
	column_free(&c.v);
	if (c.n)
		qsort(c.site, c.n, sizeof *c.site, by_total);
	for (uint32_t i = 0; i < c.n; i++)
		site_row(r, t, &c.site[i], ns);
	u64_map_free(&c.index);
	mem_free(c.of_stack);
	mem_free(c.site);
	return 0;
}

int report_syscalls(const struct options *o, struct out *out, struct err *e)
{
	static const struct table_col col[] = {
		{ "Count", "count", TB_INT }, { "Total", "total_ns", TB_NS }, { "p50", "p50_ns", TB_NS },
		{ "p90", "p90_ns", TB_NS }, { "p99", "p99_ns", TB_NS }, { "Max", "max_ns", TB_NS },
		{ "Call", "call", TB_STR }, { "Caller", "caller", TB_STR },
	};
	static const struct trace_summary calls = {
		.col = col, .ncol = sizeof col / sizeof *col, .sums = "count total_ns", .fill = put_calls };
	struct trace_report_ctx r;
	if (trace_report_open(&r, o, out, e))
		return -1;
	int bad = trace_summary_print(&r, &calls, e);
	trace_report_close(&r);
	return bad;
}
