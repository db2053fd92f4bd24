/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_ASM_SOURCE_H
#define TTRACE_SESSION_ASM_SOURCE_H

#include "calltree/weighted.h"
#include "symbols/lookup.h"

/*
 * Machine code around sampled addresses: each instruction with the chain of
 * inlined calls that it belongs to, and its weights.
 */
struct asm_inst {
	uint64_t addr, at;	/* run-time address; address in the file */
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

/* Disassemble [from, upto) in run-time addresses and append the instructions. Return -1 with *e on failure. */
int asm_source_add_range(
    struct asm_listing *, struct binary *, uint64_t from, uint64_t upto, bool intel, struct err *e);
struct asm_range { uint64_t from, upto; };
/* Return the range of bytes to show around an address: its symbol if that is small enough, else some bytes on both
   sides. */
struct asm_range asm_source_range_around(struct binary *, uint64_t addr);
/* Sort ranges by address and merge those that overlap. Return their number. */
size_t asm_source_merge_ranges(struct asm_range *, size_t n);
/* Add weights, sorted by address, to the instructions that contain their addresses. */
void asm_source_add_weights(struct asm_listing *, const struct asm_weight *, size_t n);
/* Disassemble the sampled parts of a function in each program that it occurs in, and add the weights, which are
   those of a tree by addresses (GR_ADDRESSES). Return -1 with *e; if a program is missing, the message has the places
   that were searched. */
int asm_source_of_function(
    struct asm_listing *, const struct weighted_tree *, str_id name, str_id file, struct err *e);
void asm_source_free(struct asm_listing *);

#endif
