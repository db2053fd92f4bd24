/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Loading the time range that the user looks at first. A trace is read in order, because the state
 * at a time depends on all earlier events. If the user goes to a time that is not read yet, its
 * generations are read first (load/gotrace/partial.c), into a session of their own, while the
 * reading of the whole trace is paused; then that continues, and the panes show the part until
 * everything before it has been read too, or until the user goes back with Esc. Then the same
 * window, row and filters are shown in the whole trace.
 *
 * There are two sessions, not one store with a gap: a part does not know when a wait began before
 * it, or the creator of a goroutine, and no guess about these may get into the whole trace.
 */
#include "config.h"
#include "app/internal.h"

#include "base/text/text.h"
#include "session/trace_open.h"

#include <stdlib.h>
#include <string.h>

/* Return the session that reads the trace from the start. */
static struct session *whole_session(const struct app *a)
{
	return a->files.partial.whole ? a->files.partial.whole : a->s;
}

/* Return the session that app_job() reports on. */
const struct session *partial_load_session(const struct app *a)
{
	if (a->files.reload.next)
		return a->files.reload.next;
	if (a->files.partial.part)
		return a->files.partial.part;
	return session_job(a->s) ? a->s : whole_session(a);
}

bool partial_load_is_active(const struct app *a)
{
	return a->files.partial.whole || a->files.partial.part || a->files.partial.wanted || a->files.partial.next;
}

static bool is_share(const char *s, double *share)
{
	char *end;
	double v = strtod(s, &end);
	*share = v / 100;
	return end != s && !strcmp(end, "%") && v >= 0 && v <= 100;
}

/* Convert a share to a time; while the trace is read, by the duration in its outline. false: not known. */
static bool time_of(const struct snap *sn, double share, int64_t *t)
{
	bool known = sn->complete || (sn->outline && sn->outline->whole);
	if (known)
		*t = (int64_t)((double)(sn->complete ? sn->t1 : sn->outline->t1) * share);
	return known;
}

bool partial_load_parse_time(const struct app *a, const char *s, int64_t *t)
{
	const struct snap *sn = session_snap(whole_session(a));
	struct err e;
	double share;
	return !sn->complete && is_share(s, &share) ? time_of(sn, share, t) : !query_parse_time(sn, s, t, &e);
}

/* Return whether t is in the trace, as far as known, and is not read yet. */
bool partial_load_can_reach(const struct app *a, int64_t t)
{
	const struct snap *sn = session_snap(whole_session(a));
	return session_may_part(whole_session(a)) && t >= sn->t1 &&
	       (!sn->outline || !sn->outline->whole || t <= sn->outline->t1);
}

static void report_loading(struct app *a)
{
	struct buf b = {0};
	if (a->files.partial.t0 == TIME_NONE)
		buf_printf(&b, "%g%%", 100 * a->files.partial.share);
	else
		text_ns(&b, a->files.partial.t0);
	app_message(a, ST_DIM, "reading %s first (Esc: read in order)", buf_str(&b));
	buf_free(&b);
}

/* Detach the part that is being loaded, if any, and resume reading the whole trace. */
static struct session *take_part(struct app *a)
{
	struct session *part = a->files.partial.part;
	if (part)
		session_pause_loading(whole_session(a), false);
	a->files.partial.part = NULL;
	return part;
}

void partial_load_start(struct app *a, int64_t t0, int64_t t1)
{
	struct err e;
	session_close(take_part(a));
	a->files.partial.part = session_open_part(whole_session(a), t0, t1, &e);
	a->files.partial.wanted = a->files.partial.next = false;
	if (!a->files.partial.part) {
		app_message(a, ST_ERROR, "%s", e.msg);
		return;
	}
	session_pause_loading(whole_session(a), true);
	a->files.partial.t0 = t0;
	a->files.partial.t1 = t1;
	report_loading(a);
}

/* Request a part later: before the first event its place in the file is not known, nor the duration for a share. */
static void queue_part(struct app *a, int64_t t, double share)
{
	a->files.partial.wanted = true;
	a->files.partial.t0 = a->files.partial.t1 = t;
	a->files.partial.share = share;
	report_loading(a);
}

static void show_place(struct app *a, const struct place *p)
{
	if (!pane_now(a)->go || !pane_now(a)->go(state_now(a), &a->env, p))
		app_open(a, "timeline", p);
}

/* Go to the requested time in the loaded part. */
static void show_part(struct app *a)
{
	const struct snap *sn = session_snap(a->s);
	struct place p = PLACE_NONE;
	struct buf b = {0};
	p.t0 = a->files.partial.t0;
	if (a->files.partial.t1 > a->files.partial.t0)
		p.t1 = a->files.partial.t1;
	show_place(a, &p);
	text_ns(&b, sn->t0);
	buf_puts(&b, " to ");
	text_ns(&b, sn->t1);
	app_message(a, ST_NORMAL, "only %s, while the rest is being read; Esc: show what has been read so far",
	    buf_str(&b));
	buf_free(&b);
}

static void update_part(struct app *a)
{
	struct session *was = a->s, *part = a->files.partial.part;
	struct err e;
	session_refresh(part);
	if (session_job(part))
		return;
	take_part(a);
	if (session_failed(part, &e) || session_snap(part)->t1 <= session_snap(part)->t0) {
		app_message(a, ST_DIM, "this part is being read, or cannot be read first: the view moves "
		    "there when it has been read");
		a->files.partial.next = true;
		session_close(part);
		return;
	}
	reload_switch_session(a, part, false);
	if (a->files.partial.whole)
		session_close(was);	/* it was another part */
	else
		a->files.partial.whole = was;
	show_part(a);
}

/* Switch from the part to the whole trace; keep the position if it exists there. */
static void turn_back(struct app *a, bool same)
{
	struct session *part = a->s;
	session_refresh(a->files.partial.whole);
	reload_switch_session(a, a->files.partial.whole, same);
	a->files.partial.whole = NULL;
	session_close(part);
}

/* Go to a time in the shown session or in what is read so far; otherwise load it first. */
static void goto_time(struct app *a, int64_t t)
{
	const struct snap *here = session_snap(a->s);
	bool is_here = t >= here->t0 && t < here->t1;
	if (!is_here && partial_load_can_reach(a, t)) {
		partial_load_start(a, t, t);
		return;
	}
	if (!is_here && a->files.partial.whole)
		turn_back(a, false);
	struct place p = PLACE_NONE;
	p.t0 = t;
	show_place(a, &p);
}

/* Serve a queued request if it can be resolved now. */
static void update_queued(struct app *a)
{
	const struct snap *sn = session_snap(whole_session(a));
	bool known = a->files.partial.wanted && (session_may_part(whole_session(a)) || sn->complete);
	if (a->files.partial.wanted && a->files.partial.t0 == TIME_NONE &&
	    !time_of(sn, a->files.partial.share, &a->files.partial.t0))
		return;
	if (!known && !(a->files.partial.next && (sn->complete || sn->t1 > a->files.partial.t0)))
		return;
	a->files.partial.wanted = a->files.partial.next = false;
	goto_time(a, a->files.partial.t0);
}

/* Return whether the panes may switch to another session: not while the user types or uses a menu, nor from a
   session with a second file. */
static bool may_turn(const struct app *a)
{
	return !a->prompt.cmd && !a->pop.kind &&
	       (!a->files.partial.whole || (session_nsides(a->s) == 1 && !session_job(a->s)));
}

void partial_load_update(struct app *a)
{
	if (!partial_load_is_active(a) || !may_turn(a))
		return;
	update_queued(a);
	if (a->files.partial.part) {
		update_part(a);
		return;
	}
	if (!a->files.partial.whole)
		return;
	session_refresh(a->files.partial.whole);
	const struct snap *sn = session_snap(a->files.partial.whole);
	if (sn->complete || sn->t1 >= session_snap(a->s)->t1 || session_failed(a->files.partial.whole, NULL)) {
		turn_back(a, true);
		app_message(a, ST_NORMAL, "everything before it has been read too");
	}
}

bool partial_load_cancel(struct app *a)
{
	if (a->files.partial.part || a->files.partial.wanted || a->files.partial.next) {
		session_close(take_part(a));
		a->files.partial.wanted = a->files.partial.next = false;
		app_message(a, ST_WARN, "cancelled: the file is read in order");
		return true;
	}
	if (!a->files.partial.whole)
		return false;
	turn_back(a, false);
	app_message(a, ST_NORMAL, "showing what has been read so far");
	return true;
}

bool partial_load_goto(struct app *a, const char *arg)
{
	int64_t t;
	double share;
	if (!partial_load_is_active(a) && !session_has_parts(a->s))
		return false;
	if (!partial_load_parse_time(a, arg, &t)) {
		bool later = is_share(arg, &share) && session_snap(whole_session(a))->outline;
		if (later)
			queue_part(a, TIME_NONE, share);
		return later;
	}
	if (!partial_load_is_active(a) && !session_may_part(a->s)) {
		queue_part(a, t, 0);
		return true;
	}
	if (!partial_load_is_active(a) && !partial_load_can_reach(a, t) && t >= session_snap(a->s)->t1)
		return false;	/* after the end of the trace */
	goto_time(a, t);
	return true;
}

void partial_load_free(struct app *a)
{
	session_close(take_part(a));
	session_close(a->files.partial.whole);
}
