/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Columns of a timeline. A column's share of a state is exact: the sum of the intervals in it if they are few, else
 * the difference of two running sums at its edges (sheet_between), added up over the sheets that it crosses. So a row
 * costs its columns times a search, plus one step for each sheet border inside the window, whatever the number of
 * intervals. The sum up to the end of a column is reused for the start of the next.
 *
 * Sheets lie end to end from snap->t0 to snap->t1. For a P or M, all sheets entirely within a column are one
 * difference (store/tracks/proc_sums.h), so a frame of the whole trace looks into one sheet for each border of its
 * columns. For a goroutine, they are the sums of whole rows, sheet by sheet.
 */
#include "config.h"
#include "trace/bins.h"

#include "store/tracks/proc_sums.h"

#include <string.h>

/* Return the sheet that contains t (clamped), or 0 if there are no sheets. */
static uint32_t sheet_at(const struct snap *sn, int64_t t)
{
	uint32_t lo = 0, hi = sn->nsheets;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (store_slot(sn->st, mid)->t0 <= t)
			lo = mid;
		else
			hi = mid;
	}
	return sn->nsheets ? lo : 0;
}

/* Add the times of columns [*k, end) within one sheet. */
static void bins_sheet(const struct sheet *sh, int32_t row, int64_t t0, int64_t t1, uint32_t n,
    uint32_t *k, uint32_t end, struct bin *out)
{
	uint32_t at = UINT32_MAX;
	struct sheet_sum sum;
	sum.known = false;
	for (;; ++*k) {
		int64_t a = bins_edge(t0, t1, n, *k), b = bins_edge(t0, t1, n, *k + 1);
		bool past = b > sh->t1;
		if (a < sh->t0)
			a = sh->t0;
		if (past)
			b = sh->t1;
		if (b > a && row < 0)
			out[*k].ns[TS_NONE] += b - a;
		if (b > a && row >= 0) {
			uint32_t from = at != UINT32_MAX ? at
			    : a == sh->t0 ? sh->first[row] : sheet_find(sh, (uint32_t)row, a);
			at = past ? sh->first[row + 1] - 1 : sheet_find_from(sh, (uint32_t)row, from, b);
			sheet_between(sh, (uint32_t)row, from, a, at, b, &sum, out[*k].ns);
		}
		if (past || *k + 1 >= end)
			break;
	}
}

/* Add at once all sheets from i on that are entirely within a column [a, b), from the running sums of a P or M. Return
   the first sheet that is not added. */
static uint32_t bins_whole(const struct snap *sn, uint32_t i, int which, int64_t a, int64_t b, struct bin *out)
{
	if (store_slot(sn->st, i)->t0 < a || store_slot(sn->st, i)->t1 > b)
		return i;
	uint32_t to = sheet_at(sn, b);
	to += store_slot(sn->st, to)->t1 <= b;
	proc_sums_sum(sn->st->proc_sums, which, i, to, store_slot(sn->st, i)->t0, store_slot(sn->st, to - 1)->t1,
	    out->ns);
	return to;
}

/* Return the row of a track in a sheet, trying first the row that it has in a neighbouring sheet: a sheet may have a
   million rows. */
static int32_t row_of(const struct sheet *sh, trk_id trk, uint32_t hint)
{
	return hint < sh->ntrk && sh->trk[hint] == trk ? (int32_t)hint : sheet_row(sh, trk);
}

/* Compute columns [k, end) of n. */
static void raw_columns(const struct snap *sn, trk_id trk, int64_t t0, int64_t t1, uint32_t n, uint32_t k,
    uint32_t end, struct bin *out)
{
	if (k >= end || t1 <= t0)
		return;
	memset(out + k, 0, (end - k) * sizeof *out);
	int64_t from = bins_edge(t0, t1, n, k), to = bins_edge(t0, t1, n, end);
	uint32_t i = sheet_at(sn, from);
	uint32_t near = 0;
	int which = proc_sums_find(sn->st->proc_sums, trk);
	for (uint32_t next; i < sn->nsheets; i = next) {
		const struct sheet_slot *slot = store_slot(sn->st, i);
		next = i + 1;
		if (slot->t0 >= to)
			break;
		if (slot->t1 <= from)
			continue;
		while (k + 1 < end && bins_edge(t0, t1, n, k + 1) <= slot->t0)
			k++;
		if (which >= 0) {
			int64_t a = bins_edge(t0, t1, n, k), b = bins_edge(t0, t1, n, k + 1);
			uint32_t past = bins_whole(sn, i, which, a, b, &out[k]);
			if (past > i) {
				next = past;
				continue;
			}
		}
		const struct sheet *sh = sheet_get(sn, i);
		int32_t row = row_of(sh, trk, near);
		near = row < 0 ? near : (uint32_t)row;
		bins_sheet(sh, row, t0, t1, n, &k, end, out);
	}
}

static void raw_row(const struct snap *sn, trk_id trk, int64_t t0, int64_t t1, uint32_t n, struct bin *out)
{
	memset(out, 0, n * sizeof *out);
	raw_columns(sn, trk, t0, t1, n, 0, n, out);
}

enum tstate bins_main_state(const struct bin *b, bool all)
{
	enum tstate best = TS_NONE;
	int64_t most = 0;
	for (int s = 0; s < TS__N; s++)
		if (b->ns[s] > most && (all || (s != TS_NONE && s != TS_IDLE))) {
			best = (enum tstate)s;
			most = b->ns[s];
		}
	return !all && best == TS_NONE && b->ns[TS_IDLE] > 0 ? TS_IDLE : best;
}

/* ---- intervals */

static void interval_fill(const struct sheet *sh, uint32_t row, uint32_t i, struct trace_interval *v)
{
	v->state = (enum tstate)(sh->state[i] & SHEET_STATE);
	v->t0 = sh->t0 + sheet_start(sh, i);
	v->t1 = sheet_end(sh, row, i);
	v->peer = sheet_peer(sh, i);
	v->stack = sheet_stack(sh, i);
	v->i = i;
}

/* Extend v to the left over its pieces. */
static void join_left(const struct snap *sn, struct trace_interval *v)
{
	uint32_t s = v->sheet, i = v->i, row = v->row;
	for (;;) {
		const struct sheet *sh = sheet_get(sn, s);
		row = (uint32_t)row_of(sh, v->trk, row);
		const struct sheet *osh = sh;
		uint32_t oi = i - 1;
		if (i == sh->first[row]) {
			if (!s)
				break;
			osh = sheet_get(sn, s - 1);
			int32_t orow = row_of(osh, v->trk, row);
			if (orow < 0)
				break;
			oi = osh->first[orow + 1] - 1;
		}
		if (!sheet_continues(osh->state[oi], sh->state[i]))
			break;
		v->t0 = osh->t0 + sheet_start(osh, oi);
		i = oi;
		s -= osh != sh;
	}
}

/* Extend v to the right over its pieces. */
static void join_right(const struct snap *sn, struct trace_interval *v)
{
	for (;;) {
		const struct sheet *sh = sheet_get(sn, v->sheet), *nsh = sh;
		uint32_t row = v->row = (uint32_t)row_of(sh, v->trk, v->row), ni = v->i + 1;
		int32_t nrow = (int32_t)row;
		if (ni == sh->first[row + 1]) {
			if (v->sheet + 1 >= sn->nsheets)
				break;
			nsh = sheet_get(sn, v->sheet + 1);
			nrow = row_of(nsh, v->trk, row);
			if (nrow < 0)
				break;
			ni = nsh->first[nrow];
		}
		if (!sheet_continues(sh->state[v->i], nsh->state[ni]))
			break;
		v->t1 = sheet_end(nsh, (uint32_t)nrow, ni);
		v->peer = sheet_peer(nsh, ni);
		v->stack = sheet_stack(nsh, ni);
		v->i = ni;
		v->sheet += nsh != sh;
	}
}

static void interval_join(const struct snap *sn, struct trace_interval *v)
{
	join_left(sn, v);
	join_right(sn, v);
}

static bool raw_at(const struct snap *sn, trk_id trk, int64_t t, struct trace_interval *v)
{
	if (t < sn->t0 || t >= sn->t1 || !sn->nsheets)
		return false;
	v->trk = trk;
	v->sheet = sheet_at(sn, t);
	const struct sheet *sh = sheet_get(sn, v->sheet);
	int32_t row = sheet_row(sh, trk);
	if (row >= 0) {
		v->row = (uint32_t)row;
		interval_fill(sh, (uint32_t)row, sheet_find(sh, (uint32_t)row, t), v);
	}
	bool there = row >= 0 && v->state != TS_NONE;
	if (there)
		interval_join(sn, v);
	return there;
}

enum tstate trace_interval_state(const struct snap *sn, trk_id trk, int64_t t)
{
	if (t < sn->t0 || t >= sn->t1 || !sn->nsheets)
		return TS_NONE;
	uint32_t s = sheet_at(sn, t);
	const struct sheet *sh = sheet_get(sn, s);
	int32_t row = sheet_row(sh, trk);
	enum tstate st = row < 0 ? TS_NONE : (enum tstate)(sh->state[sheet_find(sh, (uint32_t)row, t)] & SHEET_STATE);
	return st;
}

/* Get the next sheet after s (dir 1) or before it (dir -1) that has the track. Return the track's row there, or -1
   if there is none. */
static int32_t sheet_seek(const struct snap *sn, trk_id trk, uint32_t *s, int dir)
{
	while (dir > 0 ? *s + 1 < sn->nsheets : *s > 0) {
		*s += (uint32_t)dir;
		int32_t row = sheet_row(sheet_get(sn, *s), trk);
		if (row >= 0)
			return row;
	}
	return -1;
}

/* Find the next existing interval from piece (s, i) on, excluding that piece. */
static bool interval_find_next(
    const struct snap *sn, trk_id trk, uint32_t s, uint32_t i, uint32_t hint, int dir, struct trace_interval *v)
{
	const struct sheet *sh = sheet_get(sn, s);
	int32_t row = row_of(sh, trk, hint);
	bool found = false;
	while (!found) {
		bool out = row < 0 || (dir > 0 ? i + 1 >= sh->first[row + 1] : i <= sh->first[row]);
		if (out) {
			row = sheet_seek(sn, trk, &s, dir);
			if (row < 0)
				break;
			sh = sheet_get(sn, s);
			i = dir > 0 ? sh->first[row] : sh->first[row + 1] - 1;
		} else {
			i += (uint32_t)dir;
		}
		if (sh->state[i] & SHEET_STATE) {
			v->trk = trk;
			v->sheet = s;
			v->row = (uint32_t)row;
			interval_fill(sh, (uint32_t)row, i, v);
			interval_join(sn, v);
			found = true;
		}
	}
	return found;
}

/* Return the interval of a track in sheet s at t; 0 if the track is not in the sheet. */
static uint32_t index_at(const struct snap *sn, trk_id trk, uint32_t s, uint32_t hint, int64_t t)
{
	const struct sheet *sh = sheet_get(sn, s);
	int32_t row = row_of(sh, trk, hint);
	uint32_t i = row < 0 ? 0 : sheet_find(sh, (uint32_t)row, t);
	return i;
}

static bool raw_step(const struct snap *sn, struct trace_interval *v, int dir)
{
	struct trace_interval next;
	if (dir > 0) {
		if (!interval_find_next(sn, v->trk, v->sheet, v->i, v->row, 1, &next))
			return false;
	} else {
		uint32_t s = sheet_at(sn, v->t0);
		uint32_t i = index_at(sn, v->trk, s, v->row, v->t0);
		/* of several intervals that start here only the last is not empty: v may be another */
		if (s == v->sheet && i > v->i)
			i = v->i;
		if (!interval_find_next(sn, v->trk, s, i, v->row, -1, &next))
			return false;
	}
	*v = next;
	return true;
}

static bool raw_near(const struct snap *sn, trk_id trk, int64_t t, int dir, struct trace_interval *v)
{
	if (!sn->nsheets)
		return false;
	int64_t at = t < sn->t0 ? sn->t0 : t >= sn->t1 ? sn->t1 - 1 : t;
	bool in = raw_at(sn, trk, at, v);
	if (in && (dir > 0 ? v->t0 >= t : v->t1 <= t))
		return true;
	if (in)
		return raw_step(sn, v, dir);
	uint32_t s = sheet_at(sn, at);
	return interval_find_next(sn, trk, s, index_at(sn, trk, s, 0, at), 0, dir, v);
}

/* ---- rows of Ms: the row of an M records its P, and the row of the P records what runs there */

enum { CARRY_MAX = 8 };	/* changes of P within a column that are followed; beyond, the state is just running */

static bool is_m(const struct snap *sn, trk_id trk)
{
	return store_trk(sn->st, trk)->kind == TK_M;
}

static bool runs_on_proc(const struct snap *sn, const struct trace_interval *v)
{
	return v->state == TS_RUN && v->peer && store_trk(sn->st, v->peer)->kind == TK_P;
}

/* Replace the interval of an M by what its P does at t. */
static void see_through(const struct snap *sn, int64_t t, struct trace_interval *v)
{
	struct trace_interval p;
	if (!runs_on_proc(sn, v) || !raw_at(sn, v->peer, t, &p))
		return;
	v->state = p.state;
	v->peer = p.peer;
	v->stack = p.stack;
	v->t0 = p.t0 > v->t0 ? p.t0 : v->t0;
	v->t1 = p.t1 < v->t1 ? p.t1 : v->t1;
}

bool trace_interval_at(const struct snap *sn, trk_id trk, int64_t t, struct trace_interval *v)
{
	if (!raw_at(sn, trk, t, v))
		return false;
	if (is_m(sn, trk))
		see_through(sn, t, v);
	return true;
}

bool trace_interval_step(const struct snap *sn, struct trace_interval *v, int dir)
{
	if (!is_m(sn, v->trk))
		return raw_step(sn, v, dir);
	int64_t t = dir > 0 ? v->t1 : v->t0 - 1;
	struct trace_interval next;
	if (!trace_interval_at(sn, v->trk, t, &next)) {
		if (!raw_near(sn, v->trk, t, dir, &next))
			return false;
		see_through(sn, dir > 0 ? next.t0 : next.t1 - 1, &next);
	}
	*v = next;
	return true;
}

bool trace_interval_near(const struct snap *sn, trk_id trk, int64_t t, int dir, struct trace_interval *v)
{
	if (!is_m(sn, trk))
		return raw_near(sn, trk, t, dir, v);
	if (trace_interval_at(sn, trk, t, v))
		return (dir > 0 ? v->t0 >= t : v->t1 <= t) || trace_interval_step(sn, v, dir);
	if (!raw_near(sn, trk, t, dir, v))
		return false;
	see_through(sn, dir > 0 ? v->t0 : v->t1 - 1, v);
	return true;
}

/* Does the M change its P in [a, b) more often than is followed? Counted in the first sheet only. */
static bool too_many(const struct snap *sn, trk_id m, int64_t a, int64_t b)
{
	uint32_t s = sheet_at(sn, a);
	const struct sheet *sh = sheet_get(sn, s);
	int32_t row = sheet_row(sh, m);
	int64_t end = b < sh->t1 ? b : sh->t1;
	uint32_t n = row < 0 ? 0 : sheet_find(sh, (uint32_t)row, end - 1) - sheet_find(sh, (uint32_t)row, a);
	return n > 2 * CARRY_MAX;
}

/* Compute one column of an M. */
static void column_of_m(const struct snap *sn, trk_id m, int64_t a, int64_t b, struct bin *out)
{
	struct bin exact = {0}, part;
	struct trace_interval v;
	if (!raw_at(sn, m, a, &v) && !raw_near(sn, m, a, 1, &v))
		return;
	for (int i = 0; v.t0 < b; i++) {
		int64_t x = v.t0 > a ? v.t0 : a, y = v.t1 < b ? v.t1 : b;
		if (i == CARRY_MAX)
			return;
		if (y > x && runs_on_proc(sn, &v)) {
			raw_row(sn, v.peer, x, y, 1, &part);
			for (int s = 0; s < TS__N; s++)
				exact.ns[s] += part.ns[s];
		} else if (y > x) {
			exact.ns[v.state] += y - x;
		}
		if (!raw_step(sn, &v, 1))
			break;
	}
	int64_t none = out->ns[TS_NONE];
	*out = exact;
	out->ns[TS_NONE] += none;
}

/* Copy the columns from k on that are within one interval in which the M has one P, from that P. Return their
   number. */
static uint32_t columns_of_p(const struct snap *sn, trk_id m, int64_t t0, int64_t t1, uint32_t n, uint32_t k,
    struct bin *out)
{
	struct trace_interval v;
	uint32_t end = k;
	if (!raw_at(sn, m, bins_edge(t0, t1, n, k), &v) || !runs_on_proc(sn, &v))
		return 0;
	while (end < n && bins_edge(t0, t1, n, end + 1) <= v.t1)
		end++;
	raw_columns(sn, v.peer, t0, t1, n, k, end, out);
	return end - k;
}

void bins_row(const struct snap *sn, trk_id trk, int64_t t0, int64_t t1, uint32_t n, struct bin *out)
{
	raw_row(sn, trk, t0, t1, n, out);
	if (!is_m(sn, trk))
		return;
	for (uint32_t k = 0, m; k < n; k += m ? m : 1) {
		int64_t a = bins_edge(t0, t1, n, k), b = bins_edge(t0, t1, n, k + 1);
		m = 0;
		if (!out[k].ns[TS_RUN] || too_many(sn, trk, a, b))
			continue;
		m = columns_of_p(sn, trk, t0, t1, n, k, out);
		if (!m)
			column_of_m(sn, trk, a, b, &out[k]);
	}
}

void bins_sum(const struct snap *sn, trk_id trk, int64_t t0, int64_t t1, struct bin *out)
{
	bins_row(sn, trk, t0, t1, 1, out);
}
