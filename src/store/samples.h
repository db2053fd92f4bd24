/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SAMPLES_H
#define TTRACE_SAMPLES_H

#include "store/store.h"

/* The writer of sample types, samples, their values and labels. */
enum { SAMPLES_TYPES = 1024 };	/* limit: each type is a column */

struct intern;
void samples_init(struct store *);
void samples_free(struct store *);
int  samples_type(struct store *, str_id name, str_id unit);	/* -1: too many, or after the first sample */
/* Add a sample. sets is the hash table of label sets; if it is empty, it is rebuilt from the store. */
void samples_add(struct store *, struct intern *sets, const struct sink_sample *);
/* Set the stacks of the n samples from `first` on. */
void samples_settle(struct store *, uint32_t first, const stk_id *stack, size_t n);

#endif
