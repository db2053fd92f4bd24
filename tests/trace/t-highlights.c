/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Highlights of a trace computed from the extremes that each sheet keeps, against the same from all intervals: for
 * goroutines whose functions are known from the start, later or never, functions of the runtime among them, and for more
 * functions than the extremes of a sheet have room for.
 */
#include "config.h"
#include "store/builder.h"
#include "trace/highlights.h"

#include "base/mem/mem.h"
#include "store/tracks/extremes.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

enum { PS = 4, GS = 300, FEW = 6, STEPS = 12000, SHEETS = 12 };

static uint64_t seed;
static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

static const char *const few[FEW] = {
	"main.a", "main.b", "runtime.bgsweep", "runtime.main", "main.c", "runtime.gcenable.func1"
};

/* Return the function of the i-th goroutine: one of a few, or one of its own if there are many. */
static str_id name_of(struct sink *s, uint32_t i, bool many)
{
	char own[32];
	int n = snprintf(own, sizeof own, "main.f%u", i);
	return many ? s->ops->str(s->self, own, (size_t)n) : s->ops->str(s->self, few[i % FEW], strlen(few[i % FEW]));
}

struct plan { uint32_t gs; bool many; uint32_t now, later; };	/* now, later: percentage of names known at start, at the end */

static void put_names(struct sink *s, const trk_id *g, const struct plan *p, uint32_t percent)
{
	for (uint32_t i = 0; i < p->gs; i++)
		if (rnd(100) < percent)
			s->trace->born(s->self, g[i], name_of(s, i, p->many), 0, 0, 0);
}

static void make_trace(struct sink *s, const struct plan *plan)
{
	static const enum tstate states[] = {TS_RUN, TS_READY, TS_SYNC, TS_CHANRECV, TS_ASSIST, TS_NONE};
	trk_id p[PS], *g = xmalloc(plan->gs * sizeof *g);
	int64_t t = 0;
	s->trace->facts(s->self, &(struct sink_trace){.version = 26});
	for (uint32_t i = 0; i < PS; i++)
		p[i] = s->trace->track(s->self, TK_P, i);
	for (uint32_t i = 0; i < plan->gs; i++)
		g[i] = s->trace->track(s->self, TK_G, i + 1);
	put_names(s, g, plan, plan->now);
	for (uint32_t i = 0; i < STEPS; i++) {
		t += 1 + rnd(100);
		enum tstate is = states[rnd(sizeof states / sizeof *states)];
		sink_enter_one(s, g[rnd(plan->gs)], t, is, is == TS_RUN ? p[rnd(PS)] : 0, 0);
		sink_enter_one(s, p[rnd(PS)], t, rnd(2) ? TS_IDLE : TS_RUN, 0, 0);
		if (i % (STEPS / SHEETS) == 0)
			s->ops->upto(s->self, t, 0);
	}
	put_names(s, g, plan, plan->later);
	s->trace->facts(s->self, &(struct sink_trace){.version = 26, .last = t});
	mem_free(g);
}

/* The Ps: make_trace() adds them first. */
static const trk_id ps[PS] = {1, 2, 3, 4};

static void check(struct plan plan)
{
	struct trace_highlights a[TRACE_HIGHLIGHTS_MAX], b[TRACE_HIGHLIGHTS_MAX];
	struct arena mem = {0};
	struct store_builder *of = builder_new();
	struct sink s = builder_sink(of);
	uint32_t extremes = 0;
	make_trace(&s, &plan);
	const struct snap *sn = builder_finish(of);
	struct trace_highlights_query ask = {.t0 = sn->t0, .t1 = sn->t1, .p = ps, .np = PS};
	size_t n = trace_highlights(sn, &ask, &mem, a);
	for (uint32_t i = 0; i < sn->nsheets; i++) {
		extremes += store_slot(sn->st, i)->sheet_extremes != NULL;
		extremes_free(store_slot(sn->st, i)->sheet_extremes);
		store_slot(sn->st, i)->sheet_extremes = NULL;
	}
	/* of very many goroutines a sheet has more entries than there are of them */
	OK(sn->nsheets >= (plan.many ? 2 : SHEETS) && (extremes < sn->nsheets) == plan.many);
	OK(n >= 3 && trace_highlights(sn, &ask, &mem, b) == n);
	for (size_t i = 0; i < n; i++)
		OK(a[i].t0 == b[i].t0 && a[i].t1 == b[i].t1 && a[i].trk == b[i].trk && !strcmp(a[i].text, b[i].text));
	arena_free(&mem);
	builder_free(of);
}

int main(void)
{
	static const uint32_t share[] = {0, 50, 100};
	for (seed = 1; seed < 8; seed += 3)
		for (int i = 0; i < 9; i++)
			check((struct plan){GS, false, share[i / 3], share[i % 3]});
	check((struct plan){4000, true, 100, 0});
	return DONE();
}
