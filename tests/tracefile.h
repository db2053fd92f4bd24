/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACEFILE_H
#define TTRACE_TRACEFILE_H

#include "cli/options.h"
#include "session/trace_open.h"

#include <stdio.h>

/* Read a trace file as a report does. Return false if it cannot be read; the caller closes the trace and frees the options. */
static inline bool tracefile_open(struct options *o, struct trace *t, const char *file)
{
	static char program[] = "ttrace", word[] = "goroutines", name[1024];
	struct err e = {0};
	snprintf(name, sizeof name, "%s", file);
	return !options_parse(o, 3, (char *[]){program, word, name, NULL}, &e) && !trace_open(t, o, NULL, NULL, &e);
}

#endif
