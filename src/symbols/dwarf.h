/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLS_DWARF_H
#define TTRACE_SYMBOLS_DWARF_H

#include "symbols/elf.h"

/*
 * The debug information of a program: what was called and inlined where. By
 * libdw; dwarf.c alone includes its headers. Without it, or without debug
 * information, dwarf_open() says so.
 */
struct dwarf_info;
struct debug_frame {	/* strings are good until dwarf_close() */
	const char *name;	/* as linked (mangled); "" unknown */
	const char *file;	/* "" unknown */
	int64_t line, col;
	int64_t start;		/* line where the function begins; 0 unknown */
};

bool dwarf_available(void);	/* is libdw there; it is opened when that is asked first */

/* Of the file itself, or of the separate file that belongs to it: beside it, in .debug/, below
   /usr/lib/debug by name or by build id. Nothing is fetched. */
struct dwarf_info *dwarf_open(const struct elf *, const char *path, struct err *e);
void dwarf_close(struct dwarf_info *);

/* The frames at an address of the file, innermost (inlined) first; how many, 0: it does not say. */
size_t dwarf_frames_at(struct dwarf_info *, uint64_t addr, struct debug_frame *f, size_t max);

#endif
