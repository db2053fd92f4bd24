/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The weights of groups are a list of what each sample adds. It is summed up by group only when the groups are asked for:
 * a lock may have samples of thousands of groups.
 */
#include "config.h"
#include "findings/measures/group_weights.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"

#include <stdlib.h>

void group_weights_add(struct group_weights *w, uint32_t group, int64_t ns)
{
	w->v = mem_grow(w->v, &w->cap, w->n + 1u, sizeof *w->v);
	w->v[w->n++] = (struct group_weight){group, ns};
}

static int by_group(const void *a, const void *b)
{
	const struct group_weight *x = a, *y = b;
	return x->group < y->group ? -1 : x->group > y->group;
}

static int by_ns(const void *a, const void *b)
{
	const struct group_weight *x = a, *y = b;
	return x->ns != y->ns ? (x->ns > y->ns ? -1 : 1) : by_group(a, b);
}

struct group_weights_most group_weights_most(struct group_weights *w)
{
	struct group_weights_most most = {0};
	double all = 0, theirs = 0;
	uint32_t n = 0;
	if (w->n)
		qsort(w->v, w->n, sizeof *w->v, by_group);
	for (uint32_t i = 0; i < w->n; i++) {
		if (n && w->v[n - 1].group == w->v[i].group)
			w->v[n - 1].ns = wrap_add(w->v[n - 1].ns, w->v[i].ns);
		else
			w->v[n++] = w->v[i];
	}
	if (n)
		qsort(w->v, n, sizeof *w->v, by_ns);
	for (uint32_t i = 0; i < n; i++) {
		all += (double)w->v[i].ns;
		if (i < GROUP_WEIGHTS_MOST) {
			most.group[most.n++] = w->v[i].group;
			theirs += (double)w->v[i].ns;
		}
	}
	most.share = all > 0 ? theirs / all : 1;
	mem_free(w->v);
	*w = (struct group_weights){0};
	return most;
}
