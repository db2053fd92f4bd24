/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_PPROF_PRESORT_H
#define TTRACE_LOAD_PPROF_PRESORT_H

#include "load/pprof/stack_merge.h"

/*
 * The stacks of a profile, sorted on another thread while it is being inflated, by the file's own numbers of
 * locations: what these mean is said later. All calls are of the thread that inflates.
 */
struct presort;
/* where it is inflated to, which does not move. NULL: there is no thread */
struct presort *presort_new(const uint8_t *p);
void presort_advance(struct presort *, size_t have);	/* so much is there */
void presort_end_input(struct presort *);		/* that was all */
void presort_free(struct presort *);		/* in any state; NULL is none */

/* All runs, when whole: helps to sort the rest of it. NULL: there is something unusual about them. */
struct stack_merge_run *presort_take_runs(struct presort *, uint32_t *n);

#endif
