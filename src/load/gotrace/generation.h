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

struct gostr {
	const char *p;	/* in the input */
	uint32_t n;
};

struct gopc {		/* what a program counter is: the first mention in the generation holds */
	uint64_t pc, fun, file, line;
};

struct gostack {
	uint64_t first;
	uint32_t n;
};

struct gosample {
	int64_t time;
	uint64_t m, p, g, stack, nth;
};

struct gothread {
	uint64_t m;
	uint32_t first, last;	/* batches, index + 1 */
};

/* One generation: pure data, no cursor and no state. */
struct tgen {
	uint64_t number;
	uint64_t at, end;	/* bytes of the input that it came from */
	double ns_per_tick;	/* 0: not known yet */
	struct tev_clock clock;
	uint64_t clock_ticks, min_ticks;

	struct gostr *str;	/* index 0 is "" */
	size_t nstr, capstr;
	struct idtab strs;
	struct arena made;	/* bytes of strings that are not in the file */
	struct col extra;	/* struct gostr that came from elsewhere; their ids follow nstr */
	struct intern extras;

	struct gostack *stack;	/* index 0 is empty */
	size_t nstack, capstack;
	struct idtab stacks;
	uint32_t *ref;		/* frames of all stacks, as indexes of pc */
	size_t nref, capref;
	struct gopc *pc;
	size_t npc, cappc;
	struct idmap pcs;
	struct tev_frame *frame;	/* frames of all stacks, when sealed */

	struct gosample *sample;	/* by time, when sealed */
	size_t nsample, capsample;
	struct gobatch *batch;
	size_t nbatch, capbatch;
	struct gothread *thread;	/* in the order of their first batches */
	size_t nthread, capthread;
	struct idmap threads;
	uint64_t nbatches;	/* of every kind */
	uint64_t experimental;	/* batches that nobody here reads */
	struct gobatch cut;	/* the last one, when the input ends within it */
	bool torn;		/* the input ends within it, as far as one can see */
	bool salvaged;		/* its end is missing: so may be tables and events */
};

/* The next generation of the input, at the cursor, into *g. 1: there is one, and when e->kind is set, damage after it;
   0: the input ended as it should; -1: damage, and what was read of the generation is in *g (never
   NULL), not sealed. */
int gogen_read(struct cur *, int version, const struct bytes *, struct tgen **g, struct err *e);
/* Make what there is of a damaged generation fit for use: references to what is missing become none.
   false: there is nothing to show. ns_per_tick is what an earlier generation said, or 0. */
bool gogen_salvage(struct tgen *g, double ns_per_tick);
void gogen_free(struct tgen *g);

struct tgen *gogen_new(void);
/* For traces of version 1: one more frame of the stack being added; and seal strings and frames. -1:
   a string came twice. */
void gogen_frame(struct tgen *g, const struct gopc *pc);
int gogen_seal_v1(struct tgen *g, uint64_t *dup);
/* lost_names.c: the index of a new stack of which only the number is known; such stacks for all that events of the
   generation name and its table has not, before it is sealed. */
uint32_t golost_stack(struct tgen *g, uint64_t id);
void golost_stacks(struct tgen *g);
uint32_t golost_name(struct tgen *g, uint64_t pc);	/* a string: the address, where a name is lost */
/* Id of a string of these bytes, which must stay where they are. The table is complete by now; those
   who read it meanwhile, on another thread, are not disturbed. */
uint32_t gogen_extra(struct tgen *g, const char *p, uint32_t n);

#endif
