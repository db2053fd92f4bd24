/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_SUBPROCESS_H
#define TTRACE_BASE_SUBPROCESS_H

#include "base/err.h"
#include "base/text/buf.h"

/*
 * Another program, run for its output: by its name in PATH, with arguments that
 * no shell sees, without access to the terminal, and for a limited time.
 * TTRACESECURE in the environment forbids it.
 */
bool subprocess_forbidden(void);

/* argv ends with NULL. Its standard output, at most max bytes of it, is appended to out. -1: it is not
   there (ERR_IO), it failed, or it said too much. */
int subprocess_run(const char *const *argv, struct buf *out, size_t max, struct err *e);
/* The same with standard input, from which it reads `in`. */
int subprocess_filter(const char *const *argv, const struct buf *in, struct buf *out, size_t max, struct err *e);

#endif
