/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_WRAP_MATH_H
#define TTRACE_BASE_WRAP_MATH_H

#include <stdint.h>

/*
 * Arithmetic on values of a file, which may be any 64-bit numbers. It wraps around as Go's does; signed overflow is
 * undefined in C. All laws of arithmetic modulo 2^64 hold: the order of a sum does not matter, and the difference of
 * two running sums is the sum between them.
 */
static inline int64_t wrap_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
/* Add v to a sum. */
static inline void wrap_add_to(int64_t *sum, int64_t v) { *sum = wrap_add(*sum, v); }
static inline int64_t wrap_sub(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }
static inline int64_t wrap_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static inline int64_t wrap_neg(int64_t v) { return (int64_t)(0 - (uint64_t)v); }
/* Absolute value; INT64_MIN stays as it is. */
static inline int64_t wrap_abs(int64_t v) { return v < 0 ? wrap_neg(v) : v; }
/* Magnitude as an unsigned number; correct also for INT64_MIN. */
static inline uint64_t wrap_size(int64_t v) { return v < 0 ? 0 - (uint64_t)v : (uint64_t)v; }
/* Return the whole part of a number. This does not wrap: a number outside int64_t gives the nearest limit, NaN gives 0. */
static inline int64_t wrap_clamp(double v)
{
	if (v >= -9223372036854775808.0 && v < 9223372036854775808.0)
		return (int64_t)v;
	return v < 0 ? INT64_MIN : v > 0 ? INT64_MAX : 0;
}

#endif
