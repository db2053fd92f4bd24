/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_WRITE_BATCH_H
#define TTRACE_BASE_WRITE_BATCH_H

#include "base/mem/mem.h"
#include "base/radix_sort.h"

/*
 * Many numbers, each to the end of the run of its key: runs that lie one after another in an arena that spills. To put
 * them there as they come is to look at another page for each. So they are gathered, and put in the order of
 * their keys, which is that of the pages; what is put is let go of soon.
 */
enum { WRITE_BATCH_SIZE = 1 << 17 };
struct batch_writer {
	uint32_t *at;	/* of a key: where its next one goes; moved on */
	void (*put)(void *arg, uint32_t where, uint32_t v);
	void *arg;
	const struct arena *a;
	struct radix_item *v;
	uint32_t n;	/* so many are gathered, up to WRITE_BATCH_SIZE; then all are put, in the call that adds it */
};
void write_batch_add(struct batch_writer *, uint32_t key, uint32_t v);
void write_batch_flush(struct batch_writer *);
/* A put for those who have nothing but numbers: arg is where they go. */
void write_batch_put_u32(void *arg, uint32_t where, uint32_t v);

#endif
