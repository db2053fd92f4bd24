/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLS_DWARF_H
#define TTRACE_SYMBOLS_DWARF_H

#include "symbols/elf.h"

/*
 * The debug information of a program: which functions were called and inlined where. It is read by libdw; only dwarf.c
 * includes its headers. If libdw or the debug information is missing, dwarf_open() fails with a message.
 */
struct dwarf_info;
struct debug_frame {	/* the strings are valid until dwarf_close() */
	const char *name;	/* linker name (mangled); "": unknown */
	const char *file;	/* "": unknown */
	int64_t line, col;
	int64_t start;		/* line where the function begins; 0: unknown */
};

/* Return whether libdw is available. The first call opens it. */
bool dwarf_available(void);

/* Open the debug information of a file: its own, or that of the separate file that belongs to it, next to it, in
   .debug/, or below /usr/lib/debug by name or by build id. Nothing is fetched from a server. NULL: *e. */
struct dwarf_info *dwarf_open(const struct elf *, const char *path, struct err *e);
void dwarf_close(struct dwarf_info *);

/* Set f[] to the frames at an address of the file, innermost (inlined) first, at most max. Return their number; 0:
   unknown. */
size_t dwarf_frames_at(struct dwarf_info *, uint64_t addr, struct debug_frame *f, size_t max);

#endif
