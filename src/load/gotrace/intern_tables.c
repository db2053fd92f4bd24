/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Strings and stacks of one generation, on their way into the sink. Most ids of a generation are
 * never used by an event that is shown, and the rest are used again and again. So each is passed to
 * the sink once in a generation, when it is first used, and an array by id keeps the sink's id. The
 * sink unifies equal stacks of different generations.
 */
#include "config.h"
#include "load/gotrace/internal.h"

#include "base/mem/mem.h"
#include "load/gotrace/status_waits.h"

#include <string.h>

/* Return a table of at least n entries; new entries are zero. */
static void *table_room(void *p, size_t *cap, size_t n, size_t size)
{
	size_t had = *cap;
	if (n <= had)
		return p;
	p = mem_grow(p, cap, n, size);
	memset((char *)p + had * size, 0, (*cap - had) * size);
	return p;
}

/* Add the first stack of each trace, which has one frame. Analyses attribute weight without a stack to it
 * (trace_show_no_stack()). */
static void add_no_stack(struct gotrace *r)
{
	struct sink *s = r->sink;
	struct sink_fun fun = { .name = s->ops->str(s->self, SINK_NO_STACK, sizeof SINK_NO_STACK - 1) };
	fun.sysname = fun.name;
	struct sink_line line = { .fun = s->ops->fun(s->self, &fun) };
	loc_id loc = s->ops->loc(s->self, &(struct sink_loc){ .line = &line, .nline = 1 });
	s->ops->stack(s->self, &loc, 1);
}

void intern_tables_begin(struct gotrace *r, const struct trace_generation *gen)
{
	struct interned_tables *t = &r->tab;
	if (t->any && t->gen == gen && t->number == generation_number(gen))
		return;
	if (!t->any)
		add_no_stack(r);
	t->gen = gen;
	t->number = generation_number(gen);
	t->any = true;
	t->str = table_room(t->str, &t->nstr, generation_nstrs(gen) + 1u, sizeof *t->str);
	t->stack = table_room(t->stack, &t->nstack, generation_nstacks(gen) + 1u, sizeof *t->stack);
	t->root = table_room(t->root, &t->nroot, generation_nstacks(gen) + 1u, sizeof *t->root);
	t->wait = table_room(t->wait, &t->nwait, generation_nstrs(gen) + 1u, sizeof *t->wait);
	memset(t->str, 0, t->nstr * sizeof *t->str);
	memset(t->stack, 0, t->nstack * sizeof *t->stack);
	t->stack[0] = 1;	/* id 0 is no stack */
	memset(t->root, 0, t->nroot * sizeof *t->root);
	memset(t->wait, 0, t->nwait * sizeof *t->wait);
}

void intern_tables_free(struct interned_tables *t)
{
	mem_free(t->str);
	mem_free(t->stack);
	mem_free(t->root);
	mem_free(t->wait);
}

str_id intern_tables_str(struct gotrace *r, uint32_t id)
{
	struct interned_tables *t = &r->tab;
	if (!id)
		return 0;
	t->str = table_room(t->str, &t->nstr, id + (size_t)1, sizeof *t->str);
	if (!t->str[id]) {
		size_t n;
		const char *s = generation_str(t->gen, id, &n);
		t->str[id] = r->sink->ops->str(r->sink->self, s, n) + 1;
	}
	return t->str[id] - 1;
}

static loc_id add_frame(struct gotrace *r, const struct trace_frame *f)
{
	struct sink *s = r->sink;
	struct sink_fun fun = { .name = intern_tables_str(r, f->fun), .file = intern_tables_str(r, f->file) };
	fun.sysname = fun.name;
	struct sink_line line = { .line = (int64_t)f->line };
	line.fun = s->ops->fun(s->self, &fun);
	return s->ops->loc(s->self, &(struct sink_loc){ .addr = f->pc, .line = &line, .nline = 1 });
}

/* Pass a stack to the sink, without its innermost `skip` frames. */
static void add_stack(struct gotrace *r, uint32_t id, uint32_t skip)
{
	enum { DEEP = 256 };
	uint32_t n;
	const struct trace_frame *f = generation_stack(r->tab.gen, id, &n);
	loc_id loc[DEEP];
	n -= skip;
	if (n > DEEP)	/* the format allows 128 */
		n = DEEP;
	for (uint32_t i = 0; i < n; i++)
		loc[i] = add_frame(r, &f[skip + i]);
	r->tab.stack[id] = (n ? r->sink->ops->stack(r->sink->self, loc, n) : 0) + 1;
}

stk_id intern_tables_find_stack(struct gotrace *r, uint32_t id)
{
	struct interned_tables *t = &r->tab;
	if (!id || id >= t->nstack)
		return 0;
	if (!t->stack[id])
		add_stack(r, id, 0);
	return t->stack[id] - 1;
}

enum tstate intern_tables_wait(struct gotrace *r, uint32_t id)
{
	struct interned_tables *t = &r->tab;
	if (!id || id >= t->nroot || id >= t->nstack)
		return TS_UNKNOWN;
	struct start_function *of = &t->root[id];
	if (!of->waits) {
		uint32_t skip;
		of->waits = (uint8_t)(status_waits_state(t->gen, id, &skip) + 1);
		if (!t->stack[id])
			add_stack(r, id, skip);
	}
	return (enum tstate)(of->waits - 1);
}

const struct start_function *intern_tables_find_root(struct gotrace *r, uint32_t id)
{
	struct interned_tables *t = &r->tab;
	uint32_t n;
	size_t len;
	if (!id || id >= t->nroot)
		return NULL;
	struct start_function *root = &t->root[id];
	const struct trace_frame *f = root->is_known ? NULL : generation_stack(t->gen, id, &n);
	root->is_known = true;
	if (!f || !n)
		return root;
	const char *s = generation_str(t->gen, f[n - 1].fun, &len);
	if (!len)
		return root;
	root->any = true;
	root->cut = n >= GO_MAX_FRAMES;
	root->name = intern_tables_str(r, f[n - 1].fun);
	root->system = sink_runtime(s, len);
	root->worker = len == 22 && !memcmp(s, "runtime.gcBgMarkWorker", 22);
	return root;
}
