/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The call tree. A node is a frame and its parent. Stacks that start with the same frames share nodes, and a parent
 * always has a smaller id than its children, so every question about the tree is one pass over an array. Nearly all
 * nodes directly follow their parents. A node takes four bytes and a bit that is set when it does not; the parents of
 * those nodes are stored apart (store.h).
 *
 * A location of n lines is a chain of n nodes, outermost first. Such a chain never forks inside and is only entered at
 * its top, so the index has whole locations, by their outermost frame, and inlined code costs no lookups.
 *
 * Most nodes have one child, which was made right after them. The next node shows this itself, because its parent is
 * this one. So following a stack walks along the tree, and only other children are in a hash table, which has node
 * numbers and their hashes; everything else is read from the tree, where the walk continues anyway. With a hash table
 * for all nodes, 1 M samples of 35 frames each on 6.3 M nodes took 3.5 s to read, nearly all of it waiting for memory.
 *
 * Where a reader delivers stacks in order (stacks_branch()), each continues the previous one and nothing is looked up
 * at all: there is no hash table until a stack arrives by stacks_add().
 *
 * Not taken: an index of whole stacks in front of this one. Stacks of a profile are nearly all different, so lookups
 * would fail. Nor an array of first children: it was as large as the tree.
 */
#include "config.h"
#include "store/stacks.h"

#include "base/mem/mem.h"

#include <string.h>

static struct stk_row row_of(const struct stacks *t, stk_id i)
{
	return (struct stk_row){stk_parent(t->st, i), stk_frame(t->st, i)};
}

/* Add the blocks of 64 nodes, up to that of node id. */
static void blocks_to(struct store *st, stk_id id)
{
	while (column_n(&st->forks) <= id / 64) {
		uint32_t n = column_n(&st->fork);
		((struct stk_forks *)column_add(&st->forks, NULL))->before = n;
	}
}

/* Record the parent of node id, which is being added, unless the node directly follows it. */
static void place_node(struct store *st, stk_id id, stk_id parent)
{
	blocks_to(st, id);
	if (!id || parent + 1 == id)
		return;
	struct stk_forks *f = column_at(&st->forks, id / 64);
	*(stk_id *)column_add(&st->fork, NULL) = parent;
	uint64_t bits = atomic_load_explicit(&f->bits, memory_order_relaxed);
	atomic_store_explicit(&f->bits, bits | UINT64_C(1) << id % 64, memory_order_relaxed);
}

static stk_id node_add(struct store *st, stk_id parent, frm_id frame)
{
	uint32_t id = column_n(&st->stks);
	place_node(st, id, parent);
	*(frm_id *)column_add(&st->stks, NULL) = frame;
	return id;
}

static void rows_init(struct store *st)
{
	column_init(&st->stks, sizeof(frm_id));
	column_init(&st->forks, sizeof(struct stk_forks));
	column_init(&st->fork, sizeof(stk_id));
}

void stacks_rows_free(struct store *st)
{
	column_free(&st->stks);
	column_free(&st->forks);
	column_free(&st->fork);
}

static int same_node(const void *ctx, uint32_t id, const void *key)
{
	struct stk_row a = row_of(ctx, id), b = *(const struct stk_row *)key;
	return a.parent == b.parent && a.frame == b.frame;
}

/* Extend top[] to all locations of the store. */
static void add_tops(struct stacks *t)
{
	uint32_t n = column_n(&t->st->locs);
	t->top = mem_grow(t->top, &t->ctop, n, sizeof *t->top);
	for (; t->ntop < n; t->ntop++) {
		const struct loc_row *l = store_loc(t->st, t->ntop);
		t->top[t->ntop] = (struct stacks_top){l->first + l->nline - (l->nline != 0), l->nline};
	}
}

void stacks_init(struct stacks *t, struct store *st)
{
	*t = (struct stacks){.st = st, .indexed = true};
	rows_init(st);
	node_add(st, 0, 0);
}

void stacks_free(struct stacks *t)
{
	intern_free(&t->others);
	mem_free(t->top);
	mem_free(t->last);
}

/* Rebuild the hash table from the nodes, for stacks that arrive after stacks_done() or stacks_branch(). */
static void rebuild_index(struct stacks *t)
{
	uint32_t n = column_n(&t->st->stks);
	t->sorted = false;
	t->indexed = true;
	add_tops(t);
	for (stk_id i = 1; i < n; i++) {
		struct stk_row r = row_of(t, i);
		const struct frm_row *f = store_frm(t->st, r.frame);
		if (r.frame == t->top[f->loc].frame && r.parent + 1 != i)
			intern_put(&t->others, intern_hash_u64(r.parent, r.frame), i);
	}
}

void stacks_done(struct stacks *t)
{
	stacks_free(t);
	*t = (struct stacks){.st = t->st};
}

/* Add the nodes of a location. Return the innermost. */
static stk_id add_chain(struct stacks *t, stk_id parent, struct stacks_top top)
{
	stk_id id = parent;
	for (uint32_t i = 0; i < top.n; i++)
		id = node_add(t->st, id, top.frame - i);
	return id;
}

/* Return the innermost node of a location below `at`, added if needed. fresh: it is known not to exist, so only a free
   slot is searched, without reading the tree. */
static stk_id other_child(struct stacks *t, stk_id at, struct stacks_top top, bool fresh)
{
	struct stk_row key = {at, top.frame};
	uint32_t hash = intern_hash_u64(at, top.frame);
	uint32_t id = fresh ? UINT32_MAX : intern_find(&t->others, hash, same_node, t, &key);
	if (id != UINT32_MAX)
		return id + top.n - 1;
	stk_id leaf = add_chain(t, at, top);
	intern_put(&t->others, hash, leaf - top.n + 1);
	return leaf;
}

/* Return how many of the outermost locations are the same as in the previous stack. */
static size_t same_ways(struct stacks *t, const loc_id *leaf_first, size_t n)
{
	size_t same = 0;
	while (same < t->nlast && same < n && t->last[same].loc == leaf_first[n - 1 - same])
		same++;
	t->last = mem_grow(t->last, &t->clast, n, sizeof *t->last);
	t->nbefore = t->nlast;
	t->nlast = n;
	return same;
}

static struct stacks_top top_of(struct stacks *t, loc_id loc)
{
	if (loc >= t->ntop)
		add_tops(t);
	return t->top[loc];
}

/* Return the node one location below a node; see other_child(). */
static stk_id step_down(struct stacks *t, stk_id at, struct stacks_top top, bool fresh)
{
	uint32_t n = column_n(&t->st->stks);
	if (!top.n)
		return at;
	if (at + 1 >= n)	/* the newest node: its child becomes the next node */
		return add_chain(t, at, top);
	struct stk_row r = row_of(t, at + 1);
	if (r.parent == at && r.frame == top.frame)
		return at + top.n;
	return other_child(t, at, top, fresh);
}

stk_id stacks_add(struct stacks *t, const loc_id *leaf_first, size_t n)
{
	if (!t->indexed)
		rebuild_index(t);
	size_t d = same_ways(t, leaf_first, n);
	stk_id at = d ? t->last[d - 1].node : 0, had = column_n(&t->st->stks);
	bool fresh = d && d < n && d < t->nbefore && t->last[d - 1].rising && leaf_first[n - 1 - d] > t->last[d].loc;
	if (d && d < n && !fresh)
		t->last[d - 1].rising = false;
	for (; d < n; d++, fresh = false) {
		loc_id loc = leaf_first[n - 1 - d];
		struct stacks_top top = top_of(t, loc);
		if (!top.n && d)	/* location 0 adds no node; the next location is a child of the same node */
			t->last[d - 1].rising = false;
		at = step_down(t, at, top, fresh);
		t->last[d] = (struct stacks_step){loc, at, top.n && at >= had};
	}
	return at;
}

/* Return whether all nodes came by stacks_branch(). Then those it adds are new, since there were no other nodes
   before. */
static bool in_order(struct stacks *t)
{
	if (!t->sorted && column_n(&t->st->stks) == 1) {
		stacks_done(t);
		t->sorted = true;
	}
	return t->sorted;
}

/* Add new nodes for locations, below a node. Return the innermost. */
static stk_id write_down(struct stacks *t, stk_id at, const loc_id *outer_first, size_t n, struct stacks_step *steps)
{
	struct data_column *c = &t->st->stks;
	frm_id *row = NULL;
	uint32_t id = column_n(c), used = 0, room = 0;
	for (size_t i = 0; i < n; i++) {
		struct stacks_top top = top_of(t, outer_first[i]);
		for (uint32_t k = 0; k < top.n; k++) {
			if (used == room) {
				column_commit(c, used);
				row = column_reserve(c, (uint32_t)(n - i), &room);
				used = 0;
			}
			if (at + 1 != id)
				place_node(t->st, id, at);
			row[used++] = top.frame - k;
			at = id++;
		}
		steps[i] = (struct stacks_step){outer_first[i], at, false};
	}
	blocks_to(t->st, id);
	column_commit(c, used);
	return at;
}

stk_id stacks_branch(struct stacks *t, size_t same, const loc_id *outer_first, size_t n)
{
	bool fresh = in_order(t);
	if (!fresh && !t->indexed)
		rebuild_index(t);
	t->last = mem_grow(t->last, &t->clast, same + n + 1, sizeof *t->last);
	t->nlast = same + n;
	stk_id at = same ? t->last[same - 1].node : 0;
	if (fresh)
		return write_down(t, at, outer_first, n, t->last + same);
	for (size_t i = 0; i < n; i++) {
		at = step_down(t, at, top_of(t, outer_first[i]), false);
		t->last[same + i] = (struct stacks_step){outer_first[i], at, false};
	}
	return at;
}
