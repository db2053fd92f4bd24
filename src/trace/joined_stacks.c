/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A node is found by the node below which its stack starts and the store's node that it stands for. The store has one
 * node for each different stack, so this pair is a hash key, and a stack that was added before costs one look-up,
 * whatever its depth. Nodes are added after their parents, so parent[i] < i.
 */
#include "config.h"
#include "trace/joined_stacks.h"

#include "base/mem/mem.h"

static uint32_t add_node(struct joined_stacks *t, const struct joined_stack *v)
{
	t->node = mem_grow(t->node, &t->cap, t->n + 1u, sizeof *t->node);
	t->node[t->n] = *v;
	return t->n++;
}

void joined_stacks_init(struct joined_stacks *t, const struct store *st)
{
	*t = (struct joined_stacks){.st = st};
	add_node(t, &(struct joined_stack){0});
}

uint32_t joined_stacks_add(struct joined_stacks *t)
{
	return add_node(t, &(struct joined_stack){0});
}

static int same_stack(const void *ctx, uint32_t id, const void *key)
{
	const struct joined_stack *v = &((const struct joined_stacks *)ctx)->node[id], *k = key;
	return v->base == k->base && v->stack == k->stack;
}

static uint32_t hash_stack(uint32_t base, stk_id stack)
{
	return intern_hash_u64(base, stack);
}

/* Return the node of a stack below a base, or UINT32_MAX. */
static uint32_t find_node(const struct joined_stacks *t, uint32_t base, stk_id stack)
{
	struct joined_stack key = {.base = base, .stack = stack};
	return intern_find(&t->by_stack, hash_stack(base, stack), same_stack, t, &key);
}

uint32_t joined_stacks_append(struct joined_stacks *t, uint32_t base, stk_id stack)
{
	uint32_t at = base;
	size_t n = 0;
	for (stk_id s = stack; s; s = stk_parent(t->st, s)) {
		uint32_t known = find_node(t, base, s);
		if (known != UINT32_MAX) {
			at = known;
			break;
		}
		t->way = mem_grow(t->way, &t->cway, n + 1, sizeof *t->way);
		t->way[n++] = s;
	}
	while (n) {
		stk_id s = t->way[--n];
		at = add_node(t, &(struct joined_stack){at, stk_frame(t->st, s), s, base});
		intern_put(&t->by_stack, hash_stack(base, s), at);
	}
	return at;
}

void joined_stacks_close(struct joined_stacks *t)
{
	intern_free(&t->by_stack);
	mem_free(t->way);
	t->way = NULL;
	t->cway = 0;
}

void joined_stacks_free(struct joined_stacks *t)
{
	joined_stacks_close(t);
	mem_free(t->node);
	*t = (struct joined_stacks){0};
}
