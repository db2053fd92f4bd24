/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Strings, mappings, functions, locations. Equal strings always have equal ids, so every comparison above the store
 * compares integers.
 *
 * Functions and locations are different. A profile that lists the same function twice under two ids must be shown like
 * that (raw, proto), so the file's own numbers decide and nothing is merged. Analyses merge by name, and they differ in
 * what they merge by. A trace has no numbers, so its rows are interned by content. So are those of a file that is added
 * to another (pprof_add_side): it finds the rows of the first by content.
 *
 * A location has at least one frame row even if it has no line (frame.fun 0), so that the call tree needs no second
 * kind of node.
 */
#include "config.h"
#include "store/symbols.h"

#include <string.h>

struct symbol_text { const char *s; uint32_t n; };

static int same_str(const void *ctx, uint32_t id, const void *key)
{
	const struct str_row *r = column_at(ctx, id);
	const struct symbol_text *k = key;
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
		if (f->fun != l->fun || f->line != l->line || store_col(ctx, r->first + i) != l->col)
			return 0;
	}
	return 1;
}

void symbols_init(struct symbol_tables *nm, struct store *st)
{
	*nm = (struct symbol_tables){.st = st, .nstr = 1, .nfun = 1, .nloc = 1};
	column_init(&st->strs, sizeof(struct str_row));
	column_init(&st->maps, sizeof(struct map_row));
	column_init(&st->funs, sizeof(struct fun_row));
	column_init(&st->locs, sizeof(struct loc_row));
	column_init(&st->frms, sizeof(struct frm_row));
	column_init(&st->cols, sizeof(int64_t));
	((struct str_row *)column_add(&st->strs, NULL))->s = "";
	column_add(&st->maps, NULL);
	column_add(&st->funs, NULL);
	column_add(&st->locs, NULL);
	column_add(&st->frms, NULL);
}

void symbols_drop_indexes(struct symbol_tables *nm)
{
	intern_free(&nm->str);
	intern_free(&nm->fun);
	intern_free(&nm->loc);
	nm->nstr = nm->nfun = nm->nloc = 1;
}

static void put_string(struct symbol_tables *nm, uint32_t hash)
{
	intern_put(&nm->str, hash, nm->nstr++);
}

str_id symbols_add_string(struct symbol_tables *nm, const char *s, size_t n)
{
	if (!n)
		return 0;
	struct store *st = nm->st;
	struct symbol_text key = {s, n < UINT32_MAX ? (uint32_t)n : UINT32_MAX};
	while (nm->nstr < column_n(&st->strs)) {	/* the hash table was dropped: add all rows again */
		const struct str_row *r = store_str(st, nm->nstr);
		put_string(nm, intern_hash_bytes(r->s, r->n, intern_secret()));
	}
	uint32_t h = intern_hash_bytes(s, key.n, intern_secret());
	uint32_t id = intern_find(&nm->str, h, same_str, &st->strs, &key);
	if (id != UINT32_MAX)
		return id;
	char *copy = arena_strndup(&st->arena, s, key.n);
	*(struct str_row *)column_add(&st->strs, &id) = (struct str_row){copy, key.n};
	put_string(nm, h);
	return id;
}

map_id symbols_add_mapping(struct symbol_tables *nm, const struct sink_map *m)
{
	uint32_t id;
	*(struct map_row *)column_add(&nm->st->maps, &id) = (struct map_row){
		.id = m->id, .start = m->start, .limit = m->limit, .offset = m->offset,
		.file = m->file, .build_id = m->build_id, .functions = m->functions,
		.filenames = m->filenames, .lines = m->lines, .inlines = m->inlines};
	return id;
}

static uint32_t hash_fun(str_id name, str_id sysname, str_id file, int64_t line)
{
	return intern_hash_u64((uint64_t)name << 32 | sysname, intern_hash_u64(file, (uint64_t)line));
}

static fun_id find_fun(struct symbol_tables *nm, const struct sink_fun *f)
{
	for (; nm->nfun < column_n(&nm->st->funs); nm->nfun++) {
		const struct fun_row *r = store_fun(nm->st, nm->nfun);
		intern_put(&nm->fun, hash_fun(r->name, r->sysname, r->file, r->line), nm->nfun);
	}
	return intern_find(&nm->fun, hash_fun(f->name, f->sysname, f->file, f->line), same_fun, nm->st, f);
}

fun_id symbols_add_function(struct symbol_tables *nm, const struct sink_fun *f)
{
	struct store *st = nm->st;
	uint32_t id = f->id ? UINT32_MAX : find_fun(nm, f);
	if (id != UINT32_MAX)
		return id;
	*(struct fun_row *)column_add(&st->funs, &id) = (struct fun_row){
	    .id = f->id, .name = f->name, .sysname = f->sysname, .file = f->file, .line = f->line};
	return id;
}

static uint32_t hash_line(uint32_t h, fun_id fun, int64_t line, int64_t col)
{
	return intern_hash_u64((uint64_t)fun << 32 | h, (uint64_t)line + ((uint64_t)col << 40));
}

static uint32_t hash_loc(const struct sink_loc *l)
{
	uint32_t h = intern_hash_u64(l->addr, (uint64_t)l->map << 1 | l->folded);
	for (size_t i = 0; i < l->nline; i++)
		h = hash_line(h, l->line[i].fun, l->line[i].line, l->line[i].col);
	return h;
}

static uint32_t hash_row(const struct store *st, const struct loc_row *r)
{
	uint32_t h = intern_hash_u64(r->addr, (uint64_t)r->map << 1 | r->folded);
	for (uint32_t i = 0; i < r->nline; i++) {
		const struct frm_row *f = store_frm(st, r->first + i);
		if (f->fun || r->nline > 1)	/* else it may have no line: see same_loc() */
			h = hash_line(h, f->fun, f->line, store_col(st, r->first + i));
	}
	return h;
}

static loc_id find_loc(struct symbol_tables *nm, const struct sink_loc *l)
{
	for (; nm->nloc < column_n(&nm->st->locs); nm->nloc++)
		intern_put(&nm->loc, hash_row(nm->st, store_loc(nm->st, nm->nloc)), nm->nloc);
	return intern_find(&nm->loc, hash_loc(l), same_loc, nm->st, l);
}

static void add_col(struct store *st, frm_id frame, int64_t col)
{
	if (!col)
		return;
	while (column_n(&st->cols) < frame)
		column_add(&st->cols, NULL);
	*(int64_t *)column_add(&st->cols, NULL) = col;
}

loc_id symbols_add_location(struct symbol_tables *nm, const struct sink_loc *l)
{
	struct store *st = nm->st;
	uint32_t id = l->id ? UINT32_MAX : find_loc(nm, l);
	if (id != UINT32_MAX)
		return id;
	struct loc_row *r = column_add(&st->locs, &id);
	*r = (struct loc_row){.id = l->id, .addr = l->addr, .map = l->map, .folded = l->folded,
		.first = column_n(&st->frms), .nline = l->nline ? (uint32_t)l->nline : 1};
	for (uint32_t i = 0; i < r->nline; i++) {
		struct frm_row *f = column_add(&st->frms, NULL);
		f->loc = id;
		if (i < l->nline) {
			f->fun = l->line[i].fun;
			f->line = l->line[i].line;
			add_col(st, r->first + i, l->line[i].col);
		}
	}
	return id;
}
