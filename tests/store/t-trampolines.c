/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The names of goroutines whose start function calls different functions. Each case is a start function with goroutines,
 * of which each has stacks, and the name that it gets.
 */
#include "config.h"
#include "store/builder.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

enum { STACKS = 3, GS = 4 };
/* Stacks are "callee PC", the call in the start function at that pc, or "" for none. A "+" before: the call is inlined.
   creator: a function that calls `made`, which has the go statement; NULL: created before the trace. */
struct one_case {
	const char *of, *start, *made, *creator;
	struct { const char *stack[STACKS], *name; } g[GS];
};

static const struct one_case cases[] = {
	{"a call of different functions", "lib.(*Group).Go.func1", "", NULL,
	    {{{"main.a 10"}, "main.a"}, {{"main.b 10", "main.b 10"}, "main.b"}, {{"main.a 10"}, "main.a"}}},
	{"another call beside it", "lib.(*Group).Go.func1", "", NULL,
	    {{{"main.a 10", "lib.done 11"}, "main.a"}, {{"main.b 10", "lib.done 11"}, "main.b"}}},
	{"a worker that calls both", "main.worker", "", NULL,
	    {{{"main.a 10", "main.b 10"}, "main.worker"}, {{"main.b 10"}, "main.worker"}}},
	{"different calls", "main.worker", "", NULL,
	    {{{"main.a 10"}, "main.worker"}, {{"main.b 11"}, "main.worker"}}},
	{"inlined calls", "main.worker", "", NULL,
	    {{{"+main.a 10"}, "main.worker"}, {{"+main.b 10"}, "main.worker"}}},
	{"a method of an interface", "net/http.(*connReader).backgroundRead", "", NULL,
	    {{{"net.(*conn).Read 10"}, "net/http.(*connReader).backgroundRead"},
	    {{"main.(*conn).Read 10"}, "net/http.(*connReader).backgroundRead"}}},
	{"closures with equal last parts", "lib.Go.func1", "", NULL,
	    {{{"main.a.func1 10"}, "main.a.func1"}, {{"main.b.func1 10"}, "main.b.func1"}}},
	{"the runtime", "lib.Go.func1", "", NULL,
	    {{{"runtime.chanrecv1 10"}, "lib.Go.func1"}, {{"runtime.selectgo 10"}, "lib.Go.func1"}}},
	{"one function that the creator handed over", "sync.(*WaitGroup).Go.func1", "sync.(*WaitGroup).Go", "main.run",
	    {{{"main.run.func1 10"}, "main.run.func1"}, {{""}, "main.run.func1"}}},
	{"a library that the start function uses", "main.run.func1", "main.run", "main.main",
	    {{{"lib.Query 10"}, "main.run.func1"}, {{"lib.Query 10"}, "main.run.func1"}}},
	{"without an event", "lib.Go.func1", "", NULL,
	    {{{"main.a 10"}, "main.a"}, {{"main.b 10"}, "main.b"}, {{""}, "lib.Go.func1"}}},
};

static loc_id location(struct sink *s, const char *name, size_t n, uint64_t pc)
{
	struct sink_fun fun = {.name = s->ops->str(s->self, name, n)};
	fun.sysname = fun.name;
	struct sink_line line = {.fun = s->ops->fun(s->self, &fun), .line = 1};
	return s->ops->loc(s->self, &(struct sink_loc){.addr = pc, .line = &line, .nline = 1});
}

/* Return the stack of a wait in a callee of the start function. */
static stk_id wait_in(struct sink *s, const char *start, const char *text)
{
	bool inlined = *text == '+';
	char callee[64];
	unsigned long long pc = 0;
	OK(sscanf(text + inlined, "%63s %llu", callee, &pc) == 2);
	loc_id leaf_first[] = {location(s, "runtime.gopark", 14, 1),
	    location(s, callee, strlen(callee), inlined ? pc : 1000), location(s, start, strlen(start), pc)};
	return s->ops->stack(s->self, leaf_first, 3);
}

static stk_id creation(struct sink *s, const struct one_case *c)
{
	loc_id leaf_first[] = {location(s, c->made, strlen(c->made), 20),
	    location(s, c->creator ? c->creator : "", c->creator ? strlen(c->creator) : 0, 21)};
	return c->creator ? s->ops->stack(s->self, leaf_first, 2) : 0;
}

static void check(const struct one_case *c)
{
	struct store_builder *b = builder_new();
	struct sink s = builder_sink(b);
	trk_id g[GS], p = s.trace->track(s.self, TK_P, 0);
	stk_id created = creation(&s, c);
	int64_t t = 0;
	for (unsigned i = 0; i < GS && c->g[i].name; i++) {
		g[i] = s.trace->track(s.self, TK_G, i + 1);
		s.trace->born(s.self, g[i], s.ops->str(s.self, c->start, strlen(c->start)), 0, 0, created);
		sink_enter_one(&s, g[i], t++, TS_RUN, p, 0);
		for (int k = 0; k < STACKS && c->g[i].stack[k] && *c->g[i].stack[k]; k++)
			sink_enter_one(&s, g[i], t++, TS_CHANRECV, 0, wait_in(&s, c->start, c->g[i].stack[k]));
	}
	s.trace->facts(s.self, &(struct sink_trace){.version = 26, .last = t});
	const struct store *st = builder_finish(b)->st;
	for (unsigned i = 0; i < GS && c->g[i].name; i++) {
		const char *name = store_str(st, store_trk_name(st, g[i]))->s;
		OK(!strcmp(store_str(st, store_trk_start(st, g[i]))->s, c->start));
		if (strcmp(name, c->g[i].name)) {
			fprintf(stderr, "%s: goroutine %u is %s, not %s\n", c->of, i + 1, name, c->g[i].name);
			OK(!"the name is right");
		}
	}
	builder_free(b);
}

int main(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check(&cases[i]);
	return DONE();
}
