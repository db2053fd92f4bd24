/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLS_DEMANGLE_H
#define TTRACE_SYMBOLS_DEMANGLE_H

#include "base/text/buf.h"
#include "pprof/profile.h"

#include <stdbool.h>

/*
 * Function names of C++ and Rust as people write them, in pprof's modes: without
 * parameters and template arguments, without parameters, in full; or not at all.
 */
enum demangle_mode { DM_SIMPLE, DM_TEMPLATES, DM_FULL, DM_NONE };

/* Of all functions whose name is still the one that was linked; force: of all that have one. */
void demangle_profile(struct profile *, enum demangle_mode, bool force);
/* One name, appended; false: it is not mangled, and nothing is. */
bool demangle(struct buf *, const char *name, enum demangle_mode);

#endif
