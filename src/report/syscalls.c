/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace syscalls`: system calls by where they were made: the innermost frame
 * (the call) and the innermost one above it that is not of the standard
 * library's own plumbing (who wanted it). Count, total and quantiles, by the
 * rules of -type=syscall.
 */
#include "config.h"
#include "report/trep.h"

#include <stdlib.h>
#include <string.h>

struct call { stk_id stack; frm_id leaf, from; int64_t ns; };
struct calls { const struct trep *r; struct call *v; size_t n, cap; };

static bool plumbing(const struct trep *r, frm_id f)
{
	static const char *const packages[] = {
	    "syscall.", "runtime.", "internal/", "os.", "golang.org/x/sys/unix.", "net.(*"};
	struct trep_text s = trep_str(r, store_fun(r->st, store_frm(r->st, f)->fun)->name, "");
	for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
		size_t n = strlen(packages[i]);
		if (s.n >= n && !memcmp(s.s, packages[i], n))
			return true;
	}
	return false;
}

static void one_call(void *arg, trk_id g, int64_t ns, stk_id stack)
{
	struct calls *c = arg;
	(void)g;
	c->v = mem_grow(c->v, &c->cap, c->n + 1, sizeof *c->v);
	c->v[c->n++] = (struct call){ .stack = stack, .ns = ns };
}

static int by_stack(const void *a, const void *b)
{
	const struct call *x = a, *y = b;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

static int by_site(const void *a, const void *b)
{
	const struct call *x = a, *y = b;
	if (x->leaf != y->leaf)
		return x->leaf < y->leaf ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* Leaf and wanter of each call, worked out once per stack. */
static void name_calls(struct calls *c)
{
	const struct trep *r = c->r;
	if (c->n)
		qsort(c->v, c->n, sizeof *c->v, by_stack);
	for (size_t i = 0; i < c->n; i++) {
		struct call *v = &c->v[i];
		if (i && v->stack == v[-1].stack) {
			v->leaf = v[-1].leaf;
			v->from = v[-1].from;
			continue;
		}
		for (stk_id s = v->stack; s; s = store_stk(r->st, s)->parent) {
			frm_id f = store_stk(r->st, s)->frame;
			if (!v->leaf)
				v->leaf = f;
			if (!plumbing(r, f)) {
				v->from = f;
				break;
			}
		}
	}
	if (c->n)
		qsort(c->v, c->n, sizeof *c->v, by_site);
}

struct site { size_t first, n; int64_t total; };

static int by_total(const void *a, const void *b)
{
	const struct site *x = a, *y = b;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void site_row(const struct trep *r, struct table *t, const struct calls *c, const struct site *s, int64_t *ns)
{
	static const double at[] = { 0.5, 0.9, 0.99 };
	for (size_t i = 0; i < s->n; i++)
		ns[i] = c->v[s->first + i].ns;
	table_int(t, (int64_t)s->n);
	table_int(t, s->total);
	for (int i = 0; i < 3; i++)
		table_int(t, sched_quantile(ns, (uint32_t)s->n, at[i]));
	table_int(t, ns[s->n - 1]);
	const frm_id f[] = { c->v[s->first].leaf, c->v[s->first].from };
	for (int i = 0; i < 2; i++) {
		struct buf b = {0};
		trep_frame(r, &b, f[i]);
		table_str(t, b.p ? b.p : "", b.n);
		buf_free(&b);
	}
}

int report_syscalls(const struct opt *o, struct out *out, struct err *e)
{
	static const struct table_col col[] = {
		{ "Count", "count", TB_INT }, { "Total", "total_ns", TB_NS }, { "p50", "p50_ns", TB_NS },
		{ "p90", "p90_ns", TB_NS }, { "p99", "p99_ns", TB_NS }, { "Max", "max_ns", TB_NS },
		{ "Call", "call", TB_STR }, { "For", "caller", TB_STR },
	};
	struct trep r;
	if (trep_open(&r, o, out, e))
		return -1;
	struct calls c = { .r = &r };
	r.filter.each = one_call;
	r.filter.arg = &c;
	tracew(r.sn, TW_SYSCALL, &r.filter, r.mem);
	name_calls(&c);
	struct site *site = arena_alloc(r.mem, (c.n + 1) * sizeof *site);
	int64_t *ns = arena_alloc(r.mem, (c.n + 1) * sizeof *ns);
	size_t n = 0;
	for (size_t i = 0; i < c.n; i++) {
		if (!i || c.v[i].leaf != c.v[i - 1].leaf || c.v[i].from != c.v[i - 1].from)
			site[n++] = (struct site){ i, 0, 0 };
		site[n - 1].n++;
		site[n - 1].total += c.v[i].ns;
	}
	if (n)
		qsort(site, n, sizeof *site, by_total);
	struct table t;
	table_begin(&t, col, 8);
	for (size_t i = 0; i < n; i++)
		site_row(&r, &t, &c, &site[i], ns);
	table_print(&t, r.format, r.out);
	table_free(&t);
	mem_free(c.v);
	trep_close(&r);
	return 0;
}
