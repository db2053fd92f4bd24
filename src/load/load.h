/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_H
#define TTRACE_LOAD_H

#include "base/err.h"
#include "sink.h"

/* Why the input could not be inflated to its end. why: NULL if it was; how: zlib's constant message, or NULL; at:
   offset in the file. */
struct torn { const char *why, *how; uint64_t at; };

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
	struct presort *ahead;	/* see input_gunzip_presorting() */
};

/* Open and read an input. "-" is standard input. Returns 0, or -1 with *e. input_close() releases it. */
int  input_open(const char *path, struct bytes *, struct err *);
/* Inflate gzip data in place; do nothing to other data. Truncated or damaged data is inflated as far as possible. */
int  input_gunzip(struct bytes *, struct err *);
/* Set *e to the reason in b->torn. Always returns -1. */
int  input_refuse_torn(const struct bytes *, struct err *);
/* The same with progress: go() is called several times a second (total 0: unknown). If it returns false, the
   result is -1 with ERR_CANCEL. The watch may be NULL. */
struct input_watch { bool (*go)(void *arg, uint64_t done, uint64_t total); void *arg; };
int  input_open_watched(const char *path, const struct input_watch *, struct bytes *, struct err *);
int  input_gunzip_watched(struct bytes *, const struct input_watch *, struct err *);
/* The same for data that pprof_read() will get: a second thread sorts its stacks meanwhile. */
int  input_gunzip_presorting(struct bytes *, const struct input_watch *, struct err *);
void input_drop_presort(struct bytes *);	/* the data will not be read by pprof_read() */
/* Return the first bytes of the content for sniff(). gzip data is inflated into head as far as cap and damage allow. */
struct bytes input_head(const struct bytes *, uint8_t *head, size_t cap);
void input_close(struct bytes *);
/* Grow *p, of *cap bytes, to at least `need` bytes, for data that arrives in pieces. Return false if that exceeds the
   memory or its limit. */
bool input_reserve(uint8_t **p, size_t *cap, size_t need);
/* Return whether the file was truncated since it was opened. The reader got zeros for the missing bytes. */
bool input_was_truncated(const struct bytes *);
#define INPUT_CUT "the file was cut short while it was read: what is missing was there when it was opened"
struct sink;
/* Call after a reader, with its result rc: report b->torn and truncation, as a warning if rc is 0, else in place
   of the reader's error. Returns the new result. */
int input_report_damage(const struct bytes *, int rc, struct sink *, struct err *);
/* The bytes before `upto` will rarely be accessed again: release their pages. Later accesses read the file again. */
void input_release_before(const struct bytes *, uint64_t upto);
/* The bytes in [from, upto) are never accessed again: free them if they were inflated or read from a pipe. */
void input_discard(const struct bytes *, uint64_t from, uint64_t upto);

/* A reader passes all data of the input to the sink. Returns -1 if nothing can be shown. It discards bytes that it
   has read, see input_discard(). */
typedef int read_fn(struct bytes, struct sink *, struct err *);
read_fn pprof_read, legacy_read, gotrace_read;
/* Return whether the profile names frames to drop. It is a quick scan; pprof_read() reports damage. */
bool pprof_has_drop_frames(struct bytes);
read_fn godump_read;			/* goroutine dumps: debug=2, SIGQUIT, panics */
bool legacy_probe(struct bytes);	/* checks the heading */
bool godump_probe(struct bytes);
read_fn folded_read;			/* lines like "a;b;c 12" */
bool folded_probe(struct bytes);
read_fn godebug_read;			/* logs of GODEBUG=gctrace=1 or schedtrace=N, read as a timeline */
bool godebug_probe(struct bytes);
read_fn perf_read;			/* output of perf script */
bool perf_probe(struct bytes);

/* Read the generations of a trace (since Go 1.22) that overlap [t0, t1], and no others. Times are ns since the
   first event, which is at base (as sink_trace.first). The sink is one of its own and gets the start of the part
   by from(). Fails with ERR_CANCEL if the generations begin before offset `past`, because the reading of the whole
   is there already, or if they would take half of the memory limit (-mem). */
struct trace_part { int64_t base, t0, t1; uint64_t past; };
int gotrace_read_part(struct bytes, const struct trace_part *, struct sink *, struct err *);

/* Read one generation again, see sink_reread_fn: from its bytes alone, and the file's wire_version(). */
struct sink_checkpoint;
int gotrace_reread(int version, struct bytes, const struct sink_checkpoint *, struct sink *, struct err *);

enum file_kind { FK_UNKNOWN, FK_PPROF, FK_GOTRACE };
struct reader {
	enum file_kind kind;
	const char *name;	/* "pprof profile" */
	bool (*is)(struct bytes);
	read_fn *read;
};
/* Return the reader for these bytes. NULL: *e has one line with the likely kind of the file and the kinds that
   ttrace reads. */
const struct reader *sniff(struct bytes, struct err *);
/* The same for an open input: by its first 64 kB if they suffice, because a reader reports damage near the start better,
   else by all of it, which is then inflated. */
const struct reader *sniff_input(struct bytes *, struct err *);
/* Return whether the bytes begin like a program (ELF, 64-bit Mach-O), which may come before a profile as in pprof. */
bool sniff_program(struct bytes);

#endif
