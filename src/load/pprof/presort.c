/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Inflating takes one processor half a second for 100 MB, and nothing of a profile
 * can be said before its tables are there, which writers put last. What is most
 * of the work, and needs no tables, is done meanwhile: samples are looked through for
 * their stacks, and these are sorted (stack_merge.h). Numbers of locations ascend in every
 * file that a program wrote, so the order is the one they have in the end; sample_pipeline.c
 * checks that, and that each of them is there, and otherwise does all anew.
 *
 * The worker takes what is whole of so many samples, from where the last one ended;
 * what is not there yet it waits for. When all is inflated, and the tables have been read, the other
 * thread does the same until nothing is left. Whatever does not look like a sample makes an end of it:
 * here nobody complains.
 *
 * Values and labels are not kept: they would take more memory than the runs do, and
 * reading them again is cheap, for the numbers of a stack are one field to jump over.
 */
#include "config.h"
#include "load/pprof/presort.h"

#include "base/job.h"
#include "load/pprof/internal.h"

enum { AT_ONCE = 1 << 13, BYTES = 1 << 20 };

struct ahead {
	const uint8_t *p;
	_Atomic size_t have;
	_Atomic bool whole, stop;
	_Atomic bool asleep;		/* the worker: whoever clears it sends it a token */
	struct belt *belt;
	struct job *job;
	struct lock *lock;		/* what follows */
	size_t at;			/* nobody has looked beyond */
	struct ways_run *run;
	size_t n, cap;
};

struct part { size_t at, end, which; };
enum found { PART, LATER, OVER };

/* The samples that come next; LATER: not so many are there yet. */
static enum found look(struct ahead *a, struct part *out)
{
	bool whole = atomic_load(&a->whole);
	struct cur c = cur_make(a->p + a->at, atomic_load(&a->have) - a->at, a->at);
	struct field f;
	uint32_t n = 0;
	*out = (struct part){a->at, a->at, 0};
	while (cur_left(&c) && n < AT_ONCE && out->end - out->at < BYTES) {
		if (pprof_field(&c, &f, NULL)) {
			if (whole)
				atomic_store(&a->stop, true);
			return whole ? OVER : LATER;
		}
		out->end = (size_t)cur_at(&c);
		n += f.field == F_SAMPLE;
	}
	return n == AT_ONCE || out->end - out->at >= BYTES ? PART : !whole ? LATER : out->end > out->at ? PART : OVER;
}

static enum found take(struct ahead *a, struct part *out)
{
	enum found found = OVER;
	lock_take(a->lock);
	if (!atomic_load(&a->stop))
		found = look(a, out);
	if (found == PART) {
		a->at = out->end;
		out->which = a->n;
		a->run = mem_grow(a->run, &a->cap, a->n + 1, sizeof *a->run);
		a->run[a->n++] = (struct ways_run){0};
	}
	lock_give(a->lock);
	return found;
}

static void sort(struct ahead *a, struct batch *b, struct ways_room *room, const struct part *part)
{
	struct ways_run run = {0};
	if (batch_stacks(b, a->p, part->at, part->end))
		atomic_store(&a->stop, true);
	else
		run = ways_sort(room, b->loc, b->stack, b->n, b->most);
	lock_take(a->lock);
	a->run[part->which] = run;
	lock_give(a->lock);
}

/* As long as there is something; LATER: for now. */
static enum found sort_more(struct ahead *a, struct batch *b, struct ways_room *room)
{
	struct part part;
	enum found found;
	while ((found = take(a, &part)) == PART)
		sort(a, b, room, &part);
	return found;
}

/* Until there is more than that. */
static void sleep_on(struct ahead *a, size_t have)
{
	atomic_store(&a->asleep, true);
	bool news = atomic_load(&a->have) != have || atomic_load(&a->whole) || atomic_load(&a->stop);
	if (news && atomic_exchange(&a->asleep, false))
		return;
	if (belt_next(a->belt) >= 0)
		belt_done(a->belt);
}

static int work(struct job *j, void *arg)
{
	struct ahead *a = arg;
	struct batch b = {0};
	struct ways_room room = {0};
	(void)j;
	for (size_t have = 0; sort_more(a, &b, &room) == LATER; have = atomic_load(&a->have))
		sleep_on(a, have);
	batch_free(&b);
	ways_room_free(&room);
	return 0;
}

static void wake(struct ahead *a)
{
	if (!atomic_exchange(&a->asleep, false))
		return;
	if (belt_take(a->belt) >= 0)
		belt_send(a->belt);
}

struct ahead *ahead_new(const uint8_t *p)
{
	struct ahead *a = xcalloc(1, sizeof *a);
	a->p = p;
	a->lock = lock_new();
	a->belt = belt_new(2);
	a->job = job_start(work, a);
	if (a->job)
		return a;
	ahead_free(a);
	return NULL;
}

void ahead_upto(struct ahead *a, size_t have)
{
	atomic_store(&a->have, have);
	wake(a);
}

static void join(struct ahead *a)
{
	wake(a);
	if (a->job)
		job_join(a->job);
	a->job = NULL;
}

void ahead_whole(struct ahead *a)
{
	atomic_store(&a->whole, true);
	wake(a);
}

void ahead_free(struct ahead *a)
{
	if (!a)
		return;
	atomic_store(&a->stop, true);
	join(a);
	for (size_t i = 0; i < a->n; i++)
		ways_run_free(&a->run[i]);
	mem_free(a->run);
	lock_free(a->lock);
	belt_free(a->belt);
	mem_free(a);
}

struct ways_run *ahead_runs(struct ahead *a, uint32_t *n)
{
	struct batch b = {0};
	struct ways_room room = {0};
	if (atomic_load(&a->whole))
		sort_more(a, &b, &room);
	join(a);
	batch_free(&b);
	ways_room_free(&room);
	*n = (uint32_t)a->n;
	return atomic_load(&a->stop) || !atomic_load(&a->whole) ? NULL : a->run;
}
