/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Rules about goroutines that wait for what others give them, items of one busy goroutine or something of a pool, or for
 * their turn, at a rate limiter.
 *
 * A goroutine is busy unless it is in its idle wait, or waits for room in a channel: then those that take its items are
 * slower.
 *
 * A pool is a line at which goroutines wait for others of their own group, which have waited there themselves, have what
 * they wait for, are busy with it elsewhere, and give it back. So a reply of another kind of goroutine is no pool. The line
 * is that of the library that waits: one pool of connections is used from many lines of user code. The goroutine that
 * hands over may be one of the library (net/http, gRPC): then the one that had it is the one that woke that goroutine, or
 * was woken by it, in the same run.
 */
#include "config.h"
#include "findings/measures/group_weights.h"
#include "findings/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "store/tracks/wake_edges.h"
#include "trace/bins.h"
#include "trace/bins_time.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/user_code.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static double at_least(double a, double b)
{
	return a < b ? a : b;
}

static bool is_other_of_group(const struct findings_run *r, trk_id g, trk_id than)
{
	return g && g != than && g < r->sn->ntrks && r->groups.of[g] && r->groups.of[g] == r->groups.of[than];
}

/* Was the wait ended by a goroutine of the same group, which is not its child? A parent waits for what its child
   computes. */
static bool is_own_group(const struct findings_run *r, const struct scan_wait *w)
{
	return is_other_of_group(r, w->waker, w->g) && store_trk(r->st, w->waker)->creator != w->g;
}

/* ---- a busy goroutine for which others wait */

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

/* Do many of the samples that a goroutine ended end at the same moment, as those of a barrier or a broadcast do? */
enum { SAME_NS = 100000 };
static bool is_broadcast(const struct scan_site *x, trk_id g)
{
	uint32_t n = 0, together = 0;
	for (uint32_t i = 0; i < x->nsample; i++) {
		const struct scan_wait *a = &x->sample[i];
		bool shared = false;
		if (a->waker != g)
			continue;
		for (uint32_t k = 0; k < x->nsample && !shared; k++) {
			const struct scan_wait *b = &x->sample[k];
			shared = b->g != a->g && b->waker == a->waker && b->t1 - a->t1 < SAME_NS &&
			    a->t1 - b->t1 < SAME_NS;
		}
		n++;
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

/* Collect what the goroutine did while others waited for it, from the samples of all sites. */
static void add_samples(struct findings_run *r, struct busy_server *v)
{
	struct group_weights waiting = {0};
	for (uint32_t i = 0; i < r->scan.sites.n && i < r->scan.csite; i++) {
		const struct scan_site *x = &r->scan.site[i];
		const struct wait_site *at = &r->scan.sites.v[i];
		int64_t ns = 0, last = INT64_MIN;
		if ((at->cls != TIME_CHANNEL && at->cls != TIME_SELECT && at->cls != TIME_COND) ||
		    (at->idle && !v->idle) ||
		    is_broadcast(x, v->g))
			continue;
		for (uint32_t k = 0; k < x->nsample; k++) {
			const struct scan_wait *w = &x->sample[k];
			if (w->waker != v->g)
				continue;
			if (!v->idle && is_own_group(r, w)) {
				wrap_add_to(&v->own, x->step);
				continue;
			}
			wrap_add_to(&ns, x->step);
			v->moments += w->t1 != last;
			last = w->t1;
			v->waking = w->waker_stack;
			if (r->groups.of[w->g])
				group_weights_add(&waiting, r->groups.of[w->g] - 1, x->step);
			time_parts_add(&v->does, r->sn, &(struct time_parts_query){.g = v->g, .a = w->t0, .b = w->t1,
			    .scale = (double)x->step / (double)(w->t1 - w->t0), .last = w->waker_stack,
			    .until = is_idle_stack, .arg = r, .locks = findings_locks(r)});
		}
		if (ns > v->site_ns) {
			v->site_ns = ns;
			v->site = i;
		}
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

/* Return the report that shows waits of a class. */
static const char *board_of_class(enum time_class c)
{
	return c == TIME_LOCK ? "locks" : c == TIME_CHANNEL || c == TIME_SELECT ? "channels" : "top -type=block";
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
	    .t0 = r->scan.t0, .t1 = r->scan.t1, .trk = v->g, .see = board_of_class(at->cls)};
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
	for (trk_id g = 1; g < r->sn->ntrks && findings_continue(r); g++) {
		struct busy_server v = {.g = g, .waiting = (double)scan_details_of(&r->scan, g)->ended / (double)r->wall};
		double fit = finding_fit(v.waiting, LIMIT(r, SINGLE_SERVER, WAITING));
		if (fit < 0.5 || !scan_is_program(r->sn, g))
			continue;
		v.busy = busy_share(r, g);
		fit = at_least(fit, finding_fit(v.busy, LIMIT(r, SINGLE_SERVER, BUSY)));
		if (fit < 0.5)
			continue;
		add_samples(r, &v);
		v.waiting -= (double)v.own / (double)r->wall;
		fit = at_least(fit, finding_fit(v.waiting, LIMIT(r, SINGLE_SERVER, WAITING)));
		if (v.moments >= MOMENTS && runs_user_code(r, &v) && serves_them(r, &v))
			report_server(r, &v, fit);
		time_parts_free(&v.does);
	}
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
	if (idle < 0.5)
		return;
	for (trk_id g = 1; g < r->sn->ntrks && findings_continue(r); g++) {
		const struct scan_details *x = scan_details_of(&r->scan, g);
		struct busy_server v = {.g = g, .idle = true, .waiting = (double)wrap_add(x->fed, x->ended) / (double)r->wall};
		double fit = at_least(idle, finding_fit(v.waiting, LIMIT(r, SERIAL_STAGE, WAITING)));
		if (fit < 0.5 || x->fed < x->ended || !scan_is_program(r->sn, g))
			continue;
		v.busy = (double)(scan_run_ns(&r->scan, g) + scan_ready_ns(&r->scan, g)) / (double)r->wall;
		fit = at_least(fit, finding_fit(v.busy, LIMIT(r, SERIAL_STAGE, BUSY)));
		if (fit < 0.5)
			continue;
		add_samples(r, &v);
		if (v.moments >= MOMENTS)
			report_server(r, &v, fit);
		time_parts_free(&v.does);
	}
}

/* ---- pool-exhausted */

/* A wait that was sampled, and the line that waits: the innermost one outside of the runtime, which is often that of a
   library. Goroutines come to it from many lines of user code. */
struct pool_wait { uint64_t line; uint32_t site; const struct scan_wait *w; int64_t ns; };
struct pool_waits { struct pool_wait *v; uint32_t n; size_t cap; };

enum { POOL_WAITERS = 3, POOL_LOOKS = 128, POOL_MOMENTS = 20 };
struct judged_pool {
	struct findings_run *r;
	uint64_t line;
	struct pool_wait *v;	/* its waits */
	uint32_t nv;
	uint64_t n;
	int64_t ns, longest, from, to, idle;	/* idle: part of ns in idle waits */
	uint32_t site, sites;	/* the one with most of them; how many */
	struct time_parts use;
	/* samples that were looked at; of these: those that one of the same group ended; how often that was another one than
	   before; those in which it gave more than once since it took; those in which it had itself waited for it */
	uint32_t looks, own, moments, several, taken;
	trk_id waiter[POOL_WAITERS];
	uint32_t nwaiter;	/* different goroutines that wait, up to POOL_WAITERS */
	struct scan_wait example;
	stk_id give;		/* of the example */
	struct group_weights waiting;
};

static uint64_t line_of(const struct store *st, enum time_class cls, stk_id stack)
{
	stk_id at = user_code_outside_runtime(st, stack);
	const struct frm_row *row = store_frm(st, at ? stk_frame(st, at) : 0);
	/* Lines beyond 2^24 of one function may be counted as one. */
	return (uint64_t)row->fun << 32 | (uint64_t)((uint32_t)row->line << 8) | (uint64_t)cls;
}

static bool is_pool_wait(void *arg, enum tstate s, stk_id stack)
{
	struct judged_pool *p = arg;
	bool is = line_of(p->r->st, time_class_of(p->r->st, s, stack), stack) == p->line;
	p->use.lock.wait = is ? stack : 0;	/* what follows is use of what it waited for */
	return is;
}

/* Has the goroutine woken others more than once in [a, b]? Then it does not give back one thing: it makes work. */
static bool gives_several(struct findings_run *r, trk_id g, int64_t a, int64_t b, stk_id stack)
{
	struct wake_edges_walk walk = {0};
	struct edge e;
	uint32_t n = 0;
	while (n < 2 && wake_edges_next(r->sn, &walk, g, a, b + 1, &e))
		n += !e.created && findings_site(r, e.stack) == findings_site(r, stack);
	return n > 1;
}

/* The goroutine that had what another one waits for, until t, and where it was then. */
struct pool_giver { trk_id g; int64_t t; stk_id stack; };

/* Is what ended the wait nothing but a go-between: it runs no user code, or mostly has nothing to do? A child has worked for
   that which waits. */
static bool is_go_between(const struct findings_run *r, const struct scan_wait *w)
{
	if (!w->waker || r->groups.of[w->waker] == r->groups.of[w->g] || store_trk(r->st, w->waker)->creator == w->g)
		return false;
	int64_t idle = scan_details_of(&r->scan, w->waker)->idle;
	return !user_code_first_frame(r->st, w->waker_stack) || (double)idle > 0.5 * (double)r->wall;
}

/* Of a wait that a go-between ended: in the same run it was woken by a goroutine of the group of that which waits, or it
   ended the wait of one at another line. That goroutine had it. */
static bool find_giver_behind(struct judged_pool *p, const struct scan_wait *w, struct pool_giver *giver)
{
	enum { EDGES = 16 };
	struct findings_run *r = p->r;
	struct trace_interval run, v;
	struct wake_edges_walk walk = {0};
	struct edge e;
	if (!trace_interval_at(r->sn, w->waker, w->t1, &run) || (run.state != TS_RUN && !trace_interval_step(r->sn, &run, -1)))
		return false;
	v = run;
	if (trace_interval_step(r->sn, &v, -1) && v.state == TS_READY && is_other_of_group(r, v.peer, w->g)) {
		*giver = (struct pool_giver){v.peer, v.t0, v.stack};
		return true;
	}
	for (int i = 0; i < EDGES && wake_edges_next(r->sn, &walk, w->waker, run.t0, run.t1, &e); i++) {
		if (e.created || !is_other_of_group(r, e.to, w->g) || !trace_interval_at(r->sn, e.to, e.t - 1, &v) ||
		    line_of(r->st, time_class_of(r->st, v.state, v.stack), v.stack) == p->line)
			continue;
		*giver = (struct pool_giver){e.to, e.t, v.stack};
		return true;
	}
	return false;
}

static bool find_giver(struct judged_pool *p, const struct scan_wait *w, struct pool_giver *giver)
{
	*giver = (struct pool_giver){w->waker, w->t1, w->waker_stack};
	return is_own_group(p->r, w) || (is_go_between(p->r, w) && find_giver_behind(p, w, giver));
}

static void look_at_use(struct judged_pool *p, const struct pool_wait *x, const struct pool_giver *giver, double scale)
{
	const struct scan_wait *w = x->w;
	p->use.lock = (struct time_part_lock){0, giver->stack};
	struct time_parts_start from = time_parts_add(&p->use, p->r->sn, &(struct time_parts_query){.g = giver->g,
	    .a = w->t0 < giver->t ? w->t0 : giver->t, .b = giver->t,
	    .scale = scale * (double)x->ns / (double)(w->t1 - w->t0), .last = giver->stack,
	    .until = is_pool_wait, .arg = p, .walker = p->r->walker});
	if (w->t1 - w->t0 > p->example.t1 - p->example.t0) {
		p->example = *w;
		p->give = giver->stack;
	}
	p->taken += p->use.lock.wait != 0;
	p->several += giver->g == w->waker && gives_several(p->r, w->waker, from.t, w->t1, w->waker_stack);
}

static void add_waiter(struct judged_pool *p, trk_id g)
{
	uint32_t i = 0;
	while (i < p->nwaiter && p->waiter[i] != g)
		i++;
	if (i == p->nwaiter && i < POOL_WAITERS)
		p->waiter[p->nwaiter++] = g;
}

static void look_at_pool(struct judged_pool *p)
{
	uint32_t every = p->nv / POOL_LOOKS + 1;
	trk_id last = 0;
	for (uint32_t i = 0; i < p->nv; i += every) {
		const struct scan_wait *w = p->v[i].w;
		struct pool_giver giver;
		bool own = find_giver(p, w, &giver);
		p->looks++;
		add_waiter(p, w->g);
		if (p->r->groups.of[w->g])
			group_weights_add(&p->waiting, p->r->groups.of[w->g] - 1, p->v[i].ns);
		if (!own)
			continue;
		p->own++;
		p->moments += giver.g != last;
		last = giver.g;
		look_at_use(p, &p->v[i], &giver, every);
	}
	time_parts_sort(&p->use);
}

/* Return the share of the time of those that gave back in which they did not themselves wait for it. */
static double pool_busy(const struct judged_pool *p)
{
	int64_t waits = 0;
	for (uint32_t i = 0; i < p->use.n; i++)
		if (line_of(p->r->st, p->use.v[i].cls, p->use.v[i].stack) == p->line)
			wrap_add_to(&waits, p->use.v[i].ns);
	return p->use.total ? 1 - (double)waits / (double)p->use.total : 0;
}

/* Return the node of the use of what was taken: in the innermost function that takes and gives back; if it is not known
   where it was taken, in the innermost one that gives back and is on the stack. */
static stk_id pool_section(const struct store *st, const struct time_part *p)
{
	enum { CALLERS = 16 };
	stk_id u = user_code_first_frame(st, p->lock.unlock);
	for (int i = 0; u && i < CALLERS; i++) {
		fun_id fun = store_frm(st, stk_frame(st, u))->fun;
		stk_id at = time_parts_node_in(st, p->stack, fun);
		if (p->lock.wait ? time_parts_node_in(st, p->lock.wait, fun) != 0 : at != 0)
			return at ? at : u;
		u = user_code_first_frame(st, stk_parent(st, u));
	}
	return user_code_site(st, p->stack);
}

/* Name the function that takes and gives back, what it calls meanwhile, where others wait, and where that is. */
static void blame_use(struct findings_run *r, struct finding *f, const struct time_parts_main *m, frm_id at)
{
	stk_id callee = 0;
	finding_culprit(r, f, m->at ? stk_frame(r->st, m->at) : 0);
	stk_id s = user_code_first_frame(r->st, m->part->stack);
	for (; s && s != m->at; s = user_code_first_frame(r->st, stk_parent(r->st, s)))
		callee = s;
	if (callee && s)
		finding_culprit(r, f, stk_frame(r->st, callee));
	finding_culprit(r, f, at);
	finding_culprit(r, f, findings_site(r, m->part->stack));
}

/* Append where they wait, ", called from main.load main.go:41" where that is a function of a library. */
static void put_wait(struct findings_run *r, const struct judged_pool *p)
{
	frm_id at = r->scan.sites.v[p->site].frame;
	stk_id waits = user_code_outside_runtime(r->st, p->example.stack);
	if (!waits || (p->sites == 1 && stk_frame(r->st, waits) == at)) {
		finding_put_place(r, at);
		return;
	}
	finding_put_place(r, stk_frame(r->st, waits));
	buf_puts(&r->text, ", called from ");
	if (p->sites > 1)
		buf_printf(&r->text, "%u lines, mostly ", p->sites);
	finding_put_place(r, at);
	buf_putc(&r->text, ',');
}

static void report_pool(struct findings_run *r, struct judged_pool *p, double mean, double busy, double fit)
{
	frm_id at = r->scan.sites.v[p->site].frame;
	struct group_weights_most w = group_weights_most(&p->waiting);
	struct time_parts_main most;
	int64_t work = p->idle;
	for (uint32_t i = 0; i < w.n; i++)
		wrap_add_to(&work, groups_work(&r->groups.v[w.group[i]]));
	struct finding f = {.score = finding_score((double)p->ns * w.share, (double)work), .affected_ns = work, .t0 = p->from,
	    .t1 = p->to, .trk = p->example.g, .show_t0 = p->example.t0, .show_t1 = p->example.t1,
	    .see = board_of_class(r->scan.sites.v[p->site].cls)};
	bool used = time_parts_main(r->st, &p->use, pool_section, &most);
	if (used)
		blame_use(r, &f, &most, at);
	finding_culprit(r, &f, at);
	for (uint32_t i = 0; i < w.n; i++)
		finding_victims(r, &f, w.group[i], at);
	buf_printf(&r->text, "on average %.1f goroutines", mean);
	finding_put_groups(r, w.group, w.n);
	buf_puts(&r->text, " wait at ");
	put_wait(r, p);
	buf_puts(&r->text, " for what others use, mostly in ");
	finding_put_place(r, f.culprit[0].frame);
	buf_printf(&r->text, " %s", used ? finding_class_words(most.cls) : "");
	finding_number(&f, "waiting_mean", mean);
	finding_number(&f, "waits", (double)p->n);
	finding_number(&f, "wait_ns", (double)p->ns);
	finding_number(&f, "longest_ns", (double)p->longest);
	finding_estimate(&f, "busy_share", busy);
	finding_add(r, fit, &f);
}

/* Return the number of frames of user code of a stack, up to 2. */
static int user_frames(const struct store *st, stk_id stack)
{
	stk_id first = user_code_first_frame(st, stack);
	return !first ? 0 : user_code_first_frame(st, stk_parent(st, first)) ? 2 : 1;
}

static int by_waker(const void *a, const void *b)
{
	const struct pool_wait *x = a, *y = b;
	if (x->w->waker != y->w->waker)
		return x->w->waker < y->w->waker ? -1 : 1;
	return x->w->t1 < y->w->t1 ? -1 : x->w->t1 > y->w->t1;
}

/* Do many of the waits end at the same moment as others? The waits are then in the order of their wakers. */
static bool ends_together(struct judged_pool *p)
{
	uint32_t together = 0;
	qsort(p->v, p->nv, sizeof *p->v, by_waker);
	for (uint32_t i = 1; i < p->nv; i++) {
		const struct scan_wait *a = p->v[i - 1].w, *b = p->v[i].w;
		together += a->waker && a->waker == b->waker && a->g != b->g && b->t1 - a->t1 < SAME_NS;
	}
	return 3 * together > p->nv;
}

/* Is it a pool? What a loop waits for first seems to be its idle wait. It can be a pool nevertheless, if the loop calls
   a function that takes and gives back; a loop that receives itself is that of a worker. */
static bool is_pool(struct judged_pool *p)
{
	if (2 * p->idle > p->ns && (10 * p->own < 9 * p->looks || user_frames(p->r->st, p->example.stack) < 2))
		return false;
	return p->moments >= POOL_MOMENTS && p->nwaiter == POOL_WAITERS && 2 * p->own > p->looks && 2 * p->taken > p->own &&
	    5 * p->several < p->looks && !ends_together(p);
}

/* Add the waits at a site: n of its samples are of the pool. */
static void add_site(struct judged_pool *p, const struct pool_wait *v, uint32_t n)
{
	uint32_t site = v->site;
	const struct scan_site *x = &p->r->scan.site[site];
	double part = (double)n / x->nsample;
	int64_t ns = n == x->nsample ? x->ns : wrap_clamp((double)x->ns * part);
	p->n += n == x->nsample ? x->n : (uint64_t)((double)x->n * part);
	wrap_add_to(&p->ns, ns);
	wrap_add_to(&p->idle, p->r->scan.sites.v[site].idle ? ns : 0);
	p->from = !p->sites || x->from < p->from ? x->from : p->from;
	p->to = x->to > p->to ? x->to : p->to;
	p->site = !p->sites || x->ns > p->r->scan.site[p->site].ns ? site : p->site;
	p->sites++;
	for (uint32_t i = 0; i < n; i++)
		p->longest = v[i].w->t1 - v[i].w->t0 > p->longest ? v[i].w->t1 - v[i].w->t0 : p->longest;
	if (n == x->nsample && x->longest > p->longest)
		p->longest = x->longest;
}

static void judge_pool(struct findings_run *r, struct pool_wait *v, uint32_t n)
{
	struct judged_pool p = {.r = r, .line = v[0].line, .v = v, .nv = n};
	for (uint32_t i = 0, first = 0; i < n; i++) {
		if (i + 1 < n && v[i + 1].site == v[i].site)
			continue;
		add_site(&p, v + first, i + 1 - first);
		first = i + 1;
	}
	double mean = (double)p.ns / (double)r->wall, fit = finding_fit(mean, LIMIT(r, POOL_EXHAUSTED, WAITING));
	if (fit < 0.5)
		return;
	look_at_pool(&p);
	double busy = pool_busy(&p);
	fit = at_least(fit, finding_fit(busy, LIMIT(r, POOL_EXHAUSTED, BUSY)));
	if (fit >= 0.5 && is_pool(&p))
		report_pool(r, &p, mean, busy, fit);
	mem_free(p.waiting.v);
	time_parts_free(&p.use);
}

static int by_line(const void *a, const void *b)
{
	const struct pool_wait *x = a, *y = b;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return x->w->t1 < y->w->t1 ? -1 : x->w->t1 > y->w->t1;
}

void rule_pool_exhausted(struct findings_run *r)
{
	struct pool_waits s = {0};
	for (uint32_t i = 0; i < r->scan.sites.n && i < r->scan.csite; i++) {
		const struct scan_site *x = &r->scan.site[i];
		enum time_class cls = r->scan.sites.v[i].cls;
		if (cls != TIME_CHANNEL && cls != TIME_SELECT && cls != TIME_COND)
			continue;
		for (uint32_t k = 0; k < x->nsample; k++) {
			s.v = mem_grow(s.v, &s.cap, s.n + 1u, sizeof *s.v);
			s.v[s.n++] = (struct pool_wait){line_of(r->st, cls, x->sample[k].stack), i, &x->sample[k], x->step};
		}
	}
	if (s.n)
		qsort(s.v, s.n, sizeof *s.v, by_line);
	for (uint32_t i = 0, end; i < s.n && findings_continue(r); i = end) {
		for (end = i + 1; end < s.n && s.v[end].line == s.v[i].line;)
			end++;
		judge_pool(r, s.v + i, end - i);
	}
	mem_free(s.v);
}

/* ---- rate-limit */

/* Do timers end most of the waits at a site? */
static bool is_ended_by_timers(const struct wait_site *at, const struct scan_site *x)
{
	return at->cls == TIME_SLEEP ||
	    ((at->cls == TIME_SELECT || at->cls == TIME_CHANNEL) && at->state != TS_CHANSEND && x->woken < x->ns / 2);
}

/* A sleep that limits a rate is like any other: only the names of its functions, types and packages tell. The path of the
   module does not count. */
static bool is_limiter(const struct store *st, stk_id node)
{
	static const char *const words[] = {"limit", "throttl"};
	const struct str_row *name = store_str(st, store_fun(st, store_frm(st, stk_frame(st, node))->fun)->name);
	const char *slash = name->n ? text_last(name->s, '/', name->n) : NULL;
	for (size_t i = slash ? (size_t)(slash - name->s) : 0; i < name->n; i++)
		for (size_t w = 0; w < sizeof words / sizeof *words; w++)
			if (name->n - i >= strlen(words[w]) && !strncasecmp(name->s + i, words[w], strlen(words[w])))
				return true;
	return false;
}

/* Return the node of the outermost function of the limiter in which a goroutine waits; 0: it is none, or nothing calls it.
   A limiter may wait in a function of another name. */
static stk_id limiter_of(const struct store *st, stk_id stack)
{
	enum { INSIDE = 3 };
	stk_id found = 0, s = user_code_first_frame(st, stack);
	for (int i = 0; s && (found ? is_limiter(st, s) : i < INSIDE); i++) {
		found = is_limiter(st, s) ? s : 0;
		s = user_code_first_frame(st, stk_parent(st, s));
	}
	return s ? found : 0;
}

/* After the wait, does the goroutine wait or call elsewhere before it comes back? Otherwise the limiter has a loop of its
   own, which hands out what others use. */
static bool works_between(const struct findings_run *r, const struct scan_wait *w, stk_id limiter)
{
	enum { STEPS = 32 };
	fun_id fun = store_frm(r->st, stk_frame(r->st, limiter))->fun;
	struct trace_interval v;
	bool more = trace_interval_at(r->sn, w->g, w->t1, &v);
	for (int i = 0; more && i < STEPS; i++, more = trace_interval_step(r->sn, &v, 1)) {
		if (v.state == TS_READY || !v.stack)
			continue;
		return !time_parts_node_in(r->st, v.stack, fun);
	}
	return false;
}

/* Return the limiter at which most samples of a site wait; 0: none. */
static stk_id main_limiter(const struct findings_run *r, const struct scan_site *x)
{
	uint32_t n = 0;
	stk_id limiter = 0;
	for (uint32_t i = 0; i < x->nsample; i++) {
		stk_id at = limiter_of(r->st, x->sample[i].stack);
		if (at && works_between(r, &x->sample[i], at)) {
			limiter = at;
			n++;
		}
	}
	return 2 * n > x->nsample ? limiter : 0;
}

static void judge_limiter(struct findings_run *r, uint32_t site)
{
	const struct scan_site *x = &r->scan.site[site];
	const struct wait_site *at = &r->scan.sites.v[site];
	struct group_weights waiting = {0};
	const struct scan_wait *w = x->sample;
	for (uint32_t i = 0; i < x->nsample; i++) {
		w = x->sample[i].t1 - x->sample[i].t0 > w->t1 - w->t0 ? &x->sample[i] : w;
		if (r->groups.of[x->sample[i].g])
			group_weights_add(&waiting, r->groups.of[x->sample[i].g] - 1, x->step);
	}
	struct group_weights_most most = group_weights_most(&waiting);
	double work = at->idle ? (double)x->ns * most.share : 0;
	for (uint32_t i = 0; i < most.n; i++)
		work += (double)groups_work(&r->groups.v[most.group[i]]);
	double share = work > 0 ? (double)x->ns * most.share / work : 0,
	       relevant = findings_relevance(r, w->g, x->ns, LIMIT(r, RATE_LIMIT, SHARE)),
	       fit = at_least(finding_fit(share, LIMIT(r, RATE_LIMIT, SHARE)), relevant);
	struct finding f = {.score = finding_score(share, 1), .affected_ns = wrap_clamp(work), .t0 = x->from, .t1 = x->to,
	    .trk = w->g, .show_t0 = w->t0, .show_t1 = w->t1, .see = "top -type=block"};
	finding_culprit_stack(r, &f, w->stack);
	for (uint32_t i = 0; i < most.n; i++)
		finding_victims(r, &f, most.group[i], at->frame);
	buf_puts(&r->text, "goroutines");
	finding_put_groups(r, most.group, most.n);
	buf_printf(&r->text, " are held back %.0f%% of their time by ", f.score);
	finding_put_place(r, at->frame);
	finding_put_caller(r, w->stack);
	buf_printf(&r->text, ", %llu times, up to ", (unsigned long long)x->n);
	text_ns(&r->text, x->longest);
	finding_number(&f, "share", share);
	finding_number(&f, "waits", (double)x->n);
	finding_number(&f, "wait_ns", (double)x->ns);
	finding_number(&f, "longest_ns", (double)x->longest);
	finding_add(r, fit, &f);
}

void rule_rate_limit(struct findings_run *r)
{
	for (uint32_t i = 0; i < r->scan.sites.n && i < r->scan.csite; i++) {
		const struct scan_site *x = &r->scan.site[i];
		if (x->nsample && is_ended_by_timers(&r->scan.sites.v[i], x) && main_limiter(r, x))
			judge_limiter(r, i);
	}
}
