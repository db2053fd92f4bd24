/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A view as the command line that shows it again.
 *
 * It contains the query, as the options of the same names, and -at=@ with the view of the pane, which
 * is only valid for the same program and file (app/view.h). Options with times, goroutines and
 * places are applied as soon as enough of the file has been read to resolve them.
 */
#include "config.h"
#include "app/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "session/trace_open.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Append a word, in single quotes if the shell would not take it literally. */
static void put_quoted(struct buf *b, const char *s)
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

/* "--" is needed only before a file whose name looks like an option. */
static bool needs_dashes(const struct command *c, int i)
{
	for (i++; i < c->n; i++)
		if (c->v[i][0] == '-' && c->v[i][1])
			return true;
	return false;
}

/* Return whether an option names a side made by saved filters: no file exists for it. */
static bool is_made(const char *word)
{
	const char *file = strchr(word, '=');
	return file && file[1] == '@' && strstr(word, "base=@");
}

void view_options_put(struct app *a, struct buf *b)
{
	struct command c = {0};
	bool files = false;
	session_command(a->s, "view", NULL, &a->scratch, &c);
	buf_puts(b, "ttrace view -pane=");
	buf_puts(b, pane_now(a)->name);
	for (int i = 2; i < c.n; i++) {
		bool dashes = !files && !strcmp(c.v[i], "--");
		files |= dashes;
		if (dashes && pane_has_view(pane_now(a))) {
			struct view here = app_view(a);
			buf_puts(b, " -at=@");
			view_print(b, &here, true);
		}
		if (dashes ? !needs_dashes(&c, i) : !files && is_made(c.v[i]))
			continue;
		size_t name = files || !strchr(c.v[i], '=') ? 0 : strcspn(c.v[i], "=") + 1;
		buf_printf(b, " %.*s", (int)name, c.v[i]);
		put_quoted(b, c.v[i] + name);
	}
	mem_free(c.v);
}

/* ---- applying options */

enum { ST_FROM = 1, ST_TO = 2, ST_GOROUTINE = 4, ST_PROC = 8, ST_AT = START_AT, ST_LATER = START_LATER, ST_DIFF = 64,
	ST_CHECK = 128 };
static const struct { int bit; enum option_id options; } starts[] = {{ST_FROM, OPT_FROM}, {ST_TO, OPT_TO},
    {ST_GOROUTINE, OPT_GOROUTINE}, {ST_PROC, OPT_PROC}, {ST_AT, OPT_AT}, {ST_DIFF, OPT_DIFF_RANGE}};

/* Parse a time; percentages are not valid until all has been read. */
bool view_options_parse_time(const struct app *a, const char *s, int64_t *t)
{
	struct err e;
	const struct snap *sn = session_snap(a->s);
	return (sn->complete || !strchr(s, '%')) && !query_parse_time(sn, s, t, &e);
}

trk_id view_options_find_track(const struct app *a, enum track_kind kind, const char *id)
{
	const struct snap *sn = session_snap(a->s);
	uint64_t n;
	return trace_parse_id(id, kind == TK_G ? 'g' : 'p', &n) ? trace_find_track(sn, kind, n) : 0;
}

/* Go to -at=TIME|FROM..TO|gID|FUNC|@VIEW. */
static int view_options_goto_at(struct app *a, const char *where)
{
	struct place p = PLACE_NONE;
	struct view to = {.pane = a->cur};
	struct err e;
	if (where[0] == '@') {
		const char *end = view_parse(where + 1, &to);
		if (!end || *end || !pane_has_view(pane_now(a)))
			return -1;
		app_restore_view(a, &to);
		a->status.greeted = true;
		return 0;
	}
	const char *dots = strstr(where, "..");
	if (dots && view_options_parse_time(a, arena_strndup(&a->scratch, where, (size_t)(dots - where)), &p.t0) &&
	    view_options_parse_time(a, dots + 2, &p.t1) && p.t1 > p.t0) {
		int64_t end = session_snap(a->s)->t1;
		if (p.t0 < end && p.t1 > end)
			p.t1 = end;
		/* panes leave an eighth free on both sides of a range that they show */
		int64_t tenth = (p.t1 - p.t0) / 10;
		p.t0 += tenth;
		p.t1 -= tenth;
	} else if ((where[0] == 'g' || where[0] == 'G') && isdigit((unsigned char)where[1])) {
		p.trk = view_options_find_track(a, TK_G, where);
	} else if (!view_options_parse_time(a, where, &p.t0)) {
		struct regex *rx = regex_new(where, &e);
		p.fun = rx ? app_function(a, rx) : 0;
		regex_free(rx);
	}
	if ((!p.trk && !p.fun && p.t0 == TIME_NONE) || !pane_now(a)->go || !pane_now(a)->go(state_now(a), &a->env, &p))
		return -1;
	if (p.t0 != TIME_NONE && p.t0 > session_snap(a->s)->t1)
		app_message(a, ST_WARN, "-at=%s is after the end of the trace: moved to the end", where);
	return 0;
}

/* Return whether this is a time that has been read. */
static bool is_read(const struct app *a, const char *time)
{
	int64_t t;
	return view_options_parse_time(a, time, &t) && (session_snap(a->s)->complete || t < session_snap(a->s)->t1);
}

bool view_options_goto_later(struct app *a, const char *time)
{
	const struct snap *sn = session_snap(a->s);
	int64_t t;
	struct err e;
	if (!session_is_trace(a->s) || is_read(a, time) || query_parse_time(sn, time, &t, &e))
		return false;
	mem_free(a->files.later);
	a->files.later = xstrdup(time);
	a->todo = (a->todo & ~ST_AT) | ST_LATER;
	struct buf b = {0};
	if (strchr(time, '%'))
		buf_puts(&b, time);
	else
		text_ns(&b, t);
	app_message(a, ST_NORMAL, "%s has not been read yet: the view goes there when it has, unless you press a key",
	    buf_str(&b));
	buf_free(&b);
	return true;
}

/* Go to a time, goroutine, P or task if the pane cannot: open the pane that can. */
void view_options_goto_command(struct app *a, const struct act *act)
{
	struct place p = PLACE_NONE;
	if (!act->arg || !*act->arg) {
		app_prompt(a, CMD_COMMAND, arena_printf(&a->scratch, "%s ", cmds[act->cmd].name));
		return;
	}
	if (act->cmd == CMD_GOTO_TASK && isdigit((unsigned char)act->arg[0])) {
		struct ask ask = {.kind = ASK_NONE, .place = PLACE_NONE};
		if (app_open(a, "timeline", NULL)) {
			pane_act(pane_now(a), state_now(a), &a->env, act, &ask);
			app_handle_ask(a, &ask);
		}
		return;
	}
	if (act->cmd == CMD_GOTO_TASK) {
		if (app_open(a, "tasks", NULL)) {
			app_search(a, act->arg);
			if (a->search.find)
				app_find(a, 2);
		}
		return;
	}
	if (act->cmd == CMD_GOTO_TIME && !view_options_parse_time(a, act->arg, &p.t0)) {
		app_message(a, ST_ERROR, "not a time: %s (use 1.2s, 350ms or 40%%)", act->arg);
		return;
	}
	if (act->cmd != CMD_GOTO_TIME) {
		p.trk = view_options_find_track(a, act->cmd == CMD_GOTO_G ? TK_G : TK_P, act->arg);
		if (!p.trk) {
			app_message(a, ST_ERROR, "no %s %s", act->cmd == CMD_GOTO_G ? "goroutine" : "P", act->arg);
			return;
		}
	}
	app_open(a, "timeline", &p);
}

/* Set -from, -to, -goroutine, -proc and -diff_range in the query; return those that could be resolved. */
static int start_query(struct app *a, struct query *q)
{
	int done = 0;
	if (a->todo & ST_FROM && view_options_parse_time(a, options_str(a->options, OPT_FROM), &q->from))
		done |= ST_FROM;
	if (a->todo & ST_TO && view_options_parse_time(a, options_str(a->options, OPT_TO), &q->to))
		done |= ST_TO;
	if (a->todo & ST_GOROUTINE &&
	    (q->g = view_options_find_track(a, TK_G, options_str(a->options, OPT_GOROUTINE)))) {
		q->gs = NULL;	/* replaces a list of one */
		done |= ST_GOROUTINE;
	}
	if (a->todo & ST_PROC && (q->proc = view_options_find_track(a, TK_P, options_str(a->options, OPT_PROC))))
		done |= ST_PROC;
	int64_t t0, t1;
	struct err e;
	if (a->todo & ST_DIFF && session_snap(a->s)->complete &&
	    !query_parse_span(session_snap(a->s), options_str(a->options, OPT_DIFF_RANGE), &t0, &t1, &e)) {
		query_compare_range(q, t0, t1);
		done |= ST_DIFF;
	}
	return done;
}

int view_options_check(const struct app *a, struct err *e)
{
	const struct snap *sn = session_snap(a->s);
	struct query q = {0};
	return session_is_trace(a->s) && sn->complete ? query_add_places(sn, a->options, &q, e) : 0;
}

/* Show the whole trace and the reason if its end shows that options are wrong; false: they are right. */
static bool drop_wrong_options(struct app *a)
{
	struct query q = *session_query(a->s);
	struct err e, unused;
	if (!view_options_check(a, &e))
		return false;
	q.from = q.to = TIME_NONE;
	(void)session_set_query(a->s, &q, NULL, &unused);
	app_update(a);
	app_message(a, ST_ERROR, "%s", e.msg);
	return true;
}

void view_options_apply(struct app *a, bool first)
{
	bool complete = session_snap(a->s)->complete;
	for (size_t i = 0; first && i < sizeof starts / sizeof *starts; i++)
		if (options_str(a->options, starts[i].options) && (starts[i].bit == ST_AT || session_is_trace(a->s)))
			a->todo |= starts[i].bit | ST_CHECK;
	if (a->todo && complete && drop_wrong_options(a))
		a->todo = 0;
	if (!a->todo)
		return;
	struct query q = *session_query(a->s);
	int done = start_query(a, &q);
	if (done) {
		struct err e;
		if (session_set_query(a->s, &q, NULL, &e))
			app_message(a, ST_ERROR, "%s", e.msg);
		a->todo &= ~done;
		app_update(a);
	}
	/* until all has been read, a place other than a time may be resolved to another one */
	const char *at = options_str(a->options, OPT_AT);
	if (a->todo & ST_AT && (complete || is_read(a, at)) && !view_options_goto_at(a, at))
		a->todo &= ~ST_AT;
	if (a->todo & ST_LATER && is_read(a, a->files.later)) {
		a->todo &= ~ST_LATER;
		a->status.text[0] = '\0';
		app_act(a, &(struct act){CMD_GOTO_TIME, 0, a->files.later});
	}
	for (size_t i = 0; complete && i < sizeof starts / sizeof *starts; i++)
		if (a->todo & starts[i].bit)
			app_message(a, ST_WARN, "-%s=%s: not found", option_rows[starts[i].options].name,
			    options_str(a->options, starts[i].options));
	if (complete)
		a->todo = 0;
}
