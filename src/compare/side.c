/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What one side gives to a comparison: its operations, and the sums of the critical paths of evenly spaced ones. A piece
 * of a path counts for the place where the operation itself was at that time (for a wait that was followed: where it
 * waited), and a second time for the pair of that place and the one where the time was spent. The first sums add up to
 * the durations; the second ones name the cause.
 */
#include "config.h"
#include "compare/internal.h"

#include "critical/lines.h"

#include <stdlib.h>
#include <string.h>

/* Paths per kind and side; pieces of paths of a side, after which those of further kinds are not walked: each path may be
   as long as the file. Of parts that a walk looked at besides, LOOKS cost as much as a piece. */
enum { WALKED = 15 * COMPARE_BLOCKS, MOST_PIECES = 1 << 23, LOOKS = 8 };

/* ---- operations */

static uint32_t hash_of_kind(const struct operation_kind *k)
{
	return intern_hash_bytes(k->nname ? k->name : "", k->nname, k->source);
}

static int has_name(const void *ops, uint32_t id, const void *named)
{
	const struct operation_kind *k = &((const struct operations *)ops)->kind[id], *other = named;
	return k->source == other->source && k->nname == other->nname &&
	    (!k->nname || !memcmp(k->name, other->name, k->nname));
}

/* The first kind of each name is in the index; the lists of the others are made from their ends. */
static void index_kinds(struct compare_trace *t, struct arena *mem)
{
	const struct operations *o = t->ops;
	uint32_t *last = xmalloc((o->nkinds + 1u) * sizeof *last);	/* by first kind: the last of its list */
	t->next_kind = arena_alloc(mem, (o->nkinds + 1u) * sizeof *t->next_kind);
	for (uint32_t i = 0; i < o->nkinds; i++) {
		uint32_t first = compare_kind_named(t, &o->kind[i]);
		t->next_kind[i] = COMPARE_NONE;
		if (first == COMPARE_NONE)
			intern_put(&t->kind_names, hash_of_kind(&o->kind[i]), first = i);
		else
			t->next_kind[last[first]] = i;
		last[first] = i;
	}
	mem_free(last);
}

uint32_t compare_kind_named(const struct compare_trace *t, const struct operation_kind *named)
{
	return intern_find(&t->kind_names, hash_of_kind(named), has_name, t->ops, named);
}

bool compare_trace_open(
    struct compare_trace *t, const struct compare_input *in, const struct compare_query *q, struct arena *mem)
{
	const struct snap *sn = in->sn;
	const struct trace_filter *f = in->filter;
	*t = (struct compare_trace){.in = in, .q = q};
	t->t0 = f && f->from != TIME_NONE && f->from > sn->t0 ? f->from : sn->t0;
	t->t1 = f && f->to != TIME_NONE && f->to < sn->t1 ? f->to : sn->t1;
	t->ops = operations_find(sn, f, q->criteria, mem, &q->on);
	t->name_of = arena_zalloc(mem, (sn->nstks + 1u) * sizeof *t->name_of);
	if (t->ops)
		index_kinds(t, mem);
	return t->ops != NULL;
}

void compare_trace_close(struct compare_trace *t)
{
	intern_free(&t->kind_names);
}

static bool is_slow(const struct compare_query *q, const struct operation_kind *k, int64_t ns)
{
	if (q->lo == TIME_NONE && q->hi == TIME_NONE)
		return ns >= k->slow_from;
	return (q->lo == TIME_NONE || ns >= q->lo) && (q->hi == TIME_NONE || ns <= q->hi);
}

static bool is_in_part(const struct compare_trace *t, const struct operation_kind *k, const struct operation *o)
{
	enum compare_part part = t->in->part;
	return o->complete &&
	    (part == COMPARE_ALL || is_slow(t->q, k, o->t1 - o->t0) == (part == COMPARE_SLOW));
}

struct started { int64_t t0; uint32_t at; };

static int by_start(const void *a, const void *b)
{
	const struct started *x = a, *y = b;
	if (x->t0 != y->t0)
		return x->t0 < y->t0 ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

struct kind_operations compare_operations_of(
    const struct compare_trace *t, const struct operation_kind *named, struct arena *mem)
{
	const struct operations *o = t->ops;
	struct started *v = NULL;
	size_t n = 0, cap = 0;
	for (uint32_t i = compare_kind_named(t, named); i != COMPARE_NONE; i = t->next_kind[i]) {
		const struct operation_kind *k = &o->kind[i];
		for (uint32_t j = 0; j < k->n; j++) {
			struct operation x = operations_of_kind(o, i, j);
			v = mem_grow(v, &cap, n + 1, sizeof *v);
			v[n] = (struct started){x.t0, k->first + j};
			n += is_in_part(t, k, &x);
		}
	}
	if (n)
		qsort(v, n, sizeof *v, by_start);
	struct kind_operations out = {arena_alloc(mem, (n + 1) * sizeof *out.v), (uint32_t)n};
	for (size_t i = 0; i < n; i++)
		out.v[i] = v[i].at;
	mem_free(v);
	return out;
}

/* ---- places */

static int same_name(const void *ctx, uint32_t id, const void *key)
{
	const struct compare_names *names = ctx;
	return !strcmp(names->v[id], key);
}

static const struct frm_row *frame_of(const struct store *st, stk_id stack)
{
	stk_id at = critical_place(st, stack);
	return store_frm(st, at ? stk_frame(st, at) : 0);
}

static const char *copy_string(struct arena *mem, const struct store *st, str_id s)
{
	const struct str_row *r = store_str(st, s);
	return s && r->n ? arena_strndup(mem, r->s, r->n) : "";
}

static uint32_t add_name(struct compare_names *names, const struct store *st, stk_id stack)
{
	const char *function = copy_string(names->mem, st, store_fun(st, frame_of(st, stack)->fun)->name);
	uint32_t hash = intern_hash_bytes(function, strlen(function), 0);
	uint32_t id = intern_find(&names->index, hash, same_name, names, function);
	if (id != UINT32_MAX)
		return id;
	names->v = mem_grow(names->v, &names->cap, names->n + 1u, sizeof *names->v);
	names->v[names->n] = function;
	intern_put(&names->index, hash, names->n);
	return names->n++;
}

void compare_place_line(const struct compare_trace *t, stk_id stack, struct arena *mem, struct compare_place *to)
{
	const struct store *st = t->in->sn->st;
	const struct frm_row *frame = frame_of(st, stack);
	to->file = copy_string(mem, st, store_fun(st, frame->fun)->file);
	to->line = frame->line;
}

static uint32_t name_of(struct kind_sums *k, struct compare_trace *t, stk_id stack)
{
	uint32_t *known = &t->name_of[stack < t->in->sn->nstks ? stack : 0];
	if (!*known)
		*known = add_name(k->names, t->in->sn->st, stack) + 1;
	return *known - 1;
}

static int same_place(const void *ctx, uint32_t id, const void *key)
{
	const struct kind_sums *k = ctx;
	const struct kind_place *a = &k->v[id], *b = key;
	return a->cls == b->cls && a->name == b->name && a->cause_cls == b->cause_cls && a->cause == b->cause;
}

struct kind_addend { enum compare_side side; uint32_t block; double ns; stk_id stack; };

/* Return the index of the place. */
static uint32_t add_to_place(struct kind_sums *k, const struct kind_place *key, const struct kind_addend *a)
{
	uint32_t hash = intern_hash_u64((uint64_t)key->name << 32 | key->cause,
	    (uint64_t)key->cls << 8 | (uint64_t)key->cause_cls);
	uint32_t id = intern_find(&k->index, hash, same_place, k, key);
	if (id == UINT32_MAX) {
		k->v = mem_grow(k->v, &k->cap, k->n + 1u, sizeof *k->v);
		k->v[k->n] = *key;
		intern_put(&k->index, hash, k->n);
		id = k->n++;
	}
	struct kind_place *to = &k->v[id];
	to->sum[a->side][a->block] += a->ns;
	if (a->ns >= to->longest[a->side]) {
		to->longest[a->side] = a->ns;
		to->stack[a->side] = a->stack;
	}
	return id;
}

/* ---- paths */

static void add_piece(struct kind_sums *k, struct compare_trace *t, const struct critical_path *p,
    const struct critical_piece *v, enum compare_side s, uint32_t block)
{
	struct kind_addend a = {s, block, (double)(v->t1 - v->t0), v->stack};
	struct kind_place key = {.cls = v->cls, .name = name_of(k, t, v->stack), .cause = COMPARE_NONE};
	if (v->via == CRITICAL_NONE) {
		add_to_place(k, &key, &a);
	} else {
		const struct critical_via *wait = &p->via[p->via[v->via].outermost];
		struct kind_addend whole = a;
		struct kind_place pair = {.cls = wait->cls, .name = name_of(k, t, wait->stack), .cause_cls = v->cls,
		    .cause = key.name};
		key.cls = pair.cls;
		key.name = pair.name;
		whole.stack = wait->stack;
		pair.wait = add_to_place(k, &key, &whole);
		add_to_place(k, &pair, &a);
	}
	k->class_ns[s][key.cls][block] += a.ns;
}

bool compare_may_walk(const struct compare_trace *t)
{
	return t->cost < MOST_PIECES;
}

bool compare_walk_side(struct kind_sums *k, struct compare_trace *t, enum compare_side s,
    const struct kind_operations *of, const struct compare_query *q, struct arena *mem)
{
	struct critical_path path = {0};
	uint32_t n = !k->walks ? 0 : of->n < WALKED ? of->n : WALKED;
	if (n && !t->walker)
		t->walker = critical_walker_new(t->in->sn, t->ops, mem, &q->on);
	if (n && !t->walker)
		return false;
	k->blocks[s] = n < COMPARE_BLOCKS ? n : COMPARE_BLOCKS;
	for (uint32_t i = 0; i < n && job_should_continue(&q->on); i++) {
		struct operation o = operations_get(t->ops, of->v[(uint64_t)i * of->n / n]);
		uint32_t block = spread_block(i, n);
		critical_path_walk(t->walker, o.g, o.t0, o.t1, &path);
		k->count[s][block]++;
		t->cost += path.n + path.looked / LOOKS;
		for (size_t p = 0; p < path.n; p++)
			add_piece(k, t, &path, &path.v[p], s, block);
	}
	critical_path_free(&path);
	return job_should_continue(&q->on);
}
