/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_MEM_MAPPED_FILE_H
#define TTRACE_BASE_MEM_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A file in memory, read only. When somebody cuts the file short meanwhile, what
 * went away reads as zeros from then on, instead of ending the program.
 */
/* n bytes from `from` on, which is a multiple of a page. NULL: it cannot be had, as when n is 0; read it then. */
const void *mapped_new(int fd, uint64_t from, size_t n);
void mapped_free(const void *p, size_t n);
/* Something of it went away while it was looked at. */
bool mapped_was_truncated(const void *p);

/* For who handles SIGBUS: the fault was one of those, and is mended; go on. */
bool mapped_repair_fault(void *address);

#endif
