/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SHARES_H
#define TTRACE_SHARES_H

#include "analysis/calls.h"

/* What stands out of a profile: shares of the whole by what the runtime does and by package, the largest first. */
enum { SHARES_MAX = 3, SHARE_NAME = 48 };
struct share { char name[SHARE_NAME]; int64_t weight; };
struct shares {
	struct share work[SHARES_MAX], pkg[SHARES_MAX];
	size_t nwork, npkg;
};
/* runtime: whether the runtime's own work is told apart, as for CPU time; of memory it is all allocation. */
void shares_make(const struct calls *, bool runtime, struct shares *);

#endif
