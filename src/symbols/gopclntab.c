/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Reads the tables by which Go's runtime prints stacks. A header has the offsets of the others. Functions are sorted by
 * address; each has offsets of small programs that compute a value for every address: its file number, its line, the
 * innermost call inlined there. Such a program is a list of pairs of varints: the change of the value (zigzag) and the
 * number of bytes for which it holds.
 *
 * Addresses are relative to the start of the code that Go's linker wrote. Go's linker puts that at the start of .text.
 * Another linker, which a program with cgo needs, puts other code before it; then no result is returned rather than a
 * wrong one.
 */
#include "config.h"
#include "symbols/gopclntab.h"

#include "base/bsearch.h"

#include <string.h>

enum { INL_TREE = 3, INL_INDEX = 2, INL_SIZE = 16, INL_DEPTH = 64 };

static bool u32_at(const struct gopclntab_info *g, uint64_t at, uint32_t *v)
{
	const struct elf *f = g->f;
	*v = 0;
	if (at > f->pclntab.size || f->pclntab.size - at < 4)
		return false;
	const uint8_t *p = f->file.p + f->pclntab.off + at;
	for (int i = 0; i < 4; i++)
		*v |= (uint32_t)p[f->big ? 3 - i : i] << 8 * i;
	return true;
}

static uint64_t word_at(const struct gopclntab_info *g, uint64_t at)
{
	uint32_t a, b = 0;
	u32_at(g, at, &a);
	if (g->f->wide)
		u32_at(g, at + 4, &b);
	if (g->f->big && g->f->wide)
		return (uint64_t)a << 32 | b;
	return (uint64_t)b << 32 | a;
}

static const char *text_at(const struct gopclntab_info *g, uint64_t at)
{
	const struct elf *f = g->f;
	if (at >= f->pclntab.size)
		return NULL;
	const char *s = (const char *)f->file.p + f->pclntab.off + at;
	return memchr(s, 0, f->pclntab.size - at) ? s : NULL;
}

static uint64_t module_word(const struct elf *f, uint64_t at)
{
	const uint8_t *p = f->file.p + f->module.off + at;
	uint64_t v = 0;
	for (unsigned i = 0, w = f->wide ? 8 : 4; i < w; i++)
		v |= (uint64_t)p[f->big ? w - 1 - i : i] << 8 * i;
	return v;
}

/* Return the offset of the trees of inlined calls: in the runtime's module data it is the word before the section's end
   address. 0: there is no such pair. */
static uint64_t find_calls(const struct elf *f)
{
	uint64_t w = f->wide ? 8 : 4, from = f->pclntab.addr, end = from + f->pclntab.size;
	for (uint64_t at = 0; f->module.size >= 2 * w && at <= f->module.size - 2 * w; at += w) {
		uint64_t v = module_word(f, at);
		if (module_word(f, at + w) == end && v > from && v < end)
			return v - from;
	}
	return 0;
}

bool gopclntab_open(struct gopclntab_info *g, const struct elf *f)
{
	static const uint32_t GO118 = 0xfffffff0, GO120 = 0xfffffff1;
	uint32_t magic, last;
	*g = (struct gopclntab_info){.f = f};
	uint64_t w = f->wide ? 8 : 4;
	if (f->pclntab.size < 8 + 8 * w || !u32_at(g, 0, &magic) || (magic != GO118 && magic != GO120) ||
	    f->file.p[f->pclntab.off + 7] != w)
		return false;
	g->start_lines = magic == GO120;
	g->quantum = f->file.p[f->pclntab.off + 6];
	g->nfun = word_at(g, 8);
	g->names = word_at(g, 8 + 3 * w);
	g->units = word_at(g, 8 + 4 * w);
	g->files = word_at(g, 8 + 5 * w);
	g->pcs = word_at(g, 8 + 6 * w);
	g->funs = word_at(g, 8 + 7 * w);
	g->text = f->foreign ? 0 : f->text;
	const uint64_t n = f->pclntab.size;
	if (g->names > n || g->units > n || g->files > n || g->pcs > n || g->funs > n || !g->text)
		return false;
	if (!g->nfun || g->nfun > n / 8 || !u32_at(g, g->funs + g->nfun * 8, &last))
		return false;
	g->calls = find_calls(f);
	return true;
}

static uint32_t entry(const struct gopclntab_info *g, uint64_t i)
{
	uint32_t v;
	u32_at(g, g->funs + i * 8, &v);
	return v;
}

/* Return the offset of the record of function i. */
static uint64_t record_offset(const struct gopclntab_info *g, uint64_t i)
{
	uint32_t v;
	u32_at(g, g->funs + i * 8 + 4, &v);
	return g->funs + v;
}

const char *gopclntab_function(const struct gopclntab_info *g, uint64_t i, uint64_t *addr, uint64_t *end)
{
	uint32_t name;
	*addr = g->text + entry(g, i);
	*end = g->text + entry(g, i + 1);
	return u32_at(g, record_offset(g, i) + 4, &name) ? text_at(g, g->names + name) : NULL;
}

static uint32_t read_varint(const struct gopclntab_info *g, uint64_t *at)
{
	const uint8_t *p = g->f->file.p + g->f->pclntab.off;
	uint32_t v = 0;
	for (unsigned shift = 0; *at < g->f->pclntab.size && shift < 35; shift += 7) {
		uint8_t b = p[(*at)++];
		v |= shift < 32 ? (uint32_t)(b & 0x7f) << shift : 0;
		if (b < 0x80)
			break;
	}
	return v;
}

/* Return the value that a program computes `into` bytes into a function; -1: none. */
static int32_t value_at(const struct gopclntab_info *g, uint32_t program, uint64_t into)
{
	uint64_t at = g->pcs + program, pc = 0;
	uint32_t value = UINT32_MAX;
	if (!program)
		return -1;
	for (bool first = true; at < g->f->pclntab.size; first = false) {
		uint32_t change = read_varint(g, &at);
		if (!change && !first)
			return -1;
		value += (change >> 1) ^ (0 - (change & 1));
		pc += (uint64_t)read_varint(g, &at) * g->quantum;
		if (into < pc)
			return (int32_t)value;
	}
	return -1;
}

struct function { uint64_t at; uint32_t entry, unit, pcfile, pcln, npcdata; };

static const char *file_at(const struct gopclntab_info *g, const struct function *f, uint64_t into)
{
	int32_t i = value_at(g, f->pcfile, into);
	uint32_t at;
	if (i < 0 || !u32_at(g, g->units + ((uint64_t)f->unit + (uint32_t)i) * 4, &at) || at == UINT32_MAX)
		return "";
	const char *s = text_at(g, g->files + at);
	return s ? s : "";
}

/* Return entry `which` of the offsets of programs, then of data, that follow the record. */
static uint32_t read_table_offset(const struct gopclntab_info *g, const struct function *f, uint32_t which)
{
	uint32_t v;
	return u32_at(g, f->at + (g->start_lines ? 44 : 40) + (uint64_t)which * 4, &v) ? v : 0;
}

/* Return the name of the innermost inlined call at a place in a function, and set *parent to the place of the call.
   NULL: no call is inlined there. */
static const char *inlined_call(
    const struct gopclntab_info *g, const struct function *f, uint64_t into, uint64_t *parent, int64_t *start)
{
	const struct elf *e = g->f;
	if (!g->start_lines || !g->calls || f->npcdata <= INL_INDEX || f->npcdata > 64 ||
	    f->at + 44 > e->pclntab.size || e->file.p[e->pclntab.off + f->at + 43] <= INL_TREE)
		return NULL;
	int32_t i = value_at(g, read_table_offset(g, f, INL_INDEX), into);
	uint32_t tree = read_table_offset(g, f, f->npcdata + INL_TREE), v[3];
	if (i < 0 || tree == UINT32_MAX)
		return NULL;
	for (int k = 0; k < 3; k++)
		if (!u32_at(g, g->calls + tree + (uint64_t)(uint32_t)i * INL_SIZE + 4 + 4 * (uint64_t)k, &v[k]))
			return NULL;
	*parent = v[1];
	*start = v[2] <= INT32_MAX ? v[2] : 0;
	return text_at(g, g->names + v[0]);
}

size_t gopclntab_frames_at(const struct gopclntab_info *g, uint64_t addr, struct debug_frame *out, size_t max)
{
	uint64_t into = addr - g->text, a, end;
	if (addr < g->text || into >= entry(g, g->nfun))
		return 0;
	struct bsearch_probe h = {.hi = g->nfun};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, entry(g, h.at) <= into);
	const char *name = h.lo ? gopclntab_function(g, h.lo - 1, &a, &end) : NULL, *call;
	if (!name)
		return 0;
	struct function f = {.at = record_offset(g, h.lo - 1), .entry = entry(g, h.lo - 1)};
	uint32_t start = 0;
	u32_at(g, f.at + 20, &f.pcfile);
	u32_at(g, f.at + 24, &f.pcln);
	u32_at(g, f.at + 28, &f.npcdata);
	u32_at(g, f.at + 32, &f.unit);
	if (g->start_lines)
		u32_at(g, f.at + 36, &start);
	into -= f.entry;
	size_t n = 0;
	for (uint64_t parent; n < max && n < INL_DEPTH; into = parent) {
		int32_t line = value_at(g, f.pcln, into);
		int64_t from = start <= INT32_MAX ? start : 0;
		call = inlined_call(g, &f, into, &parent, &from);
		out[n++] = (struct debug_frame){call ? call : name, file_at(g, &f, into), line > 0 ? line : 0, 0, from};
		if (!call)
			break;
	}
	return n;
}
