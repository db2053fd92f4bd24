/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_INPUT_H
#define TTRACE_INPUT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sink;

/* Why the input could not be inflated to its end. why: NULL if it was; how: zlib's constant message, or NULL; at:
   offset in the file; early: all data up to there is right, the file ends too early. */
struct torn { const char *why, *how; uint64_t at; bool early; };

/* The whole input as one array of bytes: a mapped file, or memory that was read from a pipe or inflated from gzip
   data. */
struct bytes {
	const uint8_t *p;	/* of an open input never NULL, even if n is 0 */
	size_t n;
	size_t file_n;		/* size as stored (compressed) */
	bool mapped, gzipped, cut;	/* see input_was_truncated() */
	struct torn torn;	/* see input_refuse_torn() */
	void *owned;
	int fd;		/* of a mapped file */
	const struct input_ahead *ahead_ops;
	void *ahead;		/* see input_gunzip_ahead(); NULL: there is none */
};

/* Open and read an input. "-" is standard input. Returns 0, or -1 with *e. input_close() releases it. */
int  input_open(const char *path, struct bytes *, struct err *);
/* Inflate gzip data in place; do nothing to other data. Truncated or damaged data is inflated as far as possible. */
int  input_gunzip(struct bytes *, struct err *);
/* The same with progress: go() is called several times a second (total 0: unknown). If it returns false, the
   result is -1 with ERR_CANCEL. The watch may be NULL. */
struct input_watch { bool (*go)(void *arg, uint64_t done, uint64_t total); void *arg; };
int  input_open_watched(const char *path, const struct input_watch *, struct bytes *, struct err *);
int  input_gunzip_watched(struct bytes *, const struct input_watch *, struct err *);
/* What uses data while it is being inflated. All functions are called on the thread that inflates. */
struct input_ahead {
	void *(*start)(const uint8_t *p);	/* p: buffer of the inflated data, which does not move. NULL: it cannot start */
	void (*advance)(void *, size_t have);	/* the number of bytes inflated so far */
	void (*end)(void *);			/* all bytes have been inflated */
	void (*free)(void *);
};
/* Inflate with progress, and let ops use the data meanwhile, if that is worth it: the result is in b->ahead, which
   input_close() frees. */
int  input_gunzip_ahead(struct bytes *, const struct input_ahead *ops, const struct input_watch *, struct err *);
void input_drop_ahead(struct bytes *);	/* free b->ahead: it will not be used */
/* Set *e to the reason in b->torn. Always returns -1. */
int  input_refuse_torn(const struct bytes *, struct err *);
/* Return the first bytes of the content for sniff(). gzip data is inflated into head as far as cap and damage allow. */
struct bytes input_head(const struct bytes *, uint8_t *head, size_t cap);
void input_close(struct bytes *);
/* Grow *p, of *cap bytes, to at least `need` bytes, for data that arrives in pieces. Return false if that exceeds the
   memory or its limit. */
bool input_reserve(uint8_t **p, size_t *cap, size_t need);
/* Return whether the file was truncated since it was opened. The reader got zeros for the missing bytes. */
bool input_was_truncated(const struct bytes *);
#define INPUT_CUT "the file was cut short while it was read: what is missing was there when it was opened"
/* Call after a reader, with its result rc: report b->torn and truncation, as a warning if rc is 0, else in place
   of the reader's error. Returns the new result. */
int input_report_damage(const struct bytes *, int rc, struct sink *, struct err *);
/* The bytes before `upto` will rarely be accessed again: release their pages. Later accesses read the file again. */
void input_release_before(const struct bytes *, uint64_t upto);
/* The bytes in [from, upto) are never accessed again: free them if they were inflated or read from a pipe. */
void input_discard(const struct bytes *, uint64_t from, uint64_t upto);

#endif
