/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLS_DEMANGLE_RUST_H
#define TTRACE_SYMBOLS_DEMANGLE_RUST_H

#include "base/text/buf.h"

#include <stdbool.h>

/* Append the source name of a Rust function, of either mangling scheme. Return false and append nothing if it is not
   one. simple: leave out generic arguments. */
bool demangle_rust(struct buf *, const char *name, bool simple);

#endif
