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

static uint64_t key_of(uint32_t base, stk_id stack)
{
	return (uint64_t)base << 32 | stack;
}

uint32_t joined_stacks_append(struct joined_stacks *t, uint32_t base, stk_id stack)
{
	const struct u64_slot *known = NULL;
	uint32_t at = base;
	size_t n = 0;
	for (stk_id s = stack; s && !known; s = stk_parent(t->st, s)) {
		known = u64_map_get(&t->by_stack, key_of(base, s));
		if (known)
			break;
		t->way = mem_grow(t->way, &t->cway, n + 1, sizeof *t->way);
		t->way[n++] = s;
	}
	if (known)
		at = (uint32_t)known->n;
	while (n) {
		stk_id s = t->way[--n];
		bool fresh;
		at = add_node(t, &(struct joined_stack){at, stk_frame(t->st, s), s, base});
		u64_map_put(&t->by_stack, key_of(base, s), &fresh)->n = at;
	}
	return at;
}

void joined_stacks_close(struct joined_stacks *t)
{
	u64_map_free(&t->by_stack);
	mem_free(t->way);
	t->by_stack = (struct u64_hash){0};
	t->way = NULL;
	t->cway = 0;
}

void joined_stacks_free(struct joined_stacks *t)
{
	joined_stacks_close(t);
	mem_free(t->node);
	*t = (struct joined_stacks){0};
}
