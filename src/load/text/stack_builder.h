/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_TEXT_STACK_BUILDER_H
#define TTRACE_LOAD_TEXT_STACK_BUILDER_H

#include "base/intern.h"
#include "load/text/scan.h"
#include "sink_profile.h"

/*
 * Builds stacks from texts: functions, locations and mappings that a text names repeatedly are
 * passed to the sink once, with numbers in the order of first use. A stack is built leaf first. An
 * inlined function precedes the function that it was inlined into, and both are one location.
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
	struct sink_line *open;		/* of the location that is being built */
	loc_id *stack;			/* the stack that is being built */
	size_t nfun, cfun, nloc, cloc, nmap, cmap, nline, cline, nopen, copen, nstack, cstack;
	struct intern funs, locs, maps;
};

/* The sink must stay valid until stack_builder_free(). */
void stack_builder_init(struct stack_assembler *, const struct sink *);
void stack_builder_free(struct stack_assembler *);

/* Return the sink's id of a text; of a literal; of a mapped file. */
str_id stack_builder_str(struct stack_assembler *, struct scan_text);
str_id stack_builder_literal(struct stack_assembler *, const char *);
map_id stack_builder_map(struct stack_assembler *, struct scan_text file);
/* Add a line to the location that is being built, innermost first. */
void stack_builder_add_line(struct stack_assembler *, struct scan_text name, struct scan_text file, int64_t line);
/* End that location and append it to the stack. Without lines it is identified by its address and mapping. */
void stack_builder_loc(struct stack_assembler *, uint64_t addr, map_id);
/* End the stack; a location that is still open is its last one. Returns the sink's id. */
stk_id stack_builder_end_stack(struct stack_assembler *);

#endif
