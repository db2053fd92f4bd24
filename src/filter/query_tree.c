/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Chooses the call tree for a query. Nearly all queries use the plain tree of the store's nodes. Two kinds of queries
 * need another one, which is kept for the next query:
 *
 * - Tags as frames: the tags are grafted onto the tree (tag_graft.c).
 * - Filters with different results for frames of one symbol: a function that is called in one place and inlined in
 *   another, with noinlines; two functions of one file. A tree is built in which frames with different results are
 *   different nodes: their results are marks of the nodes. Siblings may be the same symbol there, which does not affect
 *   sums, and a flame graph merges them.
 *
 * focus and ignore at a coarse granularity (one function of a file) need no such tree: whether a sample counts is
 * computed for the store's nodes.
 *
 * Weights of nodes that are not the store's (critical paths) are another tree in each query, which is not kept.
 *
 * Not taken: a second copy of only those stacks that have such a node, appended to the plain tree. It saved 0.15 s of
 * 6 M nodes in the first of such queries, and nothing in the following ones.
 */
#include "config.h"
#include "filter/query_tree.h"

#include "base/mem/mem.h"
#include "filter/tag_graft.h"

void filter_trees_drop_special(struct filter_trees *k)
{
	calltree_free(k->special);
	k->special = NULL;
}

void filter_trees_drop(struct filter_trees *k)
{
	filter_trees_drop_special(k);
	calltree_free(k->plain);
	k->plain = NULL;
}

struct tree_finder {
	struct filter_trees *k;
	const struct snap *sn;
	const struct frame_matches *matches;
	const struct weigh_source *source;
	struct tag_frames tags;
	uint8_t apart;		/* match flags in which the frames of a node must not differ */
	const _Atomic bool *stop;
};

/* ---- flags */

/* Add the flags of one frame or tag to those of its symbol. Return the flags that differ. */
static uint8_t join_flags(uint8_t *flag, uint8_t *met, uint32_t symbol, uint8_t v)
{
	uint8_t differs = met[symbol] ? flag[symbol] ^ v : 0;
	met[symbol] = 1;
	flag[symbol] = v;
	return differs;
}

static uint8_t tag_flags(const struct tree_finder *f, const struct calltree_tag *t)
{
	uint8_t v = match_tag(f->matches, t->label == t->key ? 0 : t->label, t->key);
	return v | (v & FM_LOC_FOCUS ? FM_OWN_FOCUS : 0) | (v & FM_LOC_IGNORE ? FM_OWN_IGNORE : 0);
}

/* Set flag[] by symbol of a granularity. Return the flags in which frames of one symbol differ. */
static uint8_t flags_by_symbol(
    const struct tree_finder *f, const struct granularity *t, const struct calltree_tags *tags, uint8_t *flag)
{
	uint8_t *met = xcalloc(t->n, 1), differs = 0;
	for (frm_id i = 1; i < f->sn->nfrms; i++)
		differs |= join_flags(flag, met, t->of[i], f->matches->frame[i]);
	for (uint32_t i = 0; tags && i < tags->n; i++)
		differs |= join_flags(flag, met, granularity_find_tag(t, tags->v[i].label), tag_flags(f, &tags->v[i]));
	mem_free(met);
	return differs;
}

/* ---- trees */

static struct calltree *build_tree(const struct tree_finder *f, const uint8_t *mark)
{
	bool nodes = f->source->flat || f->source->part;
	uint32_t n = f->source->node ? f->source->nnode : f->sn->nstks;
	return calltree_new(f->k->granularity, &(struct calltree_source){.st = f->sn->st, .n = n,
	    .node = f->source->node, .nsmp = nodes ? 0 : f->sn->nsmps, .mark = mark, .stop = f->stop});
}

/* Return the marks by frame, NULL: none are needed. */
static uint8_t *frame_marks(const struct tree_finder *f)
{
	if (!f->apart)
		return NULL;
	uint8_t *mark = xmalloc(f->k->granularity->nfrm + 1u);
	for (frm_id i = 0; i < f->k->granularity->nfrm; i++)
		mark[i] = f->matches->frame[i] & f->apart;
	return mark;
}

static bool marks_fit(const struct tree_finder *f, const struct calltree *s)
{
	if (!f->apart || !s->frame_mark)
		return !f->apart && !s->frame_mark;
	bool fit = true;
	for (frm_id i = 0; fit && i < f->k->granularity->nfrm; i++)
		fit = s->frame_mark[i] == (f->matches->frame[i] & f->apart);
	for (uint32_t i = 0; fit && s->tags && i < s->tags->n; i++)
		fit = s->tags->v[i].mark == (tag_flags(f, &s->tags->v[i]) & f->apart);
	return fit;
}

/* Parts and nodes of their own are other ones in each query. */
static bool special_fits(const struct tree_finder *f)
{
	const struct calltree *s = f->k->special;
	return s && !f->source->part && !f->source->node && tag_graft_has_keys(s, &f->tags) && marks_fit(f, s);
}

static uint8_t mark_of_tag(const void *of, const struct calltree_tag *t)
{
	const struct tree_finder *f = of;
	return tag_flags(f, t) & f->apart;
}

/* Return the tree without tags that a special one is made of; a reference. */
static struct calltree *base_tree(const struct tree_finder *f)
{
	if (!f->apart && !f->source->node) {
		if (!f->k->plain)
			f->k->plain = build_tree(f, NULL);
		return f->k->plain ? calltree_ref(f->k->plain) : NULL;
	}
	uint8_t *mark = frame_marks(f);
	struct calltree *s = build_tree(f, mark);
	mem_free(mark);
	return s;
}

static struct calltree *find_tree(const struct tree_finder *f)
{
	if (special_fits(f))
		return calltree_ref(f->k->special);
	struct calltree *base = base_tree(f);
	if (!base || (!f->apart && !f->tags.nkey))
		return base;
	struct calltree *s = !f->tags.nkey ? calltree_ref(base)
	    : tag_graft_new(base, f->sn, &f->tags, f->apart ? mark_of_tag : NULL, f, f->stop);
	calltree_free(base);
	if (f->source->node || !s)
		return s;
	filter_trees_drop_special(f->k);
	f->k->special = s;
	if (f->tags.nkey) {	/* of the two only the larger one is kept, because most queries that follow need it */
		calltree_free(f->k->plain);
		f->k->plain = NULL;
	}
	return calltree_ref(s);
}

struct query_tree query_tree_find(struct filter_trees *k, const struct snap *sn, const struct frame_matches *matches,
    const struct weigh_source *source, uint8_t need, const _Atomic bool *stop)
{
	struct tree_finder f = {.k = k, .sn = sn, .matches = matches, .source = source, .stop = stop};
	struct query_tree q = {.flag = xcalloc(k->granularity->n, 1)};
	f.tags = tag_frames_find(sn, matches->fc, source);
	uint8_t differs = flags_by_symbol(&f, k->granularity, NULL, q.flag) & need;
	q.by_stack = !f.tags.nkey && differs & (FM_OWN_FOCUS | FM_OWN_IGNORE);
	if (q.by_stack)
		need &= (uint8_t)~(FM_OWN_FOCUS | FM_OWN_IGNORE);
	f.apart = differs & need;
	q.s = find_tree(&f);
	if (q.s && q.s->tags) {
		const struct granularity *t = q.s->granularity;
		mem_free(q.flag);
		q.flag = xcalloc(t->n, 1);
		differs = flags_by_symbol(&f, t, q.s->tags, q.flag) & need;
		if (differs & ~f.apart) {	/* tags of the same text have different keys */
			calltree_free(q.s);
			f.apart |= differs;
			q.s = find_tree(&f);
		}
	}
	for (uint32_t t = 0; q.s && t < q.s->granularity->n; t++)
		q.flag[t] &= need & (uint8_t)~f.apart;
	return q;
}

void query_tree_free(struct query_tree *q)
{
	calltree_free(q->s);
	mem_free(q->flag);
}
