/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_MEM_PAGING_FILE_H
#define TTRACE_BASE_MEM_PAGING_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Memory for more data than fits into the memory limit (mem_limit()): blocks of mem_bulk(), of columns and of large
 * arenas are in an unnamed file, and a thread keeps the resident memory of the program within the limit. The code that
 * uses the blocks need not know.
 */
/* Create the file in the user's cache folder, or else in /var/tmp, if there is a memory limit. Under TTRACESECURE no file is
   created. To call it before paging_start() is optional: a report does before it gives up the right to create files. */
void paging_create(void);
/* Return whether TTRACESECURE forbids the file. Any thread. */
bool paging_forbidden(void);

/* Create the file if it was not, and start the thread, unless there is no memory limit. Without the file only mapped files
   are released. Call before the large blocks are allocated, from one thread at a time. */
void paging_start(void);
/* Return whether the file exists. Any thread, as are the following functions. */
bool paging_active(void);
/* Return the bytes of all blocks in the file. */
size_t paging_held(void);
/* Return a zeroed block of n bytes, at the start of a page. Return NULL if there is no file, no room on the disk (a part of
   it stays free for other programs), or no address left. */
void *paging_alloc(size_t n);
/* Return whether p is in the file. */
bool paging_owns(const void *p);
/* Free a block, or some whole pages of one. Return false, and do nothing, if p is not in the file. */
bool paging_free(void *p, size_t n);
/* Release all resident pages of the file and of mapped files. They are read again when they are used. */
void paging_release(void);

#endif
