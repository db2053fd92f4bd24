/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLS_OBJDUMP_H
#define TTRACE_SYMBOLS_OBJDUMP_H

#include "base/err.h"
#include "base/mem/mem.h"

#include <stdint.h>

/* Machine code as text, by running objdump of binutils. */
struct inst {
	uint64_t addr;			/* address in the file */
	const char *text, *fun, *file;	/* "": unknown */
	int64_t line;
};
struct objdump_output {
	struct inst *v;
	size_t n, cap;
	struct arena strings;
};

/* Disassemble the instructions of a program from start to end, exclusive. Without `lines` it takes less time and their
   source lines are unknown. -1: *e, one line. */
struct objdump { const char *path; uint64_t start, end; bool intel, lines; };
int objdump(struct objdump_output *, const struct objdump *, struct err *e);
/* Parse the output of objdump. */
void objdump_parse(struct objdump_output *, const char *text, size_t n);
void objdump_free(struct objdump_output *);

#endif
