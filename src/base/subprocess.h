/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_SUBPROCESS_H
#define TTRACE_BASE_SUBPROCESS_H

#include "base/err.h"
#include "base/text/buf.h"

/*
 * Another program, run for its output: found by its name in PATH, with arguments that no shell interprets, without
 * access to the terminal, and for a limited time. TTRACESECURE in the environment forbids it.
 */
bool subprocess_forbidden(void);

/* Run a program and append its standard output, at most max bytes of it, to out. argv ends with NULL. -1: the program
   does not exist (ERR_IO), failed, ran too long or wrote more than max bytes. */
int subprocess_run(const char *const *argv, struct buf *out, size_t max, struct err *e);
/* As subprocess_run(), with `in` as the program's standard input. */
int subprocess_filter(const char *const *argv, const struct buf *in, struct buf *out, size_t max, struct err *e);

#endif
