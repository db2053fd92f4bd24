/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Numbers the parts of a call tree after all its nodes are placed: where subtrees end, which nodes can have weight, and
 * where the store's own nodes are. Each is one pass, and none reads the symbols of nodes.
 */
#include "config.h"
#include "calltree/tree_internal.h"

#include "base/mem/mem.h"

#include <string.h>

enum { AHEAD = 16 };

struct open_parent { uint32_t parent, turn; };

/* Mark all turns from fork number `fork` on, and return the number of turns. A first child is a turn only if it has a
   sibling. */
static uint32_t find_turns(struct calltree *s, uint32_t fork)
{
	rank_seal(s->forks, s->n);
	for (uint32_t k = fork; k < s->nfork; k++)
		rank_set(s->turns, s->fork[k] + 1);
	for (size_t b = 0; b < rank_blocks(s->n); b++)
		s->turns[b].bits |= s->forks[b].bits;
	return rank_seal(s->turns, s->n);
}

/* Compute where subtrees end: a child ends where its next sibling begins, the last one where its parent ends. The stack
   has the turns whose subtrees contain the current node. The turns before `from` except the root already have their
   ends. */
static void close_from(struct calltree *s, uint32_t from)
{
	size_t cap = 0, depth = 0;
	struct open_parent *open_parent = mem_grow(NULL, &cap, 1, sizeof *open_parent);
	uint32_t turn = rank_below(s->turns, from);
	if (from)
		open_parent[depth++] = (struct open_parent){UINT32_MAX, 0};
	for (size_t b = from / 64; b < rank_blocks(s->n); b++)
		for (uint64_t bits = s->turns[b].bits; bits; bits &= bits - 1) {
			uint32_t i = (uint32_t)(b * 64) + (uint32_t)__builtin_ctzll(bits);
			if (i < from)
				continue;
			uint32_t parent = calltree_parent(s, i);
			while (i > from && rank_has(s->forks, i) && depth) {
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

void calltree_close(struct calltree *s)
{
	s->turns = xcalloc(rank_blocks(s->n), sizeof *s->turns);
	rank_set(s->turns, 0);
	s->turn = xmalloc(find_turns(s, 0) * sizeof *s->turn);
	close_from(s, 0);
}

void calltree_close_after(struct calltree *s, const struct calltree *was)
{
	if (!rank_has(was->turns, 1)) {	/* node 1 was the only child of the root, and is a turn only now */
		calltree_close(s);
		return;
	}
	size_t had = rank_blocks(was->n), turns = rank_below(was->turns, was->n);
	s->turns = xcalloc(rank_blocks(s->n), sizeof *s->turns);
	memcpy(s->turns, was->turns, had * sizeof *s->turns);
	s->turn = xmalloc(find_turns(s, was->nfork) * sizeof *s->turn);
	memcpy(s->turn, was->turn, turns * sizeof *s->turn);
	close_from(s, was->n);
}

/* Number the nodes that can have weight, and map each sample or input node to its end. */
void calltree_number_ends(struct calltree *s, const struct frames *f)
{
	const struct store *st = f->st;
	uint32_t n = f->nsmp ? f->nsmp : f->n;
	s->ends = xcalloc(rank_blocks(s->n), sizeof *s->ends);
	s->end = xmalloc((n + 1u) * sizeof *s->end);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = f->of ? f->of[i] : f->nsmp ? store_smp(st, i)->stack : i;
		if (!f->of && f->nsmp && i + AHEAD < n)	/* the nodes of samples are at random addresses */
			__builtin_prefetch(&s->at[store_smp(st, i + AHEAD)->stack]);
		if (f->of && i + AHEAD < n && f->of[i + AHEAD] != CALLTREE_NONE)
			__builtin_prefetch(&s->at[f->of[i + AHEAD]]);
		s->end[i] = at == CALLTREE_NONE ? at : s->at[at];
		if (at != CALLTREE_NONE)
			rank_set(s->ends, s->end[i]);
	}
	s->nend = rank_seal(s->ends, s->n);
	for (uint32_t i = 0; i < n; i++)
		if (s->end[i] != CALLTREE_NONE)
			s->end[i] = rank_below(s->ends, s->end[i]);
}

/* Keep the places of the store's nodes as runs of consecutive numbers. */
void calltree_number_runs(struct calltree *s, uint32_t n)
{
	size_t k = 1;
	for (uint32_t i = 1; i < n; i++)
		k += s->at[i] != s->at[i - 1] + 1;
	s->run = xmalloc(k * sizeof *s->run);
	s->run[s->nrun++] = (struct calltree_run){0, 0};
	for (uint32_t i = 1; i < n; i++)
		if (s->at[i] != s->at[i - 1] + 1)
			s->run[s->nrun++] = (struct calltree_run){i, s->at[i]};
}

/* ---- weights of all samples */

static void drop_whole(struct calltree *s)
{
	if (s->whole.flat)
		packed_ints_free(s->whole.flat);
	mem_free(s->whole.flat);
	mem_free(s->whole.hit);
	s->whole.flat = NULL;
	s->whole.hit = NULL;
}

void calltree_keep_totals(struct calltree *s, const struct calltree_totals *of, const int64_t *flat, const uint8_t *hit)
{
	drop_whole(s);
	s->whole = *of;
	s->whole.flat = xmalloc(sizeof *s->whole.flat);
	s->whole.hit = xcalloc(s->nend / 8 + 1, 1);
	packed_ints_init(s->whole.flat);
	for (uint32_t k = 0; k < s->nend; k++) {
		packed_ints_add(s->whole.flat, flat[k]);
		s->whole.hit[k / 8] |= (uint8_t)((hit[k] == HIT_OWN) << k % 8);
	}
}

bool calltree_totals(const struct calltree *s, size_t type, int64_t *flat, uint8_t *hit)
{
	const struct calltree_totals *w = &s->whole;
	if (!w->flat || w->type != type)
		return false;
	packed_ints_unpack(w->flat, flat);
	for (uint32_t k = 0; k < s->nend; k++)
		hit[k] = w->hit[k / 8] >> k % 8 & HIT_OWN;
	return true;
}

/* ---- release */

void calltree_drop_spare(struct calltree *s)
{
	mem_free(atomic_exchange(&s->spare, NULL));
}

void calltree_drop_caches(struct calltree *s)
{
	drop_whole(s);
	calltree_drop_spare(s);
}

void calltree_mark_last(struct calltree *s)
{
	atomic_store(&s->last, true);
	calltree_drop_caches(s);
}

void calltree_mark_lent(struct calltree *s, struct calltree *of)
{
	if (!atomic_exchange(&of->lent, true))
		s->lender = calltree_ref(of);
}

void calltree_drop_sample_ends(struct calltree *s)
{
	mem_free(s->end);
	mem_free(s->odd);
	s->end = s->odd = NULL;
}

void calltree_drop_numbering(struct calltree *s)
{
	if (s->refs > 1)
		return;
	void *all[] = {s->turns, s->turn, s->ends, s->end, s->run};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		mem_free(all[i]);
	s->turns = s->ends = NULL;
	s->turn = s->end = NULL;
	s->run = NULL;
}

void tree_rows_free(struct tree_rows *t)
{
	if (!t)
		return;
	mem_free(t->frame);
	mem_free(t->forks);
	mem_free(t->fork);
	*t = (struct tree_rows){0};
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
	drop_whole(s);
	if (s->lender) {
		if (s->what == s->lender->what)
			s->what = NULL;
		atomic_store(&s->lender->lent, false);
		calltree_free(s->lender);
	}
	void *all[] = {s->forks, s->fork, s->turns, s->turn, s->what, s->ends, s->end, s->at, s->run,
	    s->odd, atomic_load(&s->spare), s->tags};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		mem_free(all[i]);
	mem_free(s);
}
