/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_MEM_MAPPED_FILE_H
#define TTRACE_BASE_MEM_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A file mapped into memory, read only. If the file is truncated while it is mapped, the missing part reads as zeros,
 * instead of ending the program.
 */
/* Map n bytes from the start. Return NULL if that is not possible, also if n is 0; the caller then reads the file
   instead. */
const void *mapped_new(int fd, size_t n);
void mapped_free(const void *p, size_t n);
/* Return whether the file was truncated while it was mapped, and the missing part was read. */
bool mapped_was_truncated(const void *p);

/* Release the resident pages of all mapped files; they are read again when they are used. Any thread. */
void mapped_release_pages(void);

/* Called by a handler of SIGBUS: return whether the fault was in a mapped file and is repaired, so that the handler can
   return. */
bool mapped_repair_fault(void *address);

#endif
