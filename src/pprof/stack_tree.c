/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The tree of stacks of a profile. Of a million stacks of 29 frames five in six frames are shared, so what filters and
 * graphs do to stacks is done once per node, in the order of their numbers: callers come before callees.
 *
 * A node takes eight bytes. Most nodes directly follow their callers, and a lookup checks the next node first, so only
 * the others are in a hash table, which exists only while it is needed: a reader that delivers stacks in order appends.
 *
 * The store has a tree of its own (store/stacks.c): there a location is a chain of frames, readers on other threads see
 * it grow, and a node takes four bytes. Here locations are whole, because filters cut them in place.
 */
#include "config.h"
#include "pprof/stack_tree.h"

#include "base/mem/mem.h"

void stack_tree_init(struct stack_tree *t)
{
	stack_tree_append(t, 0, 0);
}

void stack_tree_free(struct stack_tree *t)
{
	mem_free(t->node);
	intern_free(&t->forks);
	*t = (struct stack_tree){0};
}

void stack_tree_drop_index(struct stack_tree *t)
{
	intern_free(&t->forks);
	t->indexed = 0;
}

uint32_t stack_tree_append(struct stack_tree *t, uint32_t caller, uint32_t frame)
{
	t->node = mem_grow(t->node, &t->cap, (size_t)t->n + 1, sizeof *t->node);
	t->node[t->n] = (struct stack_node){caller, frame};
	return t->n++;
}

static int same_node(const void *ctx, uint32_t id, const void *key)
{
	const struct stack_node *a = (const struct stack_node *)ctx + id, *b = key;
	return a->caller == b->caller && a->frame == b->frame;
}

uint32_t stack_tree_child(struct stack_tree *t, uint32_t caller, uint32_t frame)
{
	struct stack_node key = {caller, frame};
	if (caller + 1 == t->n)	/* the newest node has no callees */
		return stack_tree_append(t, caller, frame);
	if (same_node(t->node, caller + 1, &key))
		return caller + 1;
	for (; t->indexed < t->n; t->indexed++) {
		struct stack_node x = t->node[t->indexed];
		if (t->indexed && x.caller + 1 != t->indexed)
			intern_put(&t->forks, intern_hash_u64(x.caller, x.frame), t->indexed);
	}
	uint32_t id = intern_find(&t->forks, intern_hash_u64(caller, frame), same_node, t->node, &key);
	return id != UINT32_MAX ? id : stack_tree_append(t, caller, frame);
}

uint32_t stack_tree_number(const struct stack_tree *t, uint32_t *number)
{
	const struct stack_node *node = t->node;
	uint32_t *next = xmalloc(t->n * sizeof *next), *size = number;	/* next: the number of the next callee */
	size[0] = 1;
	for (uint32_t i = t->n; i-- > 1;)
		if (size[i])
			size[node[i].caller] += size[i] + !size[node[i].caller];
	uint32_t n = size[0];
	number[0] = 0;
	next[0] = 1;
	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t *at = &next[node[i].caller];
		if (!size[i])
			continue;
		next[i] = *at + 1;
		*at += size[i];
		number[i] = next[i] - 1;
	}
	mem_free(next);
	return n;
}

void stack_tree_renumber(struct stack_tree *t, const uint32_t *number, uint32_t n)
{
	struct stack_tree to = {.n = n};
	to.node = mem_grow(NULL, &to.cap, n, sizeof *to.node);
	to.node[0] = t->node[0];
	for (uint32_t i = 1; i < t->n; i++)
		if (number[i])
			to.node[number[i]] = (struct stack_node){number[t->node[i].caller], t->node[i].frame};
	stack_tree_free(t);
	*t = to;
}

/* Go up from both ends, always from the greater number, until both are at one node. */
size_t stack_path_move(struct stack_path *p, const struct stack_tree *t, uint32_t node)
{
	uint32_t at = node;
	size_t n = p->n, more = 0;
	for (;;) {
		uint32_t end = n ? p->node[n - 1] : 0;
		if (end == at)
			break;
		if (end > at) {
			n--;
		} else {
			more++;
			at = t->node[at].caller;
		}
	}
	p->node = mem_grow(p->node, &p->cap, n + more, sizeof *p->node);
	p->n = n + more;
	for (size_t i = p->n; i-- > n; node = t->node[node].caller)
		p->node[i] = node;
	return n;
}

uint32_t *stack_tree_translate(struct stack_tree *to, const struct stack_tree *from, const struct stack_frames *range,
    const uint32_t *of)
{
	uint32_t *node = xmalloc((from->n + 1u) * sizeof *node);
	stack_tree_init(to);
	node[0] = 0;
	for (uint32_t i = 1; i < from->n; i++) {
		struct stack_frames r = range[from->node[i].frame];
		node[i] = node[from->node[i].caller];
		for (uint32_t k = r.n; k--;)
			node[i] = stack_tree_child(to, node[i], of[r.first + k]);
	}
	stack_tree_drop_index(to);
	return node;
}
