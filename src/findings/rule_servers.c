/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Rules about goroutines that wait for what one busy goroutine gives them. A goroutine is busy unless it is in its idle
 * wait, or waits for room in a channel: then those that take its items are slower.
 */
#include "config.h"
#include "findings/internal.h"
#include "findings/measures/group_weights.h"

#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "base/wrap_math.h"
#include "trace/bins.h"
#include "trace/bins_time.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/user_code.h"

#include <math.h>

bool findings_is_other_of_group(const struct findings_run *r, trk_id g, trk_id than)
{
	return g && g != than && g < r->sn->ntrks && r->groups.of[g] && r->groups.of[g] == r->groups.of[than];
}

bool findings_is_own_group(const struct findings_run *r, const struct scan_wait *w)
{
	return findings_is_other_of_group(r, w->waker, w->g) && store_trk(r->st, w->waker)->creator != w->g;
}

struct busy_server {
	trk_id g;
	double waiting;		/* mean number of goroutines that wait for it */
	double busy;		/* share of the time range */
	bool idle;		/* count idle waits of others too */
	struct time_parts does;	/* while others wait */
	uint32_t moments;	/* how many different moments of waking samples have */
	uint32_t site;		/* where most of them wait */
	int64_t site_ns;
	int64_t own;		/* ns of waits of its own group: for what they have in turn, not for what it does */
	struct group_weights_most most;	/* of those that wait */
	stk_id waking;		/* one of the stacks from which it wakes them */
};

static double busy_share(const struct findings_run *r, trk_id g)
{
	int64_t a = TIME_NONE, b = TIME_NONE;
	const struct scan_details *x = scan_details_of(&r->scan, g);
	if (!stats_goroutine_bounds(r->sn, g, &a, &b))
		return 0;
	a = a < r->scan.t0 ? r->scan.t0 : a;
	b = b > r->scan.t1 ? r->scan.t1 : b;
	int64_t busy = b - a - x->idle - x->sending;
	return busy > 0 ? (double)busy / (double)r->wall : 0;
}

/* The samples of waits that goroutines ended, in the order of these goroutines, then of the sites. v: index in the samples
   of the site. */
struct ended_waits { struct radix_item *v; uint32_t n, at; };
static trk_id waker_of(const struct radix_item *x) { return (trk_id)(x->key >> 32); }
static uint32_t site_of(const struct radix_item *x) { return (uint32_t)x->key; }

static void ended_waits_make(struct ended_waits *e, const struct scan *s)
{
	size_t cap = 0;
	*e = (struct ended_waits){0};
	for (uint32_t i = 0; i < s->sites.n && i < s->csite; i++)
		for (uint32_t k = 0; k < s->site[i].nsample && scan_is_for_item(s->sites.v[i].cls); k++) {
			e->v = mem_grow(e->v, &cap, e->n + 1u, sizeof *e->v);
			e->v[e->n++] = (struct radix_item){(uint64_t)s->site[i].sample[k].waker << 32 | i, k};
		}
	if (e->n)
		radix_sort_items(e->v, e->n);
}

/* Return the waits that a goroutine ended. Calls have ascending goroutines. */
static const struct radix_item *ended_waits_of(struct ended_waits *e, trk_id g, uint32_t *n)
{
	while (e->at < e->n && waker_of(&e->v[e->at]) < g)
		e->at++;
	for (*n = 0; e->at + *n < e->n && waker_of(&e->v[e->at + *n]) == g;)
		++*n;
	return *n ? &e->v[e->at] : NULL;
}

/* Do many of these waits at one site end at the same moment, as those of a barrier or a broadcast do? */
static bool is_broadcast(const struct scan_site *x, const struct radix_item *v, uint32_t n)
{
	uint32_t together = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct scan_wait *a = &x->sample[v[i].v];
		bool shared = false;
		for (uint32_t k = 0; k < n && !shared; k++) {
			const struct scan_wait *b = &x->sample[v[k].v];
			shared = b->g != a->g && b->t1 - a->t1 < FINDINGS_SAME_NS && a->t1 - b->t1 < FINDINGS_SAME_NS;
		}
		together += shared;
	}
	return 3 * together > n;
}

static bool is_idle_stack(void *arg, enum tstate s, stk_id stack)
{
	const struct findings_run *r = arg;
	(void)s;
	return operations_is_idle(r->ops, stack);
}

/* Collect what the goroutine did while others waited for it at one site, from samples of these waits. */
static void add_site_samples(struct findings_run *r, struct busy_server *s, struct group_weights *waiting,
    const struct radix_item *v, uint32_t n)
{
	uint32_t site = site_of(v);
	const struct scan_site *x = &r->scan.site[site];
	int64_t ns = 0, last = INT64_MIN;
	if ((r->scan.sites.v[site].idle && !s->idle) || is_broadcast(x, v, n))
		return;
	for (uint32_t i = 0; i < n; i++) {
		const struct scan_wait *w = &x->sample[v[i].v];
		if (!s->idle && findings_is_own_group(r, w)) {
			wrap_add_to(&s->own, x->step);
			continue;
		}
		wrap_add_to(&ns, x->step);
		s->moments += w->t1 != last;
		last = w->t1;
		s->waking = w->waker_stack;
		if (r->groups.of[w->g])
			group_weights_add(waiting, r->groups.of[w->g] - 1, x->step);
		time_parts_add(&s->does, r->sn, &(struct time_parts_query){.g = s->g, .a = w->t0, .b = w->t1,
		    .scale = (double)x->step / (double)(w->t1 - w->t0), .last = w->waker_stack,
		    .until = is_idle_stack, .arg = r, .locks = findings_locks(r)});
	}
	if (ns > s->site_ns) {
		s->site_ns = ns;
		s->site = site;
	}
}

/* Likewise at all sites. */
static void add_samples(struct findings_run *r, struct busy_server *v, struct ended_waits *ended)
{
	struct group_weights waiting = {0};
	uint32_t n;
	const struct radix_item *x = ended_waits_of(ended, v->g, &n);
	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && x[end].key == x[i].key;)
			end++;
		add_site_samples(r, v, &waiting, x + i, end - i);
	}
	v->most = group_weights_most(&waiting);
	time_parts_sort(&v->does);
}

/* Of a stack on which the goroutine works: the frame called by the function from which it wakes others (one item), that
   function itself, and the innermost frame. */
static void blame_work(struct findings_run *r, struct finding *f, stk_id work, stk_id waking)
{
	stk_id loop = 0, item = 0, at = user_code_site(r->st, waking);
	fun_id fun = at ? store_frm(r->st, stk_frame(r->st, at))->fun : 0;
	for (stk_id s = user_code_first_frame(r->st, work); s && !loop; s = stk_parent(r->st, s)) {
		if (store_frm(r->st, stk_frame(r->st, s))->fun == fun)
			loop = s;
		else
			item = s;
	}
	if (loop && item)
		finding_culprit(r, f, stk_frame(r->st, item));
	finding_culprit(r, f, loop ? stk_frame(r->st, loop) : findings_site(r, work));
	finding_culprit(r, f, findings_site(r, work));
	finding_culprit(r, f, findings_site(r, waking));
}

/* Append where the goroutine waits for a lock, the holder of the lock, and what the holder does. */
static void put_holder(struct findings_run *r, const struct time_part *p, frm_id holder)
{
	buf_puts(&r->text, "while it waits at ");
	finding_put_place(r, findings_site(r, p->lock.wait));
	buf_puts(&r->text, " for a lock that ");
	finding_put_place(r, holder);
	buf_printf(&r->text, " holds %s", finding_class_words(p->cls));
}

static void report_server(struct findings_run *r, struct busy_server *v, double fit)
{
	const struct time_part *most = v->does.n ? &v->does.v[0] : NULL;
	const struct wait_site *at = &r->scan.sites.v[v->site];
	int64_t work = 0;
	for (uint32_t i = 0; i < v->most.n; i++) {
		const struct goroutine_group *g = &r->groups.v[v->most.group[i]];
		wrap_add_to(&work, v->idle ? g->life : groups_work(g));
	}
	double waited = v->waiting * (double)r->wall * v->most.share;
	struct finding f = {.score = finding_score(waited, (double)work), .affected_ns = work,
	    .t0 = r->scan.t0, .t1 = r->scan.t1, .trk = v->g, .see = finding_board_of_class(at->cls)};
	stk_id held = most && most->lock.unlock ? lock_sets_section(r->st, most->stack, most->lock.unlock) : 0;
	if (held)
		finding_culprit(r, &f, stk_frame(r->st, held));
	blame_work(r, &f, most && !held ? most->stack : held ? most->lock.wait : v->waking, v->waking);
	for (uint32_t i = 0; i < v->most.n; i++)
		finding_victims(r, &f, v->most.group[i], at->frame);
	finding_put_place(r, held ? findings_site(r, v->waking) : f.culprit[0].frame);
	buf_printf(&r->text, " on one goroutine is busy %.0f%% of the time, ", 100 * v->busy);
	if (held)
		put_holder(r, most, f.culprit[0].frame);
	else
		buf_puts(&r->text, most ? finding_class_words(most->cls) : "");
	buf_printf(&r->text, ": on average %.1f goroutines", v->waiting);
	finding_put_groups(r, v->most.group, v->most.n);
	buf_puts(&r->text, " wait for it at ");
	finding_put_place(r, at->frame);
	finding_number(&f, "waiting_mean", v->waiting);
	finding_number(&f, "busy_share", v->busy);
	finding_estimate(&f, "part_share", most && v->does.total ? (double)most->ns / (double)v->does.total : 0);
	finding_number(&f, "goroutine", (double)store_trk(r->st, v->g)->id);
	finding_add(r, fit, &f);
}

/* Return the goroutine that ended the last wait of this one for another; 0: none did. */
static trk_id last_waker(const struct findings_run *r, trk_id g)
{
	struct trace_interval v, next;
	bool more = trace_interval_at(r->sn, g, r->scan.t1 - 1, &v) || trace_interval_near(r->sn, g, r->scan.t1, -1, &v);
	for (; more && v.t1 > r->scan.t0; more = trace_interval_step(r->sn, &v, -1)) {
		next = v;
		if (scan_is_handed_over(time_class_of(r->st, v.state, v.stack)) &&
		    scan_judged_ns(&r->scan, g, v.t0, v.t1) && trace_interval_step(r->sn, &next, 1) &&
		    next.state == TS_READY && next.peer && next.peer < r->sn->ntrks)
			return next.peer;
	}
	return 0;
}

/* Does the goroutine get work from those that wait for it? They wait until it takes what they send, or they have woken
   it: a source that never waits for them has nothing to do with how much they ask for. */
static bool serves_them(const struct findings_run *r, const struct busy_server *v)
{
	if (r->scan.sites.v[v->site].state == TS_CHANSEND)
		return true;
	trk_id by = last_waker(r, v->g);
	uint32_t group = by ? r->groups.of[by] - 1 : UINT32_MAX;
	for (uint32_t i = 0; i < v->most.n; i++)
		if (v->most.group[i] == group)
			return true;
	return false;
}

/* Is there a line of the program that could be changed? The goroutine of a connection of net/http runs none: its clients
   are to blame, and what they share is a pool of connections. */
static bool runs_user_code(const struct findings_run *r, const struct busy_server *v)
{
	return user_code_first_frame(r->st, v->waking) || (v->does.n && user_code_first_frame(r->st, v->does.v[0].stack));
}

/* Goroutines that end waits once, as when they close a channel at their end, are no servers. */
enum { MOMENTS = 8 };

void rule_single_server(struct findings_run *r)
{
	struct ended_waits ended;
	ended_waits_make(&ended, &r->scan);
	for (trk_id g = 1; g < r->sn->ntrks && findings_continue(r); g++) {
		struct busy_server v = {.g = g, .waiting = (double)scan_details_of(&r->scan, g)->ended / (double)r->wall};
		double fit = finding_fit(v.waiting, LIMIT(r, SINGLE_SERVER, WAITING));
		if (fit < 0.5 || !scan_is_program(r->sn, g))
			continue;
		v.busy = busy_share(r, g);
		fit = fmin(fit, finding_fit(v.busy, LIMIT(r, SINGLE_SERVER, BUSY)));
		if (fit < 0.5)
			continue;
		add_samples(r, &v, &ended);
		v.waiting -= (double)v.own / (double)r->wall;
		fit = fmin(fit, finding_fit(v.waiting, LIMIT(r, SINGLE_SERVER, WAITING)));
		if (v.moments >= MOMENTS && runs_user_code(r, &v) && serves_them(r, &v))
			report_server(r, &v, fit);
		time_parts_free(&v.does);
	}
	mem_free(ended.v);
}

/* Return the share of the time of Ps in which they were idle. */
static double idle_share(const struct findings_run *r)
{
	int64_t idle = 0, all = 0;
	for (uint32_t i = 0; i < r->nproc; i++) {
		struct bin b = {0};
		bins_procs(r->sn, &r->proc[i], 1, r->scan.t0, r->scan.t1, &b);
		wrap_add_to(&idle, b.ns[TS_IDLE]);
		for (int s = TS_NONE + 1; s < TS__N; s++)
			wrap_add_to(&all, b.ns[s]);
	}
	return all > 0 ? (double)idle / (double)all : 0;
}

void rule_serial_stage(struct findings_run *r)
{
	double idle = finding_fit(idle_share(r), LIMIT(r, SERIAL_STAGE, IDLE));
	struct ended_waits ended;
	if (idle < 0.5)
		return;
	ended_waits_make(&ended, &r->scan);
	for (trk_id g = 1; g < r->sn->ntrks && findings_continue(r); g++) {
		const struct scan_details *x = scan_details_of(&r->scan, g);
		struct busy_server v = {.g = g, .idle = true, .waiting = (double)wrap_add(x->fed, x->ended) / (double)r->wall};
		double fit = fmin(idle, finding_fit(v.waiting, LIMIT(r, SERIAL_STAGE, WAITING)));
		if (fit < 0.5 || x->fed < x->ended || !scan_is_program(r->sn, g))
			continue;
		v.busy = (double)(scan_run_ns(&r->scan, g) + scan_ready_ns(&r->scan, g)) / (double)r->wall;
		fit = fmin(fit, finding_fit(v.busy, LIMIT(r, SERIAL_STAGE, BUSY)));
		if (fit < 0.5)
			continue;
		add_samples(r, &v, &ended);
		if (v.moments >= MOMENTS)
			report_server(r, &v, fit);
		time_parts_free(&v.does);
	}
	mem_free(ended.v);
}
