/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_ENDING_H
#define TTRACE_ENDING_H

#include <stddef.h>

/*
 * What a signal or a lack of memory must not leave behind: unfinished files, and
 * a terminal that is set up for the viewer.
 */
/* Handle every signal that would end the program, but for those that are ignored. Once, before any thread. */
void ending_start(void);

/* restore() puts the terminal back; it is called from a signal handler, or by any thread that has no memory. NULL:
   there is nothing to restore. */
void ending_terminal(void (*restore)(void));

/* Remove the file, by its absolute or relative path, if the program is ended before ending_forget(). Any thread.
   Returns a number for ending_forget(); -1 where too many are remembered or the path is too long. */
int  ending_remember(const char *path);
void ending_forget(int file);

/* Create and open a file that did not exist, as mkstemp() does: the last six characters of path are replaced. It is
   remembered before it exists, so no signal leaves it behind. Returns its descriptor; -1: errno says why. *file is for
   ending_forget(). */
int  ending_create(char *path, int *file);

/* Do all that now. For signal handlers. */
void ending_undo(void);

/* Do all that, say that there is no memory, and exit with status 1. */
_Noreturn void ending_no_memory(size_t wanted);

#endif
