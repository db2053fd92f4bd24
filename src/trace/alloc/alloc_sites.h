/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_ALLOC_ALLOC_SITES_H
#define TTRACE_TRACE_ALLOC_ALLOC_SITES_H

#include "base/u64_map.h"
#include "store/store.h"

/* Divides bytes of which only an outer function is known among the places below it that are known to take as many at a
   time. Initialise with alloc_sites_init(). */
struct alloc_sites {
	struct u64_hash of_bytes, of_pair;
	uint32_t *path;			/* by node of the store; a path is a number, 0 the root */
	uint32_t *up;			/* by path: that of its callers, which is less */
	struct alloc_pair *pair;
	uint32_t npaths, nsizes, npairs, any;	/* any: number of the size that stands for all */
	size_t cpairs;
};

void alloc_sites_init(struct alloc_sites *, const struct snap *);
void alloc_sites_free(struct alloc_sites *);
/* A goroutine took this many bytes at the node of a stack. */
void alloc_sites_known(struct alloc_sites *, int64_t bytes, stk_id);
/* A goroutine was within an allocation at the node of a stack. */
void alloc_sites_within(struct alloc_sites *, stk_id);
/* A goroutine took this many bytes somewhere below the function of a node. */
void alloc_sites_below(struct alloc_sites *, int64_t bytes, stk_id);
/* Add to to[node] the bytes that were taken below nodes. */
void alloc_sites_divide(struct alloc_sites *, int64_t *to);

#endif
