/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * One generation of a trace: the tables (strings, stacks, CPU samples, clocks) and the batches of
 * events, grouped by thread in the order of the file. The order of a thread's batches is trusted,
 * their times are not.
 *
 * Tables occur anywhere in a generation, the stacks often before the strings that they refer to. So
 * references are kept as they are and resolved when the generation is complete: ids become indexes,
 * and every reference is checked once, so later code need not check stacks. The first record of a
 * program counter defines it. Strings are pointers into the input: they are never copied, and
 * outlive the generation (an unfinished task keeps its name).
 *
 * No table is shared between generations: the same id means something else in the next one. The
 * runtime happens to repeat many ids, but does not promise it.
 */
#include "config.h"
#include "load/gotrace/generation.h"

#include "base/mem/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double USUAL_TICK = 64;	/* ns per tick if the frequency is missing: the value on nearly all systems */

struct trace_generation *generation_new(void)
{
	struct trace_generation *g = xcalloc(1, sizeof *g);
	column_init(&g->added.v, sizeof(struct gen_string));
	g->str = mem_grow(NULL, &g->capstr, 1, sizeof *g->str);
	g->str[g->nstr++] = (struct gen_string){"", 0};
	g->stack = mem_grow(NULL, &g->capstack, 1, sizeof *g->stack);
	g->stack[g->nstack++] = (struct gen_stack){0};
	return g;
}

void generation_free(struct trace_generation *g)
{
	if (!g)
		return;
	mem_free(g->str);
	u64_index_free(&g->strs);
	arena_free(&g->made);
	column_free(&g->added.v);
	intern_free(&g->added.index);
	mem_free(g->stack);
	u64_index_free(&g->stacks);
	mem_free(g->ref);
	mem_free(g->pc);
	u64_map_free(&g->pcs);
	mem_free(g->frame);
	mem_free(g->sample);
	mem_free(g->batch);
	mem_free(g->thread);
	u64_map_free(&g->threads);
	mem_free(g);
}

static int short_table(struct byte_cursor *c, struct err *e, const char *what)
{
	return err_set(e, ERR_FORMAT, byte_cursor_at(c), "%s: unexpected EOF", what);
}

static int add_strings(struct trace_generation *g, struct byte_cursor *c, struct err *e)
{
	while (byte_cursor_left(c)) {
		uint64_t at = byte_cursor_at(c);
		uint8_t type = byte_cursor_u8(c);
		if (type != GE_String)
			return err_set(e, ERR_FORMAT, at, "expected string event, got %d", type);
		uint64_t id = byte_cursor_uvarint(c), n = byte_cursor_uvarint(c);
		if (!c->bad && n > GO_MAX_STRING)
			return err_set(e, ERR_FORMAT, at,
			    "invalid string size %" PRIu64 ", maximum is %d", n,
			    GO_MAX_STRING);
		const uint8_t *p = byte_cursor_bytes(c, n);
		if (!p)
			return short_table(c, e, "reading a string");
		g->str = mem_grow(g->str, &g->capstr, g->nstr + 1, sizeof *g->str);
		g->str[g->nstr++] = (struct gen_string){(const char *)p, (uint32_t)n};
		u64_index_add(&g->strs, id);
	}
	return 0;
}

/* Return the index of the program counter, added at its first occurrence. */
static uint32_t add_pc(struct trace_generation *g, const struct gen_pc *pc)
{
	bool fresh;
	struct u64_slot *s = u64_map_put(&g->pcs, pc->pc, &fresh);
	if (fresh) {
		s->n = g->npc;
		g->pc = mem_grow(g->pc, &g->cappc, g->npc + 1, sizeof *g->pc);
		g->pc[g->npc++] = *pc;
	}
	return (uint32_t)s->n;
}

static int add_stacks(struct trace_generation *g, struct byte_cursor *c, struct err *e)
{
	while (byte_cursor_left(c)) {
		uint64_t at = byte_cursor_at(c);
		uint8_t type = byte_cursor_u8(c);
		if (type != GE_Stack)
			return err_set(e, ERR_FORMAT, at, "expected stack event, got %d", type);
		uint64_t id = byte_cursor_uvarint(c), n = byte_cursor_uvarint(c);
		if (!c->bad && n > GO_MAX_FRAMES)
			return err_set(e, ERR_FORMAT, at,
			    "invalid stack size %" PRIu64 ", maximum is %d", n,
			    GO_MAX_FRAMES);
		g->ref = mem_grow(g->ref, &g->capref, g->nref + (c->bad ? 0 : (size_t)n),
		    sizeof *g->ref);
		size_t first = g->nref;
		for (uint64_t i = 0; i < n && !c->bad; i++) {
			struct gen_pc pc = {.pc = byte_cursor_uvarint(c), .fun = 0};
			pc.fun = byte_cursor_uvarint(c);
			pc.file = byte_cursor_uvarint(c);
			pc.line = byte_cursor_uvarint(c);
			if (!c->bad)
				g->ref[g->nref++] = add_pc(g, &pc);
		}
		if (c->bad)
			return short_table(c, e, "reading a stack");
		g->stack = mem_grow(g->stack, &g->capstack, g->nstack + 1, sizeof *g->stack);
		g->stack[g->nstack++] = (struct gen_stack){first, (uint32_t)n};
		u64_index_add(&g->stacks, id);
	}
	return 0;
}

static int add_samples(struct trace_generation *g, struct byte_cursor *c, struct err *e)
{
	while (byte_cursor_left(c)) {
		uint64_t at = byte_cursor_at(c);
		uint8_t type = byte_cursor_u8(c);
		if (type != GE_CPUSample)
			return err_set(e, ERR_FORMAT, at, "expected CPU sample event, got %d",
			    type);
		struct gen_sample s = {.time = (int64_t)byte_cursor_uvarint(c), .nth = g->nsample};
		s.m = byte_cursor_uvarint(c);
		s.p = byte_cursor_uvarint(c);
		s.g = byte_cursor_uvarint(c);
		s.stack = byte_cursor_uvarint(c);
		if (c->bad)
			return short_table(c, e, "reading a CPU sample");
		if (!s.g)
			s.g = UINT64_MAX;
		g->sample = mem_grow(g->sample, &g->capsample, g->nsample + 1, sizeof *g->sample);
		g->sample[g->nsample++] = s;
	}
	return 0;
}

static int add_frequency(struct trace_generation *g, struct byte_cursor *c, struct err *e)
{
	if (g->ns_per_tick != 0)
		return err_set(e, ERR_FORMAT, byte_cursor_at(c), "found multiple frequency events");
	uint64_t f = byte_cursor_uvarint(c);
	if (!c->bad)
		g->ns_per_tick = 1.0 / ((double)f / 1e9);
	return 0;
}

static int add_sync(struct trace_generation *g, struct byte_cursor *c, uint64_t ticks, int version, struct err *e)
{
	while (byte_cursor_left(c)) {
		uint64_t at = byte_cursor_at(c);
		uint8_t type = byte_cursor_u8(c);
		if (type == GE_Frequency) {
			if (add_frequency(g, c, e))
				return -1;
		} else if (type == GE_ClockSnapshot && version >= 25) {
			if (g->clock.known)
				return err_set(e, ERR_FORMAT, at,
				    "found multiple clock snapshot events");
			g->clock.known = true;
			ticks += byte_cursor_uvarint(c);
			g->clock_ticks = ticks;
			g->clock.mono = byte_cursor_uvarint(c);
			g->clock.sec = byte_cursor_uvarint(c);
			g->clock.nsec = byte_cursor_uvarint(c);
		} else {
			return err_set(e, ERR_FORMAT, at,
			    "expected frequency or clock snapshot event, got %d",
			    type);
		}
		if (c->bad)
			return short_table(c, e, "reading the clocks");
	}
	return 0;
}

static void add_events(struct trace_generation *g, const struct wire_batch *b)
{
	bool fresh;
	g->batch = mem_grow(g->batch, &g->capbatch, g->nbatch + 1, sizeof *g->batch);
	g->batch[g->nbatch++] = *b;
	uint32_t ref = (uint32_t)g->nbatch;
	struct u64_slot *s = u64_map_put(&g->threads, b->m, &fresh);
	if (fresh) {
		s->n = g->nthread;
		g->thread = mem_grow(g->thread, &g->capthread, g->nthread + 1, sizeof *g->thread);
		g->thread[g->nthread++] = (struct gen_thread){b->m, ref, ref};
		return;
	}
	struct gen_thread *t = &g->thread[s->n];
	g->batch[t->last - 1].next = ref;
	t->last = ref;
}

static int add_batch(struct trace_generation *g, const struct wire_batch *b, int version, struct err *e)
{
	struct byte_cursor c = byte_cursor_make(b->p, b->n, b->at);
	if (b->first)
		byte_cursor_u8(&c);
	g->nbatches++;
	if (b->exp) {
		g->experimental++;
		return 0;
	}
	switch (b->first) {
	case GE_Strings:
		return add_strings(g, &c, e);
	case GE_Stacks:
		return add_stacks(g, &c, e);
	case GE_CPUSamples:
		return add_samples(g, &c, e);
	case GE_Frequency:
	case GE_Sync:
		if ((b->first == GE_Sync) == (version >= 25)) {
			if (version < 25)
				c = byte_cursor_make(b->p, b->n, b->at);
			return add_sync(g, &c, b->time, version, e);
		}
		break;
	case GE_EndOfGeneration:
		return err_set(e, ERR_FORMAT, b->at,
		    "unexpectedly processing EndOfGeneration; broken trace?");
	default:
		break;
	}
	add_events(g, b);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct gen_sample *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->nth < y->nth ? -1 : x->nth > y->nth;
}

static void seal_clocks(struct trace_generation *g)
{
	for (size_t i = 0; i < g->nsample; i++)
		g->sample[i].time = wire_time(g->ns_per_tick, (uint64_t)g->sample[i].time);
	if (g->nsample)
		qsort(g->sample, g->nsample, sizeof *g->sample, by_time);
	g->clock.time = wire_time(g->ns_per_tick, g->clock_ticks);
}

static int bad_frame(const struct trace_generation *g, uint32_t pc, const char *what, uint64_t id,
    struct err *e)
{
	uint64_t of = 0;
	for (size_t i = 1; i < g->nstack && !of; i++)
		for (uint32_t j = 0; j < g->stack[i].n; j++)
			if (g->ref[g->stack[i].first + j] == pc)
				of = g->stacks.raw[i - 1];
	return err_set(e, ERR_FORMAT, g->at,
	    "found invalid %s string ID %" PRIu64 " for stack %" PRIu64,
	    what, id, of);
}

/* Resolve the references of frames to strings. A missing string is damage, or, if salvage is set, replaced by the
   address. */
static int seal_frames(struct trace_generation *g, bool salvage, struct err *e)
{
	struct trace_frame *of = xmalloc(g->npc * sizeof *of);
	for (uint32_t i = 0; i < g->npc; i++) {
		const struct gen_pc *p = &g->pc[i];
		uint32_t fun = u64_index_get(&g->strs, p->fun), file = u64_index_get(&g->strs, p->file);
		if (!salvage && (fun == U64_INDEX_NONE || file == U64_INDEX_NONE)) {
			mem_free(of);
			return fun == U64_INDEX_NONE ? bad_frame(g, i, "func", p->fun, e)
						 : bad_frame(g, i, "file", p->file, e);
		}
		if (fun == U64_INDEX_NONE)
			fun = lost_names_add_name(g, p->pc);
		of[i] = (struct trace_frame){p->pc, fun, file == U64_INDEX_NONE ? 0 : file, p->line};
	}
	g->frame = xmalloc(g->nref * sizeof *g->frame);
	for (size_t i = 0; i < g->nref; i++)
		g->frame[i] = of[g->ref[i]];
	mem_free(of);
	mem_free(g->ref);
	g->ref = NULL;
	return 0;
}

static int seal_generation(struct trace_generation *g, int version, struct err *e)
{
	uint64_t dup;
	if (g->ns_per_tick == 0)
		return err_set(e, ERR_FORMAT, g->at, "no frequency event found");
	if (version >= 25 && !g->clock.known)
		return err_set(e, ERR_FORMAT, g->at, "no clock snapshot event found");
	if (u64_index_seal(&g->strs, &dup))
		return err_set(e, ERR_FORMAT, g->at,
		    "multiple strings with the same ID: id=%" PRIu64, dup);
	if (u64_index_seal(&g->stacks, &dup))
		return err_set(e, ERR_FORMAT, g->at,
		    "multiple stacks with the same ID: id=%" PRIu64, dup);
	if (seal_frames(g, false, e))
		return -1;
	seal_clocks(g);
	return 0;
}

/* Add the part of the last batch that exists, if it is a batch of events. */
static void add_cut(struct trace_generation *g)
{
	const struct wire_batch *b = &g->cut;
	if (!b->cut || b->gen != g->number || b->first >= GE__N || !(wire_event_specs[b->first].flags & F_T))
		return;
	add_events(g, b);
	g->end = b->at + b->n;
}

/* The input ends between two batches, as it does after the program was killed: the tables are written last, and
   the bytes read so far contain neither a stack nor a string. */
static bool no_tables(const struct trace_generation *g, const struct byte_cursor *c)
{
	enum { SOME = 4096 };
	return g->nstack == 1 && g->nstr == 1 && byte_cursor_at(c) - g->at > SOME;
}

/* Read the next batch as wire_read_batch() does. In a mapped file only the head is read, with pread(): touching
   the page of each head would map its neighbours too, and so the whole generation before its bytes are needed. The
   bytes of tables are touched at once. Unusual heads are passed to wire_read_batch(). */
static int next_batch(struct byte_cursor *c, const struct bytes *in, struct wire_batch *b, struct err *e)
{
	uint8_t head[64];
	struct err none;
	size_t left = byte_cursor_left(c);
	if (!in->mapped || left <= sizeof head ||
	    pread(in->fd, head, sizeof head, (off_t)byte_cursor_at(c)) != (ssize_t)sizeof head)
		return wire_read_batch(c, b, e);
	struct byte_cursor h = byte_cursor_make(head, sizeof head, byte_cursor_at(c));
	if (wire_read_batch_head(&h, b, &none) <= 0 || b->end || !byte_cursor_left(&h) ||
	    b->n > left - (size_t)(h.p - head))
		return wire_read_batch(c, b, e);
	c->p += h.p - head;
	b->p = byte_cursor_bytes(c, b->n);
	b->first = b->n && !b->exp ? *h.p : GE_NONE;
	return 1;
}

/* Before 1.26 only the next generation ends a generation: read its first batch and step back. */
static int read_until_next(
    struct trace_generation *g, struct byte_cursor *c, int version, const struct bytes *in, struct err *e)
{
	struct wire_batch b;
	for (;;) {
		const uint8_t *mark = c->p;
		int r = next_batch(c, in, &b, e);
		if (!r) {
			g->torn = g->torn || no_tables(g, c);
			return 0;
		}
		if (r < 0) {
			g->torn = true;
			g->cut = b;
			c->p = mark;
			return g->number ? 0 : -1;	/* all before the damage is whole */
		}
		if (b.end || !b.gen)
			return err_set(e, ERR_FORMAT, byte_cursor_at(c), "invalid generation number 0");
		if (!g->number)
			g->number = b.gen;
		if (b.gen == g->number + 1) {
			c->p = mark;
			return 0;
		}
		if (b.gen != g->number)
			return err_set(e, ERR_FORMAT, b.at, "generations out of order");
		if (!g->min_ticks || b.time < g->min_ticks)
			g->min_ticks = b.time;
		if (add_batch(g, &b, version, e))
			return -1;
	}
}

/* Since 1.26 an event ends a generation. Returns 1 after it, 0 if the input ends before any batch of events. */
static int read_until_end(
    struct trace_generation *g, struct byte_cursor *c, int version, const struct bytes *in, struct err *e)
{
	struct wire_batch b;
	for (;;) {
		int r = next_batch(c, in, &b, e);
		if (!r && g->nthread)
			return err_set(e, ERR_FORMAT, byte_cursor_at(c),
			    "incomplete generation found; trace likely truncated (was trace.Stop called?)");
		if (r < 0)
			g->cut = b;
		if (r <= 0)
			return r;
		if (b.end)
			return 1;
		if (!g->number)
			g->number = b.gen;
		if (!b.gen)
			return err_set(e, ERR_FORMAT, b.at, "invalid generation number 0");
		if (b.gen != g->number)
			return err_set(e, ERR_FORMAT, b.at,
			    "missing end-of-generation event, or generations are interleaved");
		if (!g->min_ticks || b.time < g->min_ticks)
			g->min_ticks = b.time;
		if (add_batch(g, &b, version, e))
			return -1;
	}
}

int generation_read(struct byte_cursor *c, int version, const struct bytes *in, struct trace_generation **out,
    struct err *e)
{
	struct trace_generation *g = *out = generation_new();
	g->at = byte_cursor_at(c);
	e->kind = ERR_NONE;
	int r = version < 26 ? read_until_next(g, c, version, in, e) : read_until_end(g, c, version, in, e);
	g->end = byte_cursor_at(c);
	if (version < 26 && g->torn && !g->nthread)
		add_cut(g);	/* there is no other batch of events */
	if (r < 0 || (r == 0 && version >= 26))
		return r;
	struct err after = *e, own;
	if (g->torn)
		lost_names_add_stacks(g);
	if (seal_generation(g, version, &own)) {
		if (after.kind == ERR_NONE)
			*e = own;
		return -1;
	}
	return 1;
}

bool generation_salvage(struct trace_generation *g, double ns_per_tick)
{
	uint64_t dup;
	if (g->ns_per_tick == 0)
		g->ns_per_tick = ns_per_tick != 0 ? ns_per_tick : USUAL_TICK;
	add_cut(g);
	if (!g->nthread || g->frame)
		return false;
	bool was_whole = !g->torn;	/* else they were added already */
	g->torn = g->salvaged = true;
	if (!g->strs.dense && !g->stacks.dense && was_whole)
		lost_names_add_stacks(g);
	if (!g->strs.dense && u64_index_seal(&g->strs, &dup))
		return false;
	if (!g->stacks.dense && u64_index_seal(&g->stacks, &dup))
		return false;
	seal_frames(g, true, NULL);
	seal_clocks(g);
	return true;
}

void generation_add_frame(struct trace_generation *g, const struct gen_pc *pc)
{
	g->ref = mem_grow(g->ref, &g->capref, g->nref + 1, sizeof *g->ref);
	g->ref[g->nref++] = add_pc(g, pc);
}

int generation_seal_v1(struct trace_generation *g, uint64_t *dup)
{
	int r = u64_index_seal(&g->strs, dup);
	seal_frames(g, true, NULL);
	return r;
}

static int same_str(const void *ctx, uint32_t id, const void *key)
{
	const struct gen_string *a = &COLUMN_AT((const struct data_column *)ctx, const struct gen_string, id), *b = key;
	return a->n == b->n && !memcmp(a->p, b->p, a->n);
}

uint32_t generation_add_string(struct trace_generation *g, const char *p, uint32_t n)
{
	if (!n)
		return 0;
	struct gen_string key = {p, n};
	uint32_t h = intern_hash_bytes(p, n, 0), id = intern_find(&g->added.index, h, same_str, &g->added.v, &key);
	if (id == UINT32_MAX) {
		*(struct gen_string *)column_add(&g->added.v, &id) = key;
		intern_put(&g->added.index, h, id);
	}
	return (uint32_t)g->nstr + id;
}

const char *generation_str(const struct trace_generation *g, uint32_t id, size_t *n)
{
	const struct gen_string *s = g->str;
	if (id < g->nstr)
		s += id;
	else if (id - g->nstr < column_n(&g->added.v))
		s = column_at(&g->added.v, id - (uint32_t)g->nstr);
	*n = s->n;
	return s->p;
}

const struct trace_frame *generation_stack(const struct trace_generation *g, uint32_t id, uint32_t *n)
{
	const struct gen_stack *s = &g->stack[id < g->nstack ? id : 0];
	*n = s->n;
	return s->n ? g->frame + s->first : NULL;
}

uint64_t generation_number(const struct trace_generation *g)
{
	return g->number;
}

const struct trace_clock *generation_clock(const struct trace_generation *g)
{
	return &g->clock;
}

uint32_t generation_nstacks(const struct trace_generation *g)
{
	return (uint32_t)g->nstack;
}

uint32_t generation_nstrs(const struct trace_generation *g)
{
	return (uint32_t)g->nstr + column_n(&g->added.v);
}
