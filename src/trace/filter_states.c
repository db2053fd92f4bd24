/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Sums by state of all that a filter selects: for goroutines every interval, for slices the running sums at
 * their ends. That is a pass over all sheets, for reports and background jobs.
 *
 * The key D only needs to know in which state two filters differ most, to select the weights to compare. It
 * does not wait for that pass: it uses a sample of sheets from the whole trace, the same for both filters.
 */
#include "config.h"
#include "trace/filter_states.h"

#include "base/wrap_math.h"
#include "trace/bins.h"

#include <string.h>

static int64_t max_time(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t min_time(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void add_row(const struct snap *sn, const struct sheet *sh, uint32_t row, const struct trace_filter *f,
    int64_t ns[TS__N])
{
	int64_t from = f->from == TIME_NONE ? sn->t0 : f->from, to = f->to == TIME_NONE ? sn->t1 : f->to;
	for (uint32_t i = sh->first[row]; i < sh->first[row + 1]; i++) {
		int64_t a = max_time(sh->t0 + sheet_start(sh, i), from), b = min_time(sheet_end(sh, row, i), to);
		unsigned s = sh->state[i] & SHEET_STATE;
		if (b > a)
			wrap_add_to(&ns[s], b - a);
	}
}

static void add_sheet(const struct snap *sn, uint32_t i, const struct trace_filter *f, int64_t ns[TS__N])
{
	const struct sheet *sh = sheet_get(sn, i);
	for (uint32_t r = 0; r < sh->ntrk; r++)
		if (store_trk(sn->st, sh->trk[r])->kind == TK_G && trace_gset_has(f->g, sh->trk[r]))
			add_row(sn, sh, r, f, ns);
}

/* Add the part of a slice that is in [t0, t1) and in the window of the filter. */
static void add_slice(const struct snap *sn, const struct trace_slice *s, int64_t t0, int64_t t1,
    const struct trace_filter *f, int64_t ns[TS__N])
{
	int64_t a = max_time(s->t0, f->from == TIME_NONE ? t0 : max_time(f->from, t0));
	int64_t b = min_time(s->t1, f->to == TIME_NONE ? t1 : min_time(f->to, t1));
	struct bin sum;
	if (b <= a || !trace_gset_has(f->g, s->trk))
		return;
	bins_sum(sn, s->trk, a, b, &sum);
	for (int k = 0; k < TS__N; k++)
		wrap_add_to(&ns[k], sum.ns[k]);
}

void trace_filter_states(const struct snap *sn, const struct trace_filter *f, int64_t ns[TS__N])
{
	memset(ns, 0, TS__N * sizeof *ns);
	for (uint32_t i = 0; f->slice && i < f->nslice && watcher_report(&f->on, i, f->nslice); i++)
		add_slice(sn, &f->slice[i], INT64_MIN, INT64_MAX, f, ns);
	for (uint32_t i = 0; !f->slice && i < sn->nsheets && watcher_report(&f->on, i, sn->nsheets); i++)
		add_sheet(sn, i, f, ns);
	ns[TS_NONE] = 0;
}

/* ---- estimates */

enum { SHEETS = 16, SLICES = 1 << 16 };	/* number that is sampled */

/* The sheets that are sampled are spread over the trace. */
static uint32_t sampled_sheet(const struct snap *sn, uint32_t k)
{
	return (uint32_t)((uint64_t)sn->nsheets * k / SHEETS);
}

void trace_filter_states_approx(const struct snap *sn, const struct trace_filter *f, int64_t ns[TS__N])
{
	uint32_t step = f->nslice / SLICES + 1;
	if (sn->nsheets <= SHEETS) {
		trace_filter_states(sn, f, ns);
		return;
	}
	memset(ns, 0, TS__N * sizeof *ns);
	for (uint32_t k = 0; !f->slice && k < SHEETS; k++)
		add_sheet(sn, sampled_sheet(sn, k), f, ns);
	for (uint32_t i = 0; f->slice && i < f->nslice; i += step)
		for (uint32_t k = 0; k < SHEETS; k++) {
			const struct sheet_slot *s = store_slot(sn->st, sampled_sheet(sn, k));
			if (f->slice[i].t0 < s->t1 && f->slice[i].t1 > s->t0)
				add_slice(sn, &f->slice[i], s->t0, s->t1, f, ns);
		}
	for (int k = 0; k < TS__N; k++)
		ns[k] = wrap_mul(ns[k], step);
	ns[TS_NONE] = 0;
}
