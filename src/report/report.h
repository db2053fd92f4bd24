/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_H
#define TTRACE_REPORT_H

#include "base/err.h"
#include "base/newfile.h"
#include "base/text/buf.h"
#include "cli/options.h"
#include "load/load.h"

/*
 * Reports: text from a file, without the interface. A report writes into
 * out->buf; those that stream call output_flush() now and then, main writes the
 * rest. Nothing is written to the named file until the report has succeeded.
 */
struct out {
	struct buf buf;
	int fd;
	bool failed;		/* the reader went away or the disk is full: stop */
	int why;		/* errno of a write that failed */
	bool terminal;		/* control characters are made visible on their way out */
	bool held;		/* nothing is written: the text is wanted as it is, up to OUTPUT_HELD bytes */
	const struct input_watch *watch; /* NULL, or who may stop it */
	size_t checked_bytes;		/* bytes when that was asked last */
	struct newfile file;	/* -output; its path is NULL for standard output */
};

enum { OUTPUT_HELD = 64 << 20 };
/* path NULL: standard output. */
int output_open(struct out *, const char *path, struct err *e);
/* Write out what is there when it is over 64 kB, or all of it. */
void output_flush(struct out *, bool all);
/* What comes is no text: -1 where it would go to a terminal. */
int output_check_binary(const struct out *, struct err *e);
/* Finish: keep it (rename) or not (remove). -1: it could not be written. */
int output_close(struct out *, bool keep, struct err *e);

/* Bring what of the command line is no file (session/download.h), with progress on a terminal and ^C to stop
   it; o->remote has it then. 0 also when there is nothing to bring. */
int report_fetch_inputs(struct options *o, struct err *e);

struct report {
	const char *name;
	int (*run)(const struct options *, struct out *, struct err *);
};
extern const struct report reports[];	/* ends with a NULL name */
const struct report *report_find(const char *name);

#endif
