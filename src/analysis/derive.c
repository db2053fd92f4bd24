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
 * Tags as frames make another tree first: below every chain of root tags a copy
 * of the part of the tree that its samples use. Most nodes are used by samples of
 * one chain only, so a node's first copy is kept beside it, and a table from
 * (chain, node) finds the others.
 */
#include "config.h"
#include "analysis/derive.h"

#include "analysis/shape.h"
#include "analysis/tracew.h"
#include "base/intern.h"
#include "base/mem.h"

#include <string.h>

void tree_free(struct tree *t)
{
	mem_free(t->row);
	mem_free(t->label);
	mem_free(t->key);
	mem_free(t->of);
	*t = (struct tree){0};
}

/* ---- tags as frames */

struct tagged {
	struct tree *t;
	const struct snap *sn;
	const struct labels *ls;
	struct intern copies, tags;
	struct first { uint32_t chain, copy; } *first;	/* per node of the store its first copy */
	struct from { uint32_t chain, node; } *from;	/* what each node is a copy of */
	size_t cfrom;
	uint32_t *way, nway;	/* nodes to copy */
	size_t cway;
};

static uint32_t add_node(
    struct tagged *g, uint32_t parent, frm_id frame, str_id label, str_id key, struct from from)
{
	struct tree *t = g->t;
	t->row = mem_grow(t->row, &t->cap, t->n + 1, sizeof *t->row);
	t->label = mem_grow(t->label, &t->clabel, t->n + 1, sizeof *t->label);
	t->key = mem_grow(t->key, &t->ckey, t->n + 1, sizeof *t->key);
	g->from = mem_grow(g->from, &g->cfrom, t->n + 1, sizeof *g->from);
	t->row[t->n] = (struct stk_row){parent, frame};
	t->label[t->n] = label;
	t->key[t->n] = key;
	g->from[t->n] = from;
	return t->n++;
}

static int same_copy(const void *ctx, uint32_t id, const void *key)
{
	const struct from *a = &((const struct tagged *)ctx)->from[id], *b = key;
	return a->chain == b->chain && a->node == b->node;
}

struct tag_at { uint32_t parent; str_id label, key; };

static int same_tag(const void *ctx, uint32_t id, const void *key)
{
	const struct tree *t = ((const struct tagged *)ctx)->t;
	const struct tag_at *k = key;
	return t->row[id].parent == k->parent && t->label[id] == k->label && t->key[id] == k->key;
}

static uint32_t text_node(struct tagged *g, uint32_t parent, str_id text, str_id key)
{
	struct tag_at at = {parent, text, key};
	if (!at.label)
		at.label = key;	/* as pprof shows a frame that has a file only */
	uint32_t h = hash_u64((uint64_t)parent << 32 | at.label, key);
	uint32_t id = intern_find(&g->tags, h, same_tag, g, &at);
	if (id == UINT32_MAX) {
		id = add_node(g, parent, 0, at.label, key, (struct from){0});
		intern_put(&g->tags, h, id);
	}
	return id;
}

static uint32_t tag_node(struct tagged *g, uint32_t parent, uint32_t set, str_id key)
{
	struct buf b = {0};
	str_id text = 0;
	if (labels_text(g->ls, set, key, &b) && b.n)
		text = build_text(g->sn, b.p, b.n);
	buf_free(&b);
	return text_node(g, parent, text, key);
}

/* The copy of a node below a chain of tags that there is already; 0: none. */
static uint32_t find_copy(const struct tagged *g, uint32_t chain, uint32_t node)
{
	struct first f = g->first[node];
	if (!f.copy || f.chain == chain)
		return f.copy;
	uint32_t id = intern_find(
	    &g->copies, hash_u64(chain, node), same_copy, g, &(struct from){chain, node});
	return id == UINT32_MAX ? 0 : id;
}

static uint32_t make_copy(struct tagged *g, uint32_t parent, uint32_t chain, uint32_t node)
{
	uint32_t id = add_node(
	    g, parent, store_stk(g->sn->st, node)->frame, 0, 0, (struct from){chain, node});
	if (g->first[node].copy)
		intern_put(&g->copies, hash_u64(chain, node), id);
	else
		g->first[node] = (struct first){chain, id};
	return id;
}

/* The copy of a node below a chain: up to what is there already, then down again. */
static uint32_t copy_of(struct tagged *g, uint32_t chain, uint32_t node)
{
	uint32_t at = 0;
	for (g->nway = 0; node && !(at = find_copy(g, chain, node));
	     node = store_stk(g->sn->st, node)->parent) {
		g->way = mem_grow(g->way, &g->cway, g->nway + 1u, sizeof *g->way);
		g->way[g->nway++] = node;
	}
	if (!at)
		at = chain;
	while (g->nway)
		at = make_copy(g, at, chain, g->way[--g->nway]);
	return at;
}

static void tagged_begin(struct tagged *g)
{
	g->first = xcalloc(g->sn->nstks, sizeof *g->first);
	*g->t = (struct tree){.st = g->sn->st};
	add_node(g, 0, 0, 0, 0, (struct from){0});
}

static void tagged_end(struct tagged *g)
{
	mem_free(g->first);
	mem_free(g->from);
	mem_free(g->way);
	intern_free(&g->copies);
	intern_free(&g->tags);
}

void tree_tagged(struct tree *t, const struct snap *sn, const struct labels *ls, const str_id *key,
    size_t nkey, size_t nroot)
{
	struct tagged g = {.t = t, .sn = sn, .ls = ls};
	uint32_t *chain = xcalloc(ls->nset, sizeof *chain);
	tagged_begin(&g);
	for (uint32_t s = 0; s < ls->nset; s++)
		for (size_t k = 0; k < nroot; k++)
			chain[s] = tag_node(&g, chain[s], s, key[k]);
	t->of = xmalloc(sn->nsmps * sizeof *t->of);
	for (uint32_t i = 0; i < sn->nsmps; i++) {
		uint32_t set = store_smp(sn->st, i)->set, at = copy_of(&g, chain[set], store_smp(sn->st, i)->stack);
		for (size_t k = nroot; k < nkey; k++)
			at = tag_node(&g, at, set, key[k]);
		t->of[i] = at;
	}
	mem_free(chain);
	tagged_end(&g);
}

void tree_parts(struct tree *t, const struct snap *sn, const struct tw_part *part, uint32_t n, str_id key, bool root)
{
	struct tagged g = {.t = t, .sn = sn};
	tagged_begin(&g);
	t->of = xmalloc((n + 1u) * sizeof *t->of);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t top = root ? text_node(&g, 0, part[i].tag, key) : 0;
		t->of[i] = copy_of(&g, top, part[i].stack);
		if (!root)
			t->of[i] = text_node(&g, t->of[i], part[i].tag, key);
	}
	tagged_end(&g);
}

/* ---- the pass */

struct pass { const struct tree *t; const struct verdict *w; bool from; struct derived d; };

static uint8_t flags_of(const struct pass *p, uint32_t i, frm_id frame)
{
	const struct tree *t = p->t;
	if (!t->key || !t->key[i])
		return p->w->frame[frame];
	return verdict_tag(p->w, t->label[i] == t->key[i] ? 0 : t->label[i], t->key[i]);
}

static void visit(const struct pass *p, uint32_t i, struct stk_row r)
{
	const struct derived *d = &p->d;
	uint8_t v = flags_of(p, i, r.frame), s = d->state[r.parent] | (v & (FV_FOCUS | FV_IGNORE));
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
	for (uint32_t i = 0; i < p->t->n;)
		for (struct tree_run r = tree_run(p->t, i); i < r.hi; i++)
			if (i)
				visit(p, i, r.row[i - r.lo]);
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
	for (uint32_t i = 0; i < p->t->n;)
		for (struct tree_run r = tree_run(p->t, i); i < r.hi; i++) {
			struct stk_row row = r.row[i - r.lo];
			if (i)
				state[i] = state[row.parent] |
					   (flags_of(p, i, row.frame) & (FV_FOCUS | FV_IGNORE));
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
		uint8_t f = flag[s->thing[i]];
		if (f & FV_BARRED) {
			mark(state, rank_of(s->ends, i), rank_of(s->ends, s->next[i]), FV_IGNORE);
			i = s->next[i];
			continue;
		}
		if (f & FV_HIT && i >= until) {
			until = s->next[i];
			mark(state, rank_of(s->ends, i), rank_of(s->ends, until), FV_FOCUS);
			if (!ignores) {
				i = until;
				continue;
			}
		}
		i++;
	}
}

struct derived derive(const struct tree *t, const struct verdict *w, struct arena *a)
{
	struct pass p = {
	    .t = t, .w = w, .from = focus_from(w->fc), .d.state = arena_alloc(a, t->n)};
	p.d.state[0] = 0;
	if (p.from || w->fc->rx[R_PRUNE] || w->any & FV_DEAD || (t->key && focus_by_name(w->fc))) {
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
	derive_states(&p);
	return p.d;
}
