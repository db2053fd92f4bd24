/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Weighs a query: adds the samples (or the weights of a trace) that count to the ends of a call tree.
 *
 * 1. Each expression is matched once for each name; frames get match flags (match.c).
 * 2. The flags decide which tree is needed, the store's own in nearly all cases (query_tree.c).
 * 3. focus and ignore select ends of the tree, or stacks (states.c); tag filters select label sets.
 * 4. Hidden frames hide nodes and move the weights of ends (view.c).
 * 5. One pass adds the samples. The weights of all samples of a type are kept with the tree: queries without tag
 * filters
 *    start from these and drop the ends that do not count.
 *
 * No other sums are kept from one query to the next: computing everything takes less time than the key repeat interval.
 */
#include "config.h"
#include "filter/weigh.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "calltree/labels.h"
#include "filter/states.h"
#include "filter/query_tree.h"
#include "filter/view.h"
#include "trace/as_profile.h"

#include <string.h>

/* One weighing. */
struct weighing {
	const struct snap *sn;
	const struct weigh_source *source;
	struct weigh_target target;
	const uint8_t *set;	/* NULL, or by label set: 1 it counts */
	const uint8_t *stack;	/* NULL, or by node of the store: 1 stacks that end there count */
	int64_t all, base;	/* sums of absolute values before the filters: of all samples, and of those of a diff
				   base */
};

/* v is the value of A, b that of B; `from` is the number of the sample, part or node. */
static void put_weight(struct weighing *w, uint32_t from, enum side_show show, int64_t v, int64_t b)
{
	struct weigh_target *o = &w->target;
	int64_t other = 0;
	if (o->oflat)
		v = side_shown(show, v, b, &other);
	weigh_target_add(o, o->calltree->end[from], v, other);
}

/* Samples are in the order of the file and the cells that they are added to are not: prefetch some samples ahead. */
static void prefetch_ends(const struct weigh_target *o, uint32_t i, uint32_t n)
{
	enum { AHEAD = 24 };
	if (i + AHEAD >= n)
		return;
	uint32_t end = o->calltree->end[i + AHEAD];
	__builtin_prefetch(&o->flat[end], 1);
	__builtin_prefetch(&o->hit[end], 1);
}

static void add_samples(struct weighing *w)
{
	const struct store *st = w->sn->st;
	uint32_t type = (uint32_t)w->source->type;
	struct arena tmp = {0};
	const uint8_t *base = labels_with(w->sn, PROFILE_BASE_KEY, &tmp);	/* percentages refer to these samples,
										   if there are any */
	for (uint32_t i = 0; i < w->sn->nsmps; i++) {
		prefetch_ends(&w->target, i, w->sn->nsmps);
		const struct smp_row *s = store_smp(st, i);
		int64_t v = store_value(st, type, i);
		w->all = wrap_add(w->all, wrap_abs(v));
		if (base && base[s->set])
			w->base = wrap_add(w->base, wrap_abs(v));
		if (v && (!w->set || w->set[s->set]) && (!w->stack || w->stack[s->stack]))
			put_weight(w, i, SHOW_DELTA, v, 0);
	}
	arena_free(&tmp);
}

/* The same with two sides. Percentages refer to the side that is shown; those of a difference to B or to `whole`. */
static void add_sides(struct weighing *w)
{
	const struct store *st = w->sn->st;
	const struct sides *d = w->source->sides;
	int64_t all[2] = {0, 0};
	for (uint32_t i = 0; i < w->sn->nsmps; i++) {
		uint32_t side = store_side(st, i);
		bool a = side_in(d->a, side), b = side_in(d->b, side);
		int64_t v = store_value(st, (uint32_t)w->source->type, i), in_b = b ? v : 0;
		if (!v || !(a || b))
			continue;
		v = a ? sides_scaled(v, d->ratio) : 0;
		all[0] = wrap_add(all[0], wrap_abs(v));
		all[1] = wrap_add(all[1], wrap_abs(in_b));
		const struct smp_row *s = store_smp(st, i);
		if ((!w->set || w->set[s->set]) && (!w->stack || w->stack[s->stack]))
			put_weight(w, i, d->show, v, in_b);
	}
	int64_t base = d->whole ? d->whole : all[1] ? all[1] : all[0];
	w->all = !d->b || d->show == SHOW_A ? all[0] : d->show == SHOW_B ? all[1] : base;
}

/* Add all samples, with any stack: computed once for a type, and kept for the next queries. */
static void add_totals(struct weighing *w)
{
	struct weigh_target *o = &w->target;
	struct calltree *s = o->calltree;
	const struct calltree_totals *kept = &s->whole;
	if (!kept->flat || kept->type != w->source->type) {
		add_samples(w);
		calltree_keep_totals(s, &(struct calltree_totals){.type = w->source->type, .flat = o->flat,
		    .hit = o->hit, .all = w->all, .base = w->base});
		return;
	}
	memcpy(o->flat, kept->flat, s->nend * sizeof *o->flat);
	memcpy(o->hit, kept->hit, s->nend);
	w->all = kept->all;
	w->base = kept->base;
}

/* Percentages of a difference refer to B, unless A is shown. */
static void set_all(struct weighing *w, bool two, const int64_t all[2])
{
	enum side_show show = w->source->show;
	w->all = all[two && show != SHOW_A && (all[1] || show == SHOW_B)];
}

/* Add the weights that nodes have already; also those of side B, if there is one. */
static void add_nodes(struct weighing *w)
{
	const struct weigh_source *src = w->source;
	int64_t all[2] = {0, 0};
	uint32_t n = src->node ? src->nnode : w->sn->nstks;
	for (uint32_t i = 0; i < n; i++) {
		int64_t v = src->flat[i], b = src->base ? src->base[i] : 0;
		all[0] = wrap_add(all[0], wrap_abs(v));
		all[1] = wrap_add(all[1], wrap_abs(b));
		if ((v || b || (src->count && src->count[i])) && (!w->stack || w->stack[i]))
			put_weight(w, i, src->show, v, b);
	}
	set_all(w, src->base != NULL, all);
}

static void add_parts(struct weighing *w)
{
	const struct weigh_source *src = w->source;
	int64_t all[2] = {0, 0};
	for (uint32_t i = 0; i < src->npart; i++) {
		const struct trace_tag_weight *part = &src->part[i];
		all[0] = wrap_add(all[0], wrap_abs(part->ns));
		all[1] = wrap_add(all[1], wrap_abs(part->base));
		put_weight(w, i, src->show, part->ns, part->base);
	}
	set_all(w, src->part_base, all);
}

static void add_all(struct weighing *w)
{
	if (w->source->part)
		add_parts(w);
	else if (w->source->flat)
		add_nodes(w);
	else if (w->source->type >= w->sn->ntypes || !w->sn->nsmps)
		return;
	else if (w->source->sides)
		add_sides(w);
	else if (w->set || w->stack)
		add_samples(w);
	else
		add_totals(w);
}

/* Remove the weight of ends whose stacks do not count. */
static void drop_ends(struct weigh_target *o, const uint8_t *state)
{
	for (uint32_t k = 0; k < o->calltree->nend; k++)
		if (!state[k])
			weigh_target_drop(o, k);
}

/* Return the match flags that matter for a query. */
static uint8_t needed_flags(const struct compiled_filters *fc)
{
	return FM_HIDDEN | (filter_has_show_from(fc) ? FM_SHOW_FROM : 0) | (fc->rx[FILTER_PRUNE_FROM] ? FM_PRUNE : 0) |
	       (filter_has_names(fc) ? FM_OWN_FOCUS | FM_OWN_IGNORE : 0);
}

static str_id unit_of(const struct snap *sn, const struct weigh_source *src)
{
	if (src->flat || src->part)
		return src->unit;
	return src->type < sn->ntypes ? ((struct type_row *)column_at(&sn->st->types, (uint32_t)src->type))->unit : 0;
}

static struct weighted_tree *weigh_tree(
    struct weighing *w, const struct compiled_filters *fc, const struct query_tree *q, struct arena *scratch)
{
	const struct weigh_source *src = w->source;
	struct node_flags flags = {q->s, q->flag};
	bool by_name = filter_has_names(fc), two = src->base || src->part_base || (src->sides && src->sides->b);
	weighted_begin(q->s, two, &w->target);
	add_all(w);
	if (by_name && !q->by_stack)
		drop_ends(&w->target, states_of_ends(&flags, scratch));
	w->target.bare = !by_name;
	view_hide_nodes(&flags, filter_has_show_from(fc), fc->rx[FILTER_PRUNE_FROM] != NULL, &w->target);
	w->target.all = w->base > 0 ? w->base : w->all;
	w->target.show = !two ? SHOW_DELTA : src->sides ? src->sides->show : src->show;
	w->target.unit = unit_of(w->sn, src);
	return weighted_finish(&w->target);
}

struct weighted_tree *filter_weigh(struct filter_trees *k, const struct snap *sn, const struct compiled_filters *fc,
    bool noinlines, const struct weigh_source *source, const _Atomic bool *stop)
{
	struct weighing w = {.sn = sn, .source = source};
	struct frame_matches matches;
	struct labels labels = {0};
	struct arena scratch = {0};
	match_frames(&matches, fc, sn, noinlines);
	if (filter_has_tags(fc) && !source->flat && !source->part) {
		labels_update(&labels, sn);
		w.set = filter_match_sets(fc, &labels, &scratch);
	}
	struct query_tree q = query_tree_find(k, sn, &matches, source, needed_flags(fc), stop);
	if (q.by_stack)
		w.stack = states_of_stacks(&matches, sn, source->node, source->nnode, &scratch);
	struct weighted_tree *c = q.s ? weigh_tree(&w, fc, &q, &scratch) : NULL;
	if (c) {
		c->sampled = source->sampled;
		c->sampled_of = source->sampled_of;
		c->approximate = source->approximate;
		c->estimated = source->estimated;
	}
	query_tree_free(&q);
	match_free(&matches);
	labels_free(&labels);
	arena_free(&scratch);
	return c;
}
