/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Computes the calls that panes show: the weights that the query leaves, on a merged tree.
 *
 * Most queries select stacks or hide frames and leave the tree unchanged. For them the store's merged tree is built
 * once, and a query only adds weights onto it; likewise a tree with tags as frames, for all queries with these tags. A
 * query that cuts some calls of a node and leaves others gets a tree of its own, built directly from the remaining
 * nodes. Only if nodes are in no order (a trace's), weights are put on a tree that is merged anew.
 *
 * A merged tree belongs to a snapshot and a granularity. Two are kept, because lines are shown beside functions; but
 * only one if they are large, because two would take more memory than a profile may.
 */
#include "config.h"
#include "session/internal.h"

#include "base/clock.h"
#include "base/job.h"
#include "base/wrap_math.h"
#include "calltree/weighted.h"
#include "filter/tag_weights.h"
#include "trace/as_profile.h"

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

/* The weights of a trace: by node, for both sides, or by parts with a tag. */
struct node_totals {
	const int64_t *ns, *count, *base;
	const struct trace_tag_weight *part;
	uint32_t npart;
	int tags;
};

static struct node_totals tally_one(struct session *s, struct arena *a)
{
	struct trace_filter f;
	session_trace_filter(s, a, &f);
	f.on = job_progress_watcher(s->weigh.job);
	struct trace_weights *trace_weights = trace_weigh(s->snap, (enum trace_weight_type)session_type(s), &f, a);
	trace_show_no_stack(trace_weights, s->snap);
	return (struct node_totals){trace_weights->ns, trace_weights->count, NULL, trace_weights->part,
	    trace_weights->npart, trace_weights->npart ? tag_frames(&s->queries.query[s->queries.at]) : 0};
}

static struct node_totals tally_sides(struct session *s, struct arena *a)
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
	return (struct node_totals){ns, count, base, NULL, 0, 0};
}

static struct node_totals node_totals(struct session *s, struct arena *a)
{
	const struct query *q = &s->queries.query[s->queries.at];
	return q->a == 1 && !q->b ? tally_one(s, a) : tally_sides(s, a);
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

static void make_weights(struct session *s)
{
	s->weigh.turn ^= 1;
	struct arena *a = &s->weigh.arena[s->weigh.turn];
	arena_reset(a);
	const struct query *q = &s->queries.query[s->queries.at];
	size_t type = session_type(s);
	if (session_is_trace(s)) {
		struct node_totals t = node_totals(s, a);
		if (t.tags)
			filter_weigh_parts(s->snap, s->weigh.filters, t.part, t.npart, t.tags > 0, s->opening.ns,
			    q->noinlines, a, &s->weigh.weights);
		else
			filter_weigh_nodes(s->snap, s->weigh.filters, t.ns, t.count, t.base, q->show, s->opening.ns,
			    q->noinlines, a, &s->weigh.weights);
		return;
	}
	struct sides d = sides_of(s, type);
	filter_weigh_samples(
	    s->snap, s->weigh.filters, type, q->noinlines, s->compare.nside > 1 ? &d : NULL, a, &s->weigh.weights);
}

/* Return the weights of the current query by node of the call tree, cached. Never NULL. */
static const struct weights *session_weights(struct session *s)
{
	if (!s->weigh.have_weights || s->weigh.weights_serial != s->serial) {
		int64_t began = clock_us();
		make_weights(s);
		s->weigh.spent += clock_us() - began;
	}
	s->weigh.have_weights = true;
	s->weigh.weights_serial = s->serial;
	return &s->weigh.weights;
}

/* ---- calls */

void session_drop_calls(struct session *s)
{
	for (int i = 0; i < 2; i++) {
		session_free_calls_async(s, s->weigh.tree[i], NULL);
		s->weigh.tree[i] = NULL;
	}
}

static void drop_trees(struct kept_calltree *k)
{
	calltree_free(k->calltree);
	calltree_free(k->tagged);
	k->calltree = k->tagged = NULL;
}

static void drop_calltree(struct session *s, int i)
{
	drop_trees(&s->weigh.calltree[i]);
	granularity_free(s->weigh.calltree[i].granularity);
	s->weigh.calltree[i].granularity = NULL;
}

void session_drop_calltrees(struct session *s)
{
	for (int i = 0; i < 2; i++)
		drop_calltree(s, i);
}

/* Was the tree made of exactly the samples of the snapshot? */
static bool is_of(const struct kept_calltree *k, const struct snap *sn)
{
	return k->st == sn->st && k->nstks == sn->nstks && k->nsmps == sn->nsmps;
}

/* Return the granularity of the store, and drop cached trees of other samples. All frames of a profile are stored
   before its samples, so a granularity made while the profile is read stays valid afterwards; and so does a tree of all
   samples that was made before the reader reached the end. */
static struct granularity *granularity_of(struct session *s, int slot, enum gran gran)
{
	struct kept_calltree *k = &s->weigh.calltree[slot];
	const struct granularity *had = k->granularity;
	const struct snap *sn = s->snap;
	if (had && (had->nfrm != sn->nfrms || had->gran != gran)) {
		drop_calltree(s, slot);
	} else if (!is_of(k, sn)) {
		drop_trees(k);
	}
	if (!k->granularity)
		k->granularity = granularity_new(sn, gran);
	k->asked = s->queries.query[s->queries.at].gran == gran;
	k->st = sn->st;
	k->nstks = sn->nstks;
	k->nsmps = sn->nsmps;
	return k->granularity;
}

bool session_large_tree(uint32_t nodes)
{
	enum { LARGE = 2000000 };
	return nodes > LARGE || job_forced_threads() > 1;	/* tests treat every tree as large */
}

/* Tags are frames and stacks are cut as well: that needs a tree of this query alone. */
static bool cuts_tagged(const struct session *s)
{
	return !session_is_trace(s) && s->snap->nsmps && filter_has_tag_frames(s->snap, s->weigh.filters) &&
	    !filter_keeps_whole_stacks(s->weigh.filters, s->queries.query[s->queries.at].noinlines);
}

bool session_makes_tree(const struct session *s, enum gran gran)
{
	if (cuts_tagged(s) || s->weigh.needs_room == s->serial + 1)
		return true;
	const struct kept_calltree *k = &s->weigh.calltree[session_slot(gran)];
	const struct snap *sn = s->snap;
	if (!k->granularity || k->granularity->gran != gran || !is_of(k, sn))
		return true;
	bool tagged = k->tagged && filter_fits_calltree(sn, s->weigh.filters, k->tagged);
	bool plain = k->calltree && (session_is_trace(s) || filter_fits_calltree(sn, s->weigh.filters, k->calltree));
	return !tagged && !plain;
}

/* Drop the other tree if it is large: that of lines beside functions, or of a granularity that the query had before. */
static void drop_other(struct session *s, int slot)
{
	const struct kept_calltree *k = &s->weigh.calltree[!slot];
	const struct calltree *is = k->calltree ? k->calltree : k->tagged;
	if (is && session_large_tree(is->n))
		drop_calltree(s, !slot);
}

/* Return the merged tree of the store's nodes. NULL: it was stopped. */
static struct calltree *plain_calltree(struct session *s, struct kept_calltree *k)
{
	if (!k->calltree)
		k->calltree = calltree_new(k->granularity, &(struct frames){.n = s->snap->nstks, .st = s->snap->st,
		    .stop = s->weigh.stop, .nsmp = session_is_trace(s) ? 0 : s->snap->nsmps});
	return k->calltree;
}

/* Return the tree that the query's weights are added onto: the store's, or one with tags as frames made of it. NULL: it
   was stopped. Of two large ones the plain one is not kept: to build it again takes a quarter of a second. */
static struct calltree *calltree_for(struct session *s, int slot)
{
	struct kept_calltree *k = &s->weigh.calltree[slot];
	if (k->tagged && filter_fits_calltree(s->snap, s->weigh.filters, k->tagged))
		return k->tagged;
	calltree_free(k->tagged);
	k->tagged = NULL;
	if (!plain_calltree(s, k) || session_is_trace(s) ||
	    filter_fits_calltree(s->snap, s->weigh.filters, k->calltree))
		return k->calltree;
	bool one = session_large_tree(k->calltree->n) && s->snap->nsmps &&
	    filter_keeps_whole_stacks(s->weigh.filters, s->queries.query[s->queries.at].noinlines);
	struct calltree *plain = k->calltree;
	if (one) {
		calltree_mark_last(plain);
		k->calltree = NULL;
	}
	k->tagged = filter_tagged_calltree(
	    s->snap, s->weigh.filters, s->queries.query[s->queries.at].noinlines, plain, one, s->weigh.stop);
	return k->tagged || (s->weigh.stop && atomic_load(s->weigh.stop)) ? k->tagged : k->calltree;
}

/* Called when panes hold a large tree and memory does not suffice for a second one. A worker returns true once for each
   query: panes are then asked to release theirs, and the query is weighed again. */
static bool request_room(struct session *s)
{
	if (!s->weigh.job || s->weigh.needs_room == s->serial + 1)
		return false;
	s->weigh.needs_room = s->serial + 1;
	return true;
}

/* Weigh onto a tree of this query alone. Return NULL if none can be made. With tags as frames it is made of the
   samples: large trees are dropped first. */
static struct weighted_tree *weigh_apart(struct session *s, int slot)
{
	const struct query *q = &s->queries.query[s->queries.at];
	struct kept_calltree *k = &s->weigh.calltree[slot];
	bool tags = filter_has_tag_frames(s->snap, s->weigh.filters), preorder = false,
	     large = session_large_tree(s->snap->nstks);
	if (!tags) {
		const struct calltree *plain = plain_calltree(s, k);
		if (!plain)
			return weighted_none(s->snap->st, k->granularity->gran);
		preorder = plain->preorder;
	}
	if (large && tags && k->tagged && k->tagged->refs > 1 && request_room(s))
		return weighted_none(s->snap->st, k->granularity->gran);
	if (large && tags)
		drop_trees(k);
	if (large && k->calltree)
		calltree_drop_caches(k->calltree);
	struct sides d = sides_of(s, session_type(s));
	struct weighted_tree *c = filter_weigh_rebuilt(s->snap, s->weigh.filters, session_type(s), q->noinlines,
	    s->compare.nside > 1 ? &d : NULL, k->granularity, preorder, s->weigh.stop);
	if (c && large && k->calltree)
		calltree_mark_lent(c->calltree, k->calltree);
	return !c && s->weigh.stop && atomic_load(s->weigh.stop) ? weighted_none(s->snap->st, k->granularity->gran) : c;
}

/* Could this query split stacks off a large tree, or need a tree of its own, while panes hold that of another query? */
static bool needs_second_tree(const struct session *s, const struct calltree *weigh_target)
{
	return session_large_tree(weigh_target->n) && atomic_load(&weigh_target->lent) &&
	       query_removes_nodes(&s->queries.query[s->queries.at]);
}

/* Add weights directly onto the store's tree, or onto one that is made for them. Return NULL if neither is possible. */
static struct weighted_tree *weigh_onto(struct session *s, int slot)
{
	const struct query *q = &s->queries.query[s->queries.at];
	size_t type = session_type(s);
	struct arena tmp = {0};
	struct weigh_target o;
	bool can;
	if (cuts_tagged(s))
		return weigh_apart(s, slot);
	struct calltree *weigh_target = calltree_for(s, slot);
	if (!weigh_target)
		return weighted_none(s->snap->st, s->weigh.calltree[slot].granularity->gran);
	if (needs_second_tree(s, weigh_target) && request_room(s))
		return weighted_none(s->snap->st, s->weigh.calltree[slot].granularity->gran);
	struct weighted_tree *c = weighted_begin(weigh_target, q->b != 0, &o);
	o.walked = s->weigh.walks && session_large_tree(weigh_target->n);
	if (session_is_trace(s)) {
		struct node_totals t = node_totals(s, &tmp);
		can = !t.tags && filter_weigh_nodes_onto(s->snap, s->weigh.filters, t.ns, t.count, t.base, q->show,
				     s->opening.ns, q->noinlines, &o);
	} else {
		struct sides d = sides_of(s, type);
		can = filter_weigh_samples_onto(
		    s->snap, s->weigh.filters, type, q->noinlines, s->compare.nside > 1 ? &d : NULL, &o);
	}
	arena_free(&tmp);
	if (can) {
		weighted_finish(c, &o);
		return c;
	}
	weighted_free(c);
	return session_is_trace(s) ? NULL : weigh_apart(s, slot);
}

struct weighted_tree *session_calls(struct session *s, enum gran gran)
{
	int slot = session_slot(gran);
	struct weighted_tree **c = &s->weigh.tree[slot];
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
		drop_other(s, slot);
		struct granularity *t = granularity_of(s, slot, gran);
		if (s->weigh.job)	/* building a tree happens once and is then most of the work */
			job_report_progress(s->weigh.job, 30, 100);
		*c = weigh_onto(s, slot);
		if (!*c)
			*c = weighted_new(t, session_weights(s));
		s->weigh.spent += clock_us() - began;
	}
	return weighted_ref(*c);
}
