/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_GEN_H
#define TTRACE_GEN_H

#include <stddef.h>
#include <stdint.h>

/* Random numbers, the same in every run. Set rng before the first. */
static uint64_t rng;

static inline uint32_t rnd(uint32_t below)
{
	rng = rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((rng >> 33) % below);
}

/* Write v as LEB128, the encoding of traces and protobuf. Return the number of bytes, at most ten. */
static inline size_t varint(uint8_t *b, uint64_t v)
{
	size_t n = 0;
	for (; v >= 0x80; v >>= 7)
		b[n++] = (uint8_t)(v | 0x80);
	b[n++] = (uint8_t)v;
	return n;
}

#endif
