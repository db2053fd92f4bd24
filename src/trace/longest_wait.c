/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Who waited longest, of many goroutines: of all their spans (span_scan.c) the longest. One is as long as it is, also
 * where it goes on beyond the window; only where there were too many sheets to look at it counts as far as was looked.
 */
#include "config.h"
#include "trace/longest_wait.h"

#include "trace/span_scan.h"

struct longest { struct allspans_one v; bool any; };

static void judge(void *arg, const struct allspans_one *v)
{
	struct longest *l = arg;
	int64_t more = (v->t1 - v->t0) - (l->v.t1 - l->v.t0);
	if (state_waits(v->state) && v->t1 > v->t0 &&
	    (!l->any || more > 0 || (!more && (v->k < l->v.k || (v->k == l->v.k && v->t0 < l->v.t0))))) {
		l->v = *v;
		l->any = true;
	}
}

bool longest_wait(const struct snap *sn, const struct longwait_ask *q, struct ival *best, bool *all)
{
	struct longest l = {0};
	*all = allspans(sn, &(struct allspans){.g = q->g, .n = q->n, .t0 = q->t0, .t1 = q->t1, .at_hand = q->at_hand,
	    .open = true, .most = q->most, .on = q->on, .take = judge, .arg = &l});
	return l.any && ival_at(sn, q->g[l.v.k], l.v.t0, best);
}

const char *ival_still(const struct snap *sn, const struct ival *v)
{
	if (!sn->complete || v->t1 < sn->t1)
		return NULL;
	return state_waits(v->state) ? "still blocked" : v->state == TS_READY ? "still runnable" : NULL;
}
