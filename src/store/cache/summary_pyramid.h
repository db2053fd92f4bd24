/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CACHE_SUMMARY_PYRAMID_H
#define TTRACE_STORE_CACHE_SUMMARY_PYRAMID_H

#include "store/cache/summary.h"

/* Summaries of Ps and Ms: of each sheet, of each two, of each four ... One thread adds; others may read meanwhile. */
struct summary_pyramid;
struct summary_pyramid *summary_pyramid_new(void);
void summary_pyramid_free(struct summary_pyramid *);
void summary_pyramid_add(struct summary_pyramid *, struct summary *);	/* of the next sheet; takes ownership */
/* Add the time by state of a track in sheets [from, to). It is exact. */
void summary_pyramid_sum(const struct summary_pyramid *, uint32_t from, uint32_t to, trk_id, int64_t ns[TS__N]);

#endif
