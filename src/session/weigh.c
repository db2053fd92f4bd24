/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What the query leaves of what is open, weighed: the calls that panes show.
 *
 * Most queries choose stacks, or take frames away, and leave the tree as it is: for them the merged tree
 * of the store (its shape) is made once, and a query only adds up onto it; so is one with tags as frames, for all
 * queries that have these. Those that cut some calls of a node and leave others get a shape of their own, straight from
 * the nodes that are left; only where nodes are in no order (a trace's) weights are put on a tree that is merged anew.
 *
 * A shape belongs to a snapshot and a granularity; two are kept, since the lines
 * are looked at beside the functions: but of large ones one, for two take more than a profile may.
 */
#include "config.h"
#include "session/internal.h"

#include "base/clock.h"
#include "base/job.h"
#include "base/text/regex.h"
#include "base/wrap_math.h"
#include "calltree/weighted.h"
#include "filter/tag_weights.h"
#include "trace/as_profile.h"
#include "trace/task_filter.h"

#include <stdlib.h>
#include <string.h>

static bool rx_says(void *rx, const char *name, size_t n)
{
	return rx_match(rx, name, n);
}

/* What of the trace the query leaves, or with rest what it leaves out: goroutines and stretches of time. How
   many goroutines, tasks or regions. */
static uint32_t trace_filter(const struct snap *sn, const struct query *q, bool rest, struct arena *a,
    struct tw_filter *f)
{
	*f = (struct tw_filter){.from = q->from, .to = q->to, .proc = q->proc, .blame = (enum tw_blame)q->blame};
	struct rx *rx = NULL;
	if (q->group && (rx = rx_new(q->group, NULL)))
		f->g = tw_goroutines(sn, rx_says, rx, a);
	rx_free(rx);
	rx = NULL;
	uint32_t n;
	const uint8_t *group = f->g;
	if (q->gs)
		f->g = tw_listed(sn, q->gs, a, &n);
	if (q->g)
		f->g = tw_goroutine(sn, q->g, a);
	struct tw_pick pick = {.lo = TIME_NONE, .hi = TIME_NONE, .rest = rest};
	if (q->latency && !pick_range(q->latency, &pick.lo, &pick.hi))
		pick.lo = pick.hi = TIME_NONE;
	const char *re = q->task ? q->task : q->region ? tw_placed(q->region, a, &pick) : NULL;
	if (q->task && is_number(q->task)) {
		pick.id = strtoull(q->task, NULL, 10);
		f->slice = tw_tasks(sn, &pick, a, &f->nslice);
	} else if (re && (rx = rx_new(re, NULL))) {
		pick.match = rx_says;
		pick.arg = rx;
		f->slice = (q->task ? tw_tasks : tw_regions)(sn, &pick, a, &f->nslice);
		f->lies = a;
	}
	rx_free(rx);
	f->span = pick.span;
	if (f->slice)
		return pick.n;
	if (rest)
		f->g = tw_others(sn, f->g, q->gs || q->g ? group : NULL, a);
	return query_has_rest(q) ? tw_count(sn, f->g, f->from, f->to) : 0;
}

void session_filter(const struct snap *sn, const struct query *q, struct arena *a, struct tw_filter *f)
{
	struct query all = {.from = TIME_NONE, .to = TIME_NONE, .blame = q->blame};
	trace_filter(sn, q->suspended ? &all : q, false, a, f);
}

void session_trace(const struct session *s, struct arena *a, struct tw_filter *f)
{
	session_filter(s->snap, &s->hist[s->at], a, f);
}

/* Few enough that all types are added up before one would notice. */
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
	struct tw_filter f;
	*total = 0;
	if (!is_little(sn) || type >= session_ntypes(s))
		return false;
	if (session_is_trace(s)) {
		session_trace(s, &a, &f);
		*total = tracew(sn, (enum tw_type)type, &f, &a)->total_ns;
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
		struct tw_filter f;
		r->n[k] = trace_filter(sn, q, k, &a, &f);
		f.on = job_onlooker(j);
		(about ? tw_states_about : tw_states)(sn, &f, r->ns[k]);
		for (int i = 0; i < TS__N && r->n[k] > 1; i++)
			r->ns[k][i] /= r->n[k];
	}
	arena_free(&a);
}

void session_rest(const struct session *s, const struct query *q, struct rest_states *r)
{
	rest_states(s->snap, q, false, s->job, r);
}

void session_rest_about(const struct snap *sn, const struct query *q, struct rest_states *r)
{
	rest_states(sn, q, true, NULL, r);
}

/* The same P or goroutine in another trace, by its number; an id that nothing has when there is none. */
static trk_id same_track(const struct snap *from, trk_id id, const struct snap *to)
{
	const struct trk_row *r = store_trk(from->st, id);
	for (trk_id i = 1; id && i < to->ntrks; i++)
		if (store_trk(to->st, i)->kind == r->kind && store_trk(to->st, i)->id == r->id)
			return i;
	return id ? UINT32_MAX : 0;
}

/* Add up a trace's weights where its nodes are in the main tree; against the rest, the mean of one. */
static void weigh_trace(struct session *s, uint32_t side, struct arena *a, int64_t *ns, int64_t *count)
{
	struct query q = s->hist[s->at], all = {.from = TIME_NONE, .to = TIME_NONE, .blame = q.blame};
	if (q.suspended)
		q = all;
	bool rest = side == SIDE_REST;
	const struct adding *ad = side && !rest ? s->side[side] : NULL;
	const struct snap *sn = ad ? build_snap(ad->own) : s->snap;
	struct tw_filter f;
	if (ad) {
		q.g = same_track(s->snap, q.g, sn);
		q.proc = same_track(s->snap, q.proc, sn);
	}
	if (q.g == UINT32_MAX || q.proc == UINT32_MAX)
		return;
	uint32_t n = trace_filter(sn, &q, rest, a, &f);
	double each = query_has_rest(&q) && n > 1 ? 1.0 / n : 1;
	f.on = job_onlooker(s->job);
	struct tw *tw = tracew(sn, (enum tw_type)session_type(s), &f, a);
	tw_show_missing(tw, sn);
	for (stk_id i = 0; i < tw->n; i++) {
		stk_id at = ad ? ad->to[i] : i;
		ns[at] = wrap_add(ns[at], sides_scaled(tw->ns[i], each));
		count[at] = wrap_add(count[at], sides_scaled(tw->count[i], each));
	}
}

/* Are tags of a trace's weights frames: 1 at the root (as long as nothing else is asked for), -1 at the
   leaf, 0 not? */
static int tag_frames(const struct query *q)
{
	const char *root = q->suspended ? NULL : q->f.tagroot, *leaf = q->suspended ? NULL : q->f.tagleaf;
	if (leaf && strstr(leaf, TW_TAG))
		return -1;
	return (!root && !leaf) || (root && strstr(root, TW_TAG));
}

/* What a trace weighs: by node, of both sides, or by parts with a tag. */
struct tally {
	const int64_t *ns, *count, *base;
	const struct tw_part *part;
	uint32_t npart;
	int tags;
};

static struct tally tally_one(struct session *s, struct arena *a)
{
	struct tw_filter f;
	session_trace(s, a, &f);
	f.on = job_onlooker(s->job);
	struct tw *tw = tracew(s->snap, (enum tw_type)session_type(s), &f, a);
	tw_show_missing(tw, s->snap);
	return (struct tally){tw->ns, tw->count, NULL, tw->part, tw->npart,
	    tw->npart ? tag_frames(&s->hist[s->at]) : 0};
}

static struct tally tally_sides(struct session *s, struct arena *a)
{
	const struct query *q = &s->hist[s->at];
	size_t n = s->snap->nstks + 1u;
	int64_t *ns = arena_zalloc(a, n * sizeof *ns), *count = arena_zalloc(a, n * sizeof *count);
	int64_t *base = q->b ? arena_zalloc(a, n * sizeof *base) : NULL, sum[2] = {0, 0};
	int64_t *bcount = q->b ? arena_zalloc(a, n * sizeof *bcount) : NULL;
	for (uint32_t k = 0; k <= SIDE_REST; k = k + 1 < s->nside ? k + 1 : k < SIDE_REST ? SIDE_REST : k + 1) {
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
	return (struct tally){ns, count, base, NULL, 0, 0};
}

static struct tally tally(struct session *s, struct arena *a)
{
	const struct query *q = &s->hist[s->at];
	return q->a == 1 && !q->b ? tally_one(s, a) : tally_sides(s, a);
}

/* What the two sides have to do with each other is worked out once for each pair and type. */
static struct sides sides_of(struct session *s, size_t type)
{
	const struct query *q = &s->hist[s->at];
	struct sides d = {.a = q->a, .b = q->b, .show = q->show};
	if (!q->b || (!q->normalize && !q->of_rest))
		return d;
	if (s->sum.a != q->a || s->sum.b != q->b || s->sum.type != type || s->sum.snap != s->snap->serial ||
	    s->sum.normalize != q->normalize) {
		s->sum.a = q->a;
		s->sum.b = q->b;
		s->sum.type = type;
		s->sum.snap = s->snap->serial;
		s->sum.normalize = q->normalize;
		d.ratio = q->normalize ? sides_ratio(s->snap, type, q->a, q->b) : 0;
		s->sum.ratio = d.ratio;
		s->sum.whole = sides_whole(s->snap, type, &d);
	}
	d.ratio = s->sum.ratio;
	d.whole = q->of_rest ? s->sum.whole : 0;
	return d;
}

struct sides session_sides(struct session *s)
{
	return sides_of(s, session_type(s));
}

struct tags *session_tags(struct session *s)
{
	struct sides d = session_sides(s);
	return tags_new(s->snap, s->focus, session_type(s), s->hist[s->at].noinlines, s->nside > 1 ? &d : NULL);
}

static void make_weights(struct session *s)
{
	s->turn ^= 1;
	struct arena *a = &s->arena[s->turn];
	arena_reset(a);
	const struct query *q = &s->hist[s->at];
	size_t type = session_type(s);
	if (session_is_trace(s)) {
		struct tally t = tally(s, a);
		if (t.tags)
			focus_parts(
			    s->snap, s->focus, t.part, t.npart, t.tags > 0, s->op.ns, q->noinlines, a, &s->w);
		else
			focus_nodes(s->snap, s->focus, t.ns, t.count, t.base, q->show, s->op.ns, q->noinlines, a,
			    &s->w);
		return;
	}
	struct sides d = sides_of(s, type);
	focus_samples(s->snap, s->focus, type, q->noinlines, s->nside > 1 ? &d : NULL, a, &s->w);
}

/* Weights of the current query: per call-tree node, cached. Never NULL. */
static const struct weights *session_weights(struct session *s)
{
	if (!s->have_w || s->wserial != s->serial) {
		int64_t began = clock_us();
		make_weights(s);
		s->spent += clock_us() - began;
	}
	s->have_w = true;
	s->wserial = s->serial;
	return &s->w;
}

/* ---- calls */

void session_drop_calls(struct session *s)
{
	for (int i = 0; i < 2; i++) {
		session_let_go(s, s->calls[i], NULL);
		s->calls[i] = NULL;
	}
}

static void drop_trees(struct kept_shape *k)
{
	shape_free(k->shape);
	shape_free(k->tagged);
	k->shape = k->tagged = NULL;
}

static void drop_shape(struct session *s, int i)
{
	drop_trees(&s->shape[i]);
	things_free(s->shape[i].things);
	s->shape[i].things = NULL;
}

void session_drop_shapes(struct session *s)
{
	for (int i = 0; i < 2; i++)
		drop_shape(s, i);
}

/* It is of the samples that there are. */
static bool is_of(const struct kept_shape *k, const struct snap *sn)
{
	return k->st == sn->st && k->nstks == sn->nstks && k->nsmps == sn->nsmps;
}

/* The things of the store by a granularity, as long as both stay what they are. The frames of a profile are all
   there before its samples: what is made of them while it is read is good when it has been; and so is the shape of all
   samples that are there before the end is known to be the end. */
static struct things *things_of(struct session *s, int slot, enum gran gran)
{
	struct kept_shape *k = &s->shape[slot];
	const struct things *had = k->things;
	const struct snap *sn = s->snap;
	if (had && (had->nfrm != sn->nfrms || had->gran != gran)) {
		drop_shape(s, slot);
	} else if (!is_of(k, sn)) {
		drop_trees(k);
	}
	if (!k->things)
		k->things = things_new(sn, gran);
	k->asked = s->hist[s->at].gran == gran;
	k->st = sn->st;
	k->nstks = sn->nstks;
	k->nsmps = sn->nsmps;
	return k->things;
}

bool session_large_tree(uint32_t nodes)
{
	enum { LARGE = 2000000 };
	return nodes > LARGE || job_wanted() > 1;	/* a test */
}

/* Tags are frames, and stacks are cut as well: that is a tree of this query alone. */
static bool cuts_tagged(const struct session *s)
{
	return !session_is_trace(s) && s->snap->nsmps && focus_has_tags(s->snap, s->focus) &&
	    !focus_tags_alone(s->focus, s->hist[s->at].noinlines);
}

bool session_makes_tree(const struct session *s, enum gran gran)
{
	if (cuts_tagged(s) || s->crowded == s->serial + 1)
		return true;
	const struct kept_shape *k = &s->shape[session_slot(gran)];
	const struct snap *sn = s->snap;
	if (!k->things || k->things->gran != gran || !is_of(k, sn))
		return true;
	bool tagged = k->tagged && focus_fits(sn, s->focus, k->tagged);
	bool plain = k->shape && (session_is_trace(s) || focus_fits(sn, s->focus, k->shape));
	return !tagged && !plain;
}

/* The other tree: that of lines beside that of functions, or of a granularity that the query had and has no more. */
static void drop_other(struct session *s, int slot)
{
	const struct kept_shape *k = &s->shape[!slot];
	const struct shape *is = k->shape ? k->shape : k->tagged;
	if (is && session_large_tree(is->n))
		drop_shape(s, !slot);
}

/* Of the store's nodes. NULL: it was stopped. */
static struct shape *plain_shape(struct session *s, struct kept_shape *k)
{
	if (!k->shape)
		k->shape = shape_new(k->things, &(struct frames){.n = s->snap->nstks, .st = s->snap->st,
		    .stop = s->stop, .nsmp = session_is_trace(s) ? 0 : s->snap->nsmps});
	return k->shape;
}

/* The shape that weights of the query go onto: the store's, or where tags are frames one of these and that. NULL: it
   was stopped. Of two large ones, that which the other is made of is not kept: it takes a quarter of a second. */
static struct shape *shape_for(struct session *s, int slot)
{
	struct kept_shape *k = &s->shape[slot];
	if (k->tagged && focus_fits(s->snap, s->focus, k->tagged))
		return k->tagged;
	shape_free(k->tagged);
	k->tagged = NULL;
	if (!plain_shape(s, k) || session_is_trace(s) || focus_fits(s->snap, s->focus, k->shape))
		return k->shape;
	bool one = session_large_tree(k->shape->n) && s->snap->nsmps &&
	    focus_tags_alone(s->focus, s->hist[s->at].noinlines);
	struct shape *plain = k->shape;
	if (one) {
		shape_last(plain);
		k->shape = NULL;
	}
	k->tagged = focus_tagged(s->snap, s->focus, s->hist[s->at].noinlines, plain, one, s->stop);
	return k->tagged || (s->stop && atomic_load(s->stop)) ? k->tagged : k->shape;
}

/* It turns out that panes hold a large tree beside which there is no room for what the query takes. Beside the interface
   they are asked to let go, once a query, and it is weighed again; true: so they are now. */
static bool asks_room(struct session *s)
{
	if (!s->job || s->crowded == s->serial + 1)
		return false;
	s->crowded = s->serial + 1;
	return true;
}

/* Onto a shape of this query alone; NULL where none can be made. Where tags are frames that is made of the samples: what
   shapes there are goes before, if they are large. */
static struct calls *weigh_apart(struct session *s, int slot)
{
	const struct query *q = &s->hist[s->at];
	struct kept_shape *k = &s->shape[slot];
	bool tags = focus_has_tags(s->snap, s->focus), preorder = false, large = session_large_tree(s->snap->nstks);
	if (!tags) {
		const struct shape *plain = plain_shape(s, k);
		if (!plain)
			return calls_none(s->snap->st, k->things->gran);
		preorder = plain->preorder;
	}
	if (large && tags && k->tagged && k->tagged->refs > 1 && asks_room(s))
		return calls_none(s->snap->st, k->things->gran);
	if (large && tags)
		drop_trees(k);
	if (large && k->shape)
		shape_rest(k->shape);
	struct sides d = sides_of(s, session_type(s));
	struct calls *c = focus_samples_calls(s->snap, s->focus, session_type(s), q->noinlines,
	    s->nside > 1 ? &d : NULL, k->things, preorder, s->stop);
	if (c && large && k->shape)
		shape_beside(c->shape, k->shape);
	return !c && s->stop && atomic_load(s->stop) ? calls_none(s->snap->st, k->things->gran) : c;
}

/* May this query lay stacks of a large tree aside, or have a tree of its own, and panes hold those of another one? */
static bool two_beside(const struct session *s, const struct shape *onto)
{
	return session_large_tree(onto->n) && atomic_load(&onto->lent) && query_takes_away(&s->hist[s->at]);
}

/* Weights straight onto the shape of the store's tree, or onto one that is made for them; NULL when neither can be. */
static struct calls *weigh_onto(struct session *s, int slot)
{
	const struct query *q = &s->hist[s->at];
	size_t type = session_type(s);
	struct arena tmp = {0};
	struct onto o;
	bool can;
	if (cuts_tagged(s))
		return weigh_apart(s, slot);
	struct shape *onto = shape_for(s, slot);
	if (!onto)
		return calls_none(s->snap->st, s->shape[slot].things->gran);
	if (two_beside(s, onto) && asks_room(s))
		return calls_none(s->snap->st, s->shape[slot].things->gran);
	struct calls *c = calls_begin(onto, q->b != 0, &o);
	o.walked = s->walks && session_large_tree(onto->n);
	if (session_is_trace(s)) {
		struct tally t = tally(s, &tmp);
		can = !t.tags && focus_nodes_onto(s->snap, s->focus, t.ns, t.count, t.base, q->show, s->op.ns,
		    q->noinlines, &o);
	} else {
		struct sides d = sides_of(s, type);
		can = focus_samples_onto(s->snap, s->focus, type, q->noinlines, s->nside > 1 ? &d : NULL, &o);
	}
	arena_free(&tmp);
	if (can) {
		calls_finish(c, &o);
		return c;
	}
	calls_free(c);
	return session_is_trace(s) ? NULL : weigh_apart(s, slot);
}

struct calls *session_calls(struct session *s, enum gran gran)
{
	int slot = session_slot(gran);
	struct calls **c = &s->calls[slot];
	session_weigh_end(s);
	if (s->cserial != s->serial)
		session_drop_calls(s);
	s->cserial = s->serial;
	if (*c && (*c)->gran != gran) {
		calls_free(*c);
		*c = NULL;
	}
	if (!*c) {
		int64_t began = clock_us();
		drop_other(s, slot);
		struct things *t = things_of(s, slot, gran);
		if (s->job)	/* shapes are made once, and then are most of it */
			job_tell(s->job, 30, 100);
		*c = weigh_onto(s, slot);
		if (!*c)
			*c = calls_new(t, session_weights(s));
		s->spent += clock_us() - began;
	}
	return calls_ref(*c);
}
