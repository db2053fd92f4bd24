/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FINDINGS_STUCK_H
#define TTRACE_FINDINGS_STUCK_H

#include "findings/measures/scan.h"

struct findings_run;

/*
 * Waits that are open at the end of the trace and that nothing seems to end, in clusters: those of one cluster are one
 * deadlock, or wait for the same. Waits for a lock and for a receiver count always, others where they belong to one of
 * these, or where nothing of the program is left that could end them.
 */

/* The waits of a cluster at one line, in one state. */
struct stuck_site {
	uint32_t site;		/* of the scan */
	enum tstate state;
	uint32_t n, nbefore;	/* nbefore: of n, those since before the trace */
	uint32_t first;		/* index in scan.open of the one that began first */
	int64_t t0;		/* when; of one since before the trace the start of the trace */
	uint8_t rank;		/* enum stuck_rank */
};
/* In the order of blame. */
enum stuck_rank {
	STUCK_HOLDER,		/* a goroutine that seems to hold the lock of the others while it waits for something else */
	STUCK_SURE,		/* a wait for a lock or a receiver; without those, one that another goroutine waits for */
	STUCK_PERHAPS,		/* as STUCK_HOLDER, but the order of the waits is not known */
	STUCK_VICTIM
};
struct stuck_cluster {
	struct stuck_site *v;	/* by rank, then by time */
	uint32_t n, waits, before;
	size_t cap;
	int64_t t0, open, ended;	/* the longest of the waits, so far; of waits that ended at these lines */
	bool locks;		/* some wait for a lock */
	bool served;		/* goroutines of the same kind are busy: perhaps they give what these wait for */
	bool grows;		/* waits began in each quarter of the time, enough for a leak */
	double fit;
};
struct stuck { struct stuck_cluster *v; uint32_t n; size_t cap; uint8_t *locked; };
	/* locked: by site of the scan: it is in a cluster with locks that fits */

/* Find the clusters, the first to block first. open, ratio: limits of the length of a wait, in ns, and divided by the
   longest that ended. */
struct stuck_limits { double open, ratio, leak; };
struct stuck *stuck_find(struct findings_run *, const struct stuck_limits *);
void stuck_free(struct stuck *);
/* Return where the first of two waiting goroutines seems to have locked what the second one waits for: the innermost
   caller in its stack that is a method of the type in which the second one waits; 0: there is none. */
stk_id stuck_holds(const struct findings_run *, const struct stuck_site *holder, const struct stuck_site *waiter);

#endif
