/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SAMPLES_H
#define TTRACE_SAMPLES_H

#include "store/store.h"

/* The writer's half of sample types, samples, their values and labels. */
enum { SAMPLES_TYPES = 1024 };	/* types at most: each is a column */

struct intern;
void samples_init(struct store *);
void samples_free(struct store *);
void samples_rows(struct store *);	/* all of it but the types, which are somebody else's; and free that */
void samples_rows_free(struct store *);
int  samples_type(struct store *, str_id name, str_id unit);	/* -1: too many, or after the first sample */
/* sets: of the label sets there are; empty again, it is made anew. */
void samples_add(struct store *, struct intern *sets, const struct sink_sample *);
/* the stacks of those from there on */
void samples_settle(struct store *, uint32_t first, const stk_id *stack, size_t n);

#endif
