/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Numbers for names, for readers of texts. The store would unify functions and locations without
 * numbers, the profile model of the reports does not, and both must show the same. So equal
 * functions and locations are unified here, and numbered from 1 in the order of their first
 * occurrence in the text.
 *
 * An index finds entries by content, which is stored in the arrays. The lines of all locations are
 * in one array, location after location.
 */
#include "config.h"
#include "load/text/stack_builder.h"

#include "base/mem/mem.h"

#include <string.h>

void stack_builder_init(struct stack_assembler *f, const struct sink *out)
{
	*f = (struct stack_assembler){.out = out};
}

void stack_builder_free(struct stack_assembler *f)
{
	mem_free(f->fun);
	mem_free(f->loc);
	mem_free(f->map);
	mem_free(f->line);
	mem_free(f->open);
	mem_free(f->stack);
	intern_free(&f->funs);
	intern_free(&f->locs);
	intern_free(&f->maps);
}

str_id stack_builder_str(struct stack_assembler *f, struct scan_text t)
{
	return f->out->ops->str(f->out->self, scan_len(t) ? t.p : "", scan_len(t));
}

str_id stack_builder_literal(struct stack_assembler *f, const char *s)
{
	return f->out->ops->str(f->out->self, s, strlen(s));
}

static int same_map(const void *ctx, uint32_t id, const void *key)
{
	return ((const struct stack_assembler *)ctx)->map[id].file == *(const str_id *)key;
}

map_id stack_builder_map(struct stack_assembler *f, struct scan_text file)
{
	str_id name = stack_builder_str(f, file);
	uint32_t h = intern_hash_u64(name, 3), i = intern_find(&f->maps, h, same_map, f, &name);
	if (i != UINT32_MAX)
		return f->map[i].id;
	f->map = mem_grow(f->map, &f->cmap, f->nmap + 1, sizeof *f->map);
	map_id id = f->out->ops->map(f->out->self,
	    &(struct sink_map){.id = f->nmap + 1, .file = name, .functions = true});
	f->map[f->nmap] = (struct stack_builder_map){name, id};
	intern_put(&f->maps, h, (uint32_t)f->nmap++);
	return id;
}

static int same_fun(const void *ctx, uint32_t id, const void *key)
{
	const struct stack_builder_fun *a = &((const struct stack_assembler *)ctx)->fun[id], *b = key;
	return a->name == b->name && a->file == b->file;
}

static fun_id fun_of(struct stack_assembler *f, struct scan_text name, struct scan_text file)
{
	struct stack_builder_fun key = {stack_builder_str(f, name), stack_builder_str(f, file), 0};
	uint32_t h = intern_hash_u64(key.name, key.file), i = intern_find(&f->funs, h, same_fun, f, &key);
	if (i != UINT32_MAX)
		return f->fun[i].id;
	key.id = f->out->ops->fun(f->out->self,
	    &(struct sink_fun){.id = f->nfun + 1, .name = key.name, .sysname = key.name, .file = key.file});
	f->fun = mem_grow(f->fun, &f->cfun, f->nfun + 1, sizeof *f->fun);
	f->fun[f->nfun] = key;
	intern_put(&f->funs, h, (uint32_t)f->nfun++);
	return key.id;
}

void stack_builder_add_line(struct stack_assembler *f, struct scan_text name, struct scan_text file, int64_t line)
{
	fun_id fun = fun_of(f, name, file);
	f->open = mem_grow(f->open, &f->copen, f->nopen + 1, sizeof *f->open);
	f->open[f->nopen++] = (struct sink_line){fun, line, 0};
}

static int same_loc(const void *ctx, uint32_t id, const void *key)
{
	const struct stack_assembler *f = ctx;
	const struct stack_builder_loc *a = &f->loc[id], *b = key;
	if (a->addr != b->addr || a->map != b->map || a->nline != b->nline)
		return 0;
	for (uint32_t i = 0; i < a->nline; i++)
		if (f->line[a->line + i].fun != f->open[i].fun || f->line[a->line + i].line != f->open[i].line)
			return 0;
	return 1;
}

void stack_builder_loc(struct stack_assembler *f, uint64_t addr, map_id map)
{
	struct stack_builder_loc key = {.addr = addr, .map = map, .line = f->nline, .nline = (uint32_t)f->nopen};
	uint32_t h = intern_hash_u64(addr, map);
	for (size_t i = 0; i < f->nopen; i++)
		h = intern_hash_u64((uint64_t)h << 32 | f->open[i].fun, (uint64_t)f->open[i].line);
	uint32_t at = intern_find(&f->locs, h, same_loc, f, &key);
	if (at == UINT32_MAX) {
		key.id = f->out->ops->loc(f->out->self, &(struct sink_loc){.id = f->nloc + 1, .addr = addr, .map = map,
		    .line = f->open, .nline = f->nopen});
		f->line = mem_grow(f->line, &f->cline, f->nline + f->nopen + 1, sizeof *f->line);
		for (size_t i = 0; i < f->nopen; i++)
			f->line[f->nline++] = f->open[i];
		f->loc = mem_grow(f->loc, &f->cloc, f->nloc + 1, sizeof *f->loc);
		at = (uint32_t)f->nloc++;
		f->loc[at] = key;
		intern_put(&f->locs, h, at);
	}
	f->stack = mem_grow(f->stack, &f->cstack, f->nstack + 1, sizeof *f->stack);
	f->stack[f->nstack++] = f->loc[at].id;
	f->nopen = 0;
}

stk_id stack_builder_end_stack(struct stack_assembler *f)
{
	if (f->nopen)
		stack_builder_loc(f, 0, 0);
	stk_id s = f->out->ops->stack(f->out->self, f->stack, f->nstack);
	f->nstack = 0;
	return s;
}
