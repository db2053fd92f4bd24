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
	const char *p;	/* in the input */
	uint32_t n;
};

struct gen_pc {		/* what a program counter is: the first mention in the generation holds */
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
	uint32_t first, last;	/* batches, index + 1 */
};

/* One generation: pure data, no cursor and no state. */
struct trace_generation {
	uint64_t number;
	uint64_t at, end;	/* bytes of the input that it came from */
	double ns_per_tick;	/* 0: not known yet */
	struct trace_clock clock;
	uint64_t clock_ticks, min_ticks;

	struct gen_string *str;	/* index 0 is "" */
	size_t nstr, capstr;
	struct u64_index strs;
	struct arena made;	/* bytes of strings that are not in the file */
	struct data_column extra;	/* struct gen_string that came from elsewhere; their ids follow nstr */
	struct intern extras;

	struct gen_stack *stack;	/* index 0 is empty */
	size_t nstack, capstack;
	struct u64_index stacks;
	uint32_t *ref;		/* frames of all stacks, as indexes of pc */
	size_t nref, capref;
	struct gen_pc *pc;
	size_t npc, cappc;
	struct u64_hash pcs;
	struct trace_frame *frame;	/* frames of all stacks, when sealed */

	struct gen_sample *sample;	/* by time, when sealed */
	size_t nsample, capsample;
	struct wire_batch *batch;
	size_t nbatch, capbatch;
	struct gen_thread *thread;	/* in the order of their first batches */
	size_t nthread, capthread;
	struct u64_hash threads;
	uint64_t nbatches;	/* of every kind */
	uint64_t experimental;	/* batches that nobody here reads */
	struct wire_batch cut;	/* the last one, when the input ends within it */
	bool torn;		/* the input ends within it, as far as one can see */
	bool salvaged;		/* its end is missing: so may be tables and events */
};

/* The next generation of the input, at the cursor, into *g. 1: there is one, and when e->kind is set, damage after it;
   0: the input ended as it should; -1: damage, and what was read of the generation is in *g (never
   NULL), not sealed. */
int generation_read(
    struct byte_cursor *, int version, const struct bytes *, struct trace_generation **g, struct err *e);
/* Make what there is of a damaged generation fit for use: references to what is missing become none.
   false: there is nothing to show. ns_per_tick is what an earlier generation said, or 0. */
bool generation_salvage(struct trace_generation *g, double ns_per_tick);
void generation_free(struct trace_generation *g);

struct trace_generation *generation_new(void);
/* For traces of version 1: one more frame of the stack being added; and seal strings and frames. -1:
   a string came twice. */
void generation_add_frame(struct trace_generation *g, const struct gen_pc *pc);
int generation_seal_v1(struct trace_generation *g, uint64_t *dup);
/* lost_names.c: the index of a new stack of which only the number is known; such stacks for all that events of the
   generation name and its table has not, before it is sealed. */
uint32_t lost_names_add_stack(struct trace_generation *g, uint64_t id);
void lost_names_add_stacks(struct trace_generation *g);
uint32_t lost_names_add_name(struct trace_generation *g, uint64_t pc); /* a string: the address, where a name is lost */
/* Id of a string of these bytes, which must stay where they are. The table is complete by now; those
   who read it meanwhile, on another thread, are not disturbed. */
uint32_t generation_add_string(struct trace_generation *g, const char *p, uint32_t n);

#endif
