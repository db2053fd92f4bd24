/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_OUTPUT_H
#define TTRACE_REPORT_OUTPUT_H

#include "base/err.h"
#include "base/newfile.h"
#include "base/text/buf.h"
#include "load/load.h"

/* The text of a report. A report appends to out->buf; those that stream call output_flush() now and then, and main
   writes the rest. A named output file is replaced only after the report has succeeded. */
struct out {
	struct buf buf;
	int fd;
	bool failed;		/* the reader closed its pipe or the disk is full: stop */
	int why;		/* errno of the write that failed */
	bool terminal;
	bool safe;		/* control characters are made visible when written; set on a terminal, and by -safe */
	bool held;		/* nothing is written: the caller takes the text from buf, up to OUTPUT_HELD bytes */
	const struct input_watch *watch; /* NULL, or a callback that may stop the report */
	size_t checked_bytes;		/* size of buf at the last call of watch */
	struct newfile file;	/* -output; its path is NULL for standard output */
};

enum { OUTPUT_HELD = 64 << 20 };
/* Open the output; path NULL: standard output. Return -1 with *e. */
int output_open(struct out *, const char *path, struct err *e);
/* Write buf if it has more than 64 kB, or (all) in any case. */
void output_flush(struct out *, bool all);
/* For binary output, which is written as it is: return -1 with *e if it would be written to a terminal. */
int output_check_binary(struct out *, struct err *e);
/* Finish: keep the file (rename it) or remove it. Return -1 with *e if it could not be written. */
int output_close(struct out *, bool keep, struct err *e);

#endif
