/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PAGES_REPORT_JOB_H
#define TTRACE_PAGES_REPORT_JOB_H

#include "app/tui.h"
#include "base/async.h"
#include "base/mem/mem.h"
#include "session/input_cache.h"
#include "session/session.h"

/*
 * A report made in the background for the current view, from a command line.
 */
struct report_work {
	struct arena arena;		/* for the words of the line */
	struct command line;		/* filled by command_add() before the start */
	struct buf text, notices;	/* the result: the text, and its notices in one line */
	bool failed;
	struct err err;			/* if it failed */
	struct options options;			/* copies for the report, as the next two */
	struct cached_inputs cached_inputs;
	struct input_watch watch;
	tui_report *fn;
};

struct report_work *report_job_new(tui_report *);
/* Start the job in a slot, which the session waits for as for reading; the line is complete. Return 0 if async_finish()
   will return the work, or it is in *done already; else -1 with *e, and the work is freed. */
int report_job_start(struct async *, struct report_work *, struct session *, struct report_work **done, struct err *e);
void report_job_free(struct report_work *);

#endif
