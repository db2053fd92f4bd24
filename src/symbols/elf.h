/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLS_ELF_H
#define TTRACE_SYMBOLS_ELF_H

#include "load/load.h"

/*
 * A program or library in ELF as far as a profile's addresses need it: how it
 * was mapped, which build it is, what it calls its functions, and where its
 * debug information may be. All of it is checked against the file's size.
 */
struct elf_seg {
	uint32_t type, flags;
	uint64_t off, vaddr, filesz, memsz, align;
};
struct elf_sym {
	uint64_t addr, size;
	const char *name;	/* in the file; never empty */
	const char *source;	/* of a local one: the file it was compiled from, as the table has it; NULL */
	bool data;
	uint32_t order;		/* in the table */
};

struct elf {
	struct bytes file;
	bool big, wide;		/* byte order, 64 bits */
	uint16_t type;
	struct elf_seg *seg;	/* the loadable ones */
	size_t nseg;
	uint64_t text;		/* address of .text; 0: it has none */
	char *build;		/* the build id in hex, "" when there is none */
	const char *link;	/* .gnu_debuglink: a file name without a folder, or NULL */
	uint32_t link_crc;
	bool dwarf;		/* has .debug_info or .zdebug_info */
	struct { uint64_t off, size, addr; } pclntab, module;	/* of Go: inside the file; 0 none */
	bool foreign;		/* linked by no linker of Go: other code comes first */
	struct elf_sym *sym;	/* defined ones by address, then name: the order of nm -n */
	size_t nsym;
	bool have_sym;
};

/* Map it and read its head. -1: *e, and there is nothing to close. */
int elf_open(struct elf *, const char *path, struct err *e);
void elf_close(struct elf *);

/* Read the symbols (.symtab; without one .dynsym, and for a stripped program of Go its functions). None is no
   error. */
int elf_symbols(struct elf *, struct err *e);
/* The function that an address of the file lies in; NULL: it is not known. */
const struct elf_sym *elf_function(const struct elf *, uint64_t addr);

/* How a mapping of the file in a process moved it: a run-time address less *base is an address of the
   file. addr is one that was seen in it. */
struct elf_mapping { uint64_t start, limit, offset; };
/* Of a text that knows files and no mappings. */
static inline bool elf_made_up(const struct elf_mapping *m)
{
	return !m->start && !m->offset && (!m->limit || m->limit == UINT64_MAX);
}
int elf_base(struct elf *, const struct elf_mapping *, uint64_t addr, uint64_t *base, struct err *e);

/* The checksum that .gnu_debuglink has. */
uint32_t elf_crc(struct bytes);

#endif
