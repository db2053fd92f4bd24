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
enum { SHEET_PREFETCH_HELD = 2 * NOWAIT_MAX };
struct sheet_prefetcher {
	struct job *job;
	const struct snap *sn;
	uint32_t want[NOWAIT_MAX], n;
	uint32_t got;		/* so many of them are held */
	uint32_t held[SHEET_PREFETCH_HELD], nheld;	/* those of the rounds before */
	uint32_t rounds;	/* since somebody did something */
};

/* a frame; news: nobody has done anything since the last */
void sheet_prefetch_begin_frame(struct sheet_prefetcher *, const struct snap *, bool news);
/* it is drawn; false: it lacks sheets, and they are not brought */
bool sheet_prefetch_end_frame(struct sheet_prefetcher *, const struct snap *);
struct job *sheet_prefetch_job(const struct sheet_prefetcher *);
bool sheet_prefetch_poll(struct sheet_prefetcher *, bool wait);	/* true: it has ended, draw again */
void sheet_prefetch_free(struct sheet_prefetcher *);

#endif
