/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * System calls that block: by site, for the group of goroutines that spends most time there. The wait for a child process
 * is one, too, but other advice fits.
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
	return names_is(start, "runtime.main") || names_is(start, "main.main");
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

/* Return the part of the samples of a site that wait for the end of a child process: no other method of os.Process blocks. */
static double part_of_children(const struct findings_run *r, const struct scan_site *x)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < x->nsample; i++) {
		stk_id s = x->sample[i].stack;
		while (s && !names_begins(names_function(r->st, s), "os.(*Process)."))
			s = stk_parent(r->st, s);
		n += s != 0;
	}
	return x->nsample ? (double)n / x->nsample : 0;
}

/* How much of the time with work the goroutines of a site are in its calls. */
struct call_site { const struct scan_site *x; const struct wait_site *at; uint32_t group; double share, fit; };

/* Return false if it is no site of calls that count. share: the threshold. */
static bool measure_calls(struct findings_run *r, uint32_t site, double share, struct call_site *c)
{
	const struct scan_site *x = &r->scan.site[site];
	int64_t ns;
	*c = (struct call_site){.x = x, .at = &r->scan.sites.v[site]};
	if (c->at->cls != TIME_SYSCALL || !x->nsample || !c->at->frame)
		return false;
	c->group = main_group(r, x, &ns);
	if (c->group == UINT32_MAX || part_awaited(r, x) < 0.5)
		return false;
	double relevant = findings_relevance(r, x->sample[0].g, ns, share);
	c->share = (double)ns / (double)groups_work(&r->groups.v[c->group]);
	c->fit = finding_fit(c->share, share);
	c->fit = relevant < c->fit ? relevant : c->fit;
	return true;
}

/* Return the finding of a site, without its sentence. */
static struct finding finding_of_calls(struct findings_run *r, const struct call_site *c)
{
	const struct scan_site *x = c->x;
	struct finding f = {.score = finding_score(c->share, 1), .affected_ns = groups_work(&r->groups.v[c->group]),
	    .t0 = x->from, .t1 = x->to, .trk = x->sample[0].g, .show_t0 = x->sample[0].t0, .show_t1 = x->sample[0].t1,
	    .see = "syscalls"};
	finding_culprit(r, &f, c->at->frame);
	finding_victims(r, &f, c->group, c->at->frame);
	finding_number(&f, "calls", (double)x->n);
	finding_number(&f, "call_ns", (double)x->ns);
	finding_number(&f, "longest_ns", (double)x->longest);
	finding_number(&f, "threads_mean", (double)x->ns / (double)r->wall);
	return f;
}

void rule_syscall(struct findings_run *r)
{
	for (uint32_t i = 0; i < r->scan.sites.n && i < r->scan.csite && findings_continue(r); i++) {
		const struct scan_site *x = &r->scan.site[i];
		double call = x->n ? finding_fit((double)x->ns / (double)x->n, LIMIT(r, SYSCALL, CALL)) : 0;
		struct call_site c;
		if (call < 0.5 || !measure_calls(r, i, LIMIT(r, SYSCALL, SHARE), &c) || part_of_children(r, x) > 0.5)
			continue;
		struct finding f = finding_of_calls(r, &c);
		finding_put_place(r, c.at->frame);
		buf_printf(&r->text, " blocks in system calls, on average %.1f threads: goroutines",
		    (double)x->ns / (double)r->wall);
		finding_put_group(r, c.group);
		buf_printf(&r->text, " are in them %.0f%% of their time, ", f.score);
		text_ns(&r->text, x->ns / (int64_t)x->n);
		buf_puts(&r->text, " a call");
		finding_add(r, call < c.fit ? call : c.fit, &f);
	}
}

void rule_child_process(struct findings_run *r)
{
	for (uint32_t i = 0; i < r->scan.sites.n && i < r->scan.csite; i++) {
		struct call_site c;
		if (!measure_calls(r, i, LIMIT(r, CHILD_PROCESS, SHARE), &c) || part_of_children(r, c.x) <= 0.5)
			continue;
		struct finding f = finding_of_calls(r, &c);
		finding_put_place(r, c.at->frame);
		buf_puts(&r->text, " waits for a child process: goroutines");
		finding_put_group(r, c.group);
		buf_printf(&r->text, " do so for %.0f%% of their time, up to ", f.score);
		text_ns(&r->text, c.x->longest);
		finding_add(r, c.fit, &f);
	}
}
