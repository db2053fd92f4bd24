/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The rule about goroutines that wait for their turn at a rate limiter. A sleep that limits a rate is like any other: only
 * the names of its functions, types and packages tell. So this rule goes by two words in names. A limiter without one of them
 * is not found, and something else with one of them is found if goroutines sleep in it and work elsewhere in between.
 */
#include "config.h"
#include "findings/internal.h"
#include "findings/measures/group_weights.h"

#include "base/text/text.h"
#include "base/wrap_math.h"
#include "trace/bins.h"
#include "trace/user_code.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* Do timers end most of the waits at a site? */
static bool is_ended_by_timers(const struct wait_site *at, const struct scan_site *x)
{
	return at->cls == TIME_SLEEP ||
	    ((at->cls == TIME_SELECT || at->cls == TIME_CHANNEL) && at->state != TS_CHANSEND && x->woken < x->ns / 2);
}

/* The path of the module does not count. */
static bool is_limiter(const struct store *st, stk_id node)
{
	static const char *const words[] = {"limit", "throttl"};
	const struct str_row *name = names_function(st, node);
	const char *slash = name->n ? text_last(name->s, '/', name->n) : NULL;
	for (size_t i = slash ? (size_t)(slash - name->s) : 0; i < name->n; i++)
		for (size_t w = 0; w < sizeof words / sizeof *words; w++)
			if (name->n - i >= strlen(words[w]) && !strncasecmp(name->s + i, words[w], strlen(words[w])))
				return true;
	return false;
}

/* Return the node of the outermost function of the limiter in which a goroutine waits; 0: it is none, or nothing calls it.
   A limiter may wait in a function of another name. */
static stk_id limiter_of(const struct store *st, stk_id stack)
{
	enum { INSIDE = 3 };
	stk_id found = 0, s = user_code_first_frame(st, stack);
	for (int i = 0; s && (found ? is_limiter(st, s) : i < INSIDE); i++) {
		found = is_limiter(st, s) ? s : 0;
		s = user_code_first_frame(st, stk_parent(st, s));
	}
	return s ? found : 0;
}

/* After the wait, does the goroutine wait or call elsewhere before it comes back? Otherwise the limiter has a loop of its
   own, which hands out what others use. */
static bool works_between(const struct findings_run *r, const struct scan_wait *w, stk_id limiter)
{
	enum { STEPS = 32 };
	fun_id fun = store_frm(r->st, stk_frame(r->st, limiter))->fun;
	struct trace_interval v;
	bool more = trace_interval_at(r->sn, w->g, w->t1, &v);
	for (int i = 0; more && i < STEPS; i++, more = trace_interval_step(r->sn, &v, 1)) {
		if (v.state == TS_READY || !v.stack)
			continue;
		return !time_parts_node_in(r->st, v.stack, fun);
	}
	return false;
}

/* Return the limiter at which most samples of a site wait; 0: none. */
static stk_id main_limiter(const struct findings_run *r, const struct scan_site *x)
{
	uint32_t n = 0;
	stk_id limiter = 0;
	for (uint32_t i = 0; i < x->nsample; i++) {
		stk_id at = limiter_of(r->st, x->sample[i].stack);
		if (at && works_between(r, &x->sample[i], at)) {
			limiter = at;
			n++;
		}
	}
	return 2 * n > x->nsample ? limiter : 0;
}

static void judge_limiter(struct findings_run *r, uint32_t site)
{
	const struct scan_site *x = &r->scan.site[site];
	const struct wait_site *at = &r->scan.sites.v[site];
	struct group_weights waiting = {0};
	const struct scan_wait *w = x->sample;
	for (uint32_t i = 0; i < x->nsample; i++) {
		w = x->sample[i].t1 - x->sample[i].t0 > w->t1 - w->t0 ? &x->sample[i] : w;
		if (r->groups.of[x->sample[i].g])
			group_weights_add(&waiting, r->groups.of[x->sample[i].g] - 1, x->step);
	}
	struct group_weights_most most = group_weights_most(&waiting);
	double work = at->idle ? (double)x->ns * most.share : 0;
	for (uint32_t i = 0; i < most.n; i++)
		work += (double)groups_work(&r->groups.v[most.group[i]]);
	double share = work > 0 ? (double)x->ns * most.share / work : 0,
	       relevant = findings_relevance(r, w->g, x->ns, LIMIT(r, RATE_LIMIT, SHARE)),
	       fit = fmin(finding_fit(share, LIMIT(r, RATE_LIMIT, SHARE)), relevant);
	struct finding f = {.score = finding_score(share, 1), .affected_ns = wrap_clamp(work), .t0 = x->from, .t1 = x->to,
	    .trk = w->g, .show_t0 = w->t0, .show_t1 = w->t1, .see = "top -type=block"};
	finding_culprit_stack(r, &f, w->stack);
	for (uint32_t i = 0; i < most.n; i++)
		finding_victims(r, &f, most.group[i], at->frame);
	buf_puts(&r->text, "goroutines");
	finding_put_groups(r, most.group, most.n);
	buf_printf(&r->text, " are held back %.0f%% of their time by ", f.score);
	finding_put_place(r, at->frame);
	finding_put_caller(r, w->stack);
	buf_printf(&r->text, ", %llu times, up to ", (unsigned long long)x->n);
	text_ns(&r->text, x->longest);
	finding_number(&f, "share", share);
	finding_number(&f, "waits", (double)x->n);
	finding_number(&f, "wait_ns", (double)x->ns);
	finding_number(&f, "longest_ns", (double)x->longest);
	finding_add(r, fit, &f);
}

void rule_rate_limit(struct findings_run *r)
{
	for (uint32_t i = 0; i < r->scan.sites.n && i < r->scan.csite; i++) {
		const struct scan_site *x = &r->scan.site[i];
		if (x->nsample && is_ended_by_timers(&r->scan.sites.v[i], x) && main_limiter(r, x))
			judge_limiter(r, i);
	}
}
