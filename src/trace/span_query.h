/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_SPAN_QUERY_H
#define TTRACE_TRACE_SPAN_QUERY_H

#include "base/text/regex.h"
#include "sink.h"

/* Between span_query.c, which reads a condition, and span_search.c, which looks for it. */
enum { SPAN_QUERY_NAMES = 4 };
#define TRK_NOBODY UINT32_MAX

struct span_criteria {
	char *text;
	uint64_t states;	     /* 1 << TS_RUN | ... */
	int64_t least, most;	     /* ns, both included */
	struct regex *name[SPAN_QUERY_NAMES]; /* of start functions: all must match */
	int nname;
	struct regex *any; /* instead: of a start function, a state, or a function in the stack */
	struct regex *fn;	/* of a function in the stack; NULL any */
	fun_id fun;	/* or this one */
	uint8_t *among; /* NULL, or which tracks */
	uint32_t namong;
	bool has_g;
	uint64_t g; /* its number */
};

#endif
