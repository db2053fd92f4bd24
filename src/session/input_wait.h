/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_INPUT_WAIT_H
#define TTRACE_SESSION_INPUT_WAIT_H

#include "base/job.h"
#include "session/download.h"

/*
 * The bytes of a command line on their way, in a job beside the interface:
 * fetched, read from a pipe, gunzipped. The interface may look at what is
 * planned, at `going`, and at the progress of the job; at `said` and o->remote
 * when the job has ended.
 */
struct pending_input {
	struct options *o;			/* gets its remote; what that holds is the arrival's */
	struct download_info what;
	int64_t began;			/* ms, monotonic */
	_Atomic bool going;		/* fetching, or reading a pipe */
	char notices[400];			/* what people should know: where it was saved */
	struct input_watch watch;	/* tells the job's progress and asks whether it is cancelled */
};

/* One that tells a job's progress, and stops when that is cancelled. */
struct input_watch input_wait_watch(struct job *);

/* Before the job. */
void input_wait_plan(struct pending_input *, struct options *);
int64_t input_wait_elapsed_ms(const struct pending_input *);	/* since then */
/* In the job: bring what is no file at hand. Nothing to do: 0. */
int input_wait_fetch(struct pending_input *, struct job *, struct err *e);
/* In the job, after that: one file of the command line, whole and gunzipped. */
int input_wait_open(struct pending_input *, const char *name, struct bytes *, struct err *e);
void input_wait_free(struct pending_input *);

#endif
