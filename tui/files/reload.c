/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Reload: the open file is fetched or read again in the background, while the old data stays on the
 * screen.
 *
 * A profile becomes another side of the session, shown instead of the first: all ids, filters and
 * zooms stay valid, u returns to the previous one and D compares both. Traces cannot share a store,
 * so a trace is read into a new session, and when that is complete the panes are opened again on
 * it: filters, pane and selection are restored by names. A previous comparison is lost. The old session is kept
 * for D, which makes its trace the base, until the next reload: the file has been overwritten.
 */
#include "config.h"
#include "app/internal.h"
#include "term/key.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "session/download.h"

#include <string.h>

const struct session *reload_session(const struct app *a)
{
	return a->files.reload.next ? a->files.reload.next : a->s;
}

struct job *app_job(const struct app *a)
{
	return session_job(reload_session(a));
}

struct session *app_session(const struct app *a)
{
	return a->s;
}

/* ---- a trace: another session */

struct carried {	/* identified by names and numbers, because ids differ */
	struct query q;
	const char *fun;
	enum track_kind kind;
	uint64_t id, g, proc;
	int64_t t0, t1;
};

static trk_id track_of(const struct session *s, enum track_kind kind, uint64_t id)
{
	const struct snap *sn = session_snap(s);
	for (trk_id i = 1; kind && i < sn->ntrks; i++)
		if (store_trk(sn->st, i)->kind == kind && store_trk(sn->st, i)->id == id)
			return i;
	return 0;
}

static uint64_t id_of(const struct session *s, trk_id t)
{
	return t ? store_trk(session_snap(s)->st, t)->id : 0;
}

static struct carried carry_over(struct app *a)
{
	const struct store *st = session_snap(a->s)->st;
	struct carried c = {.q = *session_query(a->s)};
	struct place p;
	app_place(a, &p);
	if (p.by_default)
		p = PLACE_NONE;
	c.g = id_of(a->s, c.q.g);
	c.proc = id_of(a->s, c.q.proc);
	c.fun = p.fun ? app_fun_name(a, p.fun) : NULL;
	trk_id t = p.row ? p.row : p.trk;
	c.kind = t ? store_trk(st, t)->kind : TK_NONE;
	c.id = id_of(a->s, t);
	c.t0 = p.t0;
	c.t1 = p.t1;
	return c;
}

static void put_down(struct app *a, const struct carried *c)
{
	const struct snap *sn = session_snap(a->s);
	struct place p = PLACE_NONE;
	struct query q = c->q;
	q.g = track_of(a->s, q.g ? TK_G : TK_NONE, c->g);
	q.proc = track_of(a->s, q.proc ? TK_P : TK_NONE, c->proc);
	q.a = 1;
	q.b = 0;
	if (q.type != SIZE_MAX && q.type >= session_ntypes(a->s))
		q.type = SIZE_MAX;
	app_query(a, &q);
	for (fun_id i = 1; c->fun && !p.fun && i < sn->nfuns; i++)
		if (!strcmp(app_fun_name(a, i), c->fun))
			p.fun = i;
	p.trk = track_of(a->s, c->kind, c->id);
	p.t0 = c->t0;
	p.t1 = c->t1;
	if (pane_now(a)->go && (p.fun || p.trk))
		pane_now(a)->go(state_now(a), &a->env, &p);
}

/* After this nothing refers to the old session. */
static void switch_session(struct app *a, struct session *to)
{
	copy_pane_finish(a);
	if (a->prompt.cmd)		/* a prompt or menu refers to the old session */
		app_prompt_key(a, KEY_ESC);
	if (a->pop.kind)
		app_pop_key(a, KEY_ESC);
	struct carried c = carry_over(a);
	app_close_panes(a);
	a->s = a->env.s = to;
	if (a->patient)
		session_set_nonblocking(a->s);
	if (!app_pane_fits(a, a->cur))	/* the file is of another kind now */
		a->cur = app_default_pane(a);
	app_update(a);
	put_down(a, &c);
	a->nav.nundo = a->nav.undone = 0;
	a->in.turned = true;
}

static void change_over(struct app *a)
{
	struct session *old = a->s, *to = a->files.reload.next;
	a->files.reload.next = NULL;
	switch_session(a, to);
	bool whole = session_snap(old)->complete;
	session_close(a->files.reload.previous);
	a->files.reload.previous = NULL;
	session_retire(old);
	if (whole)
		a->files.reload.previous = old;
	else
		session_close(old);
	if (whole && a->files.reload.diff)
		compare_with_previous(a);
	else
		app_message(a, ST_NORMAL, whole ? "read again: D compares" : "read again");
}

static void update_next(struct app *a)
{
	struct err e;
	session_refresh(a->files.reload.next);
	if (session_job(a->files.reload.next))
		return;
	if (!session_failed(a->files.reload.next, &e)) {
		change_over(a);
		return;
	}
	session_close(a->files.reload.next);
	a->files.reload.next = NULL;
	app_message(a, ST_ERROR, "%s", e.msg);
}

/* ---- a profile: another side */

void reload_show_side(struct app *a, const struct side_news *n)
{
	struct query q = *session_query(a->s);
	a->files.reload.before = q.a;
	session_query_use_side(&q, SIDE_SHOW, n->side);
	if (a->files.reload.diff) {
		q.b = a->files.reload.before;
		q.show = SHOW_DELTA;
		q.of_rest = false;
	}
	if (!app_query(a, &q))
		return;
	if (a->files.reload.diff)
		app_message(a, ST_NORMAL, "read again: showing what has changed (:diff= ends the comparison)");
	else
		app_message(a, ST_NORMAL, "read again: D compares, u undoes");
}

static int add_files(struct app *a, struct err *e)
{
	const struct options *o = a->options;
	for (size_t i = 0; i < o->nfile; i++)
		if (session_add(a->s, o->file[i], i ? SIDE_MERGE : SIDE_SHOW, e))
			return -1;
	return 0;
}

/* ---- both kinds */

void reload_start(struct app *a, const char *arg)
{
	struct err e;
	int rc;
	const char *once = download_find_stream(a->options, session_is_trace(a->s));	/* a trace's base is read again, too */
	if (once) {
		app_message(
		    a, ST_WARN, "%s cannot be read a second time", strcmp(once, "-") ? once : "standard input");
		return;
	}
	/* a trace that is still being read may be read again: the new session replaces it when it is ready */
	if (a->files.reload.next || a->files.file_writer ||
	    (!session_is_trace(a->s) && app_job(a))) {
		app_message(a, ST_WARN, "a file is being read already: Esc cancels");
		return;
	}
	if (arg && *arg && strcmp(arg, "diff")) {
		app_message(a, ST_ERROR, "fetch requires no argument, or diff");
		return;
	}
	/* each reading of a profile is kept for comparison; without names, reading it again may find the program */
	if (!session_is_trace(a->s) && a->options->nfile == 1 && session_same_file(a->s) &&
	    session_snap(a->s)->nfuns > 1) {
		app_message(a, ST_DIM, "the file has not changed since it was read");
		return;
	}
	a->files.reload.diff = arg && *arg;
	if (session_is_trace(a->s)) {
		a->files.reload.next = session_open(a->options, &e);
		rc = a->files.reload.next ? 0 : -1;
	} else {
		rc = add_files(a, &e);
	}
	if (rc)
		app_message(a, ST_ERROR, "%s", e.msg);
	else
		app_message(a, ST_DIM, "reading again (Esc cancels)");
	app_refresh(a);
	a->status.sticky = true;
}

bool reload_cancel(struct app *a)
{
	if (!a->files.reload.next)
		return false;
	session_close(a->files.reload.next);
	a->files.reload.next = NULL;
	app_message(a, ST_WARN, "cancelled: the old data is kept");
	return true;
}

void reload_update(struct app *a, bool notified)
{
	const char *notice;
	if (a->files.reload.next)
		update_next(a);
	if (app_job(a) || !(notice = session_take_notice(a->s)))
		return;
	if (notified)
		app_message(
		    a, ST_NORMAL, "%s; %s", arena_strndup(&a->scratch, a->status.text, strlen(a->status.text)), notice);
	else
		app_message(a, ST_NORMAL, "%s", notice);
}

void app_wait(struct app *a)
{
	struct job *j;
	for (app_refresh(a); (j = app_job(a)); app_refresh(a))
		job_wait(j);
}
