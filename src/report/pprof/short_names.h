/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_PPROF_SHORT_NAMES_H
#define TTRACE_REPORT_PPROF_SHORT_NAMES_H

#include "base/text/buf.h"

/* Append a function's name without the leading packages or namespaces, as in pprof's drawings. */
void short_name_of_function(struct buf *b, const char *s, size_t n);

#endif
