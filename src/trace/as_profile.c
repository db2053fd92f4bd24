/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A trace as a profile. One pass over the sheets walks each goroutine's row and keeps, per track, the open
 * stretch: the time and stack where a matching state began. A stretch ends when another state follows; then
 * it is clipped and charged. Stretches continue across the borders of sheets, so the open ones are kept in
 * the pass and not in a sheet.
 *
 * The rules are those of cmd/trace/pprof.go: a state that began before the first event of its goroutine
 * (SHEET_PAST) does not start a stretch, a stretch that is open at the end of the trace is not charged, and
 * a goroutine counts from its first run to its end. For run and block, which the reference does not have,
 * open stretches count too. Time is not clipped by these rules at all: it is the sum of all states, by class.
 *
 * BLAME_OCCUPANT takes two passes. The first finds the waits that do not end within the trace, because these
 * do not count. The second builds for each sheet the run queue (run_queue.c) of the goroutines that wait in
 * it, and weighs what ran there by the length of that queue. So the pass keeps data of one sheet only, and
 * one stretch per goroutine.
 */
#include "config.h"
#include "trace/as_profile.h"

#include "base/bsearch.h"
#include "base/intern.h"
#include "base/mem/sparse_array.h"
#include "base/text/buf.h"
#include "base/wrap_math.h"
#include "store/builder.h"
#include "store/tracks/time_search.h"
#include "trace/alloc/alloc_weights.h"
#include "trace/bins.h"
#include "trace/run_queue.h"
#include "trace/run_stacks.h"
#include "trace/time_class.h"
#include "trace/wait_before.h"

#include <string.h>

static const char *const names[TRACE_WEIGHT__N] = {
	[TRACE_CPU] = "cpu", [TRACE_RUN] = "run", [TRACE_SCHED] = "sched", [TRACE_SYNC] = "sync", [TRACE_NET] = "net",
	[TRACE_SYSCALL] = "syscall", [TRACE_BLOCK] = "block", [TRACE_ASSIST] = "assist", [TRACE_ALLOC] = "alloc",
	[TRACE_CRITICAL] = "critical", [TRACE_TIME] = "time",
};

const char *trace_weight_name(enum trace_weight_type t)
{
	return t < TRACE_WEIGHT__N ? names[t] : "";
}

const char *trace_weight_unit(enum trace_weight_type t)
{
	return t == TRACE_ALLOC ? "bytes" : "nanoseconds";
}

int trace_weight_find(const char *name)
{
	for (int i = 0; i < TRACE_WEIGHT__N; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

static const char *const reasons[TS__N] = {
#define STATE(id, letter, name, reason) reason,
#include "state.def"
#undef STATE
};

struct open_stretch {
	int64_t t0, run_queue_sum;
	stk_id stack;
	trk_id proc;
	uint32_t kind : 31, counted : 1;
	str_id tag;
};
	/* kind: the result of pass_kind(); 0: none is open. run_queue_sum: see pass_open(). For a run, t0 is the time
	   up to which it is charged, and stack that of its mark assist or stop of the world, or 0. counted: a part of
	   it is charged */
struct last { struct run_known known; stk_id stack; uint8_t state; };

enum mode { M_PLAIN, M_SELF, M_ENDLESS, M_OCCUPANT, M_CHAIN };
enum { RUNS = 1, CALLS };	/* kinds of TRACE_RUN, TRACE_TIME and M_OCCUPANT */

/* Waits that do not end within the trace: track and start. */
struct endless { struct endless_wait { trk_id trk; int64_t t0; } *v; size_t n, cap; };

struct weigh_pass {
	const struct snap *sn;
	enum trace_weight_type type;
	enum mode mode;
	const struct trace_filter *f;
	struct trace_weights *w;
	struct sparse_array open;	/* struct open_stretch, by track; those that are open where a sheet ends */
	struct last *last;	/* runs, M_SELF and TRACE_TIME: by track, its previous state, and where it was */
	struct run_pairs pairs;
	struct endless endless;	/* result of M_ENDLESS */
	int64_t waited;		/* M_OCCUPANT: ns, of all goroutines */
	uint8_t *waits;		/* M_OCCUPANT: a bit per track that waits at the end of the last sheet */
	struct run_queue_sum *run_queue_sum;
	const struct sheet *sh;	/* the current sheet */
	struct run_moments moments;	/* of the current sheet */
	struct joined_stacks joined;	/* M_CHAIN */
	bool tags;
	str_id tag[TS__N];		/* of TRACE_TIME: by class */
	struct intern *index;	/* of w->part */
	size_t *cpart;
};

static bool contains_word(const struct str_row *s, const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; i + n <= s->n; i++)
		if (!memcmp(s->s + i, word, n))
			return true;
	return false;
}

static bool state_matches(const struct weigh_pass *p, unsigned s, uint32_t peer)
{
	if (p->mode == M_OCCUPANT)
		return state_runs(s) || s == TS_SYSCALL;
	switch (p->type) {
	case TRACE_RUN: return state_runs(s);
	case TRACE_SCHED: return s == TS_READY;
	case TRACE_SYSCALL: return s == TS_SYSCALL || s == TS_SYSBLOCK;
	case TRACE_NET: return s == TS_NET;
	case TRACE_BLOCK: return s >= TS_CHANSEND;
	case TRACE_TIME: return s != TS_NONE;
	case TRACE_SYNC:
		if (s == TS_OTHER && peer) {
			const struct str_row *r = store_str(p->sn->st, peer);
			return contains_word(r, "chan") || contains_word(r, "sync") || contains_word(r, "select");
		}
		return s == TS_CHANSEND || s == TS_CHANRECV || s == TS_SELECT || s == TS_SYNC || s == TS_COND ||
		    s == TS_SYNCTEST;
	default: return false;
	}
}

/* Return 0 if the state does not count; else a number that differs between states with separate stretches. */
static uint32_t pass_kind(const struct weigh_pass *p, unsigned s, uint32_t peer)
{
	if (!state_matches(p, s, peer))
		return 0;
	if (p->mode == M_OCCUPANT)
		return state_runs(s) ? RUNS : CALLS;
	if (p->type == TRACE_TIME)
		return s == TS_RUN ? RUNS : s;
	return p->type == TRACE_BLOCK ? s : 1;
}

/* Return the first slice of the track that ends after t. */
static uint32_t slice_find(const struct trace_filter *f, trk_id trk, int64_t t)
{
	struct bsearch_probe h = {.hi = f->nslice};
	while (bsearch_probe(&h)) {
		const struct trace_slice *s = &f->slice[h.at];
		bsearch_narrow(&h, s->trk != trk ? s->trk < trk : s->t1 <= t);
	}
	return h.lo;
}

static int64_t overlap_in_window(const struct weigh_pass *p, int64_t a, int64_t b, int64_t c, int64_t d)
{
	int64_t lo = a > c ? a : c, hi = b < d ? b : d;
	if (hi <= lo)
		return 0;
	if (p->run_queue_sum)
		run_queue_add_wait(p->run_queue_sum, lo, hi);
	return hi - lo;
}

static bool counts_every_wait(const struct weigh_pass *p)
{
	return p->mode == M_OCCUPANT && p->f && p->f->every_wait;
}

/* Return how much of [a, b) of a goroutine counts, in ns. */
static int64_t clip_to_filter(struct weigh_pass *p, trk_id trk, int64_t a, int64_t b)
{
	const struct trace_filter *f = p->f;
	int64_t from = f && f->from != TIME_NONE ? f->from : INT64_MIN;
	int64_t to = f && f->to != TIME_NONE ? f->to : INT64_MAX;
	if (a < from)
		a = from;
	if (b > to)
		b = to;
	if (f && f->slice) {
		int64_t ns = 0;
		for (uint32_t i = slice_find(f, trk, a);
		    i < f->nslice && f->slice[i].trk == trk && f->slice[i].t0 < b; i++)
			ns += overlap_in_window(p, a, b, f->slice[i].t0, f->slice[i].t1);
		return ns;
	}
	if (p->type == TRACE_TIME || counts_every_wait(p))
		return overlap_in_window(p, a, b, INT64_MIN, INT64_MAX);
	const struct trk_row *t = store_trk(p->sn->st, trk);
	int64_t run0 = p->type == TRACE_BLOCK ? TIME_NONE : store_run0(p->sn->st, t), end = store_t1(p->sn->st, t);
	return overlap_in_window(p, a, b, run0 == TIME_NONE ? INT64_MIN : run0, end == TIME_NONE ? INT64_MAX : end);
}

static int same_part(const void *ctx, uint32_t id, const void *key)
{
	const struct trace_tag_weight *a = &((const struct trace_weights *)ctx)->part[id], *b = key;
	return a->stack == b->stack && a->tag == b->tag;
}

static void add_part(const struct weigh_pass *p, stk_id stack, str_id tag, int64_t ns, int64_t count)
{
	struct trace_weights *w = p->w;
	struct trace_tag_weight key = { .stack = stack, .tag = tag };
	uint32_t h = intern_hash_u64(stack, tag), i = intern_find(p->index, h, same_part, w, &key);
	if (i == UINT32_MAX) {
		w->part = mem_grow(w->part, p->cpart, w->npart + 1u, sizeof *w->part);
		w->part[i = w->npart++] = key;
		intern_put(p->index, h, i);
	}
	w->part[i].ns = wrap_add(w->part[i].ns, ns);
	w->part[i].count += count;
}

/* A run is counted once, at the first stack that it is charged to. */
static void add_weight(const struct weigh_pass *p, struct open_stretch *o, int64_t t, int64_t ns, stk_id stack)
{
	int64_t count = !o->counted;
	o->counted = true;
	p->w->total_ns = wrap_add(p->w->total_ns, ns);
	p->w->total_count += count;
	if (p->tags || p->mode == M_CHAIN)
		add_part(p, stack, o->tag, ns, count);
	if (p->mode == M_CHAIN)
		return;
	p->w->ns[stack] = wrap_add(p->w->ns[stack], ns);
	p->w->count[stack] += count;
	if (t > p->w->last[stack])
		p->w->last[stack] = t;
}

/* Sum the waiting, as a share of one P, from the start of a stretch (or of the sheet) to t while the row of the
   goroutine's P has its system call. */
static int64_t in_call(const struct weigh_pass *p, trk_id trk, const struct open_stretch *o, int64_t t)
{
	const struct sheet *sh = p->sh;
	int32_t row = o->proc ? sheet_row(sh, o->proc) : -1;
	int64_t ns = 0, from = o->t0 > sh->t0 ? o->t0 : sh->t0;
	if (row < 0)
		return 0;
	for (uint32_t i = sheet_find(sh, (uint32_t)row, from); i < sh->first[row + 1]; i++) {
		int64_t t0 = sh->t0 + sheet_start(sh, i), t1 = sheet_end(sh, (uint32_t)row, i);
		if (t0 >= t)
			break;
		if ((sh->state[i] & SHEET_STATE) == TS_SYSCALL && sheet_peer(sh, i) == trk)
			ns = wrap_add(
			    ns, run_queue_share_between(p->run_queue_sum, t0 < from ? from : t0, t1 > t ? t : t1));
	}
	return ns;
}

/* Sum the waiting, as a share of one P, while the goroutine had its P. In a system call it may have lost the P. The
   reference's accounts do not always notice that, but the row of the P does. */
static int64_t waited_while_running(const struct weigh_pass *p, trk_id trk, const struct open_stretch *o, int64_t t)
{
	if (o->kind == RUNS)
		return t > o->t0 ? wrap_sub(run_queue_share_until(p->run_queue_sum, t), o->run_queue_sum) : 0;
	return wrap_add(o->run_queue_sum, in_call(p, trk, o, t));
}

static void charge_stretch(struct weigh_pass *p, trk_id trk, struct open_stretch *o, int64_t t, stk_id stack)
{
	if (p->mode == M_ENDLESS)
		return;
	if (p->f && p->f->proc && p->f->proc != o->proc && trace_type_has_proc(p->type, p->f->blame))
		return;
	int64_t ns = p->mode == M_OCCUPANT ? waited_while_running(p, trk, o, t) : clip_to_filter(p, trk, o->t0, t);
	if (ns <= 0)
		return;
	if (p->f && p->f->each)
		p->f->each(p->f->arg, &(struct charged_stretch){trk, o->t0, t, ns, stack});
	add_weight(p, o, t, ns, stack);
}

static bool charges_runs(const struct weigh_pass *p)
{
	return p->type == TRACE_RUN || p->type == TRACE_TIME || p->mode == M_OCCUPANT;
}

static bool is_run(const struct weigh_pass *p, const struct open_stretch *o)
{
	return charges_runs(p) && o->kind == RUNS;
}

/* Return the node of a wait that ends with interval i: the waker's stack is below that of the wait. */
static uint32_t joined_node(struct weigh_pass *p, const struct open_stretch *o, uint32_t i)
{
	uint32_t node = joined_stacks_append(&p->joined, 0, o->stack);
	bool woken = i != UINT32_MAX && (p->sh->state[i] & SHEET_STATE) == TS_READY && sheet_peer(p->sh, i);
	return woken ? joined_stacks_append(&p->joined, node, sheet_stack(p->sh, i)) : node;
}

/* Return the stack to charge up to an event at t, which has this stack, or 0. */
static stk_id charged_stack(struct weigh_pass *p, trk_id trk, const struct open_stretch *o, int64_t t, stk_id stack)
{
	if (o->stack || !is_run(p, o))
		return o->stack;
	return run_stacks_charged(
	    p->sn->st, trk, &p->last[trk].known, &(struct run_moment){.t = t, .stack = stack}, &p->pairs);
}

/* A run continues at m->t: charge the time before, if a stack was recorded there. */
static void run_upto(struct weigh_pass *p, trk_id trk, struct open_stretch *o, const struct run_moment *m)
{
	if (!is_run(p, o) || !(m->stack || o->stack) || m->t < o->t0)
		return;
	charge_stretch(p, trk, o, m->t, o->stack ? o->stack
	    : run_stacks_charged(p->sn->st, trk, &p->last[trk].known, m, &p->pairs));
	o->t0 = m->t;
	if (p->mode == M_OCCUPANT)
		o->run_queue_sum = run_queue_share_until(p->run_queue_sum, m->t);
}

static void runs_upto(struct weigh_pass *p, trk_id trk, struct open_stretch *o, int64_t t)
{
	struct run_moment m;
	while (charges_runs(p) && run_moments_next(&p->moments, t, &m))
		if (!o->stack)
			run_upto(p, trk, o, &m);
}

/* Return the goroutine's own stack for when it became runnable. */
static stk_id own_stack(const struct weigh_pass *p, trk_id trk, const struct last *was, stk_id here)
{
	if (was->state == TS_NONE)
		return store_origin(p->sn->st, store_trk(p->sn->st, trk))->start;
	stk_id stack = state_runs(was->state) ? here : was->stack;
	return stack ? run_stacks_interrupted(p->sn->st, trk, stack) : 0;
}

/* Start a stretch at interval i. run_queue_sum of a run: the share of waiting until then; of a system call: the share
   in earlier sheets. */
static void pass_open(const struct weigh_pass *p, uint32_t row, struct open_stretch *o, uint32_t i, uint32_t kind)
{
	const struct sheet *sh = p->sh;
	trk_id trk = sh->trk[row];
	unsigned s = sh->state[i] & SHEET_STATE;
	*o = (struct open_stretch){
	    .t0 = trace_interval_start(p->sn, sh, row, i), .stack = sheet_stack(sh, i), .proc = sheet_peer(sh, i), .kind = kind};
	if (is_run(p, o))
		o->stack = s == TS_RUN ? 0 : o->stack;
	if (p->mode == M_OCCUPANT && kind == RUNS)
		o->run_queue_sum = run_queue_share_until(p->run_queue_sum, o->t0);
	if (p->mode == M_SELF || (p->type == TRACE_TIME && s == TS_READY))
		o->stack = own_stack(p, trk, &p->last[trk], o->stack);
	if (p->tags && p->type == TRACE_TIME)
		o->tag = p->tag[time_class_of(p->sn->st, (enum tstate)s, o->stack)];
	else if (p->tags)
		o->tag = s == TS_OTHER && o->proc ? o->proc : p->tag[state_runs(s) ? TS_RUN : s];
}

/* Types that the reference has, too, show what the file tells: for a wait since before the trace it has no reason. Others
   show what the reader derived (wait_before.h), from the start of the trace on. */
static bool uses_only_own_reasons(const struct weigh_pass *p)
{
	return p->type != TRACE_TIME && p->type != TRACE_BLOCK;
}

/* Is interval i of row r such a wait? */
static bool is_before(const struct weigh_pass *p, uint32_t r, uint32_t i)
{
	const struct sheet *sh = p->sh;
	return (sh->state[i] & SHEET_STATE) >= TS_CHANSEND &&
	    (trace_began_before(p->sn, sh->trk[r], sh->t0 + sheet_start(sh, i)) ||
		trace_interval_continues(p->sn, sh, r, i));
}

static void note_entry(struct weigh_pass *p, trk_id trk, uint32_t i)
{
	const struct sheet *sh = p->sh;
	unsigned s = sh->state[i] & SHEET_STATE;
	if (!p->last)
		return;
	struct last *l = &p->last[trk];
	if (!(sh->state[i] & SHEET_CONT))
		run_known_enter(&l->known, (enum tstate)l->state, (enum tstate)s, sheet_stack(sh, i));
	l->stack = sheet_stack(sh, i);
	l->state = (uint8_t)s;
}

static void pass_row(struct weigh_pass *p, uint32_t r)
{
	const struct sheet *sh = p->sh;
	trk_id trk = sh->trk[r];
	struct open_stretch *was = sparse_array_find(&p->open, trk), now = was ? *was : (struct open_stretch){0}, *o = &now;
	bool own = uses_only_own_reasons(p);
	uint8_t old = p->mode == M_OCCUPANT || !own ? 0 : SHEET_PAST;
	if (charges_runs(p))
		run_moments_begin_goroutine(&p->moments, trk);
	for (uint32_t i = sh->first[r]; i < sh->first[r + 1]; i++) {
		unsigned s = sh->state[i] & SHEET_STATE;
		int64_t t = sh->t0 + sheet_start(sh, i);
		uint32_t kind = pass_kind(p, s, sheet_peer(sh, i));
		runs_upto(p, trk, o, t);
		if (o->kind && kind != o->kind) {
			stk_id stack = s == TS_NONE ? 0 : sheet_stack(sh, i);
			charge_stretch(p, trk, o, t,
			    p->mode == M_CHAIN ? joined_node(p, o, i) : charged_stack(p, trk, o, t, stack));
			o->kind = 0;
		} else if (is_run(p, o) && !(sh->state[i] & SHEET_CONT)) {
			run_upto(p, trk, o, &(struct run_moment){ .t = t, .stack = sheet_stack(sh, i) });
			o->stack = s == TS_RUN ? 0 : sheet_stack(sh, i);
		}
		bool unknown = p->type == TRACE_BLOCK && s == TS_UNKNOWN && sh->state[i] & SHEET_PAST;
		if (!o->kind && kind && !unknown && !(sh->state[i] & (old | SHEET_CONT)) && !(own && is_before(p, r, i)))
			pass_open(p, r, o, i, kind);
		note_entry(p, trk, i);
	}
	runs_upto(p, trk, o, INT64_MAX);
	if (p->mode == M_OCCUPANT && o->kind == CALLS)
		o->run_queue_sum = wrap_add(o->run_queue_sum, in_call(p, trk, o, sh->t1));
	if (was || o->kind)
		*(struct open_stretch *)sparse_array_at(&p->open, trk) = now;
}

/* Return the start of a goroutine's wait that does not end, or INT64_MAX. */
static int64_t endless_since(const struct endless *e, trk_id trk)
{
	struct bsearch_probe h = {.hi = e->n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, e->v[h.at].trk < trk);
	return h.lo < e->n && e->v[h.lo].trk == trk ? e->v[h.lo].t0 : INT64_MAX;
}

/* Add a goroutine's waits within the sheet to the run queue: those that pass_row() finds with BLAME_WAKER, or all. */
static void wait_row(struct weigh_pass *p, uint32_t r)
{
	const struct sheet *sh = p->sh;
	trk_id trk = sh->trk[r];
	int64_t since = sh->t0, endless = endless_since(&p->endless, trk);
	bool waits = trace_gset_has(p->waits, trk), every = counts_every_wait(p);
	for (uint32_t i = sh->first[r]; i < sh->first[r + 1]; i++) {
		int64_t t = sh->t0 + sheet_start(sh, i);
		unsigned s = sh->state[i] & SHEET_STATE;
		bool ready = s == TS_READY || (every && s == TS_PREEMPT);
		if (waits && !ready)
			p->waited = wrap_add(p->waited, clip_to_filter(p, trk, since, t));
		bool starts = every ? !(sh->state[i] & SHEET_CONT)
				    : !(sh->state[i] & (SHEET_PAST | SHEET_CONT)) && t < endless;
		if (!waits && ready && starts) {
			waits = true;
			since = t;
		}
		waits = waits && ready;
	}
	if (waits)
		p->waited = wrap_add(p->waited, clip_to_filter(p, trk, since, sh->t1));
	p->waits[trk >> 3] = (uint8_t)((p->waits[trk >> 3] & ~(1u << (trk & 7))) | (unsigned)waits << (trk & 7));
}

static void pass_rows(struct weigh_pass *p, const uint8_t *only, void (*row)(struct weigh_pass *, uint32_t r))
{
	const struct sheet *sh = p->sh;
	for (uint32_t r = 0; r < sh->ntrk; r++)
		if (store_trk(p->sn->st, sh->trk[r])->kind == TK_G && trace_gset_has(only, sh->trk[r]))
			row(p, r);
}

static void pass_sheets(struct weigh_pass *p)
{
	uint32_t n = p->sn->nsheets;	/* walking the sheets is about a third of the work */
	const uint8_t *only = p->f ? p->f->g : NULL;
	for (uint32_t i = 0; i < n && (!p->f || watcher_report(&p->f->on, i, 3ull * n)); i++) {
		p->sh = sheet_get(p->sn, i);
		if (p->mode == M_OCCUPANT) {
			pass_rows(p, only, wait_row);
			run_queue_end_sheet(p->run_queue_sum, p->sh->t1);
		}
		if (charges_runs(p))
			run_moments_begin_sheet(&p->moments, p->sn, p->sh);
		pass_rows(p, p->mode == M_OCCUPANT ? NULL : only, pass_row);
	}
}

/* Return the tag of a wait that does not end within the trace: its reason, and that it is still blocked. */
static str_id still_tag(const struct weigh_pass *p, str_id reason)
{
	const struct str_row *s = store_str(p->sn->st, reason);
	struct buf b = {0};
	buf_put(&b, s->s, s->n);
	buf_puts(&b, ", still blocked");
	str_id tag = builder_add_string(p->sn, b.p, b.n);
	buf_free(&b);
	return tag;
}

/* Charge or list the stretches that are open at the end of the trace. */
static void pass_end(struct weigh_pass *p)
{
	struct endless *e = &p->endless;
	str_id reason = 0, still = 0;	/* the last reason, and its tag */
	for (trk_id t = 1; t < p->sn->ntrks; t++) {
		const struct open_stretch *o = sparse_array_find(&p->open, t);
		if (!o || !o->kind)
			continue;
		if (p->mode != M_ENDLESS) {
			struct open_stretch last = *o;
			if (p->tags && p->type == TRACE_TIME && o->kind >= TS_CHANSEND && o->kind != TS_UNKNOWN) {
				last.tag = p->tag[TIME_STILL_BLOCKED];
			} else if (p->tags && p->type == TRACE_BLOCK && o->kind != TS_UNKNOWN) {
				still = still && o->tag == reason ? still : still_tag(p, o->tag);
				reason = o->tag;
				last.tag = still;
			}
			charge_stretch(p, t, &last, p->sn->t1,
			    p->mode == M_CHAIN ? joined_node(p, o, UINT32_MAX) : charged_stack(p, t, &last, p->sn->t1, 0));
			continue;
		}
		e->v = mem_grow(e->v, &e->cap, e->n + 1, sizeof *e->v);
		e->v[e->n++] = (struct endless_wait){ t, o->t0 };
	}
}

static bool sample_counts(const struct trace_filter *f, const struct smp_time *s)
{
	if (!f)
		return true;
	if ((f->from != TIME_NONE && s->when < f->from) || (f->to != TIME_NONE && s->when >= f->to) ||
	    (f->proc && s->proc != f->proc) || !trace_gset_has(f->g, s->trk))
		return false;
	if (!f->slice)
		return true;
	uint32_t i = slice_find(f, s->trk, s->when);
	return i < f->nslice && f->slice[i].trk == s->trk && f->slice[i].t0 <= s->when;
}

static void pass_samples(struct weigh_pass *p)
{
	const struct store *st = p->sn->st;
	if (p->sn->ntypes < 2)
		return;
	for (uint32_t i = 0; i < p->sn->nsmps; i++) {
		const struct smp_row *s = store_smp(st, i);
		struct smp_time t = store_smp_time(st, i);
		if (!sample_counts(p->f, &t))
			continue;
		int64_t n = store_value(st, 0, i), ns = store_value(st, 1, i);
		p->w->ns[s->stack] = wrap_add(p->w->ns[s->stack], ns);
		p->w->count[s->stack] = wrap_add(p->w->count[s->stack], n);
		p->w->total_ns = wrap_add(p->w->total_ns, ns);
		p->w->total_count = wrap_add(p->w->total_count, n);
	}
}

static void pass_assists(struct weigh_pass *p)
{
	const uint8_t *only = p->f ? p->f->g : NULL;
	for (uint32_t i = 0; i < p->sn->nspans; i++) {
		const struct sink_span *s = &store_span(p->sn->st, i)->s;
		struct open_stretch o = {0};
		int64_t t1;
		if (s->kind != SP_ASSIST || !s->trk || !trace_gset_has(only, s->trk))
			continue;
		time_search_span_bounds(p->sn, s, &o.t0, &t1);
		charge_stretch(p, s->trk, &o, t1, s->stack);
	}
}

static bool any_goroutine(const struct snap *sn, const uint8_t *set)
{
	for (trk_id t = 1; t < sn->ntrks; t++)
		if (trace_gset_has(set, t) && store_trk(sn->st, t)->kind == TK_G)
			return true;
	return false;
}

/* Free the entries by track. */
static void pass_free(struct weigh_pass *p)
{
	size_t n = p->sn->ntrks;
	sparse_array_free(&p->open);
	mem_bulk_free(p->last, n * sizeof *p->last);
	p->last = NULL;
}

/* Allocate the state of each track anew: no stretch is open. */
static void pass_begin(struct weigh_pass *p)
{
	size_t n = p->sn->ntrks;
	pass_free(p);
	p->open = sparse_array_new(n, sizeof(struct open_stretch));
	if (p->mode == M_SELF || charges_runs(p))
		p->last = mem_bulk(n * sizeof *p->last);
}

/* Charge the waits to what ran on the Ps meanwhile. The share of idle Ps is charged to no stack. */
static void pass_occupants(struct weigh_pass *p)
{
	trk_id proc = p->f->proc;
	if (!p->f->every_wait) {
		p->mode = M_ENDLESS;
		pass_sheets(p);
		pass_end(p);
	}
	p->mode = M_OCCUPANT;
	pass_begin(p);
	p->run_queue_sum = run_queue_new(p->sn, proc ? store_trk(p->sn->st, proc)->id : UINT64_MAX);
	p->waits = xcalloc(p->sn->ntrks / 8 + 1u, 1);
	pass_sheets(p);
	pass_end(p);
	int64_t waited = proc ? run_queue_proc_share(p->run_queue_sum) : p->waited;
	if (waited > p->w->total_ns)
		add_weight(p, &(struct open_stretch){ .tag = p->tag[TS_IDLE] }, 0, wrap_sub(waited, p->w->total_ns), 0);
	run_queue_free(p->run_queue_sum);
	mem_free(p->waits);
	mem_free(p->endless.v);
}

/* Return the tag of a state, or of a class of time; NULL: none. */
static const char *tag_name(const struct weigh_pass *p, int i)
{
	if (p->type == TRACE_TIME)
		return i < TIME_CLASS__N ? time_class_name((enum time_class)i) : NULL;
	return i == TS_RUN ? "running" : i == TS_SYSCALL ? "system call" : i == TS_IDLE ? "P idle or stopped" :
	    i == TS_UNKNOWN ? "unknown" : reasons[i];
}

/* Tags are strings added to the store, which is only allowed when it is complete. */
static void pass_tags(struct weigh_pass *p)
{
	_Static_assert((int)TIME_CLASS__N <= (int)TS__N, "tag[] has a place for each class");
	p->tags = p->sn->complete && (p->type == TRACE_BLOCK || p->type == TRACE_TIME ||
	    (p->type == TRACE_SCHED && p->mode == M_OCCUPANT));
	for (int i = 0; i < TS__N && p->tags; i++) {
		const char *s = tag_name(p, i);
		p->tag[i] = s ? builder_add_string(p->sn, s, strlen(s)) : 0;
	}
}

void trace_weights_join(struct trace_weights *w, const struct joined_stacks *joined, struct arena *a)
{
	w->n = joined->n;
	w->node = memcpy(arena_alloc(a, (joined->n + 1u) * sizeof *joined->node), joined->node,
	    joined->n * sizeof *joined->node);
	w->ns = arena_zalloc(a, (w->n + 1u) * sizeof *w->ns);
	w->count = arena_zalloc(a, (w->n + 1u) * sizeof *w->count);
	w->last = arena_zalloc(a, (w->n + 1u) * sizeof *w->last);
	for (uint32_t i = 0; i < w->npart; i++) {
		w->ns[w->part[i].stack] = wrap_add(w->ns[w->part[i].stack], w->part[i].ns);
		w->count[w->part[i].stack] += w->part[i].count;
	}
}

/* The node without a stack is there in any case, for trace_show_no_stack(). */
static void begin_chain(struct weigh_pass *p)
{
	p->mode = M_CHAIN;
	joined_stacks_init(&p->joined, p->sn->st);
	joined_stacks_append(&p->joined, 0, trace_no_stack_node(p->sn));
}

/* Give the weights of M_CHAIN nodes of their own. Without tags there are no parts. */
static void join_weights(struct weigh_pass *p, struct arena *a)
{
	trace_weights_join(p->w, &p->joined, a);
	joined_stacks_free(&p->joined);
	p->w->npart = p->tags ? p->w->npart : 0;
}

struct trace_weights *trace_weigh(
    const struct snap *sn, enum trace_weight_type type, const struct trace_filter *f, struct arena *a)
{
	struct trace_weights *w = arena_zalloc(a, sizeof *w);
	struct intern index = {0};
	size_t cpart = 0;
	w->n = sn->nstks;
	w->ns = arena_zalloc(a, (sn->nstks + 1u) * sizeof *w->ns);
	w->count = arena_zalloc(a, (sn->nstks + 1u) * sizeof *w->count);
	w->last = arena_zalloc(a, (sn->nstks + 1u) * sizeof *w->last);
	w->empty = f && ((f->g && !any_goroutine(sn, f->g)) || (f->slice && !f->nslice));
	struct weigh_pass p = { .sn = sn, .type = type, .f = f, .w = w, .index = &index, .cpart = &cpart };
	if (type == TRACE_ALLOC) {
		alloc_weights(sn, f, w);
		return w;
	}
	if (type == TRACE_CPU || type == TRACE_ASSIST) {
		(type == TRACE_CPU ? pass_samples : pass_assists)(&p);
		return w;
	}
	if (type == TRACE_SCHED && f)
		p.mode = f->blame == BLAME_SELF ? M_SELF : f->blame == BLAME_OCCUPANT ? M_OCCUPANT : M_PLAIN;
	if (f && f->blame == BLAME_CHAIN && trace_type_has_blame(type, f->blame))
		begin_chain(&p);
	pass_begin(&p);
	pass_tags(&p);
	if (p.mode == M_OCCUPANT)
		pass_occupants(&p);
	else
		pass_sheets(&p);
	if (type == TRACE_RUN || type == TRACE_BLOCK || type == TRACE_TIME)
		pass_end(&p);
	if (p.mode == M_CHAIN)
		join_weights(&p, a);
	struct trace_tag_weight *part = w->part;
	w->part = arena_alloc(a, (w->npart + 1u) * sizeof *part);
	if (part)
		memcpy(w->part, part, w->npart * sizeof *part);
	mem_free(part);
	intern_free(&index);
	pass_free(&p);
	run_moments_free(&p.moments);
	return w;
}
