/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The rules about waits that never end (stuck.h). With a wait for a lock a cluster is stuck-lock, without one stuck-wait.
 * Growing clusters without a lock are left to the rule `leak`. The score is how certain it is that the waits do not end:
 * what never ends is no share of anything.
 */
#include "config.h"
#include "findings/internal.h"

#include "base/text/text.h"
#include "trace/wait_before.h"

static const char *wanted(const struct findings_run *r, const struct stuck_site *x)
{
	switch (r->scan.sites.v[x->site].cls) {
	case TIME_LOCK: return "for a lock";
	case TIME_COND: return "for a condition";
	case TIME_WAITGROUP: return "for a wait group";
	case TIME_SELECT: return "in a select";
	case TIME_NETWORK: return "for the network";
	default: return x->state == TS_CHANSEND ? "to send" : "to receive";
	}
}

/* Return how many of the first lines wait in a ring, each for what the next one seems to hold, and the last one for what
   the first one holds: 2, or 0. */
static uint32_t ring(const struct findings_run *r, const struct stuck_cluster *c)
{
	return c->n >= 2 && stuck_holds(r, &c->v[0], &c->v[1]) && stuck_holds(r, &c->v[1], &c->v[0]) ? 2 : 0;
}

static void put_lines(struct findings_run *r, const struct stuck_cluster *c, uint32_t in_ring)
{
	enum { LINES = 4 };
	frm_id named = 0;
	for (uint32_t i = 0; i < c->n && i < LINES; i++) {
		const struct stuck_site *x = &c->v[i];
		frm_id at = r->scan.sites.v[x->site].frame;
		buf_puts(&r->text, i ? c->before ? ", " : ", then " : ": ");
		finding_put_place_after(r, at, named);
		buf_printf(&r->text, " (%u wait%s %s)", x->n, x->n == 1 ? "s" : "", wanted(r, x));
		named = at;
		if (i < in_ring) {
			stk_id holds = stuck_holds(r, x, &c->v[1 - i]);
			buf_puts(&r->text, " within ");
			finding_put_place(r, stk_frame(r->st, holds));
		}
	}
	if (c->n > LINES)
		buf_printf(&r->text, ", and %u more lines", c->n - LINES);
	if (in_ring)
		buf_puts(&r->text, ": each seems to hold what the other waits for");
}

static void put_head(struct findings_run *r, const struct stuck_cluster *c)
{
	bool one = c->waits == 1;
	if (c->before == c->waits) {
		buf_printf(&r->text, "%u goroutine%s ha%s waited " TRACE_BEFORE, c->waits, text_s(c->waits), one ? "s" : "ve");
		return;
	}
	buf_printf(&r->text, "%u goroutine%s %s blocked until the end of the trace, %s", c->waits, text_s(c->waits),
	    one ? "is" : "are", one ? "for " : "the longest for ");
	text_ns(&r->text, c->open);
	if (c->before)
		buf_printf(&r->text, ", %u of them " TRACE_BEFORE, c->before);
}

/* 100 times the open wait as a part of it and the longest that could still be normal. */
static double certainty(const struct findings_run *r, const struct stuck_cluster *c)
{
	double normal = LIMIT(r, STUCK_LOCK, OPEN) / 10;
	normal = (double)c->ended > normal ? (double)c->ended : normal;
	return finding_score((double)c->open, (double)c->open + normal);
}

static void report(struct findings_run *r, const struct stuck_cluster *c)
{
	const struct scan_open *first = &r->scan.open[c->v[0].first];
	struct finding f = {.score = certainty(r, c), .t0 = c->t0, .t1 = r->sn->t1, .trk = first->g, .show_t0 = first->t0,
	    .show_t1 = r->sn->t1, .see = c->locks ? "locks" : "leaks"};
	uint32_t in_ring = ring(r, c);
	for (uint32_t i = 0; i < c->n; i++) {
		const struct stuck_site *x = &c->v[i];
		frm_id at = r->scan.sites.v[x->site].frame;
		if (x->rank < STUCK_VICTIM)
			finding_culprit(r, &f, at);
		finding_victims(r, &f, r->groups.of[r->scan.open[x->first].g] - 1, at);
	}
	put_head(r, c);
	put_lines(r, c, in_ring);
	finding_number(&f, "goroutines", c->waits);
	if (c->before)
		finding_number(&f, "since_before_trace", c->before);
	finding_number(&f, "open_ns", (double)c->open);
	finding_number(&f, "longest_ended_ns", (double)c->ended);
	if (in_ring)
		finding_number(&f, "ring", in_ring);
	finding_add(r, c->served && c->fit >= 1 ? 0.99 : c->fit, &f);
}

static void judge(struct findings_run *r, bool locks)
{
	const struct stuck *s = findings_stuck(r);
	for (uint32_t i = 0; i < s->n; i++)
		if (s->v[i].locks == locks && !s->v[i].grows && s->v[i].n)
			report(r, &s->v[i]);
}

void rule_stuck_lock(struct findings_run *r)
{
	judge(r, true);
}

void rule_stuck_wait(struct findings_run *r)
{
	judge(r, false);
}
