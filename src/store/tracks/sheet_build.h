/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_SHEET_BUILD_H
#define TTRACE_STORE_TRACKS_SHEET_BUILD_H

#include "base/mem/spill_array.h"
#include "base/wrap_math.h"
#include "store/store.h"

/* The writer's side of sheets; what readers need is in store.h. */

/* sink_enter.moved of what waits to be sealed, 0 where the track is no goroutine: the class of the state before, and
   that of its own << ENTRY_CLASS; ENTRY_EDGE: somebody woke or created it, for it waited or was not there. */
enum { ENTRY_G = 0x80, ENTRY_EDGE = 0x40, ENTRY_CLASS = 3, ENTRY_WAS = 7 };

/* What goroutines are counted by. */
enum sheet_class { CLASS_NONE, CLASS_RUNNABLE, CLASS_RUNNING, CLASS_WAITING, CLASS_SYSCALL, CLASS__N };
extern const uint8_t sheet_class[TS__N];	/* by state */

/* What was said of [t0, t1): entries with t0 <= t < t1, in the order of time within each track. */
struct sheet_batch {
	int64_t t0, t1;
	struct sink_enter *entry;
	size_t n, centry;
	struct sheet_batch_track {
		trk_id trk;
		uint32_t n;
		bool g;
	} * listed; /* tracks that have any; entries after t0 */
	size_t nlisted, clisted;
	uint32_t ntrks, nstks;	/* tracks and stacks so far */
	bool past;		/* some entries are SHEET_PAST */
};

/*
 * Makes sheets of pieces, one after another. It keeps what each track was doing
 * when the last sheet ended; nothing it does costs more than the tracks that are
 * there or are told of, whatever the number of those that were.
 */
struct sheet_builder {
	/* By track: its current state, 0 if it does not exist. For the gist: past, its newest entry was SHEET_PAST; began,
	   the number of the sheet in which that span started. */
	struct sheet_live { uint32_t who; stk_id stack; uint32_t state : 8, past : 1, began : 23; } *live;
	uint32_t *pos;		/* by track; zero between two pieces */
	struct spillable_array lives, places;	/* where they lie; they spill when somebody says so before the first */
	struct sheet_builder_list { trk_id *v; size_t n, cap; } alive[2], fresh[2];	/* [1]: goroutines */
	struct sheet_builder_row { trk_id trk; uint32_t first; } *row;	/* scratch */
	uint32_t *from;		/* scratch: by interval, where its entry is */
	size_t crow, nfrom;
	/* scratch: interval and entry */
	struct sheet_builder_edge { trk_id from; uint32_t at, entry; bool created; } *edge;
	size_t cedge;
	bool ordered;		/* they are, by time */
	int64_t (*sum)[TS__N];	/* scratch: of all states */
	size_t csum;
	size_t nstack;		/* of the entries so many have a stack */
	char *slab;		/* where the next sheets go */
	size_t nslab;
	bool spills, spilled;	/* slabs are to lie on disk; this one does */
	struct extremes_gatherer *extremes_gatherer;	/* told what it asks of each sheet; NULL: nobody asks */
	int64_t ready, sync;	/* for it, of the newest sheet: see extremes_take_sheet() */
	unsigned build_step;		/* of the sheet that is being made */
	/* between the steps of it: its rows and intervals, those of goroutines behind the others; edges */
	struct sheet_builder_sorted { uint32_t nother, other, rows, total, nedge; } sorted;
	struct sheet_draft *b;
	struct sheet_encoder *sheet_encoder;
};

/* One block of memory: sheet_free it. */
struct sheet *sheet_build_run(struct sheet_builder *, struct sheet_batch *);
/* The same in steps, each of some tens of thousands of intervals; between them no other piece. NULL: there is more to
   do. */
struct sheet *sheet_build_step(struct sheet_builder *, struct sheet_batch *);
void sheet_free(const struct sheet *);	/* nothing, when it has no bytes: it is of an index */
void sheet_build_free(struct sheet_builder *);	/* between two sheets */
/* To go on from where another was: room for so many tracks, and those that live, ascending, by kind. */
void sheet_build_reserve(struct sheet_builder *, uint32_t ntrks);
void sheet_build_set_live(struct sheet_builder *, int kind, trk_id, const struct sheet_live *);

/* So many entries make a sheet, of most files; and more than that are never in one. */
enum { SHEET_WHOLE = 1 << 17, SHEET_MOST = 1 << 30 };

/* Of this many tracks, by number, what is known while reading goes when all of them have ended: they do not come back,
   nearly always. */
enum { SHEET_CROWD = 1 << 11 };

enum { SHEET_BEGAN = 1 << 23 };	/* sheet_live.began is less; 0 where it would be more */
enum { SHEET_MAX_NS = 2000000000 };	/* start[] is 32 bits wide */

/* Of a sheet that lies on disk the pages that were looked at go. Who goes through all rows of one calls it after so
   many: they may be half a million. */
enum { SHEET_PASS = 1 << 16 };
static inline void sheet_release_pages(const struct sheet *sh)
{
	if (sh->spilled)
		mem_spill_release_pages((void *)(uintptr_t)sh, sh->bytes);
}

/* Sums over all tracks of a damaged trace, whose times may be centuries, wrap around; their differences do
   not. */
static inline void sum_add(int64_t *sum, int64_t ns)
{
	*sum = wrap_add(*sum, ns);
}

#endif
