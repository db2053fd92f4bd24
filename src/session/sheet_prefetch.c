/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Frames of a trace whose sheets are evicted: see sheet_prefetch.h. A job rebuilds the sheets
 * that a frame wanted, in the order of time, which is the fastest way through the file. Then
 * the frame is drawn again and may want others (the other end of an interval, the column of a
 * thread). This repeats at most ROUNDS times until the next key. A job whose sheets are not
 * wanted any more stops before the next sheet.
 *
 * The sheets of one round stay pinned in the next as long as frames use them. If few sheets fit
 * into memory, those of the second round would otherwise evict those of the first, and the
 * third round would lack as many as the first.
 */
#include "config.h"
#include "session/sheet_prefetch.h"

#include <stdlib.h>

enum { ROUNDS = 6 };

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static void prefetch_sheets(void *work, struct job *j)
{
	struct sheet_prefetcher *b = work;
	for (; b->got < b->n && !(j && job_cancelled(j)); b->got++)
		(void)sheet_get(b->sn, b->want[b->got]);
}

static const struct async_kind prefetch_kind = {prefetch_sheets, NULL};

/* Pin the sheets that the job got; of all pinned sheets release those that the last frame did not use, or all. */
static void release_sheets(struct sheet_prefetcher *b, bool all)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->got; i++)
		b->held[b->nheld++] = b->want[i];
	b->got = b->n = 0;
	for (uint32_t i = 0; i < b->nheld; i++)
		if (all || !nowait_sheet_used(b->sn->st, b->held[i]))
			sheet_put(b->sn, b->held[i]);
		else
			b->held[n++] = b->held[i];
	b->nheld = n;
}

void sheet_prefetch_begin_frame(struct sheet_prefetcher *b, const struct snap *sn, bool news)
{
	b->rounds = news ? b->rounds : 0;
	nowait_begin_frame(sn->st);
}

bool sheet_prefetch_end_frame(struct sheet_prefetcher *b, const struct snap *sn)
{
	uint32_t want[NOWAIT_MAX], n = nowait_end_frame(sn->st, want);
	if (async_job(&b->slot)) {
		bool same = false;
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t k = 0; k < b->n; k++)
				same |= want[i] == b->want[k];
		if (!same)
			async_cancel(&b->slot);
		return true;
	}
	release_sheets(b, false);
	if (!n || b->rounds >= ROUNDS)
		return !n;
	if (b->nheld + n > SHEET_PREFETCH_HELD)
		release_sheets(b, true);
	b->rounds++;
	b->sn = sn;
	b->n = n;
	for (uint32_t i = 0; i < n; i++)
		b->want[i] = want[i];
	qsort(b->want, n, sizeof *b->want, compare_u32);
	return !async_start(&b->slot, &prefetch_kind, b, ASYNC_ALWAYS);
}

struct job *sheet_prefetch_job(const struct sheet_prefetcher *b)
{
	return async_job(&b->slot);
}

bool sheet_prefetch_poll(struct sheet_prefetcher *b, bool wait)
{
	struct job *j = async_job(&b->slot);
	if (!j || (!wait && !job_done(j, NULL)))
		return false;
	(void)async_finish(&b->slot);
	return true;
}

void sheet_prefetch_free(struct sheet_prefetcher *b)
{
	async_stop(&b->slot);
	release_sheets(b, true);
}
