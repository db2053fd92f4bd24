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
enum late_field { LATE_NAME, LATE_RUN0, LATE_T1 };
struct late_fields {
	struct radix_item *v;
	uint32_t n;
	uint32_t looks;		/* at rows, since those that were looked at were let go of */
	int64_t base;		/* times are ns since then */
};
/* A time as the row keeps it, by which its t0 is known. */
static inline uint32_t late_fields_pack_time(struct store *st, const struct trk_row *r, int64_t t)
{
	uint64_t ns = (uint64_t)t - (uint64_t)r->t0;
	uint32_t i;
	if (ns < TRK_FAR - 1)
		return (uint32_t)ns + 1;
	*(int64_t *)column_add(&st->trk_times, &i) = t;
	return i < TRK_FAR ? TRK_FAR + i : 0;
}
/* Now, and where rows lie on disk; late_fields_set() is for all. */
static inline void late_fields_set_now(struct store *st, trk_id t, enum late_field what, int64_t value)
{
	struct trk_row *r = column_at(&st->trks, t);
	switch (what) {
	case LATE_NAME: trk_set(r->name, (str_id)value); break;
	case LATE_RUN0: trk_set(r->to_run0, late_fields_pack_time(st, r, value)); break;
	case LATE_T1: trk_set(r->to_t1, late_fields_pack_time(st, r, value)); break;
	}
}
void late_fields_queue(
    struct late_fields *, struct store *, trk_id, uint32_t n, enum late_field, int64_t base, int64_t value);
/* Of that row, of n: said now, or gathered, where it is worth it. base: no later one is said of an earlier time before
   late_fields_flush(). */
static inline void late_fields_set(struct late_fields *l, struct store *st, trk_id t, uint32_t n, enum late_field what,
    int64_t base, int64_t value)
{
	if (atomic_load_explicit(&st->trks.spilled, memory_order_relaxed))
		late_fields_queue(l, st, t, n, what, base, value);
	else
		late_fields_set_now(st, t, what, value);
}
void late_fields_flush(struct late_fields *, struct store *);	/* rows say all of it */
void late_fields_free(struct late_fields *);

#endif
