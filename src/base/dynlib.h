/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_DYNLIB_H
#define TTRACE_BASE_DYNLIB_H

#include <stddef.h>

/*
 * A library that is rarely needed. A linked library would be mapped and relocated at every start; this one is opened at
 * first use, and never closed. `table` is a struct of pointers to its functions; dynlib_symbol.at is the offset of a
 * function's pointer in it.
 */
struct dynlib_symbol { const char *name; size_t at; };
/* Open the first available library of `names`, which ends with NULL, and fill the table. Return NULL on success, "" if
   there is no library, else the name of the missing function. */
const char *dynlib_open(const char *const *names, const struct dynlib_symbol *, size_t n, void *table);

#endif
