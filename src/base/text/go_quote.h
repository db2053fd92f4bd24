/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_TEXT_GO_QUOTE_H
#define TTRACE_BASE_TEXT_GO_QUOTE_H

#include "base/text/buf.h"

#include <stdbool.h>

/* Append s[0..n) in double quotes, escaped as Go's strconv.Quote does. */
void go_quote_append(struct buf *b, const char *s, size_t n);

#endif
