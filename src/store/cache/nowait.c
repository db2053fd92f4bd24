/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Drawing without waiting: see nowait.h. The empty sheet has no rows, like one that was lost, so all code that reads
 * sheets handles it. Code that draws rows requests the sheet first and draws from summaries (summary.h).
 *
 * The drawing thread is recognised by its id, not by a flag in the snapshot: background jobs read the same snapshot
 * meanwhile, and they do wait. Not taken: another sheet_get() for frames. It would have to be passed through everything
 * that a frame calls, most of which reports call as well.
 */
#include "config.h"
#include "store/cache/nowait.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "store/cache/sheet_cache.h"

struct nowait {
	_Atomic uintptr_t thread;	/* the one that draws; 0: none */
	uint32_t tick;			/* of the frame, as in sheet_slot.used */
	uint32_t want[NOWAIT_MAX], n, missed;
	struct stand_in { struct stand_in *next; uint32_t i; struct sheet *sheet; } *all;
};

struct nowait *nowait_new(void)
{
	return xcalloc(1, sizeof(struct nowait));
}

static void free_stand_ins(struct nowait *a)
{
	for (struct stand_in *s = a->all, *next; s; s = next) {
		next = s->next;
		sheet_free(s->sheet);
		mem_free(s);
	}
	a->all = NULL;
	a->n = 0;
}

void nowait_free(struct nowait *a)
{
	if (a)
		free_stand_ins(a);
	mem_free(a);
}

bool nowait_is_drawing(const struct nowait *a)
{
	uintptr_t t = atomic_load_explicit(&a->thread, memory_order_relaxed);
	return t && t == job_thread_id();
}

static void want(struct nowait *a, uint32_t i)
{
	a->missed++;
	for (uint32_t k = 0; k < a->n; k++)
		if (a->want[k] == i)
			return;
	if (a->n < NOWAIT_MAX)
		a->want[a->n++] = i;
}

const struct sheet *nowait_stand_in(struct nowait *a, const struct sheet_slot *slot, uint32_t i)
{
	want(a, i);
	for (const struct stand_in *s = a->all; s; s = s->next)
		if (s->i == i)
			return s->sheet;
	struct stand_in *s = xmalloc(sizeof *s);
	*s = (struct stand_in){ a->all, i, sheet_cache_empty_sheet(slot->t0, slot->t1) };
	a->all = s;
	return s->sheet;
}

void nowait_begin_frame(const struct store *st)
{
	struct nowait *a = sheet_cache_nowait(st->keep);
	if (!a)
		return;
	a->tick = sheet_cache_next_tick(st->keep);
	atomic_store(&a->thread, job_thread_id());
}

bool nowait_sheet_used(const struct store *st, uint32_t i)
{
	const struct nowait *a = sheet_cache_nowait(st->keep);
	return a && atomic_load_explicit(&store_slot(st, i)->used, memory_order_relaxed) - a->tick <= UINT32_MAX / 2;
}

uint32_t nowait_end_frame(const struct store *st, uint32_t want[NOWAIT_MAX])
{
	struct nowait *a = sheet_cache_nowait(st->keep);
	uint32_t n = a ? a->n : 0;
	for (uint32_t i = 0; i < n; i++)
		want[i] = a->want[i];
	if (a) {
		atomic_store(&a->thread, 0);
		free_stand_ins(a);
	}
	return n;
}

uint32_t nowait_miss_count(const struct store *st)
{
	const struct nowait *a = sheet_cache_nowait(st->keep);
	return a ? a->missed : 0;
}

bool nowait_request_sheet(const struct snap *sn, uint32_t i)
{
	struct nowait *a = sheet_is_resident(sn, i) ? NULL : sheet_cache_nowait(sn->st->keep);
	if (!a || !nowait_is_drawing(a))
		return false;
	want(a, i);
	return true;
}
