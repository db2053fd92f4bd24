/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * System calls that block: by site, for the group of goroutines that spends most time there.
 *
 * A goroutine may be parked in a call as a loop is in its idle wait: for the next signal, event of a device, or line of
 * input. Nothing in the call tells this from work. What tells it is that the calls fill the time of the goroutine, and
 * that no goroutine with work waits for it. Names of such functions are not listed: each library has others.
 */
#include "config.h"
#include "findings/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "base/wrap_math.h"

#include <string.h>

/* Add the time of the samples of a site by group, and return the group with most of it. */
static uint32_t main_group(const struct findings_run *r, const struct scan_site *x, int64_t *ns)
{
	uint32_t best = UINT32_MAX;
	*ns = 0;
	for (uint32_t i = 0; i < x->nsample; i++) {
		uint32_t group = r->groups.of[x->sample[i].g] - 1;
		int64_t sum = 0;
		for (uint32_t k = 0; k < x->nsample; k++)
			wrap_add_to(&sum, r->groups.of[x->sample[k].g] - 1 == group ? x->step : 0);
		if (group < r->groups.n && sum > *ns) {
			*ns = sum;
			best = group;
		}
	}
	return best;
}

static bool is_main(const struct findings_run *r, trk_id g)
{
	const struct str_row *start = store_str(r->st, store_trk_name(r->st, g));
	return (start->n == 12 && !memcmp(start->s, "runtime.main", 12)) ||
	    (start->n == 9 && !memcmp(start->s, "main.main", 9));
}

/* Is a goroutine parked in its calls? A call that takes a large part of the time range is a state and no cost, also if a
   goroutine waits for it: for a signal that ends the program, say. The end of the program waits for the main goroutine. */
static bool is_parked(struct findings_run *r, const struct scan_wait *w)
{
	const struct scan_details *x = scan_details_of(&r->scan, w->g);
	double calls = (double)x->calls, span = (double)wrap_sub(x->call_to, x->call_from);
	bool is_state = (double)wrap_sub(w->t1, w->t0) >= 0.25 * (double)r->wall;
	/* The last goroutine of a group ends the wait for all of them. */
	uint32_t group = r->groups.of[w->g] - 1;
	int64_t joined = group < r->groups.n ? r->groups.v[group].joined : x->joined;
	bool is_awaited = (double)wrap_add(x->ended, joined) >= 0.01 * calls || is_main(r, w->g);
	return calls > 0 && calls >= 0.95 * span && (double)x->idle < 0.02 * calls && (is_state || !is_awaited) &&
	    !findings_serves(r, w->g);
}

/* Return the part of the samples of a site whose goroutines are not parked in it. */
static double part_awaited(struct findings_run *r, const struct scan_site *x)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < x->nsample; i++)
		n += !is_parked(r, &x->sample[i]);
	return x->nsample ? (double)n / x->nsample : 0;
}

void rule_syscall(struct findings_run *r)
{
	for (uint32_t i = 0; i < r->scan.sites.n && i < r->scan.csite; i++) {
		const struct scan_site *x = &r->scan.site[i];
		const struct wait_site *at = &r->scan.sites.v[i];
		int64_t ns;
		double call = x->n ? finding_fit((double)x->ns / (double)x->n, LIMIT(r, SYSCALL, CALL)) : 0;
		if (at->cls != TIME_SYSCALL || call < 0.5 || !at->frame)
			continue;
		uint32_t group = main_group(r, x, &ns);
		if (group == UINT32_MAX || part_awaited(r, x) < 0.5)
			continue;
		double share = (double)ns / (double)groups_work(&r->groups.v[group]),
		       fit = finding_fit(share, LIMIT(r, SYSCALL, SHARE));
		struct finding f = {.score = finding_score(share, 1), .affected_ns = groups_work(&r->groups.v[group]),
		    .t0 = x->from, .t1 = x->to, .trk = x->sample[0].g, .show_t0 = x->sample[0].t0,
		    .show_t1 = x->sample[0].t1, .see = "syscalls"};
		double relevant = findings_relevance(r, x->sample[0].g, ns, LIMIT(r, SYSCALL, SHARE));
		fit = call < fit ? call : fit;
		fit = relevant < fit ? relevant : fit;
		finding_culprit(r, &f, at->frame);
		finding_victims(r, &f, group, at->frame);
		finding_put_place(r, at->frame);
		buf_printf(&r->text, " blocks in system calls, on average %.1f threads: goroutines",
		    (double)x->ns / (double)r->wall);
		finding_put_group(r, group);
		buf_printf(&r->text, " are in them %.0f%% of their time, ", f.score);
		text_ns(&r->text, x->ns / (int64_t)x->n);
		buf_puts(&r->text, " a call");
		finding_number(&f, "calls", (double)x->n);
		finding_number(&f, "call_ns", (double)x->ns);
		finding_number(&f, "longest_ns", (double)x->longest);
		finding_number(&f, "threads_mean", (double)x->ns / (double)r->wall);
		finding_add(r, fit, &f);
	}
}
