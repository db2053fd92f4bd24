/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_WRITE_BATCH_H
#define TTRACE_BASE_WRITE_BATCH_H

#include "base/mem/mem.h"
#include "base/radix_sort.h"

/*
 * Writes many numbers, each to the end of the run of its key. The runs are consecutive in an arena that spills to disk,
 * so writing them in input order would touch another page for each number. Therefore they are gathered and written in
 * the order of their keys, which is that of the pages; written pages are released soon.
 */
enum { WRITE_BATCH_SIZE = 1 << 17 };
struct batch_writer {
	uint32_t *at;	/* by key: where its next number is written; advanced by each write */
	void (*put)(void *arg, uint32_t where, uint32_t v);
	void *arg;
	const struct arena *a;
	struct radix_item *v;
	/* Number of gathered items. At WRITE_BATCH_SIZE all are written, by the call that adds the last one. */
	uint32_t n;
};
void write_batch_add(struct batch_writer *, uint32_t key, uint32_t v);
void write_batch_flush(struct batch_writer *);
/* A put function for plain arrays of numbers: arg is the array. */
void write_batch_put_u32(void *arg, uint32_t where, uint32_t v);

#endif
