/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The rule about goroutines that wait for something of a pool.
 *
 * A pool is a line at which goroutines wait for others of their own group, which have waited there themselves, have what
 * they wait for, are busy with it elsewhere, and give it back. So a reply of another kind of goroutine is no pool. The line
 * is that of the library that waits: one pool of connections is used from many lines of user code. The goroutine that
 * hands over may be one of the library (net/http, gRPC): then the one that had it is the one that woke that goroutine, or
 * was woken by it, in the same run.
 */
#include "config.h"
#include "findings/internal.h"
#include "findings/measures/group_weights.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "store/tracks/wake_edges.h"
#include "trace/bins.h"
#include "trace/user_code.h"

#include <math.h>
#include <stdlib.h>

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
	if (trace_interval_step(r->sn, &v, -1) && v.state == TS_READY && findings_is_other_of_group(r, v.peer, w->g)) {
		*giver = (struct pool_giver){v.peer, v.t0, v.stack};
		return true;
	}
	for (int i = 0; i < EDGES && wake_edges_next(r->sn, &walk, w->waker, run.t0, run.t1, &e); i++) {
		if (e.created || !findings_is_other_of_group(r, e.to, w->g) || !trace_interval_at(r->sn, e.to, e.t - 1, &v) ||
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
	return findings_is_own_group(p->r, w) || (is_go_between(p->r, w) && find_giver_behind(p, w, giver));
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
	    .see = finding_board_of_class(r->scan.sites.v[p->site].cls)};
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
	buf_puts(&r->text, " for what others hold, mostly in ");
	finding_put_place(r, f.culprit[0].frame);
	buf_printf(&r->text, " %s", used ? finding_class_words(most.cls) : "");
	finding_number(&f, "waiting_mean", mean);
	finding_number(&f, "waits", (double)p->n);
	finding_number(&f, "wait_ns", (double)p->ns);
	finding_number(&f, "longest_ns", (double)p->longest);
	finding_estimate(&f, "busy_share", busy);
	finding_add(r, fit, &f);
}

/* Does the loop of the goroutine call the function that waits? */
static bool waits_in_callee(const struct store *st, const struct scan_wait *w)
{
	stk_id first = user_code_first_frame(st, w->stack);
	return first && store_fun(st, store_frm(st, stk_frame(st, first))->fun)->name != store_trk_name(st, w->g) &&
	    user_code_first_frame(st, stk_parent(st, first));
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
		together += a->waker && a->waker == b->waker && a->g != b->g && b->t1 - a->t1 < FINDINGS_SAME_NS;
	}
	return 3 * together > p->nv;
}

/* Is it a pool? What a loop waits for first seems to be its idle wait. It can be a pool nevertheless, if the loop calls
   a function that takes and gives back; a loop that receives itself is that of a worker. */
static bool is_pool(struct judged_pool *p)
{
	if (2 * p->idle > p->ns && (10 * p->own < 9 * p->looks || !waits_in_callee(p->r->st, &p->example)))
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
	fit = fmin(fit, finding_fit(busy, LIMIT(r, POOL_EXHAUSTED, BUSY)));
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
		if (!scan_is_for_item(cls))
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
