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
struct arrival {
	struct opt *o;			/* gets its remote; what that holds is the arrival's */
	struct remote_what what;
	int64_t began;			/* ms, monotonic */
	_Atomic bool going;		/* fetching, or reading a pipe */
	char said[400];			/* what people should know: where it was saved */
	struct input_watch watch;	/* tells the job's progress and asks whether it is cancelled */
};

/* One that tells a job's progress, and stops when that is cancelled. */
struct input_watch arrival_watch(struct job *);

/* Before the job. */
void arrival_plan(struct arrival *, struct opt *);
int64_t arrival_ms(const struct arrival *);	/* since then */
/* In the job: bring what is no file at hand. Nothing to do: 0. */
int arrival_fetch(struct arrival *, struct job *, struct err *e);
/* In the job, after that: one file of the command line, whole and gunzipped. */
int arrival_open(struct arrival *, const char *name, struct bytes *, struct err *e);
void arrival_free(struct arrival *);

#endif
