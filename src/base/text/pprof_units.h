/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_TEXT_PPROF_UNITS_H
#define TTRACE_BASE_TEXT_PPROF_UNITS_H

#include "base/text/buf.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Values with units as pprof scales and writes them: bytes, time and GCU, by
 * any of their names. A unit that is none of these passes through.
 */

/* v in unit `from`, scaled to `to` ("minimum" and "auto" choose the unit). *unit is what to write
   after it: one of `to`, a constant, or "" when it is not interesting. */
double pprof_units_scale(int64_t v, const char *from, const char *to, const char **unit);

/* "12.50MB", "3.50s", "0", "17" */
void pprof_units_label(struct buf *b, int64_t v, const char *from, const char *to);

/* "12.34%", "  100%", " 0.5%": six cells at least */
void pprof_units_percent(struct buf *b, int64_t value, int64_t total);

/* Both are names of the same kind of quantity. */
bool pprof_units_compatible(const char *a, const char *b);

/* A duration as Go writes it ("1h2m3.5s"), at most `runes` characters of it. */
void pprof_units_duration(struct buf *b, int64_t ns, size_t runes);

/* double to int64_t with no undefined value: out of range and NaN give the most negative one. */
int64_t pprof_units_to_i64(double v);

#endif
