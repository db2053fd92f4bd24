/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STANDOUT_H
#define TTRACE_STANDOUT_H

#include "base/buf.h"
#include "base/job.h"
#include "store/store.h"

/*
 * What stands out in a whole trace, before anybody has asked: a few facts, each
 * with the place that shows it. One pass over all intervals.
 */
struct standout {
	int64_t t0, t1;		/* where; t0 == t1: nowhere in particular */
	trk_id trk;		/* on which row, 0 none */
	const char *text;	/* a sentence, safe for a terminal; in the arena */
};
enum { STANDOUT_MAX = 6 };
/* At most STANDOUT_MAX of them, the general ones first; how many. The onlooker (NULL: nobody), whom several threads
   ask, may stop it: then there are none. */
size_t standout(const struct snap *, struct arena *, struct standout out[STANDOUT_MAX], const struct onlooker *);

#endif
