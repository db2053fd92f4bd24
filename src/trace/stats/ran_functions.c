/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Which goroutines ran a function. The stacks of the trace are looked at as for call trees, so a goroutine is in the set
 * exactly if the function has weight in its tree of all time, or CPU samples there. A node of the store's call tree
 * matches if its function does or its parent matches; then each stretch of time that is charged to a node is one lookup.
 */
#include "config.h"
#include "trace/stats/ran_functions.h"

#include "base/mem/mem.h"
#include "trace/as_profile.h"

struct ran_search {
	const uint8_t *hit;	/* a bit for each node of the store's call tree */
	uint32_t nstks;
	uint8_t *set;
	uint32_t n;
};

static void add_goroutine(struct ran_search *r, trk_id g, stk_id stack)
{
	uint8_t bit = (uint8_t)(1u << (g & 7));
	if (stack >= r->nstks || !(r->hit[stack >> 3] >> (stack & 7) & 1) || r->set[g >> 3] & bit)
		return;
	r->set[g >> 3] |= bit;
	r->n++;
}

static void on_stretch(void *arg, const struct charged_stretch *x)
{
	add_goroutine(arg, x->g, x->stack);
}

/* Return the nodes at or below a function that matches. The caller frees them. */
static uint8_t *find_nodes(const struct snap *sn, bool (*match)(void *, const char *, size_t), void *arg)
{
	const struct store *st = sn->st;
	uint8_t *fun = xcalloc(sn->nfuns / 8 + 1u, 1), *hit = xcalloc(sn->nstks / 8 + 1u, 1);
	for (fun_id f = 1; f < sn->nfuns; f++) {
		const struct str_row *s = store_str(st, store_fun(st, f)->name);
		if (match(arg, s->s, s->n))
			fun[f >> 3] |= (uint8_t)(1u << (f & 7));
	}
	for (stk_id s = 1; s < sn->nstks; s++) {	/* parents come first */
		stk_id up = stk_parent(st, s);
		fun_id f = store_frm(st, stk_frame(st, s))->fun;
		if ((hit[up >> 3] >> (up & 7) | fun[f >> 3] >> (f & 7)) & 1)
			hit[s >> 3] |= (uint8_t)(1u << (s & 7));
	}
	mem_free(fun);
	return hit;
}

static bool is_selected(const struct trace_filter *f, const struct smp_time *t)
{
	return (f->from == TIME_NONE || t->when >= f->from) && (f->to == TIME_NONE || t->when < f->to) &&
	    trace_gset_has(f->g, t->trk) && (!f->slice || trace_filter_overlap(f, t->trk, t->when, t->when + 1) > 0);
}

uint8_t *trace_gset_ran(const struct snap *sn, const struct trace_filter *filter,
    bool (*match)(void *, const char *name, size_t n), void *arg, struct arena *a, uint32_t *n)
{
	uint8_t *hit = find_nodes(sn, match, arg);
	struct ran_search r = {.hit = hit, .nstks = sn->nstks, .set = arena_zalloc(a, sn->ntrks / 8 + 1u)};
	struct trace_filter f = *filter;
	struct arena weights = {0};
	f.proc = 0;
	f.each = on_stretch;
	f.arg = &r;
	trace_weigh(sn, TRACE_TIME, &f, &weights);
	arena_free(&weights);
	for (uint32_t i = 0; i < sn->nsmps; i++) {
		struct smp_time t = store_smp_time(sn->st, i);
		if (t.when != TIME_NONE && t.trk && t.trk < sn->ntrks && is_selected(&f, &t))
			add_goroutine(&r, t.trk, store_smp(sn->st, i)->stack);
	}
	mem_free(hit);
	*n = r.n;
	return watcher_report(&filter->on, 1, 1) ? r.set : NULL;
}
