/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CHECKSUM_H
#define TTRACE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/*
 * A fast 64-bit checksum over bytes, limited by memory bandwidth. Every change of a single word changes it. It detects
 * accidents, not attacks: an attacker could change the checksum as well. Zero-initialise. The result does not depend on
 * how the bytes are split between calls.
 */
struct checksum {
	uint64_t lane[4];
	uint64_t n;
	uint8_t rest[32];	/* the last n % 32 bytes, not mixed yet */
};

void checksum_add(struct checksum *, const void *p, size_t n);
/* Return the checksum of all bytes so far; more may be added. */
uint64_t checksum_end(const struct checksum *);
/* Return the checksum of one block of bytes. */
uint64_t checksum_of(const void *p, size_t n);

#endif
