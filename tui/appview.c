/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A view as the command line that shows it again.
 *
 * It holds what the query holds, by the options of the same names, and -at=@ with the
 * numbers of the pane's view: zoom, rows, level and cursor, as undo keeps them. They mean
 * something to the same program and the same file alone. What options say of times, goroutines
 * and places is taken as soon as enough of the file has been read to know what they mean.
 */
#include "config.h"
#include "inside.h"

#include "base/mem.h"
#include "base/text.h"
#include "session/tracefile.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* In single quotes where the shell would see more in it than a word. */
static void quote(struct buf *b, const char *s)
{
	static const char safe[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+";
	if (*s && !s[strspn(s, safe)]) {
		buf_puts(b, s);
		return;
	}
	buf_putc(b, '\'');
	for (; *s; s++)
		if (*s == '\'')
			buf_puts(b, "'\\''");
		else
			buf_putc(b, *s);
	buf_putc(b, '\'');
}

static void option(struct buf *b, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	buf_printf(b, " -%s=", name);
	quote(b, value);
}

static void number(struct buf *b, const char *name, const struct store *st, trk_id trk)
{
	if (trk)
		buf_printf(b, " -%s=%llu", name, (unsigned long long)store_trk(st, trk)->id);
}

static void filters(const struct query *q, struct buf *b)
{
	const struct filters *f = &q->f;
	option(b, "focus", f->focus);
	option(b, "ignore", f->ignore);
	option(b, "hide", f->hide);
	option(b, "show", f->show);
	option(b, "show_from", f->show_from);
	option(b, "prune_from", f->prune_from);
	option(b, "tagfocus", f->tagfocus);
	option(b, "tagignore", f->tagignore);
	option(b, "tagshow", f->tagshow);
	option(b, "taghide", f->taghide);
	option(b, "tagroot", f->tagroot);
	option(b, "tagleaf", f->tagleaf);
	option(b, "group", q->group);
	option(b, "task", q->task);
	option(b, "region", q->region);
	option(b, "goroutine", q->gs);
	option(b, "latency", q->latency);
	if (query_has_rest(q))
		buf_puts(b, " -rest");
}

void app_numbers_put(struct buf *b, const struct view *v, char between)
{
	for (int i = 0; i < 8; i++) {
		if (i)
			buf_putc(b, between);
		buf_printf(b, "%" PRId64, i < 4 ? v->zoom[i] : v->cursor[i - 4]);
	}
}

const char *app_numbers_take(const char *s, struct view *v)
{
	for (int i = 0; i < 8; i++) {
		char *end;
		s += i && *s == ',';
		errno = 0;
		int64_t n = strtoll(s, &end, 10);
		if (end == s || errno)
			return NULL;
		*(i < 4 ? &v->zoom[i] : &v->cursor[i - 4]) = n;
		s = end;
	}
	return s;
}

void app_command_line(struct app *a, struct buf *b)
{
	static const char *const grans[] = {"functions", "filefunctions", "files", "lines", "addresses"};
	const struct query *q = session_query(a->s);
	const struct store *st = session_snap(a->s)->st;
	buf_puts(b, "ttrace view");
	option(b, "pane", pane_now(a)->name);
	if (session_type(a->s) < session_ntypes(a->s) && session_ntypes(a->s) > 1)
		option(b, session_is_trace(a->s) ? "type" : "sample_index",
		    session_type_name(a->s, session_type(a->s)));
	if (q->gran)
		option(b, "granularity", grans[q->gran]);
	if (q->noinlines)
		buf_puts(b, " -noinlines");
	if (!q->suspended)
		filters(q, b);
	if (q->from != TIME_NONE)
		buf_printf(b, " -from=%lldns", (long long)q->from);
	if (q->to != TIME_NONE)
		buf_printf(b, " -to=%lldns", (long long)q->to);
	number(b, "goroutine", st, q->g);
	number(b, "proc", st, q->proc);
	for (size_t i = 0; i < a->opt->v[OPT_DIFF_BASE].nall; i++)
		option(b, "diff_base", a->opt->v[OPT_DIFF_BASE].all[i]);
	for (size_t i = 0; i < a->opt->v[OPT_BASE].nall; i++)
		option(b, "base", a->opt->v[OPT_BASE].all[i]);
	if (pane_now(a)->save && pane_now(a)->load) {
		struct step here = app_here(a);
		buf_puts(b, " -at=@");
		app_numbers_put(b, &here.view, ',');
	}
	for (size_t i = 0; i < a->opt->nfile; i++) {
		buf_putc(b, ' ');
		quote(b, a->opt->file[i]);
	}
}

/* ---- the other way round */

enum { ST_FROM = 1, ST_TO = 2, ST_GOROUTINE = 4, ST_PROC = 8, ST_AT = START_AT, ST_AHEAD = 32 };
static const struct { int bit; enum opt_id opt; } starts[] = {{ST_FROM, OPT_FROM}, {ST_TO, OPT_TO},
    {ST_GOROUTINE, OPT_GOROUTINE}, {ST_PROC, OPT_PROC}, {ST_AT, OPT_AT}};

/* A percentage means nothing before all has been read. */
bool app_time(const struct app *a, const char *s, int64_t *t)
{
	struct err e;
	const struct snap *sn = session_snap(a->s);
	return (sn->complete || !strchr(s, '%')) && !trace_time(sn, s, t, &e);
}

trk_id app_track(const struct app *a, enum track_kind kind, const char *id)
{
	const struct snap *sn = session_snap(a->s);
	const char *s = id + strspn(id, "gGpP");
	char *end;
	uint64_t n = strtoull(s, &end, 10);
	if (!*s || *end)
		return 0;
	for (uint32_t i = 1; i < sn->ntrks; store_pass(sn, i++)) {
		const struct trk_row *t = store_trk(sn->st, i);
		if (t->kind == kind && t->id == n)
			return i;
	}
	return 0;
}

/* -at=TIME|FROM..TO|gID|FUNC|@NUMBERS */
static int app_at(struct app *a, const char *where)
{
	struct place p = PLACE_NONE;
	struct step to = {.pane = a->cur};
	struct err e;
	if (where[0] == '@') {
		const char *end = app_numbers_take(where + 1, &to.view);
		if (!end || *end || !pane_now(a)->load)
			return -1;
		app_there(a, &to);
		a->greeted = true;
		return 0;
	}
	const char *dots = strstr(where, "..");
	if (dots && app_time(a, arena_strndup(&a->scratch, where, (size_t)(dots - where)), &p.t0) &&
	    app_time(a, dots + 2, &p.t1) && p.t1 > p.t0) {
		/* panes leave an eighth free on both sides of a stretch that they are shown */
		int64_t tenth = (p.t1 - p.t0) / 10;
		p.t0 += tenth;
		p.t1 -= tenth;
	} else if ((where[0] == 'g' || where[0] == 'G') && isdigit((unsigned char)where[1])) {
		p.trk = app_track(a, TK_G, where);
	} else if (!app_time(a, where, &p.t0)) {
		struct rx *rx = rx_new(where, &e);
		p.fun = rx ? app_function(a, rx) : 0;
		rx_free(rx);
	}
	if ((!p.trk && !p.fun && p.t0 == TIME_NONE) || !pane_now(a)->go)
		return -1;
	return pane_now(a)->go(state_now(a), &a->env, &p) ? 0 : -1;
}

/* Where a pane itself does not know the way: to the pane that does. */
void app_goto(struct app *a, const struct act *act)
{
	struct place p = PLACE_NONE;
	if (!act->arg || !*act->arg) {
		app_prompt(a, CMD_COMMAND, arena_printf(&a->scratch, "%s ", cmds[act->cmd].name));
		return;
	}
	if (act->cmd == CMD_GOTO_TASK && isdigit((unsigned char)act->arg[0])) {
		struct ask ask = {.kind = ASK_NONE, .place = PLACE_NONE};
		if (app_open(a, "timeline", NULL)) {
			pane_now(a)->act(state_now(a), &a->env, act, &ask);
			app_ask(a, &ask);
		}
		return;
	}
	if (act->cmd == CMD_GOTO_TASK) {
		if (app_open(a, "tasks", NULL)) {
			app_search(a, act->arg);
			if (a->find)
				app_find(a, 2);
		}
		return;
	}
	if (act->cmd == CMD_GOTO_TIME && !app_time(a, act->arg, &p.t0)) {
		app_message(a, ST_ERROR, "not a time: %s (use 1.2s, 350ms or 40%%)", act->arg);
		return;
	}
	if (act->cmd != CMD_GOTO_TIME) {
		p.trk = app_track(a, act->cmd == CMD_GOTO_G ? TK_G : TK_P, act->arg);
		if (!p.trk) {
			app_message(a, ST_ERROR, "no %s %s", act->cmd == CMD_GOTO_G ? "goroutine" : "P", act->arg);
			return;
		}
	}
	app_open(a, "timeline", &p);
}

/* -from, -to, -goroutine and -proc into the query: what of them could be taken. */
static int start_query(struct app *a, struct query *q)
{
	int done = 0;
	if (a->todo & ST_FROM && app_time(a, opt_str(a->opt, OPT_FROM), &q->from))
		done |= ST_FROM;
	if (a->todo & ST_TO && app_time(a, opt_str(a->opt, OPT_TO), &q->to))
		done |= ST_TO;
	if (a->todo & ST_GOROUTINE && (q->g = app_track(a, TK_G, opt_str(a->opt, OPT_GOROUTINE)))) {
		q->gs = NULL;	/* the same as a list of one */
		done |= ST_GOROUTINE;
	}
	if (a->todo & ST_PROC && (q->proc = app_track(a, TK_P, opt_str(a->opt, OPT_PROC))))
		done |= ST_PROC;
	return done;
}

/* A time of -from or -at that the reading comes to later is read first. */
static void ahead(struct app *a, const struct query *q)
{
	const char *at = a->todo & ST_AT ? opt_str(a->opt, OPT_AT) : NULL, *dots = at ? strstr(at, "..") : NULL;
	int64_t t0, t1 = TIME_NONE;
	if (app_ahead_on(a) || !session_may_part(a->s))
		return;
	bool from = a->todo & ST_AHEAD;
	a->todo &= ~ST_AHEAD;
	if (from && app_unread(a, q->from)) {
		app_ahead(a, q->from, q->to > q->from ? q->to : q->from);
	} else if (at && app_ahead_time(a, dots ? arena_strndup(&a->scratch, at, (size_t)(dots - at)) : at, &t0) &&
	    (!dots || app_ahead_time(a, dots + 2, &t1)) && app_unread(a, t0)) {
		a->todo &= ~ST_AT;
		app_ahead(a, t0, t1 > t0 ? t1 : t0);
	}
}

void app_start(struct app *a, bool first)
{
	bool complete = session_snap(a->s)->complete;
	for (size_t i = 0; first && i < sizeof starts / sizeof *starts; i++)
		if (opt_str(a->opt, starts[i].opt) && (starts[i].bit == ST_AT || session_is_trace(a->s)))
			a->todo |= starts[i].bit;
	if (!a->todo)
		return;
	struct query q = *session_query(a->s);
	int done = start_query(a, &q);
	if (done) {
		struct err e;
		if (session_set(a->s, &q, NULL, &e))
			app_message(a, ST_ERROR, "%s", e.msg);
		a->todo &= ~done;
		if (done & ST_FROM)
			a->todo |= ST_AHEAD;
		app_update(a);
	}
	if (!complete)
		ahead(a, &q);
	/* a place may be beside another one until all has been read */
	if (complete && a->todo & ST_AT && !app_at(a, opt_str(a->opt, OPT_AT)))
		a->todo &= ~ST_AT;
	for (size_t i = 0; complete && i < sizeof starts / sizeof *starts; i++)
		if (a->todo & starts[i].bit)
			app_message(a, ST_WARN, "-%s=%s: not found", options[starts[i].opt].name,
			    opt_str(a->opt, starts[i].opt));
	if (complete)
		a->todo = 0;
}
