/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PAGES_REPORT_JOB_H
#define TTRACE_PAGES_REPORT_JOB_H

#include "app/tui.h"
#include "base/mem/mem.h"
#include "session/input_cache.h"
#include "session/session.h"

/*
 * A report made in the background for the current view, from a command line.
 */
struct report_work {
	struct arena arena;		/* for the words of the line */
	struct command line;		/* filled by command_add() before the start */
	struct job *job;		/* NULL: not started */
	struct buf text, notices;	/* the result: the text, and its notices in one line */
	struct err err;			/* or the error */
	struct options options;			/* copies for the report, as the next two */
	struct cached_inputs cached_inputs;
	struct input_watch watch;
	tui_report *fn;
};

struct report_work *report_job_new(tui_report *);
/* Start the job; the line is complete. Return -1 with *e set if it was not started. */
int report_job_start(struct report_work *, struct session *, struct err *e);
/* Wait until it has ended; return 0, or -1 with r->err set. */
int report_job_finish(struct report_work *, struct session *);
void report_job_free(struct report_work *);	/* it has ended, or was not started */

#endif
