/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Builds trees of frames merged by symbol.
 *
 * The tree is walked from the root with a group of nodes at a time: nodes that are the same symbol below the same
 * group. The children of a group are gathered, grouped by symbol and pushed onto a stack, first seen on top. So groups
 * leave the stack in preorder and are written directly to their places. Nearly all groups are one node with one child;
 * those are followed without using the stack. The invariant of the stack: the nodes of the topmost group are the last
 * ones in raw[], so a group that is popped frees its room for its children.
 *
 * A store whose stacks were written in order (load/pprof/stack_merge.h) has its nodes in preorder already. Then one
 * pass finds where each subtree ends and which nodes have two children of the same symbol. All other nodes are copied
 * one after another; children are gathered only below those few.
 *
 * Nodes are the same symbol if their frames are, unless frames are marked: then their marks must be equal as well. For
 * the code below each pair of a symbol and a mark is a symbol of its own (`kind`).
 *
 * A call tree can also be built from another one by removing nodes (calltree_prune()). The children of a removed node
 * are gathered in its place; only where that happened can two siblings be the same symbol.
 *
 * Not taken: adding nodes one by one below their parents with a hash of (parent, symbol), and laying the tree out
 * afterwards (calltree/builder.c does that for input in no order). For 6.3 M nodes that took 0.95 s and 60 bytes a node
 * temporarily; this takes a third of either.
 */
#include "config.h"
#include "calltree/tree.h"

#include "base/intern.h"
#include "base/job.h"
#include "base/mem/mem.h"

#include <string.h>

#define INLINED UINT32_C(0x80000000)	/* flag in a looked-up symbol number */

/* raw[off .. off + n); `parent` is the node of the new tree. */
struct node_group { uint32_t off, n, parent; };

struct tree_maker {
	struct calltree *s;
	const struct calltree_source *f;
	const struct calltree *old;	/* NULL, or the tree to prune (then f is NULL) */
	const uint8_t *hit;		/* marks of its nodes, see calltree_prune() */
	const struct rank *ends;	/* its ends: s->at is by end */
	const struct calltree_folds *folds;
	const struct progress_watcher *on;
	uint32_t *look;			/* by frame: its kind, with INLINED */
	/* NULL: a kind is a symbol. Otherwise the symbol and the mark of each kind. */
	struct node_kind { uint32_t symbol; uint8_t mark; } *kind;
	/* the next child of the same node, 0: none; in preorder: where the subtree ends. When a node has been placed,
	   its cell has its place in the new tree: at[] is the same array. */
	uint32_t *sib, *at;
	struct rank *late;		/* nodes whose first child is not the next node; first[] has that child */
	uint32_t *first;
	struct node_group *pend;
	size_t npend, cpend;
	uint32_t *raw, *own, *gather, *of_gather;
	size_t nraw, craw, cown, cgather, cof;
	uint32_t *seen, *group_of, stamp;	/* by kind: its group in group_of if seen is the current stamp */
	struct node_group *fresh;
	size_t cfresh;
	bool ordered;			/* nodes are in preorder: see sib */
	struct rank *twins;		/* then: nodes with two children of the same kind */
	struct stk_pass rows;		/* cursor over the store's nodes */
	struct step_down { uint32_t node, symbol; } *path;	/* the current node of the tree and the nodes above
								   it */
	uint32_t *on_path, depth;		/* on_path: how many of them each symbol has; depth: length of path */
	size_t cpath;
};

/* ---- the input tree */

static inline struct stk_row row_at(struct tree_maker *m, uint32_t i)
{
	return m->f->node ? m->f->node[i] : stk_at(&m->rows, i);
}

static inline uint32_t parent_of(struct tree_maker *m, uint32_t i)
{
	return row_at(m, i).parent;
}

/* Return the kind of a node, with INLINED. */
static uint32_t what_is(struct tree_maker *m, uint32_t i)
{
	return i ? m->look[row_at(m, i).frame] : 0;
}

static bool has_adjacent_child(struct tree_maker *m, uint32_t i)
{
	return i + 1 < m->f->n && parent_of(m, i + 1) == i;
}

static uint32_t first_kid(struct tree_maker *m, uint32_t i)
{
	if (has_adjacent_child(m, i))
		return i + 1;
	return rank_has(m->late, i) ? m->first[rank_below(m->late, i)] : 0;
}

static int same_kind(const void *ctx, uint32_t id, const void *key)
{
	const struct node_kind *a = (const struct node_kind *)ctx + id, *b = key;
	return a->symbol == b->symbol && a->mark == b->mark;
}

/* Number the pairs of symbol and mark that frames have. Return their number; kind 0 is the root. */
static uint32_t find_kinds(struct tree_maker *m)
{
	const struct granularity *t = m->s->granularity;
	struct intern index = {0};
	uint32_t n = 1;
	m->kind = xcalloc((size_t)t->nfrm + 1, sizeof *m->kind);
	for (frm_id i = 1; i < t->nfrm; i++) {
		struct node_kind k = {t->of[i], m->f->mark[i]};
		uint32_t h = intern_hash_u64(k.symbol, k.mark), id = intern_find(&index, h, same_kind, m->kind, &k);
		if (id == UINT32_MAX) {
			m->kind[n] = k;
			intern_put(&index, h, id = n++);
		}
		m->look[i] = id | (m->look[i] & INLINED);
	}
	intern_free(&index);
	return n;
}

/* Set m->look and return the number of kinds. */
static uint32_t fill_lookup(struct tree_maker *m)
{
	const struct granularity *t = m->s->granularity;
	m->look = xmalloc(((size_t)t->nfrm + 1) * sizeof *m->look);
	for (frm_id i = 0; i < t->nfrm; i++)
		m->look[i] = t->of[i] | (granularity_is_inlined(t->st, i) ? INLINED : 0);
	return m->f->mark ? find_kinds(m) : t->n;
}

/* Link the children of each node in ascending order: the loop runs backwards and prepends each child. The list of a
   node that has an adjacent child continues in sib[] of that child; the list of any other node starts in first[]. */
static void link_kids(struct tree_maker *m)
{
	uint32_t n = m->f->n;
	m->late = xcalloc(rank_blocks(n), sizeof *m->late);
	for (uint32_t i = 1; i < n; i++) {
		uint32_t p = parent_of(m, i);
		if (p + 1 != i && !has_adjacent_child(m, p))
			rank_set(m->late, p);
	}
	m->first = xcalloc(rank_seal(m->late, n) + 1u, sizeof *m->first);
	for (uint32_t i = n; i-- > 1;) {
		uint32_t p = parent_of(m, i);
		if (p + 1 == i)
			continue;
		uint32_t *head = has_adjacent_child(m, p) ? &m->sib[p + 1] : &m->first[rank_below(m->late, p)];
		m->sib[i] = *head;
		*head = i;
	}
}

/* ---- writing nodes */

/* Append a node in preorder below a placed one, and return it. */
static inline uint32_t put_below(struct tree_maker *m, uint32_t parent, uint32_t kind, uint8_t how)
{
	struct calltree *s = m->s;
	uint32_t id = s->n++, symbol = m->kind ? m->kind[kind].symbol : kind;
	if (m->kind)
		s->mark[id] = m->kind[kind].mark;
	while (m->depth && m->path[m->depth - 1].node != parent)
		m->on_path[m->path[--m->depth].symbol]--;
	if (m->depth == m->cpath)
		m->path = mem_grow(m->path, &m->cpath, (size_t)m->depth + 1, sizeof *m->path);
	m->path[m->depth++] = (struct step_down){id, symbol};
	if (id && parent + 1 != id) {
		s->fork = mem_grow(s->fork, &s->cfork, (size_t)s->nfork + 1, sizeof *s->fork);
		s->fork[s->nfork++] = parent;
		rank_set(s->forks, id);
	}
	s->what[id] = calltree_what(symbol, how | (m->on_path[symbol]++ ? CT_AGAIN : 0u));
	return id;
}

static inline void set_target(struct tree_maker *m, uint32_t raw, uint32_t id)
{
	if (!m->old)
		m->at[raw] = id;
	else if (rank_has(m->ends, raw))
		m->s->at[rank_below(m->ends, raw)] = id;
}

/* Place a group of nodes as one node. Its flags are the union of the group's. */
static uint32_t place_node(struct tree_maker *m, uint32_t parent, uint32_t what, const uint32_t *raw, uint32_t n)
{
	uint8_t how = m->old ? calltree_how(m->old, *raw) & (CT_INL | CT_NOTINL) : what & INLINED ? CT_INL : CT_NOTINL;
	for (uint32_t i = 1; i < n; i++) {
		if (m->old)
			how |= calltree_how(m->old, raw[i]) & (CT_INL | CT_NOTINL);
		else
			how |= what_is(m, raw[i]) & INLINED ? CT_INL : CT_NOTINL;
	}
	uint32_t id = put_below(m, parent, what & ~INLINED, how);
	for (uint32_t i = 0; i < n; i++)
		set_target(m, raw[i], id);
	return id;
}

static uint32_t kind_of(struct tree_maker *m, uint32_t raw)
{
	return m->old ? calltree_symbol(m->old, raw) : what_is(m, raw) & ~INLINED;
}

/* Node `raw` of the old tree becomes part of the placed node `at`, or is removed. */
static void join_node(struct tree_maker *m, uint32_t raw, uint32_t at)
{
	set_target(m, raw, at ? at : CALLTREE_NONE);
	if (prune_mark_at(m->hit, raw) != PRUNE_GONE)
		m->s->what[at] |= calltree_how(m->old, raw) & (CT_INL | CT_NOTINL);
}

/* Gather the children of a node of the old tree behind k others and return the new count; `at` is where the node was
   placed. A removed child is replaced by its own children. Set *same if two children may be the same symbol. */
static uint32_t gather_under(struct tree_maker *m, uint32_t raw, uint32_t at, uint32_t k, bool *same)
{
	const struct calltree *o = m->old;
	for (uint32_t j = raw + 1, end = calltree_next(o, raw); j < end;) {
		uint32_t left = prune_mark_at(m->hit, j);
		if (left > PRUNE_HIT) {
			join_node(m, j++, at);
			*same = true;
			continue;
		}
		if (left) {
			m->gather = mem_grow(m->gather, &m->cgather, (size_t)k + 1, sizeof *m->gather);
			m->gather[k++] = j;
		}
		j = calltree_next(o, j);
	}
	return k;
}

/* Gather all children of a group. *same: whether two of them may be the same symbol. */
static uint32_t gather_pruned(struct tree_maker *m, const uint32_t *raw, uint32_t n, uint32_t at, bool *same)
{
	const struct calltree_folds *f = m->folds;
	uint32_t k = 0;
	*same = n > 1 || m->old->mark;
	for (uint32_t i = 0; i < n; i++) {
		k = gather_under(m, raw[i], at, k, same);
		if (!f || !rank_has(f->at, raw[i]))
			continue;
		uint32_t r = rank_below(f->at, raw[i]);
		for (uint32_t j = f->first[r]; j < f->first[r + 1]; j++) {
			join_node(m, f->node[j], at);
			k = gather_under(m, f->node[j], at, k, same);
			*same = true;
		}
	}
	return k;
}

/* Gather all children of a group. */
static uint32_t gather(struct tree_maker *m, const uint32_t *raw, uint32_t n)
{
	uint32_t k = 0;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = first_kid(m, raw[i]); j; j = m->sib[j]) {
			m->gather = mem_grow(m->gather, &m->cgather, (size_t)k + 1, sizeof *m->gather);
			m->gather[k++] = j;
		}
	return k;
}

static int cmp_fresh(const void *ctx, uint32_t a, uint32_t b)
{
	const struct node_group *g = ctx;	/* off: the first node of the group, until push_groups() */
	return (g[a].off > g[b].off) - (g[a].off < g[b].off);
}

/* Group the gathered nodes by symbol and return the number of groups. fresh[].off is the first node of each. */
static uint32_t group_gathered(struct tree_maker *m, uint32_t k)
{
	uint32_t n = 0;
	m->of_gather = mem_grow(m->of_gather, &m->cof, k, sizeof *m->of_gather);
	m->fresh = mem_grow(m->fresh, &m->cfresh, k, sizeof *m->fresh);
	m->stamp++;
	for (uint32_t i = 0; i < k; i++) {
		uint32_t raw = m->gather[i], t = kind_of(m, raw);
		if (m->seen[t] != m->stamp) {
			m->seen[t] = m->stamp;
			m->group_of[t] = n;
			m->fresh[n++] = (struct node_group){raw, 0, 0};
		}
		struct node_group *g = &m->fresh[m->group_of[t]];
		g->n++;
		if (raw < g->off)
			g->off = raw;
		m->of_gather[i] = m->group_of[t];
	}
	return n;
}

/* Push the groups onto the stack, the first seen on top. */
static void push_groups(struct tree_maker *m, uint32_t parent, uint32_t k, uint32_t n, bool sorted)
{
	uint32_t *order = mem_grow(m->own, &m->cown, n, sizeof *order);
	m->own = order;
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	if (!sorted)
		calltree_sort_u32(order, n, cmp_fresh, m->fresh);
	m->pend = mem_grow(m->pend, &m->cpend, m->npend + n, sizeof *m->pend);
	m->raw = mem_grow(m->raw, &m->craw, m->nraw + k, sizeof *m->raw);
	for (uint32_t i = n; i-- > 0;) {
		struct node_group *g = &m->fresh[order[i]];
		g->off = (uint32_t)m->nraw;
		g->parent = parent;
		m->nraw += g->n;
		m->pend[m->npend++] = *g;
		g->n = g->off;	/* from here on: where its next node is written */
	}
	for (uint32_t i = 0; i < k; i++)
		m->raw[m->fresh[m->of_gather[i]].n++] = m->gather[i];
}

/* Push each gathered node as a group of its own: no two are the same symbol. */
static void push_each(struct tree_maker *m, uint32_t parent, uint32_t k)
{
	m->pend = mem_grow(m->pend, &m->cpend, m->npend + k, sizeof *m->pend);
	m->raw = mem_grow(m->raw, &m->craw, m->nraw + k, sizeof *m->raw);
	for (uint32_t i = k; i-- > 0;) {
		m->raw[m->nraw] = m->gather[i];
		m->pend[m->npend++] = (struct node_group){(uint32_t)m->nraw++, 1, parent};
	}
}

static void place_pruned_group(struct tree_maker *m)
{
	struct node_group g = m->pend[--m->npend];
	const uint32_t *raw = m->raw + g.off;
	bool same;
	uint32_t at = place_node(m, g.parent, kind_of(m, *raw), raw, g.n);
	uint32_t k = gather_pruned(m, raw, g.n, at, &same);
	m->nraw = g.off;
	if (k > 1 && same)
		push_groups(m, at, k, group_gathered(m, k), false);
	else if (k)
		push_each(m, at, k);
}

/* Place the topmost group, and the nodes below it as long as there is only one child. */
static void place_top_group(struct tree_maker *m)
{
	struct node_group g = m->pend[--m->npend];
	const uint32_t *raw = m->raw + g.off;
	uint32_t one, n = g.n, at = place_node(m, g.parent, what_is(m, *raw), raw, n), kid;
	while (n == 1 && (kid = first_kid(m, *raw)) && !m->sib[kid]) {
		one = kid;
		raw = &one;
		at = place_node(m, at, what_is(m, one), raw, 1);
	}
	uint32_t k = gather(m, raw, n);
	m->nraw = g.off;
	if (k == 1) {
		m->pend = mem_grow(m->pend, &m->cpend, m->npend + 1, sizeof *m->pend);
		m->raw[m->nraw] = m->gather[0];
		m->pend[m->npend++] = (struct node_group){(uint32_t)m->nraw++, 1, at};
	} else if (k) {
		push_groups(m, at, k, group_gathered(m, k), n == 1);
	}
}

/* ---- input in preorder */

/* Return whether two children of a node are the same kind. The subtree's sib[] is complete. */
static bool twins(struct tree_maker *m, uint32_t node, uint32_t end)
{
	m->stamp++;
	for (uint32_t j = node + 1; j < end; j = m->sib[j]) {
		uint32_t t = what_is(m, j) & ~INLINED;
		if (m->seen[t] == m->stamp)
			return true;
		m->seen[t] = m->stamp;
	}
	return false;
}

/* Compute where subtrees end, and which nodes have two children of the same kind. Return false if nodes are not in
   preorder. */
static bool find_ends(struct tree_maker *m)
{
	uint32_t n = m->f->n, depth = 1;
	struct on_path {
		uint32_t node;
		bool forks;
	} *on_path = NULL;
	size_t cap = 0;
	/* Each frame is a symbol of its own, so siblings never match. */
	bool unlike = m->s->granularity->n == m->s->granularity->nfrm;
	m->twins = xcalloc(rank_blocks(n), sizeof *m->twins);
	on_path = mem_grow(on_path, &cap, 1, sizeof *on_path);
	on_path[0] = (struct on_path){0, false};
	for (uint32_t i = 1; i <= n && depth; i++) {
		uint32_t p = i < n ? parent_of(m, i) : UINT32_MAX;
		for (; depth && on_path[depth - 1].node != p; depth--) {
			struct on_path o = on_path[depth - 1];
			m->sib[o.node] = i;
			if (o.forks && twins(m, o.node, i))
				rank_set(m->twins, o.node);
		}
		if (!depth)
			break;
		on_path[depth - 1].forks |= p + 1 != i && !unlike;
		if (depth == cap)
			on_path = mem_grow(on_path, &cap, (size_t)depth + 1, sizeof *on_path);
		on_path[depth++] = (struct on_path){i, false};
	}
	bool ordered = m->sib[0] == n;
	mem_free(on_path);
	return ordered;
}

/* Gather the children among the nodes [lo, end), which are below one node. */
static uint32_t gather_below(struct tree_maker *m, uint32_t lo, uint32_t end, uint32_t k)
{
	for (uint32_t j = lo; j < end; j = m->sib[j]) {
		m->gather = mem_grow(m->gather, &m->cgather, (size_t)k + 1, sizeof *m->gather);
		m->gather[k++] = j;
	}
	return k;
}

/* Place a node whose children have to be merged, and push the nodes after its subtree, up to hi, as pending. */
static void place_subtree(struct tree_maker *m, uint32_t i, uint32_t hi)
{
	uint32_t end = m->sib[i], up = i ? m->at[parent_of(m, i)] : 0;
	uint32_t at = place_node(m, up, what_is(m, i), &i, 1), k = gather_below(m, i + 1, end, 0);
	m->pend = mem_grow(m->pend, &m->cpend, m->npend + 1, sizeof *m->pend);
	if (end < hi)
		m->pend[m->npend++] = (struct node_group){end, 0, hi};
	push_groups(m, at, k, group_gathered(m, k), true);
}

/* Prefetch the symbols of frames some nodes ahead: they are at random addresses. Nodes from f->n on belong to later
   snapshots: they may be unwritten, and m->look does not have their frames. */
static inline void prefetch_frames(const struct tree_maker *m, uint32_t i)
{
	enum { FAR = 24, NEAR = 12 };
	uint32_t k = i - m->rows.lo;
	if (m->f->node || i + FAR >= m->f->n || k + FAR >= m->rows.hi - m->rows.lo)
		return;
	__builtin_prefetch(&m->look[m->rows.frame[k + FAR]]);
	__builtin_prefetch(&m->on_path[m->look[m->rows.frame[k + NEAR]] & ~INLINED], 1);
}

/* Place nodes lo .. hi-1 one after another, up to the first node whose children have to be merged. */
static void run_along(struct tree_maker *m, uint32_t lo, uint32_t hi)
{
	const struct rank *twins = m->twins;
	uint32_t *at = m->at, i = lo;
	if (!i && !rank_has(twins, 0)) {
		place_node(m, 0, 0, &i, 1);
		i = 1;
	}
	for (; i < hi; i++) {
		if (rank_has(twins, i)) {
			place_subtree(m, i, hi);
			return;
		}
		struct stk_row r = row_at(m, i);
		prefetch_frames(m, i);
		uint32_t what = m->look[r.frame];
		at[i] = put_below(m, at[r.parent], what & ~INLINED, what & INLINED ? CT_INL : CT_NOTINL);
	}
}

/* Place the topmost group as place_top_group() does, or a pending range (n is 0; it ends at `parent`). The end of a
   node's subtree is read before the node is placed, because both share a cell. */
static void follow_down(struct tree_maker *m)
{
	struct node_group g = m->pend[--m->npend];
	if (!g.n) {
		run_along(m, g.off, g.parent);
		return;
	}
	m->nraw = g.off;
	const uint32_t *raw = m->raw + g.off;
	if (g.n == 1) {
		run_along(m, *raw, m->sib[*raw]);
		return;
	}
	uint32_t k = 0, id = m->s->n;
	for (uint32_t i = 0; i < g.n; i++) {
		uint32_t end = m->sib[raw[i]];
		m->at[raw[i]] = id;
		k = gather_below(m, raw[i] + 1, end, k);
	}
	place_node(m, g.parent, what_is(m, *raw), raw, g.n);
	if (k)
		push_groups(m, id, k, group_gathered(m, k), true);
}

static bool is_stopped(const struct tree_maker *m)
{
	return m->f->stop && atomic_load_explicit(m->f->stop, memory_order_relaxed);
}

static void walk_frames(struct tree_maker *m)
{
	m->pend = mem_grow(NULL, &m->cpend, 1, sizeof *m->pend);
	m->raw = mem_grow(NULL, &m->craw, 1, sizeof *m->raw);
	m->raw[m->nraw++] = 0;
	m->pend[m->npend++] = (struct node_group){0, 1, 0};
	for (uint32_t k = 0; m->npend && m->old && (k % 65536 || job_should_continue(m->on)); k++)
		place_pruned_group(m);
	if (m->old)
		return;
	while (m->npend && m->ordered && !is_stopped(m))
		follow_down(m);
	while (m->npend && !is_stopped(m))
		place_top_group(m);
}

static void tree_maker_free(struct tree_maker *m)
{
	void *all[] = {m->look, m->kind, m->sib, m->twins, m->late, m->first, m->pend, m->raw, m->own, m->gather,
	    m->of_gather, m->seen, m->group_of, m->fresh, m->path, m->on_path};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		mem_free(all[i]);
}

static struct calltree *room_for(struct granularity *t, size_t n)
{
	struct calltree *s = xcalloc(1, sizeof *s);
	*s = (struct calltree){.refs = 1, .granularity = granularity_ref(t)};
	s->forks = xcalloc(rank_blocks((uint32_t)n), sizeof *s->forks);
	s->what = xmalloc(n * sizeof *s->what);
	return s;
}

static void room_for_kinds(struct tree_maker *m, uint32_t n)
{
	m->seen = xcalloc(n, sizeof *m->seen);
	m->group_of = xmalloc(n * sizeof *m->group_of);
	m->on_path = xcalloc(n > m->s->granularity->n ? n : m->s->granularity->n, sizeof *m->on_path);
}

/* Map each sample, or node of the store, to its end. */
static void number_ends(struct tree_maker *m)
{
	enum { AHEAD = 16 };
	const struct calltree_source *f = m->f;
	uint32_t n = f->nsmp ? f->nsmp : f->n, *end = m->s->end = xmalloc((n + 1u) * sizeof *end);
	for (uint32_t i = 0; i < n; i++) {
		if (f->nsmp && i + AHEAD < n)	/* the nodes of samples are at random addresses */
			__builtin_prefetch(&m->at[store_smp(f->st, i + AHEAD)->stack]);
		end[i] = m->at[f->nsmp ? store_smp(f->st, i)->stack : i];
	}
	calltree_ends_of_nodes(m->s, n);
}

struct calltree *calltree_new(struct granularity *t, const struct calltree_source *f)
{
	struct calltree *s = room_for(t, f->n ? f->n : 1);
	struct tree_maker m = {.s = s, .f = f, .rows = stk_pass(f->st)};
	m.sib = m.at = xmalloc((f->n + 1u) * sizeof *m.sib);
	m.sib[0] = 0;
	room_for_kinds(&m, fill_lookup(&m));
	if (f->mark) {
		s->mark = xmalloc(f->n + 1u);
		s->frame_mark = xmalloc(t->nfrm + 1u);
		memcpy(s->frame_mark, f->mark, t->nfrm);
	}
	m.ordered = find_ends(&m);
	if (!m.ordered) {
		memset(m.sib, 0, (f->n + 1u) * sizeof *m.sib);
		link_kids(&m);
	}
	walk_frames(&m);
	bool stopped = m.npend;
	if (!stopped) {
		number_ends(&m);
		calltree_close(s);
	}
	tree_maker_free(&m);
	if (!stopped)
		return s;
	calltree_free(s);
	return NULL;
}

struct calltree *calltree_prune(const struct calltree *old, const uint8_t *hit, const struct rank *ends, uint32_t nend,
    const struct calltree_folds *folds, const struct progress_watcher *on)
{
	struct calltree *s = room_for(old->granularity, old->n);
	struct tree_maker m = {.s = s, .old = old, .hit = hit, .ends = ends, .folds = folds, .on = on};
	room_for_kinds(&m, s->granularity->n);
	s->at = xmalloc((nend + 1u) * sizeof *s->at);
	memset(s->at, 0xff, nend * sizeof *s->at);	/* CALLTREE_NONE, also for the rest if the work is stopped */
	walk_frames(&m);
	tree_maker_free(&m);
	return s;
}
