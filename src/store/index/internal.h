/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_INDEX_INTERNAL_H
#define TTRACE_STORE_INDEX_INTERNAL_H

#include "store/index/index.h"

/*
 * The form of an index, for index/write.c and read.c: a head, then parts, each an array of rows of one width, then the
 * blocks of the sheets. All start at a multiple of INDEX_ALIGN; the bytes between them are zero and are not checked.
 */
enum { INDEX_ALIGN = 64, INDEX_VERSION = 8 };
#define INDEX_MAGIC "ttraceix"

enum index_part_kind {
	IP_FACTS,
	/* IP_LENGTHS: of every string; IP_WARNS: position and length of warnings; IP_TEXT: the text of both, each with
	   a 0 after it */
	IP_LENGTHS, IP_WARNS, IP_TEXT,
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
	uint64_t layout, bytes;		/* layout: checksum of the sizes of all rows; bytes: size of the file */
	struct index_key key;
	struct index_part part[IP__N];
	uint64_t sum;			/* checksum of the head before this */
};

struct index_facts {
	struct sink_trace trace;
	int64_t t0, t1;
	uint64_t bytes, total;
};
struct index_warn { uint64_t at; uint32_t len, aside; };

/* A sheet. Its block, at offset `at` of the file, has the arrays below, each at a multiple of INDEX_ALIGN; their places
   follow from these numbers. */
struct index_sheet {
	int64_t t0, t1;
	uint64_t at, bytes, sum;
	uint32_t ntrk, n, nother, nostack, nedge;
	uint32_t nwho, nstack;		/* numbers that are not zero */
	uint32_t nwhos;			/* 0: peers are in who3 or who4 */
	uint32_t narrow;		/* SHORT_STACK: stack2; SHORT_START: start3; SHORT_WHO: who3 */
	uint8_t nsum, sums[35];
};
_Static_assert(TS__N <= sizeof((struct index_sheet *)0)->sums && !(sizeof(struct index_sheet) % 8),
    "all states, no padding");
enum { SHORT_STACK = 1, SHORT_START = 2, SHORT_WHO = 4, SHORT_ALL = 7 };
enum index_array { IA_SUM, IA_TRK, IA_FIRST, IA_START, IA_EDGE, IA_WHOSE, IA_STACKED, IA_STACK, IA_STATE, IA_WHO,
    IA_WHOS, IA__N };
/* Return the bytes of the block; in at[] where the arrays start in it, and in bytes[] the size of each. */
uint64_t index_arrays(const struct index_sheet *, uint64_t at[IA__N], uint64_t bytes[IA__N]);

uint64_t index_layout(void);	/* part of the key: the same if all rows have the same fields */
size_t   index_width(unsigned part);	/* bytes per row */
/* Return the column of a part, or NULL if it is not a column. */
struct data_column *index_col(struct store *, unsigned part);

static inline uint64_t index_round(uint64_t n) { return (n + INDEX_ALIGN - 1) / INDEX_ALIGN * INDEX_ALIGN; }

#endif
