/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PAGES_REPORT_JOB_H
#define TTRACE_PAGES_REPORT_JOB_H

#include "app/tui.h"
#include "base/mem/mem.h"
#include "session/input_cache.h"
#include "session/session.h"

/*
 * A report that is made beside the keyboard, of what is shown, by a command line.
 */
struct report_work {
	struct arena arena;		/* for the words of the line */
	struct command line;		/* filled in before it begins: command_add() */
	struct job *job;		/* NULL: it has not begun */
	struct buf text, notices;	/* when it has ended: the text; what it noticed, in one line */
	struct err err;			/* and why there is no text */
	struct options options;			/* its own, as the two below */
	struct cached_inputs cached_inputs;
	struct input_watch watch;
	tui_report *fn;
};

struct report_work *report_job_new(tui_report *);
/* The line is complete: begin. -1: *e, and it has not begun. */
int report_job_start(struct report_work *, struct session *, struct err *e);
/* Wait until it has ended: 0, or -1 and err. */
int report_job_finish(struct report_work *, struct session *);
void report_job_free(struct report_work *);	/* which has ended, or not begun */

#endif
