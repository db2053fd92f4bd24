/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PPROF_FRAME_TEXT_H
#define TTRACE_PPROF_FRAME_TEXT_H

#include "base/text/buf.h"
#include "pprof/profile.h"

/*
 * What a report prints for each location, for reports that print the frames of all samples. Zero-initialise; the texts
 * are appended to `text` in the order of the locations, from location 0 on, with a call of frame_text_end() after each.
 */
struct frame_text {
	struct buf text;
	uint64_t *end;		/* by location */
	size_t n, cap, longest;
};
void frame_text_end(struct frame_text *);
void frame_text_free(struct frame_text *);

/* Append the texts of the frames of a stack, leaf first or root first. */
void frame_text_put(struct frame_text *, struct buf *, const struct profile_frame_list *, bool root_first);

#endif
