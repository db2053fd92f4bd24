/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CACHE_CHECKPOINT_H
#define TTRACE_STORE_CACHE_CHECKPOINT_H

#include "base/text/buf.h"
#include "store/tracks/sheet_build.h"

/*
 * What is kept at the end of a generation, so that the next one can be read again without reading anything before it.
 * Its size follows from the number of live tracks.
 */
struct checkpoint {
	struct sink_checkpoint gen;		/* of the generation that ends here; its state may have been dropped */
	int64_t sealed;
	bool past;
	struct sink_enter *wait;	/* entries that were read and not yet sealed */
	size_t nwait;
	struct buf live;		/* encoded state of the sheet builder */
	/* gen.state, wait and live are on disk: with little memory, where they are large */
	uint32_t sheet;			/* number of the first sheet after it */
};

struct tracks;

/* Return a checkpoint with the reader's state and the entries that are not sealed yet. */
struct checkpoint *checkpoint_new(const struct sink_checkpoint *, int64_t sealed, const struct sheet_batch *waits);
void checkpoint_free(struct checkpoint *);	/* NULL is allowed */
/* Save the live tracks of the sheet builder once everything before the checkpoint is sealed; and restore them in
   another builder and struct tracks. */
void checkpoint_save_live(struct checkpoint *, const struct sheet_builder *);
void checkpoint_restore(const struct checkpoint *, struct sheet_builder *, uint32_t ntrks, struct tracks *);
/* Return a copy with its state, without the tables, for a thread's own use; NULL for NULL. */
struct checkpoint *checkpoint_copy(const struct checkpoint *);

/*
 * All checkpoints, in order. When their states exceed the limit, every other one drops its state, and from then on only
 * every `stride`th keeps it. The sealing thread adds; a rebuilding job reads v and n with the lock held.
 */
struct checkpoint_list {
	struct lock *lock;
	struct checkpoint **v;
	size_t room;			/* allocated elements of v */
	uint32_t n, stride;
	size_t states, limit;		/* bytes of all states; their limit */
	size_t largest;			/* bytes of the largest generation in the file */
};

struct checkpoint_list *checkpoint_list_new(size_t limit);
void checkpoint_list_free(struct checkpoint_list *);
void checkpoint_list_add(struct checkpoint_list *, struct checkpoint *);
/* Return the generation of a sheet, or n while that generation is still being read; return the first sheet of a
   generation. */
uint32_t checkpoint_generation(const struct checkpoint_list *, uint32_t sheet);
uint32_t checkpoint_first_sheet(const struct checkpoint_list *, uint32_t gen);
/* Return the last generation at or before this one that can be read again: the first one, or one whose preceding
   checkpoint has its state. */
uint32_t checkpoint_nearest(const struct checkpoint_list *, uint32_t gen);

#endif
