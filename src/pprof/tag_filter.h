/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PPROF_TAG_FILTER_H
#define TTRACE_PPROF_TAG_FILTER_H

#include "filter/compile.h"
#include "pprof/profile.h"

/* Note which of the filters on labels are ranges of numbers. notice may be NULL. */
void pprof_tag_filter_note(const struct compiled_filters *, profile_notice *, void *arg);
/* Drop samples by tagfocus and tagignore, labels by tagshow and taghide; note which filters matched nothing. */
void pprof_tag_filter_apply(const struct compiled_filters *, struct profile *, const struct pprof_label_units *,
    profile_notice *, void *arg);

#endif
