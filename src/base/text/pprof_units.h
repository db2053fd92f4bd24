/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_TEXT_PPROF_UNITS_H
#define TTRACE_BASE_TEXT_PPROF_UNITS_H

#include "base/text/buf.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Values with units, scaled and written as pprof does: bytes, time and GCU, by any of their names. Other units are kept
 * unchanged.
 */

/* Scale v from unit `from` to unit `to` ("minimum" and "auto" choose the unit). *unit is the unit to write after the
   result: `to`, a constant, or "" if it is not interesting. */
double pprof_units_scale(int64_t v, const char *from, const char *to, const char **unit);

/* Append a value: "12.50MB", "3.50s", "0", "17". */
void pprof_units_label(struct buf *b, int64_t v, const char *from, const char *to);

/* Append a share: "12.34%", "  100%", " 0.5%", at least six cells wide. */
void pprof_units_percent(struct buf *b, int64_t value, int64_t total);

/* Return whether a and b are units of the same kind of quantity. */
bool pprof_units_compatible(const char *a, const char *b);

/* Append a duration as Go writes it ("1h2m3.5s"), at most `runes` characters of it. */
void pprof_units_duration(struct buf *b, int64_t ns, size_t runes);

/* Convert double to int64_t without undefined behaviour: out of range and NaN give INT64_MIN. */
int64_t pprof_units_to_i64(double v);

#endif
