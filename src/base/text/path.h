/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_TEXT_PATH_H
#define TTRACE_BASE_TEXT_PATH_H

#include "base/text/buf.h"

#include <stddef.h>

/* Paths as text, with Go's rules; nothing here looks at a file system. */

/* The shortest equivalent of s: no "//", no ".", no "x/..". "." when it is empty. */
void path_clean(struct buf *b, const char *s, size_t n);
/* The last element; "." when s is empty, "/" when it is all slashes. Points into s or a constant. */
const char *path_base(const char *s, size_t n, size_t *len);

/* The path with a leading "~/" as the home directory, in the arena. */
struct arena;
const char *path_home(struct arena *, const char *path);

#endif
