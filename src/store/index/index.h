/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_INDEX_INDEX_H
#define TTRACE_STORE_INDEX_INDEX_H

#include "base/err.h"
#include "store/store.h"

/*
 * The finished store of a trace as one file, and back. The file has the columns and the blocks of the sheets as they
 * are in memory, so it is mapped, not parsed. It is valid for one machine, one layout and one maker, and records them.
 */
struct index_key {		/* identifies the trace file, and the program that wrote the index */
	uint64_t size;
	int64_t mtime;		/* ns since 1970 */
	uint64_t samples;	/* a checksum of parts of the file */
	uint64_t maker;		/* of the program: another version may fill a store differently */
};

/* Return about how many bytes index_write() writes; 0 if the store cannot be written: it is not complete, not of a
   trace, or has evicted sheets. */
uint64_t index_bytes(const struct snap *);
/* Write the index to fd, an empty file. go (may be NULL) is called at least once per megabyte; false cancels. Return -1
   and *e on failure. */
int index_write(const struct snap *, const struct index_key *, int fd, bool (*go)(void *), void *arg, struct err *);
/* Fill a store that has no rows but strings from the file. The file is not trusted: sums, places, order and every
   number in it are checked before the first is used (see read.c). Return -1 and the reason in *e, with the store
   unchanged, on failure. */
int index_read(struct store_builder *, int fd, const struct index_key *, struct err *);

#endif
