/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Programs and their machine code: parsing of objdump's output, load addresses of mapped programs, Go's tables, and frames
   of addresses in this program and in damaged copies of it. */
#include "config.h"
#include "tap.h"

#include "base/mem/mem.h"
#include "base/text/buf.h"
#include "symbols/gopclntab.h"
#include "symbols/lookup.h"
#include "symbols/objdump.h"

#include <string.h>
#include <unistd.h>

static void parse(const char *text, const char *want)
{
	struct objdump_output i = {0};
	struct buf b = {0};
	objdump_parse(&i, text, strlen(text));
	for (size_t k = 0; k < i.n; k++)
		buf_printf(&b, "%llx|%s|%s|%s:%lld\n", (unsigned long long)i.v[k].addr, i.v[k].text, i.v[k].fun,
		    i.v[k].file,
		    (long long)i.v[k].line);
	OK(!strcmp(buf_str(&b), want));
	if (strcmp(buf_str(&b), want))
		printf("# got %s# want %s", buf_str(&b), want);
	buf_free(&b);
	objdump_free(&i);
}

static void test_objdump(void)
{
	parse("", "");
	parse("\nx:     file format elf64-x86-64\n\n\nDisassembly of section .text:\n\n"
	      "0000000000401136 <main>:\nmain():\n/a b/x.c:12 (discriminator 3)\n  401136:\tpush   %rbp\n"
	      "  401137:\tcall   401020 <f(int)@plt>\n/a/y.h:7\n  40113c:\tret\n",
	    "401136|push   %rbp|main|/a b/x.c:12\n401137|call   401020 <f(int)@plt>|main|/a b/x.c:12\n"
	    "40113c|ret|main|/a/y.h:7\n");
	parse("0000000000001000 <ns::f<int>(int)>:\n1000:\tnop\n\n1001:\tnop",
	    "1000|nop|<ns::f<int>(int)>|:0\n1001|nop||:0\n");
	parse("; main():\n; /x.c:3\n  10: nop\n", "10|nop|main|/x.c:3\n");
	parse("11112222333344445: nop\n10:nop\n10: \n:\n():\n\t...\n", "");
	parse("f():\nx.c:99999999999999999999\n 1: a\n", "1|a|f|:0\n");
}

/* elf_base() finds the load address of a program with two segments from its mapping in memory. */
static void test_base(void)
{
	struct elf_seg seg[] = {
		{.type = 1, .flags = 4, .off = 0, .vaddr = 0, .filesz = 0x800, .memsz = 0x800, .align = 0x1000},
	    {.type = 1, .flags = 5, .off = 0x1000, .vaddr = 0x3000, .filesz = 0x1800, .memsz = 0x1800,
	    .align = 0x1000}};
	struct elf f = {.type = 3, .seg = seg, .nseg = 2, .text = 0x3000};
	uint64_t base;
	struct elf_mapping m = {0x7f0000001000, 0x7f0000003000, 0x1000};
	OK(!elf_base(&f, &m, 0x7f0000001234, &base, NULL) && 0x7f0000001234 - base == 0x3234);
	m.offset = 0x100000;	/* not a part of the file */
	OK(elf_base(&f, &m, 0x7f0000001234, &base, NULL));
	m = (struct elf_mapping){0, UINT64_MAX, 0};
	OK(!elf_base(&f, &m, 0x3234, &base, NULL) && base == 0);
	f.type = 2;
	m = (struct elf_mapping){0x3000, 0x5000, 0x1000};
	OK(!elf_base(&f, &m, 0x3234, &base, NULL) && base == 0);
	f.type = 1;
	OK(elf_base(&f, &m, 0x3234, &base, NULL));
	f.type = 77;
	OK(elf_base(&f, &m, 0x3234, &base, NULL));
	/* two segments in one mapping: the address decides */
	f.type = 3;
	seg[1].off = 0x800;
	seg[1].vaddr = 0x2800;
	m = (struct elf_mapping){0x10000, 0x12000, 0};
	OK(!elf_base(&f, &m, 0x10910, &base, NULL) && 0x10910 - base == 0x2910);
	OK(!elf_base(&f, &m, 0x10010, &base, NULL) && 0x10010 - base == 0x10);
}

/* ---- artificial tables of Go's runtime */

static void put32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static void words(uint8_t *p, const uint32_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put32(p + 4 * i, v[i]);
}

/* Write tables with two functions. f: 32 bytes, /a.go:10, then main.g inlined, /b.go:20; h: 32 bytes without frames. */
static size_t go_tables(uint8_t *p)
{
	enum { NAMES = 72, UNITS = 96, FILES = 104, PCS = 120, FUNS = 144, RECORD = 32, CALLS = 248, MODULE = 264,
	    SIZE = 280 };
	static const uint32_t head[] = {0xfffffff1, 8u << 24 | 1u << 16, 2, 0, 2, 0, 0, 0, NAMES, 0, UNITS, 0, FILES,
	    0, PCS,
		0, FUNS, 0}, table[] = {0, RECORD, 32, RECORD + 200, 64};
	static const uint32_t record[] = {0, 1, 0, 0, 0, 1, 6, 3, 0, 5, 4u << 24, 0, 0, 11, 0, 0, 0, 0};
	static const uint32_t call[] = {0, 8, 3, 7}, module[] = {0x10000 + CALLS, 0, 0x10000 + MODULE, 0};
	static const uint8_t pcs[] = {0, 2, 16, 2, 16, 0, 22, 16, 20, 16, 0, 0, 16, 2, 16, 0};
	memset(p, 0, SIZE);
	words(p, head, sizeof head / 4);
	memcpy(p + NAMES, "\0main.f\0main.g\0main.h", 22);
	words(p + UNITS, (const uint32_t[]){0, 6}, 2);
	memcpy(p + FILES, "/a.go\0/b.go", 12);
	memcpy(p + PCS, pcs, sizeof pcs);
	words(p + FUNS, table, 5);
	words(p + FUNS + RECORD, record, sizeof record / 4);
	words(p + CALLS, call, 4);
	words(p + MODULE, module, 4);
	return SIZE;
}

static void test_go_tables(void)
{
	uint8_t p[300];
	struct gopclntab_info g;
	struct debug_frame d[8];
	size_t n = go_tables(p);
	struct elf f = {.file = {.p = p, .n = n}, .wide = true, .text = 0x400000, .pclntab = {0, n - 16, 0x10000},
	    .module = {n - 16, 16, 0}};
	OK(gopclntab_open(&g, &f) && g.nfun == 2);
	OK(gopclntab_frames_at(&g, 0x400004, d, 8) == 1 && !strcmp(d[0].name, "main.f") &&
	    !strcmp(d[0].file, "/a.go") && d[0].line == 10 && d[0].start == 5);
	OK(gopclntab_frames_at(&g, 0x400014, d, 8) == 2 && !strcmp(d[0].name, "main.g") &&
	    !strcmp(d[0].file, "/b.go") && d[0].line == 20 && d[0].start == 7 && !strcmp(d[1].name, "main.f") &&
	    !strcmp(d[1].file, "/a.go") && d[1].line == 10);
	OK(gopclntab_frames_at(&g, 0x400040, d, 8) == 0 && gopclntab_frames_at(&g, 0x3fffff, d, 8) == 0);
	f.foreign = true;	/* so the address of the first Go function is not known */
	OK(!gopclntab_open(&g, &f));
	f.foreign = false;
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < 3; k++) {
			uint8_t was = p[i];
			p[i] = (uint8_t)(k == 0 ? 0xff : k == 1 ? was + 1 : was ^ 0x80);
			for (uint64_t at = 0x400000; gopclntab_open(&g, &f) && at < 0x400050; at += 7)
				gopclntab_frames_at(&g, at, d, 8);
			p[i] = was;
		}
	for (f.pclntab.size = 0; f.pclntab.size < n - 16; f.pclntab.size++)
		if (gopclntab_open(&g, &f))
			gopclntab_frames_at(&g, 0x400014, d, 8);
}

/* Look up n addresses of a file, `step` bytes apart. Return how many have frames; names of one character count, too, so
   that all names are read. */
static size_t count_known(const char *path, uint64_t from, size_t n, uint64_t step)
{
	struct binary b;
	struct debug_frame f[16];
	struct elf_mapping m = {0, UINT64_MAX, 0};
	size_t known = 0;
	if (lookup_open(&b, path, &m, NULL))
		return 0;
	for (size_t i = 0; i < n; i++) {
		size_t k = lookup_frames(&b, from + i * step, f, 16);
		known += k > 0;
		while (k-- > 0)
			known += f[k].name[0] == 1 && f[k].file[0] == 1;	/* read them: a sanitizer checks it */
	}
	lookup_close(&b);
	return known;
}

static uint32_t seed = 12345;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* Each symbol's address is found as that of the largest symbol there, of those of one size the last of the table. */
static void test_aliases(const char *self)
{
	struct elf f;
	bool opened = !elf_open(&f, self, NULL);
	OK(opened);
	if (!opened)
		return;
	OK(!elf_symbols(&f, NULL) && f.nsym > 10);
	bool right = true;
	size_t several = 0;
	for (size_t i = 0, upto; i < f.nsym; i = upto) {
		const struct elf_sym *best = &f.sym[i];
		for (upto = i + 1; upto < f.nsym && f.sym[upto].addr == best->addr; upto++) {
			const struct elf_sym *s = &f.sym[upto];
			several++;
			if (s->size > best->size || (s->size == best->size && s->order > best->order))
				best = s;
		}
		right = right && elf_function(&f, best->addr) == (best->data ? NULL : best);
	}
	OK(right && several);
	elf_close(&f);
}

static void test_damaged(const char *self, int rounds)
{
	struct elf whole;
	struct bytes all;
	char path[] = "/tmp/t-elf-XXXXXX";
	int fd = mkstemp(path);
	if (fd < 0 || elf_open(&whole, self, NULL)) {
		OK(!"the program is read");
		return;
	}
	all = whole.file;
	uint64_t text = whole.text;
	OK(!elf_symbols(&whole, NULL) && whole.nsym > 10);
	OK(count_known(self, text, 200, 64) > 50);
	uint8_t *copy = xmalloc(all.n);
	for (int i = 0; i < rounds; i++) {
		size_t n = i % 4 == 0 ? all.n / 40 * (size_t)(i % 40) : all.n;
		memcpy(copy, all.p, all.n);
		/* damage the headers, the section table at the end, and bytes anywhere */
		for (int k = 0; k < 1 + i % 40 * 4; k++)
			copy[k % 3 == 0 ? rnd(1024) + 16 : k % 3 == 1 ? all.n - 1 - rnd(4096) : rnd((uint32_t)all.n)] =
			    (uint8_t)(rnd(2) ? 0xff : rnd(256));
		OK(!ftruncate(fd, 0) && pwrite(fd, copy, n, 0) == (ssize_t)n);
		count_known(path, text, 60, 256);	/* it does not crash */
	}
	mem_free(copy);
	elf_close(&whole);
	close(fd);
	unlink(path);
}

int main(int argc, char **argv)
{
	test_objdump();
	test_base();
	test_go_tables();
	const char *self = argc > 2 ? argv[1] : argv[0];	/* arguments: another program, number of rounds */
	if (access(self, R_OK) == 0)
		test_aliases(self);
	if (access(self, R_OK) == 0)
		test_damaged(self, argc > 2 ? atoi(argv[2]) : 40);
	OK(count_known("/dev/null", 0, 1, 1) == 0 && count_known("/", 0, 1, 1) == 0 &&
	    count_known("/proc/kcore", 0, 1, 1) == 0 && count_known("-", 0, 1, 1) == 0);
	return DONE();
}
