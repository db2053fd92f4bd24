/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_LATE_FIELDS_H
#define TTRACE_STORE_TRACKS_LATE_FIELDS_H

#include "base/radix_sort.h"
#include "store/store.h"

/*
 * Fields of a track that become known long after its row was made. Where rows are on disk they are queued and written
 * in the order of the rows.
 */
enum late_field { LATE_NAME, LATE_RUN0, LATE_T1 };
struct late_fields {
	struct radix_item *v;
	uint32_t n;
	uint32_t looks;		/* rows written since pages were last released */
	int64_t base;		/* queued times are ns since then */
};
/* Return a time in the form in which the row stores it. The row's t0 must be known. Returns 0 when the table of far
   times is full. */
static inline uint32_t late_fields_pack_time(struct store *st, const struct trk_row *r, int64_t t)
{
	uint64_t ns = (uint64_t)t - (uint64_t)r->t0;
	uint32_t i;
	if (ns < TRK_FAR - 1)
		return (uint32_t)ns + 1;
	*(int64_t *)column_add(&st->trk_times, &i) = t;
	return i < TRK_FAR ? TRK_FAR + i : 0;
}
/* Write a field at once, also where rows are on disk. Other files call late_fields_set(). */
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
/* Set a field of track t, of n tracks: at once, or queued where rows are on disk. base is a lower bound of the times;
   it must stay the same until the next late_fields_flush(). */
static inline void late_fields_set(struct late_fields *l, struct store *st, trk_id t, uint32_t n, enum late_field what,
    int64_t base, int64_t value)
{
	if (atomic_load_explicit(&st->trks.spilled, memory_order_relaxed))
		late_fields_queue(l, st, t, n, what, base, value);
	else
		late_fields_set_now(st, t, what, value);
}
void late_fields_flush(struct late_fields *, struct store *);	/* write everything queued */
void late_fields_free(struct late_fields *);

#endif
