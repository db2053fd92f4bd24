/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Sums up samples by site, in two steps: first by the node of the first user frame and what the runtime does below it,
 * then these nodes by line or function. The first step finds the widest path to each site on the way. Names are
 * classified once for each function, and what the runtime does once for each node, so a sample costs a walk from its leaf
 * to its first user frame.
 */
#include "config.h"
#include "findings/profile_sites.h"

#include "base/intern.h"
#include "base/wrap_math.h"
#include "findings/measures/names.h"
#include "calltree/runtime_frames.h"
#include "trace/user_code.h"

#include <stdlib.h>
#include <string.h>

/* Sites under construction. While stacks are summed up, `path` is part of the key. */
struct site_sums { struct profile_site *v; uint32_t n; size_t cap; struct intern index; bool by_path; };

static int same_site(const void *ctx, uint32_t id, const void *key)
{
	const struct site_sums *s = ctx;
	const struct profile_site *a = &s->v[id], *b = key;
	return a->kind == b->kind && (s->by_path ? a->path == b->path : a->fun == b->fun && a->line == b->line);
}

static void add_site(struct site_sums *s, const struct profile_site *one)
{
	uint64_t place = s->by_path ? one->path : (uint64_t)one->fun << 32 ^ (uint64_t)one->line;
	uint32_t h = intern_hash_u64(place, one->kind), i = intern_find(&s->index, h, same_site, s, one);
	if (i == UINT32_MAX) {
		s->v = mem_grow(s->v, &s->cap, s->n + 1u, sizeof *s->v);
		s->v[s->n] = *one;
		intern_put(&s->index, h, s->n++);
		return;
	}
	struct profile_site *to = &s->v[i];
	to->a = wrap_add(to->a, one->a);
	to->b = wrap_add(to->b, one->b);
	if (one->widest > to->widest) {
		to->widest = one->widest;
		to->path = one->path;
	}
}

/* What the name of a function tells. */
enum { KIND = 63, USER = 64 };
static uint8_t *classify_functions(const struct snap *sn, enum sites_by by)
{
	uint8_t *is = xcalloc(sn->nfuns + 1u, 1);
	for (fun_id f = 1; f < sn->nfuns; f++) {
		const struct str_row *name = store_str(sn->st, store_fun(sn->st, f)->name);
		if (!name->n)
			continue;
		int kind = by == SITES_BY_WORK ? (int)runtime_work_of(name->s)
		    : by == SITES_BY_WAIT      ? (int)runtime_wait_of(name->s) : 0;
		is[f] = (uint8_t)(kind | (user_code_is_user_function(name->s, name->n) ? USER : 0));
	}
	return is;
}

static uint8_t class_of(const struct snap *sn, const uint8_t *is, stk_id s)
{
	fun_id f = store_frm(sn->st, stk_frame(sn->st, s))->fun;
	return f < sn->nfuns ? is[f] : 0;
}

/* Return the first user frame of a stack; 0: none. */
static stk_id first_user_frame(const struct snap *sn, const uint8_t *is, stk_id s)
{
	while (s && !(class_of(sn, is, s) & USER))
		s = stk_parent(sn->st, s);
	return s;
}

/* Return, by node, what the innermost frame of the runtime that tells something tells. It may be above user code: a stack
   of the GC without user code, or a callback. So stacks would be walked to their roots, each on its own; nodes take one
   pass. NULL: no function tells anything. */
static uint8_t *kinds_of_nodes(const struct snap *sn, const uint8_t *is, enum sites_by by)
{
	fun_id f = 1;
	while (f < sn->nfuns && !(is[f] & KIND))
		f++;
	if (f >= sn->nfuns)
		return NULL;
	uint8_t *kind = xcalloc(sn->nstks, 1);
	for (stk_id s = 1; s < sn->nstks; s++) {
		uint8_t own = class_of(sn, is, s) & KIND, above = kind[stk_parent(sn->st, s)];
		kind[s] = by == SITES_BY_WORK ? (uint8_t)runtime_work_below(above, own) : own ? own : above;
	}
	for (stk_id s = 1; s < sn->nstks && by == SITES_BY_WORK; s++)
		kind[s] = (uint8_t)runtime_work_result(kind[s]);
	return kind;
}

/* Dumps of all stacks leave out the runtime's frames, and have the reason of a wait as the tag "state". */
static uint8_t kind_of_state(const struct snap *sn, uint32_t set)
{
	const struct set_row *row = store_set(sn->st, set);
	for (uint32_t i = 0; i < row->n; i++) {
		const struct sink_label *l = store_label(sn->st, row->label + i);
		const struct str_row *key = store_str(sn->st, l->key);
		if (l->str && names_is(key, "state"))
			return (uint8_t)runtime_wait_of_state(store_str(sn->st, l->str)->s);
	}
	return 0;
}

static bool is_leaked(const struct snap *sn, uint32_t set)
{
	const struct set_row *row = store_set(sn->st, set);
	for (uint32_t i = 0; i < row->n; i++) {
		const struct str_row *key = store_str(sn->st, store_label(sn->st, row->label + i)->key);
		if (names_is(key, "leaked"))
			return true;
	}
	return false;
}

static void sum_stacks(struct profile_sites *p, struct site_sums *to, const struct snap *sn,
    const struct findings_sides *sides, int type)
{
	uint8_t *is = classify_functions(sn, p->by), *kind = kinds_of_nodes(sn, is, p->by);
	for (uint32_t i = 0; i < sn->nsmps; i++) {
		uint64_t side = UINT64_C(1) << (store_side(sn->st, i) & 63);
		int64_t v = store_value(sn->st, (size_t)type, i);
		struct profile_site one = {.a = side & sides->a ? v : 0, .b = side & sides->b ? v : 0};
		const struct smp_row *sample = store_smp(sn->st, i);
		if ((!one.a && !one.b) || (p->leaked && !is_leaked(sn, sample->set)))
			continue;
		one.path = first_user_frame(sn, is, sample->stack);
		one.kind = kind ? kind[sample->stack] : 0;
		if (p->by == SITES_BY_WAIT && !one.kind)
			one.kind = kind_of_state(sn, sample->set);
		add_site(to, &one);
		p->a = wrap_add(p->a, one.a);
		p->b = wrap_add(p->b, one.b);
	}
	mem_free(is);
	mem_free(kind);
}

static int heaviest_first(const void *a, const void *b)
{
	const struct profile_site *x = a, *y = b;
	if (x->a != y->a)
		return x->a > y->a ? -1 : 1;
	if (x->fun != y->fun)
		return x->fun < y->fun ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

static void make(struct profile_sites *p, const struct snap *sn, const struct findings_sides *sides, int type,
    struct arena *mem)
{
	struct site_sums stacks = {.by_path = true};
	sum_stacks(p, &stacks, sn, sides, type);
	intern_free(&stacks.index);
	/* There are no more sites than stacks, so they take their places. */
	struct site_sums sites = {.v = stacks.v, .cap = stacks.cap};
	for (uint32_t i = 0; i < stacks.n; i++) {
		struct profile_site one = stacks.v[i];
		one.widest = one.a;
		if (one.path) {
			const struct frm_row *frame = store_frm(sn->st, stk_frame(sn->st, one.path));
			one.fun = frame->fun;
			one.line = p->by == SITES_BY_FUNCTION ? 0 : frame->line;
		}
		add_site(&sites, &one);
	}
	intern_free(&sites.index);
	if (sites.n)
		qsort(sites.v, sites.n, sizeof *sites.v, heaviest_first);
	p->n = sites.n;
	p->v = xrealloc(sites.v, (sites.n + 1u) * sizeof *p->v);
	arena_adopt(mem, p->v);
}

void profile_sites_make(struct profile_sites *p, const struct snap *sn, const struct findings_sides *sides, int type,
    enum sites_by by, struct arena *mem)
{
	*p = (struct profile_sites){.by = by};
	make(p, sn, sides, type, mem);
}

void profile_sites_make_leaked(struct profile_sites *p, const struct snap *sn, const struct findings_sides *sides,
    int type, struct arena *mem)
{
	*p = (struct profile_sites){.by = SITES_BY_WAIT, .leaked = true};
	make(p, sn, sides, type, mem);
}

int profile_sites_type(const struct snap *sn, const char *name)
{
	for (uint32_t i = 0; i < sn->ntypes; i++) {
		const struct type_row *t = column_at(&sn->st->types, i);
		const struct str_row *s = store_str(sn->st, t->name);
		if (names_is(s, name))
			return (int)i;
	}
	return PROFILE_NO_TYPE;
}

int64_t profile_sites_of_kind(const struct profile_sites *p, uint8_t kind)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < p->n; i++)
		if (p->v[i].kind == kind)
			sum = wrap_add(sum, p->v[i].a);
	return sum;
}

const struct profile_site *profile_sites_heaviest(const struct profile_sites *p, uint8_t kind)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->v[i].fun && p->v[i].a > 0 && (!kind || p->v[i].kind == kind))
			return &p->v[i];
	return NULL;
}

void profile_site_put_path(struct buf *b, const struct store *st, const struct profile_site *site)
{
	enum { MOST = 64 };
	fun_id fun[MOST];
	uint32_t n = 0;
	for (stk_id s = user_code_first_frame(st, site->path); s && n < MOST;
	     s = user_code_first_frame(st, stk_parent(st, s))) {
		fun_id f = store_frm(st, stk_frame(st, s))->fun;
		if (!n || fun[n - 1] != f)
			fun[n++] = f;
	}
	while (n--) {
		const struct str_row *name = store_str(st, store_fun(st, fun[n])->name);
		buf_put(b, name->s, name->n);
		buf_puts(b, n ? " > " : "");
	}
}
