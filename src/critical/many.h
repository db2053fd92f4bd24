/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CRITICAL_MANY_H
#define TTRACE_CRITICAL_MANY_H

#include "critical/lines.h"
#include "critical/target.h"

/* The critical paths of many targets, walked by several threads. */
struct critical_many {
	const struct critical_walker *walker;
	/* Return target i of n, on any thread. It is a function because an array of millions of targets, of 56 bytes
	   each, would be too large. */
	struct critical_target (*target)(const void *of, uint32_t i);
	const void *of;
	uint32_t n;
	/* Called with each path that is walked and the index of its target, by the thread of that part; parts are
	   numbered from 0 to below critical_many_parts(). */
	void (*each)(void *arg, uint32_t part, uint32_t target, const struct critical_path *);
	void *arg;
	struct progress_watcher on;
	bool coarse;			/* of the paths, see critical/path.h */
};
uint32_t critical_many_parts(void);
struct critical_target critical_many_at(const void *of, uint32_t i);	/* for an array of targets */
/* Walk all targets, or an evenly spaced part of them if that would take long: about CRITICAL_MANY pieces, or
   CRITICAL_MANY_COARSE of coarse paths, each of which takes as long as several others. Return the number of paths that
   were walked; 0 also if `on` stopped it. The choice does not depend on the number of threads. */
uint32_t critical_many_walk(const struct critical_many *);
enum { CRITICAL_MANY = 1 << 20, CRITICAL_MANY_COARSE = 1 << 19 };

/* The lines of many targets. */
struct critical_sum {
	struct critical_lines *lines;	/* sorted; free it with critical_lines_free() */
	uint32_t n;	/* number of targets that were walked; if fewer than were given, it is a sample */
};
/* Sum up their lines. Return false if `on` (may be NULL) stops it. */
bool critical_sum_lines(const struct critical_walker *, const struct critical_target *, uint32_t n,
    const struct progress_watcher *on, struct critical_sum *);

#endif
