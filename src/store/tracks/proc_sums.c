/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Drawing the whole of a long trace needs, for each P, columns of many sheets each. A sheet has the times by state of a
 * row as one difference of sums, but reading it touches some cache lines that are cold: 8 rows of 1,340 sheets took 80
 * ms of waiting for memory. So the times of a P up to the end of each sheet are kept here as well, one cache line per
 * sheet, and the times of a column are the difference of two of them.
 *
 * Only the states of Ps and Ms are kept; a track with any other state is marked odd and not answered for. This takes 64
 * bytes per sheet and track, next to half a megabyte or more per sheet. The number of tracks is bounded, since there
 * may be thousands of Ms.
 */
#include "config.h"
#include "store/tracks/proc_sums.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"

enum { PS = 256, MS = 64, MOST = PS + MS, FIRST = TS_IDLE, STATES = TS_SYSCALL };
_Static_assert(TS_IDLE == 1 && TS_SYSCALL == 8, "a row is one line of memory");

struct proc_row { int64_t ns[STATES]; };

struct proc_sums {
	trk_id trk[MOST];		/* in order of first occurrence */
	_Atomic uint32_t n;
	uint32_t left[2];		/* free slots for Ps, for Ms */
	struct of {
		uint32_t from;		/* number of the first sheet that has it */
		_Atomic bool odd;
		struct data_column rows;	/* one per sheet from that one on */
	} of[MOST];
	uint32_t order[MOST];		/* indexes of trk[] by ascending track; used by the writer only */
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

/* Append the sums up to the end of this sheet; row -1: the sheet does not have the track. */
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

/* Add a new track at index `before` of order[], if there is a free slot for its kind. */
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

/* Merges the rows of the sheet with order[]: both ascend by track. */
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
