/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Critical paths of samples. Operations are taken in equal distances of their order, which is that of time, so that all
 * parts of the trace are represented. The slow side has those beyond the gap in the durations (operations.h); without a
 * gap, those that take several times the median, if they are some but not many.
 */
#include "config.h"
#include "findings/paths.h"

#include "base/mem/mem.h"
#include "trace/user_code.h"

enum { PATH_SAMPLES = 48 };
/* Each time that more pieces than this were read, half as many of the operations that follow are sampled. The path of
   one operation may have up to CRITICAL_PIECES. */
enum { PATH_PIECES = 1 << 15 };

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

static uint32_t place_of(struct kind_paths *k, const struct store *st, const struct critical_piece *p)
{
	bool fresh, own = p->via == CRITICAL_NONE;
	struct u64_slot *slot = u64_map_put(&k->of_stack, (uint64_t)p->stack << 8 | (uint64_t)p->cls << 1 | own, &fresh);
	if (fresh)
		slot->n = place_of_line(k, st, p->stack, p->cls, own);
	return (uint32_t)slot->n;
}

static stk_id outermost_wait(const struct critical_path *path, uint32_t via)
{
	while (via != CRITICAL_NONE && path->via[via].up != CRITICAL_NONE)
		via = path->via[via].up;
	return via == CRITICAL_NONE ? 0 : path->via[via].stack;
}

static void add_piece(struct kind_paths *k, const struct store *st, const struct critical_path *path,
    const struct critical_piece *p, enum path_side side)
{
	uint32_t at = place_of(k, st, p);	/* may move k->v */
	struct path_place *to = &k->v[at];
	int64_t ns = p->t1 - p->t0;
	to->ns[side] += ns;
	to->now += ns;
	to->nnow++;
	if (ns <= to->longest)
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
	for (uint32_t i = 0; i < k->nplaces; i++) {
		struct path_place *p = &k->v[i];
		bool waits = p->own && (p->cls == TIME_NETWORK || p->cls == TIME_SYSCALL || p->cls == TIME_CHANNEL ||
		    p->cls == TIME_SELECT);
		if (waits && p->nnow >= FEW && p->now > k->series.ns)
			k->series = (struct path_series){i, operation, p->nnow, p->now};
		p->now = 0;
		p->nnow = 0;
	}
}

/* Decide what is slow. */
static void find_slow(struct kind_paths *k, const struct operations *ops)
{
	enum { TIMES = 3, SOME = 8, PART = 4 };
	const struct operation_kind *kind = k->kind;
	k->gap = kind->gap && kind->nslow;
	k->slow_from = k->gap ? kind->slow_from : kind->p50 > 0 ? TIMES * kind->p50 : INT64_MAX;
	for (uint32_t i = 0; i < kind->n; i++) {
		int64_t ns = operations_duration(ops, (uint32_t)(kind - ops->kind), i);
		k->nslow += ns != TIME_NONE && ns >= k->slow_from;
	}
	if (!k->gap && (k->nslow < SOME || k->nslow * PART > kind->ncomplete)) {
		k->slow_from = INT64_MAX;
		k->nslow = 0;
	}
}

/* Is an operation of this duration on a side? TIME_NONE: it is not complete. */
static bool is_on(const struct kind_paths *k, int64_t ns, enum path_side side)
{
	return ns != TIME_NONE && ns > 0 && (ns >= k->slow_from) == (side == PATH_SLOW);
}

void paths_add(struct kind_paths *k, const struct snap *sn, const struct critical_path *path, enum path_side side)
{
	for (size_t p = 0; p < path->n; p++)
		add_piece(k, sn->st, path, &path->v[p], side);
	k->n[side]++;
	k->total[side] += path->t1 - path->t0;
}

static void walk_side(struct kind_paths *k, const struct snap *sn, const struct critical_walker *w,
    const struct operations *ops, enum path_side side, struct critical_path *path)
{
	uint32_t all = 0, seen = 0, kind = (uint32_t)(k->kind - ops->kind);
	for (uint32_t i = 0; i < k->kind->n; i++)
		all += is_on(k, operations_duration(ops, kind, i), side);
	uint32_t step = all / PATH_SAMPLES + 1;
	size_t pieces = 0;
	for (uint32_t i = 0; i < k->kind->n; i++) {
		if (!is_on(k, operations_duration(ops, kind, i), side) || seen++ % step)
			continue;
		struct operation o = operations_of_kind(ops, kind, i);
		critical_path_walk(w, o.g, o.t0, o.t1, path);
		paths_add(k, sn, path, side);
		pieces += path->n;
		if (pieces > PATH_PIECES && step <= all) {
			step *= 2;
			pieces = 0;
		}
		if (o.t1 - o.t0 >= 2 * k->kind->p50)
			end_operation(k, k->kind->first + i);
		for (uint32_t p = 0; p < k->nplaces; p++)
			k->v[p].now = k->v[p].nnow = 0;
	}
}

void paths_of_kind(struct kind_paths *k, const struct snap *sn, const struct critical_walker *w,
    const struct operations *ops, const struct operation_kind *kind)
{
	struct critical_path path = {0};
	*k = (struct kind_paths){.kind = kind};
	find_slow(k, ops);
	for (int side = 0; side < PATH_SIDES; side++)
		walk_side(k, sn, w, ops, (enum path_side)side, &path);
	critical_path_free(&path);
}

void paths_free(struct kind_paths *k)
{
	mem_free(k->v);
	u64_map_free(&k->of_stack);
	u64_map_free(&k->of_line);
	*k = (struct kind_paths){0};
}
