/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_WEIGHED_H
#define TTRACE_WEIGHED_H

#include "base/text/buf.h"
#include "calltree/granularity.h"
#include "calltree/node_walk.h"
#include "filter/weigh.h"
#include "sums.h"

/* Functions that weigh a query on call trees of its own and write the stacks of the weighted tree as text. */

static inline void trees_free(struct filter_trees *k)
{
	filter_trees_drop(k);
	granularity_free(k->granularity);
	*k = (struct filter_trees){0};
}

static inline struct weighted_tree *weigh(
    const struct snap *sn, enum gran gran, const struct filters *f, bool noinlines, const struct weigh_source *src)
{
	struct filter_trees k = {.granularity = granularity_new(sn, gran)};
	struct compiled_filters *fc = filter_compile(f, NULL);
	struct weighted_tree *c = filter_weigh(&k, sn, fc, noinlines, src, NULL);
	filter_free(fc);
	trees_free(&k);
	return c;
}

/* Add the own weight of each stack to out. Its path is what fn writes for the symbols of its visible nodes, root first. */
typedef void frame_fn(const struct weighted_tree *, uint32_t symbol, struct buf *);
static inline void sums_of_tree(const struct weighted_tree *c, bool other, frame_fn *fn, struct sums *out)
{
	struct nodes t = nodes_of(c);
	struct buf b = {0};
	for (uint32_t i = 0; i < t.n; i++) {
		struct weighted_sum own = nodes_own(&t, i);
		uint32_t way[128], n = 0;
		if (!own.hits)
			continue;
		buf_reset(&b);
		for (uint32_t at = nodes_nearest_seen(&t, i); at; at = nodes_nearest_seen(&t, nodes_parent(&t, at)))
			way[n++] = at;
		while (n)
			fn(c, nodes_symbol(&t, way[--n]), &b);
		sums_add(out, buf_str(&b), other ? own.o : own.w);
	}
	buf_free(&b);
}

#endif
