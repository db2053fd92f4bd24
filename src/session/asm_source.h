/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_ASM_SOURCE_H
#define TTRACE_SESSION_ASM_SOURCE_H

#include "calltree/addresses.h"
#include "symbols/lookup.h"

/*
 * Machine code where samples were seen: each instruction with the calls that
 * it is inlined through and what was spent on it.
 */
struct asm_inst {
	uint64_t addr, at;	/* run-time; of the file */
	uint64_t len;
	const char *text;
	const struct debug_frame *frame;	/* innermost first */
	size_t nframe;
	int64_t flat, cum;
};
struct asm_listing {
	struct asm_inst *v;	/* by address within a range */
	size_t n, cap;
	struct arena strings;
};
struct asm_weight { uint64_t addr; int64_t flat, cum; };

/* The instructions between two run-time addresses, behind those that are there. */
int asm_source_add_range(
    struct asm_listing *, struct binary *, uint64_t from, uint64_t upto, bool intel, struct err *e);
/* The bytes around an address that are worth looking at: its symbol, if that is not too large. */
struct asm_range { uint64_t from, upto; };
struct asm_range asm_source_range_around(struct binary *, uint64_t addr);
/* Overlapping ranges become one; by address. How many are left. */
size_t asm_source_merge_ranges(struct asm_range *, size_t n);
/* Weights, by address, to the instructions that they lie in. */
void asm_source_add_weights(struct asm_listing *, const struct asm_weight *, size_t n);
/* What a function consists of, in every program that it was seen in, and what was spent there. -1: *e says why not:
   where its program was looked for, what is missing. */
int asm_source_of_function(
    struct asm_listing *, const struct store *, const struct addr_sums *, str_id name, str_id file, struct err *e);
void asm_source_free(struct asm_listing *);

#endif
