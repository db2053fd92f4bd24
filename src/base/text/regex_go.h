/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_TEXT_REGEX_GO_H
#define TTRACE_BASE_TEXT_REGEX_GO_H

#include "base/err.h"
#include "base/text/buf.h"

/* Append to *out the PCRE2 expression with the meaning of the Go expression s. Return -1 and set *e (ERR_USAGE, with
   the position) if s is not valid. */
int regex_go_translate(const char *s, struct buf *out, struct err *e);

#endif
