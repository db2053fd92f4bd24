/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_INPUT_WAIT_H
#define TTRACE_SESSION_INPUT_WAIT_H

#include "base/job.h"
#include "session/download.h"

/*
 * Input that a job waits for: downloads, a pipe, gunzip. While the job runs,
 * the UI thread may read `what`, `going` and the job's progress; after its end
 * also `notices` and o->downloads.
 */
struct pending_input {
	struct options *o;			/* gets its downloads, unless it has them */
	bool owns;				/* they were fetched here: input_wait_free() frees them */
	struct download_info what;
	int64_t began;			/* ms, monotonic */
	_Atomic bool going;		/* downloading or reading a pipe */
	char notices[400];			/* for the user: where it was saved */
	struct input_watch watch;	/* reports the job's progress and asks whether it was cancelled */
};

/* Return a watch that reports progress to a job and stops when the job is cancelled. For NULL, it does nothing. */
struct input_watch input_wait_watch(struct job *);

/* Initialise before the job starts. */
void input_wait_plan(struct pending_input *, struct options *);
int64_t input_wait_elapsed_ms(const struct pending_input *);	/* time since input_wait_plan() */
/* In the job: fetch the inputs that are not local files. Return 0 at once if there are none; -1 with *e. */
int input_wait_fetch(struct pending_input *, struct job *, struct err *e);
/* In the job, after input_wait_fetch(): open a file of the command line and inflate it. Return -1 with *e. */
int input_wait_open(struct pending_input *, const char *name, struct bytes *, struct err *e);
void input_wait_free(struct pending_input *);

#endif
