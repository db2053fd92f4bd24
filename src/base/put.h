/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PUT_H
#define TTRACE_PUT_H

#include <stddef.h>

/* Write all n bytes. -1: errno says why; how many were written is not known. */
int put_all(int fd, const void *p, size_t n);

/* Write "PREFIXs\n" to standard error. s may hold bytes of a file, of a server or of the command line: passwords in
   URLs are masked, and what a terminal could obey (newlines too) is escaped. The prefix is written as it is. */
void put_line(const char *prefix, const char *s);

/* Show how far a long task is, in a line that the next one replaces, as does put_line(). NULL: erase it. For the main
   thread, when standard error is a terminal. s is escaped. */
void put_progress(const char *s);

#endif
