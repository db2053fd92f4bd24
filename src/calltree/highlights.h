/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_HIGHLIGHTS_H
#define TTRACE_CALLTREE_HIGHLIGHTS_H

#include "calltree/weighted.h"

/* The largest shares of a profile, by kind of runtime work and by package. */
enum { SHARES_MAX = 3, SHARE_NAME = 48 };
struct share { char name[SHARE_NAME]; int64_t weight; };
struct shares {
	struct share work[SHARES_MAX], pkg[SHARES_MAX];
	size_t nwork, npkg;
};
/* OF_MEMORY: packages only, because all work is allocation. OF_CPU: also the runtime's own work. OF_GOROUTINES: what
   goroutines wait for; pkg then has the functions of the program that they wait in or started with. */
enum shares_of { OF_MEMORY, OF_CPU, OF_GOROUTINES };
/* Return the shares. They are computed by the first call, for its `shares_of`, and kept as long as the weighted
   tree. */
const struct shares *calltree_highlights(struct weighted_tree *, enum shares_of);

#endif
