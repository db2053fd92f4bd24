/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_INDEX_CACHE_H
#define TTRACE_SESSION_INDEX_CACHE_H

#include "base/job.h"
#include "cli/options.h"
#include "load/load.h"
#include "store/index/index.h"

/*
 * The cache of index files: where they are stored, which belongs to which trace,
 * when one is written, and which are deleted. A trace that took long to read gets
 * an index, written in the background. When the trace is opened again, the index
 * is read instead. Indexes are stored in $XDG_CACHE_HOME/ttrace or the directory
 * of -index, never in that of the trace.
 */
struct index_cache_entry {
	bool on;			/* an index is possible: a regular file, large enough, and not -index=none */
	bool forced;			/* -index=DIR: also for small files */
	bool write;			/* the trace was read, and slowly enough to write an index */
	bool used;			/* an index was found and loaded */
	char dir[1000], name[1040], file[1000];
	struct index_key key;
	uint64_t bytes;			/* size of the index that was read or written */
	int64_t us;			/* time of reading or writing it */
	char why[200];			/* why an existing index was not loaded, or none was written */
	bool begun;			/* the writing was started */
	const struct snap *sn;		/* the snapshot being written */
	struct job *job;
	struct err err;
};

/* Decide whether a file may have an index, and compute its key. in: the bytes of the file as stored. Reads 65 small
   parts of them. */
void index_cache_plan(struct index_cache_entry *, const struct options *, const char *file, const struct bytes *in);
/* Fill a store from the index. Return false if there is none that is valid. */
bool index_cache_load(struct index_cache_entry *, struct store_builder *);
/* Record that reading the trace took us microseconds; decides whether to write an index. */
void index_cache_note_read_time(struct index_cache_entry *, int64_t us);

/* Start to write the index, if decided so. The snapshot must stay valid until index_cache_free(). */
void index_cache_start_write(struct index_cache_entry *, const struct snap *);
void index_cache_poll_write(struct index_cache_entry *);	/* take the result if the job has ended */
void index_cache_wait_write(struct index_cache_entry *);	/* wait for the job */
void index_cache_free(struct index_cache_entry *);	/* cancels the job, which removes its unfinished file */
/* Append a sentence about the index; nothing for small files. */
void index_cache_describe(const struct index_cache_entry *, struct buf *);

/* For reports: fill the store from an index of the file. Return false if there is none. */
bool index_cache_fill_store(const struct options *, const char *file, const struct bytes *in, struct store_builder *);

#endif
