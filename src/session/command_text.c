/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Writes what is shown as a command line, so that a report of it runs the same
 * code as on the command line, and the user can copy the line.
 *
 * The options given at the start are repeated, except those that the query
 * replaces: filters, sample type, granularity, sides. Files come last, after
 * "--".
 */
#include "config.h"
#include "session/session.h"
#include "session/symbolize.h"

#include "base/mem/mem.h"
#include "trace/as_profile.h"

#include <inttypes.h>
#include <string.h>

void command_add(struct command *c, const char *word)
{
	c->v = mem_grow(c->v, &c->cap, (size_t)c->n + 1, sizeof *c->v);
	c->v[c->n++] = word;
}

static void add_opt(struct command *c, struct arena *a, enum option_id id, const char *value)
{
	if (value && *value && options_applies_to_report(c->report, id))
		command_add(c, arena_printf(a, "-%s=%s", option_rows[id].name, value));
}

static void add_flag(struct command *c, struct arena *a, enum option_id id, bool given)
{
	if (given && options_applies_to_report(c->report, id))
		command_add(c, arena_printf(a, "-%s", option_rows[id].name));
}

/* Options that the query replaces, or that only the viewer has. */
static bool is_query_option(enum option_id id)
{
	static const enum option_id ours[] = {OPT_OUTPUT, OPT_FORMAT, OPT_FUNCTIONS, OPT_FILEFUNCTIONS, OPT_FILES,
	    OPT_LINES, OPT_ADDRESSES, OPT_GRANULARITY, OPT_NOINLINES, OPT_SAMPLE_INDEX, OPT_INUSE_SPACE,
	    OPT_INUSE_OBJECTS, OPT_ALLOC_SPACE, OPT_ALLOC_OBJECTS, OPT_TOTAL_DELAY, OPT_CONTENTIONS, OPT_NORMALIZE,
	    OPT_DROP_NEGATIVE, OPT_BASE, OPT_DIFF_BASE, OPT_TYPE, OPT_FROM, OPT_TO, OPT_PROC, OPT_BLAME, OPT_REST,
	    OPT_DIFF_RANGE, OPT_SYMBOLIZE};
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		if (ours[i] == id)
			return true;
	for (size_t i = 0; i < QUERY_WORDS; i++)
		if (query_words[i].option == id)
			return true;
	return !strcmp(option_rows[id].group, "viewer");
}

static void add_given(struct command *c, struct arena *a, const struct options *o)
{
	for (int i = 0; i < OPT__N; i++) {
		const struct option_value *v = &o->v[i];
		if (!v->set || is_query_option((enum option_id)i))
			continue;
		for (size_t k = 0; k < v->nall; k++)
			add_opt(c, a, (enum option_id)i, v->all[k]);
		if (!v->nall)
			add_opt(c, a, (enum option_id)i, v->s);
	}
}

static void add_filters(struct command *c, struct arena *a, const struct query *q)
{
	struct query words = *q;
	for (size_t i = 0; !q->suspended && i < QUERY_WORDS; i++)
		add_opt(c, a, query_words[i].option, *query_word(&words, i));
}

/* Reports of a sample type refuse -proc where the viewer does not apply it. */
static bool takes_proc(const struct command *c, enum trace_weight_type t, enum trace_blame b)
{
	return !strcmp(c->report, "view") || !options_applies_to_report(c->report, OPT_TYPE) || trace_type_has_proc(t, b);
}

/* Add the sample type and the filters of a trace. */
static void add_trace(struct command *c, struct arena *a, const struct session *s, const struct query *q)
{
	const struct store *st = session_snap(s)->st;
	add_opt(c, a, OPT_TYPE, session_type_name(s, session_type(s)));
	if (q->blame != BLAME_WAKER &&
	    trace_type_has_blame((enum trace_weight_type)session_type(s), (enum trace_blame)q->blame))
		add_opt(c, a, OPT_BLAME, trace_blame_name((enum trace_blame)q->blame));
	if (q->suspended)
		return;
	if (q->from != TIME_NONE)
		add_opt(c, a, OPT_FROM, arena_printf(a, "%" PRId64 "ns", q->from));
	if (q->to != TIME_NONE)
		add_opt(c, a, OPT_TO, arena_printf(a, "%" PRId64 "ns", q->to));
	if (q->g)
		add_opt(c, a, OPT_GOROUTINE, arena_printf(a, "%" PRIu64, (uint64_t)store_trk(st, q->g)->id));
	if (q->proc && takes_proc(c, (enum trace_weight_type)session_type(s), (enum trace_blame)q->blame))
		add_opt(c, a, OPT_PROC, arena_printf(a, "%" PRIu64, (uint64_t)store_trk(st, q->proc)->id));
}

/* The viewer takes names from the comments of a text page in any mode, reports only if the mode has local names. */
static void add_symbolize(struct command *c, struct arena *a, const struct session *s)
{
	const struct sink_meta *meta = session_snap(s)->meta;
	const struct options *o = session_opt(s);
	const char *mode = o->v[OPT_SYMBOLIZE].set ? options_str(o, OPT_SYMBOLIZE) : NULL;
	if (meta && meta->commented && !symbolize_wanted(mode))
		mode = mode ? arena_printf(a, "local:%s", mode) : "local";
	add_opt(c, a, OPT_SYMBOLIZE, mode);
}

/* Add the files of one side. */
static void add_files(struct command *c, const struct session *s, uint32_t side)
{
	const struct options *o = session_opt(s);
	bool merged = !side && o->nfile > 1 && !strcmp(session_side_name(s, 0), session_file(s));
	for (size_t i = 0; merged && i < o->nfile; i++)
		command_add(c, o->file[i]);
	if (!merged)
		command_add(c, session_side_name(s, side));
}

static void add_sides(struct command *c, struct arena *a, const struct session *s, const struct query *q,
    const char *arg)
{
	uint64_t shown = query_has_own_base(q) ? 1 : q->show == SHOW_B ? q->b : q->a;
	for (uint32_t k = 0; q->b && q->show == SHOW_DELTA && k < session_nsides(s); k++)
		if (side_in(q->b, k))
			add_opt(c, a, q->of_rest ? OPT_BASE : OPT_DIFF_BASE, session_side_name(s, k));
	add_flag(c, a, OPT_REST, query_has_rest(q));
	if (query_has_range(q))
		add_opt(c, a, OPT_DIFF_RANGE, arena_printf(a, "%" PRId64 "ns..%" PRId64 "ns", q->b_from, q->b_to));
	add_flag(c, a, OPT_NORMALIZE, q->b && q->show == SHOW_DELTA && q->normalize);
	command_add(c, "--");
	if (arg)
		command_add(c, arg);
	for (uint32_t k = 0; k < session_nsides(s); k++)
		if (side_in(shown, k))
			add_files(c, s, k);
}

/* `goroutine` is a report and an option: written as -goroutine=17 it would be the option. */
static bool is_option(const char *report)
{
	for (int i = 0; i < OPT__N; i++)
		if (!strcmp(option_rows[i].name, report))
			return true;
	return false;
}

void session_command(const struct session *s, const char *report, const char *arg, struct arena *a,
    struct command *c)
{
	session_command_of(s, session_query(s), report, arg, a, c);
}

void session_command_of(const struct session *s, const struct query *q, const char *report, const char *arg,
    struct arena *a, struct command *c)
{
	c->report = report;
	command_add(c, "ttrace");
	bool apart = arg && is_option(report);
	command_add(c, arg && !apart ? arena_printf(a, "-%s=%s", report, arg) : report);
	add_given(c, a, session_opt(s));
	add_filters(c, a, q);
	if (session_is_trace(s))
		add_trace(c, a, s, q);
	else if (session_type(s) < session_ntypes(s))
		add_opt(c, a, OPT_SAMPLE_INDEX, session_type_name(s, session_type(s)));
	add_symbolize(c, a, s);
	add_flag(c, a, query_gran_options[q->gran], q->gran != GR_FUNCTIONS);
	add_flag(c, a, OPT_NOINLINES, q->noinlines);
	add_flag(c, a, OPT_DROP_NEGATIVE, q->drop_negative);
	add_sides(c, a, s, q, apart ? arg : NULL);
}
