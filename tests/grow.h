/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_GROW_H
#define TTRACE_GROW_H

#include "base/text/buf.h"

/* Generators of files in which one kind of record occurs n times, and others only as often as these records need them. */
struct grow_kind {
	const char *name;
	void (*make)(struct buf *file, size_t n);	/* append the file */
};
/* Generators of pprof profiles and of Go execution traces; an element whose name is NULL ends each array. */
extern const struct grow_kind grow_profiles[], grow_traces[];
/* Append a profile of n lines of one function, whose name has n bytes: reports that repeat the name are quadratic. */
void grow_long_name(struct buf *file, size_t n);

#endif
