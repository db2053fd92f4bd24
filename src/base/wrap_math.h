/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_WRAP_MATH_H
#define TTRACE_BASE_WRAP_MATH_H

#include <stdint.h>

/*
 * Sums of values that a file says, which may be any of 64 bits: they wrap around,
 * as Go's do, where C's own + and - would have no meaning. What is true of whole
 * numbers modulo 2^64 stays true: the order of a sum does not matter, and the
 * difference of two running sums is the sum between them.
 */
static inline int64_t wrap_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static inline int64_t wrap_sub(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }
static inline int64_t wrap_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static inline int64_t wrap_neg(int64_t v) { return (int64_t)(0 - (uint64_t)v); }
/* Without its sign; the least number of all, which has no opposite, stays. */
static inline int64_t wrap_abs(int64_t v) { return v < 0 ? wrap_neg(v) : v; }
/* How large it is: of any number. */
static inline uint64_t wrap_size(int64_t v) { return v < 0 ? 0 - (uint64_t)v : (uint64_t)v; }

#endif
