/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The walk over all intervals that divides the time of goroutines into rounds and requests, and sums it up by class.
 *
 * A round starts when an idle wait ends, and ends when the next one starts. If the goroutine existed before the trace,
 * the time up to its first idle wait is one without a start; one that is open at the end of the trace, or when its
 * goroutine ends, has no end. The time that a new goroutine takes to reach its first idle wait is neither.
 *
 * A request starts like a round. But the next request of a connection may be there before the goroutine would wait for
 * it: then the request starts with the system call that reads it. A server that tells by a goroutine of its own that it
 * works for a request (`begins` in servers.def) even tells requests apart that were read by one call. A request ends
 * with the last system call that sent its response: what the server does after it (net/http waits until the goroutine
 * that reads in the background has stopped) is no latency of a client. A connection that only reads works for no
 * request yet.
 *
 * What is open is kept by goroutine from one sheet to the next. Its time is added to its kind when it closes, since the
 * handler of a request is known only when a stack in the handler was seen. The request that recorded the trace is left
 * out: it waits for the end of the recording, which is no work of the program.
 */
#include "config.h"
#include "operations/internal.h"

#include "base/wrap_math.h"
#include "store/tracks/time_search.h"
#include "trace/longest_wait.h"
#include "trace/run_stacks.h"
#include "trace/user_code.h"
#include "trace/wait_before.h"

#include <string.h>

/* Time by class; classes: a bit per class whose ns may not be 0. */
struct class_time { int64_t ns[TIME_CLASS__N]; uint32_t classes; };

/* A round or request, or the time between two. after: the time since the response was sent, of servers. */
struct open_work {
	struct class_time time, after;
	int64_t t0, upto;		/* t0: TIME_NONE: none is open; upto: end of the last interval */
	int64_t sent;			/* end of the last call that sent the response; TIME_NONE: none did */
	stk_id idle, handler;		/* the idle wait before it */
	stk_id call;			/* of the system call in which the goroutine is; 0: none */
	uint32_t depth;			/* of the handler */
	bool started;			/* its start is in the trace */
	bool woken;			/* it starts when the goroutine was woken from a wait that is not known */
	bool worked, begun, records;	/* it is more than reading; it had `begins`; it recorded the trace */
	bool user;			/* it had an event in user code */
};

_Static_assert(TIME_CLASS__N <= 32, "a bit for each class");

/* A goroutine started to record the trace at t. */
struct recording { trk_id g; int64_t t; };

struct walk {
	struct operation_list *to;
	const struct goroutine_roles *r;
	struct class_cache cache;
	struct open_work *v;
	size_t n, cap;
	uint32_t *slot;			/* by track: number of its open work plus 1 */
	int64_t *waited;		/* by track: time of the wait in which it is, as far as sheets have it */
	uint8_t *wait;			/* by track: class of that wait */
	uint32_t *round;		/* by idle wait: number of the kind of its rounds plus 1; 0: not known yet */
	struct run_moments moments;
	uint8_t *seen;			/* see populations_form() */
	const struct recording *recording;
	uint32_t nrecordings;
};

/* ---- the time of one operation by class */

static void add_ns(struct class_time *to, enum time_class c, int64_t ns)
{
	to->ns[c] = wrap_add(to->ns[c], ns);
	to->classes |= UINT32_C(1) << c;
}

static void add_time(int64_t ns[TIME_CLASS__N], const struct class_time *from)
{
	for (uint32_t left = from->classes; left; left &= left - 1)
		wrap_add_to(&ns[__builtin_ctz(left)], from->ns[__builtin_ctz(left)]);
}

/* Only the classes in `classes` are cleared, because the others are zero and there may be millions of operations. */
static void clear_time(struct class_time *t)
{
	for (uint32_t left = t->classes; left; left &= left - 1)
		t->ns[__builtin_ctz(left)] = 0;
	t->classes = 0;
}

static void move_time(struct class_time *from, struct class_time *to)
{
	add_time(to->ns, from);
	to->classes |= from->classes;
	clear_time(from);
}

/* ---- the recording of the trace */

/* Find where goroutines started the recording: the world was stopped for it. */
static const struct recording *recordings_of(const struct snap *sn, struct arena *scratch, uint32_t *n)
{
	enum { MOST = 16 };	/* a flight recorder adds some */
	static const char name[] = "start trace";
	struct recording *v = arena_alloc(scratch, MOST * sizeof *v);
	*n = 0;
	for (uint32_t i = 0; *n < MOST && (i = time_search_next_span(sn, i, 1u << SP_STW, sn->t0, sn->t1)) != UINT32_MAX; i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		const struct str_row *why = store_str(sn->st, s->name);
		if (s->trk && why->n >= sizeof name && memmem(why->s, why->n, name, sizeof name - 1))
			v[(*n)++] = (struct recording){s->trk, s->t0 == TIME_NONE ? sn->t0 : s->t0};
	}
	return v;
}

static bool is_recording(const struct walk *w, trk_id g, int64_t t0, int64_t t1)
{
	for (uint32_t i = 0; i < w->nrecordings; i++)
		if (w->recording[i].g == g && w->recording[i].t >= t0 && w->recording[i].t < t1)
			return true;
	return false;
}

/* ---- kinds */

static uint32_t round_kind(struct walk *w, stk_id idle)
{
	const struct snap *sn = w->to->sn;
	bool fresh;
	if (w->round[idle])
		return w->round[idle] - 1;
	stk_id site = user_code_site(sn->st, idle);
	const struct frm_row *f = store_frm(sn->st, stk_frame(sn->st, site));
	uint32_t k = operations_list_kind(w->to, OPERATION_ROUND, (uint64_t)f->fun << 32 | (uint32_t)f->line, &fresh);
	if (fresh) {
		struct operation_kind *x = &w->to->kind[k];
		const struct str_row *s = store_str(sn->st, store_fun(sn->st, f->fun)->name);
		x->site = idle;
		x->name = operations_kind_name(w->to->mem, sn->st, NULL, s->s, s->n, site, &x->nname);
	}
	w->round[idle] = k + 1;
	return k;
}

/* Kinds of requests are by handler here, and get their names when all are known (populations.c). */
static uint32_t server_kind(struct walk *w, unsigned server, stk_id handler)
{
	const struct snap *sn = w->to->sn;
	bool fresh;
	fun_id fun = handler ? store_frm(sn->st, stk_frame(sn->st, handler))->fun : 0;
	uint32_t k = operations_list_kind(w->to, OPERATION_SERVER, operations_server_key(server, fun), &fresh);
	if (fresh) {
		w->to->kind[k].site = handler;
		w->to->kind[k].streams = servers_is_life(w->r->servers, server);
	}
	return k;
}

/* Note the handler of a request, whose kind in the list is k. */
static void keep_handler(struct operation_list *to, uint64_t id, uint32_t k)
{
	size_t i = (size_t)(id - to->first_part);
	if (!to->kind[k].site || k + 1 > UINT16_MAX)
		return;
	to->handler = mem_grow(to->handler, &to->chandler, i + 1, sizeof *to->handler);
	memset(to->handler + to->nhandler, 0, (i - to->nhandler) * sizeof *to->handler);
	to->handler[i] = (uint16_t)(k + 1);
	to->nhandler = i + 1;
}

/* ---- rounds and requests */

static struct open_work *work_of(struct walk *w, trk_id g, bool *fresh)
{
	*fresh = !w->slot[g];
	if (*fresh) {
		w->v = mem_grow(w->v, &w->cap, w->n + 1, sizeof *w->v);
		w->v[w->n++] = (struct open_work){.t0 = TIME_NONE, .sent = TIME_NONE};
		w->slot[g] = (uint32_t)w->n;
	}
	return &w->v[w->slot[g] - 1];
}

/* Does the goroutine serve requests? Does it serve one, which is its life? */
static bool is_server(const struct walk *w, trk_id g)
{
	return w->r->role[g] == ROLE_SERVER;
}

static bool is_life(const struct walk *w, trk_id g)
{
	return is_server(w, g) && servers_is_life(w->r->servers, w->r->of[g]);
}

static bool has_acted(const struct walk *w, trk_id g)
{
	return w->r->acts[g >> 3] >> (g & 7) & 1;
}

static void add_work(struct walk *w, trk_id g, const struct open_work *o, int64_t t, bool complete)
{
	struct operation x = {.t0 = o->t0, .t1 = t, .id = w->to->next_id++, .g = g, .starter = g};
	bool server = is_server(w, g), selected;
	x.complete = complete;
	selected = operations_list_selects(w->to, &x);
	if (!server && !selected)
		return;
	uint32_t k = server ? server_kind(w, w->r->of[g], o->handler) : round_kind(w, o->idle ? o->idle : w->r->of[g]);
	w->to->found[k].n++;
	w->to->found[k].in_user_code += o->user;
	if (!selected)
		return;
	x.kind = k & (UINT32_MAX >> 1);
	operations_list_add(w->to, &x, OPERATION_NONE);
	add_time(w->to->kind[k].class_ns, &o->time);
	w->to->kind[k].nacting += has_acted(w, g);
	if (!server)
		return;
	keep_handler(w->to, x.id, k);
	w->to->kind[k].nbefore += !o->started && !is_life(w, g);
	w->to->kind[k].nbegun += o->begun;
}

/* Add what is open as an operation that ends at t, unless nothing was worked for. */
static void add_open_work(struct walk *w, trk_id g, const struct open_work *o, int64_t t, bool ended)
{
	bool server = is_server(w, g);
	if (o->t0 == TIME_NONE || (server && (!o->worked || o->records || is_recording(w, g, o->t0, t))))
		return;
	add_work(w, g, o, t, o->started && ended);
}

/* Open nothing. */
static void clear_work(struct open_work *o)
{
	clear_time(&o->time);
	clear_time(&o->after);
	o->t0 = o->sent = TIME_NONE;
	o->idle = o->handler = o->call = 0;
	o->depth = 0;
	o->started = o->woken = o->worked = o->begun = o->records = o->user = false;
}

/* Add what is open as an operation, and open nothing. It ends at t, or when the response was sent. */
static void close_work(struct walk *w, trk_id g, struct open_work *o, int64_t t, bool ended)
{
	if (o->sent == TIME_NONE)
		move_time(&o->after, &o->time);
	add_open_work(w, g, o, o->sent == TIME_NONE ? t : o->sent, ended);
	clear_work(o);
	o->upto = t;
}

static void open_work(struct open_work *o, int64_t t, bool started, stk_id idle)
{
	clear_work(o);
	o->t0 = o->upto = t;
	o->started = started;
	o->idle = idle;
}

/* Another request was read together with the one that is open: it starts when the response to that one was sent. */
static void open_next(struct walk *w, trk_id g, struct open_work *o)
{
	struct open_work next = {.after = o->after, .t0 = o->sent, .upto = o->upto, .sent = TIME_NONE, .call = o->call,
	    .started = true};
	if (o->sent == TIME_NONE)
		return;
	add_open_work(w, g, o, o->sent, true);
	*o = next;
}

/* An event of a request has this stack. */
static void note_stack(struct walk *w, trk_id g, struct open_work *o, stk_id stack)
{
	const struct server_stack *x = stack && stack < w->to->sn->nstks ? &w->r->stack[stack] : NULL;
	if (!x || x->server != w->r->of[g] + 1 || x->idle)
		return;
	o->worked = o->worked || x->works || !servers_has_works(w->r->servers, w->r->of[g]);
	o->records = o->records || x->records;
	o->user = o->user || x->user;
	if (!o->records)
		w->seen[stack >> 3] |= (uint8_t)(1u << (stack & 7));
	if (!x->handler || x->handler == o->handler)
		return;
	uint32_t depth = stacks_depth(w->to->sn->st, x->handler);
	if (depth > o->depth) {
		o->handler = x->handler;
		o->depth = depth;
	}
}

/* The goroutine created another one at this stack. */
static void note_creation(struct walk *w, trk_id g, struct open_work *o, stk_id stack)
{
	const struct server_stack *x = stack && stack < w->to->sn->nstks ? &w->r->stack[stack] : NULL;
	if (!x || x->server != w->r->of[g] + 1 || !x->begins)
		return;
	if (o->begun)
		open_next(w, g, o);
	o->begun = o->worked = true;
}

/* Note the stacks of the goroutine's samples, and those at which it woke or created others, before t. */
static void note_moments(struct walk *w, trk_id g, struct open_work *o, int64_t t)
{
	struct run_moment m;
	while (run_moments_next(&w->moments, t, &m)) {
		if (o->t0 == TIME_NONE)
			continue;
		if (m.created)
			note_creation(w, g, o, m.stack);
		note_stack(w, g, o, m.stack);
	}
}

static bool is_idle_wait(const struct walk *w, stk_id stack)
{
	return stack && stack < w->to->sn->nstks && w->r->idle[stack >> 3] >> (stack & 7) & 1;
}

/* Is it a wait for work? */
static bool is_idle(const struct walk *w, trk_id g, enum tstate s, stk_id stack)
{
	return state_is_wait(s) && is_idle_wait(w, stack) && (!is_server(w, g) || w->r->stack[stack].idle);
}

static bool is_call(enum tstate s)
{
	return s == TS_SYSCALL || s == TS_SYSBLOCK;
}

/* The first known interval of a goroutine: work of before the trace is open, and so is a request that is the whole
   life. */
static void begin(const struct walk *w, trk_id g, struct open_work *o, const struct sheet *sh, uint32_t i)
{
	bool born = goroutine_started(w->to->sn, g), life = is_life(w, g);
	enum tstate s = (enum tstate)(sh->state[i] & SHEET_STATE);
	/* one that waits since before the trace may have no work */
	if (!(state_is_wait(s) && is_idle(w, g, s, sheet_stack(sh, i))) && (!born || life))
		open_work(o, sh->t0 + sheet_start(sh, i), born, 0);
	o->worked = life;
	o->woken = (sh->state[i] & (SHEET_STATE | SHEET_PAST)) == TS_READY;
}

/* The goroutine calls the system to read its next request. What was open before it has ended; what only reads is the
   request itself. A goroutine that was woken to read had waited for the request. */
static void begin_reading(struct walk *w, trk_id g, struct open_work *o, int64_t t)
{
	if (o->worked)
		close_work(w, g, o, t, true);
	if (o->t0 == TIME_NONE || (!o->started && !o->woken))
		open_work(o, t, true, 0);
	o->started = true;
}

/* An interval of a goroutine that serves requests. calls: a system call starts. */
static void add_request_interval(
    struct walk *w, trk_id g, struct open_work *o, enum time_class c, bool calls, int64_t t, int64_t end)
{
	const struct server_stack *call = o->call ? &w->r->stack[o->call] : NULL;
	bool of_server = call && call->server == w->r->of[g] + 1;
	if (of_server && calls && call->idle)
		begin_reading(w, g, o, t);
	if (o->t0 != TIME_NONE)
		add_ns(&o->after, c, end - t);
	note_moments(w, g, o, end);
	if (o->t0 == TIME_NONE || !of_server || !call->writes)
		return;
	note_stack(w, g, o, o->call);
	move_time(&o->after, &o->time);
	o->sent = end;
}

static void add_interval(struct walk *w, trk_id g, struct open_work *o, const struct sheet *sh, uint32_t row, uint32_t i)
{
	int64_t t = sh->t0 + sheet_start(sh, i), end = sheet_end(sh, row, i);
	enum tstate s = (enum tstate)(sh->state[i] & SHEET_STATE);
	stk_id stack = state_is_wait(s) || is_call(s) ? sheet_stack(sh, i) : 0;
	if (s == TS_NONE) {
		close_work(w, g, o, t, is_life(w, g) || o->sent != TIME_NONE);
		return;
	}
	if (is_idle(w, g, s, stack)) {
		close_work(w, g, o, t, true);
		o->idle = stack;
		o->upto = end;
		return;
	}
	if (o->t0 == TIME_NONE && o->idle)
		open_work(o, t, true, o->idle);
	o->upto = end;
	/* a call that loses its P has no stack of its own then */
	o->call = !is_call(s) || stack >= w->to->sn->nstks ? 0 : stack ? stack : o->call;
	if (is_server(w, g))
		add_request_interval(w, g, o, class_cache_of(&w->cache, sh, i),
		    o->call && stack && !trace_interval_continues(w->to->sn, sh, row, i), t, end);
	else if (o->t0 != TIME_NONE)
		add_ns(&o->time, class_cache_of(&w->cache, sh, i), end - t);
	if (is_server(w, g) && o->t0 != TIME_NONE && stack)
		note_stack(w, g, o, stack);
}

static void divide_row(struct walk *w, const struct sheet *sh, uint32_t row)
{
	bool fresh;
	trk_id g = sh->trk[row];
	struct open_work *o = work_of(w, g, &fresh);
	if (is_server(w, g))
		run_moments_begin_goroutine(&w->moments, g);
	for (uint32_t i = sh->first[row]; i < sh->first[row + 1]; i++) {
		enum tstate s = (enum tstate)(sh->state[i] & SHEET_STATE);
		if (fresh && s != TS_NONE && s != TS_UNKNOWN) {
			begin(w, g, o, sh, i);
			fresh = false;
		}
		if (!fresh)
			add_interval(w, g, o, sh, row, i);
	}
}

/* ---- the walk */

/* Is the time of interval i of a goroutine work of it, or does another goroutine end it? A wait for a timer or the network is
   neither, as those of tickers and idle connections. before: of a wait, its time in earlier sheets. */
static int64_t time_in_flight(const struct walk *w, const struct sheet *sh, uint32_t row, uint32_t i, int64_t before)
{
	enum tstate s = (enum tstate)(sh->state[i] & SHEET_STATE);
	stk_id stack = state_is_wait(s) ? sheet_stack(sh, i) : 0;
	int64_t ns = sheet_end(sh, row, i) - sh->t0 - sheet_start(sh, i);
	bool last = i + 1 == sh->first[row + 1];
	if (s == TS_NONE || s == TS_UNKNOWN)
		return 0;
	if (!state_is_wait(s))
		return ns;
	bool woken = !last && (sh->state[i + 1] & SHEET_STATE) == TS_READY && sheet_peer(sh, i + 1);
	return woken && !is_idle_wait(w, stack) && s != TS_NET && s != TS_SLEEP ? wrap_add(ns, before) : 0;
}

static void sum_row(struct walk *w, const struct sheet *sh, uint32_t row)
{
	trk_id g = sh->trk[row];
	struct operation_kind *k = &w->to->kind[w->r->of[g]];
	for (uint32_t i = sh->first[row]; i < sh->first[row + 1]; i++)
		if (sh->state[i] & SHEET_STATE) {
			enum time_class c = class_cache_of(&w->cache, sh, i);
			wrap_add_to(&k->class_ns[c], sheet_end(sh, row, i) - trace_interval_start(w->to->sn, sh, row, i));
			int64_t before = i == sh->first[row] && trace_interval_continues(w->to->sn, sh, row, i) ? w->waited[g] : 0;
			wrap_add_to(&k->in_flight, time_in_flight(w, sh, row, i, before));
		}
}

/* Note which goroutines ended waits of others, apart from those for a lock, and which wrote to the network. */
static void note_acts(struct walk *w, const struct sheet *sh, uint32_t row)
{
	uint8_t *acts = w->r->acts;
	for (uint32_t i = sh->first[row]; i < sh->first[row + 1]; i++) {
		enum tstate s = (enum tstate)(sh->state[i] & SHEET_STATE);
		stk_id stack = state_is_wait(s) || is_call(s) ? sheet_stack(sh, i) : 0;
		if (!stack || stack >= w->to->sn->nstks)
			continue;
		trk_id g = sh->trk[row], by = i + 1 < sh->first[row + 1] ? sheet_peer(sh, i + 1) : 0;
		if (is_call(s) && w->r->stack[stack].sends)
			acts[g >> 3] |= (uint8_t)(1u << (g & 7));
		if (!state_is_wait(s) || !w->r->stack[stack].user || !by || by == g || by >= w->to->sn->ntrks ||
		    (sh->state[i + 1] & SHEET_STATE) != TS_READY)
			continue;
		enum time_class c = class_cache_of(&w->cache, sh, i);
		if (c == TIME_CHANNEL || c == TIME_SELECT || c == TIME_COND || c == TIME_WAITGROUP)
			acts[by >> 3] |= (uint8_t)(1u << (by & 7));
	}
}

/* Count the lives and goroutines that acted. */
static void count_acts(const struct walk *w)
{
	for (size_t k = 0; k < w->to->nkinds; k++) {
		struct operation_kind *x = &w->to->kind[k];
		for (uint32_t i = 0; operations_is_whole(x->source) && i < x->n; i++)
			x->nacting += has_acted(w, ((const trk_id *)x->record)[i]);
	}
}

/* Note how long a goroutine that does not end has been waiting at the end of the row. */
static void note_wait(struct walk *w, const struct sheet *sh, uint32_t row)
{
	trk_id g = sh->trk[row];
	uint32_t first = sh->first[row], i = sh->first[row + 1] - 1;
	bool waits = state_is_wait((enum tstate)(sh->state[i] & SHEET_STATE));
	w->wait[g] = (uint8_t)class_cache_of(&w->cache, sh, i);
	while (i > first && trace_interval_continues(w->to->sn, sh, row, i))
		i--;
	bool whole = w->r->role[g] == ROLE_WHOLE;
	int64_t here = sh->t1 - (whole ? trace_interval_start(w->to->sn, sh, row, i) : sh->t0 + sheet_start(sh, i));
	w->waited[g] = !waits ? 0 : trace_interval_continues(w->to->sn, sh, row, i) ? w->waited[g] + here : here;
}

/* Time of a kind in a wait that lasts to the end of the trace is time of another class. */
static void move_still_blocked(const struct walk *w, trk_id g, int64_t *ns)
{
	ns[w->wait[g]] = wrap_sub(ns[w->wait[g]], w->waited[g]);
	ns[TIME_STILL_BLOCKED] = wrap_add(ns[TIME_STILL_BLOCKED], w->waited[g]);
}

static void block_work(const struct walk *w, trk_id g, struct open_work *o)
{
	o->time.classes |= UINT32_C(1) << w->wait[g] | UINT32_C(1) << TIME_STILL_BLOCKED;
	move_still_blocked(w, g, o->time.ns);
}

static void finish_all(struct walk *w)
{
	const struct snap *sn = w->to->sn;
	for (trk_id g = 1; g < sn->ntrks; g++) {
		struct open_work *o = w->slot[g] ? &w->v[w->slot[g] - 1] : NULL;
		bool ended = w->r->role[g] != ROLE_NONE && goroutine_ended(sn, w->r->forever, g);
		if (o && o->t0 != TIME_NONE && !ended) {
			move_time(&o->after, &o->time);
			o->sent = TIME_NONE;
			block_work(w, g, o);
		}
		if (w->r->role[g] == ROLE_WHOLE && !ended)
			move_still_blocked(w, g, w->to->kind[w->r->of[g]].class_ns);
		if (o)
			close_work(w, g, o, o->upto, ended && (is_life(w, g) || o->sent != TIME_NONE));
	}
}

static void walk_sheet(struct walk *w, struct class_sums *tasks, const struct sheet *sh)
{
	uint32_t most = w->to->sn->ntrks;
	run_moments_begin_sheet(&w->moments, w->to->sn, sh);
	for (uint32_t row = sh->nother; row < sh->ntrk && sh->trk[row] < most; row++) {
		enum goroutine_role role = w->r->role[sh->trk[row]];
		class_sums_row(tasks, sh, row, &w->cache);
		note_acts(w, sh, row);
		if (role == ROLE_ROUND || role == ROLE_SERVER)
			divide_row(w, sh, row);
		else if (role == ROLE_WHOLE)
			sum_row(w, sh, row);
		if (role == ROLE_WHOLE || (role != ROLE_NONE && !goroutine_ended(w->to->sn, w->r->forever, sh->trk[row])))
			note_wait(w, sh, row);
	}
}

/* Set the classes of the kinds of tasks. */
static void take_task_classes(struct operation_list *to, const struct class_table *t)
{
	for (uint32_t k = 0; k < t->n; k++)
		for (int i = 0; i < t->ncol && to->kind[k].source == OPERATION_TASK; i++)
			to->kind[k].class_ns[t->col[i]] = t->ns[k * (uint32_t)t->ncol + (uint32_t)i];
}

bool work_walk(struct operation_list *to, const struct task_work *tasks, const struct goroutine_roles *r,
    const struct progress_watcher *on)
{
	const struct snap *sn = to->sn;
	struct walk w = {.to = to, .r = r};
	struct arena scratch = {0};
	struct class_table of_tasks = class_table_new((uint32_t)to->nkinds, NULL, &scratch);
	struct class_sums *sums = class_sums_new(sn, tasks->points, &of_tasks);
	bool go = true;
	to->first_part = to->next_id;
	w.seen = xcalloc(sn->nstks / 8 + 1u, 1);
	w.recording = recordings_of(sn, &scratch, &w.nrecordings);
	class_cache_init(&w.cache, sn);
	w.round = xcalloc(sn->nstks + 1u, sizeof *w.round);
	w.slot = xcalloc(sn->ntrks + 1u, sizeof *w.slot);
	w.waited = xcalloc(sn->ntrks + 1u, sizeof *w.waited);
	w.wait = xcalloc(sn->ntrks + 1u, 1);
	for (uint32_t s = 0; s < sn->nsheets && (go = !on || watcher_report(on, s, sn->nsheets)); s++)
		walk_sheet(&w, sums, sheet_get(sn, s));
	finish_all(&w);
	class_sums_finish(sums);
	take_task_classes(to, &of_tasks);
	count_acts(&w);
	populations_form(to, r, w.seen);
	arena_free(&scratch);
	run_moments_free(&w.moments);
	class_cache_free(&w.cache);
	mem_free(w.seen);
	mem_free(w.wait);
	mem_free(w.waited);
	mem_free(w.slot);
	mem_free(w.round);
	mem_free(w.v);
	return go;
}
