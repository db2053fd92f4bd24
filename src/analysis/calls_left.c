/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What is left of a shape when things were taken away from it, for who walks over nodes: flame graphs, the lines of a
 * function. It is a shape like the other (shape_left()), with the same weights: each goes from its end to the nearest
 * node above that is left, which is an end then. It is made when somebody asks, and kept as long as the weighing.
 *
 * Not taken: weights of each node as columns beside the tree. Of 5 M nodes these were 100 MB, and what is at and
 * below a node is a difference of two running sums here as there.
 */
#include "config.h"
#include "analysis/calls.h"

#include "analysis/cut.h"
#include "analysis/nodes.h"
#include "base/mem.h"
#include "base/wrap.h"

#include <string.h>

/* Which nodes something counts at or below, and which of these are gone. */
static uint8_t *what_counts(const struct calls *c)
{
	const struct shape *s = c->shape;
	uint8_t *hit = xcalloc(s->n, 1);
	for (uint32_t i = 0; i < s->n;) {
		if (i && !calls_below(c, i).hits) {
			i = shape_next(s, i);
			continue;
		}
		hit[i] = calls_gone(c, i) ? LEFT_GONE : LEFT_HIT;
		i++;
	}
	return hit;
}

/* Where the next end goes that something counts at; UINT32_MAX: it was the last. */
struct ends { const struct end_sums *w; const struct shape *left; size_t block, blocks; uint64_t bits; uint32_t k; };

static uint32_t next_end(struct ends *e, uint32_t *k)
{
	const struct end_sums *w = e->w;
	for (;;) {
		while (!e->bits) {
			if (++e->block == e->blocks)
				return UINT32_MAX;
			e->bits = w->ends[e->block].bits;
		}
		uint32_t i = (uint32_t)(e->block * 64) + (uint32_t)__builtin_ctzll(e->bits);
		e->bits &= e->bits - 1;
		*k = e->k++;
		if (rank_has(w->hits, *k))
			return !i || e->left->at[*k] == SHAPE_NONE ? 0 : e->left->at[*k];
	}
}

static struct ends ends_of(const struct end_sums *w, const struct shape *was, const struct shape *left)
{
	return (struct ends){.w = w, .left = left, .blocks = rank_blocks(was->n), .bits = w->ends[0].bits};
}

/* Own weights by end to running sums. */
static void run_up(int64_t *v, uint32_t n)
{
	int64_t sum = 0;
	for (uint32_t k = 0; k <= n; k++) {
		int64_t own = k < n ? v[k] : 0;
		v[k] = sum;
		sum = wrap_add(sum, own);
	}
}

struct end_sums left_sums(struct shape *s, const struct shape *was, const struct end_sums *w, struct arena *a)
{
	uint32_t at, k;
	s->ends = xcalloc(rank_blocks(s->n), sizeof *s->ends);
	for (struct ends e = ends_of(w, was, s); (at = next_end(&e, &k)) != UINT32_MAX;)
		rank_set(s->ends, at);
	uint32_t n = s->nend = rank_seal(s->ends, s->n);
	size_t cells = (n + 1u) * (w->osum ? 2u : 1u);
	int64_t *sum = arena_zalloc(a, cells * sizeof *sum + rank_blocks(n) * sizeof(struct rank));
	int64_t *osum = w->osum ? sum + n + 1 : NULL;
	struct rank *hits = (struct rank *)(void *)(sum + cells);
	for (struct ends e = ends_of(w, was, s); (at = next_end(&e, &k)) != UINT32_MAX;) {
		struct calls_sum own = sums_between(w, k, k + 1);
		uint32_t to = rank_of(s->ends, at);
		rank_set(hits, to);
		sum[to] = wrap_add(sum[to], own.w);
		if (osum)
			osum[to] = wrap_add(osum[to], own.o);
	}
	rank_seal(hits, n);
	run_up(sum, n);
	if (osum)
		run_up(osum, n);
	mem_free(s->at);
	s->at = NULL;
	return (struct end_sums){.n = n, .ends = s->ends, .sum = sum, .osum = osum, .hits = hits};
}

const struct shape *calls_left(const struct calls *asked)
{
	struct calls *c = (struct calls *)(uintptr_t)asked;	/* what it says does not change by it */
	if (c->left)
		return c->left;
	uint8_t *hit = what_counts(c);
	c->left = shape_left(c->shape, hit, c->w.ends, c->w.n, NULL);
	mem_free(hit);
	c->of_left = left_sums(c->left, c->shape, &c->w, &c->arena);
	return c->left;
}
