/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Weights under a query: samples (or what a trace weighs) added up at the nodes
 * that the query leaves of the call tree. One pass over the tree for the
 * verdicts (derive.c), one over the samples, one backwards that finds the nodes
 * that something counts at or below, one that copies those together, and one
 * backwards for the totals. Each walks along arrays; nothing is looked up per
 * sample but its node and its label set.
 *
 * Nodes without weight are left out: a heap profile's stacks have mostly been
 * freed, a narrow focus leaves a thousandth, and all that comes after (merging
 * by function, flame graphs) costs by the node. No sums are kept from one query
 * to the next: the whole is faster than a key repeats.
 */
#include "config.h"
#include "analysis/focus.h"

#include "analysis/derive.h"
#include "base/mem.h"

#include <string.h>

enum { KEYS_MAX = 16 };

/* One weighing; all arrays are in scratch, per node of the tree. */
struct scale {
	const struct snap *sn;
	const struct focus *fc;
	struct arena scratch, *out;
	struct tree tree;
	struct labels labels;
	struct verdict verdict;
	struct derived d;	/* NULLs: every node stays */
	int64_t *flat, *count;
	uint8_t *hit;		/* something that counts is at it; then: or below it */
	int64_t all, base;	/* sums of magnitudes before the filters; of a diff base */
};

static int64_t magnitude(int64_t v)
{
	return v < 0 ? (int64_t)(0 - (uint64_t)v) : v;
}

static int64_t plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);	/* a file may hold any values */
}

static void put(struct scale *g, uint32_t node, int64_t v, int64_t count)
{
	if (g->d.to)
		node = g->d.to[node];
	if (node == DERIVE_NONE)
		return;
	g->flat[node] = plus(g->flat[node], v);
	if (g->count)
		g->count[node] = plus(g->count[node], count);
	g->hit[node] = 1;
}

/* The label that marks the samples of a diff base: percentages are of those. */
static str_id base_key(const struct snap *sn)
{
	for (uint32_t i = 0; i < sn->nstrs; i++) {
		const struct str_row *r = store_str(sn->st, i);
		if (r->n == sizeof PROF_BASE_KEY - 1 && !memcmp(r->s, PROF_BASE_KEY, r->n))
			return i;
	}
	return 0;
}

static bool has_key(const struct store *st, const struct smp_row *s, str_id key)
{
	for (uint32_t i = 0; i < s->nlabel; i++)
		if (((struct sink_label *)col_at(&st->labels, s->label + i))->key == key)
			return true;
	return false;
}

static void add_samples(struct scale *g, uint32_t type, const uint8_t *keep)
{
	const struct store *st = g->sn->st;
	str_id base = base_key(g->sn);
	for (uint32_t i = 0; i < g->sn->nsmps; i++) {
		const struct smp_row *s = store_smp(st, i);
		int64_t v = COL_AT(&st->values[type], int64_t, i);
		g->all = plus(g->all, magnitude(v));
		if (base && has_key(st, s, base))
			g->base = plus(g->base, magnitude(v));
		if (v && (!keep || keep[g->labels.of[i]]))
			put(g, g->tree.of ? g->tree.of[i] : s->stack, v, 1);
	}
}

/* Copy the nodes that count together, each below the nearest that is left. n: how many. */
static void copy_nodes(struct scale *g, uint32_t n, struct weights *w)
{
	uint32_t *id = arena_alloc(&g->scratch, g->tree.n * sizeof *id);
	stk_id *parent = arena_alloc(g->out, n * sizeof *parent);
	frm_id *frame = arena_alloc(g->out, n * sizeof *frame);
	str_id *label = g->tree.label ? arena_alloc(g->out, n * sizeof *label) : NULL;
	int64_t *flat = arena_alloc(g->out, n * sizeof *flat), *cum = arena_alloc(g->out, n * sizeof *cum);
	int64_t *count = g->count ? arena_alloc(g->out, n * sizeof *count) : NULL;
	for (uint32_t i = 0, k = 0; i < g->tree.n; i++) {
		if (i && !g->hit[i])
			continue;
		struct stk_row r = tree_row(&g->tree, i);
		parent[k] = i ? id[g->d.rep ? g->d.rep[r.parent] : r.parent] : 0;
		frame[k] = r.frame;
		cum[k] = flat[k] = g->flat[i];
		if (label)
			label[k] = g->tree.label[i];
		if (count)
			count[k] = g->count[i];
		id[i] = k++;
	}
	for (uint32_t i = n; i-- > 1;)
		cum[parent[i]] = plus(cum[parent[i]], cum[i]);
	*w = (struct weights){.n = n, .parent = parent, .frame = frame, .label = label, .flat = flat,
		.cum = cum, .count = count, .total = cum[0]};
}

static void gather(struct scale *g, struct weights *w)
{
	uint32_t n = 1;
	for (uint32_t i = g->tree.n; i-- > 1;) {
		if (!g->hit[i])
			continue;
		uint32_t up = tree_row(&g->tree, i).parent;
		g->hit[g->d.rep ? g->d.rep[up] : up] = 1;
		n++;
	}
	copy_nodes(g, n, w);
	w->all = g->base > 0 ? g->base : g->all;
}

static void begin(struct scale *g, const struct snap *sn, const struct focus *fc, struct arena *out, bool noinlines)
{
	*g = (struct scale){.sn = sn, .fc = fc, .out = out, .tree = {.st = sn->st, .n = sn->nstks}};
	verdict_make(&g->verdict, fc, sn, noinlines);
}

/* The tree is known: what the verdicts make of it. */
static void settle(struct scale *g, bool counts)
{
	uint32_t n = g->tree.n;
	if (focus_by_name(g->fc) || focus_from(g->fc) || g->fc->rx[R_PRUNE] || g->verdict.any & FV_DEAD)
		g->d = derive(&g->tree, &g->verdict, &g->scratch);
	g->flat = arena_zalloc(&g->scratch, n * sizeof *g->flat);
	g->count = counts ? arena_zalloc(&g->scratch, n * sizeof *g->count) : NULL;
	g->hit = arena_zalloc(&g->scratch, n);
}

static void end(struct scale *g)
{
	verdict_free(&g->verdict);
	labels_free(&g->labels);
	if (g->tree.row)
		tree_free(&g->tree);
	arena_free(&g->scratch);
}

void focus_samples(const struct snap *sn, const struct focus *fc, size_t type, bool noinlines, struct arena *out,
    struct weights *w)
{
	struct scale g;
	str_id key[KEYS_MAX];
	size_t nroot, nkey = focus_tag_keys(fc, sn, key, KEYS_MAX, &nroot);
	const uint8_t *keep = NULL;
	begin(&g, sn, fc, out, noinlines);
	if (nkey || focus_by_tag(fc))
		labels_update(&g.labels, sn);
	if (nkey)
		tree_tagged(&g.tree, sn, &g.labels, key, nkey, nroot);
	if (focus_by_tag(fc))
		keep = focus_sets(fc, &g.labels, &g.scratch);
	settle(&g, false);
	if (type < sn->ntypes && sn->nsmps)
		add_samples(&g, (uint32_t)type, keep);
	gather(&g, w);
	if (type < sn->ntypes)
		w->unit = ((struct type_row *)col_at(&sn->st->types, (uint32_t)type))->unit;
	end(&g);
}

void focus_nodes(const struct snap *sn, const struct focus *fc, const int64_t *flat, const int64_t *count, str_id unit,
    bool noinlines, struct arena *out, struct weights *w)
{
	struct scale g;
	begin(&g, sn, fc, out, noinlines);
	settle(&g, count != NULL);
	for (uint32_t i = 0; i < sn->nstks; i++) {
		g.all = plus(g.all, magnitude(flat[i]));
		if (flat[i] || (count && count[i]))
			put(&g, i, flat[i], count ? count[i] : 0);
	}
	gather(&g, w);
	w->unit = unit;
	end(&g);
}
