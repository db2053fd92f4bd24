/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Weights under a query: samples (or what a trace weighs) added up at the nodes that the query leaves of the call tree.
 * One pass over the tree for the verdicts (apply.c), one over the samples, one backwards that finds the nodes that
 * something counts at or below, and one that copies those together. Each walks along arrays; nothing is looked up per
 * sample but its node and its label set. Where the query leaves a shape as it is, weights go straight onto its ends;
 * where nodes are in preorder, a shape is made of those that count at once, and nothing is copied (weigh_rebuilt.c).
 *
 * Nodes without weight are left out: a heap profile's stacks have mostly been
 * freed, a narrow focus leaves a thousandth, and all that comes after (merging
 * by function, flame graphs) costs by the node. No sums are kept from one query
 * to the next: the whole is faster than a key repeats.
 */
#include "config.h"
#include "filter/internal.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "calltree/tree.h"
#include "filter/cut.h"
#include "filter/split_stacks.h"
#include "trace/as_profile.h"

#include <string.h>

/* Straight onto the shape: from sample or node `from`. */
static void put_onto(struct scale *g, uint32_t from, uint32_t node, int64_t v, int64_t b)
{
	struct onto *o = g->onto;
	uint32_t end = o->end[from];
	int64_t other = 0;
	if (end == SHAPE_NONE)
		return;
	if (!g->keep && g->d.state && !derive_counts(g->d.state[node]))
		return;
	if (o->oflat)
		v = side_shown(g->sides->show, v, b, &other);
	onto_put(o, end, v, other);
}

/* v is A's, b B's; from the sample (or part, or node) of this number, at this node. */
static void put(struct scale *g, uint32_t from, uint32_t node, int64_t v, int64_t b, int64_t count)
{
	if (g->hit) {
		node = g->ends ? g->cut.to[rank_of(g->ends, node)] : node;
		g->of[from] = node;
		if (node != DERIVE_NONE)
			rank_set(g->hit, node);
		return;
	}
	if (g->onto) {
		put_onto(g, from, node, v, b);
		return;
	}
	if (g->d.to)
		node = g->d.to[node];
	else if (g->d.state && !derive_counts(g->d.state[node]))
		return;
	if (node == DERIVE_NONE)
		return;
	int64_t other = 0;
	if (g->r.oflat)
		v = side_shown(g->sides->show, v, b, &other);
	if (g->r.oflat)
		g->r.oflat[node] = wrap_add(g->r.oflat[node], other);
	g->r.flat[node] = wrap_add(g->r.flat[node], v);
	if (g->r.count)
		g->r.count[node] = wrap_add(g->r.count[node], count);
	g->r.hit[node] = 1;
}

/* Samples lie in the order of the file and what is added to does not: ask for it some samples before. */
static void foresee(const struct onto *o, uint32_t i, uint32_t n)
{
	enum { AHEAD = 24 };
	if (i + AHEAD >= n || o->end[i + AHEAD] == SHAPE_NONE)
		return;
	__builtin_prefetch(&o->flat[o->end[i + AHEAD]], 1);
	__builtin_prefetch(&o->hit[o->end[i + AHEAD]], 1);
}

static void add_samples(struct scale *g, uint32_t type, const uint8_t *keep)
{
	const struct store *st = g->sn->st;
	const uint8_t *base = labels_with(g->sn, PROF_BASE_KEY, &g->scratch);	/* percentages are of those */
	for (uint32_t i = 0; i < g->sn->nsmps; i++) {
		if (g->onto)
			foresee(g->onto, i, g->sn->nsmps);
		const struct smp_row *s = store_smp(st, i);
		int64_t v = store_value(st, type, i);
		g->all = wrap_add(g->all, wrap_abs(v));
		if (base && base[s->set])
			g->base = wrap_add(g->base, wrap_abs(v));
		if (v && (!keep || keep[s->set]))
			put(g, i, g->tree.of ? g->tree.of[i] : s->stack, v, 0, 1);
	}
}

/* The same with two sides: percentages are of the one that is shown, of a difference of B or as asked. */
static void add_sides(struct scale *g, uint32_t type, const uint8_t *keep)
{
	const struct store *st = g->sn->st;
	const struct sides *d = g->sides;
	int64_t all[2] = {0, 0};
	for (uint32_t i = 0; i < g->sn->nsmps; i++) {
		const struct smp_row *s = store_smp(st, i);
		uint32_t side = store_side(st, i);
		bool a = side_in(d->a, side), b = side_in(d->b, side);
		int64_t v = store_value(st, type, i), w = b ? v : 0;
		if (!v || !(a || b))
			continue;
		v = a ? sides_scaled(v, d->ratio) : 0;
		all[0] = wrap_add(all[0], wrap_abs(v));
		all[1] = wrap_add(all[1], wrap_abs(w));
		if (!keep || keep[s->set])
			put(g, i, g->tree.of ? g->tree.of[i] : s->stack, v, w, 1);
	}
	int64_t base = d->whole ? d->whole : all[1] ? all[1] : all[0];
	g->all = !d->b || d->show == SHOW_A ? all[0] : d->show == SHOW_B ? all[1] : base;
}

/* Copy the nodes that count together, in place: a node never moves up. Each comes below the nearest
   that is left. */
static void copy_nodes(struct scale *g)
{
	struct room *o = &g->r;
	uint32_t *id = o->id, k = 0;
	const uint32_t *rep = g->d.rep;
	struct tree_pass rows = tree_pass(&g->tree);
	for (uint32_t i = 0; i < g->tree.n; i++) {
		if (i && !o->hit[i])
			continue;
		struct stk_row row = tree_at(&rows, i);
		o->parent[k] = i ? id[rep ? rep[row.parent] : row.parent] : 0;
		o->frame[k] = row.frame & TREE_TAG ? 0 : row.frame;
		o->flat[k] = o->flat[i];
		if (o->oflat)
			o->oflat[k] = o->oflat[i];
		if (o->label)
			o->label[k] = row.frame & TREE_TAG ? g->tree.tag[row.frame & ~TREE_TAG].label : 0;
		if (o->count)
			o->count[k] = o->count[i];
		id[i] = k++;
	}
}

static void copy_all(struct scale *g)
{
	struct room *o = &g->r;
	struct tree_pass rows = tree_pass(&g->tree);
	for (uint32_t i = 0; i < g->tree.n; i++) {
		struct stk_row row = tree_at(&rows, i);
		bool tag = row.frame & TREE_TAG;
		o->parent[i] = row.parent;
		o->frame[i] = tag ? 0 : row.frame;
		if (o->label)
			o->label[i] = tag ? g->tree.tag[row.frame & ~TREE_TAG].label : 0;
	}
}

/* How many nodes are hit, when what is above a hit is hit. */
static uint32_t hit_upwards(struct scale *g)
{
	const uint32_t *rep = g->d.rep;
	uint8_t *hit = g->r.hit;
	uint32_t n = 1;
	hit[0] = 1;
	struct tree_pass rows = tree_pass(&g->tree);
	for (uint32_t i = g->tree.n - 1; i > 0; i--) {
		if (!hit[i])
			continue;
		uint32_t up = tree_at(&rows, i).parent;
		hit[rep ? rep[up] : up] = 1;
		n++;
	}
	return n;
}

static void gather(struct scale *g, struct weights *w)
{
	const struct room *o = &g->r;
	uint32_t n = hit_upwards(g);
	if (n < g->tree.n || g->d.rep)
		copy_nodes(g);
	else
		copy_all(g);
	int64_t total = 0;
	for (uint32_t i = 0; i < n; i++)
		total = wrap_add(total, o->flat[i]);
	*w = (struct weights){.n = n,
	    .oflat = o->oflat,
	    .show = o->oflat ? g->sides->show : SHOW_DELTA,
	    .parent = o->parent,
	    .frame = o->frame,
	    .label = o->label,
	    .flat = o->flat,
	    .count = o->count,
	    .total = total,
	    .all = g->base > 0 ? g->base : g->all};
}

void scale_begin(struct scale *g, const struct snap *sn, const struct focus *fc, bool noinlines,
    const struct sides *sides)
{
	*g = (struct scale){.sn = sn, .fc = fc, .sides = sides, .tree = {.st = sn->st, .n = sn->nstks}};
	verdict_make(&g->verdict, fc, sn, noinlines);
}

/* What all frames of a thing have of these flags; *mixed: those that only some frames of a thing have. */
static uint8_t *by_thing(const struct scale *g, const struct things *t, uint8_t *mixed)
{
	uint8_t *flag = xcalloc(t->n, 1), *met = xcalloc(t->n, 1);
	*mixed = 0;
	for (frm_id f = 1; f < g->sn->nfrms; f++) {
		uint32_t k = t->of[f];
		if (met[k])
			*mixed |= flag[k] ^ g->verdict.frame[f];
		met[k] = 1;
		flag[k] = g->verdict.frame[f];
	}
	mem_free(met);
	return flag;
}

/* The same of tags that are frames; what they have of it is among g->verdict.any. */
static void by_tag(struct scale *g, const struct shape *s, uint8_t *flag, uint8_t *mixed)
{
	uint8_t *met = xcalloc(s->things->n, 1);
	for (uint32_t i = 0; s->tags && i < s->tags->n; i++) {
		const struct shape_tag *t = &s->tags->v[i];
		uint8_t v = verdict_tag(&g->verdict, t->label == t->key ? 0 : t->label, t->key);
		uint32_t k = things_tag(s->things, t->label);
		v = (v & FV_DEAD) | (v & FV_FOCUS ? FV_HIT : 0) | (v & FV_IGNORE ? FV_BARRED : 0);
		if (met[k])
			*mixed |= flag[k] ^ v;
		met[k] = 1;
		flag[k] = v;
		g->verdict.any |= v;
	}
	mem_free(met);
}

/* Is it enough to choose stacks, and to take things away? Then o->dead says which, and g->keep what stacks
   have seen, unless that is not a matter of things. */
static bool keeps(struct scale *g, struct onto *o)
{
	const struct shape *s = o->shape;
	bool by_name = focus_by_name(g->fc), from = focus_from(g->fc);
	bool prune = g->fc->rx[R_PRUNE], cuts = from || prune;
	uint8_t mixed;
	if (g->tree.row.frame)
		return false;
	if (!(g->verdict.any & FV_DEAD) && !by_name && !cuts && !g->fc->rx[R_HIDE] && !g->fc->rx[R_SHOW])
		return true;
	uint8_t *flag = by_thing(g, s->things, &mixed);
	by_tag(g, s, flag, &mixed);
	bool dies = g->verdict.any & FV_DEAD;
	cuts |= (mixed & FV_DEAD) != 0;
	bool can = !s->tags || (!cuts && !(by_name && mixed & (FV_HIT | FV_BARRED)));	/* nodes know of no tags */
	can = can && (!cuts || cut_shape(g->sn, g->verdict.frame, from, prune, !by_name, o));
	s = o->shape;
	if (can && by_name && !(mixed & (FV_HIT | FV_BARRED))) {
		g->keep = arena_zalloc(&g->scratch, s->nend + 1u);
		shape_states(s, flag, g->keep);
	}
	for (uint32_t t = 0; t < s->things->n; t++)
		flag[t] = (flag[t] & FV_DEAD) != 0;
	if (can && dies && !cuts)
		o->dead = flag;
	else
		mem_free(flag);
	return can;
}

/* Do other filters than those of tags ask what frames are? */
bool scale_by_frames(const struct scale *g)
{
	return focus_by_name(g->fc) || focus_from(g->fc) || g->fc->rx[R_PRUNE] || g->verdict.any & FV_DEAD;
}

/* The tree is known: what the verdicts make of it, and room for its weights. */
static void settle(struct scale *g, bool counts, struct arena *out)
{
	size_t n = g->tree.n, cell = sizeof(int64_t);
	if (scale_by_frames(g))
		g->d = derive(&g->tree, &g->verdict, &g->scratch);
	bool two = g->sides && g->sides->b;
	size_t wide = 1 + counts + two;	/* columns of cells, then four of ids and one of bytes */
	char *p = arena_alloc(out, n * (wide * cell + 4 * sizeof(uint32_t) + 1));
	g->r.flat = (int64_t *)p;
	g->r.count = counts ? g->r.flat + n : NULL;
	g->r.oflat = two ? g->r.flat + n + counts * n : NULL;
	g->r.parent = (uint32_t *)(g->r.flat + wide * n);
	g->r.frame = g->r.parent + n;
	g->r.label = g->tree.tag ? g->r.frame + n : NULL;
	g->r.id = g->r.frame + 2 * n;
	g->r.hit = (uint8_t *)(g->r.frame + 3 * n);
	memset(g->r.flat, 0, n * cell);
	memset(g->r.hit, 0, n);
	if (counts)
		memset(g->r.count, 0, n * cell);
	if (two)
		memset(g->r.oflat, 0, n * cell);
}

void scale_end(struct scale *g)
{
	verdict_free(&g->verdict);
	labels_free(&g->labels);
	tree_free(&g->tree);
	arena_free(&g->scratch);
}

str_id scale_unit(const struct snap *sn, size_t type)
{
	return type < sn->ntypes ? ((struct type_row *)col_at(&sn->st->types, (uint32_t)type))->unit : 0;
}

/* All samples, whatever stacks they have: added up once a type, for the next queries to begin with. */
static void add_whole(struct scale *g, uint32_t type)
{
	struct onto *o = g->onto;
	struct shape *s = o->shape, *of = s->aside ? s->lender : s;
	if (s->aside ? aside_whole(s, g->sn, type, o) : shape_whole(s, type, o->flat, o->hit)) {
		g->all = of->whole.all;
		g->base = of->whole.base;
		return;
	}
	add_samples(g, type, NULL);
	if (!s->last)
		shape_keep_whole(s, &(struct shape_whole){.type = type, .all = g->all, .base = g->base}, o->flat, o->hit);
}

/* Weigh all samples that count, after settle(). */
void scale_weigh(struct scale *g, size_t type)
{
	const uint8_t *keep = focus_by_tag(g->fc) ? focus_sets(g->fc, &g->labels, &g->scratch) : NULL;
	if (type >= g->sn->ntypes || !g->sn->nsmps)
		return;
	if (g->sides)
		add_sides(g, (uint32_t)type, keep);
	else if (g->onto && !keep && !g->d.state && !g->of)
		add_whole(g, (uint32_t)type);
	else
		add_samples(g, (uint32_t)type, keep);
}

void focus_samples(const struct snap *sn, const struct focus *fc, size_t type, bool noinlines,
    const struct sides *sides, struct arena *out, struct weights *w)
{
	struct scale g;
	str_id key[KEYS_MAX];
	size_t nroot, nkey = focus_tag_keys(fc, sn, key, KEYS_MAX, &nroot);
	scale_begin(&g, sn, fc, noinlines, sides);
	if (nkey || focus_by_tag(fc))
		labels_update(&g.labels, sn);
	if (nkey)
		tree_tagged(&g.tree, sn, &g.labels, key, nkey, nroot);
	settle(&g, false, out);
	scale_weigh(&g, type);
	gather(&g, w);
	w->unit = scale_unit(sn, type);
	scale_end(&g);
}

/* Which stacks count is all there is to find out. */
static void settle_onto(struct scale *g, struct onto *o)
{
	g->onto = o;
	o->bare = !focus_by_name(g->fc);
	if (focus_by_name(g->fc) && !g->keep)
		g->d = derive_stacks(&g->tree, &g->verdict, &g->scratch);
}

/* What stacks have seen, end by end. */
static void drop_unseen(struct scale *g)
{
	struct onto *o = g->onto;
	for (uint32_t k = 0; k < o->shape->nend; k++) {
		if (derive_counts(g->keep[k]))
			continue;
		o->flat[k] = 0;
		o->hit[k] = 0;
		if (o->oflat)
			o->oflat[k] = 0;
	}
}

static void end_onto(struct scale *g)
{
	if (g->keep)
		drop_unseen(g);
	g->onto->all = g->base > 0 ? g->base : g->all;
	g->onto->show = g->onto->oflat ? g->sides->show : SHOW_DELTA;
	scale_end(g);
}

bool focus_samples_onto(const struct snap *sn, const struct focus *fc, size_t type, bool noinlines,
    const struct sides *sides, struct onto *o)
{
	struct scale g;
	scale_begin(&g, sn, fc, noinlines, sides);
	o->nsmp = sn->nsmps;
	if (!focus_fits(sn, fc, o->shape) || !keeps(&g, o)) {
		scale_end(&g);
		return false;
	}
	if (focus_by_tag(fc))
		labels_update(&g.labels, sn);
	settle_onto(&g, o);
	scale_weigh(&g, type);
	end_onto(&g);
	o->unit = scale_unit(sn, type);
	return true;
}

/* The weights that nodes have already; of side B too, when there is one. */
static void weigh_nodes(struct scale *g, const int64_t *flat, const int64_t *count, const int64_t *base)
{
	int64_t all[2] = {0, 0};
	for (uint32_t i = 0; i < g->sn->nstks; i++) {
		int64_t b = base ? base[i] : 0;
		all[0] = wrap_add(all[0], wrap_abs(flat[i]));
		all[1] = wrap_add(all[1], wrap_abs(b));
		if (flat[i] || b || (count && count[i]))
			put(g, i, i, flat[i], b, count ? count[i] : 0);
	}
	bool of_b = base && g->sides->show != SHOW_A && (all[1] || g->sides->show == SHOW_B);
	g->all = all[of_b];
}

void focus_nodes(const struct snap *sn, const struct focus *fc, const int64_t *flat,
    const int64_t *count, const int64_t *base, enum side_show show, str_id unit, bool noinlines,
    struct arena *out, struct weights *w)
{
	struct scale g;
	struct sides sides = {.a = 1, .b = base ? 2 : 0, .show = show};
	scale_begin(&g, sn, fc, noinlines, &sides);
	settle(&g, count != NULL, out);
	weigh_nodes(&g, flat, count, base);
	gather(&g, w);
	w->unit = unit;
	scale_end(&g);
}

bool focus_nodes_onto(const struct snap *sn, const struct focus *fc, const int64_t *flat,
    const int64_t *count, const int64_t *base, enum side_show show, str_id unit, bool noinlines, struct onto *o)
{
	struct scale g;
	struct sides sides = {.a = 1, .b = base ? 2 : 0, .show = show};
	scale_begin(&g, sn, fc, noinlines, &sides);
	bool can = keeps(&g, o);
	if (can) {
		settle_onto(&g, o);
		weigh_nodes(&g, flat, count, base);
		end_onto(&g);
		o->unit = unit;
	} else {
		scale_end(&g);
	}
	return can;
}

void focus_parts(const struct snap *sn, const struct focus *fc, const struct tw_part *part, uint32_t n, bool root,
    str_id unit, bool noinlines, struct arena *out, struct weights *w)
{
	struct scale g;
	scale_begin(&g, sn, fc, noinlines, NULL);
	tree_parts(&g.tree, sn, part, n, build_text(sn, TW_TAG, sizeof TW_TAG - 1), root);
	settle(&g, true, out);
	for (uint32_t i = 0; i < n; i++) {
		g.all = wrap_add(g.all, wrap_abs(part[i].ns));
		put(&g, i, g.tree.of[i], part[i].ns, 0, part[i].count);
	}
	gather(&g, w);
	w->unit = unit;
	scale_end(&g);
}
