/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLS_DEMANGLE_RUST_H
#define TTRACE_SYMBOLS_DEMANGLE_RUST_H

#include "base/text/buf.h"

#include <stdbool.h>

/* A name of Rust, of either form, appended; false: it is none, and nothing is. simple: generic arguments
   are left out. */
bool demangle_rust(struct buf *, const char *name, bool simple);

#endif
