/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_SHEET_PREFETCH_H
#define TTRACE_SESSION_SHEET_PREFETCH_H

#include "base/job.h"
#include "store/cache/nowait.h"

/*
 * Sheets that a frame would have liked to have, made again beside the keyboard.
 * They stay in the hand until a frame has been drawn that does not look at them.
 */
enum { BRING_HELD = 2 * AWAIT_MOST };
struct bringing {
	struct job *job;
	const struct snap *sn;
	uint32_t want[AWAIT_MOST], n;
	uint32_t got;		/* so many of them are held */
	uint32_t held[BRING_HELD], nheld;	/* those of the rounds before */
	uint32_t rounds;	/* since somebody did something */
};

/* a frame; news: nobody has done anything since the last */
void bringing_begin(struct bringing *, const struct snap *, bool news);
/* it is drawn; false: it lacks sheets, and they are not brought */
bool bringing_end(struct bringing *, const struct snap *);
struct job *bringing_job(const struct bringing *);
bool bringing_settle(struct bringing *, bool wait);	/* true: it has ended, draw again */
void bringing_free(struct bringing *);

#endif
