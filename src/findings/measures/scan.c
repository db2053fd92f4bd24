/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * One pass over the sheets for all measures that need single intervals. Rows are walked in the order of the sheet, so
 * the order of events between goroutines is not known here: what a rule needs to know about several goroutines at one
 * time it looks up afterwards, for few samples. Per track there is the span that continues from the sheet before, and
 * sums; per site there are sums and samples. Nothing grows with the number of events.
 *
 * Samples of waits are taken by time, not by number: a site keeps a wait whenever its sum of waiting passes a multiple
 * of a step. So each sample stands for the same amount of waiting, and long waits are never missed. When the samples
 * are full, every second one is dropped and the step is doubled.
 */
#include "config.h"
#include "findings/measures/scan.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "findings/measures/names.h"
#include "store/tracks/time_search.h"
#include "store/tracks/wake_edges.h"
#include "trace/wait_before.h"

#include <stdlib.h>
#include <string.h>

enum span_of { SPAN_OTHER, SPAN_RUN, SPAN_READY, SPAN_CALL, SPAN_WAIT };

static const uint8_t span_of_state[SHEET_STATE + 1] = {
	[TS_RUN] = SPAN_RUN, [TS_ASSIST] = SPAN_RUN, [TS_SWEEP] = SPAN_RUN, [TS_STW] = SPAN_RUN,
	[TS_READY] = SPAN_READY, [TS_SYSCALL] = SPAN_CALL, [TS_SYSBLOCK] = SPAN_CALL,
	[TS_CHANSEND] = SPAN_WAIT, [TS_CHANRECV] = SPAN_WAIT, [TS_SELECT] = SPAN_WAIT, [TS_SYNC] = SPAN_WAIT,
	[TS_COND] = SPAN_WAIT, [TS_NET] = SPAN_WAIT, [TS_SLEEP] = SPAN_WAIT, [TS_GCASSISTW] = SPAN_WAIT,
	[TS_GCSWEEPW] = SPAN_WAIT, [TS_GCEND] = SPAN_WAIT, [TS_GCWEAK] = SPAN_WAIT, [TS_SYSTEM] = SPAN_WAIT,
	[TS_PREEMPT] = SPAN_WAIT, [TS_DEBUG] = SPAN_WAIT, [TS_FOREVER] = SPAN_WAIT, [TS_SYNCTEST] = SPAN_WAIT,
	[TS_CORO] = SPAN_WAIT, [TS_OTHER] = SPAN_WAIT,
};

/* The current span of a goroutine, and the wait before it. */
struct scan_doing {
	int64_t t0, since, ran;	/* since: the end of the wait at `waited`; ran: since then */
	stk_id stack, waited;	/* waited: stack of the last wait, except that for a lock; 0: none since a long run */
	uint8_t state, of;
	bool yielded;		/* the run before ended by a yield */
	bool before;		/* at the end: a wait that began before the trace */
};

struct scan_pass {
	struct scan *s;
	uint32_t *doing;	/* by track: index in now[]; 0: it does nothing, as now[0] */
	struct scan_doing *now;
	uint32_t *unused;	/* elements of now[] that are free */
	uint32_t n, nunused;
	size_t cap, cunused;
	uint8_t *known, *judged;	/* a bit per track: whether it counts is known; it does */
	struct scan_program_cache program;
	const struct sheet *sheet;	/* the current one, and in it the wake edges made by the goroutine of the current row */
	uint32_t edge, edge_end;
	int64_t slot, slot_from;	/* slot of the last runnable span, and its start; the next span mostly has it */
	uint8_t *stops;		/* by stack: enum stop_kind of a run that ends there; 0: not known yet */
};

static bool is_program(const struct snap *sn, str_id start)
{
	static const char *const recorders[] = {"runtime/trace.", "runtime/pprof."};
	const struct str_row *name = store_str(sn->st, start);
	for (size_t i = 0; i < sizeof recorders / sizeof *recorders; i++)
		if (names_begins(name, recorders[i]))
			return false;
	return !sink_runtime(name->s, name->n);
}

bool scan_is_program(const struct snap *sn, trk_id g)
{
	return is_program(sn, store_trk_name(sn->st, g));
}

bool scan_is_program_cached(const struct snap *sn, trk_id g, struct scan_program_cache *c)
{
	str_id name = store_trk_name(sn->st, g);
	if (!c->known || c->name != name)
		*c = (struct scan_program_cache){name, true, is_program(sn, name)};
	return c->program;
}

static bool is_judged(struct scan_pass *p, trk_id g)
{
	uint8_t bit = (uint8_t)(1u << (g & 7));
	if (!(p->known[g >> 3] & bit)) {
		bool counts = scan_is_program_cached(p->s->sn, g, &p->program) &&
		    (!p->s->filter || trace_gset_has(p->s->filter->g, g));
		p->known[g >> 3] |= bit;
		p->judged[g >> 3] |= counts ? bit : 0;
	}
	return p->judged[g >> 3] & bit;
}

/* Why a run ends although the goroutine can run: the program calls runtime.Gosched, it is preempted while it tries a channel
   without waiting, or elsewhere. */
enum stop_kind { STOP_UNKNOWN, STOP_YIELD, STOP_POLL, STOP_OTHER };

static enum stop_kind stop_kind_of(const struct store *st, stk_id stack)
{
	stk_id caller = stk_parent(st, stack);
	/* runtime.GC yields, too, once for each span that it sweeps */
	if (names_begins(names_function(st, stack), "runtime.Gosched"))
		return caller && names_begins(names_function(st, caller), "runtime.") ? STOP_OTHER : STOP_YIELD;
	for (; stack && names_begins(names_function(st, stack), "runtime."); stack = stk_parent(st, stack))
		if (names_begins(names_function(st, stack), "runtime.selectnb"))
			return STOP_POLL;
	return STOP_OTHER;
}

/* Note where a run ends although the goroutine can run. Return whether it is a yield. */
static bool add_stop(struct scan_pass *p, struct scan_details *x, stk_id stack, int64_t ns)
{
	if (!stack || stack >= p->s->sn->nstks)
		return false;
	if (!p->stops[stack])
		p->stops[stack] = (uint8_t)stop_kind_of(p->s->sn->st, stack);
	enum stop_kind kind = (enum stop_kind)p->stops[stack];
	x->stops += kind != STOP_YIELD;
	if (kind == STOP_POLL) {
		x->polls++;
		x->poll = stack;
	}
	if (kind == STOP_YIELD) {
		x->yields++;
		wrap_add_to(&x->yielded, ns);
		x->yield = stack;
	}
	return kind == STOP_YIELD;
}

int64_t scan_judged_ns(const struct scan *s, trk_id g, int64_t a, int64_t b)
{
	a = a < s->t0 ? s->t0 : a;
	b = b > s->t1 ? s->t1 : b;
	if (b <= a)
		return 0;
	return s->filter && s->filter->slice ? trace_filter_overlap(s->filter, g, a, b) : b - a;
}

static void add_details(struct scan *s, trk_id g)
{
	s->details = mem_grow(s->details, &s->cdetails, s->ndetails + 1u, sizeof *s->details);
	s->details[s->ndetails] = (struct scan_details){.run = s->g[g].run, .ready = s->g[g].ready};
	s->g[g].detailed = 1;
	s->g[g].details = s->ndetails++;
}

static inline struct scan_details *details_of(struct scan *s, trk_id g)
{
	if (!s->g[g].detailed)
		add_details(s, g);
	return &s->details[s->g[g].details];
}

static void add_run_ns(struct scan *s, trk_id g, int64_t ns)
{
	if (s->g[g].detailed || ns >= (INT32_MAX - (int64_t)s->g[g].run))
		wrap_add_to(&details_of(s, g)->run, ns);
	else
		s->g[g].run = (s->g[g].run + (uint32_t)ns) & INT32_MAX;
}

static void add_ready_ns(struct scan *s, trk_id g, int64_t ns)
{
	if (s->g[g].detailed || ns >= (UINT32_MAX - (int64_t)s->g[g].ready))
		wrap_add_to(&details_of(s, g)->ready, ns);
	else
		s->g[g].ready += (uint32_t)ns;
}

static struct scan_site *site_at(struct scan *s, uint32_t i)
{
	size_t had = s->csite;
	if (i >= had) {
		s->site = mem_grow(s->site, &s->csite, i + 1u, sizeof *s->site);
		memset(s->site + had, 0, (s->csite - had) * sizeof *s->site);
	}
	return &s->site[i];
}

/* Add to a list that keeps the longest: when it is full, the least length is doubled. */
static void list_add(struct scan_list *l, int64_t t0, int64_t t1, trk_id g, stk_id stack)
{
	enum { LIST_MOST = 1 << 18 };
	if (t1 - t0 < l->least)
		return;
	if (l->n == LIST_MOST) {
		uint32_t kept = 0;
		l->least *= 2;
		for (uint32_t i = 0; i < l->n; i++)
			if (l->v[i].t1 - l->v[i].t0 >= l->least)
				l->v[kept++] = l->v[i];
		l->n = kept;
		list_add(l, t0, t1, g, stack);
		return;
	}
	l->v = mem_grow(l->v, &l->cap, l->n + 1u, sizeof *l->v);
	l->v[l->n++] = (struct scan_span){t0, t1, g, {stack}};
}

static void halve_samples(struct scan_site *x)
{
	for (uint32_t i = 0; i < x->nsample / 2; i++)
		x->sample[i] = x->sample[2 * i + 1];
	x->nsample /= 2;
	x->step = x->step < INT64_MAX / 2 ? 2 * x->step : INT64_MAX;
}

static void take_sample(struct scan *s, struct scan_site *x, const struct scan_wait *w)
{
	if (!x->sample) {
		x->sample = arena_alloc(&s->own, SCAN_SAMPLES * sizeof *x->sample);
		x->step = x->next = (s->t1 - s->t0) / (4 * SCAN_SAMPLES) + 1;
	}
	/* A wait that covers several steps is kept several times: once for each. Hostile times reach the end of the range of
	   sums: then nothing more is kept. */
	while (x->next <= x->ns) {
		if (x->nsample == SCAN_SAMPLES)
			halve_samples(x);
		x->sample[x->nsample++] = *w;
		if (x->next > INT64_MAX - x->step)
			break;
		x->next += x->step;
	}
}

static void add_pair(struct scan *s, uint32_t site, stk_id stack, int64_t ns)
{
	bool fresh;
	uint32_t line = site_table_of(&s->wakers, TS_RUN, stack);
	struct u64_slot *slot = u64_map_put(&s->of_pair, (uint64_t)site << 32 | line, &fresh);
	if (fresh) {
		slot->n = s->npair;
		s->pair = mem_grow(s->pair, &s->cpair, s->npair + 1u, sizeof *s->pair);
		s->pair[s->npair++] = (struct scan_pair){.site = site, .waker = line};
	}
	s->pair[slot->n].n++;
	wrap_add_to(&s->pair[slot->n].ns, ns);
}

static void add_to_site(struct scan_site *x, int64_t t0, int64_t t1, int64_t ns)
{
	x->from = !x->n || t0 < x->from ? t0 : x->from;
	x->to = t1 > x->to ? t1 : x->to;
	x->n++;
	wrap_add_to(&x->ns, ns);
	x->longest = t1 - t0 > x->longest ? t1 - t0 : x->longest;
}

bool scan_is_for_item(enum time_class c)
{
	return c == TIME_CHANNEL || c == TIME_SELECT || c == TIME_COND;
}

/* Not the waits for the network and for timers, since any goroutine may run the network poller and timers. */
bool scan_is_handed_over(enum time_class c)
{
	return c == TIME_LOCK || c == TIME_WAITGROUP || scan_is_for_item(c);
}

/* A wait ended; waker: the goroutine that ended it, or 0. */
static void end_wait(struct scan *s, const struct scan_wait *w, enum tstate state)
{
	int64_t ns = scan_judged_ns(s, w->g, w->t0, w->t1);
	uint32_t i = site_table_of(&s->sites, state, w->stack);
	const struct wait_site *at = &s->sites.v[i];
	struct scan_site *x = site_at(s, i);
	if (!ns)
		return;
	add_to_site(x, w->t0, w->t1, ns);
	if (at->idle) {
		wrap_add_to(&details_of(s, w->g)->idle, ns);
		wrap_add_to(&s->idle, ns);
	} else {
		wrap_add_to(&s->ns[at->cls], ns);
	}
	if (w->waker && scan_is_handed_over(at->cls)) {
		wrap_add_to(&x->woken, ns);
		if (at->idle)
			wrap_add_to(&details_of(s, w->waker)->fed, ns);
		else if (at->cls == TIME_WAITGROUP)
			wrap_add_to(&details_of(s, w->waker)->joined, ns);
		else if (at->cls != TIME_LOCK)
			wrap_add_to(&details_of(s, w->waker)->ended, ns);
		if (at->cls == TIME_LOCK)
			add_pair(s, i, w->waker_stack, ns);
	}
	if (state == TS_CHANSEND)
		wrap_add_to(&details_of(s, w->g)->sending, ns);
	if (state == TS_NET)
		wrap_add_to(&details_of(s, w->g)->network, ns);
	if (at->cls == TIME_LOCK)
		list_add(&s->queued, w->t0, w->t1, w->g, i);
	if (x->ns >= x->next)
		take_sample(s, x, w);
}

/* Did the goroutine of the current row wake or create another one in [t0, t1), apart from waits for a lock? Calls for a row
   have ascending times. */
static bool woke_another(struct scan_pass *p, int64_t t0, int64_t t1)
{
	const struct sheet *sh = p->sheet;
	for (; p->edge < p->edge_end; p->edge++) {
		uint32_t i = sh->edge[p->edge] & ~EDGE_CREATED;
		int64_t t = sh->t0 + sheet_start(sh, i);
		bool is_first = i == sh->first[sheet_row_of(sh, i)];
		if (t >= t1)
			break;
		if (t >= t0 && (is_first || (sh->state[i - 1] & SHEET_STATE) != TS_SYNC))
			return true;
	}
	return false;
}

static void end_run(struct scan_pass *p, trk_id g, struct scan_doing *d, int64_t t, enum tstate next, stk_id stack)
{
	struct scan *s = p->s;
	int64_t ns = scan_judged_ns(s, g, d->t0, t);
	add_run_ns(s, g, ns);
	d->yielded = next == TS_READY && add_stop(p, details_of(s, g), stack, ns);
	if (ns >= SCAN_LONG_RUN_NS)
		list_add(&s->runs, d->t0, t, g, stack);
	d->ran += t - d->t0;
	if (d->ran >= SCAN_AGAIN_NS)
		d->waited = 0;
	if (d->waited && d->waited == stack && span_of_state[next] == SPAN_WAIT && !woke_another(p, d->since, t)) {
		struct scan_site *x = site_at(s, site_table_of(&s->sites, next, stack));
		x->again++;
		wrap_add_to(&x->again_ns, d->ran);
	}
}

static void add_runnable_slots(struct scan_pass *p, int64_t a, int64_t b)
{
	struct scan *s = p->s;
	a = (a < s->t0 ? s->t0 : a) - s->t0;
	b = (b > s->t1 ? s->t1 : b) - s->t0;
	while (a < b) {
		if (a < p->slot_from || a - p->slot_from >= s->slot_ns) {
			p->slot = a / s->slot_ns;
			p->slot_from = p->slot * s->slot_ns;
		}
		int64_t end = p->slot_from + s->slot_ns, to = end < b ? end : b;
		wrap_add_to(&s->slot_runnable[p->slot], to - a);
		a = to;
	}
}

static void end_ready(struct scan_pass *p, trk_id g, const struct scan_doing *d, int64_t t)
{
	struct scan *s = p->s;
	int64_t ns = scan_judged_ns(s, g, d->t0, t);
	if (!ns)
		return;
	wrap_add_to(&s->ns[TIME_RUNNABLE], ns);
	add_ready_ns(s, g, ns);
	if (d->yielded && ns < SCAN_AGAIN_NS)
		wrap_add_to(&details_of(s, g)->yielded, ns);
	add_runnable_slots(p, d->t0, t);
	list_add(&s->late, d->t0, t, g, d->stack);
}

static void add_long_call(struct scan_details *x, int64_t t0, int64_t t1, int64_t ns)
{
	x->call_from = x->calls ? x->call_from : t0;
	x->call_to = t1;
	wrap_add_to(&x->calls, ns);
}

static void end_call(struct scan *s, trk_id g, const struct scan_doing *d, int64_t t)
{
	int64_t ns = scan_judged_ns(s, g, d->t0, t);
	struct scan_site *x = site_at(s, site_table_of(&s->sites, TS_SYSCALL, d->stack));
	if (!ns)
		return;
	add_to_site(x, d->t0, t, ns);
	wrap_add_to(&s->ns[TIME_SYSCALL], ns);
	add_ready_ns(s, g, ns);
	if (ns >= SCAN_CALL_NS)
		add_long_call(details_of(s, g), d->t0, t, ns);
	if (x->ns >= x->next)
		take_sample(s, x, &(struct scan_wait){d->t0, t, g, 0, d->stack, 0});
}

/* The span of a goroutine ends at t because it enters another state, with the stack and the waker of that. */
static void end_span(struct scan_pass *p, trk_id g, struct scan_doing *d, int64_t t, enum tstate next, stk_id stack,
    trk_id peer)
{
	bool woken = next == TS_READY && peer < p->s->sn->ntrks;
	switch (d->of) {
	case SPAN_RUN: end_run(p, g, d, t, next, stack); break;
	case SPAN_READY: end_ready(p, g, d, t); break;
	case SPAN_CALL:
		end_call(p->s, g, d, t);
		d->waited = 0;
		break;
	case SPAN_WAIT:
		end_wait(p->s, &(struct scan_wait){d->t0, t, g, woken ? peer : 0, d->stack, woken ? stack : 0},
		    (enum tstate)d->state);
		if (d->state != TS_SYNC) {
			d->waited = d->stack;
			d->since = t;
			d->ran = 0;
		}
		break;
	default: break;
	}
}

/* Keep what a goroutine does for the next sheet. Most of those that have ended need no room. */
static void keep_doing(struct scan_pass *p, trk_id g, const struct scan_doing *d)
{
	if (d->of == SPAN_OTHER && !d->waited && !d->yielded) {
		if (p->doing[g]) {
			p->unused = mem_grow(p->unused, &p->cunused, p->nunused + 1u, sizeof *p->unused);
			p->unused[p->nunused++] = p->doing[g];
			p->doing[g] = 0;
		}
		return;
	}
	if (!p->doing[g] && p->nunused) {
		p->doing[g] = p->unused[--p->nunused];
	} else if (!p->doing[g]) {
		p->now = mem_grow(p->now, &p->cap, p->n + 1u, sizeof *p->now);
		p->doing[g] = p->n++;
	}
	p->now[p->doing[g]] = *d;
}

static void walk_row(struct scan_pass *p, const struct sheet *sh, uint32_t row, trk_id g)
{
	struct scan_doing d = p->now[p->doing[g]];
	for (uint32_t i = sh->first[row], end = sh->first[row + 1]; i < end; i++) {
		unsigned s = sh->state[i] & SHEET_STATE;
		uint8_t of = span_of_state[s];
		if (of == d.of && (of != SPAN_WAIT || sheet_continues(d.state, sh->state[i]))) {
			d.state = sh->state[i];
			continue;
		}
		int64_t t = sh->t0 + sheet_start(sh, i);
		stk_id stack = of == SPAN_RUN || of == SPAN_OTHER ? 0 : sheet_stack(sh, i);
		d.state &= SHEET_STATE;
		if (d.of)
			end_span(p, g, &d, t, (enum tstate)s, stack, of == SPAN_READY ? sheet_peer(sh, i) : 0);
		d.t0 = t;
		d.stack = stack;
		d.state = sh->state[i];
		d.of = of;
	}
	keep_doing(p, g, &d);
}

static void add_open(struct scan *s, trk_id g, const struct scan_doing *d, int64_t ns)
{
	uint32_t i = site_table_of(&s->sites, (enum tstate)(d->state & SHEET_STATE), d->stack);
	struct scan_site *x = site_at(s, i);
	s->open = mem_grow(s->open, &s->copen, s->nopen + 1u, sizeof *s->open);
	s->open[s->nopen++] = (struct scan_open){.g = g, .t0 = d->t0, .stack = d->stack, .site = i, .next = x->open & INT32_MAX,
	    .before = d->before, .state = (enum tstate)(d->state & SHEET_STATE)};
	x->open = s->nopen;
	x->nopen++;
	x->open_longest = s->sn->t1 - d->t0 > x->open_longest ? s->sn->t1 - d->t0 : x->open_longest;
	if (s->sites.v[i].idle) {
		wrap_add_to(&details_of(s, g)->idle, ns);
		wrap_add_to(&s->idle, ns);
	} else {
		wrap_add_to(&s->ns[TIME_STILL_BLOCKED], ns);
	}
}

/* What goroutines do at the end of the trace. Waits that began after the range of the query do not count. */
static void end_open(struct scan_pass *p)
{
	struct scan *s = p->s;
	for (trk_id g = 1; g < s->sn->ntrks; g++) {
		struct scan_doing *d = &p->now[p->doing[g]];
		if (d->of == SPAN_WAIT && trace_began_before(s->sn, g, d->t0)) {
			d->before = true;
			d->t0 = store_trk(s->sn->st, g)->t0;
		}
		int64_t ns = d->of ? scan_judged_ns(s, g, d->t0, s->sn->t1) : 0;
		if (!ns)
			continue;
		if (d->of == SPAN_WAIT) {
			add_open(s, g, d, ns);
			continue;
		}
		s->busy = mem_grow(s->busy, &s->cbusy, s->nbusy + 1u, sizeof *s->busy);
		s->busy[s->nbusy++] = (struct scan_busy){g, d->t0, d->stack, d->of == SPAN_CALL};
		end_span(p, g, d, s->sn->t1, TS_NONE, 0, 0);
	}
}

static int by_start(const void *a, const void *b)
{
	const struct scan_span *x = a, *y = b;
	if (x->t0 != y->t0)
		return x->t0 < y->t0 ? -1 : 1;
	return x->g < y->g ? -1 : x->g > y->g;
}

void scan_range(struct scan *s, const struct snap *sn, const struct trace_filter *f)
{
	*s = (struct scan){.sn = sn, .filter = f, .t0 = sn->t0, .t1 = sn->t1};
	if (f && f->from != TIME_NONE && f->from > s->t0)
		s->t0 = f->from;
	if (f && f->to != TIME_NONE && f->to < s->t1)
		s->t1 = f->to;
}

static void scan_init(struct scan *s, const struct snap *sn, const struct trace_filter *f, const struct operations *ops)
{
	scan_range(s, sn, f);
	s->slot_ns = (s->t1 > s->t0 ? s->t1 - s->t0 : 0) / SCAN_SLOTS + 1;
	site_table_init(&s->sites, sn, ops);
	site_table_init(&s->wakers, sn, ops);
	s->g = arena_zalloc(&s->own, (sn->ntrks + 1u) * sizeof *s->g);
	/* room for some of them at once: where an array has grown, it leaves a hole in the memory */
	s->details = mem_grow(NULL, &s->cdetails, sn->ntrks / 16 + 1u, sizeof *s->details);
	s->details[s->ndetails++] = (struct scan_details){0};
	s->slot_runnable = arena_zalloc(&s->own, SCAN_SLOTS * sizeof *s->slot_runnable);
	s->runs.least = SCAN_LONG_RUN_NS;
	s->late.least = SCAN_LATE_NS;
	s->queued.least = SCAN_QUEUED_NS;
}

bool scan_run(struct scan *s, const struct snap *sn, const struct trace_filter *f, const struct operations *ops,
    const struct progress_watcher *on)
{
	scan_init(s, sn, f, ops);
	struct arena scratch = {0};
	struct scan_pass p = {.s = s, .doing = xcalloc(sn->ntrks + 1u, sizeof *p.doing)};
	p.now = mem_grow(NULL, &p.cap, 1, sizeof *p.now);
	p.now[p.n++] = (struct scan_doing){0};
	p.known = arena_zalloc(&scratch, sn->ntrks / 8 + 1u);
	p.judged = arena_zalloc(&scratch, sn->ntrks / 8 + 1u);
	p.stops = arena_zalloc(&scratch, sn->nstks + 1u);
	bool go = true;
	for (uint32_t i = 0; i < sn->nsheets && go; i++) {
		const struct sheet *sh = p.sheet = sheet_get(sn, i);
		p.edge_end = 0;
		for (uint32_t row = sh->nother; row < sh->ntrk; row++)
			if (sh->trk[row] < sn->ntrks && is_judged(&p, sh->trk[row])) {
				p.edge = p.edge_end;
				p.edge_end = wake_edges_of(sh, sh->trk[row], &p.edge);
				walk_row(&p, sh, row, sh->trk[row]);
			}
		go = watcher_report(on, i, sn->nsheets);
	}
	p.edge = p.edge_end = 0;
	if (go)
		end_open(&p);
	if (go && s->late.n)
		qsort(s->late.v, s->late.n, sizeof *s->late.v, by_start);
	mem_free(p.doing);
	mem_free(p.now);
	mem_free(p.unused);
	arena_free(&scratch);
	return go;
}

void scan_free(struct scan *s)
{
	site_table_free(&s->sites);
	site_table_free(&s->wakers);
	mem_free(s->site);
	mem_free(s->pair);
	mem_free(s->details);
	mem_free(s->open);
	mem_free(s->busy);
	mem_free(s->runs.v);
	mem_free(s->late.v);
	mem_free(s->queued.v);
	u64_map_free(&s->of_pair);
	arena_free(&s->own);
	*s = (struct scan){0};
}
