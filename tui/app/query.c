/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Commands that change the query: filters, time ranges, goroutines and Ps, the sample type, what is
 * counted.
 *
 * A copy of the query is changed and set as a whole, so one step of undo restores all of it. A
 * command without an argument takes what is under the cursor, or the next of a few values; if there
 * is neither, it reports the expected argument.
 */
#include "config.h"
#include "app/internal.h"

#include "base/text/buf.h"
#include "filter/tag_weights.h"
#include "trace/as_profile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool app_query_own(struct app *a, const struct query *q, struct arena *own)
{
	struct err e;
	uint32_t before = session_serial(a->s);
	struct view here = app_view(a);
	if (session_set_query(a->s, q, own, &e)) {
		app_message(a, ST_ERROR, "%s", e.msg);
		return false;
	}
	a->in.queried = true;
	if (session_serial(a->s) != before)
		app_push_undo(a, &(struct undo){.query = true, .before = here});
	app_update(a);
	return true;
}

bool app_query(struct app *a, const struct query *q)
{
	return app_query_own(a, q, NULL);
}

/* ---- filters */

/* Return the text of a filter; NULL: the command is not a text filter. */
static const char **filter_of(struct query *q, enum cmd_id id)
{
	switch (id) {
#define FILTER(name, ID, KIND) case CMD_##ID: return &q->f.name;
#include "filter/filters.def"
#undef FILTER
	case CMD_GROUP: return &q->group;
	case CMD_TASK: return &q->task;
	case CMD_REGION: return &q->region;
	case CMD_OPERATION: return &q->operation;
	default: return NULL;
	}
}

/* add: extend the filter, so that either expression matches. */
bool app_filter(struct app *a, enum cmd_id id, const char *value, bool add)
{
	struct query q = *session_query(a->s);
	const char **f = filter_of(&q, id);
	if (!f)
		return false;
	if (*f && add && *value && !strstr(*f, value))
		*f = arena_printf(&a->scratch, "%s|%s", *f, value);
	else if (!*f || !add || !*value)
		*f = *value ? value : NULL;
	q.suspended = false;
	return app_query(a, &q);
}

/* Filter out the selected function. In the list of functions, first select the next row, or from the last row the
   one before. */
static void filter_out_selected(struct app *a, enum cmd_id cmd, const char *re)
{
	struct view here = app_view(a), next;
	struct ask ask = {.kind = ASK_NONE};
	static const enum cmd_id ways[] = {CMD_DOWN, CMD_UP};
	for (int i = 0; i < 2 && pane_now(a)->bit == P_TOP; i++) {
		pane_act(pane_now(a), state_now(a), &a->env, &(struct act){ways[i], 0, NULL}, &ask);
		next = app_view(a);
		if (!view_same(&next, &here))
			break;
	}
	app_filter(a, cmd, re, true);
}

/* Return the first of the comma-separated keys that is no tag of any sample, and its length in *n; NULL: all are
   known. */
static const char *unknown_tag(const struct app *a, const char *keys, int *n)
{
	enum { MOST = 1024 };
	const struct snap *sn = session_snap(a->s);
	str_id *id = arena_alloc(a->env.scratch, MOST * sizeof *id);
	size_t all = tag_keys(sn, id, MOST), i;
	if (sn->has_trace || all == MOST)
		return NULL;
	for (const char *k = keys, *end; *k; k = end + (*end == ',')) {
		end = k + strcspn(k, ",");
		*n = (int)(end - k);
		for (i = 0; i < all; i++) {
			const struct str_row *s = store_str(sn->st, id[i]);
			if (s->n == (size_t)*n && !memcmp(s->s, k, s->n))
				break;
		}
		if (i == all && *n)
			return k;
	}
	return NULL;
}

static void set_filter(struct app *a, enum cmd_id cmd, const char *v, bool frames)
{
	int n;
	if (!app_filter(a, cmd, v, false) || !frames)
		return;
	const char *unknown = unknown_tag(a, v, &n);
	if (unknown)
		app_message(a, ST_WARN, "no sample has a tag %.*s", n, unknown);
}

static void change_filter(struct app *a, const struct act *act, bool here)
{
	const char *v = act->arg;
	bool frames = act->cmd == CMD_TAGROOT || act->cmd == CMD_TAGLEAF;
	if (frames && v && !strcmp(v, "none"))
		v = "";
	if (!v && here) {
		v = app_selected_regex(a, cmds[act->cmd].name);
		if (v && (act->cmd == CMD_IGNORE || act->cmd == CMD_HIDE))
			filter_out_selected(a, act->cmd, v);
		else if (v)
			app_filter(a, act->cmd, v, act->cmd != CMD_FOCUS);
		return;
	}
	struct query q = *session_query(a->s);
	if (!v && !*filter_of(&q, act->cmd))
		app_message(a, ST_DIM, "no %s is set: :%s=%s sets it", cmds[act->cmd].name, cmds[act->cmd].name,
		    cmds[act->cmd].arg);
	else
		set_filter(a, act->cmd, v ? v : "", frames);
}

static void do_filter(struct app *a, const struct act *act)
{
	bool here = act->cmd == CMD_FOCUS || act->cmd == CMD_IGNORE || act->cmd == CMD_HIDE ||
		    act->cmd == CMD_SHOW || act->cmd == CMD_SHOW_FROM || act->cmd == CMD_PRUNE_FROM;
	uint32_t before = session_serial(a->s);
	change_filter(a, act, here);
	/* the filter is shown in the head line, but nothing in this pane changes */
	if (here && session_serial(a->s) != before && !filter_chips_applied(a, cmds[act->cmd].name))
		app_message(a, ST_DIM, "%s filters stacks: it applies to panes 1 to %d, not to %s", cmds[act->cmd].name,
		    act->cmd == CMD_FOCUS || act->cmd == CMD_IGNORE ? 9 : 4, pane_now(a)->name);
}

static bool has_filters(struct app *a, const struct query *q)
{
	struct buf words = {0};
	named_put_filters(session_query(a->s), &words);
	bool any = words.n || q->from != TIME_NONE || q->to != TIME_NONE || q->g || q->gs || q->proc || q->latency;
	buf_free(&words);
	return any || q->suspended || query_has_own_base(q);
}

void app_clear(struct app *a)
{
	struct query q = *session_query(a->s), none = {.type = q.type,
						   .from = TIME_NONE,
						   .to = TIME_NONE,
						   .gran = q.gran,
						   .noinlines = q.noinlines,
						   .blame = q.blame,
						   .a = q.a,
						   .b = query_has_own_base(&q) ? 0 : q.b,
						   .show = query_has_own_base(&q) ? SHOW_DELTA : q.show,
						   .of_rest = q.of_rest,
						   .normalize = q.normalize,
						   .drop_negative = q.drop_negative};
	if (!has_filters(a, &q))
		app_message(a, ST_DIM, "no filters");
	else if (app_query(a, &none))
		app_message(a, ST_DIM, "filters removed (u restores them)");
}

static void do_suspend(struct app *a)
{
	struct query q = *session_query(a->s);
	if (!has_filters(a, &q)) {
		app_message(a, ST_DIM, "no filters to turn off: f focuses, x ignores");
		return;
	}
	q.suspended = !q.suspended;
	app_query(a, &q);
}

static void do_time(struct app *a, const char *arg)
{
	struct query q = *session_query(a->s);
	const char *dots = arg ? strstr(arg, "..") : NULL;
	if (!arg && q.from == TIME_NONE && q.to == TIME_NONE) {
		app_message(a, ST_DIM, "no time range is set: use :t 1.2s..1.3s, or v on the timeline");
		return;
	}
	q.from = q.to = TIME_NONE;
	if (arg && *arg) {
		const char *from =
		    dots ? arena_strndup(&a->scratch, arg, (size_t)(dots - arg)) : NULL;
		if (!dots || (*from && !view_options_parse_time(a, from, &q.from)) ||
		    (dots[2] && !view_options_parse_time(a, dots + 2, &q.to)) ||
		    (q.from != TIME_NONE && q.to != TIME_NONE && q.from >= q.to)) {
			app_message(a, ST_ERROR,
			    "not a time range: %s (use 1.2s..1.3s, 40%%..50%% or 2s..)", arg);
			return;
		}
	}
	app_query(a, &q);
}

static void do_track(struct app *a, const struct act *act)
{
	struct query q = *session_query(a->s);
	bool g = act->cmd == CMD_GOROUTINE;
	trk_id id = 0;
	uint32_t n;
	if (!act->arg && !(g ? q.g || q.gs : q.proc)) {
		app_message(a, ST_DIM, "no %s is chosen: :%s ID chooses one", g ? "goroutine" : "P",
		    cmds[act->cmd].name);
		return;
	}
	if (g && act->arg && strchr(act->arg, ',')) {
		q.gs = act->arg;
		q.g = 0;
		if (trace_gset_parse(session_snap(a->s), q.gs, &a->scratch, &n) && n)
			app_query(a, &q);
		else
			app_message(a, ST_ERROR, "no goroutines %s", act->arg);
		return;
	}
	if (act->arg && *act->arg) {
		id = view_options_find_track(a, g ? TK_G : TK_P, act->arg);
		if (!id) {
			app_message(a, ST_ERROR, "no %s %s", g ? "goroutine" : "P", act->arg);
			return;
		}
	}
	if (g)
		q.g = id, q.gs = NULL;
	else
		q.proc = id;
	app_query(a, &q);
}

/* ---- sample type and granularity */

static void do_type(struct app *a, const struct act *act)
{
	struct query q = *session_query(a->s);
	size_t n = session_ntypes(a->s), i = session_type(a->s);
	if (act->cmd == CMD_NEXT_KIND)
		i = n ? (i + 1) % n : 0;
	else if (act->cmd == CMD_PREV_KIND)
		i = n ? (i + n - 1) % n : 0;
	else if (act->arg && isdigit((unsigned char)act->arg[0]))
		i = strtoul(act->arg, NULL, 10);
	else
		for (i = 0; i < n && strcmp(session_type_name(a->s, i), act->arg ? act->arg : "");
		     i++)
			;
	if (i >= n) {
		struct buf b = {0};
		for (size_t k = 0; k < n; k++)
			buf_printf(&b, " %s", session_type_name(a->s, k));
		app_message(a, ST_ERROR, "sample types:%s", buf_str(&b));
		buf_free(&b);
		return;
	}
	q.type = i;
	if (app_query(a, &q) && i < session_ntypes(a->s))
		app_message(a, ST_DIM, "%s (%s), %zu of %zu; M lists all with their totals", session_type_name(a->s, i),
		    session_type_unit(a->s, i), i + 1, n);
}

/* The next value that applies to the sample type: waits are charged to where they wait, or to chains. */
static enum trace_blame next_blame(enum trace_weight_type type, enum trace_blame b)
{
	if (trace_type_has_blame(type, BLAME_CHAIN))
		return b == BLAME_CHAIN ? BLAME_WAKER : BLAME_CHAIN;
	return (enum trace_blame)((b + 1u) % BLAME_CHAIN);
}

static void do_blame(struct app *a, const char *arg)
{
	static const char *const text[BLAME__N] = {"sched charges waits for a P to the waker",
	    "sched charges waits for a P to the goroutine that waits",
	    "sched charges waits for a P to what ran on the Ps meanwhile",
	    "sync, net and block charge a wait to its stack, and below it that of the waker"};
	struct query q = *session_query(a->s);
	size_t type = session_type(a->s);
	bool waits = type < TRACE_WEIGHT__N && trace_type_has_blame((enum trace_weight_type)type, BLAME_CHAIN);
	int b = !arg || !*arg ? (int)next_blame((enum trace_weight_type)type, (enum trace_blame)q.blame)
	    : trace_blame_find(arg);
	if (b < 0) {
		app_message(a, ST_ERROR, "blame requires waker, self, occupant or chain");
		return;
	}
	q.blame = (uint8_t)b;
	if (session_is_trace(a->s) && app_query(a, &q))
		app_message(a, ST_DIM, "%s", waits && b != BLAME_CHAIN ? "waits are charged to where they wait" : text[b]);
}

static void do_gran(struct app *a, const struct act *act)
{
	struct query q = *session_query(a->s);
	unsigned i = ((unsigned)q.gran + 1) % GRANS;
	if (act->cmd == CMD_GRANULARITY)
		for (i = 0; i < GRANS && strcmp(gran_names[i], act->arg ? act->arg : ""); i++)
			;
	if (i == GRANS) {
		app_message(a, ST_ERROR,
		    "granularity requires functions, filefunctions, files, lines or addresses");
		return;
	}
	q.gran = (enum gran)i;
	if (app_query(a, &q))
		app_message(a, ST_DIM, "by %s", gran_names[i]);
}

static void do_noinlines(struct app *a)
{
	struct query q = *session_query(a->s);
	q.noinlines = !q.noinlines;
	if (app_query(a, &q))
		app_message(a, ST_DIM, "inlined functions: %s",
		    q.noinlines ? "counted as their callers" : "shown");
}

bool app_query_command(struct app *a, const struct act *act)
{
	struct query q = *session_query(a->s);
	if (filter_of(&q, act->cmd)) {
		do_filter(a, act);
		return true;
	}
	switch (act->cmd) {
	case CMD_FOCUS_ASK: app_prompt(a, CMD_FOCUS, q.f.focus ? q.f.focus : ""); return true;
	case CMD_IGNORE_ASK: app_prompt(a, CMD_IGNORE, q.f.ignore ? q.f.ignore : ""); return true;
	case CMD_SUSPEND_F: do_suspend(a); return true;
	case CMD_CLEAR: app_clear(a); return true;
	case CMD_TIME: do_time(a, act->arg); return true;
	case CMD_GOROUTINE: case CMD_PROC: do_track(a, act); return true;
	case CMD_NEXT_KIND: case CMD_PREV_KIND: case CMD_SAMPLE_INDEX: case CMD_TYPES: do_type(a, act); return true;
	case CMD_GRANULARITY: case CMD_GRAN_NEXT: do_gran(a, act); return true;
	case CMD_NOINLINES: do_noinlines(a); return true;
	case CMD_BLAME: do_blame(a, act->arg); return true;
	default: return false;
	}
}
