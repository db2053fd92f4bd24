/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The sample types of a trace. All but one are sums of states (trace/as_profile.h). The critical paths of operations
 * are above that: they need the operations, which a query selects in its own way (query_targets.h). Their weights are
 * by nodes of their own, because the stacks of the goroutines that an operation waited for are below those of its
 * waits; the class of time is a tag, as the reason is of -type=block.
 */
#include "config.h"
#include "session/trace_weights.h"

#include "critical/tree.h"
#include "session/query_targets.h"
#include "store/builder.h"

#include <string.h>

/* Move what is below the nodes of classes to the root: their tags take their place. Node 1 is that of no stack. */
static void make_nodes(const struct critical_tree *t, const struct snap *sn, struct joined_stacks *joined, uint32_t *to)
{
	joined_stacks_init(joined, sn->st);
	joined_stacks_append(joined, 0, trace_no_stack_node(sn));
	for (uint32_t i = 0; i < t->stacks.n; i++) {
		const struct joined_stack *v = &t->stacks.node[i];
		to[i] = v->stack ? joined_stacks_append(joined, to[v->base], v->stack) : 0;
	}
	joined_stacks_close(joined);
}

static enum time_class class_of_node(const struct critical_tree *t, uint32_t node)
{
	while (node > TIME_CLASS__N)
		node = t->stacks.node[node].base;
	return critical_tree_class(node);
}

/* Make the parts, one for each node of the tree that has weight. */
static void make_parts(const struct critical_tree *t, const uint32_t *to, struct arena *a, struct trace_weights *w,
    const str_id tag[TIME_CLASS__N])
{
	int64_t *ns = xcalloc(t->stacks.n, sizeof *ns), *count = xcalloc(t->stacks.n, sizeof *count);
	critical_tree_weights(t, ns, count);
	w->part = arena_alloc(a, (t->stacks.n + 1u) * sizeof *w->part);
	for (uint32_t i = 1; i < t->stacks.n; i++) {
		if (!ns[i] && !count[i])
			continue;
		w->part[w->npart++] = (struct trace_tag_weight){
		    .stack = to[i], .tag = tag[class_of_node(t, i)], .ns = ns[i], .count = count[i]};
		w->total_ns += ns[i];
		w->total_count += count[i];
	}
	mem_free(ns);
	mem_free(count);
}

/* Give w the weights of a tree, and free the tree before the copy of its nodes is made. */
static void weigh_tree(const struct snap *sn, struct critical_tree *t, struct arena *a, struct trace_weights *w)
{
	uint32_t *to = xmalloc(t->stacks.n * sizeof *to);
	struct joined_stacks joined;
	str_id tag[TIME_CLASS__N];
	for (int c = 0; c < TIME_CLASS__N; c++) {
		const char *name = time_class_name((enum time_class)c);
		tag[c] = builder_add_string(sn, name, strlen(name));
	}
	make_nodes(t, sn, &joined, to);
	make_parts(t, to, a, w, tag);
	critical_tree_free(t);
	mem_free(to);
	trace_weights_join(w, &joined, a);
	joined_stacks_free(&joined);
}

static struct trace_weights *weigh_critical(const struct snap *sn, const struct query *q, bool rest, struct arena *a,
    uint32_t *n, const struct progress_watcher *on, struct err *e)
{
	struct trace_weights *w = arena_zalloc(a, sizeof *w);
	struct query_targets targets = {0};
	struct err why;
	const struct operations *ops = sn->complete ? operations_shared(sn, on) : operations_find(sn, NULL, NULL, a, on);
	struct critical_walker *walker = ops ? critical_walker_new(sn, ops, a, on) : NULL;
	if (walker && query_targets_find(sn, ops, q, rest, a, &targets, e ? e : &why) && e)
		return NULL;
	struct critical_tree *t = walker ? critical_tree_of_targets(walker, targets.v, targets.n, on) : NULL;
	*n = t ? t->nwalked : 0;
	w->approximate = t && t->approximate;
	weigh_tree(sn, t ? t : critical_tree_new(sn), a, w);
	w->empty = targets.chosen && !targets.n;
	w->sampled = *n;
	w->sampled_of = *n && *n < targets.n ? targets.n : 0;
	return w;
}

enum trace_weight_type trace_default_type(const struct snap *sn)
{
	enum { SAMPLES_ENOUGH = 100 };
	if (sn->nsmps >= SAMPLES_ENOUGH)
		return TRACE_CPU;
	return sn->complete && sn->has_trace ? TRACE_CRITICAL : TRACE_RUN;
}

struct trace_weights *trace_weights_of_query(const struct snap *sn, enum trace_weight_type type, const struct query *q,
    bool rest, struct arena *a, uint32_t *n, const struct progress_watcher *on, struct err *e)
{
	struct trace_filter f;
	if (type == TRACE_CRITICAL)
		return weigh_critical(sn, q, rest, a, n, on, e);
	if (query_trace_filter(sn, q, rest, a, &f, n, e))
		return NULL;
	f.on = on ? *on : (struct progress_watcher){0};
	return trace_weigh(sn, type, &f, a);
}

bool trace_weights_are_joined(enum trace_weight_type type, const struct query *q)
{
	bool two = q->b || q->a != 1;
	return type == TRACE_CRITICAL || (type == TRACE_TIME && two) ||
	    (q->blame == BLAME_CHAIN && trace_type_has_blame(type, BLAME_CHAIN));
}

void trace_weights_scale(struct trace_weights *w, double by)
{
	if (by == 1)
		return;
	for (uint32_t i = 0; i < w->n; i++) {
		w->ns[i] = sides_scaled(w->ns[i], by);
		w->count[i] = sides_scaled(w->count[i], by);
	}
	for (uint32_t i = 0; i < w->npart; i++) {
		w->part[i].ns = sides_scaled(w->part[i].ns, by);
		w->part[i].count = sides_scaled(w->part[i].count, by);
	}
}
