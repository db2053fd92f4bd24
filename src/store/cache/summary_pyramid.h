/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CACHE_SUMMARY_PYRAMID_H
#define TTRACE_STORE_CACHE_SUMMARY_PYRAMID_H

#include "store/cache/summary.h"

/* Briefs of Ps and Ms: of each sheet, of each two of them, of each four ... One thread adds, others ask meanwhile. */
struct ladder;
struct ladder *ladder_new(void);
void ladder_free(struct ladder *);
void ladder_add(struct ladder *, struct brief *);	/* of the next sheet; goes over */
/* Add all of a row in sheets [from, to). */
void ladder_sum(const struct ladder *, uint32_t from, uint32_t to, trk_id, int64_t ns[TS__N]);

#endif
