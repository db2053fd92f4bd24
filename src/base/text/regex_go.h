/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_TEXT_REGEX_GO_H
#define TTRACE_BASE_TEXT_REGEX_GO_H

#include "base/err.h"
#include "base/text/buf.h"

/* Append to *out, in PCRE2's words, what the Go expression s means. -1 and *e (ERR_USAGE, says
   where) when it is none. */
int regex_go_translate(const char *s, struct buf *out, struct err *e);

#endif
