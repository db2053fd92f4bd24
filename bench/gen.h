/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_GEN_H
#define TTRACE_GEN_H

#include <stddef.h>
#include <stdint.h>

/* What makes files of numbers by chance, the same at every run; rng is set to begin with. */
static uint64_t rng;

static inline uint32_t rnd(uint32_t below)
{
	rng = rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((rng >> 33) % below);
}

/* LEB128, as traces and protobuf have it; how many bytes, ten at most. */
static inline size_t varint(uint8_t *b, uint64_t v)
{
	size_t n = 0;
	for (; v >= 0x80; v >>= 7)
		b[n++] = (uint8_t)(v | 0x80);
	b[n++] = (uint8_t)v;
	return n;
}

#endif
