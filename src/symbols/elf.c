/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Reads ELF without a library: headers, notes and symbols are a few tables of numbers. So names are available on a host
 * without libdw, and no file whose tables are outside of it is passed to libdw.
 *
 * Every table is checked once against the file's size, then read by offset in either byte order and width. Symbols keep
 * pointers into the file; one whose name does not end inside its string table is left out.
 *
 * The base of a mapping is computed as in pprof, so that equal profiles give equal names: from the segment that the
 * mapping shows. That holds for programs too, because one that is not relocatable may still have been mapped elsewhere.
 */
#include "config.h"
#include "symbols/elf.h"

#include "base/bsearch.h"
#include "base/mem/mem.h"
#include "base/text/buf.h"
#include "symbols/gopclntab.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { ET_REL = 1, ET_EXEC = 2, ET_DYN = 3, PT_LOAD = 1, PT_NOTE = 4, PF_X = 1 };
enum { SHT_SYMTAB = 2, SHT_NOTE = 7, SHT_NOBITS = 8, SHT_DYNSYM = 11, NT_GNU_BUILD_ID = 3, PAGE = 4096 };

struct section {
	uint32_t name, type, link;
	uint64_t addr, off, size, entsize, align, flags;
};

/* ---- numbers; the caller has checked that they are inside the file */

static uint64_t read_uint(const struct elf *f, const uint8_t *p, size_t n)
{
	uint64_t v = 0;
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)p[f->big ? n - 1 - i : i] << 8 * i;
	return v;
}

static uint32_t read_u32(const struct elf *f, uint64_t at)
{
	return (uint32_t)read_uint(f, f->file.p + at, 4);
}

static uint16_t read_u16(const struct elf *f, uint64_t at)
{
	return (uint16_t)read_uint(f, f->file.p + at, 2);
}

/* Read an address or size: 8 bytes or 4. */
static uint64_t read_word(const struct elf *f, uint64_t at)
{
	return read_uint(f, f->file.p + at, f->wide ? 8 : 4);
}

static bool in_file(const struct elf *f, uint64_t off, uint64_t n)
{
	return off <= f->file.n && n <= f->file.n - off;
}

static bool table_in_file(const struct elf *f, uint64_t off, uint64_t n, uint64_t size, uint64_t least)
{
	return size >= least && n <= f->file.n / size && in_file(f, off, n * size);
}

/* ---- headers */

static struct elf_seg read_segment(const struct elf *f, uint64_t at)
{
	if (f->wide)
		return (struct elf_seg){read_u32(f, at), read_u32(f, at + 4), read_word(f, at + 8),
		    read_word(f, at + 16), read_word(f, at + 32), read_word(f, at + 40), read_word(f, at + 48)};
	return (struct elf_seg){read_u32(f, at), read_u32(f, at + 24), read_word(f, at + 4), read_word(f, at + 8),
	    read_word(f, at + 16), read_word(f, at + 20), read_word(f, at + 28)};
}

static struct section read_section(const struct elf *f, uint64_t at)
{
	uint64_t w = f->wide ? 8 : 4, p = at + 8;
	return (struct section){.name = read_u32(f, at),
	    .type = read_u32(f, at + 4),
	    .flags = read_word(f, p),
	    .addr = read_word(f, p + w),
	    .off = read_word(f, p + 2 * w),
	    .size = read_word(f, p + 3 * w),
	    .link = read_u32(f, p + 4 * w),
	    .align = read_word(f, p + 4 * w + 8),
	    .entsize = read_word(f, p + 5 * w + 8)};
}

struct sections {
	uint64_t off;
	uint32_t n, size;
	struct section names;
};

/* Return a table of texts without what follows its last NUL, which is looked for once and not for each text: they may
   be tails of one long text. */
static struct section read_texts(const struct elf *f, uint64_t at)
{
	struct section s = read_section(f, at);
	if (s.type == SHT_NOBITS || !in_file(f, s.off, s.size))
		s.size = 0;
	while (s.size && f->file.p[s.off + s.size - 1])
		s.size--;
	return s;
}

static bool sections(const struct elf *f, struct sections *s)
{
	uint64_t h = f->wide ? 40 : 32;
	*s = (struct sections){.off = read_word(f, h)};
	uint64_t tail = f->wide ? 58 : 46;	/* entry size, number, index of the names */
	s->size = read_u16(f, tail);
	s->n = read_u16(f, tail + 2);
	uint32_t names = read_u16(f, tail + 4);
	if (!s->off || !s->n || !table_in_file(f, s->off, s->n, s->size, f->wide ? 64 : 40))
		return false;
	if (names < s->n)
		s->names = read_texts(f, s->off + (uint64_t)names * s->size);
	return true;
}

static struct section section(const struct elf *f, const struct sections *s, uint32_t i)
{
	return read_section(f, s->off + (uint64_t)i * s->size);
}

/* Return the NUL-terminated text at offset `at` of a table of texts; NULL: it is not inside. */
static const char *text_at(const struct elf *f, const struct section *texts, uint64_t at)
{
	return at < texts->size ? (const char *)f->file.p + texts->off + at : NULL;
}

static void find_build_id(struct elf *f, uint64_t off, uint64_t n, uint64_t align)
{
	uint64_t a = align == 8 ? 8 : 4;
	if (*f->build || !in_file(f, off, n))
		return;
	for (uint64_t end = off + n; end - off >= 12;) {
		uint64_t name = read_u32(f, off), desc = read_u32(f, off + 4);
		uint32_t type = read_u32(f, off + 8);
		off += 12;
		uint64_t at = (name + a - 1) & ~(a - 1), len = (desc + a - 1) & ~(a - 1);
		if (at > end - off || desc > end - off - at)
			return;
		if (type == NT_GNU_BUILD_ID && name == 4 && !memcmp(f->file.p + off, "GNU", 4) && desc <= 64) {
			struct buf b = {0};
			for (uint64_t i = 0; i < desc; i++)
				buf_printf(&b, "%02x", f->file.p[off + at + i]);
			mem_free(f->build);
			f->build = xstrdup(buf_str(&b));
			buf_free(&b);
			return;
		}
		if (len > end - off - at)
			return;
		off += at + len;
	}
}

static int read_segments(struct elf *f, const char *path, struct err *e)
{
	uint64_t off = read_word(f, f->wide ? 32 : 28);
	uint16_t size = read_u16(f, f->wide ? 54 : 42), n = read_u16(f, f->wide ? 56 : 44);
	if (n && !table_in_file(f, off, n, size, f->wide ? 56 : 32))
		return err_set(e, ERR_FORMAT, ERR_NOWHERE, "%s: the program headers are outside the file", path);
	f->seg = xcalloc((size_t)n + 1, sizeof *f->seg);
	for (uint16_t i = 0; i < n; i++) {
		struct elf_seg s = read_segment(f, off + (uint64_t)i * size);
		if (s.type == PT_LOAD)
			f->seg[f->nseg++] = s;
		else if (s.type == PT_NOTE)
			find_build_id(f, s.off, s.filesz, s.align);
	}
	return 0;
}

static void read_link(struct elf *f, const struct section *s)
{
	if (s->type == SHT_NOBITS || !in_file(f, s->off, s->size))
		return;
	const char *name = (const char *)f->file.p + s->off;
	size_t n = (strnlen(name, s->size) + 4) & ~(size_t)3;
	if (!memchr(name, 0, s->size) || !*name || strchr(name, '/') || s->size < 4 || n > s->size - 4)
		return;
	f->link = name;
	f->link_crc = read_u32(f, s->off + n);
}

static void read_sections(struct elf *f)
{
	struct sections s;
	if (!sections(f, &s))
		return;
	for (uint32_t i = 0; i < s.n; i++) {
		struct section x = section(f, &s, i);
		const char *name = text_at(f, &s.names, x.name);
		if (x.type == SHT_NOTE)
			find_build_id(f, x.off, x.size, x.align);
		if (!name)
			continue;
		if (!strcmp(name, ".text"))
			f->text = x.addr;
		else if (!strcmp(name, ".gnu_debuglink"))
			read_link(f, &x);
		else if (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info"))
			f->dwarf = x.type != SHT_NOBITS && x.size > 0;
		else if (!strcmp(name, ".init") || !strcmp(name, ".fini"))
			f->foreign = true;
		else if (x.type != SHT_NOBITS && in_file(f, x.off, x.size) && !strcmp(name, ".gopclntab"))
			f->pclntab.off = x.off, f->pclntab.size = x.size, f->pclntab.addr = x.addr;
		else if (x.type != SHT_NOBITS && in_file(f, x.off, x.size) && !strcmp(name, ".go.module"))
			f->module.off = x.off, f->module.size = x.size;
	}
}

int elf_open(struct elf *f, const char *path, struct err *e)
{
	struct stat st;
	*f = (struct elf){.build = xstrdup("")};
	/* a profile may name any file: only regular files are opened, and none of /proc, whose sizes are 0 or huge */
	if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 || st.st_size >> 40) {
		elf_close(f);
		return err_set(e, ERR_IO, ERR_NOWHERE, "%s: no such file", path);
	}
	if (input_open(path, &f->file, e)) {
		elf_close(f);
		return -1;
	}
	const uint8_t *p = f->file.p;
	if (f->file.n < 52 || memcmp(p, "\177ELF", 4) || p[4] < 1 || p[4] > 2 || p[5] < 1 || p[5] > 2 ||
	    (p[4] == 2 && f->file.n < 64)) {
		elf_close(f);
		return err_set(e, ERR_FORMAT, ERR_NOWHERE, "%s is not an ELF program or library", path);
	}
	f->wide = p[4] == 2;
	f->big = p[5] == 2;
	f->type = read_u16(f, 16);
	if (read_segments(f, path, e)) {
		elf_close(f);
		return -1;
	}
	read_sections(f);
	return 0;
}

void elf_close(struct elf *f)
{
	input_close(&f->file);
	mem_free(f->seg);
	mem_free(f->sym);
	mem_free(f->build);
	*f = (struct elf){0};
}

/* ---- symbols */

/* The last symbol at an address is the one that elf_function() takes. Names are not compared: they may be tails of one
   long text. */
static int by_address(const void *x, const void *y)
{
	const struct elf_sym *a = x, *b = y;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* *source: the file of the local symbols that follow; updated. */
static bool read_symbol(const struct elf *f, const struct section *names, uint64_t at, const char **source,
    struct elf_sym *s)
{
	enum { OBJECT = 1, SECTION = 3, FILE_NAME = 4, COMMON = 5, TLS = 6, UNDEFINED = 0 };
	uint8_t info = f->file.p[at + (f->wide ? 4 : 12)], type = info & 15;
	uint16_t section = read_u16(f, at + (f->wide ? 6 : 14));
	*s = (struct elf_sym){.addr = read_word(f, at + (f->wide ? 8 : 4)),
	    .size = read_word(f, at + (f->wide ? 16 : 8)),
	    .name = text_at(f, names, read_u32(f, at)),
	    .data = type == OBJECT || type == COMMON || type == TLS,
	    .source = info >> 4 ? NULL : *source};
	if (type == FILE_NAME)
		*source = s->name && *s->name ? s->name : NULL;
	return s->name && *s->name && section != UNDEFINED && type != SECTION && type != FILE_NAME;
}

static int read_symbols(struct elf *f, const struct sections *s, const struct section *tab, struct err *e)
{
	struct section names = tab->link < s->n ? read_texts(f, s->off + (uint64_t)tab->link * s->size) :
	    (struct section){0};
	uint64_t size = tab->entsize, n = size ? tab->size / size : 0;
	if (tab->type == SHT_NOBITS || !table_in_file(f, tab->off, n, size, f->wide ? 24 : 16))
		return err_set(e, ERR_FORMAT, ERR_NOWHERE, "the symbol table is outside the file");
	f->sym = mem_try_alloc((n + 1) * sizeof *f->sym);
	if (!f->sym)
		return err_set(e, ERR_LIMIT, ERR_NOWHERE, "out of memory for the symbol table");
	const char *source = NULL;
	for (uint64_t i = 1; i < n; i++)
		if (read_symbol(f, &names, tab->off + i * size, &source, &f->sym[f->nsym]))
			f->sym[f->nsym++].order = (uint32_t)i;
	qsort(f->sym, f->nsym, sizeof *f->sym, by_address);
	return 0;
}

/* Use the functions that the Go runtime's tables list, for a stripped program. */
static void go_symbols(struct elf *f)
{
	struct gopclntab_info g;
	if (!gopclntab_open(&g, f) || !(f->sym = mem_try_alloc((g.nfun + 1) * sizeof *f->sym)))
		return;
	for (uint64_t i = 0, addr, end; i < g.nfun; i++) {
		const char *name = gopclntab_function(&g, i, &addr, &end);
		if (name && *name && end > addr)
			f->sym[f->nsym++] = (struct elf_sym){addr, end - addr, name, NULL, false, (uint32_t)i};
	}
	qsort(f->sym, f->nsym, sizeof *f->sym, by_address);
}

int elf_symbols(struct elf *f, struct err *e)
{
	struct sections s;
	if (f->have_sym)
		return 0;
	f->have_sym = true;
	if (!sections(f, &s))
		return 0;
	for (int pass = 0; pass < 3; pass++) {
		if (pass == 1 && f->pclntab.size)
			go_symbols(f);
		if (f->nsym)
			break;
		mem_free(f->sym);
		f->sym = NULL;
		for (uint32_t i = 0; i < s.n && pass != 1; i++) {
			struct section x = section(f, &s, i);
			if (x.type == (pass ? SHT_DYNSYM : SHT_SYMTAB))
				return read_symbols(f, &s, &x, e);
		}
	}
	return 0;
}

/* Consider the symbols with the greatest address at or below addr. Of several at one address, take the one of the
   largest size that comes last in the table, if it covers addr, as llvm-symbolizer does. A symbol without a size
   extends to the next one. */
const struct elf_sym *elf_function(const struct elf *f, uint64_t addr)
{
	struct bsearch_probe h = {.hi = f->nsym};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, f->sym[h.at].addr <= addr);
	const struct elf_sym *best = h.lo ? &f->sym[h.lo - 1] : NULL;
	return best && !best->data && (!best->size || addr - best->addr < best->size) ? best : NULL;
}

/* ---- mappings */

static const struct elf_seg *text_segment(const struct elf *f)
{
	for (size_t i = 0; i < f->nseg && f->text; i++)
		if (f->seg[i].flags & PF_X && f->text >= f->seg[i].vaddr && f->text - f->seg[i].vaddr < f->seg[i].memsz)
			return &f->seg[i];
	return NULL;
}

/* Return whether a mapping of `size` bytes from `off` shows this segment: they overlap, the mapping does not begin
   before the page in which the segment begins, and it is not that of the next segment, which begins in this one's last
   page. */
static bool mapping_shows(const struct elf_seg *s, uint64_t off, uint64_t size)
{
	uint64_t end = s->off + s->memsz, upto = off + size;
	if (!s->filesz || off >= end || s->off >= upto)
		return false;
	uint64_t in_page = s->align ? s->vaddr & (s->align - 1) : 0;
	if (s->off > in_page && off < s->off - in_page)
		return false;
	return !(off > s->off && end < off + PAGE && upto >= end + PAGE);
}

static int find_segment(const struct elf *f, const struct elf_mapping *m, uint64_t addr, const struct elf_seg **out,
    struct err *e)
{
	*out = NULL;
	if (m->start >= m->limit || m->limit >> 63) {	/* the kernel, or unknown */
		*out = text_segment(f);
		return 0;
	}
	size_t n = 0, exact = 0;
	const struct elf_seg *holds = NULL;
	for (size_t i = 0; i < f->nseg; i++) {
		const struct elf_seg *s = &f->seg[i];
		uint64_t at = addr - m->start + m->offset;
		if (!mapping_shows(s, m->offset, m->limit - m->start))
			continue;
		n++;
		*out = s;
		if (at >= s->off && at - s->off < s->memsz) {
			exact++;
			holds = s;
		}
	}
	if (n > 1)
		*out = holds;
	if ((f->nseg && !n) || (n > 1 && exact != 1))
		return err_set(e, ERR_FORMAT, ERR_NOWHERE, "no segment has the mapping's offset 0x%llx",
		    (unsigned long long)m->offset);
	return 0;
}

/* The kernel is mapped by symbol, not by file offset. */
static bool kernel_base(struct elf *f, const struct elf_seg *s, const struct elf_mapping *m, uint64_t *base)
{
	const uint64_t ppc64 = UINT64_C(0xc000000000000000);
	uint64_t stext = 0;
	bool unaligned = (m->start | m->limit | m->offset) % PAGE != 0;
	if (s->vaddr == m->start - m->offset) {
		*base = m->offset;
		return true;
	}
	if ((unaligned || m->start >> 63) && !elf_symbols(f, NULL))
		for (size_t i = 0; i < f->nsym && !stext; i++)
			if (!strcmp(f->sym[i].name, "_stext"))
				stext = f->sym[i].addr;
	if (m->start >> 63 && m->limit > m->start && (!m->offset || m->offset == ppc64 || m->offset == m->start)) {
		*base = m->start - (stext && m->start % PAGE == stext % PAGE ? stext : s->vaddr);
		return true;
	}
	if (stext && ((!m->start && m->limit) || (m->start % PAGE && stext % PAGE == m->start % PAGE))) {
		*base = m->start - stext;
		return true;
	}
	return false;
}

int elf_base(struct elf *f, const struct elf_mapping *m, uint64_t addr, uint64_t *base, struct err *e)
{
	const struct elf_seg *s;
	*base = 0;
	if (elf_made_up(m)) {
		/* A made-up mapping: addresses are those of the file, or file offsets, which perf script prints in
		   stacks. */
		s = f->type == ET_EXEC ? text_segment(f) : NULL;
		bool place = s && addr < s->vaddr && s->off < s->vaddr && addr >= s->off && addr - s->off < s->filesz;
		*base = place ? s->off - s->vaddr : 0;
		return 0;
	}
	if (find_segment(f, m, addr, &s, e))
		return -1;
	if (f->type == ET_REL) {
		*base = m->start;
		return !m->offset ? 0 :
		    err_set(e, ERR_FORMAT, ERR_NOWHERE, "this is an object file, mapped at an offset");
	}
	if (f->type != ET_EXEC && f->type != ET_DYN)
		return err_set(e, ERR_FORMAT, ERR_NOWHERE, "this is neither a program nor a library (ELF type %u)",
		    f->type);
	if (!s) {
		*base = f->type == ET_DYN ? m->start - m->offset : 0;
		return 0;
	}
	bool user = f->type == ET_EXEC && m->start && !(m->start >> 63);
	if (!user && kernel_base(f, s, m, base))
		return 0;
	if (f->type == ET_EXEC && !user) {
		*base = m->start - s->vaddr;
		return !m->start && m->limit ? 0 :
		    err_set(e, ERR_FORMAT, ERR_NOWHERE, "the mapping is not that of a program");
	}
	*base = m->start - m->offset + s->off - s->vaddr;
	return 0;
}

uint32_t elf_crc(struct bytes b)
{
	uLong c = crc32(0, NULL, 0);
	for (size_t at = 0; at < b.n;) {
		uInt n = b.n - at < 1u << 30 ? (uInt)(b.n - at) : 1u << 30;
		c = crc32(c, b.p + at, n);
		at += n;
	}
	return (uint32_t)c;
}
