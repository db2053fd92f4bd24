/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A frame of all of a long trace has rows of Ps whose columns are many sheets each. A sheet says in one difference what
 * a row of it was, but each look at one is some lines of memory that nobody has looked at for long: 8 rows of 1,340
 * sheets were 80 ms of waiting for memory. So what a P was up to the end of each sheet is kept here as well, one line
 * of memory for each sheet, and all sheets of a column are the difference of two of them.
 *
 * These are the states that Ps and Ms have; a track that was in any other is none of ours any more. 64 bytes
 * a sheet and track, of a sheet that takes half a megabyte or more; tracks are bounded, for of Ms there may be
 * thousands. A store of which sheets go has the ladder instead (summary_pyramid.c), which is smaller where Ps come and go.
 */
#include "config.h"
#include "store/tracks/proc_sums.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"

enum { PS = 256, MS = 64, MOST = PS + MS, FIRST = TS_IDLE, STATES = TS_SYSCALL };
_Static_assert(TS_IDLE == 1 && TS_SYSCALL == 8, "a row is one line of memory");

struct proc_row { int64_t ns[STATES]; };

struct proc_sums {
	trk_id trk[MOST];		/* in the order in which they were met */
	_Atomic uint32_t n;
	uint32_t left[2];		/* room for Ps, for Ms */
	struct of {
		uint32_t from;		/* the first sheet it is in */
		_Atomic bool odd;
		struct data_column rows;	/* one for each sheet since then */
	} of[MOST];
	uint32_t order[MOST];		/* of trk[], ascending: the writer's own */
};

struct proc_sums *proc_sums_new(void)
{
	struct proc_sums *y = xcalloc(1, sizeof *y);
	y->left[0] = PS;
	y->left[1] = MS;
	return y;
}

void proc_sums_free(struct proc_sums *y)
{
	for (uint32_t i = 0; y && i < y->n; i++)
		column_free(&y->of[i].rows);
	mem_free(y);
}

/* What it was in that sheet, behind what it was before. */
static void add_row(struct of *o, const struct sheet *sh, int32_t row)
{
	int64_t ns[TS__N];
	uint32_t at;
	struct proc_row *r = column_add(&o->rows, &at);
	if (at)
		*r = COLUMN_AT(&o->rows, struct proc_row, at - 1);
	if (row < 0)
		return;
	sheet_upto(sh, (uint32_t)row, sh->t1, ns);
	for (int s = 0; s < STATES; s++)
		r->ns[s] = wrap_add(r->ns[s], ns[FIRST + s]);
	for (int s = FIRST + STATES; s < TS__N; s++)
		if (ns[s])
			o->odd = true;
}

/* A track that comes after so many of the order. */
static void add_track(
    struct proc_sums *y, const struct store *st, const struct sheet *sh, uint32_t number, uint32_t row, uint32_t before)
{
	uint32_t n = y->n, m = store_trk(st, sh->trk[row])->kind == TK_M;
	if (!y->left[m])
		return;
	y->left[m]--;
	for (uint32_t i = n; i > before; i--)
		y->order[i] = y->order[i - 1];
	y->order[before] = n;
	y->trk[n] = sh->trk[row];
	y->of[n].from = number;
	column_init(&y->of[n].rows, sizeof(struct proc_row));
	add_row(&y->of[n], sh, (int32_t)row);
	y->n = n + 1;
}

/* Both are in the order of tracks. */
void proc_sums_add_sheet(struct proc_sums *y, const struct store *st, const struct sheet *sh, uint32_t number)
{
	uint32_t k = 0;
	for (uint32_t row = 0; row < sh->nother; row++) {
		for (; k < y->n && y->trk[y->order[k]] < sh->trk[row]; k++)
			add_row(&y->of[y->order[k]], sh, -1);
		bool known = k < y->n && y->trk[y->order[k]] == sh->trk[row];
		uint32_t n = y->n;
		if (known)
			add_row(&y->of[y->order[k]], sh, (int32_t)row);
		else
			add_track(y, st, sh, number, row, k);
		k += known || y->n > n;
	}
	for (; k < y->n; k++)
		add_row(&y->of[y->order[k]], sh, -1);
}

int proc_sums_find(const struct proc_sums *y, trk_id trk)
{
	uint32_t n = y ? y->n : 0;
	for (uint32_t i = 0; i < n; i++)
		if (y->trk[i] == trk)
			return y->of[i].odd ? -1 : (int)i;
	return -1;
}

void proc_sums_sum(
    const struct proc_sums *y, int which, uint32_t from, uint32_t to, int64_t t0, int64_t t1, int64_t ns[TS__N])
{
	static const struct proc_row none = {{0}};
	const struct of *o = &y->of[which];
	int64_t left = wrap_sub(t1, t0);
	const struct proc_row *a = from > o->from ? column_at(&o->rows, from - 1 - o->from) : &none;
	const struct proc_row *b = to > o->from ? column_at(&o->rows, to - 1 - o->from) : &none;
	for (int s = 0; s < STATES; s++) {
		int64_t v = wrap_sub(b->ns[s], a->ns[s]);
		ns[FIRST + s] = wrap_add(ns[FIRST + s], v);
		left = wrap_sub(left, v);
	}
	ns[TS_NONE] = wrap_add(ns[TS_NONE], left);
}
