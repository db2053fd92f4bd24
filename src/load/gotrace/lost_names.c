/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Stacks and functions of which only the ids are left. Both versions of the format write the tables
 * of stacks and strings last, so a program that was killed leaves events that refer to missing
 * stacks. Their frames are lost, but equal ids still mean equal stacks: each becomes a stack of one
 * frame, whose function is named after the id. So goroutines that started at one place form one
 * group, and places of blocking can be distinguished. A function whose name is lost is named by its
 * address.
 *
 * Not taken: no stack instead. All goroutines of such a trace would be one group without a name,
 * and each of its profiles one line.
 */
#include "config.h"
#include "load/gotrace/generation.h"

#include <inttypes.h>
#include <string.h>

#define NAMES (1ull << 62)	/* ids of strings that are not in the file: greater than all ids that are */

uint32_t lost_names_add_stack(struct trace_generation *g, uint64_t id)
{
	uint32_t at = (uint32_t)g->nstack;
	const char *text = arena_printf(&g->made, "(stack %" PRIu64 ")", id);
	g->str = mem_grow(g->str, &g->capstr, g->nstr + 1, sizeof *g->str);
	g->str[g->nstr++] = (struct gen_string){text, (uint32_t)strlen(text)};
	u64_index_add(&g->strs, NAMES + id);
	g->stack = mem_grow(g->stack, &g->capstack, g->nstack + 1, sizeof *g->stack);
	g->stack[g->nstack++] = (struct gen_stack){g->nref, 1};
	generation_add_frame(g, &(struct gen_pc){id, NAMES + id, 0, 0});
	return at;
}

uint32_t lost_names_add_name(struct trace_generation *g, uint64_t pc)
{
	const char *text = arena_printf(&g->made, "0x%" PRIx64, pc);
	g->str = mem_grow(g->str, &g->capstr, g->nstr + 1, sizeof *g->str);
	g->str[g->nstr] = (struct gen_string){text, (uint32_t)strlen(text)};
	return (uint32_t)g->nstr++;
}

static void add_if_unknown(struct trace_generation *g, struct u64_hash *known, uint64_t id)
{
	bool fresh;
	if (!id || id >= NAMES)
		return;
	u64_map_put(known, id, &fresh);
	if (!fresh)
		return;
	lost_names_add_stack(g, id);
	u64_index_add(&g->stacks, id);
}

void lost_names_add_stacks(struct trace_generation *g)
{
	struct u64_hash known = {0};
	bool fresh;
	for (size_t i = 0; i < g->stacks.n; i++)
		u64_map_put(&known, g->stacks.raw[i], &fresh);
	for (size_t i = 0; i < g->nbatch; i++) {
		struct byte_cursor c = byte_cursor_make(g->batch[i].p, g->batch[i].n, g->batch[i].at);
		struct wire_event ev;
		struct err e;
		uint64_t dt;
		while (byte_cursor_left(&c) && wire_read_event(&c, &ev, &dt, &e)) {
			const struct wire_event_spec *s = &wire_event_specs[ev.type];
			if (s->stack)
				add_if_unknown(g, &known, ev.arg[s->stack]);
			if (s->stack2)
				add_if_unknown(g, &known, ev.arg[s->stack2]);
		}
	}
	u64_map_free(&known);
}
