/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Transitions of goroutines and processors, passed to the sink as states of tracks. One transition
 * of a G changes up to three tracks: its own, that of the P that it runs on and that of the M which
 * carries both. While a G runs, its work for the collector replaces RUN: a stop of the world before
 * a sweep before a mark assist.
 *
 * The rules are those of the reference (internal/trace/summary.go), including its special cases, so
 * that panes and `go tool trace` never disagree:
 * - if the first event of a G is a status, it has been in that state since the last Sync (TS_PAST);
 *   if that is a system call without a P, it counts as one with a P from that event on;
 * - a system call blocks when the P that it holds becomes idle, and the P's claim is dropped when
 *   the *G* that last held it returns, even if another G has taken that P into a system call since.
 */
#include "config.h"
#include "load/gotrace/internal.h"

#include "base/mem/mem.h"
#include "load/gotrace/wire.h"

#include <string.h>

#define ALWAYS inline __attribute__((always_inline))

enum {
	NEXT = 16,		/* prefetch the goroutine of the event this far ahead */
	NEXT_LINE = 32		/* prefetch the event this far ahead */
};

static const char *const reasons[TS__N] = {
#define STATE(id, letter, name, reason) reason,
#include "state.def"
#undef STATE
};

void track_states_flush(struct gotrace *r)
{
	if (r->nentry)
		r->sink->trace->enter(r->sink->self, r->entry, r->nentry);
	r->nentry = 0;
}

static inline void enter_also(struct gotrace *r, trk_id trk, int64_t t, unsigned state, uint32_t peer, stk_id stack,
    uint16_t also)
{
	if (r->nentry == ENTRIES)
		track_states_flush(r);
	r->entry[r->nentry++] = (struct sink_enter){ t, trk, peer, stack, (uint8_t)state, 0, also };
}

static inline void enter(struct gotrace *r, trk_id trk, int64_t t, unsigned state, uint32_t peer, stk_id stack)
{
	enter_also(r, trk, t, state, peer, stack, 0);
}

struct track_goroutine *track_states_g_of_event(const struct gotrace *r, const struct trace_event *ev)
{
	if (ev->g < 0)
		return NULL;
	const struct track_proc *p = (uint64_t)ev->p < NEAR_PS ? r->near[ev->p] : NULL;
	return p && p->g && p->g->id == ev->g ? p->g : track_states_find_g(r, ev->g);
}

static trk_id find_track(struct gotrace *r, enum track_kind kind, int64_t id)
{
	trk_id t = r->sink->trace->track(r->sink->self, kind, (uint64_t)id);
	r->without_track += !t;
	return t;
}

struct track_proc *track_states_get_p(struct gotrace *r, int64_t id)
{
	bool fresh;
	bool near = (uint64_t)id < NEAR_PS;
	if (near && r->near[id])
		return r->near[id];
	struct u64_slot *s = u64_map_put(&r->ps, (uint64_t)id, &fresh);
	if (fresh) {
		struct track_proc *p = arena_zalloc(r->mem, sizeof *p);
		s->p = p;
		if (near)
			r->near[id] = p;
		*p = (struct track_proc){ .id = id, .m = -1, .syscall_g = -1, .sweep_g = -1, .shown = TS_IDLE };
		p->trk = find_track(r, TK_P, id);
		int64_t since = gotrace_rel(r, r->sync);
		enter(r, p->trk, since, since < gotrace_now(r) ? TS_IDLE | (unsigned)TS_PAST : TS_IDLE, 0, 0);
	}
	return s->p;
}

static void show_m(struct gotrace *r, int64_t id, unsigned state, trk_id g, int64_t t)
{
	bool fresh;
	if (id < 0)
		return;
	struct u64_slot *s = u64_map_put(&r->ms, (uint64_t)id, &fresh);
	if (fresh) {
		struct track_thread *m = arena_zalloc(r->mem, sizeof *m);
		s->p = m;
		m->id = id;
		m->trk = find_track(r, TK_M, id);
	}
	struct track_thread *m = s->p;
	if (m->shown == state && m->peer == g)
		return;
	enter(r, m->trk, t, state, g, 0);
	m->shown = (uint8_t)state;
	m->peer = g;
}

/* M carries P from now on (m -1: no M does). The goroutines there are in the row of the P. The row of an M only
   names its P; it has a few entries and is not a copy of the P's row. */
static void show_carrier(struct gotrace *r, struct track_proc *p, int64_t m, int64_t t)
{
	if (p->m == m)
		return;
	if (p->m >= 0)
		show_m(r, p->m, TS_IDLE, 0, t);
	p->m = m;
	show_m(r, m, TS_RUN, p->trk, t);
}

static inline void show_p(struct gotrace *r, struct track_proc *p, unsigned state, trk_id g, int64_t t)
{
	if (p->shown == state && p->peer == g)
		return;
	enter(r, p->trk, t, state, g, 0);
	p->shown = (uint8_t)state;
	p->peer = g;
}

/* The same if the next entry is of a goroutine that begins or leaves the state of the P. Most often that entry can
   record both: returns the P for sink_enter.also, or 0. */
static ALWAYS uint16_t show_p_also(struct gotrace *r, struct track_proc *p, unsigned state, trk_id g, int64_t t)
{
	if (p->trk > UINT16_MAX) {
		show_p(r, p, state, g, t);
		return 0;
	}
	if (p->shown == state && p->peer == g)
		return 0;
	p->shown = (uint8_t)state;
	p->peer = g;
	return (uint16_t)p->trk;
}

/* Return the state of a running goroutine: the innermost of its ranges, or RUN. */
static inline enum tstate running_state(const struct track_goroutine *g, const struct track_proc *p)
{
	if (g->stops)
		return TS_STW;
	if (p && p->sweep.open && p->swept_by_g && p->sweep_g == g->id)
		return TS_SWEEP;
	return g->assists ? TS_ASSIST : TS_RUN;
}

/* Emit states of the tracks of g and of p, its P, which run from t on. */
static ALWAYS void show_running(
    struct gotrace *r, struct track_goroutine *g, struct track_proc *p, int64_t t, unsigned past, stk_id stack)
{
	enum tstate s = running_state(g, p);
	uint16_t also = 0;
	g->shown = (uint8_t)s;
	if (p && (past || (s == TS_RUN && g->mark_worker)))
		show_p(r, p, s == TS_RUN && g->mark_worker ? TS_GCWORK : s, g->trk, t);
	else if (p)
		also = show_p_also(r, p, s, g->trk, t);
	enter_also(r, g->trk, t, s | past, p ? p->trk : 0, stack, also);
}

void track_states_update(struct gotrace *r, struct track_goroutine *g, stk_id stack)
{
	if (g->state == TST_RUNNING && running_state(g, track_states_p_of(g)) != (enum tstate)g->shown)
		show_running(r, g, track_states_p_of(g), gotrace_now(r), 0, stack);
}

void track_states_add_util(struct gotrace *r, enum util_what what, int64_t p, int delta, bool past)
{
	if (p < 0 || p > INT32_MAX)
		return;
	struct pending_utils *u = &r->utils;
	u->v = mem_grow(u->v, &u->cap, u->n + 1, sizeof *u->v);
	u->v[u->n++] = (struct sink_util){ .t = gotrace_now(r), .what = what, .proc = (uint32_t)p,
		.delta = delta, .past = past };
	u->t = r->last;
}

static bool is_executing(unsigned state)
{
	return state == TST_RUNNING || state == TST_SYSCALL;
}

static void begin_mark_work(struct gotrace *r, struct track_goroutine *g, bool dedicated, int64_t p)
{
	g->works = dedicated ? GW_DEDICATED : GW_FRACTIONAL;
	track_states_add_util(r, dedicated ? UT_DEDICATED_ONCE : UT_WORKER_ONCE, p, 1, false);
}

static void end_mark_work(struct gotrace *r, struct track_goroutine *g, int64_t p)
{
	if (g->works)
		track_states_add_util(r, g->works == GW_DEDICATED ? UT_DEDICATED_ONCE : UT_WORKER_ONCE, p, -1, false);
	g->works = GW_NOTHING;
}

/* Update the share of a P used by the collector when a goroutine that works for it starts or stops executing. */
static void util_transition(struct gotrace *r, struct track_goroutine *g, const struct trace_event *ev)
{
	int delta = is_executing(ev->to) - is_executing(ev->from);
	if (!delta)
		return;
	if (g->assists)
		track_states_add_util(r, UT_ASSIST, ev->p, delta, false);
	if (g->dedicated || g->fractional)
		track_states_add_util(r, g->fractional ? UT_WORKER : UT_DEDICATED, ev->p, delta, false);
	if (delta < 0)
		end_mark_work(r, g, ev->p);
}

static enum tstate find_reason(const char *s, size_t n)
{
	for (int i = 0; n && i < TS__N; i++)
		if (reasons[i] && strlen(reasons[i]) == n && !memcmp(reasons[i], s, n))
			return (enum tstate)i;
	return n ? TS__N : TS_UNKNOWN;
}

static ALWAYS enum tstate wait_state(struct gotrace *r, uint32_t name, uint32_t *peer)
{
	size_t n;
	uint32_t own = TS__N + 1, *known = name < r->tab.nwait ? &r->tab.wait[name] : &own;
	if (!*known || known == &own) {
		const char *s = generation_str(r->tab.gen, name, &n);
		*known = find_reason(s, n) + 1u;
	}
	*peer = 0;
	if (*known <= TS__N)
		return (enum tstate)(*known - 1);
	*peer = intern_tables_str(r, name);	/* an unknown reason: its text */
	return TS_OTHER;
}

/* It was taken for a mark worker because of a label; now its name is known and it is none. */
static void clear_worker(struct gotrace *r, struct track_goroutine *g, int64_t p)
{
	g->mark_worker = false;
	end_mark_work(r, g, p);
	if (!r->sink->oddities)
		g->dedicated = g->fractional = false;
}

/* Set what is known from the root function. */
static ALWAYS void take_root(
    struct gotrace *r, struct track_goroutine *g, const struct start_function *root, const struct trace_event *ev)
{
	if (g->mark_worker && !root->worker)
		clear_worker(r, g, ev->p);
	g->named = !root->cut;
	g->system = root->system;
	g->mark_worker = root->worker;
}

/* If the event has the goroutine's own stack, take the goroutine's name from it. */
static void name_g(struct gotrace *r, struct track_goroutine *g, const struct trace_event *ev)
{
	if (ev->from == TST_NOTEXIST || ev->wire == GE_GoUnblock || ev->wire == GE_GoSwitch ||
	    ev->wire == GE_GoSwitchDestroy)
		return;
	const struct start_function *root = intern_tables_root(r, ev->stack);
	if (!root)
		return;
	take_root(r, g, root, ev);
	if (g->named)
		r->sink->trace->born(r->sink->self, g->trk, root->name, 0, 0, 0);
}

void track_states_init_table(struct gotrace *r, uint64_t places)
{
	static const struct goroutine_table_form form = {sizeof(struct track_goroutine),
	    _Alignof(struct track_goroutine), offsetof(struct track_goroutine, id),
	    offsetof(struct track_goroutine, state), offsetof(struct track_goroutine, free)};
	goroutine_table_init(&r->gs, &form, places);
}

/* All entries move, so the pointers of Ps to their goroutines are set again. */
void track_states_grow_table(struct gotrace *r)
{
	if (!goroutine_table_is_crowded(&r->gs, NEAR_GS_MOST))
		return;
	int64_t *runs = xmalloc(r->ps.cap * sizeof *runs + 1);
	for (size_t i = 0; i < r->ps.cap; i++) {
		const struct track_proc *p = r->ps.slot[i].used ? r->ps.slot[i].p : NULL;
		runs[i] = p && p->g && p->g->state ? p->g->id : -1;
	}
	goroutine_table_grow(&r->gs);
	for (size_t i = 0; i < r->ps.cap; i++)
		if (r->ps.slot[i].used)
			((struct track_proc *)r->ps.slot[i].p)->g =
			    runs[i] < 0 ? NULL : track_states_find_g(r, runs[i]);
	mem_free(runs);
}

/* Initialize a goroutine: a new entry, or that of an earlier goroutine with this id. */
static struct track_goroutine *new_g(struct gotrace *r, struct track_goroutine *g, const struct trace_event *ev)
{
	struct track_goroutine *place = track_states_place_g(r, ev->id);
	if (g && g->alone)
		u64_map_remove(&r->lost, (uint64_t)ev->id);
	if (!g)
		g = place->state ? goroutine_table_add(&r->gs, ev->id) : place;
	*g = (struct track_goroutine){.id = ev->id, .state = TST_NOTEXIST, .system = true};
	g->trk = find_track(r, TK_G, ev->id);
	if (ev->from != TST_NOTEXIST)
		return g;
	const struct track_goroutine *creator = track_states_g_of_event(r, ev);
	stk_id first = intern_tables_stack(r, ev->stack2), created = intern_tables_stack(r, ev->stack);
	const struct start_function *root = intern_tables_root(r, ev->stack2);
	if (root)
		take_root(r, g, root, ev);
	r->sink->trace->born(r->sink->self, g->trk, root ? root->name : 0, creator ? creator->trk : 0, first, created);
	if (creator)
		spans_inherit_task(r, g, creator);
	return g;
}

/* Return the P that the goroutine lost during its current system call; -1: none. */
static int64_t lost_p(const struct gotrace *r, const struct track_goroutine *g)
{
	const struct u64_slot *s = u64_map_get(&r->lost, (uint64_t)g->id);
	return s ? (int64_t)s->n : -1;
}

/* Clear the claim on the P that it took into its system call, and may have lost there. */
static ALWAYS void return_from_call(struct gotrace *r, const struct track_goroutine *g, struct track_proc *p)
{
	if (!p && g->alone && r->lost.n) {
		int64_t lost = lost_p(r, g);
		p = lost >= 0 ? track_states_get_p(r, lost) : NULL;
		u64_map_remove(&r->lost, (uint64_t)g->id);
	}
	if (p)
		p->syscall_g = -1;
}

/* Leave the previous state, which is ev->from unless events are missing. Returns the P for sink_enter.also of the
   goroutine's next entry, or 0. */
static ALWAYS uint16_t leave_state(struct gotrace *r, struct track_goroutine *g, unsigned was, unsigned to)
{
	int64_t t = gotrace_now(r);
	uint16_t also = 0;
	if (!is_executing(was))
		return 0;
	struct track_proc *p = track_states_p_of(g);
	if (was == TST_SYSCALL)
		return_from_call(r, g, p);
	if (p && p->g == g) {
		p->g = NULL;
		if (!is_executing(to))
			also = show_p_also(r, p, TS_IDLE, 0, t);
	}
	if (!is_executing(to)) {
		if (g->alone)
			show_m(r, g->m, TS_IDLE, 0, t);
		g->alone = false;
		g->p = NULL;
	}
	return also;
}

/* It has no P, or its P is gone: store its thread instead. */
static void detach_p(struct track_goroutine *g, int64_t m)
{
	g->alone = true;
	g->m = m;
}

static uint16_t __attribute__((noinline)) leave_another(struct gotrace *r, struct track_goroutine *g, unsigned to)
{
	return leave_state(r, g, g->state, to);
}

static void lose_p(struct gotrace *r, struct track_goroutine *g, int64_t m)
{
	bool fresh;
	if (g->state == TST_SYSCALL)
		u64_map_put(&r->lost, (uint64_t)g->id, &fresh)->n = (uint64_t)g->p->id;
	detach_p(g, m);
}

/* Set P and M of a goroutine that starts RUNNING or SYSCALL. Returns the P. */
static ALWAYS struct track_proc *take_p(
    struct gotrace *r, struct track_goroutine *g, const struct trace_event *ev, unsigned to)
{
	struct track_proc *p = (uint64_t)ev->p < NEAR_PS ? r->near[ev->p] : NULL;
	if (!p && ev->p >= 0)
		p = track_states_get_p(r, ev->p);
	if (!p) {
		if (to == TST_RUNNING || !g->alone)
			detach_p(g, to == TST_RUNNING ? ev->m : g->p ? g->p->m : -1);
		return NULL;
	}
	g->alone = false;
	g->p = p;
	p->g = g;
	return p;
}

/* Entering a state at t. since: start of that state; it is before t only at the first event of a track. */
struct state_entry { int64_t t, since; };

static ALWAYS void enter_running(
    struct gotrace *r, struct track_goroutine *g, const struct trace_event *ev, struct state_entry at, stk_id stack)
{
	struct track_proc *p = take_p(r, g, ev, TST_RUNNING);
	if (at.since < at.t)
		show_running(r, g, p, at.since, TS_PAST, stack);
	show_running(r, g, p, at.t, 0, stack);
	if (p)
		show_carrier(r, p, ev->m, at.since);
}

static ALWAYS void enter_syscall(
    struct gotrace *r, struct track_goroutine *g, const struct trace_event *ev, struct state_entry at, stk_id stack)
{
	struct track_proc *p = take_p(r, g, ev, TST_SYSCALL);
	uint32_t peer = p ? p->trk : 0;
	if (at.since < at.t)
		enter(r, g->trk, at.since, (p ? TS_SYSCALL : TS_SYSBLOCK) | (unsigned)TS_PAST, peer, stack);
	if (p && at.since < at.t)
		show_p(r, p, TS_SYSCALL, g->trk, at.since);
	enter_also(r, g->trk, at.t, TS_SYSCALL, peer, stack, p ? show_p_also(r, p, TS_SYSCALL, g->trk, at.t) : 0);
	g->shown = TS_SYSCALL;
	if (p) {
		p->syscall_g = g->id;
		show_carrier(r, p, ev->m, at.since);
	} else {
		show_m(r, g->m, TS_SYSBLOCK, g->trk, at.since);
	}
}

static ALWAYS void enter_plain(struct gotrace *r, struct track_goroutine *g, unsigned state, struct state_entry at,
    uint32_t peer, stk_id stack, uint16_t also)
{
	if (at.since < at.t)
		enter(r, g->trk, at.since, state | TS_PAST, peer, stack);
	enter_also(r, g->trk, at.t, state, peer, stack, also);
	g->shown = (uint8_t)state;
}

static void drop_g(struct gotrace *r, struct track_goroutine *g)
{
	if (g == track_states_place_g(r, g->id))
		g->state = TST_UNDETERMINED;
	else
		goroutine_table_remove(&r->gs, g);
	g->id = -1;
}

static ALWAYS void enter_state(struct gotrace *r, struct track_goroutine *g, const struct trace_event *ev,
    unsigned from, unsigned to, uint16_t also)
{
	const int64_t now = gotrace_now(r);
	const struct state_entry at = { now, from == TST_UNDETERMINED ? gotrace_rel(r, r->sync) : now };
	/* A status has no reason: the stack tells it. */
	bool since_before = from == TST_UNDETERMINED && to == TST_WAITING && !ev->name;
	enum tstate wait = since_before ? intern_tables_wait(r, ev->stack) : TS_UNKNOWN;
	stk_id stack = intern_tables_stack(r, ev->stack);
	uint32_t peer = 0;
	const struct track_goroutine *by;
	switch (to) {
	case TST_RUNNING:
		enter_running(r, g, ev, at, stack);
		break;
	case TST_SYSCALL:
		enter_syscall(r, g, ev, at, stack);
		break;
	case TST_RUNNABLE:
		by = ev->g != ev->id && from != TST_UNDETERMINED ? track_states_g_of_event(r, ev) : NULL;
		enter_plain(r, g, TS_READY, at, by ? by->trk : 0, stack, also);
		break;
	case TST_WAITING:
		wait = since_before ? wait : wait_state(r, ev->name, &peer);
		enter_plain(r, g, wait, at, peer, stack, also);
		if (wait == TS_FOREVER)
			spans_end_g(r, g, ev);
		break;
	case TST_NOTEXIST:
		if (g->top || g->ranged)
			spans_end_g(r, g, ev);
		enter_plain(r, g, TS_NONE, at, 0, stack, also);
		drop_g(r, g);
		break;
	default:
		if (also)
			enter(r, also, at.since, TS_IDLE, 0, 0);
	}
}

static ALWAYS void change_g(struct gotrace *r, const struct trace_event *ev, unsigned from, unsigned to)
{
	if (from == to)
		return;
	struct track_goroutine *g = track_states_find_g(r, ev->id);
	uint16_t also = 0;
	bool fresh = from == TST_UNDETERMINED || from == TST_NOTEXIST || !g;
	if (fresh)	/* new, or its earlier events are missing in a truncated trace: its state was unknown */
		g = new_g(r, g, ev);
	else if (g->state == from)
		also = leave_state(r, g, from, to);
	else
		also = leave_another(r, g, to);
	if (!g->named)
		name_g(r, g, ev);
	if (g->ranged || g->dedicated || g->fractional)
		util_transition(r, g, ev);
	g->state = (uint8_t)to;
	enter_state(r, g, ev, from, to, also);
}

static void __attribute__((noinline)) transition_p(struct gotrace *r, const struct trace_event *ev)
{
	struct track_proc *p = track_states_get_p(r, ev->id);
	int64_t t = gotrace_now(r);
	if (ev->to == TST_RUNNING && ev->m >= 0)
		show_carrier(r, p, ev->m, t);
	if (ev->wire == GE_ProcStart || ev->wire == GE_ProcStop)
		r->sink->trace->count(
		    r->sink->self, t, ev->wire == GE_ProcStart ? CT_PROC_START : CT_PROC_STOP, p->trk, 0);
	if (ev->from == ev->to || ev->to != TST_IDLE)
		return;
	int64_t m = p->m;
	show_carrier(r, p, -1, t);
	if (p->syscall_g >= 0) {
		struct track_goroutine *g = track_states_find_g(r, p->syscall_g);
		if (g && g->state == TST_SYSCALL) {
			enter(r, g->trk, t, TS_SYSBLOCK, 0, ev->g == g->id ? intern_tables_stack(r, ev->stack) : 0);
			g->shown = TS_SYSBLOCK;
			show_m(r, m, TS_SYSBLOCK, g->trk, t);
		}
		p->syscall_g = -1;
	}
	if (p->g) {
		if (track_states_p_of(p->g) == p)
			lose_p(r, p->g, m);
		p->g = NULL;
	}
	show_p(r, p, TS_IDLE, 0, t);
	if (ev->wire == GE_ProcSteal) {
		const struct track_goroutine *by = track_states_g_of_event(r, ev);
		r->sink->trace->mark(r->sink->self, &(struct sink_mark){ .t = t, .kind = MK_PROC_STEAL,
			.trk = p->trk, .task = by ? by->trk : 0 });
	}
}

/* Apply a transition that is not one of the common ones below. Returns false if the event is no transition. */
static bool __attribute__((noinline)) other_transition(struct gotrace *r, const struct trace_event *ev)
{
	if (ev->kind != TEV_TRANSITION)
		return false;
	if (ev->resource == TR_G)
		change_g(r, ev, ev->from, ev->to);
	else if (ev->resource == TR_P)
		transition_p(r, ev);
	return true;
}

/* Nearly all transitions are of a few types, each with fixed states before and after. Each type has its own
   inlined code without branches on these states: one jump has to be predicted instead of five. */
static ALWAYS bool apply_transition(struct gotrace *r, const struct trace_event *ev)
{
	switch (ev->wire) {
	case GE_GoStart: change_g(r, ev, TST_RUNNABLE, TST_RUNNING); break;
	case GE_GoBlock: change_g(r, ev, TST_RUNNING, TST_WAITING); break;
	case GE_GoUnblock: change_g(r, ev, TST_WAITING, TST_RUNNABLE); break;
	case GE_GoStop: change_g(r, ev, TST_RUNNING, TST_RUNNABLE); break;
	case GE_GoSyscallBegin: change_g(r, ev, TST_RUNNING, TST_SYSCALL); break;
	case GE_GoSyscallEnd: change_g(r, ev, TST_SYSCALL, TST_RUNNING); break;
	case GE_GoCreate: change_g(r, ev, TST_NOTEXIST, TST_RUNNABLE); break;
	case GE_GoDestroy: change_g(r, ev, TST_RUNNING, TST_NOTEXIST); break;
	default: return other_transition(r, ev);
	}
	return true;
}

size_t track_states_apply(struct gotrace *r, const struct trace_event *ev, size_t n)
{
	const struct trace_event *e = ev, *end = ev + n, *near = n > NEXT ? end - NEXT : ev;
	for (; e < end; e++) {
		__builtin_prefetch(e + NEXT_LINE);
		if (e < near)
			__builtin_prefetch(track_states_place_g(r, e[NEXT].id));
		gotrace_set_event(r, e);
		if (!apply_transition(r, e))
			break;
	}
	return (size_t)(e - ev);
}

/* Count g as a mark worker of that kind. */
static void label_worker(struct gotrace *r, struct track_goroutine *g, bool dedicated, int64_t p)
{
	if (dedicated)
		g->dedicated = true;
	else
		g->fractional = true;
	track_states_add_util(r, dedicated ? UT_DEDICATED : UT_WORKER, p, 1, false);
	if (g->mark_worker && is_executing(g->state) && !g->works)
		begin_mark_work(r, g, dedicated, p);
}

/* Since Go 1.26 a P has the mode of its next worker before the worker runs (assignWaitingGCWorker), and the first
   goroutine that runs there gets the label. The reference takes that goroutine for a worker from then on. */
void track_states_label_event(struct gotrace *r, const struct trace_event *ev)
{
	size_t n;
	const char *s = generation_str(r->tab.gen, ev->name, &n);
	struct track_goroutine *g = track_states_g_of_event(r, ev);
	r->sink->trace->mark(r->sink->self, &(struct sink_mark){ .t = gotrace_now(r), .kind = MK_LABEL,
		.trk = g ? g->trk : 0, .text = intern_tables_str(r, ev->name) });
	if (!g || n < 3 || memcmp(s, "GC ", 3))
		return;
	bool idle = n == 9 && !memcmp(s, "GC (idle)", 9), dedicated = n == 14 && !memcmp(s, "GC (dedicated)", 14);
	if (!g->mark_worker && !g->named) {
		g->mark_worker = true;
		if (g->state == TST_RUNNING)
			show_running(r, g, track_states_p_of(g), gotrace_now(r), 0, 0);
	}
	if (!idle && (g->mark_worker || r->sink->oddities))
		label_worker(r, g, dedicated, ev->p);
}
