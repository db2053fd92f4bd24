/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_SHEET_BUILD_H
#define TTRACE_STORE_TRACKS_SHEET_BUILD_H

#include "base/mem/page_array.h"
#include "base/wrap_math.h"
#include "store/store.h"

/* The writer's side of sheets; store.h has what readers need. */

/* Values of sink_enter.moved in waiting entries; 0 where the track is not a goroutine. The class of the previous state,
   and the class of the new one << ENTRY_CLASS. ENTRY_EDGE: the goroutine was woken or created, since it waited or did
   not exist. */
enum { ENTRY_G = 0x80, ENTRY_EDGE = 0x40, ENTRY_CLASS = 3, ENTRY_WAS = 7 };

/* The classes of states by which goroutines are counted. */
enum sheet_class { CLASS_NONE, CLASS_RUNNABLE, CLASS_RUNNING, CLASS_WAITING, CLASS_SYSCALL, CLASS__N };
extern const uint8_t sheet_class[TS__N];	/* by state */

/* The entries of [t0, t1): entries with t0 <= t < t1, in the order of time within each track. */
struct sheet_batch {
	int64_t t0, t1;
	struct sink_enter *entry;
	size_t n, centry;
	struct sheet_batch_track {
		trk_id trk;
		uint32_t n;
		bool g;
	} * listed; /* tracks that have entries; n: entries after t0 */
	size_t nlisted, clisted;
	uint32_t ntrks, nstks;	/* number of tracks and stacks at t1 */
	bool past;		/* some entries are SHEET_PAST */
};

/*
 * Makes sheets of batches, one after another. It keeps the state of each track at the end of the last sheet. The cost
 * of a sheet depends on the tracks that exist or have entries, not on the tracks that have ended.
 */
struct sheet_builder {
	struct sheet_live { uint32_t peer; stk_id stack; uint8_t state; } *live;	/* by track; state 0: it does not exist */
	uint32_t *pos;		/* by track; all zero between two batches */
	struct page_array lives, places;	/* the memory of live[] and pos[] */
	struct sheet_builder_list { trk_id *v; size_t n, cap; } alive[2], fresh[2];	/* index 1: goroutines */
	struct sheet_builder_row { trk_id trk; uint32_t first; } *row;	/* scratch */
	uint32_t *from;		/* scratch: by interval, the place of its entry */
	size_t crow, nfrom;
	/* scratch: interval and entry of each edge */
	struct sheet_builder_edge { trk_id from; uint32_t at, entry; bool created; } *edge;
	size_t cedge;
	bool ordered;		/* edges are in the order of time */
	int64_t (*sum)[TS__N];	/* scratch: running sums of all states */
	size_t csum;
	size_t nstack;		/* number of entries that have a stack */
	char *slab;		/* room for the next sheets */
	size_t nslab;
	unsigned build_step;		/* of the sheet that is being made */
	/* Kept between the steps: numbers of rows of Ps and Ms, of their intervals, of all rows, of all intervals
	   (those of goroutines follow the others), and of edges. */
	struct sheet_builder_sorted { uint32_t nother, other, rows, total, nedge; } sorted;
	struct sheet_draft *b;
	struct sheet_encoder *sheet_encoder;
};

/* Do one step of making the sheet of a batch, of some tens of thousands of intervals. Return NULL when there is more to
   do; then call again with the same batch. Release the sheet with sheet_free(). */
struct sheet *sheet_build_step(struct sheet_builder *, struct sheet_batch *);
void sheet_free(const struct sheet *);
void sheet_build_free(struct sheet_builder *);	/* call between two sheets only */

/* Entries of a sheet in most files; and the upper limit of any sheet. */
enum { SHEET_WHOLE = 1 << 17, SHEET_MOST = 1 << 30 };

/* Tracks of a group, which are neighbours by number. What the writer knows of a group is dropped when all its tracks
   have ended, since ended tracks hardly ever return. */
enum { SHEET_CROWD = 1 << 11 };

enum { SHEET_MAX_NS = 2000000000 };	/* fits the 32 bits of start4[] */

/* Sums over all tracks of a damaged trace, whose times may be centuries, wrap around; differences of them are still
   right. */
static inline void sum_add(int64_t *sum, int64_t ns)
{
	*sum = wrap_add(*sum, ns);
}

#endif
