/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_ERR_H
#define TTRACE_ERR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Errors. A function that can fail returns an int (0 or -1) or a pointer (NULL) and takes a struct err * last. `return
 * err_set(e, ERR_FORMAT, at, "...")` is one line. Nothing is allocated on the failing path. The outermost callers add
 * the name of the file.
 */
enum err_kind { ERR_NONE, ERR_IO, ERR_FORMAT, ERR_LIMIT, ERR_USAGE, ERR_CANCEL, ERR_OUTPUT };

#define ERR_NOWHERE UINT64_MAX
#define ERR_ASIDE (UINT64_MAX - 1)	/* for a notice: it has no position, and nothing is damaged (see -strict) */

struct err {
	enum err_kind kind;
	uint64_t at;	/* byte offset in the input, or ERR_NOWHERE */
	char msg[320];	/* one line, safe for a terminal */
};

/* Fill *e and return -1. e may be NULL. The text is escaped as by text_safe(), and truncated if it is too long. */
int err_set(struct err *e, enum err_kind kind, uint64_t at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
