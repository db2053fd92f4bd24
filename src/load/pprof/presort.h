/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_PPROF_PRESORT_H
#define TTRACE_LOAD_PPROF_PRESORT_H

#include "load/pprof/stack_merge.h"

/*
 * Sorts the stacks of a profile on another thread while the profile is being inflated, by the
 * file's own numbers of locations, which are resolved later. All functions are called on the thread
 * that inflates.
 */
struct presort;
/* Start the thread. p is the buffer of the inflated data, which must not move. NULL: there is no thread. */
struct presort *presort_new(const uint8_t *p);
void presort_advance(struct presort *, size_t have);	/* the number of bytes inflated so far */
void presort_end_input(struct presort *);		/* all bytes have been inflated */
void presort_free(struct presort *);		/* stop the thread and free everything; NULL is ignored */

/* Sort the rest of the input too, wait for the thread, and return all runs, which *a owns. NULL: something is
   unusual, or presort_end_input() was not called. */
struct stack_merge_run *presort_take_runs(struct presort *, uint32_t *n);

#endif
