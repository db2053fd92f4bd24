/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLS_ELF_H
#define TTRACE_SYMBOLS_ELF_H

#include "input/input.h"

/*
 * An ELF program or library, as far as a profile's addresses need it: how it was mapped, its build id, the names of its
 * functions, and where its debug information may be. Everything is checked against the file's size.
 */
struct elf_seg {
	uint32_t type, flags;
	uint64_t off, vaddr, filesz, memsz, align;
};
struct elf_sym {
	uint64_t addr, size;
	const char *name;	/* in the file; never empty */
	const char *source;	/* for a local symbol: the source file that the table states; else NULL */
	bool data;
	uint32_t order;		/* index in the table */
};

struct elf {
	struct bytes file;
	bool big, wide;		/* big: byte order; wide: 64 bits */
	uint16_t type;
	struct elf_seg *seg;	/* the loadable ones */
	size_t nseg;
	uint64_t text;		/* address of .text; 0: there is none */
	char *build;		/* the build id in hex, "": none */
	const char *link;	/* .gnu_debuglink: a file name without a folder, or NULL */
	uint32_t link_crc;
	bool dwarf;		/* it has .debug_info or .zdebug_info */
	struct { uint64_t off, size, addr; } pclntab, module;	/* tables of Go, inside the file; size 0: none */
	bool foreign;		/* linked by another linker than Go's: other code precedes Go's in .text */
	/* The defined symbols by address, then size, then order in the table. */
	struct elf_sym *sym;
	size_t nsym;
	bool have_sym;
};

/* Map the file and read its headers. -1: *e, and there is nothing to close. */
int elf_open(struct elf *, const char *path, struct err *e);
void elf_close(struct elf *);

/* Read the symbols: .symtab, else, for a stripped Go program, the functions of its runtime tables, else .dynsym. It is
   not an error if there are none. */
int elf_symbols(struct elf *, struct err *e);
/* Return the function that contains an address of the file; NULL: unknown. */
const struct elf_sym *elf_function(const struct elf *, uint64_t addr);

/* elf_base() computes how a mapping moved the file in a process: a run-time address minus *base is an address of the
   file. addr is any address in the mapping. */
struct elf_mapping { uint64_t start, limit, offset; };
/* Return whether the mapping was made up for a text that has file names but no mappings. */
static inline bool elf_made_up(const struct elf_mapping *m)
{
	return !m->start && !m->offset && (!m->limit || m->limit == UINT64_MAX);
}
int elf_base(struct elf *, const struct elf_mapping *, uint64_t addr, uint64_t *base, struct err *e);

/* Return the checksum that .gnu_debuglink uses. */
uint32_t elf_crc(struct bytes);

#endif
