/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FINDINGS_DUMP_STATES_H
#define TTRACE_FINDINGS_DUMP_STATES_H

#include "base/mem/mem.h"
#include "store/store.h"

/* The goroutines of a dump by the state in its brackets and the line of their first user frame, longest wait first. */
struct dump_state {
	str_id state;		/* "chan send" */
	stk_id at;		/* the node of that frame; without user code that of the innermost one outside the runtime, or the leaf */
	int64_t n;		/* goroutines */
	int64_t minutes;	/* the longest wait of one, which dumps have from one minute on */
};
struct dump_states { struct dump_state *v; uint32_t n; int64_t all; };
/* Sum up the samples of the sides in the bit set, in the arena. n is 0 if they have no state: it is no dump. */
void dump_states_make(struct dump_states *, const struct snap *, uint64_t sides, struct arena *);

#endif
