/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Functions of calls by lines: what lines of the same name and file make up. A function counts a stack once, like
 * everything else, so its weight is no sum of its lines' and takes a walk over the tree: that is
 * why it is kept with the calls, and made with them where they are made beside the keyboard.
 */
#include "config.h"
#include "analysis/calls.h"

#include "base/intern.h"
#include "base/keyed.h"
#include "base/wrap.h"

static int same_fun(const void *ctx, uint32_t id, const void *key)
{
	const struct call_funs *f = ctx;
	const struct thing *t = key;
	return f->fun[id].name == t->name && f->fun[id].file == t->file;
}

static void group(const struct calls *c, struct call_funs *f)
{
	struct intern index = {0};
	size_t cap = 0;
	f->of = xmalloc((size_t)c->nthing * sizeof *f->of);
	f->of[0] = 0;
	for (uint32_t i = 1; i < c->nthing; i++) {
		const struct thing *t = &c->thing[i];
		f->of[i] = UINT32_MAX;
		if (!t->nnode)
			continue;
		uint32_t h = hash_u64((uint64_t)t->name << 32 | t->file, 0);
		uint32_t id = intern_find(&index, h, same_fun, f, t);
		if (id == UINT32_MAX) {
			id = f->n++;
			f->fun = mem_grow(f->fun, &cap, f->n, sizeof *f->fun);
			f->fun[id] = (struct call_fun){.name = t->name, .file = t->file, .fun = t->fun, .first = i};
			intern_put(&index, h, id);
		}
		f->of[i] = id;
	}
	intern_free(&index);
}

static void weigh(const struct ctree *t, struct call_funs *f)
{
	uint32_t *open = xcalloc((size_t)f->n + 1, sizeof *open), *stack = xmalloc(t->n * sizeof *stack);
	uint32_t depth = 0;
	for (uint32_t i = 1; i < t->n; i++) {
		while (depth && t->next[stack[depth - 1]] <= i)
			open[f->of[t->thing[stack[--depth]]]]--;
		uint32_t k = f->of[t->thing[i]];
		struct call_fun *fun = &f->fun[k];
		fun->flat = wrap_add(fun->flat, t->flat[i]);
		fun->oflat = wrap_add(fun->oflat, t->oflat ? t->oflat[i] : 0);
		if (!open[k]++) {
			fun->cum = wrap_add(fun->cum, t->cum[i]);
			fun->ocum = wrap_add(fun->ocum, t->ocum ? t->ocum[i] : 0);
		}
		stack[depth++] = i;
	}
	mem_free(open);
	mem_free(stack);
}

/* What has become less is as much of a change. */
static void order(struct call_funs *f)
{
	struct keyed *v = xmalloc(((size_t)f->n + 1) * sizeof *v);
	for (uint32_t i = 0; i < f->n; i++)	/* they are in the order of their first lines */
		v[i] = (struct keyed){~wrap_size(f->fun[i].cum), i};
	keyed_sort(v, f->n);
	f->order = xmalloc(((size_t)f->n + 1) * sizeof *f->order);
	for (uint32_t i = 0; i < f->n; i++)
		f->order[i] = v[i].v;
	mem_free(v);
}

const struct call_funs *calls_funs(struct calls *c)
{
	if (c->funs)
		return c->funs;
	struct call_funs *f = xcalloc(1, sizeof *f);
	group(c, f);
	weigh(calls_tree(c), f);
	order(f);
	return c->funs = f;
}

void call_funs_free(struct call_funs *f)
{
	if (!f)
		return;
	mem_free(f->fun);
	mem_free(f->of);
	mem_free(f->order);
	mem_free(f);
}
