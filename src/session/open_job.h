/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_OPEN_JOB_H
#define TTRACE_SESSION_OPEN_JOB_H

#include "base/job.h"
#include "cli/options.h"
#include "load/load.h"
#include "session/index_cache.h"
#include "session/input_cache.h"
#include "session/input_wait.h"
#include "store/store.h"

/*
 * Files on their way into a store: a job that reads beside the interface. What
 * kind of file it is, is known at once of a file at hand, later of what has to
 * be fetched or comes by a pipe: NULL until then.
 */
struct opening_job {
	const struct options *o;	/* own: the command line, with what was fetched for it */
	struct options own;
	struct pending_input pending_input;
	struct bytes first;	/* the first file; the job closes it */
	struct cached_inputs cached_inputs;	/* what was read of files; the job's until it is over */
	const struct reader *_Atomic reader;
	bool direct;		/* a trace at hand, as it is: parts of it can be read by themselves */
	const struct trace_part *part;	/* NULL: all of it */
	struct trace_part own_part;
	struct store_builder *store_builder;
	struct reread_source *reread_source;	/* what the store goes back to, NULL */
	str_id ns;		/* "nanoseconds", of the weights of a trace */
	struct index_cache_entry index;	/* of a trace; the job's until that is over */
	struct job *job;	/* NULL: over */
	struct err err;		/* of the job; read it when it is over */
	bool failed;
};

/* part: NULL, or of a trace at hand only that. -1: *e; nothing is held then. */
int open_job_start(struct opening_job *, const struct options *, const struct trace_part *part, struct err *e);
/* The job has ended, by itself or cancelled: take its result. */
void open_job_join(struct opening_job *);
void open_job_free(struct opening_job *);	/* cancels, waits; the store goes with it */

#endif
