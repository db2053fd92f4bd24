/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_COMPARE_LOAD_H
#define TTRACE_SESSION_COMPARE_LOAD_H

#include "base/job.h"
#include "cli/options.h"
#include "session/input_cache.h"
#include "session/input_wait.h"
#include "store/store.h"

/*
 * One more file on its way into a store that holds one already: a side of a
 * difference, or more of the same. A profile's samples join those of the store.
 * A trace keeps a store of its own, whose call tree is added to the other one's.
 */
struct making {			/* a side that is no file: what a report makes of those that are here */
	struct arena mem;
	const char **line;
	struct opt opt;
	struct hand hand;
	struct input_watch watch;
	int (*fn)(const struct opt *, struct buf *, struct err *);
};
void making_free(struct making *);	/* NULL: nothing */

struct adding {
	struct making *made;	/* NULL: it is a file */
	struct opt o;		/* as the first file was read, but for its name */
	const char *file;
	struct build *main;
	const struct snap *sn;	/* of main when it began */
	bool trace;		/* main is one */
	uint32_t side;		/* number that the samples get */
	struct job *job;	/* NULL: over */
	struct err err;		/* when it has failed */
	bool failed;
	struct arrival arrival;
	struct hand hand;	/* what was read for it */
	struct build *own;	/* of a trace: its store */
	struct again *again;	/* what that goes back to */
	stk_id *to;		/* and the main store's node for each of its nodes, 0 where none was needed */
};

/* On the thread that owns the store; the strings must outlive the job. -1: *e. */
int adding_start(struct adding *, struct err *e);
void adding_join(struct adding *);	/* the job has ended: publish what it has said */
void adding_free(struct adding *);	/* cancels, waits */

#endif
