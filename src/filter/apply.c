/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Applies filters to trees. Because parents come first, all that a query can do to stacks is one pass from the root to
 * the leaves: each node inherits the state of its parent (focus or ignore has matched, show_from has begun) and adds
 * its own flags. The weight of hidden frames counts for the nearest visible one above them. Siblings that become equal
 * stay separate, because views merge them by function or line anyway.
 *
 * Tags as frames make another tree first: tag_tree.c.
 */
#include "config.h"
#include "filter/apply.h"

#include "base/mem/mem.h"
#include "calltree/tree.h"

#include <string.h>

/* ---- the pass */

struct filter_pass {
	const struct frame_tree *t;
	const struct frame_matches *w;
	uint8_t *tag;		/* match flags of the tags that are frames */
	bool from;
	struct filter_result d;
};

static void match_tags(struct filter_pass *p, struct arena *a)
{
	const struct frame_tree *t = p->t;
	p->tag = arena_alloc(a, t->ntag + 1u);
	for (uint32_t i = 0; i < t->ntag; i++)
		p->tag[i] = match_tag(p->w, t->tag[i].label == t->tag[i].key ? 0 : t->tag[i].label, t->tag[i].key);
}

static uint8_t flags_of(const struct filter_pass *p, frm_id frame)
{
	return frame & FRAME_TREE_TAG ? p->tag[frame & ~FRAME_TREE_TAG] : p->w->frame[frame];
}

static void visit_node(const struct filter_pass *p, uint32_t i, struct stk_row r)
{
	const struct filter_result *d = &p->d;
	uint8_t v = flags_of(p, r.frame), s = d->state[r.parent] | (v & (FM_LOC_FOCUS | FM_LOC_IGNORE));
	bool seen = !(v & FM_HIDDEN);
	if (seen && v & FM_SHOW_FROM)
		s |= FILTER_SHOWING;
	seen = seen && (!p->from || s & FILTER_SHOWING);
	d->rep[i] = seen ? i : d->rep[r.parent];
	/* during the pass, to[] is the last end that prune_from set */
	d->to[i] = seen && v & FM_PRUNE ? i : d->to[r.parent];
	d->state[i] = s;
}

/* Frames are hidden or cut: compute which nodes get the weights. */
static void apply_to_nodes(const struct filter_pass *p)
{
	const struct filter_result *d = &p->d;
	bool by_name = filter_has_names(p->w->fc);
	d->rep[0] = d->to[0] = 0;
	struct frame_tree_pass rows = frame_tree_pass(p->t);
	for (uint32_t i = 1; i < p->t->n; i++)
		visit_node(p, i, frame_tree_at(&rows, i));
	for (uint32_t i = 0; i < p->t->n; i++) {
		uint8_t s = d->state[i];
		if ((by_name && (!filter_counts(s) || !d->rep[i])) || (p->from && !(s & FILTER_SHOWING)))
			d->to[i] = FILTER_NONE;
		else if (!d->to[i])
			d->to[i] = d->rep[i];
	}
}

/* No frame is hidden: compute only which stacks count. */
static void compute_states(const struct filter_pass *p)
{
	uint8_t *state = p->d.state;
	struct frame_tree_pass rows = frame_tree_pass(p->t);
	for (uint32_t i = 1; i < p->t->n; i++) {
		struct stk_row row = frame_tree_at(&rows, i);
		state[i] = state[row.parent] | (flags_of(p, row.frame) & (FM_LOC_FOCUS | FM_LOC_IGNORE));
	}
}

static void mark_range(uint8_t *state, uint32_t lo, uint32_t hi, uint8_t bits)
{
	for (; lo < hi; lo++)
		state[lo] |= bits;
}

void filter_end_states(const struct calltree *s, const uint8_t *flag, uint8_t *state)
{
	uint32_t until = 0;	/* all ends before the next of this node have FM_LOC_FOCUS already */
	bool ignores = false;
	for (uint32_t t = 1; t < s->granularity->n; t++)
		ignores |= (flag[t] & FM_OWN_IGNORE) != 0;
	for (uint32_t i = 1; i < s->n;) {
		uint8_t f = flag[calltree_symbol(s, i)];
		if (f & FM_OWN_IGNORE) {
			mark_range(
			    state, rank_below(s->ends, i), rank_below(s->ends, calltree_next(s, i)), FM_LOC_IGNORE);
			i = calltree_next(s, i);
			continue;
		}
		if (f & FM_OWN_FOCUS && i >= until) {
			until = calltree_next(s, i);
			mark_range(state, rank_below(s->ends, i), rank_below(s->ends, until), FM_LOC_FOCUS);
			if (!ignores) {
				i = until;
				continue;
			}
		}
		i++;
	}
}

static bool frames_vanish(const struct filter_pass *p)
{
	const struct frame_matches *w = p->w;
	return p->from || w->fc->rx[FILTER_PRUNE_FROM] || w->any & FM_HIDDEN || (p->t->ntag && filter_has_names(w->fc));
}

/* A node on the current path: its nearest visible node, and the last end that prune_from set. */
struct apply_step { uint32_t node, rep, to; uint8_t state; };

static struct apply_step next_step(const struct filter_pass *p, const struct apply_step *up, uint32_t i, frm_id frame)
{
	uint8_t v = flags_of(p, frame), s = up->state | (v & (FM_LOC_FOCUS | FM_LOC_IGNORE));
	bool seen = !(v & FM_HIDDEN);
	if (seen && v & FM_SHOW_FROM)
		s |= FILTER_SHOWING;
	seen = seen && (!p->from || s & FILTER_SHOWING);
	return (struct apply_step){i, seen ? i : up->rep, seen && v & FM_PRUNE ? i : up->to, s};
}

static uint32_t ends_at(const struct filter_pass *p, const struct apply_step *at, bool frames_vanish)
{
	bool by_name = filter_has_names(p->w->fc) || !frames_vanish;
	if ((by_name && (!filter_counts(at->state) || (frames_vanish && !at->rep))) ||
	    (p->from && !(at->state & FILTER_SHOWING)))
		return FILTER_NONE;
	return !frames_vanish ? at->node : at->to ? at->to : at->rep;
}

struct filter_end_result filter_apply_to_ends(
    const struct frame_tree *t, const struct frame_matches *w, const struct rank *ends)
{
	struct filter_pass p = {.t = t, .w = w, .from = filter_has_show_from(w->fc)};
	struct arena tmp = {0};
	match_tags(&p, &tmp);
	uint32_t last = (uint32_t)rank_blocks(t->n) - 1, k = 0, depth = 1;
	uint32_t n = ends[last].before + rank_popcount(ends[last].bits);
	struct filter_end_result d = {xmalloc((n + 1u) * sizeof *d.to), xcalloc(rank_blocks(t->n), sizeof *d.gone)};
	size_t cap = 0;
	struct apply_step *way = mem_grow(NULL, &cap, 1, sizeof *way);
	bool some = frames_vanish(&p);
	struct frame_tree_pass rows = frame_tree_pass(t);
	way[0] = (struct apply_step){0};
	for (uint32_t i = 0; i < t->n; i++) {
		if (i) {
			struct stk_row r = frame_tree_at(&rows, i);
			while (depth > 1 && way[depth - 1].node != r.parent)
				depth--;
			way = mem_grow(way, &cap, depth + 1u, sizeof *way);
			way[depth] = next_step(&p, &way[depth - 1], i, r.frame);
			depth++;
		}
		if (way[depth - 1].rep != i)
			rank_set(d.gone, i);
		if (rank_has(ends, i))
			d.to[k++] = ends_at(&p, &way[depth - 1], some);
	}
	mem_free(way);
	arena_free(&tmp);
	return d;
}

struct filter_result filter_apply(const struct frame_tree *t, const struct frame_matches *w, struct arena *a)
{
	struct filter_pass p = {
	    .t = t, .w = w, .from = filter_has_show_from(w->fc), .d.state = arena_alloc(a, t->n)};
	p.d.state[0] = 0;
	match_tags(&p, a);
	if (frames_vanish(&p)) {
		p.d.rep = arena_alloc(a, t->n * sizeof *p.d.rep);
		p.d.to = arena_alloc(a, t->n * sizeof *p.d.to);
		apply_to_nodes(&p);
	} else {
		compute_states(&p);
	}
	return p.d;
}

struct filter_result filter_stack_states(const struct frame_tree *t, const struct frame_matches *w, struct arena *a)
{
	struct filter_pass p = {.t = t, .w = w, .d.state = arena_alloc(a, t->n)};
	p.d.state[0] = 0;
	match_tags(&p, a);
	compute_states(&p);
	return p.d;
}
