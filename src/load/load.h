/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_H
#define TTRACE_LOAD_H

#include "base/err.h"
#include "sink.h"

/* Why no more could be inflated, NULL: all was; in zlib's own words, which are constant, or NULL; and where in the
   file. */
struct torn { const char *why, *how; uint64_t at; };

/* The whole input as one run of bytes: mmap of a file, or read from a pipe, gunzipped when gzip. */
struct bytes {
	const uint8_t *p;	/* of an input that is open never NULL, also where n is 0 */
	size_t n;
	size_t file_n;		/* size as stored (compressed) */
	bool mapped, gzipped, cut;	/* see input_was_truncated() */
	struct torn torn;	/* see input_refuse_torn() */
	void *owned;
	int fd;		/* of a mapped one */
	struct presort *ahead;	/* see input_gunzip_presorting() */
};

/* "-" is standard input. *e has the reason on failure. */
int  input_open(const char *path, struct bytes *, struct err *);
/* In place when it is gzip; else nothing. Of what is cut or damaged as much as there is. */
int  input_gunzip(struct bytes *, struct err *);
/* What is wrong with it, for who refuses that: always -1. */
int  input_refuse_torn(const struct bytes *, struct err *);
/* The same for those who show how far it is: go() is asked several times a second whether to go on, total 0
   is unknown. When it says no: ERR_CANCEL. NULL: nobody waits. */
struct input_watch { bool (*go)(void *arg, uint64_t done, uint64_t total); void *arg; };
int  input_open_watched(const char *path, const struct input_watch *, struct bytes *, struct err *);
int  input_gunzip_watched(struct bytes *, const struct input_watch *, struct err *);
/* The same for what pprof_read() will be given: some of its work is done on another thread meanwhile. */
int  input_gunzip_presorting(struct bytes *, const struct input_watch *, struct err *);
void input_drop_presort(struct bytes *);	/* it will not be */
/* The first bytes of what is in it, gunzipped as far as cap and damage allow, for sniff(). */
struct bytes input_head(const struct bytes *, uint8_t *head, size_t cap);
void input_close(struct bytes *);
/* Its file has been cut short since it was opened: what is missing were zeros to the reader. */
bool input_was_truncated(const struct bytes *);
#define INPUT_CUT "the file was cut short while it was read: what is missing was there when it was opened"
struct sink;
/* After a reader, whose result is rc: that, if it is so, as a warning or instead of its error. rc. */
int input_report_damage(const struct bytes *, int rc, struct sink *, struct err *);
/* What lies before `upto` is hardly looked at again: its pages may go. Those that still are, come back
   from the file. */
void input_release_before(const struct bytes *, uint64_t upto);
/* Likewise all of it, where memory is short, however much of it will be looked at again. */
void input_release_pages(const struct bytes *);
/* What lies in [from, upto) is never looked at again: what was inflated, or read from a pipe, goes for good. */
void input_discard(const struct bytes *, uint64_t from, uint64_t upto);

/* A reader says everything it finds to the sink. -1: refused, nothing of it can be shown. The bytes are
   used up: see input_discard(). */
typedef int read_fn(struct bytes, struct sink *, struct err *);
read_fn pprof_read, legacy_read, gotrace_read;
/* Does it name frames to drop? A quick walk: what is damaged, pprof_read() will say. */
bool pprof_has_drop_frames(struct bytes);
read_fn godump_read;			/* goroutine dumps: debug=2, SIGQUIT, panics */
bool legacy_probe(struct bytes);	/* by its heading */
bool godump_probe(struct bytes);
read_fn folded_read;			/* "a;b;c 12" */
bool folded_probe(struct bytes);
read_fn godebug_read;			/* logs with GODEBUG=gctrace=1 or schedtrace=N: a timeline */
bool godebug_probe(struct bytes);
read_fn perf_read;			/* text of perf script */
bool perf_probe(struct bytes);

/* The generations of a trace (since Go 1.22) that [t0, t1] lies in, and nothing before or after: ns since the first
   event, which is at base, as sink_trace.first has it. For a sink of its own, that is told where it begins (from()).
   ERR_CANCEL: they begin before `past`, for who reads the whole is there already, or would take half of the memory
   there is to be (-mem). */
struct trace_part { int64_t base, t0, t1; uint64_t past; };
int gotrace_read_part(struct bytes, const struct trace_part *, struct sink *, struct err *);

/* One generation of a trace again, see sink_reread_fn: its bytes alone, and what wire_version() says of the file. */
struct sink_checkpoint;
int gotrace_reread(int version, struct bytes, const struct sink_checkpoint *, struct sink *, struct err *);

enum file_kind { FK_UNKNOWN, FK_PPROF, FK_GOTRACE };
struct reader {
	enum file_kind kind;
	const char *name;	/* "pprof profile" */
	bool (*is)(struct bytes);
	read_fn *read;
};
/* Which reader takes these bytes; NULL and one line in *e naming what it seems to be and what
   ttrace reads. */
const struct reader *sniff(struct bytes, struct err *);

#endif
