/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_VERDICT_H
#define TTRACE_PROFILE_VERDICT_H

#include "app/pane.h"
#include "base/async.h"

/* What is odd about a profile, the hottest functions of user code, and the widest path to the first of them; of a
   goroutine dump what its goroutines wait for, the longest wait first: the lines above the table of top. They are about
   all samples of the file, also while filters are set. */
struct profile_judgement;
struct profile_verdict {		/* zeroed: empty */
	struct profile_judgement *now;	/* NULL: none yet */
	struct async making;
};
void profile_verdict_update(struct profile_verdict *, const struct pane_env *);
void profile_verdict_finish(struct profile_verdict *, const struct pane_env *);	/* its job has ended */
void profile_verdict_free(struct profile_verdict *);
/* Return how many lines it takes; 0: it is not shown. */
int profile_verdict_lines(const struct profile_verdict *, const struct pane_env *);
void profile_verdict_draw(const struct profile_verdict *, const struct pane_env *, struct grid *);

#endif
