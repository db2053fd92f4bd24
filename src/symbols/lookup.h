/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLS_LOOKUP_H
#define TTRACE_SYMBOLS_LOOKUP_H

#include "symbols/gopclntab.h"

/*
 * A local program or library as a profile's mapping shows it: what is at a
 * run-time address, by debug information and by its symbols.
 */
struct binary {
	struct elf elf;
	char *path;
	struct elf_mapping map;
	struct dwarf_info *debug;	/* opened when first asked for; without it ... */
	struct gopclntab_info go;		/* ... these tables, if is_go */
	bool is_go;
	bool fast;			/* symbols alone */
	bool tried, based, lost;	/* debug: tried; base: known; cannot be known */
	uint64_t base;
	struct { uint64_t base; unsigned n; } guess[8];	/* what lookup_hint() was told, and how often */
	unsigned nguess, nhint;
};

/* -1: *e, and there is nothing to close. The path is copied. */
int lookup_open(struct binary *, const char *path, const struct elf_mapping *, struct err *e);
void lookup_close(struct binary *);

/* A text like that of perf script says which function an address is of, but not where its program was loaded: told of a
   few before anything else is asked, lookup_addr() knows. Names may be mangled in the file. Other mappings do not need
   it. */
void lookup_hint(struct binary *, uint64_t addr, const char *function);
/* A run-time address as one of the file; false: it is outside the mapping, or nobody can say. */
bool lookup_addr(struct binary *, uint64_t addr, uint64_t *of_file);
/* The frames at a run-time address, innermost first; how many. Strings are good until lookup_close(). */
size_t lookup_frames(struct binary *, uint64_t addr, struct debug_frame *, size_t max);

#endif
