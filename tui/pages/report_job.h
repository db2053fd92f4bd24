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
struct reporting {
	struct arena arena;		/* for the words of the line */
	struct command line;		/* filled in before it begins: command_add() */
	struct job *job;		/* NULL: it has not begun */
	struct buf text, notices;	/* when it has ended: the text; what it noticed, in one line */
	struct err err;			/* and why there is no text */
	struct opt opt;			/* its own, as the two below */
	struct hand hand;
	struct input_watch watch;
	tui_report *fn;
};

struct reporting *reporting_new(tui_report *);
/* The line is complete: begin. -1: *e, and it has not begun. */
int reporting_start(struct reporting *, struct session *, struct err *e);
/* Wait until it has ended: 0, or -1 and err. */
int reporting_end(struct reporting *, struct session *);
void reporting_free(struct reporting *);	/* which has ended, or not begun */

#endif
