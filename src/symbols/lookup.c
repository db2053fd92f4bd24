/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Finds names for addresses from debug information and symbols together, as llvm-symbolizer does for pprof. Debug
 * information has inlined calls and lines, but names the clone of a function (foo.constprop.0, foo.cold) foo and may
 * lack its namespace, so the outermost frame gets the name of the symbol. A stripped Go program still has the tables of
 * its runtime.
 */
#include "config.h"
#include "symbols/lookup.h"

#include "base/mem/mem.h"

#include <stdio.h>
#include <string.h>

int lookup_open(struct binary *b, const char *path, const struct elf_mapping *m, struct err *e)
{
	*b = (struct binary){.map = *m};
	if (elf_open(&b->elf, path, e))
		return -1;
	b->path = xstrdup(path);
	return 0;
}

void lookup_close(struct binary *b)
{
	dwarf_close(b->debug);
	elf_close(&b->elf);
	mem_free(b->path);
	*b = (struct binary){0};
}

/* Return whether this symbol is a function of that name. "ns::f<int>(char)" matches every mangled name that contains
   "1f". */
static bool is_called(const struct elf_sym *s, const char *name)
{
	if (!strcmp(s->name, name))
		return true;
	size_t n = strcspn(name, "(<"), k = 0;
	while (k < n && name[n - 1 - k] != ':' && name[n - 1 - k] != ' ')
		k++;
	char word[80];
	int len = k && k < 64 && s->name[0] == '_' ? snprintf(word, sizeof word, "%zu%.*s", k, (int)k,
	    name + n - k) : 0;
	return len && strstr(s->name, word);
}

static void note_base(struct binary *b, uint64_t base)
{
	enum { MAX = sizeof b->guess / sizeof b->guess[0] };
	unsigned i = 0;
	while (i < b->nguess && b->guess[i].base != base)
		i++;
	if (i == MAX)
		return;
	b->guess[i].base = base;
	b->guess[i].n++;
	b->nguess += i == b->nguess;
}

/* Programs are moved by whole pages, so in a function shorter than a page only one place is possible. */
void lookup_hint(struct binary *b, uint64_t addr, const char *function)
{
	enum { HINTS = 64, PAGE = 4096 };
	uint64_t top = 0;
	for (size_t i = 0; i < b->elf.nseg; i++)
		if (b->elf.seg[i].vaddr + b->elf.seg[i].memsz > top)
			top = b->elf.seg[i].vaddr + b->elf.seg[i].memsz;
	if (b->based || !elf_made_up(&b->map) || addr < top || !*function || b->nhint++ >= HINTS)
		return;
	elf_symbols(&b->elf, NULL);
	for (size_t i = 0; i < b->elf.nsym; i++) {
		const struct elf_sym *s = &b->elf.sym[i];
		uint64_t in = (addr - s->addr) % PAGE;
		if (s->data || in >= s->size || s->size > PAGE || !is_called(s, function))
			continue;
		note_base(b, addr - s->addr - in);
	}
}

/* Use the base that most hints agree on. Return false if there are no hints. */
static bool guess_base(struct binary *b)
{
	unsigned most = 0;
	for (unsigned i = 0; i < b->nguess; i++)
		if (b->guess[i].n > b->guess[most].n)
			most = i;
	if (b->nguess)
		b->base = b->guess[most].base;
	return b->nguess;
}

bool lookup_addr(struct binary *b, uint64_t addr, uint64_t *of_file)
{
	if (addr < b->map.start || (b->map.limit && addr >= b->map.limit))
		return false;
	if (!b->based && !guess_base(b))
		b->lost = elf_base(&b->elf, &b->map, addr, &b->base, NULL) != 0;
	b->based = true;
	*of_file = addr - b->base;
	return !b->lost;
}

size_t lookup_frames(struct binary *b, uint64_t addr, struct debug_frame *f, size_t max)
{
	uint64_t at;
	size_t n = 0;
	if (!max || !lookup_addr(b, addr, &at))
		return 0;
	if (!b->tried && !b->fast) {
		b->debug = dwarf_open(&b->elf, b->path, NULL);
		b->is_go = !b->debug && gopclntab_open(&b->go, &b->elf);
	}
	b->tried = true;
	if (b->debug)
		n = dwarf_frames_at(b->debug, at, f, max);
	else if (b->is_go)
		n = gopclntab_frames_at(&b->go, at, f, max);
	elf_symbols(&b->elf, NULL);
	const struct elf_sym *s = elf_function(&b->elf, at);
	if (!n && s)
		f[n++] = (struct debug_frame){s->name, s->source && !b->fast ? s->source : "", 0, 0, 0};
	else if (n && s)
		f[n - 1].name = s->name;
	return n;
}
