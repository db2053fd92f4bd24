/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Weights by function. A stack counts for a function once, however often the
 * function recurs on it, so the tree is walked in preorder with a count per
 * function of how many of its nodes are open: only the outermost one adds its
 * total. The walk goes by first child and next sibling, which are made here,
 * because nodes are in the order of their making and not in preorder.
 */
#include "config.h"
#include "analysis/weigh.h"

#include "base/mem.h"

static int64_t plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);	/* a file may hold any values */
}

struct walk { const struct weights *w; uint32_t *kid, *next; uint32_t *on; };

/* In preorder, without recursion: enter each node, leave it after its last child. */
static void count_once(const struct store *st, const struct walk *k, struct fun_weight *f)
{
	const struct weights *w = k->w;
	for (uint32_t i = 0, down = 1;;) {
		fun_id fun = store_frm(st, w->frame[i])->fun;
		if (down && i) {
			f[fun].flat = plus(f[fun].flat, w->flat[i]);
			if (!k->on[fun]++)
				f[fun].cum = plus(f[fun].cum, w->cum[i]);
		}
		if (down && k->kid[i]) {
			i = k->kid[i];
			continue;
		}
		if (!i)
			return;
		k->on[store_frm(st, w->frame[i])->fun]--;
		down = k->next[i] != 0;
		i = down ? k->next[i] : w->parent[i];
	}
}

struct fun_weight *weigh_functions(
    const struct store *st, const struct weights *w, struct arena *a, uint32_t *n)
{
	uint32_t nfun = col_n(&st->funs), kept = 0;
	struct fun_weight *f = arena_zalloc(a, nfun * sizeof *f);
	struct walk k = {w, xcalloc(w->n, sizeof *k.kid), xcalloc(w->n, sizeof *k.next),
	    xcalloc(nfun, sizeof *k.on)};
	for (uint32_t i = w->n; i-- > 1;) {
		k.next[i] = k.kid[w->parent[i]];
		k.kid[w->parent[i]] = i;
	}
	count_once(st, &k, f);
	mem_free(k.kid);
	mem_free(k.next);
	mem_free(k.on);
	for (uint32_t i = 1; i < nfun; i++)
		if (f[i].flat || f[i].cum)
			f[kept++] = (struct fun_weight){i, f[i].flat, f[i].cum};
	*n = kept;
	return f;
}
