/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_GENERATION_H
#define TTRACE_LOAD_GOTRACE_GENERATION_H

#include "base/intern.h"
#include "base/mem/column.h"
#include "base/mem/mem.h"
#include "base/u64_map.h"
#include "load/gotrace/event_stream.h"
#include "load/gotrace/wire.h"

struct gen_string {
	const char *p;	/* points into the input */
	uint32_t n;
};

struct gen_pc {		/* what a program counter means: the first record of it in the generation counts */
	uint64_t pc, fun, file, line;
};

struct gen_stack {
	uint64_t first;
	uint32_t n;
};

struct gen_sample {
	int64_t time;
	uint64_t m, p, g, stack, nth;
};

struct gen_thread {
	uint64_t m;
	uint32_t first, last;	/* its first and last batch: index + 1 */
};

/* Strings that the table of the generation does not have. */
struct added_strings { struct data_column v; struct intern index; };	/* v: struct gen_string */

/* One generation: only data, no cursor and no state. */
struct trace_generation {
	uint64_t number;
	uint64_t at, end;	/* range of its bytes in the input */
	double ns_per_tick;	/* 0: not known yet */
	struct trace_clock clock;
	uint64_t clock_ticks, min_ticks;

	struct gen_string *str;	/* index 0 is "" */
	size_t nstr, capstr;
	struct u64_index strs;
	struct arena made;	/* bytes of strings that are not in the file */
	struct added_strings added;	/* by generation_add_string(); their ids follow nstr */

	struct gen_stack *stack;	/* index 0 is empty */
	size_t nstack, capstack;
	struct u64_index stacks;
	uint32_t *ref;		/* frames of all stacks, as indexes of pc */
	size_t nref, capref;
	struct gen_pc *pc;
	size_t npc, cappc;
	struct u64_hash pcs;
	struct trace_frame *frame;	/* frames of all stacks, once sealed */

	struct gen_sample *sample;	/* by time, once sealed */
	size_t nsample, capsample;
	struct wire_batch *batch;
	size_t nbatch, capbatch;
	struct gen_thread *thread;	/* in the order of their first batches */
	size_t nthread, capthread;
	struct u64_hash threads;
	uint64_t nbatches;	/* of every kind */
	uint64_t experimental;	/* batches of experimental data, which are not read */
	struct wire_batch cut;	/* the last batch, if the input ends within it */
	bool torn;		/* the input seems to end within this generation */
	bool salvaged;		/* its end is missing, and tables and events may be missing too */
};

/* Read the next generation at the cursor into *g. Returns 1 if there is one; then e->kind is set if damage follows
   it. Returns 0 if the input ended where it may. Returns -1 for damage. *g is never NULL; after 0 and -1 it holds
   what was read and is not sealed. The caller frees *g. */
int generation_read(struct byte_cursor *, int version, const struct bytes *, struct trace_generation **g, struct err *e);
/* Make the rest of a damaged generation usable: references to missing strings and stacks become 0. ns_per_tick is
   that of an earlier generation, or 0. Returns false if no events are left. */
bool generation_salvage(struct trace_generation *g, double ns_per_tick);
void generation_free(struct trace_generation *g);	/* NULL is ignored */

struct trace_generation *generation_new(void);	/* an empty one, with string 0 and stack 0 */
/* For traces of version 1. generation_add_frame() adds a frame to the stack that is being built.
   generation_seal_v1() seals strings and frames; it returns -1 if a string id occurs twice and stores the id in
   *dup. */
void generation_add_frame(struct trace_generation *g, const struct gen_pc *pc);
int generation_seal_v1(struct trace_generation *g, uint64_t *dup);
/* lost_names.c. lost_names_add_stack() adds a stack of which only the id is known and returns its index.
   lost_names_add_stacks() adds such stacks for all ids that events of the generation refer to and its table lacks;
   call it before sealing. */
uint32_t lost_names_add_stack(struct trace_generation *g, uint64_t id);
void lost_names_add_stacks(struct trace_generation *g);
/* Add the address as a string, for a function whose name is lost. Returns its index. */
uint32_t lost_names_add_name(struct trace_generation *g, uint64_t pc);
/* Return the id of a string with these bytes, which must stay where they are. Called by the ordering thread once
   the table is complete; it does not move strings that another thread is reading. */
uint32_t generation_add_string(struct trace_generation *g, const char *p, uint32_t n);

#endif
