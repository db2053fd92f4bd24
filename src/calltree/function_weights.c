/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Functions of a tree by lines: a function is all lines of the same name and file. A function counts a stack once, so
 * its cum is not the sum of its lines' and takes a walk over the nodes. Therefore the result is kept with the weighted
 * tree, and computed with it where that is built in the background.
 */
#include "config.h"
#include "calltree/weighted.h"

#include "base/intern.h"
#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "base/wrap_math.h"
#include "calltree/node_walk.h"

struct symbol_grouping { const struct weighted_tree *c; const struct function_sums *f; };

static int same_fun(const void *ctx, uint32_t id, const void *key)
{
	const struct symbol_grouping *k = ctx;
	const struct symbol *t = key;
	const struct symbol *a = &k->c->symbol[k->f->fun[id].first];
	return a->name == t->name && a->file == t->file;
}

static void group_symbols(const struct weighted_tree *c, struct function_sums *f)
{
	struct intern index = {0};
	size_t cap = 0;
	f->of = xmalloc((size_t)c->nsymbol * sizeof *f->of);
	f->of[0] = 0;
	for (uint32_t i = 1; i < c->nsymbol; i++) {
		const struct symbol *t = &c->symbol[i];
		f->of[i] = UINT32_MAX;
		if (!c->weight[i].nnode)
			continue;
		uint32_t h = intern_hash_u64((uint64_t)t->name << 32 | t->file, 0);
		uint32_t id = intern_find(&index, h, same_fun, &(struct symbol_grouping){c, f}, t);
		if (id == UINT32_MAX) {
			id = f->n++;
			f->fun = mem_grow(f->fun, &cap, f->n, sizeof *f->fun);
			f->fun[id] = (struct function_sum){.fun = symbol_function(c->st, t), .first = i};
			intern_put(&index, h, id);
		}
		f->of[i] = id;
	}
	intern_free(&index);
}

struct path { uint32_t end, fun; };

static void weigh_functions(const struct nodes *t, struct function_sums *f)
{
	uint32_t *open = xcalloc((size_t)f->n + 1, sizeof *open), depth = 0;
	struct path *path = NULL;
	size_t cap = 0;
	for (uint32_t i = 1; i < t->n;) {
		struct weighted_sum sum = nodes_sum(t, i), own = nodes_own(t, i);
		if (!sum.hits) {
			i = nodes_next(t, i);
			continue;
		}
		while (depth && path[depth - 1].end <= i)
			open[path[--depth].fun]--;
		if (!nodes_is_hidden(t, i)) {
			uint32_t k = f->of[nodes_symbol(t, i)];
			struct function_sum *fun = &f->fun[k];
			if (!open[k]++) {
				fun->cum = wrap_add(fun->cum, sum.w);
				if (f->other)
					f->other[k].cum = wrap_add(f->other[k].cum, sum.o);
			}
			path = mem_grow(path, &cap, (size_t)depth + 1, sizeof *path);
			path[depth++] = (struct path){nodes_next(t, i), k};
		}
		if (depth) {	/* own weight of hidden nodes counts for the nearest visible one */
			uint32_t k = path[depth - 1].fun;
			f->fun[k].flat = wrap_add(f->fun[k].flat, own.w);
			if (f->other)
				f->other[k].flat = wrap_add(f->other[k].flat, own.o);
		}
		i++;
	}
	mem_free(open);
	mem_free(path);
}

/* Order by absolute value, because a decrease counts as much. */
static void order(struct function_sums *f)
{
	struct radix_item *v = xmalloc(((size_t)f->n + 1) * sizeof *v);
	for (uint32_t i = 0; i < f->n; i++)	/* input order is that of their first lines, and the sort is stable */
		v[i] = (struct radix_item){~wrap_size(f->fun[i].cum), i};
	radix_sort_items(v, f->n);
	f->order = xmalloc(((size_t)f->n + 1) * sizeof *f->order);
	for (uint32_t i = 0; i < f->n; i++)
		f->order[i] = v[i].v;
	mem_free(v);
}

const struct function_sums *function_weights_of(struct weighted_tree *c)
{
	if (c->funs)
		return c->funs;
	struct function_sums *f = xcalloc(1, sizeof *f);
	group_symbols(c, f);
	if (c->two)
		f->other = xcalloc((size_t)f->n + 1, sizeof *f->other);
	struct nodes t = nodes_of(c);
	weigh_functions(&t, f);
	order(f);
	return c->funs = f;
}

void function_weights_free(struct function_sums *f)
{
	if (!f)
		return;
	mem_free(f->fun);
	mem_free(f->other);
	mem_free(f->of);
	mem_free(f->order);
	mem_free(f);
}
