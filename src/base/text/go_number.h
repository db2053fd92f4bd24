/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_TEXT_GO_NUMBER_H
#define TTRACE_BASE_TEXT_GO_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Parse numbers as Go's flag package does, and so pprof's options: 1_000, 0x1f, 0b11, 0o17, 017; 1e3, 0x1p-2, Inf, NaN.
 * Return false and leave *v unchanged if s is not such a number or is out of range.
 */
bool go_parse_int(const char *s, int64_t *v);
bool go_parse_float(const char *s, double *v);

#endif
