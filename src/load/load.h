/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_H
#define TTRACE_LOAD_H

#include "base/err.h"
#include "input/input.h"
#include "sink.h"

/* A reader passes all data of the input to the sink. Returns -1 if nothing can be shown. It discards bytes that it
   has read, see input_discard(). */
typedef int read_fn(struct bytes, struct sink *, struct err *);
read_fn pprof_read, legacy_read, gotrace_read;
/* Inflate data that pprof_read() will get, as input_gunzip_watched(): a second thread sorts its stacks meanwhile. */
int pprof_gunzip(struct bytes *, const struct input_watch *, struct err *);
/* Return whether the profile names frames to drop. It is a quick scan; pprof_read() reports damage. */
bool pprof_has_drop_frames(struct bytes);
/* Likewise, whether a text of it may be the linker name of a function of C++ or Rust. */
bool pprof_has_linker_names(struct bytes);
read_fn godump_read;			/* goroutine dumps: debug=2, SIGQUIT, panics */
bool legacy_probe(struct bytes);	/* checks the heading */
bool godump_probe(struct bytes);
read_fn folded_read;			/* lines like "a;b;c 12" */
bool folded_probe(struct bytes);
read_fn godebug_read;			/* logs of GODEBUG=gctrace=1 or schedtrace=N, read as a timeline */
bool godebug_probe(struct bytes);
read_fn docker_dump_read, docker_godebug_read;	/* the same in logs of docker's json-file */
bool docker_dump_probe(struct bytes), docker_godebug_probe(struct bytes);
read_fn perf_read;			/* output of perf script */
bool perf_probe(struct bytes);

/* Read the generations of a trace (since Go 1.22) that overlap [t0, t1], and no others. Times are ns since the
   first event, which is at base (as sink_trace.first). The sink is one of its own and gets the start of the part
   by starts_at(). Fails with ERR_CANCEL if they would take half of the memory limit (-mem). */
struct trace_part { int64_t base, t0, t1; };
int gotrace_read_part(struct bytes, const struct trace_part *, struct sink *, struct err *);

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
