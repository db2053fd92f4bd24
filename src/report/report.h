/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_H
#define TTRACE_REPORT_H

#include "base/buf.h"
#include "base/err.h"
#include "session/opt.h"

/*
 * Reports: text from a file, without the interface. reports[] is the one place
 * where a report is written down; the command line, `ttrace help` and the
 * manual read it. A report writes into *out, which main writes to standard
 * output or to -output; those that stream flush it themselves by out_flush().
 */
struct out {
	struct buf buf;
	int fd;
	bool failed;		/* the reader went away: stop */
};
/* Write out what is there when it is over 64 kB (or all, when all is set). */
void out_flush(struct out *, bool all);

struct report {
	const char *name, *arg, *help;
	int (*run)(const struct opt *, struct out *, struct err *);
};
extern const struct report reports[];	/* ends with a NULL name */
const struct report *report_find(const char *name);

#endif
