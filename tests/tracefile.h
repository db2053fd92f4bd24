/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACEFILE_H
#define TTRACE_TRACEFILE_H

#include "cli/options.h"
#include "session/trace_open.h"

#include "tap.h"

#include <stdio.h>

/* Read a trace file as a report does; the caller closes the trace and frees the options. If it cannot be read, count that
   as a failed check and return false. */
static inline bool tracefile_open(struct options *o, struct trace *t, const char *file)
{
	static char program[] = "ttrace", word[] = "goroutines", name[2048];
	struct err e = {0};
	snprintf(name, sizeof name, "%s", file);
	bool opened = !options_parse(o, 3, (char *[]){program, word, name, NULL}, &e) && !trace_open(t, o, NULL, NULL, &e);
	OK(opened);
	if (!opened)
		fprintf(stderr, "%s: %s\n", file, e.msg);
	return opened;
}

#endif
