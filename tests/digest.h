/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_DIGEST_H
#define TTRACE_DIGEST_H

#include "store/store.h"

/* What is in a store as two numbers: all of it, and what does not depend on where sheets are cut. It reads all that
   a store has. */
struct digest {
	uint64_t all, uncut;
};
struct digest digest_of(const struct snap *);

#endif
