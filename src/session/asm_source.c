/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Machine code for the source panes: the ranges around the sampled addresses of
 * a function are disassembled, and every instruction gets the frames that debug
 * information has for its address. So it can be shown below its source line, in
 * the function that it was inlined into.
 *
 * A range is the whole symbol that contains the address if the symbol is small
 * enough, because a loop is read as a whole; else some bytes around the
 * address. An instruction without a line takes that of the instruction before,
 * as in pprof.
 */
#include "config.h"
#include "session/asm_source.h"

#include "base/bsearch.h"
#include "base/subprocess.h"
#include "base/text/path.h"
#include "base/wrap_math.h"
#include "symbols/objdump.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES = 32, NEAR = 32, AROUND = 256, SYMBOL_MAX = 1 << 15, RANGES_MAX = 25 };

static const struct debug_frame *keep_frames(struct asm_listing *c, const struct debug_frame *f, size_t n)
{
	struct debug_frame *k = arena_alloc(&c->strings, n * sizeof *k);
	for (size_t i = 0; i < n; i++) {
		k[i] = f[i];
		k[i].name = arena_strndup(&c->strings, f[i].name, strlen(f[i].name));
		k[i].file = arena_strndup(&c->strings, f[i].file, strlen(f[i].file));
	}
	return k;
}

static void set_frames(struct asm_listing *c, struct asm_inst *i, struct binary *b, const struct inst *in)
{
	struct debug_frame f[FRAMES];
	size_t n = lookup_frames(b, i->addr, f, FRAMES);
	/* objdump has a line where debug information has none */
	if ((!n || !f[0].line) && *in->file && in->line) {
		f[0] = (struct debug_frame){*in->fun || !n ? in->fun : f[0].name, in->file, in->line, 0, 0};
		n = n ? n : 1;
	}
	const struct asm_inst *last = i > c->v ? i - 1 : NULL;
	if (n && !f[0].line && last && i->addr - last->addr <= NEAR && last->nframe) {
		i->frame = last->frame;
		n = last->nframe;
	} else if (n) {
		i->frame = keep_frames(c, f, n);
	}
	i->nframe = n;
}

int asm_source_add_range(
    struct asm_listing *c, struct binary *b, uint64_t from, uint64_t upto, bool intel, struct err *e)
{
	uint64_t at, end;
	struct objdump_output code = {0};
	struct debug_frame first;
	if (upto <= from || !lookup_addr(b, from, &at) || !lookup_addr(b, upto - 1, &end))
		return err_set(e, ERR_FORMAT, ERR_NOWHERE, "%s is not mapped at these addresses", b->path);
	lookup_frames(b, from, &first, 1);	/* opens its debug information */
	if (objdump(&code, &(struct objdump){b->path, at, end + 1, intel, !b->debug}, e)) {
		objdump_free(&code);
		return -1;
	}
	uint64_t base = from - at, max = 0;
	c->v = mem_grow(c->v, &c->cap, c->n + code.n, sizeof *c->v);
	for (size_t i = 0; i < code.n; i++) {
		const struct inst *in = &code.v[i];
		uint64_t addr = in->addr + base;
		if (addr <= max || addr < from || addr >= upto)
			continue;
		max = addr;
		struct asm_inst *to = &c->v[c->n++];
		*to = (struct asm_inst){.addr = addr, .at = in->addr,
		    .len = i + 1 < code.n && code.v[i + 1].addr > in->addr ? code.v[i + 1].addr - in->addr : 1,
		    .text = arena_strndup(&c->strings, in->text, strlen(in->text))};
		set_frames(c, to, b, in);
	}
	objdump_free(&code);
	return 0;
}

void asm_source_add_weights(struct asm_listing *c, const struct asm_weight *w, size_t n)
{
	for (size_t i = 0; i < c->n; i++) {
		struct asm_inst *in = &c->v[i];
		struct bsearch_probe h = {.hi = n};
		while (bsearch_probe(&h))
			bsearch_narrow(&h, w[h.at].addr < in->addr);
		for (; h.lo < n && w[h.lo].addr - in->addr < in->len; h.lo++) {
			in->flat = wrap_add(in->flat, w[h.lo].flat);
			in->cum = wrap_add(in->cum, w[h.lo].cum);
		}
	}
}

void asm_source_free(struct asm_listing *c)
{
	mem_free(c->v);
	arena_free(&c->strings);
	*c = (struct asm_listing){0};
}

/* ---- the instructions of a function */

static int by_from(const void *x, const void *y)
{
	const struct asm_range *a = x, *b = y;
	return a->from < b->from ? -1 : a->from > b->from;
}

static int by_addr(const void *x, const void *y)
{
	const struct asm_weight *a = x, *b = y;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* Weights by address, sorted: the flat value adds up all functions inlined there, the cum value is that of the
   outermost frame. */
static struct asm_weight *weights_of(const struct weighted_tree *c, size_t *n)
{
	struct asm_weight *w = xmalloc(c->nsymbol * sizeof *w);
	size_t all = 0, m = 0;
	for (uint32_t i = 1; i < c->nsymbol; i++)
		if (c->symbol[i].addr)
			w[all++] = (struct asm_weight){c->symbol[i].addr, c->weight[i].flat, c->weight[i].cum};
	qsort(w, all, sizeof *w, by_addr);
	for (size_t i = 0; i < all; i++) {
		if (!m || w[m - 1].addr != w[i].addr) {
			w[m++] = w[i];
			continue;
		}
		w[m - 1].flat = wrap_add(w[m - 1].flat, w[i].flat);
		if (w[i].cum > w[m - 1].cum)
			w[m - 1].cum = w[i].cum;
	}
	*n = m;
	return w;
}

struct asm_range asm_source_range_around(struct binary *b, uint64_t addr)
{
	uint64_t at, least = b->map.start, most = b->map.limit ? b->map.limit : UINT64_MAX;
	const struct elf_sym *s = NULL;
	if (!elf_symbols(&b->elf, NULL) && lookup_addr(b, addr, &at))
		s = elf_function(&b->elf, at);
	struct asm_range r = {addr > AROUND ? addr - AROUND : 0, addr < UINT64_MAX - AROUND ? addr + AROUND : addr};
	if (s && s->size && s->size <= SYMBOL_MAX)
		r = (struct asm_range){addr - (at - s->addr), addr - (at - s->addr) + s->size};
	else if (s && addr - r.from > at - s->addr)
		r.from = addr - (at - s->addr);	/* from the start of an instruction */
	return (struct asm_range){r.from < least ? least : r.from, r.upto > most ? most : r.upto};
}

size_t asm_source_merge_ranges(struct asm_range *r, size_t n)
{
	size_t m = 0;
	if (n)
		qsort(r, n, sizeof *r, by_from);
	for (size_t i = 0; i < n; i++) {
		if (m && r[i].from <= r[m - 1].upto)
			r[m - 1].upto = r[i].upto > r[m - 1].upto ? r[i].upto : r[m - 1].upto;
		else
			r[m++] = r[i];
	}
	return m;
}

struct function_search {
	struct asm_listing *to;
	const struct weighted_tree *c;
	str_id name, file;
	struct err *e;
};

/* Does this symbol, an address, belong to the function? */
static bool is_of(const struct function_search *f, uint32_t symbol)
{
	const struct symbol *t = &f->c->symbol[symbol];
	return t->addr && t->name == f->name && t->file == f->file;
}

static map_id map_of(const struct weighted_tree *c, uint32_t symbol)
{
	return store_loc(c->st, store_frm(c->st, c->symbol[symbol].frm)->loc)->map;
}

/* Collect the ranges of the function in one program. */
static size_t collect_ranges(const struct function_search *f, map_id map, struct binary *b, struct asm_range *r)
{
	size_t n = 0;
	for (uint32_t i = 1; i < f->c->nsymbol && n < (size_t)RANGES_MAX * 64; i++) {
		if (is_of(f, i) && map_of(f->c, i) == map) {
			struct asm_range x = asm_source_range_around(b, f->c->symbol[i].addr);
			if (x.upto > x.from && (!n || r[n - 1].from != x.from))
				r[n++] = x;
		}
	}
	n = asm_source_merge_ranges(r, n);
	return n < RANGES_MAX ? n : RANGES_MAX;
}

static int add_program(const struct function_search *f, map_id map)
{
	const struct store *st = f->c->st;
	const struct map_row *m = column_at(&st->maps, map);
	const struct str_row *file = store_str(st, m->file), *build = store_str(st, m->build_id);
	struct binary b;
	size_t n;
	const char *base = path_base(file->s, file->n, &n);
	if (!file->n)
		return err_set(f->e, ERR_IO, ERR_NOWHERE,
		    "the file does not name its program: give it first, ttrace PROGRAM FILE");
	if (lookup_open(&b, file->s, &(struct elf_mapping){m->start, m->limit, m->offset}, NULL))
		return err_set(f->e, ERR_IO, ERR_NOWHERE,
		    "assembly needs the program, but there is neither %.100s nor %.40s in $PPROF_BINARY_PATH "
		    "(~/pprof/binaries)",
		    file->s, base);
	int rc = 0;
	if (build->n && *b.elf.build && strcmp(build->s, b.elf.build))
		rc = err_set(f->e, ERR_FORMAT, ERR_NOWHERE, "%.100s is not the build that was profiled", file->s);
	for (uint32_t i = 1; i < f->c->nsymbol; i++) {
		const struct symbol *t = &f->c->symbol[i];
		if (t->addr && t->name == f->name)
			lookup_hint(&b, t->addr, store_str(st, f->name)->s);
	}
	struct asm_range *r = xmalloc((size_t)RANGES_MAX * 64 * sizeof *r);
	size_t k = rc ? 0 : collect_ranges(f, map, &b, r);
	for (size_t i = 0; i < k && !rc; i++)
		rc = asm_source_add_range(f->to, &b, r[i].from, r[i].upto, false, f->e);
	mem_free(r);
	lookup_close(&b);
	return rc;
}

int asm_source_of_function(
    struct asm_listing *to, const struct weighted_tree *c, str_id name, str_id file, struct err *e)
{
	struct function_search f = {to, c, name, file, e};
	size_t nmap = c->st->maps.n, n;
	bool *seen = xcalloc(nmap + 1, sizeof *seen), any = false;
	int rc = 0;
	if (subprocess_forbidden()) {
		mem_free(seen);
		return err_set(e, ERR_LIMIT, ERR_NOWHERE, "assembly is off because TTRACESECURE is set");
	}
	for (uint32_t i = 1; i < c->nsymbol && !rc; i++) {
		if (!is_of(&f, i))
			continue;
		map_id map = map_of(c, i);
		if (map > nmap || seen[map])
			continue;
		seen[map] = any = true;
		rc = add_program(&f, map);
	}
	mem_free(seen);
	if (rc)
		return rc;
	if (!any)
		return err_set(e, ERR_FORMAT, ERR_NOWHERE, "no assembly: the profile has no addresses");
	struct asm_weight *w = weights_of(c, &n);
	asm_source_add_weights(to, w, n);
	mem_free(w);
	return 0;
}
