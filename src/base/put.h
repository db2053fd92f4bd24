/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PUT_H
#define TTRACE_PUT_H

#include <stddef.h>

/* Write all n bytes. -1 with errno set: an unknown number of them was written. */
int put_all(int fd, const void *p, size_t n);

/* Write "PREFIXs\n" to standard error. s may contain bytes of a file, of a server or of the command line: passwords in
   URLs are masked, and control characters (newlines too) are escaped. The prefix is written unchanged. */
void put_line(const char *prefix, const char *s);

/* Show the progress of a long task in a line that the next put_progress() or put_line() replaces. NULL: erase it. Main
   thread only, and only if standard error is a terminal. s is escaped. */
void put_progress(const char *s);
/* Erase that line, for ending_terminal(). Async-signal-safe. */
void put_erase_progress(void);

#endif
