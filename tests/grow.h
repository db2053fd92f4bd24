/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_GROW_H
#define TTRACE_GROW_H

#include "base/text/buf.h"

/* Files in which one kind of record occurs n times, and nothing else more often than that record needs. */
struct grow_kind {
	const char *name;
	void (*make)(struct buf *file, size_t n);	/* append the file */
};
/* pprof profiles and Go execution traces; the last of each has no name. */
extern const struct grow_kind grow_profiles[], grow_traces[];

#endif
