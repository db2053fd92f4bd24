/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_INDEX_LAYOUT_H
#define TTRACE_STORE_INDEX_LAYOUT_H

#include "store/index/index.h"

/*
 * The form of an index, for index/write.c and read.c: a head, then parts, each an
 * array of rows of one width, then the blocks of the sheets. All begin at a
 * multiple of INDEX_ALIGN; what lies between is zero and not looked at.
 */
enum { INDEX_ALIGN = 64, INDEX_VERSION = 8 };
#define INDEX_MAGIC "ttraceix"

enum index_part_kind {
	IP_FACTS,
	IP_LENGTHS, IP_WARNS, IP_TEXT,	/* of every string; where warnings are of and how long; the text of both, each
					   with a 0 behind it */
	IP_MAPS, IP_FUNS, IP_LOCS, IP_FRMS, IP_STKS, IP_FORKS, IP_FORK, IP_TYPES, IP_SMPS, IP_SETS,
	IP_TIMES, IP_LABELS,
	IP_VALUES,			/* of all types, one after the other */
	IP_TRKS, IP_MARKS, IP_SPANS, IP_BLOCKS, IP_UTILS, IP_TRK_TIMES,
	IP_SHEETS,			/* struct index_sheet */
	IP_COUNTS, IP__N = IP_COUNTS + CT__N
};

struct index_part { uint64_t at, n, sum; };
struct index_head {
	char magic[8];
	uint32_t version, nparts;
	uint64_t layout, bytes;		/* sizes of all that is in it; of the file */
	struct index_key key;
	struct index_part part[IP__N];
	uint64_t sum;			/* of the head before this */
};

struct index_facts {
	struct sink_trace trace;
	int64_t t0, t1;
	uint64_t bytes, total;
};
struct index_warn { uint64_t at; uint32_t len, aside; };

/* A sheet: its block at `at` holds the arrays below, each at a multiple of INDEX_ALIGN; where, follows from the
   numbers here. */
struct index_sheet {
	int64_t t0, t1;
	uint64_t at, bytes, sum;
	uint32_t ntrk, n, nother, nostack, nedge;
	uint32_t nwho, nstack;		/* that are not zero */
	uint32_t nwhos;			/* 0: who3 or who4 */
	uint32_t narrow;		/* SHORT_STACK: stack2; SHORT_START: start3; SHORT_WHO: who3 */
	uint8_t nsum, sums[35];
};
_Static_assert(TS__N <= sizeof((struct index_sheet *)0)->sums && !(sizeof(struct index_sheet) % 8),
    "all states, no padding");
enum { SHORT_STACK = 1, SHORT_START = 2, SHORT_WHO = 4, SHORT_ALL = 7 };
enum index_array { IA_SUM, IA_TRK, IA_FIRST, IA_START, IA_EDGE, IA_WHOSE, IA_STACKED, IA_STACK, IA_STATE, IA_WHO,
    IA_WHOS, IA__N };
/* Bytes of the block; where the arrays begin, and how many bytes each has. */
uint64_t index_arrays(const struct index_sheet *, uint64_t at[IA__N], uint64_t bytes[IA__N]);

uint64_t index_layout(void);	/* the same where all rows have the same fields: part of the key */
size_t   index_width(unsigned part);	/* bytes of a row */
/* The column of a part, NULL when it is none. */
struct data_column *index_col(struct store *, unsigned part);

static inline uint64_t index_round(uint64_t n) { return (n + INDEX_ALIGN - 1) / INDEX_ALIGN * INDEX_ALIGN; }

#endif
