/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_NODES_H
#define TTRACE_NODES_H

#include "analysis/calls.h"
#include "analysis/shape.h"
#include "base/wrap.h"

/*
 * The nodes of a weighing, read where they lie: those of its shape, which all weighings share, with the weighing's
 * running sums; nothing is made for it, whatever their number. Where things were taken away, or stacks laid aside, there
 * is a shape of what is left; where nodes were put together in another way (a flame graph's), they are one of their
 * own. Who walks over nodes need not know which.
 *
 * In preorder. There may be nodes at and below which nothing counts (nodes_count()): they are not part of the tree.
 */
struct nodes {
	const struct calls *c;
	uint32_t n;
	bool all;			/* something counts at or below every one */
	const uint32_t *thing;
	const uint8_t *how;
	const struct shape *s;
	struct end_sums w;
};

/* Are they those of a shape of its own? Then who asks first makes it (calls_left()). */
static inline bool nodes_apart(const struct calls *c)
{
	return c->dead || c->cut || c->shape->aside;
}

/* Of a shape at and below whose nodes something counts. */
static inline struct nodes nodes_in(const struct calls *c, const struct shape *s, const struct end_sums *w)
{
	return (struct nodes){.c = c, .n = s->n, .all = true, .thing = s->thing, .how = s->how, .s = s, .w = *w};
}

static inline struct nodes nodes_of(const struct calls *c)
{
	const struct shape *s = c->shape;
	uint64_t seen = 1;
	if (nodes_apart(c)) {
		s = calls_left(c);
		return nodes_in(c, s, &c->of_left);
	}
	for (uint32_t i = 1; i < c->nthing; i++)
		seen += c->weight[i].nseen;
	return (struct nodes){.c = c, .n = s->n, .all = seen == s->n, .thing = s->thing, .how = s->how, .s = s,
	    .w = c->w};
}

static inline uint32_t nodes_parent(const struct nodes *t, uint32_t i)
{
	return shape_parent(t->s, i);
}

static inline uint32_t nodes_next(const struct nodes *t, uint32_t i)
{
	return shape_next(t->s, i);
}

static inline struct calls_sum sums_between(const struct end_sums *w, uint32_t lo, uint32_t hi)
{
	return (struct calls_sum){rank_of(w->hits, hi) - rank_of(w->hits, lo), wrap_sub(w->sum[hi], w->sum[lo]),
	    w->osum ? wrap_sub(w->osum[hi], w->osum[lo]) : 0};
}

/* What counts at or below a node, */
static inline struct calls_sum nodes_sum(const struct nodes *t, uint32_t i)
{
	return sums_between(&t->w, rank_of(t->w.ends, i), rank_of(t->w.ends, shape_next(t->s, i)));
}

/* and at it. */
static inline struct calls_sum nodes_own(const struct nodes *t, uint32_t i)
{
	if (!rank_has(t->w.ends, i))
		return (struct calls_sum){0, 0, 0};
	uint32_t k = rank_of(t->w.ends, i);
	return sums_between(&t->w, k, k + 1);
}

/* Is it part of the tree? */
static inline bool nodes_count(const struct nodes *t, uint32_t i)
{
	return t->all || !i || nodes_sum(t, i).hits;
}

/* What is weighed on a shape, on what shape_left() has left of it: its ends, and running sums in the arena. */
struct end_sums left_sums(struct shape *left, const struct shape *was, const struct end_sums *, struct arena *);

/* The next node from i on that is this thing, n: none. What all are is looked at 16 at a time: 2 ms for 5 millions. */
static inline uint32_t nodes_seek(const uint32_t *t, uint32_t i, uint32_t n, uint32_t thing)
{
	typedef uint32_t four __attribute__((vector_size(16), aligned(4), may_alias));
	const four want = {thing, thing, thing, thing};
	for (; i < n; i++) {
		while (i + 16 < n) {
			const four *v = (const four *)(t + i);
			four eq = (four)((v[0] == want) | (v[1] == want) | (v[2] == want) | (v[3] == want));
			if (eq[0] | eq[1] | eq[2] | eq[3])
				break;
			i += 16;
		}
		if (t[i] == thing)
			break;
	}
	return i;
}

#endif
