/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_LATE_FIELDS_H
#define TTRACE_STORE_TRACKS_LATE_FIELDS_H

#include "base/radix_sort.h"
#include "store/store.h"

/*
 * What is learnt of a track long after its row was made, where rows lie on disk: gathered, and put into the rows in
 * their order.
 */
enum learnt_what { LEARNT_NAME, LEARNT_RUN0, LEARNT_T1 };
struct learnt {
	struct keyed *v;
	uint32_t n;
	uint32_t looks;		/* at rows, since those that were looked at were let go of */
	int64_t base;		/* times are ns since then */
};
/* A time as the row keeps it, by which its t0 is known. */
static inline uint32_t learnt_since(struct store *st, const struct trk_row *r, int64_t t)
{
	uint64_t ns = (uint64_t)t - (uint64_t)r->t0;
	uint32_t i;
	if (ns < TRK_FAR - 1)
		return (uint32_t)ns + 1;
	*(int64_t *)col_add(&st->trk_times, &i) = t;
	return i < TRK_FAR ? TRK_FAR + i : 0;
}
/* Now, and where rows lie on disk; learnt_add() is for all. */
static inline void learnt_say(struct store *st, trk_id t, enum learnt_what what, int64_t value)
{
	struct trk_row *r = col_at(&st->trks, t);
	switch (what) {
	case LEARNT_NAME: trk_set(r->name, (str_id)value); break;
	case LEARNT_RUN0: trk_set(r->to_run0, learnt_since(st, r, value)); break;
	case LEARNT_T1: trk_set(r->to_t1, learnt_since(st, r, value)); break;
	}
}
void learnt_late(struct learnt *, struct store *, trk_id, uint32_t n, enum learnt_what, int64_t base, int64_t value);
/* Of that row, of n: said now, or gathered, where it is worth it. base: no later one is said of an earlier time before
   learnt_put(). */
static inline void learnt_add(struct learnt *l, struct store *st, trk_id t, uint32_t n, enum learnt_what what,
    int64_t base, int64_t value)
{
	if (atomic_load_explicit(&st->trks.spilled, memory_order_relaxed))
		learnt_late(l, st, t, n, what, base, value);
	else
		learnt_say(st, t, what, value);
}
void learnt_put(struct learnt *, struct store *);	/* rows say all of it */
void learnt_free(struct learnt *);

#endif
