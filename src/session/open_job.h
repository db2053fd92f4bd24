/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_OPEN_JOB_H
#define TTRACE_SESSION_OPEN_JOB_H

#include "base/async.h"
#include "base/job.h"
#include "cli/options.h"
#include "load/load.h"
#include "session/input_cache.h"
#include "session/input_wait.h"
#include "store/store.h"

/*
 * A job that reads files into a store. The kind of a local file is known at
 * once; of a URL or a pipe only when its bytes have arrived. reader is NULL
 * until then.
 */
struct opening_job {
	const struct options *o;	/* points to own: the command line, with what was fetched for it */
	struct options own;
	struct pending_input pending_input;
	struct bytes first;	/* the first file; the job closes it */
	struct cached_inputs cached_inputs;	/* copies of the files; the job owns them until it ends */
	const struct reader *_Atomic reader;
	struct store_builder *store_builder;
	str_id ns, bytes;	/* "nanoseconds", "bytes": units of the weights of a trace */
	struct err err;		/* of the job; read it after the job has ended */
	bool failed;		/* likewise */
};
extern const struct async_kind open_job_kind;	/* its work is a struct opening_job, which open_job_free() frees */

/* Prepare the job. Return -1 with *e; then nothing is allocated. */
int open_job_init(struct opening_job *, const struct options *, struct err *e);
void open_job_free(struct opening_job *);	/* the job has ended; frees the store */

#endif
