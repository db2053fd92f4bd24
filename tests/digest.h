/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_DIGEST_H
#define TTRACE_DIGEST_H

#include "store/store.h"

/* Two hashes of all rows and sheets of a store: `all` of everything, `uncut` of what does not depend on where the intervals
   are cut into sheets. */
struct digest {
	uint64_t all, uncut;
};
/* Read every row and sheet of the snapshot. */
struct digest digest_of(const struct snap *);

#endif
