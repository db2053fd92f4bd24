/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLS_DEMANGLE_BOUNDED_H
#define TTRACE_SYMBOLS_DEMANGLE_BOUNDED_H

#include "base/text/buf.h"

#include <stdbool.h>

/* Append the complete source name of a mangled one, by binutils' libiberty. Return false and append nothing if it is
   not one, if its source name is longer than a readable name or would take very long, or if the build has no
   libiberty. */
bool demangle_bounded_cxx(struct buf *, const char *name);
bool demangle_bounded_rust(struct buf *, const char *name);

#endif
