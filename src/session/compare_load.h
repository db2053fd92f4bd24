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
struct report_side {			/* a side that is no file: what a report makes of those that are here */
	struct arena mem;
	const char **line;
	struct options options;
	struct cached_inputs cached_inputs;
	struct input_watch watch;
	int (*fn)(const struct options *, struct buf *, struct err *);
};
void compare_free_report_side(struct report_side *);	/* NULL: nothing */

struct compare_loader {
	struct report_side *made;	/* NULL: it is a file */
	struct options o;		/* as the first file was read, but for its name */
	const char *file;
	struct store_builder *main;
	const struct snap *sn;	/* of main when it began */
	bool trace;		/* main is one */
	uint32_t side;		/* number that the samples get */
	struct job *job;	/* NULL: over */
	struct err err;		/* when it has failed */
	bool failed;
	struct pending_input pending_input;
	struct cached_inputs cached_inputs;	/* what was read for it */
	struct store_builder *own;	/* of a trace: its store */
	struct reread_source *reread_source;	/* what that goes back to */
	stk_id *to;		/* and the main store's node for each of its nodes, 0 where none was needed */
};

/* On the thread that owns the store; the strings must outlive the job. -1: *e. */
int compare_load_start(struct compare_loader *, struct err *e);
void compare_load_join(struct compare_loader *);	/* the job has ended: publish what it has said */
void compare_load_free(struct compare_loader *);	/* cancels, waits */

#endif
