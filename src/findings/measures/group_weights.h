/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FINDINGS_MEASURES_GROUP_WEIGHTS_H
#define TTRACE_FINDINGS_MEASURES_GROUP_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

/* How long the goroutines of each group wait, by samples. All zeros is empty. */
struct group_weights {
	struct group_weight { uint32_t group; int64_t ns; } *v;
	uint32_t n;
	size_t cap;
};
void group_weights_add(struct group_weights *, uint32_t group, int64_t ns);
/* The groups that wait longest, longest first, and their share of all waiting. */
enum { GROUP_WEIGHTS_MOST = 3 };
struct group_weights_most { uint32_t group[GROUP_WEIGHTS_MOST], n; double share; };
/* Find them. Frees the weights. */
struct group_weights_most group_weights_most(struct group_weights *);

#endif
