/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What the goroutines of a dump do. Their stacks do not tell, because a dump leaves out the frames of the runtime in which
 * they wait; the head line of each has its state, and from one minute on how long it has been in it. The reader keeps both
 * as the tags "state" and "wait".
 */
#include "config.h"
#include "findings/dump_states.h"

#include "base/intern.h"
#include "base/wrap_math.h"
#include "findings/measures/names.h"
#include "trace/user_code.h"

#include <stdlib.h>

struct sums { struct dump_state *v; uint32_t n; size_t cap; struct intern index; const struct store *st; };

static frm_id frame_of(const struct store *st, stk_id at)
{
	return at ? stk_frame(st, at) : 0;
}

static int same_state(const void *ctx, uint32_t id, const void *key)
{
	const struct sums *s = ctx;
	const struct dump_state *a = &s->v[id], *b = key;
	return a->state == b->state && frame_of(s->st, a->at) == frame_of(s->st, b->at);
}

static void add(struct sums *s, const struct dump_state *one)
{
	uint32_t h = intern_hash_u64(one->state, frame_of(s->st, one->at)), i = intern_find(&s->index, h, same_state, s, one);
	if (i == UINT32_MAX) {
		s->v = mem_grow(s->v, &s->cap, s->n + 1u, sizeof *s->v);
		s->v[s->n] = *one;
		intern_put(&s->index, h, s->n++);
		return;
	}
	s->v[i].n = wrap_add(s->v[i].n, one->n);
	s->v[i].minutes = one->minutes > s->v[i].minutes ? one->minutes : s->v[i].minutes;
}

static int longest_first(const void *a, const void *b)
{
	const struct dump_state *x = a, *y = b;
	if (x->minutes != y->minutes)
		return x->minutes > y->minutes ? -1 : 1;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->state < y->state ? -1 : x->state > y->state;
}

void dump_states_make(struct dump_states *p, const struct snap *sn, uint64_t sides, struct arena *mem)
{
	struct sums s = {.st = sn->st};
	*p = (struct dump_states){0};
	for (uint32_t i = 0; i < sn->nsmps; i++) {
		const struct smp_row *sample = store_smp(sn->st, i);
		const struct set_row *row = store_set(sn->st, sample->set);
		struct dump_state one = {.n = sn->ntypes ? store_value(sn->st, 0, i) : 0};
		if (!(UINT64_C(1) << (store_side(sn->st, i) & 63) & sides))
			continue;
		for (uint32_t k = 0; k < row->n; k++) {
			const struct sink_label *l = store_label(sn->st, row->label + k);
			const struct str_row *key = store_str(sn->st, l->key);
			if (l->str && names_is(key, "state"))
				one.state = l->str;
			else if (!l->str && names_is(key, "wait"))
				one.minutes = l->num;
		}
		if (!one.state)
			continue;
		one.at = user_code_first_frame(sn->st, sample->stack);
		one.at = one.at ? one.at : user_code_outside_runtime(sn->st, sample->stack);
		one.at = one.at ? one.at : sample->stack;
		p->all = wrap_add(p->all, one.n);
		add(&s, &one);
	}
	intern_free(&s.index);
	if (s.n)
		qsort(s.v, s.n, sizeof *s.v, longest_first);
	p->v = xrealloc(s.v, (s.n + 1u) * sizeof *p->v);
	p->n = s.n;
	arena_adopt(mem, p->v);
}
