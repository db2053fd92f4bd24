/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Assembly for the list pane: the instructions of the displayed function, by source line. An
 * instruction of a call that is inlined here belongs to the line of the call. They are loaded when
 * A is pressed and kept until another function or query is shown: this runs a program, which must
 * not happen while the user only steps through functions. Weights of addresses are counted once for
 * a query, in the background if there are many samples.
 */
#include "config.h"
#include "profile/list_internal.h"
#include "base/bsearch.h"

#include "calltree/weighted.h"
#include "symbols/demangle.h"

#include <stdlib.h>
#include <string.h>

/* Return whether a name in the debug information is that of the function: as linked, as displayed, or demangled. */
static bool is_name(const char *linked, const struct store *st, const struct fun_row *fu)
{
	static const enum demangle_mode mode[] = {DM_SIMPLE, DM_TEMPLATES, DM_FULL};
	const char *name = store_str(st, fu->name)->s, *sys = store_str(st, fu->sysname)->s;
	bool same = !strcmp(linked, name) || (*sys && !strcmp(linked, sys));
	for (size_t i = 0; i < 3 && !same && linked[0] == '_'; i++) {
		struct buf b = {0};
		same = demangle(&b, linked, mode[i]) && !strcmp(buf_str(&b), name);
		buf_free(&b);
	}
	return same;
}

static int by_line(const void *x, const void *y)
{
	const struct list_code *a = x, *b = y;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->inst < b->inst ? -1 : a->inst > b->inst;
}

static void index_code(struct list_state *v)
{
	const struct store *st = v->t.c->st;
	const struct fun_row *fu = store_fun(st, v->fun[v->cur].fun);
	size_t cap = 0;
	const char *known = NULL;	/* cache: the last name, and whether it is the function's */
	bool ours = false;
	for (size_t i = 0; i < v->asm_of.n; i++)
		for (size_t k = 0; k < v->asm_of.v[i].nframe; k++) {
			const struct debug_frame *f = &v->asm_of.v[i].frame[k];
			if (!known || strcmp(known, f->name))
				ours = is_name(f->name, st, fu);
			known = f->name;
			if (!ours)
				continue;
			v->code = mem_grow(v->code, &cap, (size_t)v->ncode + 1, sizeof *v->code);
			v->code[v->ncode++] = (struct list_code){v->id_file ? f->line : 0, (uint32_t)i,
			    (uint32_t)k};
			break;
		}
	if (v->ncode)
		qsort(v->code, v->ncode, sizeof *v->code, by_line);
}

void list_pane_drop_code(struct list_state *v)
{
	asm_source_free(&v->asm_of);
	mem_free(v->code);
	mem_free(v->asm_why);
	v->code = NULL;
	v->ncode = 0;
	v->asm_why = NULL;
	v->asm_id = 0;
}

void list_pane_load_code(struct list_state *v, const struct pane_env *env)
{
	const struct symbol *f = &v->t.c->symbol[v->fun[v->cur].first];
	struct err why;
	uint32_t serial = session_serial(env->s);
	if (v->asm_id == f->name && v->asm_file == f->file && v->asm_serial == serial)
		return;
	list_pane_drop_code(v);
	struct weighted_tree *c = session_calls_async(env->s, GR_ADDRESSES, FOR_SYMBOLS);
	v->asm_waits = !c;
	if (!c) {	/* update() is called again when they are known */
		v->asm_why = xstrdup("counting by addresses");
		return;
	}
	if (asm_source_of_function(&v->asm_of, c, f->name, f->file, &why))
		v->asm_why = xstrdup(why.msg);
	weighted_free(c);
	index_code(v);
	if (!v->asm_why && !v->ncode)
		v->asm_why = xstrdup("the debug information of the program has no lines for the instructions");
	v->asm_id = f->name;
	v->asm_file = f->file;
	v->asm_serial = serial;
}

uint32_t list_pane_code_at(const struct list_state *v, int64_t line, uint32_t *n)
{
	struct bsearch_probe h = {.hi = v->ncode};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, v->code[h.at].line < line);
	for (*n = 0; h.lo + *n < v->ncode && v->code[h.lo + *n].line == line;)
		++*n;
	return h.lo;
}
