/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_TEXT_PATH_H
#define TTRACE_BASE_TEXT_PATH_H

#include "base/text/buf.h"

#include <stddef.h>

/* Paths as text, with Go's rules; no function here accesses a file system. */

/* Append the shortest equivalent of s: no "//", no ".", no "x/..". "." if it is empty. */
void path_clean(struct buf *b, const char *s, size_t n);
/* Return the last element; "." if s is empty, "/" if it is all slashes. The result points into s or to a constant. */
const char *path_base(const char *s, size_t n, size_t *len);

/* Append the folder of the path: all before its last element; "." if that is nothing. */
void path_folder(struct buf *b, const char *path);

/* Return the path with a leading "~/" replaced by the home directory; a new path is allocated in the arena. */
struct arena;
const char *path_home(struct arena *, const char *path);

#endif
