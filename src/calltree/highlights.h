/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_HIGHLIGHTS_H
#define TTRACE_CALLTREE_HIGHLIGHTS_H

#include "calltree/weighted.h"

/* What stands out of a profile: shares of the whole by what the runtime does and by package, the largest first. */
enum { SHARES_MAX = 3, SHARE_NAME = 48 };
struct share { char name[SHARE_NAME]; int64_t weight; };
struct shares {
	struct share work[SHARES_MAX], pkg[SHARES_MAX];
	size_t nwork, npkg;
};
/* Of memory: packages, as all work is allocation. Of CPU time: the runtime's own work too. Of goroutines: what they
   wait for, and for pkg the functions of the program that they wait in, or began with. */
enum shares_of { OF_MEMORY, OF_CPU, OF_GOROUTINES };
/* Made when somebody asks first, of what is asked for then; good as long as the calls. */
const struct shares *calltree_highlights(struct weighted_tree *, enum shares_of);

#endif
