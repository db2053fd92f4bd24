/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLS_LOOKUP_H
#define TTRACE_SYMBOLS_LOOKUP_H

#include "symbols/gopclntab.h"

/*
 * A local program or library as a profile's mapping shows it: names for run-time addresses, from debug information and
 * symbols.
 */
struct binary {
	struct elf elf;
	char *path;
	struct elf_mapping map;
	struct dwarf_info *debug;	/* opened by the first lookup */
	struct gopclntab_info go;		/* used if there is no debug information and is_go is set */
	bool is_go;
	bool fast;			/* use symbols only */
	bool tried, based, lost;	/* tried: debug was tried to open; based: base is known, or lost: it cannot be
					   known */
	uint64_t base;
	struct { uint64_t base; unsigned n; } guess[8];	/* bases derived from lookup_hint(), with the number of hints
							   for each */
	unsigned nguess, nhint;
};

/* Open a program. The path is copied. -1: *e, and there is nothing to close. */
int lookup_open(struct binary *, const char *path, const struct elf_mapping *, struct err *e);
void lookup_close(struct binary *);

/* For a text such as that of perf script, which has the function of an address but not the address where its program
   was loaded: derive the base from some pairs, before the first lookup. Function names may be mangled in the file.
   Other mappings do not need it. */
void lookup_hint(struct binary *, uint64_t addr, const char *function);
/* Convert a run-time address to one of the file. Return false if it is outside the mapping, or the base is not
   known. */
bool lookup_addr(struct binary *, uint64_t addr, uint64_t *of_file);
/* Set f[] to the frames at a run-time address, innermost first, at most max, and return their number. The strings are
   valid until lookup_close(). */
size_t lookup_frames(struct binary *, uint64_t addr, struct debug_frame *, size_t max);

#endif
