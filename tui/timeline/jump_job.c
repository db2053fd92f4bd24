/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Keys that lead from one span to another, w b ^ $, ( and ), W, gG and gp, and those that are about the one under
 * the cursor, Enter and H. It is in the sheets. Where all of these stay in memory it is found with the key. Where they
 * come and go one may have to be made again first, up to two seconds of reading: then it is found beside the keyboard,
 * out of the snapshot and what the question says, and gone to when it is there.
 *
 * No other key comes before it (pane_ops.asks), for who presses w twice wants the span after the next; Esc drops it. A
 * job that was dropped is not waited for: the next question begins when it has ended.
 */
#include "config.h"
#include "timeline/timeline.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "trace/longest_wait.h"

#include <stdio.h>
#include <string.h>

#define NO_WAKER "no goroutine woke it: a timer, the network poller, or before the trace"
#define STILL "it is still blocked at the end of the trace: nothing woke it"
#define NOWHERE "no goroutine under the cursor"

struct tl_asking {
	struct job *job;
	bool dropped, more;	/* nobody wants it any more; next is wanted */
	const struct snap *sn;
	struct tl_question q, next;
	struct tl_answer a;
};

/* ---- looking, which knows nothing of the pane */

static void find_span(const struct snap *sn, const struct tl_question *q, struct tl_answer *a, const struct job *j)
{
	int dir = q->cmd == CMD_SPAN_NEXT ? 1 : -1;
	for (int n = q->n; n > 0 && !(j && job_cancelled(j)); n--) {
		struct ival iv = a->iv;
		bool on = a->any || ival_at(sn, q->trk, q->at, &iv);
		bool found = on ? ival_step(sn, &iv, dir) : ival_near(sn, q->trk, q->at, dir, &iv);
		while (found && iv.state == TS_IDLE)
			found = ival_step(sn, &iv, dir);
		if (!found)
			break;
		a->any = true;
		a->iv = iv;
	}
}

/* The goroutine on a track at a moment; 0: none. */
static trk_id goroutine(const struct snap *sn, trk_id t, int64_t at)
{
	struct ival iv;
	if (!t || store_trk(sn->st, t)->kind == TK_G)
		return t;
	return ival_at(sn, t, at, &iv) ? iv.who : 0;
}

static void named(const struct snap *sn, struct tl_answer *a, const char *what, trk_id g)
{
	struct buf b = {0};
	tl_track_name(sn->st, g, &b);
	snprintf(a->text, sizeof a->text, "%s %s", what, buf_str(&b));
	buf_free(&b);
}

/* To what goroutine g does at t; where rows are Ps, to the one that it runs on then. */
static void lead(const struct snap *sn, const struct tl_question *q, struct tl_answer *a, trk_id g, int64_t t)
{
	struct ival iv;
	a->any = true;
	a->g = g;
	a->t = a->ran = t;
	if (q->kind != TL_P || !ival_at(sn, g, t, &iv))
		return;
	for (int i = 0; i < 8 && !(iv.state == TS_RUN || iv.state == TS_ASSIST || iv.state == TS_SWEEP); i++)
		if (!ival_step(sn, &iv, 1))
			return;
	a->p = iv.who;
	a->ran = t < iv.t0 ? iv.t0 : t;
}

static void find_effect(const struct snap *sn, const struct tl_question *q, struct tl_answer *a, trk_id g)
{
	struct edge_walk walk = {0};
	struct edge e;
	if (!edges_from(sn, &walk, g, q->at, sn->t1, &e)) {
		snprintf(a->text, sizeof a->text, "it wakes no goroutine after this time");
		return;
	}
	named(sn, a, e.created ? "created" : "woke", e.to);
	lead(sn, q, a, e.to, e.t);
}

static void find_cause(const struct snap *sn, const struct tl_question *q, struct tl_answer *a)
{
	struct ival iv;
	trk_id g = q->trk && ival_at(sn, q->trk, q->at, &iv) ? goroutine(sn, q->trk, q->at) : 0;
	if (!g || !ival_at(sn, g, q->at, &iv)) {
		snprintf(a->text, sizeof a->text, NOWHERE);
		return;
	}
	if (q->cmd == CMD_EFFECT) {
		find_effect(sn, q, a, g);
		return;
	}
	if (state_waits(iv.state) && ival_still(sn, &iv)) {
		snprintf(a->text, sizeof a->text, STILL);
		return;
	}
	while (iv.state != TS_READY)
		if (tl_waits(iv.state) ? !ival_step(sn, &iv, 1) : !ival_step(sn, &iv, -1) || tl_waits(iv.state))
			break;
	trk_id by = store_trk(sn->st, g)->creator;
	bool woken = iv.state == TS_READY && iv.who;
	if (!woken && by && by < sn->ntrks) {
		int64_t born = store_trk(sn->st, g)->t0;
		named(sn, a, "not woken since it was created by", by);
		lead(sn, q, a, by, born != TIME_NONE && born > sn->t0 ? born - 1 : sn->t0);
	} else if (!woken) {
		snprintf(a->text, sizeof a->text, NO_WAKER);
	} else {
		named(sn, a, "woken by", iv.who);
		a->wake = (struct tp_wake){iv.who, g, iv.t0, iv.stack};
		lead(sn, q, a, iv.who, iv.t0 > sn->t0 ? iv.t0 - 1 : iv.t0);
	}
}

static void find_chain(const struct snap *sn, const struct tl_question *q, struct tl_answer *a)
{
	trk_id g = goroutine(sn, q->trk, q->at);
	if (g && g < sn->ntrks && store_trk(sn->st, g)->kind == TK_G)
		a->nchain = tl_follow(sn, g, q->at, a->chain);
	struct ival iv;
	bool still = g && ival_at(sn, g, q->at, &iv) && state_waits(iv.state) && ival_still(sn, &iv);
	if (!a->nchain)
		snprintf(a->text, sizeof a->text, "%s", still ? STILL : g ? NO_WAKER : NOWHERE);
}

static void find(const struct snap *sn, const struct tl_question *q, struct tl_answer *a, const struct job *j)
{
	switch ((int)q->cmd) {
	case CMD_SPAN_NEXT:
	case CMD_SPAN_PREV: find_span(sn, q, a, j); break;
	case CMD_SPAN_FIRST: a->any = ival_near(sn, q->trk, sn->t0, 1, &a->iv); break;
	case CMD_SPAN_LAST: a->any = ival_near(sn, q->trk, sn->t1, -1, &a->iv); break;
	case CMD_CAUSE:
	case CMD_EFFECT: find_cause(sn, q, a); break;
	case CMD_CHAIN: find_chain(sn, q, a); break;
	case CMD_OPEN:
	case CMD_HIGHLIGHT: a->any = q->trk && ival_at(sn, q->trk, q->at, &a->iv); break;
	default:	/* gG, gp: the span there, or the one that is nearest in time */
		a->any = !ival_at(sn, q->trk, q->at, &a->iv) &&
		    (ival_near(sn, q->trk, q->at, 1, &a->iv) || ival_near(sn, q->trk, q->at, -1, &a->iv));
	}
}

static int run(struct job *j, void *arg)
{
	struct tl_asking *k = arg;
	find(k->sn, &k->q, &k->a, j);
	return 0;
}

/* ---- going there */

static void go_to_g(struct timeline *tl, const struct pane_env *env, const struct tl_answer *a)
{
	tl_look_at(tl, env, a->t);
	if (tl->kind == TL_G || tl->kind == TL_T)
		tl_show_track(tl, env, a->g);
	else if (a->p && tl_select_track(tl, env, a->p) && a->ran > a->t)
		tl_look_at(tl, env, a->ran);
}

/* Where to stand on a span: its middle when that is in the window, else its first moment there. */
static void stand_on(struct timeline *tl, const struct pane_env *env, const struct ival *iv)
{
	int64_t m = iv->t0 + (iv->t1 - iv->t0) / 2;
	tl_look_at(tl, env, m >= tl->t0 && m < tl->t1 ? m : iv->t0);
}

static enum verdict apply(struct timeline *tl, const struct pane_env *env, const struct tl_question *q,
    const struct tl_answer *a, struct ask *out)
{
	switch ((int)q->cmd) {
	case CMD_CHAIN:
		memcpy(tl->chain, a->chain, a->nchain * sizeof *a->chain);
		tl->nchain = a->nchain;
		tl->atchain = a->nchain > 1;
		break;
	case CMD_CAUSE:
	case CMD_EFFECT:
		if (a->any)
			go_to_g(tl, env, a);
		tl->wake = a->wake;
		tl->wake_at = tl->at;
		break;
	case CMD_GOTO_G:
	case CMD_GOTO_P:
		if (a->any)
			tl_look_at(tl, env, a->iv.t0 + (a->iv.t1 - a->iv.t0) / 2);
		break;
	case CMD_HIGHLIGHT: return tl_highlight_like(tl, env, a->any ? &a->iv : NULL, out);
	case CMD_OPEN:
		if (a->any)
			tl_fit_to(tl, env, a->iv.t0, a->iv.t1);
		break;
	default:
		if (a->any)
			stand_on(tl, env, &a->iv);
	}
	return a->text[0] ? ask_say(out, "%s", a->text) : V_DONE;
}

/* ---- asking */

static bool start(struct timeline *tl, const struct snap *sn, const struct tl_question *q)
{
	struct tl_asking *k = xcalloc(1, sizeof *k);
	*k = (struct tl_asking){.sn = sn, .q = *q};
	k->job = job_start(run, k);
	if (!k->job) {
		mem_free(k);
		return false;
	}
	tl->asking = k;
	return true;
}

enum verdict tl_ask(struct timeline *tl, const struct pane_env *env, enum cmd_id cmd, int n, trk_id t, struct ask *out)
{
	const struct snap *sn = session_snap(env->s);
	struct tl_question q = {cmd, n, tl->kind, t, tl->at};
	bool later = sn->st->keep || job_wanted() > 1;
	if (later && tl->asking) {	/* one that was dropped has to end first */
		tl->asking->next = q;
		tl->asking->more = true;
	} else if (!later || !start(tl, sn, &q)) {
		struct tl_answer a = {0};
		find(sn, &q, &a, NULL);
		return apply(tl, env, &q, &a, out);
	}
	return ask_say(out, "searching; Esc cancels");
}

struct job *tl_ask_job(const struct timeline *tl)
{
	return tl->asking ? tl->asking->job : NULL;
}

bool tl_asks(const void *st)
{
	const struct timeline *tl = st;
	return tl->asking && (!tl->asking->dropped || tl->asking->more);
}

bool tl_ask_drop(struct timeline *tl)
{
	bool any = tl_asks(tl);
	if (any) {
		tl->asking->dropped = true;
		tl->asking->more = false;
		job_cancel(tl->asking->job);
	}
	return any;
}

void tl_ask_done(struct timeline *tl, const struct pane_env *env, struct ask *out)
{
	struct tl_asking *k = tl->asking;
	int64_t at = tl->at, t0 = tl->t0;
	tl->asking = NULL;
	job_join(k->job);
	if (!k->dropped && apply(tl, env, &k->q, &k->a, out) == V_DONE && !k->a.any && !k->a.nchain && at == tl->at &&
	    t0 == tl->t0)
		ask_say(out, "%s: %s", cmds[k->q.cmd].name,	/* as no_effect_message.c of other keys */
		    k->q.cmd == CMD_OPEN ? "nothing to open here" : "changes nothing here");
	if (k->more && !start(tl, k->sn, &k->next)) {
		struct tl_answer a = {0};
		find(k->sn, &k->next, &a, NULL);
		apply(tl, env, &k->next, &a, out);
	}
	mem_free(k);
}

void tl_ask_free(struct timeline *tl)
{
	if (!tl->asking)
		return;
	job_cancel(tl->asking->job);
	job_join(tl->asking->job);
	mem_free(tl->asking);
	tl->asking = NULL;
}
