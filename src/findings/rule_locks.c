/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Queues for locks. What "one lock" and its holders are is inferred (lock_sets.c).
 */
#include "config.h"
#include "findings/measures/group_weights.h"
#include "findings/internal.h"

#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "trace/user_code.h"

#include <stdlib.h>

struct lock_rule {
	struct findings_run *r;
	const struct lock_sets *sets;
	/* Of the long waits (scan.queued): by set, index + 1 of the first one; and of the next one of its set. */
	uint32_t *first_wait, *next_wait;
};

/* What is known of one lock. */
struct lock_queue {
	uint32_t set;
	uint64_t n;		/* waits */
	int64_t ns, longest, from, to, crowded;
	uint32_t most;		/* that waited at the same time, of those that waited for a long time */
	uint32_t site;		/* the one with most waiting */
	struct time_parts held;	/* what holders did, of samples */
	struct group_weights waiting;	/* of samples */
	struct scan_wait example;
};

static void sort_waits(struct lock_rule *l)
{
	const struct scan_list *list = &l->r->scan.queued;
	l->first_wait = xcalloc(l->sets->nsite + 1u, sizeof *l->first_wait);
	l->next_wait = xcalloc(list->n + 1u, sizeof *l->next_wait);
	for (uint32_t i = 0; i < list->n; i++) {
		uint32_t set = lock_sets_of(l->sets, list->v[i].site);
		l->next_wait[i] = l->first_wait[set];
		l->first_wait[set] = i + 1;
	}
}

/* Add the sampled waits at a site. What their holders did is looked up for some of them, evenly spaced. */
static void add_samples(struct lock_rule *l, struct lock_queue *q, const struct scan_site *x)
{
	enum { LOOKED_UP = 32 };
	uint32_t every = (x->nsample + LOOKED_UP - 1) / LOOKED_UP;
	for (uint32_t i = 0; i < x->nsample; i++) {
		const struct scan_wait *w = &x->sample[i];
		if (l->r->groups.of[w->g])
			group_weights_add(&q->waiting, l->r->groups.of[w->g] - 1, x->step);
		if (w->t1 - w->t0 > q->example.t1 - q->example.t0)
			q->example = *w;
		if (i % every == 0)
			lock_sets_add_holders(l->sets, w, &q->held, &(struct lock_holders_query){
			    .scale = every * (double)x->step / (double)(w->t1 - w->t0),
			    .walker = l->r->walker, .follow = true});
	}
}

static void queue_add_site(struct lock_rule *l, struct lock_queue *q, uint32_t site)
{
	const struct scan_site *x = &l->r->scan.site[site];
	q->from = !q->n || x->from < q->from ? x->from : q->from;
	q->to = x->to > q->to ? x->to : q->to;
	q->n += x->n;
	wrap_add_to(&q->ns, x->ns);
	q->longest = x->longest > q->longest ? x->longest : q->longest;
	if (x->ns > l->r->scan.site[q->site].ns)
		q->site = site;
	add_samples(l, q, x);
}

/* Find how long at least `crowd` goroutines waited at the same time, and the greatest number. */
static void measure_crowd(struct lock_rule *l, struct lock_queue *q, uint32_t crowd)
{
	struct findings_run *r = l->r;
	const struct scan_list *list = &r->scan.queued;
	struct radix_item *v = NULL;
	uint32_t n = 0, now = 0;
	size_t cap = 0;
	int64_t since = 0;
	for (uint32_t i = l->first_wait[q->set]; i; i = l->next_wait[i - 1]) {
		v = mem_grow(v, &cap, n + 2u, sizeof *v);
		v[n++] = (struct radix_item){(uint64_t)list->v[i - 1].t0 << 1 | 1, 0};
		v[n++] = (struct radix_item){(uint64_t)list->v[i - 1].t1 << 1, 0};
	}
	if (n)
		radix_sort_items(v, n);
	for (uint32_t i = 0; i < n; i++) {
		int64_t t = (int64_t)(v[i].key >> 1);
		if (!(v[i].key & 1)) {
			if (now == crowd && t - since > q->crowded)
				q->crowded = t - since;
			now--;
			continue;
		}
		if (++now == crowd)
			since = t;
		q->most = now > q->most ? now : q->most;
	}
	mem_free(v);
}

static frm_id frame_of(const struct store *st, stk_id s)
{
	return s ? stk_frame(st, s) : 0;
}

static void put_queue(struct findings_run *r, const struct lock_queue *q, const struct group_weights_most *w,
    const struct time_parts_main *h, double score)
{
	frm_id site = r->scan.sites.v[q->site].frame, frame = frame_of(r->st, h->at),
	       between = h->part && h->part->lock.wait ? findings_site(r, h->part->lock.wait) : 0;
	finding_put_place(r, frame);
	buf_printf(&r->text, " holds a lock %s", finding_class_words(h->cls));
	if (between) {
		buf_puts(&r->text, ", and ");
		finding_put_place_after(r, between, frame);
		buf_puts(&r->text, " waits for it");
	}
	buf_printf(&r->text, ": on average %.1f goroutines", (double)q->ns / (double)r->wall);
	finding_put_groups(r, w->group, w->n);
	buf_printf(&r->text, " wait %s, %.0f%% of their time, at ", between ? "behind that" : "for it", score);
	finding_put_place_after(r, site, between ? between : frame);
}

static void report_queue(struct lock_rule *l, struct lock_queue *q)
{
	struct findings_run *r = l->r;
	int64_t work = 0;
	struct group_weights_most w = group_weights_most(&q->waiting);
	for (uint32_t i = 0; i < w.n; i++)
		wrap_add_to(&work, groups_work(&r->groups.v[w.group[i]]));
	struct finding f = {.score = finding_score((double)q->ns * w.share, (double)work), .affected_ns = work,
	    .t0 = q->from, .t1 = q->to, .trk = q->example.g, .show_t0 = q->example.t0, .show_t1 = q->example.t1};
	struct time_parts_main holder;
	time_parts_sort(&q->held);
	lock_sets_main_holder(r->st, &q->held, &holder);
	double mean = (double)q->ns / (double)r->wall, fit = finding_fit(mean, LIMIT(r, LOCK_QUEUE, WAITERS)),
	       burst = finding_fit((double)q->crowded, LIMIT(r, LOCK_QUEUE, CROWDED));
	/* A holder that now and then waits for a P, locks of libraries that hardly matter, and waits that are nothing in the
	   time of those that wait, are nothing to look at. */
	if ((holder.cls == TIME_RUNNABLE && (fit < 0.5 || f.score < FINDING_LOW)) || f.score < 0.5 ||
	    (f.score < FINDING_LOW && !findings_is_user_frame(r, frame_of(r->st, holder.at))))
		return;
	finding_culprit(r, &f, frame_of(r->st, holder.at));
	for (uint32_t i = 0; i < q->held.n && i < FINDING_CULPRITS; i++)
		if (q->held.v[i].cls == holder.cls)
			finding_culprit(r, &f, frame_of(r->st, user_code_first_frame(r->st, q->held.v[i].stack)));
	if (holder.part && holder.part->lock.wait)
		finding_culprit(r, &f, findings_site(r, holder.part->lock.wait));
	for (uint32_t i = 0; i < w.n; i++)
		finding_victims(r, &f, w.group[i], r->scan.sites.v[q->site].frame);
	finding_number(&f, "waiters_mean", mean);
	finding_number(&f, "waiters_most", q->most);
	finding_number(&f, "waits", (double)q->n);
	finding_number(&f, "wait_ns", (double)q->ns);
	finding_number(&f, "longest_ns", (double)q->longest);
	finding_number(&f, "crowded_ns", (double)q->crowded);
	finding_estimate(&f, "holder_share", q->held.total ? (double)holder.ns / (double)q->held.total : 0);
	put_queue(r, q, &w, &holder, f.score);
	f.see = "locks";
	finding_add(r, fit > burst ? fit : burst, &f);
}

/* Judge the lock of which this site is the first. */
static void judge_queue(struct lock_rule *l, uint32_t first, int64_t ns)
{
	struct findings_run *r = l->r;
	struct lock_queue q = {.set = lock_sets_of(l->sets, first), .site = first};
	double least = LIMIT(r, LOCK_QUEUE, CROWD) * LIMIT(r, LOCK_QUEUE, CROWDED);
	if ((double)ns < least / 2 && (double)ns < LIMIT(r, LOCK_QUEUE, WAITERS) / 2 * (double)r->wall)
		return;
	for (uint32_t i = first; i != UINT32_MAX && findings_continue(r); i = lock_sets_next(l->sets, i))
		queue_add_site(l, &q, i);
	double crowd = LIMIT(r, LOCK_QUEUE, CROWD);
	measure_crowd(l, &q, crowd < 1 ? 1 : crowd > 1e6 ? 1000000 : (uint32_t)crowd);
	report_queue(l, &q);
	time_parts_free(&q.held);
}

/* The locks with most waiting are judged. */
enum { LOCKS_JUDGED = 16 };
struct lock_total { uint32_t first, set; int64_t ns; };

static int by_total(const void *a, const void *b)
{
	const struct lock_total *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Sum up the waits by set, most waiting first, and return the number of sets. */
static uint32_t sum_sets(struct lock_rule *l, struct lock_total *v)
{
	uint32_t n = 0, *at = xcalloc(l->sets->nsite + 1u, sizeof *at);
	for (uint32_t i = 0; i < l->sets->nsite; i++) {
		const struct scan_site *x = lock_sets_waits(l->sets, i);
		uint32_t set = lock_sets_of(l->sets, i);
		if (!x || !x->n)
			continue;
		if (!at[set]) {
			v[n] = (struct lock_total){.first = i, .set = set};
			at[set] = ++n;
		}
		wrap_add_to(&v[at[set] - 1].ns, x->ns);
	}
	mem_free(at);
	if (n)
		qsort(v, n, sizeof *v, by_total);
	return n;
}

void rule_lock_queue(struct findings_run *r)
{
	struct lock_rule l = {.r = r, .sets = findings_locks(r)};
	sort_waits(&l);
	struct lock_total *v = xmalloc((l.sets->nsite + 1u) * sizeof *v);
	uint32_t n = sum_sets(&l, v);
	for (uint32_t i = 0; i < n && i < LOCKS_JUDGED; i++)
		judge_queue(&l, v[i].first, v[i].ns);
	mem_free(v);
	mem_free(l.first_wait);
	mem_free(l.next_wait);
}
