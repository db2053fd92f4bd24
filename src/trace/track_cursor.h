/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_TRACK_CURSOR_H
#define TTRACE_TRACE_TRACK_CURSOR_H

#include "store/store.h"

/*
 * A position in the states of one track, moved in both directions. Its unit is the piece of an interval in one sheet:
 * an interval that crosses the borders of sheets has several, all but the first of them marked as continued. Unlike
 * trace_interval_step() (bins.h), a step does not look for the ends of an interval, so a walk over very many costs a
 * few instructions for each. It also visits pieces without a length, as a goroutine that is runnable for 0 ns.
 *
 * Start with zeros. One thread.
 */
struct track_cursor {
	const struct snap *sn;
	const struct sheet *sh;
	trk_id trk;
	uint32_t sheet, row, i;
};

/* Move to the piece of a track that contains t. Return false if there is none: outside of the snapshot, or the track is
   not in the sheet; then the cursor must not be read. The state may be TS_NONE. */
bool track_cursor_seek(struct track_cursor *, const struct snap *, trk_id, int64_t t);
/* Move to the next piece (dir 1) or to the one before (dir -1). Return false if there is none in this sheet and the
   adjacent one; then the cursor stays. */
bool track_cursor_step(struct track_cursor *, int dir);

static inline const struct sheet *track_cursor_sheet(const struct track_cursor *c) { return c->sh; }
static inline enum tstate track_cursor_state(const struct track_cursor *c)
{
	return (enum tstate)(c->sh->state[c->i] & SHEET_STATE);
}
/* Return whether the piece continues the interval of the sheet before. */
static inline bool track_cursor_is_continued(const struct track_cursor *c)
{
	return (c->sh->state[c->i] & SHEET_CONT) != 0;
}
static inline int64_t track_cursor_t0(const struct track_cursor *c)
{
	return c->sh->t0 + sheet_start(c->sh, c->i);
}
static inline int64_t track_cursor_t1(const struct track_cursor *c)
{
	return sheet_end(c->sh, c->row, c->i);
}
static inline uint32_t track_cursor_peer(const struct track_cursor *c) { return sheet_peer(c->sh, c->i); }
static inline stk_id track_cursor_stack(const struct track_cursor *c) { return sheet_stack(c->sh, c->i); }

#endif
