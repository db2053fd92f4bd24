/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_SHEET_PREFETCH_H
#define TTRACE_SESSION_SHEET_PREFETCH_H

#include "base/async.h"
#include "base/job.h"
#include "store/cache/nowait.h"

/*
 * Rebuilds in the background the evicted sheets that a frame wanted. They stay
 * pinned until a frame is drawn that does not use them.
 */
enum { SHEET_PREFETCH_HELD = 2 * NOWAIT_MAX };
struct sheet_prefetcher {
	struct async slot;	/* its work is this struct */
	const struct snap *sn;
	uint32_t want[NOWAIT_MAX], n;
	uint32_t got;		/* the first got of them are pinned */
	uint32_t held[SHEET_PREFETCH_HELD], nheld;	/* sheets of earlier rounds */
	uint32_t rounds;	/* since the last input */
};

/* Begin a frame; news: true if there was no input since the last one. */
void sheet_prefetch_begin_frame(struct sheet_prefetcher *, const struct snap *, bool news);
/* End it. Return false if the frame lacks sheets that will not be rebuilt. */
bool sheet_prefetch_end_frame(struct sheet_prefetcher *, const struct snap *);
struct job *sheet_prefetch_job(const struct sheet_prefetcher *);
bool sheet_prefetch_poll(struct sheet_prefetcher *, bool wait);	/* true: the job has ended, draw again */
void sheet_prefetch_free(struct sheet_prefetcher *);

#endif
