/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLS_GOPCLNTAB_H
#define TTRACE_SYMBOLS_GOPCLNTAB_H

#include "symbols/dwarf.h"

/*
 * The tables that a Go program has for its own use (.gopclntab) and that stripping keeps: functions, lines and, from Go
 * 1.27 on, inlined calls. Supported from Go 1.18 on. The struct points into the elf, which must stay open.
 */
struct gopclntab_info {
	const struct elf *f;
	uint64_t text;			/* address of the first function */
	uint64_t nfun;
	uint64_t names, units, files, pcs, funs;	/* offsets in the section */
	uint64_t calls;			/* the same; 0: unknown */
	unsigned quantum;
	bool start_lines;		/* the tables have start lines: Go 1.20 and later */
};

/* Return false if it is not a Go program, or of an unknown version, or its start address is unknown. */
bool gopclntab_open(struct gopclntab_info *, const struct elf *);
/* Return the name of function i (NULL: damaged), and set its address and that of the next one. */
const char *gopclntab_function(const struct gopclntab_info *, uint64_t i, uint64_t *addr, uint64_t *end);
size_t gopclntab_frames_at(const struct gopclntab_info *, uint64_t addr, struct debug_frame *, size_t max);

#endif
