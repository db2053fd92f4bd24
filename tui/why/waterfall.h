/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_WHY_WATERFALL_H
#define TTRACE_WHY_WATERFALL_H

#include "app/pane.h"
#include "critical/target.h"
#include "critical/waterfall.h"
#include "session/trace_analysis.h"

/* A critical path that is walked, on any thread, and its result. */
struct why_walk {
	struct trace_analysis *of;	/* a reference */
	struct critical_target target;
	uint32_t rank, among;	/* of an operation: how many of its kind took at most as long, of how many; 0: unknown */
	int64_t p50;
	struct critical_path path;
	struct critical_lines *lines;
	struct critical_waterfall *picture;
};

struct async;
/* walk.c: walk the path of a target in a slot. Return NULL if a job does it, and async_finish() returns it. */
struct why_walk *why_walk_of(struct async *, struct trace_analysis *, const struct critical_target *);
void why_free_walk(struct why_walk *);		/* may be NULL */
/* Append what is explained: "request #17", or, of a time of a goroutine, "wait of G44 at main.reserve main.go:38". */
void why_put_target(const struct why_walk *, struct buf *);

/* The picture of a critical path, see picture.c. */
struct waterfall_view {
	const struct snap *sn;
	const struct pane_env *env;
	const struct critical_waterfall *w;
	const struct critical_lines *lines;
	struct critical_name name;	/* of the operation */
	uint32_t bar;			/* the selected one; UINT32_MAX: none */
	bool keep;			/* its row is not folded */
};
/* Return how many of at most `most` lines the picture uses, with its axis and the legend; 0: too few for it. */
int waterfall_lines(const struct critical_waterfall *, int most);
void waterfall_draw(const struct waterfall_view *, struct grid *, int y, int h);
/* Return the bar of a goroutine that contains a range; UINT32_MAX: none. At most CRITICAL_BAR bars are looked at. */
uint32_t waterfall_bar_of(const struct critical_waterfall *, trk_id g, int64_t t0, int64_t t1);

#endif
