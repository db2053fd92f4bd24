/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Critical paths of samples. Operations are taken in equal distances of their order, which is that of time, so that all
 * parts of the trace are represented. The slow side has those beyond the gap in the durations (operations.h), or, of tasks
 * and requests, beyond one in which are only a few that chance delayed; without a gap, those that take several times the
 * median, if they are some but not many.
 */
#include "config.h"
#include "findings/measures/paths.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "trace/user_code.h"

/* Operations of a side that are walked: rounds and lives are alike, tasks and requests differ by what they ask for. */
enum { PATH_SAMPLES = 48, PATH_SERVED_SAMPLES = 256 };
/* Each time that more pieces than this were read, half as many of the operations that follow are sampled. The path of
   one operation may have up to CRITICAL_PIECES. */
enum { PATH_PIECES = 1 << 15 };
enum { AT_ONCE = 256 };	/* durations that are read at once */

/* Return the index of the place of a line; own: it is one of the operation's goroutine. */
static uint32_t place_of_line(struct kind_paths *k, const struct store *st, stk_id stack, enum time_class cls, bool own)
{
	bool fresh;
	stk_id at = user_code_site(st, stack);
	frm_id frame = at ? stk_frame(st, at) : 0;
	const struct frm_row *row = store_frm(st, frame);
	/* Lines beyond 2^24 of one function may be counted as one. */
	struct u64_slot *slot = u64_map_put(&k->of_line,
	    (uint64_t)row->fun << 32 | (uint64_t)((uint32_t)row->line << 8) | (uint64_t)cls << 1 | own, &fresh);
	if (fresh) {
		slot->n = k->nplaces;
		k->v = mem_grow(k->v, &k->cap, k->nplaces + 1u, sizeof *k->v);
		k->v[k->nplaces++] = (struct path_place){.cls = cls, .own = own, .frame = frame};
	}
	return (uint32_t)slot->n;
}

/* Return the index of the stack of a piece, in k->stack. */
static uint32_t stack_of(struct kind_paths *k, const struct store *st, const struct critical_piece *p)
{
	bool fresh, own = p->via == CRITICAL_NONE;
	struct u64_slot *slot = u64_map_put(&k->of_stack, (uint64_t)p->stack << 8 | (uint64_t)p->cls << 1 | own, &fresh);
	if (fresh) {
		slot->n = k->nstacks;
		k->stack = mem_grow(k->stack, &k->cstacks, k->nstacks + 1u, sizeof *k->stack);
		k->stack[k->nstacks++] = (struct path_stack){.place = place_of_line(k, st, p->stack, p->cls, own)};
	}
	return (uint32_t)slot->n;
}

static stk_id outermost_wait(const struct critical_path *path, uint32_t via)
{
	return via == CRITICAL_NONE ? 0 : path->via[path->via[via].outermost].stack;
}

/* call: the wait of the last piece that was a call through a library. */
struct path_adding {
	struct kind_paths *k;
	const struct store *st;
	const struct operations *ops;
	enum path_side side;
	uint32_t call;
};

/* A client library often has a goroutine that reads the responses of a connection, and wakes the one that sent the request.
   What that goroutine, which runs no code of the program or is idle, waits for is the call of the other one: its own wait for
   the network, at its line. */
static struct critical_piece as_call(
    const struct path_adding *a, const struct critical_path *path, const struct critical_piece *p)
{
	struct critical_piece v = *p;
	if (p->via == CRITICAL_NONE || p->cls != TIME_NETWORK ||
	    (!operations_is_idle(a->ops, p->stack) && user_code_first_frame(a->st, p->stack)))
		return v;
	const struct critical_via *via = &path->via[p->via];
	v.stack = via->stack;
	v.g = via->g;
	v.via = via->up;
	return v;
}

static void add_piece(void *arg, const struct critical_path *path, const struct critical_piece *given)
{
	struct path_adding *a = arg;
	struct kind_paths *k = a->k;
	enum path_side side = a->side;
	const struct critical_piece call = as_call(a, path, given), *p = &call;
	uint32_t at = stack_of(k, a->st, p);	/* may move k->stack and k->v */
	struct path_stack *stack = &k->stack[at];
	struct path_place *to = &k->v[stack->place];
	int64_t ns = p->t1 - p->t0;
	bool again = p->via != given->via && given->via == a->call;	/* a response that was read in several parts */
	a->call = p->via != given->via ? given->via : a->call;
	stack->n[side] += !again;
	stack->now += !again;
	wrap_add_to(&to->ns[side], ns);
	wrap_add_to(&to->now, ns);
	if (ns < to->longest || (ns == to->longest && p->t0 >= to->t0))
		return;
	to->longest = ns;
	to->t0 = p->t0;
	to->stack = p->stack;
	to->g = p->g;
	to->wait = outermost_wait(path, p->via);
}

/* At the end of an operation: which place has most of its time in many own waits? */
static void end_operation(struct kind_paths *k, uint32_t operation)
{
	enum { FEW = 4 };
	struct path_series *best = &k->series;
	for (uint32_t i = 0; i < k->nstacks; i++) {
		const struct path_stack *s = &k->stack[i];
		const struct path_place *p = &k->v[s->place];
		bool waits = p->own && (p->cls == TIME_NETWORK || p->cls == TIME_SYSCALL || p->cls == TIME_CHANNEL ||
		    p->cls == TIME_SELECT);
		bool same = best->operation == operation && best->place == s->place && s->now > best->n;
		if (waits && s->now >= FEW && (p->now > best->ns || (same && p->now == best->ns)))
			*best = (struct path_series){s->place, operation, s->now, i, p->now, 0};
	}
}

static void forget_operation(struct kind_paths *k)
{
	for (uint32_t i = 0; i < k->nstacks; i++) {
		k->v[k->stack[i].place].now = 0;
		k->stack[i].now = 0;
	}
}

/* Durations are counted in eighths of an octave; the last class ends at 2^63 ns. */
enum { OCTAVE = 8, DURATIONS = 61 * OCTAVE, SOME_SLOW = 8, SLOW_PART = 4 };

static unsigned duration_class(int64_t ns)
{
	unsigned octave = 0;
	for (uint64_t v = (uint64_t)ns; v >= 2 * OCTAVE; v >>= 1)
		octave++;
	return ns <= 0 ? 0 : octave * OCTAVE + (unsigned)((uint64_t)ns >> octave);
}

/* Return the least duration of a class. */
static int64_t class_start(unsigned c)
{
	return c < 2 * OCTAVE ? c : (int64_t)(c % OCTAVE + OCTAVE) << (c / OCTAVE - 1);
}

/* Return a duration beyond which some operations are, but not many, while between its half and it there are nearly none:
   others of the same kind that were delayed by chance. 0: there is no such gap. */
static int64_t find_valley(const struct operation_kind *kind, const struct operations *ops)
{
	enum { NEARLY = 8 };
	uint32_t count[DURATIONS + OCTAVE] = {0}, beyond = 0, between = 0;
	int64_t found = 0;
	for (uint32_t i = 0; i < kind->n; i++) {
		int64_t ns = operations_duration(ops, (uint32_t)(kind - ops->kind), i);
		if (ns != TIME_NONE)
			count[duration_class(ns)]++;
	}
	/* From the longest durations downwards: beyond has those from c on, between those of the octave before. */
	for (unsigned c = DURATIONS; c > OCTAVE && class_start(c - OCTAVE) > kind->p50; c--) {
		beyond += count[c];
		between = 0;
		for (unsigned i = c - OCTAVE; i < c; i++)
			between += count[i];
		if (beyond >= SOME_SLOW && NEARLY * between <= beyond && beyond * SLOW_PART <= kind->ncomplete)
			found = class_start(c);
	}
	return found;
}

/* Set the side of each operation of the kind, and how many are on each: those that are not complete, or take no time, are
   on none. */
static void set_sides(
    const struct kind_paths *k, const struct operations *ops, uint8_t *side, uint32_t all[PATH_SIDES + 1])
{
	int64_t ns[AT_ONCE];
	for (uint32_t i = 0, n; i < k->kind->n; i += n) {
		n = k->kind->n - i < AT_ONCE ? k->kind->n - i : AT_ONCE;
		operations_durations(ops, (uint32_t)(k->kind - ops->kind), i, n, ns);
		for (uint32_t j = 0; j < n; j++) {
			bool timed = ns[j] != TIME_NONE && ns[j] > 0;
			side[i + j] = !timed ? PATH_SIDES : ns[j] >= k->slow_from ? PATH_SLOW : PATH_REST;
			all[side[i + j]]++;
		}
	}
}

/* How many requests of a kind one handler works for, and how many of these are slow. */
struct handler_count { uint32_t n, slow; };

/* Is the handler another endpoint, whose requests mostly take longer than those of others? */
static bool is_other_endpoint(const struct handler_count *h)
{
	return h->slow * SLOW_PART > h->n;
}

/* Count the requests of each known handler. If there is one only, those without a known one are taken for its. */
static void count_handlers(
    const struct kind_paths *k, const struct operations *ops, const uint8_t *side, struct handler_count *of)
{
	uint32_t kind = (uint32_t)(k->kind - ops->kind), known = 0, sole = 0;
	for (uint32_t i = 0; i < k->kind->n; i++) {
		struct handler_count *h = &of[operations_handler_number(ops, kind, i)];
		h->n += side[i] != PATH_SIDES;
		h->slow += side[i] == PATH_SLOW;
	}
	for (uint32_t h = 1; h < ops->nhandlers; h++)
		if (of[h].n) {
			known++;
			sole = h;
		}
	if (known == 1)
		of[sole].n += of[0].n;
}

static void change_side(uint8_t *side, enum path_side to, uint32_t all[PATH_SIDES + 1])
{
	all[*side]--;
	*side = (uint8_t)to;
	all[to]++;
}

/* Slow requests are compared with others of their handler, where it is known. Those of another endpoint are not slow; the
   rest of what remains are the requests of handlers that have slow ones. */
static void part_handlers(
    const struct kind_paths *k, const struct operations *ops, uint8_t *side, uint32_t all[PATH_SIDES + 1])
{
	uint32_t kind = (uint32_t)(k->kind - ops->kind);
	if (k->kind->source != OPERATION_SERVER || !ops->nhandlers || !all[PATH_SLOW])
		return;
	struct handler_count *of = xcalloc(ops->nhandlers, sizeof *of);
	count_handlers(k, ops, side, of);
	for (uint32_t i = 0; i < k->kind->n; i++) {
		uint32_t h = operations_handler_number(ops, kind, i);
		if (h && side[i] == PATH_SLOW && is_other_endpoint(&of[h]))
			change_side(&side[i], PATH_REST, all);
	}
	for (uint32_t i = 0; i < k->kind->n && all[PATH_SLOW] && !of[0].slow; i++) {
		uint32_t h = operations_handler_number(ops, kind, i);
		if (h && side[i] == PATH_REST && (!of[h].slow || is_other_endpoint(&of[h])))
			change_side(&side[i], PATH_SIDES, all);
	}
	mem_free(of);
}

/* Decide what is slow. side: set to the side of each operation, PATH_SIDES: none; all: the number of those of each. */
static void find_slow(
    struct kind_paths *k, const struct operations *ops, uint8_t *side, uint32_t all[PATH_SIDES + 1])
{
	enum { TIMES = 3 };
	const struct operation_kind *kind = k->kind;
	bool empty = kind->gap && kind->nslow;
	int64_t valley = !empty && paths_is_served(kind) ? find_valley(kind, ops) : 0;
	k->gap = empty || valley;
	k->slow_from = empty ? kind->slow_from : valley ? valley : kind->p50 > 0 ? TIMES * kind->p50 : INT64_MAX;
	set_sides(k, ops, side, all);
	if (!k->gap && (all[PATH_SLOW] < SOME_SLOW || all[PATH_SLOW] * SLOW_PART > kind->ncomplete)) {
		k->slow_from = INT64_MAX;
		for (uint32_t i = 0; i < kind->n; i++)
			side[i] = side[i] == PATH_SLOW ? PATH_REST : side[i];
		all[PATH_REST] += all[PATH_SLOW];
		all[PATH_SLOW] = 0;
	}
	part_handlers(k, ops, side, all);
	k->nslow = all[PATH_SLOW];
}

void paths_add(struct kind_paths *k, const struct critical_walker *w, const struct operation *o, enum path_side side,
    struct critical_path *path)
{
	struct path_adding adding = {k, critical_walker_snap(w)->st, critical_walker_operations(w), side, CRITICAL_NONE};
	path->each = add_piece;
	path->arg = &adding;
	critical_path_walk(w, o->g, o->t0, o->t1, path);
	path->arg = NULL;
	k->n[side]++;
	wrap_add_to(&k->total[side], path->t1 - path->t0);
}

/* side: of each operation; all: number of those of the side that is walked. */
static void walk_side(struct kind_paths *k, const struct critical_walker *w, const struct operations *ops,
    const uint8_t *side, enum path_side walked, uint32_t all, struct critical_path *path,
    const struct progress_watcher *on)
{
	uint32_t seen = 0, kind = (uint32_t)(k->kind - ops->kind);
	uint32_t step = all / (paths_is_served(k->kind) ? PATH_SERVED_SAMPLES : PATH_SAMPLES) + 1;
	size_t pieces = 0;
	for (uint32_t i = 0; seen < all; i++) {
		if (side[i] != walked || seen++ % step)
			continue;
		if (!job_should_continue(on))
			break;
		struct operation o = operations_of_kind(ops, kind, i);
		paths_add(k, w, &o, walked, path);
		pieces += path->n;
		if (pieces > PATH_PIECES && step <= all) {
			step *= 2;
			pieces = 0;
		}
		if (o.t1 - o.t0 >= 2 * k->kind->p50)
			end_operation(k, k->kind->first + i);
		forget_operation(k);
	}
}

void paths_of_kind(struct kind_paths *k, const struct critical_walker *w, const struct operations *ops,
    const struct operation_kind *kind, const struct progress_watcher *on)
{
	struct critical_path path = {0};
	uint32_t all[PATH_SIDES + 1] = {0};
	uint8_t *side = xmalloc(kind->n + 1u);
	*k = (struct kind_paths){.kind = kind};
	find_slow(k, ops, side, all);
	for (int i = 0; i < PATH_SIDES; i++)
		walk_side(k, w, ops, side, (enum path_side)i, all[i], &path, on);
	if (k->series.n && k->n[PATH_REST])
		k->series.rest = (double)k->stack[k->series.stack].n[PATH_REST] / k->n[PATH_REST];
	critical_path_free(&path);
	mem_free(side);
}

void paths_free(struct kind_paths *k)
{
	mem_free(k->v);
	mem_free(k->stack);
	u64_map_free(&k->of_stack);
	u64_map_free(&k->of_line);
	*k = (struct kind_paths){0};
}
