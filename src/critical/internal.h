/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CRITICAL_INTERNAL_H
#define TTRACE_CRITICAL_INTERNAL_H

#include "critical/path.h"
#include "trace/bins.h"
#include "trace/run_stacks.h"
#include "trace/track_cursor.h"

/* A stop of the world, by start. They do not overlap. */
struct critical_stop { int64_t t0, t1; uint32_t span; };

struct critical_walker {
	const struct snap *sn;
	const struct operations *operations;
	struct stack_moments moments;
	struct critical_stop *stop;
	uint32_t nstop;
	trk_id *proc;			/* by number */
	uint32_t nproc;
};

/* The last position of a goroutine in a sheet. A walk goes back in time, so the next lookup of a goroutine is mostly near
   its last one. edge: its first edge at or after any time in (after, upto]; both are 0 if it is not known. Initialise with
   zeros. */
enum { WALK_PLACES = 16 };
struct walk_place { trk_id g; uint32_t sheet, row, i, edge; int64_t after, upto; };
struct walk_places { struct walk_place v[WALK_PLACES]; struct run_pairs pairs; };
/* Return the place of the cursor's goroutine in the cursor's sheet. */
static inline struct walk_place *walk_place_of(struct walk_places *p, const struct track_cursor *c)
{
	struct walk_place *v = &p->v[c->trk % WALK_PLACES];
	if (v->g != c->trk || v->sheet != c->sheet)
		*v = (struct walk_place){.g = c->trk, .sheet = c->sheet, .row = c->row, .i = c->i};
	return v;
}
/* Move the cursor to where the goroutine was looked up last, if that is in the cursor's sheet. */
static inline void walk_places_return(const struct walk_places *p, trk_id g, struct track_cursor *c)
{
	const struct walk_place *v = &p->v[g % WALK_PLACES];
	if (c->sh && v->g == g && v->sheet == c->sheet) {
		c->trk = g;
		c->row = v->row;
		c->i = v->i;
	}
}

/* Called with consecutive parts of a time range, the stack of each, and that recorded at its end, or 0. */
typedef void critical_part_fn(void *arg, int64_t t0, int64_t t1, stk_id, stk_id end);

/* run_parts.c: divide the time [a, b) of a piece in which a goroutine runs by stack, by the rule of trace/run_stacks.h. */
void critical_run_parts(const struct critical_walker *, struct walk_places *, const struct track_cursor *, int64_t a,
    int64_t b, critical_part_fn *, void *arg);

/* occupants.c: divide the time in which a goroutine is runnable into stops of the world and shares of what occupied
   the Ps. The parts have everything but via. *state: NULL at first; it keeps the place in the row of each P for the
   next call, which is mostly near, also if that is of another walk. Free it with critical_runnable_free(). */
typedef void critical_piece_fn(void *arg, const struct critical_piece *);
struct critical_wait { trk_id g; int64_t t0, t1; bool coarse; };	/* coarse: see struct critical_path */
struct runnable_wait;
void critical_runnable_parts(struct runnable_wait **state, const struct critical_walker *, const struct critical_wait *,
    critical_piece_fn *, void *arg);
/* A walk begins. The state may be NULL, here and below. */
void critical_runnable_begin(struct runnable_wait *);
/* Return the number of parts of runs that were looked at in the walk, and of Ps where there are many. */
uint64_t critical_runnable_cost(const struct runnable_wait *);
void critical_runnable_free(struct runnable_wait *);

#endif
