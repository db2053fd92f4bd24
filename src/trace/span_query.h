/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_SPAN_QUERY_H
#define TTRACE_TRACE_SPAN_QUERY_H

#include "base/text/regex.h"
#include "sink_trace.h"

/* Shared by span_query.c, which parses conditions, and span_search.c, which applies them. */
enum { SPAN_QUERY_NAMES = 4 };
#define TRK_NOBODY UINT32_MAX

struct span_criteria {
	char *text;
	uint64_t states;	     /* 1 << TS_RUN | ... */
	int64_t least, most;	     /* ns, inclusive */
	struct regex *name[SPAN_QUERY_NAMES]; /* on start functions: all must match */
	int nname;
	struct regex *any; /* replaces the others: on start function, state, or a function in the stack */
	struct regex *fn;	/* on a function in the stack; NULL: any */
	fun_id fun;	/* or this function; 0: any */
	uint8_t *among; /* NULL, or a byte per track: 1 if it is searched */
	uint32_t namong;
	bool has_g;
	uint64_t g; /* the goroutine's number */
};

#endif
