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
struct stack_builder_fun { str_id name, file; fun_id id; };
struct stack_builder_loc { uint64_t addr; map_id map; size_t line; uint32_t nline; loc_id id; };
struct stack_builder_map { str_id file; map_id id; };

struct stack_assembler {
	const struct sink *out;
	struct stack_builder_fun *fun;
	struct stack_builder_loc *loc;
	struct stack_builder_map *map;
	struct sink_line *line;		/* of all locations */
	struct sink_line *open;		/* of the location that is being made */
	loc_id *stack;			/* that is being made */
	size_t nfun, cfun, nloc, cloc, nmap, cmap, nline, cline, nopen, copen, nstack, cstack;
	struct intern funs, locs, maps;
};

void stack_builder_init(struct stack_assembler *, const struct sink *);
void stack_builder_free(struct stack_assembler *);

/* What the sink calls a text; a literal; a file of the program. */
str_id stack_builder_str(struct stack_assembler *, struct scan_text);
str_id stack_builder_literal(struct stack_assembler *, const char *);
map_id stack_builder_map(struct stack_assembler *, struct scan_text file);
/* One more line of the location being made, the innermost first. */
void stack_builder_add_line(struct stack_assembler *, struct scan_text name, struct scan_text file, int64_t line);
/* That location ends: it is the next of the stack. Without a line it is known by its address alone. */
void stack_builder_loc(struct stack_assembler *, uint64_t addr, map_id);
/* The stack ends; a location still open is its last. */
stk_id stack_builder_end_stack(struct stack_assembler *);

#endif
