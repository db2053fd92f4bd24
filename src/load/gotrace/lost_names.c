/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Stacks and functions of which only the numbers are left. Both versions of the format write
 * the tables of stacks and strings last, so a program that was killed leaves
 * events that name stacks that are nowhere. Where they are is lost, but not that
 * two of them are the same: each becomes a stack of one frame, whose function is
 * called after its number. So goroutines that began at one place are one group, and
 * what blocks where can be told apart. A function whose name is lost is called by its address.
 *
 * Not taken: to show them as none. All goroutines of such a trace would be one group
 * without a name, and each of its profiles one line.
 */
#include "config.h"
#include "load/gotrace/generation.h"

#include <inttypes.h>
#include <string.h>

#define NAMES (1ull << 62)	/* strings that are not in the file: their numbers are beyond those that are */

uint32_t golost_stack(struct tgen *g, uint64_t id)
{
	uint32_t at = (uint32_t)g->nstack;
	const char *text = arena_printf(&g->made, "(stack %" PRIu64 ")", id);
	g->str = mem_grow(g->str, &g->capstr, g->nstr + 1, sizeof *g->str);
	g->str[g->nstr++] = (struct gostr){text, (uint32_t)strlen(text)};
	idtab_add(&g->strs, NAMES + id);
	g->stack = mem_grow(g->stack, &g->capstack, g->nstack + 1, sizeof *g->stack);
	g->stack[g->nstack++] = (struct gostack){g->nref, 1};
	gogen_frame(g, &(struct gopc){id, NAMES + id, 0, 0});
	return at;
}

uint32_t golost_name(struct tgen *g, uint64_t pc)
{
	const char *text = arena_printf(&g->made, "0x%" PRIx64, pc);
	g->str = mem_grow(g->str, &g->capstr, g->nstr + 1, sizeof *g->str);
	g->str[g->nstr] = (struct gostr){text, (uint32_t)strlen(text)};
	return (uint32_t)g->nstr++;
}

static void look_at(struct tgen *g, struct idmap *known, uint64_t id)
{
	bool fresh;
	if (!id || id >= NAMES)
		return;
	idmap_put(known, id, &fresh);
	if (!fresh)
		return;
	golost_stack(g, id);
	idtab_add(&g->stacks, id);
}

void golost_stacks(struct tgen *g)
{
	struct idmap known = {0};
	bool fresh;
	for (size_t i = 0; i < g->stacks.n; i++)
		idmap_put(&known, g->stacks.raw[i], &fresh);
	for (size_t i = 0; i < g->nbatch; i++) {
		struct cur c = cur_make(g->batch[i].p, g->batch[i].n, g->batch[i].at);
		struct goev ev;
		struct err e;
		uint64_t dt;
		while (cur_left(&c) && gowire_any_event(&c, &ev, &dt, &e)) {
			const struct goev_spec *s = &goev_specs[ev.type];
			if (s->stack)
				look_at(g, &known, ev.arg[s->stack]);
			if (s->stack2)
				look_at(g, &known, ev.arg[s->stack2]);
		}
	}
	idmap_free(&known);
}
