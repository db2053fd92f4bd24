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
#include "store/builder.h"
#include "trace/as_profile.h"
#include "trace/filter_states.h"

#include <stdlib.h>
#include <string.h>

void session_trace_filter(const struct session *s, struct arena *a, struct trace_filter *f)
{
	query_trace_filter(s->snap, &s->queries.query[s->queries.at], false, a, f, NULL, NULL);
}

/* Is it so small that adding up all types is not noticeable? */
static bool is_little(const struct snap *sn)
{
	enum { LITTLE = 2000000 };
	uint64_t n = sn->nsmps;
	for (uint32_t i = 0; i < sn->nsheets && n <= LITTLE; i++)
		n += store_slot(sn->st, i)->n;
	return sn->complete && n <= LITTLE;
}

bool session_total(const struct session *s, size_t type, int64_t *total)
{
	const struct snap *sn = s->snap;
	struct arena a = {0};
	struct trace_filter f;
	*total = 0;
	if (!is_little(sn) || type >= session_ntypes(s))
		return false;
	if (session_is_trace(s)) {
		session_trace_filter(s, &a, &f);
		*total = trace_weigh(sn, (enum trace_weight_type)type, &f, &a)->total_ns;
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

/* Add the weights of a trace to the nodes of the main tree; when compared with the rest, the mean of one. */
static void weigh_trace(struct session *s, uint32_t side, struct arena *a, int64_t *ns, int64_t *count)
{
	struct query q = s->queries.query[s->queries.at];
	bool rest = side == SIDE_REST;
	const struct compare_loader *ad = side && !rest ? s->compare.side[side] : NULL;
	const struct snap *sn = ad ? builder_snap(ad->own) : s->snap;
	struct trace_filter f;
	if (ad && !q.suspended) {
		q.g = same_track(s->snap, q.g, sn);
		q.proc = same_track(s->snap, q.proc, sn);
	}
	if (q.g == UINT32_MAX || q.proc == UINT32_MAX)
		return;
	uint32_t n = 1;
	query_trace_filter(sn, &q, rest, a, &f, query_has_rest(&q) && !q.suspended ? &n : NULL, NULL);
	double each = n > 1 ? 1.0 / n : 1;
	f.on = job_progress_watcher(s->weigh.job);
	struct trace_weights *trace_weights = trace_weigh(sn, (enum trace_weight_type)session_type(s), &f, a);
	trace_show_no_stack(trace_weights, sn);
	for (stk_id i = 0; i < trace_weights->n; i++) {
		stk_id at = ad ? ad->to[i] : i;
		ns[at] = wrap_add(ns[at], sides_scaled(trace_weights->ns[i], each));
		count[at] = wrap_add(count[at], sides_scaled(trace_weights->count[i], each));
	}
}

/* Return where tags of a trace's weights become frames: 1 at the root (the default without -tagroot and -tagleaf), -1
   at the leaf, 0 nowhere. */
static int tag_frames(const struct query *q)
{
	const char *root = q->suspended ? NULL : q->f.tagroot, *leaf = q->suspended ? NULL : q->f.tagleaf;
	if (leaf && strstr(leaf, TRACE_WEIGHT_TAG))
		return -1;
	return (!root && !leaf) || (root && strstr(root, TRACE_WEIGHT_TAG));
}

static void weigh_one(struct session *s, struct arena *a, struct weigh_source *to)
{
	struct trace_filter f;
	session_trace_filter(s, a, &f);
	f.on = job_progress_watcher(s->weigh.job);
	struct trace_weights *w = trace_weigh(s->snap, (enum trace_weight_type)session_type(s), &f, a);
	trace_show_no_stack(w, s->snap);
	int tags = w->npart ? tag_frames(&s->queries.query[s->queries.at]) : 0;
	to->flat = w->ns;
	to->count = w->count;
	to->part = tags ? w->part : NULL;
	to->npart = w->npart;
	to->part_at_leaf = tags < 0;
}

static void weigh_sides(struct session *s, struct arena *a, struct weigh_source *to)
{
	const struct query *q = &s->queries.query[s->queries.at];
	size_t n = s->snap->nstks + 1u;
	int64_t *ns = arena_zalloc(a, n * sizeof *ns), *count = arena_zalloc(a, n * sizeof *count);
	int64_t *base = q->b ? arena_zalloc(a, n * sizeof *base) : NULL, sum[2] = {0, 0};
	int64_t *bcount = q->b ? arena_zalloc(a, n * sizeof *bcount) : NULL;
	for (uint32_t k = 0; k <= SIDE_REST; k = k + 1 < s->compare.nside ? k + 1 : k < SIDE_REST ? SIDE_REST : k + 1) {
		if (side_in(q->a, k))
			weigh_trace(s, k, a, ns, count);
		if (q->b && side_in(q->b, k))
			weigh_trace(s, k, a, base, bcount);
	}
	for (size_t i = 0; base && i < n; i++) {
		sum[0] = wrap_add(sum[0], ns[i]);
		sum[1] = wrap_add(sum[1], base[i]);
	}
	for (size_t i = 0; base && q->normalize && sum[0] && i < n; i++)
		ns[i] = sides_scaled(ns[i], (double)sum[1] / (double)sum[0]);
	to->flat = ns;
	to->count = count;
	to->base = base;
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
		if (q->a == 1 && !q->b)
			weigh_one(s, a, to);
		else
			weigh_sides(s, a, to);
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

/* Return the trees of a slot, and drop those of other samples. All frames of a profile are stored before its samples, so
   a granularity made while the profile is read stays valid afterwards; and so does a tree of all samples that was made
   before the reader reached the end. */
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
