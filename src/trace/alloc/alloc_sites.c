/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Of most allocations a trace has the goroutine and the size, and only an outer function is known: what the stacks before
 * and after have in common. Of some the stack is known, because the goroutine had to sweep first. The runtime takes memory
 * of a fixed size for objects of a size class, so the size shows which place took them:
 * bytes of one size that were taken below a function are divided among the known places below it, in proportion to what
 * these took of that size. If there is none, they are divided among the places below it that were seen to allocate, as
 * where a goroutine had to assist; if there is none either, they stay at the function.
 *
 * Functions count, not lines: two stacks are the same path if they have the same functions. Known places add their weight
 * to each path above them, so the work is that of the known places times their depth.
 */
#include "config.h"
#include "trace/alloc/alloc_sites.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"

enum { ANY_SIZE = 0 };

/* Bytes of one size, at and below a path; of ANY_SIZE `known` is how often it was seen to allocate. */
struct alloc_pair {
	uint32_t path, size;
	stk_id stack;			/* one of its nodes */
	int64_t known, under;		/* known at this path; somewhere at or below it */
	/* Known at or below it, and at those of these places that have got their part; of `under`, what they got. */
	int64_t known_below, served, divided;
};

static uint64_t key_of(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

/* Number the paths of all nodes, of which parents come before children. */
static void find_paths(struct alloc_sites *s, const struct snap *sn)
{
	struct u64_hash of_path = {0};
	struct stk_pass pass = stk_pass(sn->st);
	bool fresh;
	s->npaths = 1;
	for (stk_id i = 1; i < sn->nstks; i++) {
		struct stk_row r = stk_at(&pass, i);
		uint32_t up = s->path[r.parent];
		struct u64_slot *slot = u64_map_put(&of_path, key_of(up, store_frm(sn->st, r.frame)->fun), &fresh);
		if (fresh) {
			s->up[s->npaths] = up;
			slot->n = s->npaths++;
		}
		s->path[i] = (uint32_t)slot->n;
	}
	u64_map_free(&of_path);
}

void alloc_sites_init(struct alloc_sites *s, const struct snap *sn)
{
	bool fresh;
	*s = (struct alloc_sites){.path = xcalloc(sn->nstks + 1u, sizeof *s->path),
	    .up = xcalloc(sn->nstks + 1u, sizeof *s->up)};
	find_paths(s, sn);
	u64_map_put(&s->of_bytes, ANY_SIZE, &fresh)->n = s->any = s->nsizes++;
}

void alloc_sites_free(struct alloc_sites *s)
{
	u64_map_free(&s->of_bytes);
	u64_map_free(&s->of_pair);
	mem_free(s->path);
	mem_free(s->up);
	mem_free(s->pair);
	*s = (struct alloc_sites){0};
}

static struct alloc_pair *pair_of(struct alloc_sites *s, int64_t bytes, stk_id stack)
{
	bool fresh;
	struct u64_slot *slot = u64_map_put(&s->of_bytes, (uint64_t)bytes, &fresh);
	if (fresh)
		slot->n = s->nsizes++;
	uint32_t size = (uint32_t)slot->n, path = s->path[stack];
	slot = u64_map_put(&s->of_pair, key_of(size, path), &fresh);
	if (fresh) {
		slot->n = s->npairs;
		s->pair = mem_grow(s->pair, &s->cpairs, s->npairs + 1u, sizeof *s->pair);
		s->pair[s->npairs++] = (struct alloc_pair){.path = path, .size = size, .stack = stack};
	}
	return &s->pair[slot->n];
}

void alloc_sites_known(struct alloc_sites *s, int64_t bytes, stk_id stack)
{
	wrap_add_to(&pair_of(s, bytes, stack)->known, bytes);
}

void alloc_sites_within(struct alloc_sites *s, stk_id stack)
{
	pair_of(s, ANY_SIZE, stack)->known++;
}

void alloc_sites_below(struct alloc_sites *s, int64_t bytes, stk_id stack)
{
	wrap_add_to(&pair_of(s, bytes, stack)->under, bytes);
}

/* Call a function with a known place and each pair above it, itself included. */
static void each_above(struct alloc_sites *s, const struct alloc_pair *known, int64_t *to,
    void (*fn)(const struct alloc_pair *known, struct alloc_pair *above, int64_t *to))
{
	uint32_t path = known->path;
	for (;;) {
		const struct u64_slot *slot = u64_map_get(&s->of_pair, key_of(known->size, path));
		if (slot)
			fn(known, &s->pair[slot->n], to);
		if (!path)
			return;
		path = s->up[path];
	}
}

static void add_below(const struct alloc_pair *known, struct alloc_pair *above, int64_t *to)
{
	(void)to;
	wrap_add_to(&above->known_below, known->known);
}

static void give(const struct alloc_pair *known, struct alloc_pair *above, int64_t *to)
{
	if (above->under <= 0 || above->known_below <= 0)
		return;
	int64_t bytes = wrap_clamp((double)above->under * ((double)known->known / (double)above->known_below)),
		rest = above->under - above->divided;
	wrap_add_to(&above->served, known->known);
	if (bytes > rest || above->served == above->known_below)
		bytes = rest;
	above->divided += bytes;
	wrap_add_to(&to[known->stack], bytes);
}

/* Divide bytes among the known places of the same size (any: of ANY_SIZE). */
static void divide(struct alloc_sites *s, bool any, int64_t *to)
{
	uint32_t n = s->npairs;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < n; i++)
			if (s->pair[i].known > 0 && (s->pair[i].size == s->any) == any)
				each_above(s, &s->pair[i], to, pass ? give : add_below);
}

void alloc_sites_divide(struct alloc_sites *s, int64_t *to)
{
	divide(s, false, to);
	for (uint32_t i = 0, n = s->npairs; i < n; i++) {
		int64_t rest = s->pair[i].under - s->pair[i].divided;
		if (s->pair[i].size == s->any || rest <= 0)
			continue;
		s->pair[i].divided = s->pair[i].under;
		struct alloc_pair *any = pair_of(s, ANY_SIZE, s->pair[i].stack);	/* may move s->pair */
		wrap_add_to(&any->under, rest);
	}
	divide(s, true, to);
	for (uint32_t i = 0; i < s->npairs; i++)
		wrap_add_to(&to[s->pair[i].stack], s->pair[i].under - s->pair[i].divided);
}
