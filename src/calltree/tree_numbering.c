/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Numbers the parts of a call tree after all its nodes are placed: where subtrees end, and which nodes can have weight.
 * Each is one pass, and none reads the symbols of nodes.
 */
#include "config.h"
#include "calltree/tree.h"

#include "base/mem/mem.h"

#include <string.h>

struct open_parent { uint32_t parent, turn; };

/* Mark all turns and return their number. A first child is a turn only if it has a sibling. */
static uint32_t find_turns(struct calltree *s)
{
	rank_seal(s->forks, s->n);
	rank_set(s->turns, 0);
	for (uint32_t k = 0; k < s->nfork; k++)
		rank_set(s->turns, s->fork[k] + 1);
	for (size_t b = 0; b < rank_blocks(s->n); b++)
		s->turns[b].bits |= s->forks[b].bits;
	return rank_seal(s->turns, s->n);
}

/* Compute where subtrees end: a child ends where its next sibling begins, the last one where its parent ends. The stack
   has the turns whose subtrees contain the current node. */
void calltree_close(struct calltree *s)
{
	size_t cap = 0, depth = 0;
	struct open_parent *open_parent = mem_grow(NULL, &cap, 1, sizeof *open_parent);
	uint32_t turn = 0;
	s->turns = xcalloc(rank_blocks(s->n), sizeof *s->turns);
	s->turn = xmalloc(find_turns(s) * sizeof *s->turn);
	for (size_t b = 0; b < rank_blocks(s->n); b++)
		for (uint64_t bits = s->turns[b].bits; bits; bits &= bits - 1) {
			uint32_t i = (uint32_t)(b * 64) + (uint32_t)__builtin_ctzll(bits);
			uint32_t parent = calltree_parent(s, i);
			while (rank_has(s->forks, i) && depth) {
				s->turn[open_parent[--depth].turn] = i;
				if (open_parent[depth].parent == parent)
					break;
			}
			open_parent = mem_grow(open_parent, &cap, depth + 1, sizeof *open_parent);
			open_parent[depth++] = (struct open_parent){i ? parent : UINT32_MAX, turn++};
		}
	while (depth)
		s->turn[open_parent[--depth].turn] = s->n;
	mem_free(open_parent);
}

void calltree_ends_of_nodes(struct calltree *s, uint32_t n)
{
	s->ends = xcalloc(rank_blocks(s->n), sizeof *s->ends);
	for (uint32_t i = 0; i < n; i++)
		rank_set(s->ends, s->end[i]);
	s->nend = rank_seal(s->ends, s->n);
	for (uint32_t i = 0; i < n; i++)
		s->end[i] = rank_below(s->ends, s->end[i]);
}

static void drop_totals(struct calltree *s)
{
	mem_free(s->whole.flat);
	mem_free(s->whole.hit);
}

void calltree_keep_totals(struct calltree *s, const struct calltree_totals *of)
{
	drop_totals(s);
	s->whole = *of;
	s->whole.flat = xmalloc((s->nend + 1u) * sizeof *of->flat);
	s->whole.hit = xmalloc(s->nend + 1u);
	memcpy(s->whole.flat, of->flat, s->nend * sizeof *of->flat);
	memcpy(s->whole.hit, of->hit, s->nend);
}

struct calltree *calltree_ref(struct calltree *s)
{
	s->refs++;
	return s;
}

void calltree_free(struct calltree *s)
{
	if (!s || --s->refs)
		return;
	granularity_free(s->granularity);
	drop_totals(s);
	void *all[] = {
	    s->forks, s->fork, s->turns, s->turn, s->what, s->ends, s->end, s->at, s->mark, s->frame_mark, s->tags};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		mem_free(all[i]);
	mem_free(s);
}
