/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLS_GOPCLNTAB_H
#define TTRACE_SYMBOLS_GOPCLNTAB_H

#include "symbols/dwarf.h"

/*
 * What a program of Go says of its code for its own use (.gopclntab), which
 * stripping leaves: functions, lines and, from Go 1.27 on, inlined calls. Of Go
 * 1.18 and later. It points into the elf, which has to stay open.
 */
struct gopclntab_info {
	const struct elf *f;
	uint64_t text;			/* address of the first function */
	uint64_t nfun;
	uint64_t names, units, files, pcs, funs;	/* places in the section ... */
	uint64_t calls;			/* ... 0: not known */
	unsigned quantum;
	bool start_lines;		/* Go 1.20 and later */
};

/* false: it is no program of Go, or of a version that is not known, or where it begins is not. */
bool gopclntab_open(struct gopclntab_info *, const struct elf *);
/* Function i: its address, where the next begins, its name (NULL: damaged). */
const char *gopclntab_function(const struct gopclntab_info *, uint64_t i, uint64_t *addr, uint64_t *end);
size_t gopclntab_frames_at(const struct gopclntab_info *, uint64_t addr, struct debug_frame *, size_t max);

#endif
