/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLS_DEMANGLE_H
#define TTRACE_SYMBOLS_DEMANGLE_H

#include "base/text/buf.h"
#include "pprof/profile.h"

#include <stdbool.h>

/*
 * Source names of C++ and Rust functions, in pprof's modes: without parameters and template arguments, without
 * parameters, in full; or not demangled.
 */
enum demangle_mode { DM_SIMPLE, DM_TEMPLATES, DM_FULL, DM_NONE };

/* Demangle all functions whose name is still the linker name; force: all that have a linker name. */
void demangle_profile(struct profile *, enum demangle_mode, bool force);
/* Demangle the names that begin as linker names of C++ and Rust do (_Z, _R), and leave all others as they are. */
void demangle_linker_names(struct profile *);
/* Append the source name of one function. Return false and append nothing if it is not mangled. */
bool demangle(struct buf *, const char *name, enum demangle_mode);

#endif
