/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CHECKSUM_H
#define TTRACE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/*
 * A sum over bytes, as fast as they come from memory, that no change of a single
 * word leaves as it was. Against accidents, not against people: who can change the
 * bytes can change the sum. Zero-initialise; what is added in parts is the same
 * as in one.
 */
struct checksum {
	uint64_t lane[4];
	uint64_t n;
	uint8_t rest[32];	/* n % 32 bytes that wait */
};

void checksum_add(struct checksum *, const void *p, size_t n);
uint64_t checksum_end(const struct checksum *);	/* of all that was added; more may be */
uint64_t checksum_of(const void *p, size_t n);	/* of one piece */

#endif
