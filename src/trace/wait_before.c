/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Waits since before the trace. No flag marks them in the store, since it would cost a bit of each interval: they are the
 * waits in which a goroutine that nothing created is when sheets first have it.
 */
#include "config.h"
#include "trace/wait_before.h"

#include "trace/longest_wait.h"

/* Return from when on sheets have a goroutine that existed before the trace; TIME_NONE: it did not. A goroutine that
   appears later without a creation is one whose events are missing, or of a thread of C code. Logs have the reasons of
   waits. */
static int64_t seen_from(const struct snap *sn, trk_id g)
{
	const struct trk_row *r = store_trk(sn->st, g);
	int64_t heard = store_heard(sn->st, r);
	if (sn->trace.log || r->kind != TK_G || r->t0 == TIME_NONE || r->creator || store_origin(sn->st, r)->created)
		return TIME_NONE;
	return heard != TIME_NONE ? heard : r->t0 <= sn->t0 ? r->t0 : TIME_NONE;
}

bool trace_began_before(const struct snap *sn, trk_id g, int64_t t)
{
	int64_t from = seen_from(sn, g);
	return from != TIME_NONE && t <= from;
}

bool trace_wait_before(const struct snap *sn, trk_id g, struct trace_interval *v)
{
	int64_t from = seen_from(sn, g);
	if (from == TIME_NONE || !trace_interval_at(sn, g, from, v) || !state_is_wait(v->state))
		return false;
	v->t0 = store_trk(sn->st, g)->t0;
	return true;
}

bool trace_waits_before(const struct snap *sn, trk_id g, int64_t t)
{
	struct trace_interval v;
	return g && trace_began_before(sn, g, t) && trace_wait_before(sn, g, &v);
}

bool trace_interval_continues(const struct snap *sn, const struct sheet *sh, uint32_t row, uint32_t i)
{
	struct trace_interval v;
	int64_t t = sh->t0 + sheet_start(sh, i);
	if (i > sh->first[row])
		return sheet_continues(sh->state[i - 1], sh->state[i]);
	if (sh->state[i] & SHEET_CONT)
		return true;
	return state_is_wait((enum tstate)(sh->state[i] & SHEET_STATE)) && seen_from(sn, sh->trk[row]) < t &&
	    trace_wait_before(sn, sh->trk[row], &v) && t < v.t1;
}

int64_t trace_interval_start(const struct snap *sn, const struct sheet *sh, uint32_t row, uint32_t i)
{
	int64_t t = sh->t0 + sheet_start(sh, i);
	bool first = i == sh->first[row] || (sh->state[i - 1] & SHEET_STATE) == TS_NONE;
	bool waits = state_is_wait((enum tstate)(sh->state[i] & SHEET_STATE)) && !(sh->state[i] & SHEET_CONT);
	return first && waits ? trace_wait_start(sn, sh->trk[row], t) : t;
}
