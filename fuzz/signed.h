/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SIGNED_H
#define TTRACE_SIGNED_H

#include <stddef.h>
#include <stdint.h>

/* An index whose sums are right, whatever else it says: what somebody would send who wants to be believed. */
void sign_index(uint8_t *p, size_t n);
/* A file of those bytes, open, of no name. */
int file_of(const uint8_t *p, size_t n);
/* A little store of all kinds of rows as an index; the length. */
struct index_key;
uint8_t *small_index(const struct index_key *, size_t *n);

#endif
