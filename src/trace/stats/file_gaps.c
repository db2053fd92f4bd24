/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What is not known of goroutines: one pass over the sheets. Their running sums by state would be faster, but know nothing
 * of stacks. No sheet has the time before the first event of a goroutine that existed before it. If it was waiting then, it
 * was all the time; else what it did until then is not known.
 */
#include "config.h"
#include "trace/stats/file_gaps.h"

#include "base/wrap_math.h"
#include "trace/as_profile.h"
#include "trace/longest_wait.h"
#include "trace/wait_before.h"

struct gap_sum {
	struct file_gaps all;
	const struct snap *sn;
	const struct trace_filter *f;
	stk_id none;			/* the node "(no stack)" */
};

/* Return the part of [a, b) of a goroutine that the filter selects. */
static int64_t selected(const struct gap_sum *x, trk_id g, int64_t a, int64_t b)
{
	a = x->f->from != TIME_NONE && x->f->from > a ? x->f->from : a;
	b = x->f->to != TIME_NONE && x->f->to < b ? x->f->to : b;
	return b > a ? trace_filter_overlap(x->f, g, a, b) : 0;
}

static void add_interval(struct gap_sum *x, const struct sheet *sh, uint32_t row, uint32_t i)
{
	enum tstate s = (enum tstate)(sh->state[i] & SHEET_STATE);
	int64_t ns = s == TS_NONE ? 0
	    : selected(x, sh->trk[row], trace_interval_start(x->sn, sh, row, i), sheet_end(sh, row, i));
	wrap_add_to(&x->all.alive, ns);
	wrap_add_to(&x->all.unknown, s == TS_UNKNOWN ? ns : 0);
	if (!state_is_wait(s))
		return;
	stk_id stack = sheet_stack(sh, i);
	wrap_add_to(&x->all.waiting, ns);
	wrap_add_to(&x->all.no_stack, !stack || stack == x->none ? ns : 0);
}

static void add_before_first_event(struct gap_sum *x, trk_id g)
{
	const struct trk_row *r = store_trk(x->sn->st, g);
	int64_t heard = r->kind == TK_G ? store_heard(x->sn->st, r) : TIME_NONE;
	struct trace_interval v;
	if (heard == TIME_NONE || trace_wait_before(x->sn, g, &v))
		return;
	int64_t ns = selected(x, g, r->t0, heard);
	wrap_add_to(&x->all.alive, ns);
	wrap_add_to(&x->all.unknown, ns);
}

struct file_gaps file_gaps_find(const struct snap *sn, const struct trace_filter *f)
{
	struct gap_sum x = {.sn = sn, .f = f, .none = trace_no_stack_node(sn)};
	for (uint32_t k = 0; k < sn->nsheets && watcher_report(&f->on, k, sn->nsheets); k++) {
		const struct sheet *sh = sheet_get(sn, k);
		for (uint32_t row = sh->nother; row < sh->ntrk && sh->trk[row] < sn->ntrks; row++)
			for (uint32_t i = sh->first[row]; i < sh->first[row + 1]; i++)
				add_interval(&x, sh, row, i);
	}
	for (trk_id g = 1; g < sn->ntrks; g++)
		add_before_first_event(&x, g);
	return x.all;
}
