/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Keys that go from one span to another, w b ^ $, ( and ), W, gG and gp, and those about the span
 * under the cursor, Enter and H. The target is found from the snapshot and the query alone; then the
 * pane moves there.
 */
#include "config.h"
#include "timeline/internal.h"

#include "trace/longest_wait.h"

#include <stdio.h>
#include <string.h>

#define NO_WAKER "no goroutine woke it: a timer, the network poller, or before the trace"
#define STILL "it is still blocked at the end of the trace: nothing woke it"
#define NOWHERE "no goroutine under the cursor"

/* ---- finding the target, independent of the pane */

static void find_span(const struct snap *sn, const struct timeline_jump_query *q, struct timeline_jump_result *a)
{
	int dir = q->cmd == CMD_SPAN_NEXT ? 1 : -1;
	for (int n = q->n; n > 0; n--) {
		struct trace_interval iv = a->iv;
		bool on = a->any || trace_interval_at(sn, q->trk, q->at, &iv);
		bool found = on ? trace_interval_step(sn, &iv, dir) : trace_interval_near(sn, q->trk, q->at, dir, &iv);
		while (found && iv.state == TS_IDLE)
			found = trace_interval_step(sn, &iv, dir);
		if (!found)
			break;
		a->any = true;
		a->iv = iv;
	}
}

/* Return the goroutine of a track at a time; 0: none. */
static trk_id goroutine_at(const struct snap *sn, trk_id t, int64_t at)
{
	struct trace_interval iv;
	if (!t || store_trk(sn->st, t)->kind == TK_G)
		return t;
	return trace_interval_at(sn, t, at, &iv) ? iv.peer : 0;
}

static void name_goroutine(const struct snap *sn, struct timeline_jump_result *a, const char *what, trk_id g)
{
	struct buf b = {0};
	timeline_track_name(sn->st, g, &b);
	snprintf(a->text, sizeof a->text, "%s %s", what, buf_str(&b));
	buf_free(&b);
}

/* Set the target to goroutine g at t; for rows of Ps, to the P that it runs on. */
static void set_target(
    const struct snap *sn, const struct timeline_jump_query *q, struct timeline_jump_result *a, trk_id g, int64_t t)
{
	struct trace_interval iv;
	a->any = true;
	a->g = g;
	a->t = a->ran = t;
	if (q->kind != TL_P || !trace_interval_at(sn, g, t, &iv))
		return;
	for (int i = 0; i < 8 && !(iv.state == TS_RUN || iv.state == TS_ASSIST || iv.state == TS_SWEEP); i++)
		if (!trace_interval_step(sn, &iv, 1))
			return;
	a->p = iv.peer;
	a->ran = t < iv.t0 ? iv.t0 : t;
}

static void find_effect(
    const struct snap *sn, const struct timeline_jump_query *q, struct timeline_jump_result *a, trk_id g)
{
	struct wake_edges_walk walk = {0};
	struct edge e;
	if (!wake_edges_next(sn, &walk, g, q->at, sn->t1, &e)) {
		snprintf(a->text, sizeof a->text, "it wakes no goroutine after this time");
		return;
	}
	name_goroutine(sn, a, e.created ? "created" : "woke", e.to);
	set_target(sn, q, a, e.to, e.t);
}

static void find_cause(const struct snap *sn, const struct timeline_jump_query *q, struct timeline_jump_result *a)
{
	struct trace_interval iv;
	trk_id g = q->trk && trace_interval_at(sn, q->trk, q->at, &iv) ? goroutine_at(sn, q->trk, q->at) : 0;
	if (!g || !trace_interval_at(sn, g, q->at, &iv)) {
		snprintf(a->text, sizeof a->text, NOWHERE);
		return;
	}
	if (q->cmd == CMD_EFFECT) {
		find_effect(sn, q, a, g);
		return;
	}
	if (state_is_wait(iv.state) && trace_interval_end_text(sn, &iv)) {
		snprintf(a->text, sizeof a->text, STILL);
		return;
	}
	while (iv.state != TS_READY)
		if (tracepane_state_waits(iv.state)
			? !trace_interval_step(sn, &iv, 1)
			: !trace_interval_step(sn, &iv, -1) || tracepane_state_waits(iv.state))
			break;
	trk_id by = store_trk(sn->st, g)->creator;
	bool woken = iv.state == TS_READY && iv.peer;
	if (!woken && by && by < sn->ntrks) {
		int64_t born = store_trk(sn->st, g)->t0;
		name_goroutine(sn, a, "not woken since it was created by", by);
		set_target(sn, q, a, by, born != TIME_NONE && born > sn->t0 ? born - 1 : sn->t0);
	} else if (!woken) {
		snprintf(a->text, sizeof a->text, NO_WAKER);
	} else {
		name_goroutine(sn, a, "woken by", iv.peer);
		a->wake = (struct tracepane_wake){iv.peer, g, iv.t0, iv.stack};
		set_target(sn, q, a, iv.peer, iv.t0 > sn->t0 ? iv.t0 - 1 : iv.t0);
	}
}

static void find_chain(const struct snap *sn, const struct timeline_jump_query *q, struct timeline_jump_result *a)
{
	trk_id g = goroutine_at(sn, q->trk, q->at);
	if (g && g < sn->ntrks && store_trk(sn->st, g)->kind == TK_G)
		a->nchain = timeline_follow_wakes(sn, g, q->at, a->chain);
	struct trace_interval iv;
	bool still =
	    g && trace_interval_at(sn, g, q->at, &iv) && state_is_wait(iv.state) && trace_interval_end_text(sn, &iv);
	if (!a->nchain)
		snprintf(a->text, sizeof a->text, "%s", still ? STILL : g ? NO_WAKER : NOWHERE);
}

static void find_target(const struct snap *sn, const struct timeline_jump_query *q, struct timeline_jump_result *a)
{
	switch ((int)q->cmd) {
	case CMD_SPAN_NEXT:
	case CMD_SPAN_PREV: find_span(sn, q, a); break;
	case CMD_SPAN_FIRST: a->any = trace_interval_near(sn, q->trk, sn->t0, 1, &a->iv); break;
	case CMD_SPAN_LAST: a->any = trace_interval_near(sn, q->trk, sn->t1, -1, &a->iv); break;
	case CMD_CAUSE:
	case CMD_EFFECT: find_cause(sn, q, a); break;
	case CMD_CHAIN: find_chain(sn, q, a); break;
	case CMD_OPEN:
	case CMD_HIGHLIGHT: a->any = q->trk && trace_interval_at(sn, q->trk, q->at, &a->iv); break;
	default:	/* gG, gp: the span at the cursor, or the nearest in time */
		a->any = !trace_interval_at(sn, q->trk, q->at, &a->iv) &&
			 (trace_interval_near(sn, q->trk, q->at, 1, &a->iv) ||
			     trace_interval_near(sn, q->trk, q->at, -1, &a->iv));
	}
}

/* ---- moving to the target */

static void go_to_g(struct timeline *tl, const struct pane_env *env, const struct timeline_jump_result *a)
{
	timeline_goto_time(tl, env, a->t);
	if (tl->rows.kind == TL_G || tl->rows.kind == TL_T)
		timeline_show_track(tl, env, a->g);
	else if (a->p && timeline_select_track(tl, env, a->p) && a->ran > a->t)
		timeline_goto_time(tl, env, a->ran);
}

/* Place the cursor on a span: in its middle if that is in the window, else at its start. */
static void stand_on(struct timeline *tl, const struct pane_env *env, const struct trace_interval *iv)
{
	int64_t m = iv->t0 + (iv->t1 - iv->t0) / 2;
	timeline_goto_time(tl, env, m >= tl->t0 && m < tl->t1 ? m : iv->t0);
}

static enum verdict apply_result(struct timeline *tl, const struct pane_env *env, const struct timeline_jump_query *q,
    const struct timeline_jump_result *a, struct ask *out)
{
	switch ((int)q->cmd) {
	case CMD_CHAIN:
		memcpy(tl->wake.chain, a->chain, a->nchain * sizeof *a->chain);
		tl->wake.nchain = a->nchain;
		tl->wake.atchain = a->nchain > 1;
		break;
	case CMD_CAUSE:
	case CMD_EFFECT:
		if (a->any)
			go_to_g(tl, env, a);
		tl->wake.link = a->wake;
		tl->wake.at = tl->at;
		break;
	case CMD_GOTO_G:
	case CMD_GOTO_P:
		if (a->any)
			timeline_goto_time(tl, env, a->iv.t0 + (a->iv.t1 - a->iv.t0) / 2);
		break;
	case CMD_HIGHLIGHT: return timeline_highlight_like(tl, env, a->any ? &a->iv : NULL, out);
	case CMD_OPEN:
		if (a->any)
			timeline_fit_interval(tl, env, a->iv.t0, a->iv.t1);
		break;
	default:
		if (a->any)
			stand_on(tl, env, &a->iv);
	}
	return a->text[0] ? pane_message(out, "%s", a->text) : V_DONE;
}

enum verdict timeline_jump(
    struct timeline *tl, const struct pane_env *env, enum cmd_id cmd, int n, trk_id t, struct ask *out)
{
	struct timeline_jump_query q = {cmd, n, tl->rows.kind, t, tl->at};
	struct timeline_jump_result a = {0};
	find_target(session_snap(env->s), &q, &a);
	return apply_result(tl, env, &q, &a, out);
}
