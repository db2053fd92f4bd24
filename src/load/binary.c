/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Names for addresses, out of debug information and symbols together, as
 * llvm-symbolizer does for pprof: debug information knows inlined calls and
 * lines, but calls the clone of a function (foo.constprop.0, foo.cold) foo and may
 * not know its namespace, so the outermost frame takes the name of the symbol. A stripped program of Go still has the tables of
 * its runtime.
 */
#include "config.h"
#include "load/binary.h"

#include "base/mem.h"

#include <string.h>

int binary_open(struct binary *b, const char *path, const struct elf_mapping *m, struct err *e)
{
	*b = (struct binary){.map = *m};
	if (elf_open(&b->elf, path, e))
		return -1;
	b->path = xstrdup(path);
	return 0;
}

void binary_close(struct binary *b)
{
	debuginfo_close(b->debug);
	elf_close(&b->elf);
	mem_free(b->path);
	*b = (struct binary){0};
}

bool binary_addr(struct binary *b, uint64_t addr, uint64_t *of_file)
{
	if (addr < b->map.start || (b->map.limit && addr >= b->map.limit))
		return false;
	if (!b->based)
		b->lost = elf_base(&b->elf, &b->map, addr, &b->base, NULL) != 0;
	b->based = true;
	*of_file = addr - b->base;
	return !b->lost;
}

size_t binary_frames(struct binary *b, uint64_t addr, struct debug_frame *f, size_t max)
{
	uint64_t at;
	size_t n = 0;
	if (!max || !binary_addr(b, addr, &at))
		return 0;
	if (!b->tried && !b->fast) {
		b->debug = debuginfo_open(&b->elf, b->path, NULL);
		b->is_go = !b->debug && gopcln_open(&b->go, &b->elf);
	}
	b->tried = true;
	if (b->debug)
		n = debuginfo_at(b->debug, at, f, max);
	else if (b->is_go)
		n = gopcln_at(&b->go, at, f, max);
	elf_symbols(&b->elf, NULL);
	const struct elf_sym *s = elf_function(&b->elf, at);
	if (!n && s)
		f[n++] = (struct debug_frame){s->name, s->source && !b->fast ? s->source : "", 0, 0, 0};
	else if (n && s)
		f[n - 1].name = s->name;
	return n;
}
