/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Strings, mappings, functions, locations. Equal strings have equal ids, always:
 * every comparison above the store is one of integers.
 *
 * Functions and locations are another matter. A profile that lists the same
 * function twice under two ids must be shown so (raw, proto), so the file's own
 * numbering wins and nothing is folded; joining by name is for the analyses to
 * do, and they differ in what they join by. A trace has no numbering, so its
 * rows are interned by content; so are those of a file that is added to another
 * (prof_graft): it finds the rows of the first by what they say.
 *
 * A location has at least one frame row even when it has no line (frame.fun 0),
 * so that the call tree needs no second kind of node.
 */
#include "config.h"
#include "store/names.h"

#include <string.h>

struct run { const char *s; uint32_t n; };

static int same_str(const void *ctx, uint32_t id, const void *key)
{
	const struct str_row *r = col_at(ctx, id);
	const struct run *k = key;
	return r->n == k->n && !memcmp(r->s, k->s, k->n);
}

static int same_fun(const void *ctx, uint32_t id, const void *key)
{
	const struct fun_row *r = store_fun(ctx, id);
	const struct sink_fun *k = key;
	return r->name == k->name && r->sysname == k->sysname && r->file == k->file &&
	       r->line == k->line;
}

static int same_loc(const void *ctx, uint32_t id, const void *key)
{
	const struct loc_row *r = store_loc(ctx, id);
	const struct sink_loc *k = key;
	if (r->addr != k->addr || r->map != k->map || r->folded != k->folded)
		return 0;
	if (!k->nline)
		return r->nline == 1 && !store_frm(ctx, r->first)->fun;
	if (r->nline != k->nline)
		return 0;
	for (uint32_t i = 0; i < r->nline; i++) {
		const struct frm_row *f = store_frm(ctx, r->first + i);
		const struct sink_line *l = &k->line[i];
		if (f->fun != l->fun || f->line != l->line || f->col != l->col)
			return 0;
	}
	return 1;
}

void names_init(struct names *nm, struct store *st)
{
	*nm = (struct names){.st = st};
	col_init(&st->strs, sizeof(struct str_row));
	col_init(&st->maps, sizeof(struct map_row));
	col_init(&st->funs, sizeof(struct fun_row));
	col_init(&st->locs, sizeof(struct loc_row));
	col_init(&st->frms, sizeof(struct frm_row));
	((struct str_row *)col_add(&st->strs, NULL))->s = "";
	col_add(&st->maps, NULL);
	col_add(&st->funs, NULL);
	col_add(&st->locs, NULL);
	col_add(&st->frms, NULL);
}

void names_free(struct names *nm)
{
	intern_free(&nm->str);
	intern_free(&nm->fun);
	intern_free(&nm->loc);
}

void names_thawed(struct names *nm)
{
	nm->stale = true;
}

static uint32_t hash_fun(const struct sink_fun *f)
{
	return hash_u64((uint64_t)f->name << 32 | f->sysname, hash_u64(f->file, (uint64_t)f->line));
}

static uint32_t hash_loc(const struct sink_loc *l)
{
	uint32_t h = hash_u64(l->addr, (uint64_t)l->map << 1 | l->folded);
	for (size_t i = 0; i < l->nline; i++)
		h = hash_u64((uint64_t)l->line[i].fun << 32 | h,
		    (uint64_t)l->line[i].line + ((uint64_t)l->line[i].col << 40));
	return h;
}

/* Few come after a thaw (the text of a tag, another file): not before one does. */
static void index_again(struct names *nm)
{
	const struct store *st = nm->st;
	struct sink_line *line = NULL;
	size_t cap = 0;
	names_free(nm);
	nm->stale = false;
	for (uint32_t i = 1; i < col_n(&st->strs); i++)
		intern_put(&nm->str, hash_bytes(store_str(st, i)->s, store_str(st, i)->n, 1), i);
	for (uint32_t i = 1; i < col_n(&st->funs); i++) {
		const struct fun_row *r = store_fun(st, i);
		intern_put(&nm->fun, hash_fun(&(struct sink_fun){.name = r->name, .sysname = r->sysname, .file = r->file,
		    .line = r->line}), i);
	}
	for (uint32_t i = 1; i < col_n(&st->locs); i++) {
		const struct loc_row *r = store_loc(st, i);
		bool none = r->nline == 1 && !store_frm(st, r->first)->fun;
		line = mem_grow(line, &cap, r->nline, sizeof *line);
		for (uint32_t k = 0; k < r->nline; k++) {
			const struct frm_row *f = store_frm(st, r->first + k);
			line[k] = (struct sink_line){f->fun, f->line, f->col};
		}
		intern_put(&nm->loc, hash_loc(&(struct sink_loc){.addr = r->addr, .map = r->map, .folded = r->folded,
		    .line = line, .nline = none ? 0 : r->nline}), i);
	}
	mem_free(line);
}

str_id names_str(struct names *nm, const char *s, size_t n)
{
	if (!n)
		return 0;
	if (nm->stale)
		index_again(nm);
	struct store *st = nm->st;
	struct run key = {s, n < UINT32_MAX ? (uint32_t)n : UINT32_MAX};
	uint32_t h = hash_bytes(s, key.n, 1);
	uint32_t id = intern_find(&nm->str, h, same_str, &st->strs, &key);
	if (id != UINT32_MAX)
		return id;
	char *copy = arena_strndup(&st->arena, s, key.n);
	*(struct str_row *)col_add(&st->strs, &id) = (struct str_row){copy, key.n};
	intern_put(&nm->str, h, id);
	return id;
}

map_id names_map(struct names *nm, const struct sink_map *m)
{
	uint32_t id;
	*(struct map_row *)col_add(&nm->st->maps, &id) = (struct map_row){
		.id = m->id, .start = m->start, .limit = m->limit, .offset = m->offset,
		.file = m->file, .build_id = m->build_id, .functions = m->functions,
		.filenames = m->filenames, .lines = m->lines, .inlines = m->inlines};
	return id;
}

fun_id names_fun(struct names *nm, const struct sink_fun *f)
{
	struct store *st = nm->st;
	uint32_t id, h = hash_fun(f);
	if (nm->stale)
		index_again(nm);
	if (!f->id) {
		id = intern_find(&nm->fun, h, same_fun, st, f);
		if (id != UINT32_MAX)
			return id;
	}
	*(struct fun_row *)col_add(&st->funs, &id) = (struct fun_row){
	    .id = f->id, .name = f->name, .sysname = f->sysname, .file = f->file, .line = f->line};
	intern_put(&nm->fun, h, id);
	return id;
}

loc_id names_loc(struct names *nm, const struct sink_loc *l)
{
	struct store *st = nm->st;
	uint32_t id, h = hash_loc(l);
	if (nm->stale)
		index_again(nm);
	if (!l->id) {
		id = intern_find(&nm->loc, h, same_loc, st, l);
		if (id != UINT32_MAX)
			return id;
	}
	struct loc_row *r = col_add(&st->locs, &id);
	*r = (struct loc_row){.id = l->id, .addr = l->addr, .map = l->map, .folded = l->folded,
		.first = col_n(&st->frms), .nline = l->nline ? (uint32_t)l->nline : 1};
	for (uint32_t i = 0; i < r->nline; i++) {
		struct frm_row *f = col_add(&st->frms, NULL);
		f->loc = id;
		if (i < l->nline) {
			f->fun = l->line[i].fun;
			f->line = l->line[i].line;
			f->col = l->line[i].col;
		}
	}
	intern_put(&nm->loc, h, id);
	return id;
}
