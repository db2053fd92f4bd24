/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Computes the calls that panes show: the weights that the query leaves, on a call tree.
 *
 * What is weighed is the samples of a profile, or the weights that a trace gives to the nodes of the store's stacks
 * (trace/as_profile.h): add_source() decides, and another kind of weights by node is one more case there. The filters
 * are the same for all (filter/weigh.c).
 *
 * Call trees belong to a snapshot and a granularity, and are kept in three slots: lines and addresses are shown beside
 * functions.
 */
#include "config.h"
#include "session/internal.h"

#include "base/clock.h"
#include "base/job.h"
#include "base/wrap_math.h"
#include "calltree/weighted.h"
#include "filter/tag_weights.h"
#include "session/trace_weights.h"
#include "store/builder.h"
#include "trace/filter_states.h"

#include <stdlib.h>
#include <string.h>

/* Is it so small that adding up all types is not noticeable? */
static bool is_little(const struct snap *sn)
{
	enum { LITTLE = 2000000 };
	return sn->complete && sn->nsmps + snap_intervals(sn) <= LITTLE;
}

bool session_total(const struct session *s, size_t type, int64_t *total)
{
	const struct snap *sn = s->snap;
	struct arena a = {0};
	uint32_t n;
	*total = 0;
	if (!is_little(sn) || type >= session_ntypes(s))
		return false;
	if (session_is_trace(s)) {
		const struct query *q = &s->queries.query[s->queries.at];
		const struct trace_weights *w =
		    trace_weights_of_query(sn, (enum trace_weight_type)type, q, false, &a, &n, NULL, NULL);
		*total = w ? w->total_ns : 0;
		arena_free(&a);
		return true;
	}
	for (uint32_t i = 0; i < sn->nsmps; i++)
		if (store_side(sn->st, i) == 0)
			*total = wrap_add(*total, store_value(sn->st, type, i));
	return true;
}

static void rest_states(const struct snap *sn, const struct query *q, bool about, struct job *j, struct rest_states *r)
{
	struct arena a = {0};
	for (int k = 0; k < 2; k++) {
		struct trace_filter f;
		query_trace_filter(sn, q, k, &a, &f, &r->n[k], NULL);
		f.on = job_progress_watcher(j);
		(about ? trace_filter_states_approx : trace_filter_states)(sn, &f, r->ns[k]);
		for (int i = 0; i < TS__N && r->n[k] > 1; i++)
			r->ns[k][i] /= r->n[k];
	}
	arena_free(&a);
}

void session_rest_times(const struct session *s, const struct query *q, struct rest_states *r)
{
	rest_states(s->snap, q, false, s->weigh.job, r);
}

void session_rest_approx(const struct snap *sn, const struct query *q, struct rest_states *r)
{
	rest_states(sn, q, true, NULL, r);
}

/* Return the same P or goroutine in another trace, by its number; an unused id if there is none. */
static trk_id same_track(const struct snap *from, trk_id id, const struct snap *to)
{
	const struct trk_row *r = store_trk(from->st, id);
	trk_id t = id ? trace_find_track(to, r->kind, r->id) : 0;
	return t || !id ? t : UINT32_MAX;
}

/* Compute the weights of a side; when compared with the rest, the mean of one. NULL: it has none. */
static struct trace_weights *weigh_side(struct session *s, uint32_t side, struct arena *a, struct side_weights *v)
{
	struct query q = s->queries.query[s->queries.at];
	bool rest = side == SIDE_REST;
	const struct compare_loader *ad = side && side < SIDE_RANGE ? s->compare.side[side] : NULL;
	double scale = side == SIDE_RANGE ? query_use_range(s->snap, &q) : 1;
	v->sn = ad ? builder_snap(ad->own) : s->snap;
	v->to = ad ? ad->to : NULL;
	if (ad && !q.suspended) {
		q.g = same_track(s->snap, q.g, v->sn);
		q.proc = same_track(s->snap, q.proc, v->sn);
	}
	if (q.g == UINT32_MAX || q.proc == UINT32_MAX)
		return NULL;
	struct progress_watcher on = job_progress_watcher(s->weigh.job);
	uint32_t n = 1;
	struct trace_weights *w =
	    trace_weights_of_query(v->sn, (enum trace_weight_type)session_type(s), &q, rest, a, &n, &on, NULL);
	if (!w)
		return NULL;
	trace_show_no_stack(w, v->sn);
	if (query_has_rest(&q) && !q.suspended && n > 1)
		scale = 1.0 / n;
	trace_weights_scale(w, scale);
	return w;
}

void session_weigh_sides(
    struct session *s, struct arena *a, void (*add)(void *, const struct side_weights *), void *arg)
{
	const struct query *q = &s->queries.query[s->queries.at];
	for (uint32_t k = 0; k <= SIDE_REST; k = k + 1 == s->compare.nside ? SIDE_RANGE : k + 1) {
		struct side_weights v = {.in_a = side_in(q->a, k), .in_b = q->b && side_in(q->b, k)};
		v.weights = v.in_a || v.in_b ? weigh_side(s, k, a, &v) : NULL;
		if (v.weights)
			add(arg, &v);
	}
}

int session_tag_frames(const struct query *q)
{
	const char *root = q->suspended ? NULL : q->f.tagroot, *leaf = q->suspended ? NULL : q->f.tagleaf;
	if (leaf && strstr(leaf, TRACE_WEIGHT_TAG))
		return -1;
	return (!root && !leaf) || (root && strstr(root, TRACE_WEIGHT_TAG));
}

static void use_weights(void *to, const struct side_weights *v)
{
	*(const struct trace_weights **)to = v->weights;
}

static void weigh_one(struct session *s, struct arena *a, struct weigh_source *to)
{
	const struct trace_weights *w = NULL;
	session_weigh_sides(s, a, use_weights, &w);
	int tags = w && w->npart ? session_tag_frames(&s->queries.query[s->queries.at]) : 0;
	to->flat = w ? w->ns : arena_zalloc(a, (s->snap->nstks + 1u) * sizeof *to->flat);
	to->count = w ? w->count : NULL;
	to->part = tags ? w->part : NULL;
	to->npart = tags ? w->npart : 0;
	to->part_at_leaf = tags < 0;
}

/* Weights of both sides by node of the store. */
struct node_sides { int64_t *ns, *count, *base; };

static void add_side(void *arg, const struct side_weights *v)
{
	const struct node_sides *n = arg;
	const struct trace_weights *w = v->weights;
	for (stk_id i = 0; i < w->n; i++) {
		stk_id at = v->to ? v->to[i] : i;
		if (v->in_a) {
			n->ns[at] = wrap_add(n->ns[at], w->ns[i]);
			n->count[at] = wrap_add(n->count[at], w->count[i]);
		}
		if (v->in_b)
			n->base[at] = wrap_add(n->base[at], w->ns[i]);
	}
}

static void weigh_both(struct session *s, struct arena *a, struct weigh_source *to)
{
	const struct query *q = &s->queries.query[s->queries.at];
	size_t n = s->snap->nstks + 1u;
	int64_t sum[2] = {0, 0};
	struct node_sides v = {arena_zalloc(a, n * sizeof *v.ns), arena_zalloc(a, n * sizeof *v.count),
	    q->b ? arena_zalloc(a, n * sizeof *v.base) : NULL};
	session_weigh_sides(s, a, add_side, &v);
	for (size_t i = 0; v.base && i < n; i++) {
		sum[0] = wrap_add(sum[0], v.ns[i]);
		sum[1] = wrap_add(sum[1], v.base[i]);
	}
	for (size_t i = 0; v.base && q->normalize && sum[0] && i < n; i++)
		v.ns[i] = sides_scaled(v.ns[i], (double)sum[1] / (double)sum[0]);
	to->flat = v.ns;
	to->count = v.count;
	to->base = v.base;
}

/* The ratio and the total of two sides are computed once for each pair and type. */
static struct sides sides_of(struct session *s, size_t type)
{
	const struct query *q = &s->queries.query[s->queries.at];
	struct sides d = {.a = q->a, .b = q->b, .show = q->show};
	if (!q->b || (!q->normalize && !q->of_rest))
		return d;
	if (s->compare.sum.a != q->a || s->compare.sum.b != q->b || s->compare.sum.type != type ||
	    s->compare.sum.snap != s->snap->serial || s->compare.sum.normalize != q->normalize) {
		s->compare.sum.a = q->a;
		s->compare.sum.b = q->b;
		s->compare.sum.type = type;
		s->compare.sum.snap = s->snap->serial;
		s->compare.sum.normalize = q->normalize;
		d.ratio = q->normalize ? sides_ratio(s->snap, type, q->a, q->b) : 0;
		s->compare.sum.ratio = d.ratio;
		s->compare.sum.whole = sides_whole(s->snap, type, &d);
	}
	d.ratio = s->compare.sum.ratio;
	d.whole = q->of_rest ? s->compare.sum.whole : 0;
	return d;
}

struct sides session_sides(struct session *s)
{
	return sides_of(s, session_type(s));
}

/* Set what the query weighs; arrays are in the arena. *d is memory for the sides. */
static void add_source(struct session *s, struct arena *a, struct sides *d, struct weigh_source *to)
{
	const struct query *q = &s->queries.query[s->queries.at];
	*to = (struct weigh_source){.type = session_type(s), .show = q->show, .unit = s->opening.ns};
	if (session_is_trace(s)) {
		if (to->type == TRACE_ALLOC)
			to->unit = s->opening.bytes;
		to->estimated = trace_type_estimate((enum trace_weight_type)to->type, (enum trace_blame)q->blame) == ESTIMATE_ALL;
		if (trace_weights_are_joined((enum trace_weight_type)session_type(s), q))
			session_weigh_joined(s, a, to);
		else if (q->a == 1 && !q->b)
			weigh_one(s, a, to);
		else
			weigh_both(s, a, to);
	} else if (s->compare.nside > 1) {
		*d = session_sides(s);
		to->sides = d;
	}
}

/* ---- calls */

void session_drop_calls(struct session *s)
{
	for (int i = 0; i < CALL_SLOTS; i++) {
		session_free_calls_async(s, s->weigh.tree[i], NULL);
		s->weigh.tree[i] = NULL;
	}
}

static void drop_calltrees(struct kept_calltrees *k)
{
	filter_trees_drop(&k->trees);
	granularity_free(k->trees.granularity);
	k->trees.granularity = NULL;
}

void session_drop_calltrees(struct session *s)
{
	for (int i = 0; i < CALL_SLOTS; i++)
		drop_calltrees(&s->weigh.calltrees[i]);
}

/* Return the trees of a slot, and drop those of other samples. All frames of a profile are stored before its
   samples, so a granularity made while the profile is read stays valid afterwards; and so does a tree of all samples
   that was made before the reader reached the end. */
static struct filter_trees *trees_of(struct session *s, enum gran gran)
{
	struct kept_calltrees *k = &s->weigh.calltrees[session_slot(gran)];
	const struct granularity *had = k->trees.granularity;
	const struct snap *sn = s->snap;
	if (had && (had->st != sn->st || had->nfrm != sn->nfrms || had->gran != gran))
		drop_calltrees(k);
	else if (k->nstks != sn->nstks || k->nsmps != sn->nsmps)
		filter_trees_drop(&k->trees);
	if (!k->trees.granularity)
		k->trees.granularity = granularity_new(sn, gran);
	k->nstks = sn->nstks;
	k->nsmps = sn->nsmps;
	return &k->trees;
}

static struct weighted_tree *weigh_query(struct session *s, enum gran gran)
{
	struct arena tmp = {0};
	struct weigh_source source;
	struct sides sides;
	struct filter_trees *k = trees_of(s, gran);
	if (s->weigh.job)	/* building a tree happens once and is then most of the work */
		job_report_progress(s->weigh.job, 30, 100);
	add_source(s, &tmp, &sides, &source);
	struct weighted_tree *c = filter_weigh(k, s->snap, s->weigh.filters,
	    s->queries.query[s->queries.at].noinlines, &source, s->weigh.stop);
	arena_free(&tmp);
	if (gran == GR_ADDRESSES)	/* list needs only the weights, and only of this query */
		filter_trees_drop(k);
	return c ? c : weighted_none(s->snap->st, gran);
}

struct weighted_tree *session_calls(struct session *s, enum gran gran)
{
	struct weighted_tree **c = &s->weigh.tree[session_slot(gran)];
	session_weigh_end(s);
	if (s->weigh.tree_serial != s->serial)
		session_drop_calls(s);
	s->weigh.tree_serial = s->serial;
	if (*c && (*c)->gran != gran) {
		weighted_free(*c);
		*c = NULL;
	}
	if (!*c) {
		int64_t began = clock_us();
		*c = weigh_query(s, gran);
		s->weigh.spent += clock_us() - began;
	}
	return weighted_ref(*c);
}
