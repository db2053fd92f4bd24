/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_COMPARE_LOAD_H
#define TTRACE_SESSION_COMPARE_LOAD_H

#include "base/async.h"
#include "base/job.h"
#include "cli/options.h"
#include "session/input_cache.h"
#include "session/input_wait.h"
#include "store/store.h"

/*
 * Loads a further file into a store that already has one: a side of a
 * difference, or more of the same. The samples of a profile are added to the
 * store. A trace keeps a store of its own, and its call tree is added to the
 * main store.
 */
struct report_side {			/* a side that is not a file: the output of a report on the open files */
	struct arena mem;
	const char **line;
	struct options options;
	struct cached_inputs cached_inputs;
	struct input_watch watch;
	int (*fn)(const struct options *, struct buf *, struct err *);
};
void compare_free_report_side(struct report_side *);	/* NULL is allowed */

struct compare_loader {
	struct report_side *made;	/* NULL: the side is a file */
	struct options o;		/* options of the first file, with another file name */
	const char *file;
	struct store_builder *main;
	const struct snap *sn;	/* snapshot of main at the start */
	bool trace;		/* main has a trace */
	uint32_t side;		/* number of the side, for its samples */
	struct err err;		/* valid if failed */
	bool failed;		/* read it after the job has ended */
	struct pending_input pending_input;
	struct cached_inputs cached_inputs;	/* copies of the files that were read for it */
	struct store_builder *own;	/* of a trace: its own store; set before the start: it has been read already */
	stk_id *to;		/* node in main for each node of own; 0 if none was needed */
};

/* Start the job in the slot, or load at once and return the loader if no thread can be started. Call it on the thread
   that owns the store; the strings must outlive the job. */
struct compare_loader *compare_load_start(struct compare_loader *, struct async *);
void compare_load_end(struct compare_loader *);		/* the job has ended: publish its rows */
void compare_load_free(struct compare_loader *);	/* NULL is allowed */

#endif
