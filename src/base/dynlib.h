/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_DYNLIB_H
#define TTRACE_BASE_DYNLIB_H

#include <stddef.h>

/*
 * A library that few need: linked it would be mapped, and its addresses be put right, at every start. It is
 * opened when it is needed first, and not closed. `table` is a struct of pointers to its functions, each at its place.
 */
struct dynlib_symbol { const char *name; size_t at; };
/* names: where to look, in turn, up to NULL. What is missing: NULL nothing, "" the library, else that function. */
const char *dynlib_open(const char *const *names, const struct dynlib_symbol *, size_t n, void *table);

#endif
