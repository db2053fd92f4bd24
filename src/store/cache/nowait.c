/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Drawing without waiting: see nowait.h. A sheet that stands in has no rows, as
 * one that was lost, so all who look into sheets know what to do with it: nothing
 * is there. Who draws rows asks first, and draws what was summed up (summary.h).
 *
 * Who draws is known by its thread, not by a flag in the snapshot: the same
 * snapshot is walked by jobs meanwhile, and they do wait. Not taken: another
 * sheet_get() for frames. It would have to be handed down through all that a frame
 * calls, most of which reports call as well.
 */
#include "config.h"
#include "store/cache/nowait.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "store/cache/sheet_cache.h"

struct await {
	_Atomic uintptr_t thread;	/* that draws; 0: none */
	uint32_t tick;			/* when the frame began, as sheets are marked */
	uint32_t want[AWAIT_MOST], n, missed;
	struct stand_in { struct stand_in *next; uint32_t i; struct sheet *sheet; } *all;
};

struct await *await_new(void)
{
	return xcalloc(1, sizeof(struct await));
}

static void forget(struct await *a)
{
	for (struct stand_in *s = a->all, *next; s; s = next) {
		next = s->next;
		sheet_free(s->sheet);
		mem_free(s);
	}
	a->all = NULL;
	a->n = 0;
}

void await_free(struct await *a)
{
	if (a)
		forget(a);
	mem_free(a);
}

bool await_here(const struct await *a)
{
	uintptr_t t = atomic_load_explicit(&a->thread, memory_order_relaxed);
	return t && t == job_self();
}

static void want(struct await *a, uint32_t i)
{
	a->missed++;
	for (uint32_t k = 0; k < a->n; k++)
		if (a->want[k] == i)
			return;
	if (a->n < AWAIT_MOST)
		a->want[a->n++] = i;
}

const struct sheet *await_sheet(struct await *a, const struct sheet_slot *slot, uint32_t i)
{
	want(a, i);
	for (const struct stand_in *s = a->all; s; s = s->next)
		if (s->i == i)
			return s->sheet;
	struct stand_in *s = xmalloc(sizeof *s);
	*s = (struct stand_in){ a->all, i, keep_empty(slot->t0, slot->t1) };
	a->all = s;
	return s->sheet;
}

void await_begin(const struct store *st)
{
	struct await *a = keep_await(st->keep);
	if (!a)
		return;
	a->tick = keep_tick(st->keep);
	atomic_store(&a->thread, job_self());
}

bool await_used(const struct store *st, uint32_t i)
{
	const struct await *a = keep_await(st->keep);
	return a && atomic_load_explicit(&store_slot(st, i)->used, memory_order_relaxed) - a->tick <= UINT32_MAX / 2;
}

uint32_t await_end(const struct store *st, uint32_t want[AWAIT_MOST])
{
	struct await *a = keep_await(st->keep);
	uint32_t n = a ? a->n : 0;
	for (uint32_t i = 0; i < n; i++)
		want[i] = a->want[i];
	if (a) {
		atomic_store(&a->thread, 0);
		forget(a);
	}
	return n;
}

uint32_t await_missed(const struct store *st)
{
	const struct await *a = keep_await(st->keep);
	return a ? a->missed : 0;
}

bool sheet_awaited(const struct snap *sn, uint32_t i)
{
	struct await *a = sheet_at_hand(sn, i) ? NULL : keep_await(sn->st->keep);
	if (!a || !await_here(a))
		return false;
	want(a, i);
	return true;
}
