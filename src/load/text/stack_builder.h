/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_TEXT_STACK_BUILDER_H
#define TTRACE_LOAD_TEXT_STACK_BUILDER_H

#include "base/intern.h"
#include "load/text/scan.h"
#include "sink.h"

/*
 * Stacks out of texts: functions, locations and mappings that a text names over
 * and over are said to the sink once, with numbers in the order of first use.
 * A stack is made leaf first; what was inlined comes before the function that
 * it was inlined into, and both are one location.
 */
struct frames_fun { str_id name, file; fun_id id; };
struct frames_loc { uint64_t addr; map_id map; size_t line; uint32_t nline; loc_id id; };
struct frames_map { str_id file; map_id id; };

struct frames {
	const struct sink *out;
	struct frames_fun *fun;
	struct frames_loc *loc;
	struct frames_map *map;
	struct sink_line *line;		/* of all locations */
	struct sink_line *open;		/* of the location that is being made */
	loc_id *stack;			/* that is being made */
	size_t nfun, cfun, nloc, cloc, nmap, cmap, nline, cline, nopen, copen, nstack, cstack;
	struct intern funs, locs, maps;
};

void frames_init(struct frames *, const struct sink *);
void frames_free(struct frames *);

/* What the sink calls a text; a literal; a file of the program. */
str_id frames_str(struct frames *, struct words);
str_id frames_lit(struct frames *, const char *);
map_id frames_map(struct frames *, struct words file);
/* One more line of the location being made, the innermost first. */
void frames_line(struct frames *, struct words name, struct words file, int64_t line);
/* That location ends: it is the next of the stack. Without a line it is known by its address alone. */
void frames_loc(struct frames *, uint64_t addr, map_id);
/* The stack ends; a location still open is its last. */
stk_id frames_stack(struct frames *);

#endif
