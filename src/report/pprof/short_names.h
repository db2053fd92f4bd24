/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_PPROF_SHORT_NAMES_H
#define TTRACE_REPORT_PPROF_SHORT_NAMES_H

#include "base/text/buf.h"

/* A function's name without the packages or namespaces in front, as pprof's drawings have it. */
void short_name_of_function(struct buf *b, const char *s, size_t n);

#endif
