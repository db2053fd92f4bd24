/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Trees out of trees. Because parents come first, all that a query can do to
 * stacks is one pass from the root to the leaves: each node knows what its
 * parent knew (was there a focus, an ignored frame, has show_from begun) and
 * adds its own flags. Frames that vanish give way to
 * the nearest one that is left above them; siblings that become alike stay
 * apart, because whoever shows a tree merges by function or line anyway.
 *
 * Tags as frames make another tree first: tag_tree.c.
 */
#include "config.h"
#include "filter/apply.h"

#include "base/mem/mem.h"
#include "calltree/tree.h"

#include <string.h>

/* ---- the pass */

struct pass {
	const struct tree *t;
	const struct verdict *w;
	uint8_t *tag;		/* what verdicts say of the tags that are frames */
	bool from;
	struct derived d;
};

static void judge_tags(struct pass *p, struct arena *a)
{
	const struct tree *t = p->t;
	p->tag = arena_alloc(a, t->ntag + 1u);
	for (uint32_t i = 0; i < t->ntag; i++)
		p->tag[i] = verdict_tag(p->w, t->tag[i].label == t->tag[i].key ? 0 : t->tag[i].label, t->tag[i].key);
}

static uint8_t flags_of(const struct pass *p, frm_id frame)
{
	return frame & TREE_TAG ? p->tag[frame & ~TREE_TAG] : p->w->frame[frame];
}

static void visit(const struct pass *p, uint32_t i, struct stk_row r)
{
	const struct derived *d = &p->d;
	uint8_t v = flags_of(p, r.frame), s = d->state[r.parent] | (v & (FV_FOCUS | FV_IGNORE));
	bool seen = !(v & FV_DEAD);
	if (seen && v & FV_FROM)
		s |= DERIVE_ON;
	seen = seen && (!p->from || s & DERIVE_ON);
	d->rep[i] = seen ? i : d->rep[r.parent];
	/* while the pass runs, to[] is the last end that prune_from gave */
	d->to[i] = seen && v & FV_PRUNE ? i : d->to[r.parent];
	d->state[i] = s;
}

/* Frames vanish: find out which are left. */
static void derive_tree(const struct pass *p)
{
	const struct derived *d = &p->d;
	bool by_name = focus_by_name(p->w->fc);
	d->rep[0] = d->to[0] = 0;
	struct tree_pass rows = tree_pass(p->t);
	for (uint32_t i = 1; i < p->t->n; i++)
		visit(p, i, tree_at(&rows, i));
	for (uint32_t i = 0; i < p->t->n; i++) {
		uint8_t s = d->state[i];
		if ((by_name && (!derive_counts(s) || !d->rep[i])) || (p->from && !(s & DERIVE_ON)))
			d->to[i] = DERIVE_NONE;
		else if (!d->to[i])
			d->to[i] = d->rep[i];
	}
}

/* All frames stay: only which stacks count. */
static void derive_states(const struct pass *p)
{
	uint8_t *state = p->d.state;
	struct tree_pass rows = tree_pass(p->t);
	for (uint32_t i = 1; i < p->t->n; i++) {
		struct stk_row row = tree_at(&rows, i);
		state[i] = state[row.parent] | (flags_of(p, row.frame) & (FV_FOCUS | FV_IGNORE));
	}
}

static void mark(uint8_t *state, uint32_t lo, uint32_t hi, uint8_t bits)
{
	for (; lo < hi; lo++)
		state[lo] |= bits;
}

void shape_states(const struct shape *s, const uint8_t *flag, uint8_t *state)
{
	uint32_t until = 0;	/* so far all ends have seen a focus */
	bool ignores = false;
	for (uint32_t t = 1; t < s->things->n; t++)
		ignores |= (flag[t] & FV_BARRED) != 0;
	for (uint32_t i = 1; i < s->n;) {
		uint8_t f = flag[shape_thing(s, i)];
		if (f & FV_BARRED) {
			mark(state, rank_of(s->ends, i), rank_of(s->ends, shape_next(s, i)), FV_IGNORE);
			i = shape_next(s, i);
			continue;
		}
		if (f & FV_HIT && i >= until) {
			until = shape_next(s, i);
			mark(state, rank_of(s->ends, i), rank_of(s->ends, until), FV_FOCUS);
			if (!ignores) {
				i = until;
				continue;
			}
		}
		i++;
	}
}

static bool vanishes(const struct pass *p)
{
	const struct verdict *w = p->w;
	return p->from || w->fc->rx[R_PRUNE] || w->any & FV_DEAD || (p->t->ntag && focus_by_name(w->fc));
}

/* A node on the way to one: the nearest that is seen, and the last end that prune_from gave. */
struct step { uint32_t node, rep, to; uint8_t state; };

static struct step go_on(const struct pass *p, const struct step *up, uint32_t i, frm_id frame)
{
	uint8_t v = flags_of(p, frame), s = up->state | (v & (FV_FOCUS | FV_IGNORE));
	bool seen = !(v & FV_DEAD);
	if (seen && v & FV_FROM)
		s |= DERIVE_ON;
	seen = seen && (!p->from || s & DERIVE_ON);
	return (struct step){i, seen ? i : up->rep, seen && v & FV_PRUNE ? i : up->to, s};
}

static uint32_t ends_at(const struct pass *p, const struct step *at, bool vanishes)
{
	bool by_name = focus_by_name(p->w->fc) || !vanishes;
	if ((by_name && (!derive_counts(at->state) || (vanishes && !at->rep))) || (p->from && !(at->state & DERIVE_ON)))
		return DERIVE_NONE;
	return !vanishes ? at->node : at->to ? at->to : at->rep;
}

struct derived_ends derive_ends(const struct tree *t, const struct verdict *w, const struct rank *ends)
{
	struct pass p = {.t = t, .w = w, .from = focus_from(w->fc)};
	struct arena tmp = {0};
	judge_tags(&p, &tmp);
	uint32_t last = (uint32_t)rank_blocks(t->n) - 1, k = 0, depth = 1;
	uint32_t n = ends[last].before + rank_bits(ends[last].bits);
	struct derived_ends d = {xmalloc((n + 1u) * sizeof *d.to), xcalloc(rank_blocks(t->n), sizeof *d.gone)};
	size_t cap = 0;
	struct step *way = mem_grow(NULL, &cap, 1, sizeof *way);
	bool some = vanishes(&p);
	struct tree_pass rows = tree_pass(t);
	way[0] = (struct step){0};
	for (uint32_t i = 0; i < t->n; i++) {
		if (i) {
			struct stk_row r = tree_at(&rows, i);
			while (depth > 1 && way[depth - 1].node != r.parent)
				depth--;
			way = mem_grow(way, &cap, depth + 1u, sizeof *way);
			way[depth] = go_on(&p, &way[depth - 1], i, r.frame);
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

struct derived derive(const struct tree *t, const struct verdict *w, struct arena *a)
{
	struct pass p = {
	    .t = t, .w = w, .from = focus_from(w->fc), .d.state = arena_alloc(a, t->n)};
	p.d.state[0] = 0;
	judge_tags(&p, a);
	if (vanishes(&p)) {
		p.d.rep = arena_alloc(a, t->n * sizeof *p.d.rep);
		p.d.to = arena_alloc(a, t->n * sizeof *p.d.to);
		derive_tree(&p);
	} else {
		derive_states(&p);
	}
	return p.d;
}

struct derived derive_stacks(const struct tree *t, const struct verdict *w, struct arena *a)
{
	struct pass p = {.t = t, .w = w, .d.state = arena_alloc(a, t->n)};
	p.d.state[0] = 0;
	judge_tags(&p, a);
	derive_states(&p);
	return p.d;
}
