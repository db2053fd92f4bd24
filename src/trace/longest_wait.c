/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The longest wait of many goroutines: the longest of all their spans (span_scan.c). A span counts in full, also
 * outside of the window, unless there were too many sheets: then it counts as far as it was walked.
 */
#include "config.h"
#include "trace/longest_wait.h"

#include "trace/span_scan.h"

struct longest_so_far { struct span_scan_item v; bool any; };

static void compare_longest(void *arg, const struct span_scan_item *v)
{
	struct longest_so_far *l = arg;
	int64_t more = (v->t1 - v->t0) - (l->v.t1 - l->v.t0);
	if (state_is_wait(v->state) && v->t1 > v->t0 &&
	    (!l->any || more > 0 || (!more && (v->k < l->v.k || (v->k == l->v.k && v->t0 < l->v.t0))))) {
		l->v = *v;
		l->any = true;
	}
}

bool longest_wait(const struct snap *sn, const struct longest_wait_query *q, struct trace_interval *best, bool *all)
{
	struct longest_so_far l = {0};
	*all = span_scan_run(sn, &(struct span_scan_run){.g = q->g,
				     .n = q->n,
				     .t0 = q->t0,
				     .t1 = q->t1,
				     .open = true,
				     .most = q->most,
				     .on = q->on,
				     .on_span = compare_longest,
				     .arg = &l});
	return l.any && trace_interval_at(sn, q->g[l.v.k], l.v.t0, best);
}

const char *trace_interval_end_text(const struct snap *sn, const struct trace_interval *v)
{
	if (!sn->complete || v->t1 < sn->t1)
		return NULL;
	return state_is_wait(v->state) ? "still blocked" : v->state == TS_READY ? "still runnable" : NULL;
}
