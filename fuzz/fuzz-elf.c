/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The symbolizer on any bytes as an ELF file: addresses are looked up in its symbols, tables of Go and, by libdw, debug
 * information. Bytes that are not ELF are read as the tables of Go alone (.gopclntab, after the 16 bytes of the runtime's
 * module data), so that a mutation need not keep the headers around them valid. Properties: reading ends, every string of
 * the result ends inside the input, and no frame has a negative line.
 *
 * lookup_open() needs a path, and a file on a disk would be slow: all inputs are written to one file in memory.
 */
#define _GNU_SOURCE
#include "config.h"

#include "symbols/lookup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FRAMES = 16, PROBES = 24, MODULE = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void touch(const struct debug_frame *f, size_t n)
{
	if (n > FRAMES)
		abort();
	size_t len = 0;
	for (size_t i = 0; i < n; i++) {
		len += strlen(f[i].name) + strlen(f[i].file);
		if (f[i].line < 0 || f[i].start < 0)
			abort();
	}
	if (len > SIZE_MAX / 2)
		abort();
}

static void read_go_tables(const uint8_t *p, size_t n)
{
	struct gopclntab_info g;
	struct debug_frame f[FRAMES];
	struct elf elf = {.file = {.p = p, .n = n}, .wide = true, .text = 0x400000,
	    .pclntab = {MODULE, n - MODULE, 0x10000}, .module = {0, MODULE, 0}};
	elf.big = p[0] & 1;
	if (!gopclntab_open(&g, &elf))
		return;
	for (uint64_t i = 0, addr, end; i < g.nfun && i < PROBES; i++) {
		const char *name = gopclntab_function(&g, i, &addr, &end);
		touch(f, gopclntab_frames_at(&g, addr + i, f, FRAMES));
		if (name && strlen(name) > n)
			abort();
	}
}

#ifdef MFD_CLOEXEC
static void look_up(const char *path, bool fast, struct elf_mapping m)
{
	struct binary b;
	struct debug_frame f[FRAMES];
	struct err e = {0};
	if (lookup_open(&b, path, &m, &e)) {
		if (!e.msg[0])
			abort();
		return;
	}
	b.fast = fast;
	lookup_hint(&b, m.start + 0x1010, "main");
	elf_symbols(&b.elf, NULL);
	uint64_t at = m.start + b.elf.text;
	for (int i = 0; i < PROBES; i++)
		touch(f, lookup_frames(&b, at + (uint64_t)i * 16, f, FRAMES));
	for (size_t i = 0; i < b.elf.nsym && i < PROBES; i++)
		touch(f, lookup_frames(&b, m.start + b.elf.sym[i].addr, f, FRAMES));
	lookup_close(&b);
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	if (n < MODULE)
		return 0;
	if (memcmp(p, "\177ELF", 4) != 0) {
		read_go_tables(p, n);
		return 0;
	}
#ifdef MFD_CLOEXEC	/* Linux */
	static int fd = -1;
	char path[64];
	if (fd < 0 && (fd = memfd_create("elf", MFD_CLOEXEC)) < 0)
		return 0;
	if (ftruncate(fd, (off_t)n) || pwrite(fd, p, n, 0) != (ssize_t)n)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (p[n - 1] & 1)	/* only one of the two, because each needs some system calls */
		look_up(path, true, (struct elf_mapping){0x400000, 0x500000, 0x1000});
	else
		look_up(path, false, (struct elf_mapping){0, UINT64_MAX, 0});
#endif
	return 0;
}
