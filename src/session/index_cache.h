/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_INDEX_CACHE_H
#define TTRACE_SESSION_INDEX_CACHE_H

#include "base/job.h"
#include "cli/options.h"
#include "load/load.h"
#include "store/index/index.h"

/*
 * Indexes beside the data: where they are kept, which is whose, when one is
 * written and which must go. A trace that took long to read is written down
 * once it is read, beside the interface; when it is opened again, nothing of it
 * is read. They lie in $XDG_CACHE_HOME/ttrace, or where -index says; never beside
 * the trace.
 */
struct index_cache_entry {
	bool on;			/* there may be one: it is a file, long enough, and nobody said none */
	bool forced;			/* -index=DIR: also of what is small */
	bool write;			/* it was read, and took long enough: to be written */
	bool used;			/* it was found, and taken */
	char dir[1000], name[1040], file[1000];
	struct index_key key;
	uint64_t bytes;			/* of the index, read or written */
	int64_t us;			/* that it took */
	char why[200];			/* there was one, and it was not taken */
	bool begun;			/* to be written */
	const struct snap *sn;		/* what is being written */
	struct job *job;
	struct err err;
};

/* file, whose bytes as they are stored are in: may it have an index? Reads a few parts of it. */
void index_cache_plan(struct index_cache_entry *, const struct options *, const char *file, const struct bytes *in);
/* Fill a store from it. false: there is none, or none that is good. */
bool index_cache_load(struct index_cache_entry *, struct store_builder *);
/* It has been read, in so many us: is it worth to be written? */
void index_cache_note_read_time(struct index_cache_entry *, int64_t us);

/* Begin to write it, if so: snap must stay until index_cache_free(). */
void index_cache_start_write(struct index_cache_entry *, const struct snap *);
void index_cache_poll_write(struct index_cache_entry *);	/* it may have ended */
void index_cache_wait_write(struct index_cache_entry *);	/* until it has */
void index_cache_free(struct index_cache_entry *);	/* stops it where it is: nothing of it is left then */
/* A sentence about it; nothing when nobody would expect one. */
void index_cache_describe(const struct index_cache_entry *, struct buf *);

/* For reports: fill the store from an index of that file, if there is one. */
bool index_cache_fill_store(const struct options *, const char *file, const struct bytes *in, struct store_builder *);

#endif
