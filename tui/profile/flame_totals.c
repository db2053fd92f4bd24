/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Totals in the lines that a flame graph leaves free: own weight by package, which adds up to the total, and the frames at
 * the root. The own weight is summed once for a tree. A tree with very many functions has no totals by package, because
 * that would hold up the keys.
 */
#include "config.h"
#include "profile/flame_internal.h"

#include "base/text/text.h"
#include "base/wrap_math.h"
#include "calltree/granularity.h"

#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 1 << 14, LEAST_LINES = 5 };
struct own { const char *name; size_t n; int64_t w; };

static int by_name(const void *a, const void *b)
{
	const struct own *x = a, *y = b;
	size_t n = x->n < y->n ? x->n : y->n;
	int c = n ? memcmp(x->name, y->name, n) : 0;
	return c ? c : (x->n > y->n) - (x->n < y->n);
}

static int by_weight(const void *a, const void *b)
{
	const struct own *x = a, *y = b;
	return x->w != y->w ? (x->w > y->w ? -1 : 1) : by_name(a, b);
}

void flame_sum_packages(struct flame_state *v)
{
	const struct weighted_tree *c = v->t.c;
	uint32_t n = 0, m = 0;
	v->npackage = 0;
	if (c->none || c->gran == GR_FILES || profile_is_comparison(c))
		return;
	for (uint32_t i = 1; i < c->nsymbol; i++)
		n += c->weight[i].flat != 0;
	if (n > FUNCTIONS)
		return;
	struct own *own = xmalloc((n + 1u) * sizeof *own);
	for (uint32_t i = 1; i < c->nsymbol; i++) {
		struct str_row s = weighted_symbol(c, i);
		if (c->weight[i].flat)
			own[m++] = (struct own){s.s, granularity_package(s.s, s.n), c->weight[i].flat};
	}
	qsort(own, m, sizeof *own, by_name);
	n = 0;
	for (uint32_t i = 0; i < m; i++) {
		if (n && !by_name(&own[n - 1], &own[i]))
			wrap_add_to(&own[n - 1].w, own[i].w);
		else
			own[n++] = own[i];
	}
	qsort(own, n, sizeof *own, by_weight);
	for (uint32_t i = 0; i < n && i < FLAME_PACKAGES; i++, v->npackage++)
		v->package[i] = (struct flame_package){own[i].name, own[i].n, own[i].w};
	mem_free(own);
}

static void draw_row(const struct flame_state *v, const struct pane_env *env, struct grid *g, int y, int64_t w)
{
	profile_draw_change(env, v->t.c, g, y, 10, w, 0);
	profile_draw_percent(g, y, 18, w, profile_base_value(env, v->t.c, BASE_ALL, w));
}

void flame_draw_totals(const struct flame_state *v, const struct pane_env *env, struct grid *g, int y)
{
	const struct flame *f = v->f[DOWN];
	int half = (g->w - 2) / 2;
	uint32_t k, n = flame_kids(f, 0, &k);
	if (g->h - y < LEAST_LINES || v->flip || v->f[UP] || profile_is_comparison(v->t.c))
		return;
	struct rect old = grid_clip(g, (struct rect){y, 0, g->h - y, half});
	grid_text(g, 0, 0, ST_HEAD, 0, v->npackage ? "own weight by package" : "");
	for (int i = 0; i < v->npackage && i + 1 < g->h; i++) {
		const struct flame_package *p = &v->package[i];
		draw_row(v, env, g, i + 1, p->own);
		if (p->n)
			grid_textn(g, i + 1, 20, ST_NORMAL, 0, p->name, p->n);
		else
			grid_text(g, i + 1, 20, ST_DIM, 0, "(no package)");
	}
	grid_unclip(g, old);
	old = grid_clip(g, (struct rect){y, half + 2, g->h - y, g->w - half - 2});
	grid_text(g, 0, 0, ST_HEAD, 0, v->conf.reverse ? "leaves" : "roots");
	for (uint32_t i = 0; i < n && (int)i + 1 < g->h; i++) {
		draw_row(v, env, g, (int)i + 1, flame_sum(f, k + i).w);
		profile_draw_name(env, v->t.c, g, (int)i + 1, 20, g->w - 20, flame_symbol_of(f, k + i), "");
	}
	grid_unclip(g, old);
}
