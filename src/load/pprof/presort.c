/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Inflating 100 MB takes half a second on one processor, and nothing of a profile can be passed to
 * the sink before its tables are known, which writers put last. Most of the work does not need
 * tables and is done meanwhile: the stacks of samples are decoded and sorted (stack_merge.h).
 * Numbers of locations are ascending in every file that a program wrote, so the order by them is
 * the final order. sample_pipeline.c checks that, and that each location exists, and otherwise
 * sorts again.
 *
 * The worker takes complete samples, a limited number at a time, from where the last part ended,
 * and waits for more input. When all is inflated and the tables have been read, the other thread
 * works too until nothing is left. At data that does not look like a sample the sorting stops
 * without an error message; the reader reports it.
 *
 * Values and labels are not kept: they would take more memory than the runs, and reading them again
 * is cheap because a stack is one field that is skipped.
 */
#include "config.h"
#include "load/pprof/presort.h"

#include "base/job.h"
#include "load/pprof/internal.h"

enum { AT_ONCE = 1 << 13, BYTES = 1 << 20 };

struct presort {
	const uint8_t *p;
	_Atomic size_t have;
	_Atomic bool whole, stop;
	_Atomic bool asleep;		/* the worker sleeps: the thread that clears it writes a token to the ring */
	struct ring_queue *ring_queue;
	struct lock *lock;		/* protects the following fields */
	size_t at;			/* end of the parts that were taken */
	struct stack_merge_run *run;
	size_t n, cap;
};

struct sample_part { size_t at, end, which; };
enum found { PART, LATER, OVER };

/* Find the next part of samples. LATER: it is not inflated yet. */
static enum found find_part(struct presort *a, struct sample_part *out)
{
	bool whole = atomic_load(&a->whole);
	struct byte_cursor c = byte_cursor_make(a->p + a->at, atomic_load(&a->have) - a->at, a->at);
	struct field f;
	uint32_t n = 0;
	*out = (struct sample_part){a->at, a->at, 0};
	while (byte_cursor_left(&c) && n < AT_ONCE && out->end - out->at < BYTES) {
		if (pprof_field(&c, &f, NULL)) {
			if (whole)
				atomic_store(&a->stop, true);
			return whole ? OVER : LATER;
		}
		out->end = (size_t)byte_cursor_at(&c);
		n += f.field == F_SAMPLE;
	}
	return n == AT_ONCE || out->end - out->at >= BYTES ? PART : !whole ? LATER : out->end > out->at ? PART : OVER;
}

static enum found take_part(struct presort *a, struct sample_part *out)
{
	enum found found = OVER;
	lock_acquire(a->lock);
	if (!atomic_load(&a->stop))
		found = find_part(a, out);
	if (found == PART) {
		a->at = out->end;
		out->which = a->n;
		a->run = mem_grow(a->run, &a->cap, a->n + 1, sizeof *a->run);
		a->run[a->n++] = (struct stack_merge_run){0};
	}
	lock_release(a->lock);
	return found;
}

static void sort_part(
    struct presort *a, struct sample_batch *b, struct stack_merge_scratch *room, const struct sample_part *sample_part)
{
	struct stack_merge_run run = {0};
	if (sample_batch_fill_stacks(b, a->p, sample_part->at, sample_part->end))
		atomic_store(&a->stop, true);
	else
		run = stack_merge_sort(room, b->loc, b->stack, b->n, b->most);
	lock_acquire(a->lock);
	a->run[sample_part->which] = run;
	lock_release(a->lock);
}

/* Sort parts until there are none. LATER: for now. */
static enum found sort_available(struct presort *a, struct sample_batch *b, struct stack_merge_scratch *room)
{
	struct sample_part sample_part;
	enum found found;
	while ((found = take_part(a, &sample_part)) == PART)
		sort_part(a, b, room, &sample_part);
	return found;
}

/* Sleep until there are more bytes than `have`. */
static void sleep_on(struct presort *a, size_t have)
{
	atomic_store(&a->asleep, true);
	bool news = atomic_load(&a->have) != have || atomic_load(&a->whole) || atomic_load(&a->stop);
	if (news && atomic_exchange(&a->asleep, false))
		return;
	if (ring_begin_read(a->ring_queue) >= 0)
		ring_end_read(a->ring_queue);
}

static void sort_worker(void *arg)
{
	struct presort *a = arg;
	struct sample_batch b = {0};
	struct stack_merge_scratch room = {0};
	for (size_t have = 0; sort_available(a, &b, &room) == LATER; have = atomic_load(&a->have))
		sleep_on(a, have);
	sample_batch_free(&b);
	stack_merge_scratch_free(&room);
}

static void wake_worker(struct presort *a)
{
	if (!atomic_exchange(&a->asleep, false))
		return;
	if (ring_begin_write(a->ring_queue) >= 0)
		ring_end_write(a->ring_queue);
}

struct presort *presort_new(const uint8_t *p)
{
	struct presort *a = xcalloc(1, sizeof *a);
	a->p = p;
	a->lock = lock_new();
	a->ring_queue = ring_new(2);
	if (ring_start(a->ring_queue, sort_worker, a))
		return a;
	presort_free(a);
	return NULL;
}

void presort_advance(struct presort *a, size_t have)
{
	atomic_store(&a->have, have);
	wake_worker(a);
}

void presort_end_input(struct presort *a)
{
	atomic_store(&a->whole, true);
	wake_worker(a);
}

void presort_free(struct presort *a)
{
	if (!a)
		return;
	atomic_store(&a->stop, true);
	ring_stop(a->ring_queue);
	for (size_t i = 0; i < a->n; i++)
		stack_merge_run_free(&a->run[i]);
	mem_free(a->run);
	lock_free(a->lock);
	ring_free(a->ring_queue);
	mem_free(a);
}

struct stack_merge_run *presort_take_runs(struct presort *a, uint32_t *n)
{
	struct sample_batch b = {0};
	struct stack_merge_scratch room = {0};
	if (!atomic_load(&a->whole))
		atomic_store(&a->stop, true);
	sort_available(a, &b, &room);
	ring_stop(a->ring_queue);
	sample_batch_free(&b);
	stack_merge_scratch_free(&room);
	*n = (uint32_t)a->n;
	return atomic_load(&a->stop) ? NULL : a->run;
}

static void *start_ahead(const uint8_t *p)
{
	return presort_new(p);
}

static void advance_ahead(void *a, size_t have)
{
	presort_advance(a, have);
}

static void end_ahead(void *a)
{
	presort_end_input(a);
}

static void free_ahead(void *a)
{
	presort_free(a);
}

int pprof_gunzip(struct bytes *b, const struct input_watch *w, struct err *e)
{
	static const struct input_ahead ops = {start_ahead, advance_ahead, end_ahead, free_ahead};
	return input_gunzip_ahead(b, &ops, w, e);
}
