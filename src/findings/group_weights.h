/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FINDINGS_GROUP_WEIGHTS_H
#define TTRACE_FINDINGS_GROUP_WEIGHTS_H

#include "findings/findings.h"

#include <stddef.h>

/* How long the goroutines of each group wait, by samples. All zeros is empty. */
struct group_weights {
	struct group_weight { uint32_t group; int64_t ns; } *v;
	uint32_t n;
	size_t cap;
};
void group_weights_add(struct group_weights *, uint32_t group, int64_t ns);
/* Set the groups that wait longest, longest first, and return their number. Frees the weights. */
uint32_t group_weights_most(struct group_weights *, uint32_t group[FINDING_VICTIMS]);

#endif
