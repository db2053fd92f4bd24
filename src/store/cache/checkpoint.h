/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CACHE_CHECKPOINT_H
#define TTRACE_STORE_CACHE_CHECKPOINT_H

#include "base/text/buf.h"
#include "store/tracks/sheet_build.h"

/*
 * What is kept where a generation ends, so that the next one can be read again
 * without what was before it: as much as what lives there.
 */
struct checkpoint {
	struct sink_checkpoint gen;		/* of the generation that ends here; its state may be forgotten */
	int64_t sealed;
	bool past;
	struct sink_enter *wait;	/* told, not sealed yet */
	size_t nwait;
	struct buf live;		/* the sealer's */
	/* where the state lies, what waits and what lives: on disk where memory is short and there is much of it */
	bool state_spilled, wait_spilled, live_spilled;
	uint32_t sheet;			/* the first after it */
};

struct tracks;

/* What its reader wants to be kept, and what is told but not sealed yet. */
struct checkpoint *checkpoint_new(const struct sink_checkpoint *, int64_t sealed, const struct sheet_batch *waits);
void checkpoint_free(struct checkpoint *);	/* NULL: nothing */
/* All before it is sealed: what lives there as the sealer has it; and a sealer and tracks that go on from there. */
void checkpoint_save_live(struct checkpoint *, const struct sheet_builder *);
void checkpoint_restore(const struct checkpoint *, struct sheet_builder *, uint32_t ntrks, struct tracks *);
/* Another with its state, for a thread's own use; NULL of NULL. */
struct checkpoint *checkpoint_copy(const struct checkpoint *);

/*
 * All of them in order. Where their states together are more than they may be every
 * other one is forgotten, and from then on only every second is kept. The thread that
 * seals adds; one that reads again looks at v and n with the lock in its hand.
 */
struct checkpoint_list {
	struct lock *lock;
	struct checkpoint **v;
	size_t room;			/* of v */
	uint32_t n, stride;
	size_t states, limit;		/* bytes of all states; not more than so many */
	size_t largest;			/* bytes of the largest generation in its file */
};

struct checkpoint_list *checkpoint_list_new(size_t limit);
void checkpoint_list_free(struct checkpoint_list *);
void checkpoint_list_add(struct checkpoint_list *, struct checkpoint *);
/* The generation that a sheet is of, n when it is of one that is still read; the first sheet of a generation. */
uint32_t checkpoint_generation(const struct checkpoint_list *, uint32_t sheet);
uint32_t checkpoint_first_sheet(const struct checkpoint_list *, uint32_t gen);
/* The nearest generation from this one back that can be read again: it is the first, or the border before it has
   its state. */
uint32_t checkpoint_nearest(const struct checkpoint_list *, uint32_t gen);

#endif
