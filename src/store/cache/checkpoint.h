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
struct border {
	struct sink_keep gen;		/* of the generation that ends here; its state may be forgotten */
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
struct border *border_new(const struct sink_keep *, int64_t sealed, const struct sheet_piece *waits);
void border_free(struct border *);	/* NULL: nothing */
/* All before it is sealed: what lives there as the sealer has it; and a sealer and tracks that go on from there. */
void border_put(struct border *, const struct sealer *);
void border_get(const struct border *, struct sealer *, uint32_t ntrks, struct tracks *);
/* Another with its state, for a thread's own use; NULL of NULL. */
struct border *border_copy(const struct border *);

/*
 * All of them in order. Where their states together are more than they may be every
 * other one is forgotten, and from then on only every second is kept. The thread that
 * seals adds; one that reads again looks at v and n with the lock in its hand.
 */
struct borders {
	struct lock *lock;
	struct border **v;
	size_t room;			/* of v */
	uint32_t n, stride;
	size_t states, limit;		/* bytes of all states; not more than so many */
	size_t largest;			/* bytes of the largest generation in its file */
};

struct borders *borders_new(size_t limit);
void borders_free(struct borders *);
void borders_add(struct borders *, struct border *);
/* The generation that a sheet is of, n when it is of one that is still read; the first sheet of a generation. */
uint32_t borders_gen(const struct borders *, uint32_t sheet);
uint32_t borders_sheet(const struct borders *, uint32_t gen);
/* The nearest generation from this one back that can be read again: it is the first, or the border before it has
   its state. */
uint32_t borders_near(const struct borders *, uint32_t gen);

#endif
