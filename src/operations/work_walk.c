/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The walk over all intervals that divides the time of goroutines into rounds and requests, and sums it up by class.
 *
 * A round or request starts when an idle wait ends, and ends when the next one starts. If the goroutine existed before
 * the trace, the time up to its first idle wait is one without a start; one that is open at the end of the trace, or
 * when its goroutine ends, has no end. The time that a new goroutine takes to reach its first idle wait is neither.
 *
 * What is open is kept by goroutine from one sheet to the next. Its time is added to its kind when it closes, since the
 * handler of a request is known only when a stack in the handler was seen. A connection that only reads bytes works for
 * no request yet.
 */
#include "config.h"
#include "operations/internal.h"

#include "base/wrap_math.h"
#include "trace/longest_wait.h"
#include "trace/run_stacks.h"
#include "trace/user_code.h"

/* A round or request, or the time between two. */
struct open_work {
	int64_t ns[TIME_CLASS__N];
	uint32_t classes;		/* a bit per class: its ns may not be 0 */
	int64_t t0, upto;		/* t0: TIME_NONE: none is open; upto: end of the last interval */
	stk_id idle, handler;		/* the idle wait before it */
	uint32_t depth;			/* of the handler */
	bool started, worked;		/* its start is in the trace; it is more than reading */
};

_Static_assert(TIME_CLASS__N <= 32, "a bit for each class");

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
};

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

static uint32_t server_kind(struct walk *w, unsigned server, stk_id handler)
{
	const struct snap *sn = w->to->sn;
	bool fresh;
	fun_id fun = handler ? store_frm(sn->st, stk_frame(sn->st, handler))->fun : 0;
	uint32_t k = operations_list_kind(w->to, OPERATION_SERVER, (uint64_t)server << 32 | fun, &fresh);
	if (fresh) {
		struct operation_kind *x = &w->to->kind[k];
		const struct str_row *s = store_str(sn->st, store_fun(sn->st, fun)->name);
		x->site = handler;
		x->name = operations_kind_name(w->to->mem, sn->st, servers_name(w->r->servers, server), s->s, s->n, 0, &x->nname);
	}
	return k;
}

/* ---- rounds and requests */

static struct open_work *work_of(struct walk *w, trk_id g, bool *fresh)
{
	*fresh = !w->slot[g];
	if (*fresh) {
		w->v = mem_grow(w->v, &w->cap, w->n + 1, sizeof *w->v);
		w->v[w->n++] = (struct open_work){.t0 = TIME_NONE};
		w->slot[g] = (uint32_t)w->n;
	}
	return &w->v[w->slot[g] - 1];
}

static void add_work(struct walk *w, trk_id g, const struct open_work *o, int64_t t, bool complete)
{
	struct operation x = {.t0 = o->t0, .t1 = t, .id = w->to->next_id++, .g = g, .starter = g};
	x.complete = complete;
	if (!operations_list_selects(w->to, &x))
		return;
	uint32_t k = w->r->role[g] == ROLE_SERVER ? server_kind(w, w->r->of[g], o->handler)
						  : round_kind(w, o->idle ? o->idle : w->r->of[g]);
	x.kind = k & (UINT32_MAX >> 1);
	operations_list_add(w->to, &x, OPERATION_NONE);
	for (uint32_t left = o->classes; left; left &= left - 1) {
		int64_t *ns = &w->to->kind[k].class_ns[__builtin_ctz(left)];
		*ns = wrap_add(*ns, o->ns[__builtin_ctz(left)]);
	}
}

/* Clear the open work. Only the classes in `classes` are cleared, because the others are zero and there may be millions of
   operations. */
static void clear_work(struct open_work *o)
{
	for (uint32_t left = o->classes; left; left &= left - 1)
		o->ns[__builtin_ctz(left)] = 0;
	o->classes = 0;
	o->t0 = TIME_NONE;
	o->idle = o->handler = 0;
	o->depth = 0;
	o->started = o->worked = false;
}

static void add_ns(struct open_work *o, enum time_class c, int64_t ns)
{
	o->ns[c] = wrap_add(o->ns[c], ns);
	o->classes |= UINT32_C(1) << c;
}

/* Add what is open as an operation that ends at t, and open nothing. */
static void close_work(struct walk *w, trk_id g, struct open_work *o, int64_t t, bool ended)
{
	if (o->t0 != TIME_NONE && (o->worked || w->r->role[g] != ROLE_SERVER))
		add_work(w, g, o, t, o->started && ended);
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

static uint32_t stack_depth(const struct store *st, stk_id s)
{
	uint32_t n = 0;
	for (; s; s = stk_parent(st, s))
		n++;
	return n;
}

/* An event of a request has this stack. */
static void note_stack(struct walk *w, trk_id g, struct open_work *o, stk_id stack)
{
	const struct server_stack *x = stack && stack < w->to->sn->nstks ? &w->r->stack[stack] : NULL;
	if (!x || x->server != w->r->of[g] + 1 || x->idle)
		return;
	o->worked = true;
	if (!x->handler || x->handler == o->handler)
		return;
	uint32_t depth = stack_depth(w->to->sn->st, x->handler);
	if (depth > o->depth) {
		o->handler = x->handler;
		o->depth = depth;
	}
}

/* Note the stacks of the goroutine's samples, and those at which it woke or created others, before t. */
static void note_moments(struct walk *w, trk_id g, struct open_work *o, int64_t t)
{
	struct run_moment m;
	while (run_moments_next(&w->moments, t, &m))
		note_stack(w, g, o, m.stack);
}

/* Is it a wait for work? */
static bool is_idle(const struct walk *w, trk_id g, enum tstate s, stk_id stack)
{
	if (!state_is_wait(s) || !stack || stack >= w->to->sn->nstks || !(w->r->idle[stack >> 3] >> (stack & 7) & 1))
		return false;
	return w->r->role[g] != ROLE_SERVER || w->r->stack[stack].idle;
}

static bool has_stack(enum tstate s)
{
	return state_is_wait(s) || s == TS_SYSCALL || s == TS_SYSBLOCK;
}

/* Does the goroutine serve one request? */
static bool is_life(const struct walk *w, trk_id g)
{
	return w->r->role[g] == ROLE_SERVER && servers_is_life(w->r->servers, w->r->of[g]);
}

/* The first known interval of a goroutine: work of before the trace is open, and so is a request that is the whole
   life. */
static void begin(const struct walk *w, trk_id g, struct open_work *o, int64_t t)
{
	bool born = goroutine_started(w->to->sn, g), life = is_life(w, g);
	if (!born || life)
		open_work(o, t, born, 0);
	o->worked = life;
}

static void add_interval(struct walk *w, trk_id g, struct open_work *o, const struct sheet *sh, uint32_t row, uint32_t i)
{
	int64_t t = sh->t0 + sheet_start(sh, i), end = sheet_end(sh, row, i);
	enum tstate s = (enum tstate)(sh->state[i] & SHEET_STATE);
	stk_id stack = has_stack(s) ? sheet_stack(sh, i) : 0;
	if (s == TS_NONE) {
		close_work(w, g, o, t, is_life(w, g));
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
	if (o->t0 == TIME_NONE)
		return;
	add_ns(o, class_cache_of(&w->cache, sh, i), end - t);
	if (w->r->role[g] != ROLE_SERVER)
		return;
	note_moments(w, g, o, end);
	if (stack)
		note_stack(w, g, o, stack);
}

static void divide_row(struct walk *w, const struct sheet *sh, uint32_t row)
{
	bool fresh;
	trk_id g = sh->trk[row];
	struct open_work *o = work_of(w, g, &fresh);
	if (w->r->role[g] == ROLE_SERVER)
		run_moments_begin_goroutine(&w->moments, g);
	for (uint32_t i = sh->first[row]; i < sh->first[row + 1]; i++) {
		enum tstate s = (enum tstate)(sh->state[i] & SHEET_STATE);
		if (fresh && s != TS_NONE && s != TS_UNKNOWN) {
			begin(w, g, o, sh->t0 + sheet_start(sh, i));
			fresh = false;
		}
		if (!fresh)
			add_interval(w, g, o, sh, row, i);
	}
}

/* ---- the walk */

static void sum_row(struct walk *w, const struct sheet *sh, uint32_t row)
{
	int64_t *ns = w->to->kind[w->r->of[sh->trk[row]]].class_ns;
	for (uint32_t i = sh->first[row]; i < sh->first[row + 1]; i++)
		if (sh->state[i] & SHEET_STATE) {
			enum time_class c = class_cache_of(&w->cache, sh, i);
			ns[c] = wrap_add(ns[c], sheet_end(sh, row, i) - sh->t0 - sheet_start(sh, i));
		}
}

/* Note how long a goroutine that does not end has been waiting at the end of the row. */
static void note_wait(struct walk *w, const struct sheet *sh, uint32_t row)
{
	trk_id g = sh->trk[row];
	uint32_t first = sh->first[row], i = sh->first[row + 1] - 1;
	bool waits = state_is_wait((enum tstate)(sh->state[i] & SHEET_STATE));
	w->wait[g] = (uint8_t)class_cache_of(&w->cache, sh, i);
	while (i > first && sheet_interval_continues(sh, row, i))
		i--;
	int64_t here = sh->t1 - sh->t0 - sheet_start(sh, i);
	w->waited[g] = !waits ? 0 : sheet_interval_continues(sh, row, i) ? w->waited[g] + here : here;
}

/* Time of a kind in a wait that lasts to the end of the trace is time of another class. */
static void move_still_blocked(const struct walk *w, trk_id g, int64_t *ns)
{
	ns[w->wait[g]] = wrap_sub(ns[w->wait[g]], w->waited[g]);
	ns[TIME_STILL_BLOCKED] = wrap_add(ns[TIME_STILL_BLOCKED], w->waited[g]);
}

static void block_work(const struct walk *w, trk_id g, struct open_work *o)
{
	o->classes |= UINT32_C(1) << w->wait[g] | UINT32_C(1) << TIME_STILL_BLOCKED;
	move_still_blocked(w, g, o->ns);
}

static void finish_all(struct walk *w)
{
	const struct snap *sn = w->to->sn;
	for (trk_id g = 1; g < sn->ntrks; g++) {
		struct open_work *o = w->slot[g] ? &w->v[w->slot[g] - 1] : NULL;
		bool ended = w->r->role[g] != ROLE_NONE && roles_ended(w->r, sn, g);
		if (o && o->t0 != TIME_NONE && !ended)
			block_work(w, g, o);
		else if (w->r->role[g] == ROLE_WHOLE && !ended)
			move_still_blocked(w, g, w->to->kind[w->r->of[g]].class_ns);
		if (o)
			close_work(w, g, o, o->upto, ended && is_life(w, g));
	}
}

static void walk_sheet(struct walk *w, struct class_sums *tasks, const struct sheet *sh)
{
	uint32_t most = w->to->sn->ntrks;
	run_moments_begin_sheet(&w->moments, w->to->sn, sh);
	for (uint32_t row = sh->nother; row < sh->ntrk && sh->trk[row] < most; row++) {
		enum goroutine_role role = w->r->role[sh->trk[row]];
		class_sums_row(tasks, sh, row, &w->cache);
		if (role == ROLE_ROUND || role == ROLE_SERVER)
			divide_row(w, sh, row);
		else if (role == ROLE_WHOLE)
			sum_row(w, sh, row);
		if (role != ROLE_NONE && !roles_ended(w->r, w->to->sn, sh->trk[row]))
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
	class_cache_init(&w.cache, sn);
	w.round = xcalloc(sn->nstks + 1u, sizeof *w.round);
	w.slot = xcalloc(sn->ntrks + 1u, sizeof *w.slot);
	w.waited = xcalloc(sn->ntrks + 1u, sizeof *w.waited);
	w.wait = xcalloc(sn->ntrks + 1u, 1);
	for (uint32_t s = 0; s < sn->nsheets && go; s++) {
		go = !on || watcher_report(on, s, sn->nsheets);
		if (!go)
			break;
		walk_sheet(&w, sums, sheet_get(sn, s));
	}
	finish_all(&w);
	class_sums_finish(sums);
	take_task_classes(to, &of_tasks);
	arena_free(&scratch);
	run_moments_free(&w.moments);
	class_cache_free(&w.cache);
	mem_free(w.wait);
	mem_free(w.waited);
	mem_free(w.slot);
	mem_free(w.round);
	mem_free(w.v);
	return go;
}
