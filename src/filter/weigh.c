/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Weights of a query: samples (or the weights of a trace) added up at the nodes of the call tree that the query leaves.
 * One pass over the tree computes the match results (apply.c), one adds the samples, one backwards finds the nodes that
 * have weight at or below them, and one copies those together. All passes read arrays in order; only the node and the
 * label set of a sample are looked up. If the query can use an existing call tree, weights are added directly to its
 * ends. If nodes are in preorder, a call tree is built of those that count, and nothing is copied (weigh_rebuilt.c).
 *
 * Nodes without weight are left out: most stacks of a heap profile have been freed, a narrow focus leaves a thousandth,
 * and the cost of later steps (merging by function, flame graphs) depends on the number of nodes. No sums are kept from
 * one query to the next: computing everything takes less time than the key repeat interval.
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

/* Add to the target tree; `from` is the number of the sample or node. */
static void put_onto(struct weigh_context *g, uint32_t from, uint32_t node, int64_t v, int64_t b)
{
	struct weigh_target *o = g->weigh_target;
	uint32_t end = o->end[from];
	int64_t other = 0;
	if (end == CALLTREE_NONE)
		return;
	if (!g->keep && g->d.state && !filter_counts(g->d.state[node]))
		return;
	if (o->oflat)
		v = side_shown(g->sides->show, v, b, &other);
	onto_put(o, end, v, other);
}

/* v is the value of A, b that of B; `from` is the number of the sample, part or node. */
static void put_weight(struct weigh_context *g, uint32_t from, uint32_t node, int64_t v, int64_t b, int64_t count)
{
	if (g->hit) {
		node = g->ends ? g->cut.to[rank_below(g->ends, node)] : node;
		g->of[from] = node;
		if (node != FILTER_NONE)
			rank_set(g->hit, node);
		return;
	}
	if (g->weigh_target) {
		put_onto(g, from, node, v, b);
		return;
	}
	if (g->d.to)
		node = g->d.to[node];
	else if (g->d.state && !filter_counts(g->d.state[node]))
		return;
	if (node == FILTER_NONE)
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

/* Samples are in the order of the file and the cells that they are added to are not: prefetch some samples ahead. */
static void prefetch_ends(const struct weigh_target *o, uint32_t i, uint32_t n)
{
	enum { AHEAD = 24 };
	if (i + AHEAD >= n || o->end[i + AHEAD] == CALLTREE_NONE)
		return;
	__builtin_prefetch(&o->flat[o->end[i + AHEAD]], 1);
	__builtin_prefetch(&o->hit[o->end[i + AHEAD]], 1);
}

static void add_samples(struct weigh_context *g, uint32_t type, const uint8_t *keep)
{
	const struct store *st = g->sn->st;
	const uint8_t *base = labels_with(g->sn, PROFILE_BASE_KEY, &g->scratch);	/* percentages refer to these
											   samples, if there are any */
	for (uint32_t i = 0; i < g->sn->nsmps; i++) {
		if (g->weigh_target)
			prefetch_ends(g->weigh_target, i, g->sn->nsmps);
		const struct smp_row *s = store_smp(st, i);
		int64_t v = store_value(st, type, i);
		g->all = wrap_add(g->all, wrap_abs(v));
		if (base && base[s->set])
			g->base = wrap_add(g->base, wrap_abs(v));
		if (v && (!keep || keep[s->set]))
			put_weight(g, i, g->frame_tree.of ? g->frame_tree.of[i] : s->stack, v, 0, 1);
	}
}

/* The same with two sides. Percentages refer to the side that is shown; those of a difference to B or to `whole`. */
static void add_sides(struct weigh_context *g, uint32_t type, const uint8_t *keep)
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
			put_weight(g, i, g->frame_tree.of ? g->frame_tree.of[i] : s->stack, v, w, 1);
	}
	int64_t base = d->whole ? d->whole : all[1] ? all[1] : all[0];
	g->all = !d->b || d->show == SHOW_A ? all[0] : d->show == SHOW_B ? all[1] : base;
}

/* Copy the nodes that have weight, in place: a node's number never grows. Each becomes a child of the nearest node that
   is left. */
static void copy_nodes(struct weigh_context *g)
{
	struct room *o = &g->r;
	uint32_t *id = o->id, k = 0;
	const uint32_t *rep = g->d.rep;
	struct frame_tree_pass rows = frame_tree_pass(&g->frame_tree);
	for (uint32_t i = 0; i < g->frame_tree.n; i++) {
		if (i && !o->hit[i])
			continue;
		struct stk_row row = frame_tree_at(&rows, i);
		o->parent[k] = i ? id[rep ? rep[row.parent] : row.parent] : 0;
		o->frame[k] = row.frame & FRAME_TREE_TAG ? 0 : row.frame;
		o->flat[k] = o->flat[i];
		if (o->oflat)
			o->oflat[k] = o->oflat[i];
		if (o->label)
			o->label[k] =
			    row.frame & FRAME_TREE_TAG ? g->frame_tree.tag[row.frame & ~FRAME_TREE_TAG].label : 0;
		if (o->count)
			o->count[k] = o->count[i];
		id[i] = k++;
	}
}

static void copy_all(struct weigh_context *g)
{
	struct room *o = &g->r;
	struct frame_tree_pass rows = frame_tree_pass(&g->frame_tree);
	for (uint32_t i = 0; i < g->frame_tree.n; i++) {
		struct stk_row row = frame_tree_at(&rows, i);
		bool tag = row.frame & FRAME_TREE_TAG;
		o->parent[i] = row.parent;
		o->frame[i] = tag ? 0 : row.frame;
		if (o->label)
			o->label[i] = tag ? g->frame_tree.tag[row.frame & ~FRAME_TREE_TAG].label : 0;
	}
}

/* Mark all nodes above a marked node, and return the number of marked nodes. */
static uint32_t hit_upwards(struct weigh_context *g)
{
	const uint32_t *rep = g->d.rep;
	uint8_t *hit = g->r.hit;
	uint32_t n = 1;
	hit[0] = 1;
	struct frame_tree_pass rows = frame_tree_pass(&g->frame_tree);
	for (uint32_t i = g->frame_tree.n - 1; i > 0; i--) {
		if (!hit[i])
			continue;
		uint32_t up = frame_tree_at(&rows, i).parent;
		hit[rep ? rep[up] : up] = 1;
		n++;
	}
	return n;
}

static void gather_weights(struct weigh_context *g, struct weights *w)
{
	const struct room *o = &g->r;
	uint32_t n = hit_upwards(g);
	if (n < g->frame_tree.n || g->d.rep)
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

void weigh_begin(struct weigh_context *g, const struct snap *sn, const struct compiled_filters *fc, bool noinlines,
    const struct sides *sides)
{
	*g = (struct weigh_context){.sn = sn, .fc = fc, .sides = sides, .frame_tree = {.st = sn->st, .n = sn->nstks}};
	match_frames(&g->frame_matches, fc, sn, noinlines);
}

/* Return the match flags by symbol; *mixed: the flags in which frames of one symbol differ. */
static uint8_t *flags_by_symbol(const struct weigh_context *g, const struct granularity *t, uint8_t *mixed)
{
	uint8_t *flag = xcalloc(t->n, 1), *met = xcalloc(t->n, 1);
	*mixed = 0;
	for (frm_id f = 1; f < g->sn->nfrms; f++) {
		uint32_t k = t->of[f];
		if (met[k])
			*mixed |= flag[k] ^ g->frame_matches.frame[f];
		met[k] = 1;
		flag[k] = g->frame_matches.frame[f];
	}
	mem_free(met);
	return flag;
}

/* The same for tags that are frames; their flags are added to g->frame_matches.any. */
static void by_tag(struct weigh_context *g, const struct calltree *s, uint8_t *flag, uint8_t *mixed)
{
	uint8_t *met = xcalloc(s->granularity->n, 1);
	for (uint32_t i = 0; s->tags && i < s->tags->n; i++) {
		const struct calltree_tag *t = &s->tags->v[i];
		uint8_t v = match_tag(&g->frame_matches, t->label == t->key ? 0 : t->label, t->key);
		uint32_t k = granularity_find_tag(s->granularity, t->label);
		v = (v & FM_HIDDEN) | (v & FM_LOC_FOCUS ? FM_OWN_FOCUS : 0) | (v & FM_LOC_IGNORE ? FM_OWN_IGNORE : 0);
		if (met[k])
			*mixed |= flag[k] ^ v;
		met[k] = 1;
		flag[k] = v;
		g->frame_matches.any |= v;
	}
	mem_free(met);
}

/* Return whether the query can use the existing tree, because it only selects stacks and hides symbols or nodes. Then
   o->dead or o->cut has the hidden ones, and g->keep the match flags by end, unless frames of one symbol differ in
   them. */
static bool can_keep_tree(struct weigh_context *g, struct weigh_target *o)
{
	const struct calltree *s = o->calltree;
	bool by_name = filter_has_names(g->fc), from = filter_has_show_from(g->fc);
	bool prune = g->fc->rx[FILTER_PRUNE_FROM], cuts = from || prune;
	uint8_t mixed;
	if (g->frame_tree.row.frame)
		return false;
	if (!(g->frame_matches.any & FM_HIDDEN) && !by_name && !cuts && !g->fc->rx[FILTER_HIDE] && !g->fc->rx[FILTER_SHOW])
		return true;
	uint8_t *flag = flags_by_symbol(g, s->granularity, &mixed);
	by_tag(g, s, flag, &mixed);
	bool dies = g->frame_matches.any & FM_HIDDEN;
	cuts |= (mixed & FM_HIDDEN) != 0;
	bool can =
	    !s->tags || (!cuts && !(by_name && mixed & (FM_OWN_FOCUS | FM_OWN_IGNORE))); /* the store's nodes do not
											    have the tags */
	can = can && (!cuts || cut_calltree(g->sn, g->frame_matches.frame, from, prune, !by_name, o));
	s = o->calltree;
	if (can && by_name && !(mixed & (FM_OWN_FOCUS | FM_OWN_IGNORE))) {
		g->keep = arena_zalloc(&g->scratch, s->nend + 1u);
		filter_end_states(s, flag, g->keep);
	}
	for (uint32_t t = 0; t < s->granularity->n; t++)
		flag[t] = (flag[t] & FM_HIDDEN) != 0;
	if (can && dies && !cuts)
		o->dead = flag;
	else
		mem_free(flag);
	return can;
}

bool weigh_by_frames(const struct weigh_context *g)
{
	return filter_has_names(g->fc) || filter_has_show_from(g->fc) || g->fc->rx[FILTER_PRUNE_FROM] ||
	       g->frame_matches.any & FM_HIDDEN;
}

/* Apply the filters to the tree, and allocate the arrays of weights. */
static void prepare_tree(struct weigh_context *g, bool counts, struct arena *out)
{
	size_t n = g->frame_tree.n, cell = sizeof(int64_t);
	if (weigh_by_frames(g))
		g->d = filter_apply(&g->frame_tree, &g->frame_matches, &g->scratch);
	bool two = g->sides && g->sides->b;
	size_t wide = 1 + counts + two;	/* columns of 8 bytes, then four of 4 bytes and one of single bytes */
	char *p = arena_alloc(out, n * (wide * cell + 4 * sizeof(uint32_t) + 1));
	g->r.flat = (int64_t *)p;
	g->r.count = counts ? g->r.flat + n : NULL;
	g->r.oflat = two ? g->r.flat + n + counts * n : NULL;
	g->r.parent = (uint32_t *)(g->r.flat + wide * n);
	g->r.frame = g->r.parent + n;
	g->r.label = g->frame_tree.tag ? g->r.frame + n : NULL;
	g->r.id = g->r.frame + 2 * n;
	g->r.hit = (uint8_t *)(g->r.frame + 3 * n);
	memset(g->r.flat, 0, n * cell);
	memset(g->r.hit, 0, n);
	if (counts)
		memset(g->r.count, 0, n * cell);
	if (two)
		memset(g->r.oflat, 0, n * cell);
}

void weigh_end(struct weigh_context *g)
{
	match_free(&g->frame_matches);
	labels_free(&g->labels);
	tag_tree_free(&g->frame_tree);
	arena_free(&g->scratch);
}

str_id weigh_unit(const struct snap *sn, size_t type)
{
	return type < sn->ntypes ? ((struct type_row *)column_at(&sn->st->types, (uint32_t)type))->unit : 0;
}

/* Add all samples, with any stack: computed once for a type, and kept for the next queries. */
static void add_whole(struct weigh_context *g, uint32_t type)
{
	struct weigh_target *o = g->weigh_target;
	struct calltree *s = o->calltree, *of = s->aside ? s->lender : s;
	if (s->aside ? split_stacks_totals(s, g->sn, type, o) : calltree_totals(s, type, o->flat, o->hit)) {
		g->all = of->whole.all;
		g->base = of->whole.base;
		return;
	}
	add_samples(g, type, NULL);
	if (!s->last)
		calltree_keep_totals(
		    s, &(struct calltree_totals){.type = type, .all = g->all, .base = g->base}, o->flat, o->hit);
}

/* Call after prepare_tree(). */
void weigh_samples(struct weigh_context *g, size_t type)
{
	const uint8_t *keep = filter_has_tags(g->fc) ? filter_match_sets(g->fc, &g->labels, &g->scratch) : NULL;
	if (type >= g->sn->ntypes || !g->sn->nsmps)
		return;
	if (g->sides)
		add_sides(g, (uint32_t)type, keep);
	else if (g->weigh_target && !keep && !g->d.state && !g->of)
		add_whole(g, (uint32_t)type);
	else
		add_samples(g, (uint32_t)type, keep);
}

void filter_weigh_samples(const struct snap *sn, const struct compiled_filters *fc, size_t type, bool noinlines,
    const struct sides *sides, struct arena *out, struct weights *w)
{
	struct weigh_context g;
	str_id key[KEYS_MAX];
	size_t nroot, nkey = filter_tag_keys(fc, sn, key, KEYS_MAX, &nroot);
	weigh_begin(&g, sn, fc, noinlines, sides);
	if (nkey || filter_has_tags(fc))
		labels_update(&g.labels, sn);
	if (nkey)
		tag_tree_build(&g.frame_tree, sn, &g.labels, key, nkey, nroot);
	prepare_tree(&g, false, out);
	weigh_samples(&g, type);
	gather_weights(&g, w);
	w->unit = weigh_unit(sn, type);
	weigh_end(&g);
}

/* Compute which stacks count, before samples are added to the target. */
static void settle_onto(struct weigh_context *g, struct weigh_target *o)
{
	g->weigh_target = o;
	o->bare = !filter_has_names(g->fc);
	if (filter_has_names(g->fc) && !g->keep)
		g->d = filter_stack_states(&g->frame_tree, &g->frame_matches, &g->scratch);
}

/* Remove the weight of ends whose stacks do not count. */
static void drop_unseen(struct weigh_context *g)
{
	struct weigh_target *o = g->weigh_target;
	for (uint32_t k = 0; k < o->calltree->nend; k++) {
		if (filter_counts(g->keep[k]))
			continue;
		o->flat[k] = 0;
		o->hit[k] = 0;
		if (o->oflat)
			o->oflat[k] = 0;
	}
}

static void end_onto(struct weigh_context *g)
{
	if (g->keep)
		drop_unseen(g);
	g->weigh_target->all = g->base > 0 ? g->base : g->all;
	g->weigh_target->show = g->weigh_target->oflat ? g->sides->show : SHOW_DELTA;
	weigh_end(g);
}

bool filter_weigh_samples_onto(const struct snap *sn, const struct compiled_filters *fc, size_t type, bool noinlines,
    const struct sides *sides, struct weigh_target *o)
{
	struct weigh_context g;
	weigh_begin(&g, sn, fc, noinlines, sides);
	o->nsmp = sn->nsmps;
	if (!filter_fits_calltree(sn, fc, o->calltree) || !can_keep_tree(&g, o)) {
		weigh_end(&g);
		return false;
	}
	if (filter_has_tags(fc))
		labels_update(&g.labels, sn);
	settle_onto(&g, o);
	weigh_samples(&g, type);
	end_onto(&g);
	o->unit = weigh_unit(sn, type);
	return true;
}

/* Add the weights that nodes have already; also those of side B, if there is one. */
static void weigh_nodes(struct weigh_context *g, const int64_t *flat, const int64_t *count, const int64_t *base)
{
	int64_t all[2] = {0, 0};
	for (uint32_t i = 0; i < g->sn->nstks; i++) {
		int64_t b = base ? base[i] : 0;
		all[0] = wrap_add(all[0], wrap_abs(flat[i]));
		all[1] = wrap_add(all[1], wrap_abs(b));
		if (flat[i] || b || (count && count[i]))
			put_weight(g, i, i, flat[i], b, count ? count[i] : 0);
	}
	bool of_b = base && g->sides->show != SHOW_A && (all[1] || g->sides->show == SHOW_B);
	g->all = all[of_b];
}

void filter_weigh_nodes(const struct snap *sn, const struct compiled_filters *fc, const int64_t *flat,
    const int64_t *count, const int64_t *base, enum side_show show, str_id unit, bool noinlines,
    struct arena *out, struct weights *w)
{
	struct weigh_context g;
	struct sides sides = {.a = 1, .b = base ? 2 : 0, .show = show};
	weigh_begin(&g, sn, fc, noinlines, &sides);
	prepare_tree(&g, count != NULL, out);
	weigh_nodes(&g, flat, count, base);
	gather_weights(&g, w);
	w->unit = unit;
	weigh_end(&g);
}

bool filter_weigh_nodes_onto(const struct snap *sn, const struct compiled_filters *fc, const int64_t *flat,
    const int64_t *count, const int64_t *base, enum side_show show, str_id unit, bool noinlines, struct weigh_target *o)
{
	struct weigh_context g;
	struct sides sides = {.a = 1, .b = base ? 2 : 0, .show = show};
	weigh_begin(&g, sn, fc, noinlines, &sides);
	bool can = can_keep_tree(&g, o);
	if (can) {
		settle_onto(&g, o);
		weigh_nodes(&g, flat, count, base);
		end_onto(&g);
		o->unit = unit;
	} else {
		weigh_end(&g);
	}
	return can;
}

void filter_weigh_parts(const struct snap *sn, const struct compiled_filters *fc, const struct trace_tag_weight *part,
    uint32_t n, bool root, str_id unit, bool noinlines, struct arena *out, struct weights *w)
{
	struct weigh_context g;
	weigh_begin(&g, sn, fc, noinlines, NULL);
	tag_tree_build_parts(
	    &g.frame_tree, sn, part, n, builder_add_string(sn, TRACE_WEIGHT_TAG, sizeof TRACE_WEIGHT_TAG - 1), root);
	prepare_tree(&g, true, out);
	for (uint32_t i = 0; i < n; i++) {
		g.all = wrap_add(g.all, wrap_abs(part[i].ns));
		put_weight(&g, i, g.frame_tree.of[i], part[i].ns, 0, part[i].count);
	}
	gather_weights(&g, w);
	w->unit = unit;
	weigh_end(&g);
}
