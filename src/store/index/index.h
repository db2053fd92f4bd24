/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_INDEX_INDEX_H
#define TTRACE_STORE_INDEX_INDEX_H

#include "base/err.h"
#include "store/store.h"

/*
 * A finished store of a trace as one file, and back. The file is the columns and
 * the blocks of the sheets as they lie in memory, so what comes back is not read
 * but mapped; it is of one machine, one layout and one maker, and says so.
 */
struct index_key {		/* what it is the index of, and who made it */
	uint64_t size;
	int64_t mtime;		/* ns since 1970 */
	uint64_t samples;	/* a sum over parts of the file */
	uint64_t maker;		/* of the program: another may fill a store in another way */
};

/* Bytes that index_write() will write. 0: such a store is not written: it is not whole, or not of a trace. */
uint64_t index_bytes(const struct snap *);
/* Write it to fd, which is empty. go is asked after every megabyte whether to go on. */
int index_write(const struct snap *, const struct index_key *, int fd, bool (*go)(void *), void *arg, struct err *);
/* Fill a store, to which nothing has been said yet but strings, from the file. Nothing is believed: sums, places,
   order and every number in it are checked before the first is used (see read.c). -1: the store is as it was,
   *e says why. */
int index_read(struct store_builder *, int fd, const struct index_key *, struct err *);

#endif
