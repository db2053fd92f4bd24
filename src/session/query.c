/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * From words to a selection. A word is the text of an option or a command, and is kept in the query as it was typed, so
 * that it can be shown, edited and copied. It is checked when the query is made, without a trace: a wrong expression is
 * refused before anything is read.
 *
 * A query becomes a trace filter with a snapshot. Goroutines first: a list replaces the group. Then the tasks, regions or
 * operations, whose time ranges restrict these goroutines further. A filter is made anew for each use, since a snapshot
 * may have grown; it costs a pass over goroutines or spans, little against what is then done with it.
 */
#include "config.h"
#include "session/query.h"

#include "base/text/text.h"
#include "filter/trace_focus.h"
#include "operations/operations.h"
#include "session/session.h"
#include "trace/task_filter.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct query_word query_words[QUERY_WORDS] = {
#define FILTER(name, ID, KIND) {OPT_##ID, offsetof(struct query, f.name)},
#include "filter/filters.def"
#undef FILTER
	{OPT_GOROUTINE, offsetof(struct query, gs)}, {OPT_GROUP, offsetof(struct query, group)},
	{OPT_TASK, offsetof(struct query, task)}, {OPT_REGION, offsetof(struct query, region)},
	{OPT_OPERATION, offsetof(struct query, operation)}, {OPT_LATENCY, offsetof(struct query, latency)},
};

static bool has_option(const struct options *o, enum option_id id)
{
	return options_str(o, id) && *options_str(o, id);
}

/* ---- times */

static const int64_t DAY_NS = INT64_C(86400000000000);

int64_t query_start_time_of_day(const struct snap *sn)
{
	if (!sn->has_trace || sn->trace.wall == TIME_NONE)
		return TIME_NONE;
	return (sn->trace.wall % DAY_NS + DAY_NS) % DAY_NS;
}

/* 15:04:05.678 on the day of the trace, or on the next day if that is within the trace. */
static bool wall_time(const struct snap *sn, const char *s, int64_t *t)
{
	unsigned h, m;
	double sec;
	char end;
	int64_t start = query_start_time_of_day(sn);
	if (start == TIME_NONE || sscanf(s, "%2u:%2u:%lf%c", &h, &m, &sec, &end) != 3)
		return false;
	int64_t ns = (int64_t)(h * 3600 + m * 60) * 1000000000 + (int64_t)(sec * 1e9);
	*t = ns - start;
	if (*t < 0 && *t + DAY_NS <= sn->t1)
		*t += DAY_NS;
	return h < 24 && m < 60 && sec >= 0 && sec < 61;
}

int query_parse_time(const struct snap *sn, const char *s, int64_t *t, struct err *e)
{
	char *end;
	double pct = strtod(s, &end);
	if (end != s && !strcmp(end, "%")) {
		*t = sn->t0 + (int64_t)((double)(sn->t1 - sn->t0) * pct / 100);
		return 0;
	}
	if (text_parse_ns(s, t) || wall_time(sn, s, t))
		return 0;
	return err_set(e, ERR_USAGE, ERR_NOWHERE, "\"%s\" is not a time: use 1.2s, 350ms, 40%% or, if the trace "
	    "has the time of day, 15:04:05", s);
}

int query_parse_range(const struct snap *sn, const struct options *o, int64_t *t0, int64_t *t1, struct err *e)
{
	const char *from = options_str(o, OPT_FROM), *to = options_str(o, OPT_TO);
	bool since = has_option(o, OPT_FROM), until = has_option(o, OPT_TO);
	*t0 = sn->t0;
	*t1 = sn->t1;
	if ((since && query_parse_time(sn, from, t0, e)) || (until && query_parse_time(sn, to, t1, e)))
		return -1;
	if (since && *t0 >= sn->t1 && sn->t0 < sn->t1) {
		struct buf b = {0};
		text_ns(&b, sn->t1);
		err_set(e, ERR_USAGE, ERR_NOWHERE, "-from=%.40s is after the end of the trace, %s", from, buf_str(&b));
		buf_free(&b);
		return -1;
	}
	if (*t0 >= *t1 && (since || until))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-from must be before -to");
	return 0;
}

int query_parse_span(const struct snap *sn, const char *s, int64_t *t0, int64_t *t1, struct err *e)
{
	const char *dots = strstr(s, "..");
	struct arena mem = {0};
	int bad = !dots || query_parse_time(sn, arena_strndup(&mem, s, (size_t)(dots - s)), t0, e) ||
	    query_parse_time(sn, dots + 2, t1, e) || *t1 <= *t0;
	arena_free(&mem);
	return bad ? err_set(e, ERR_USAGE, ERR_NOWHERE, "\"%.60s\" is not a time range: use FROM..TO, as 1s..2s", s) : 0;
}

/* ---- words */

const enum option_id query_gran_options[] = {[GR_FUNCTIONS] = OPT_FUNCTIONS, [GR_FILEFUNCTIONS] = OPT_FILEFUNCTIONS,
    [GR_FILES] = OPT_FILES, [GR_LINES] = OPT_LINES, [GR_ADDRESSES] = OPT_ADDRESSES};

int query_of_options(const struct options *o, struct query *q, struct err *e)
{
	*q = (struct query){.type = SIZE_MAX, .from = TIME_NONE, .to = TIME_NONE, .a = 1};
	for (size_t i = 0; i < QUERY_WORDS; i++)
		*query_word(q, i) = has_option(o, query_words[i].option) ? options_str(o, query_words[i].option) : NULL;
	if (has_option(o, OPT_BLAME)) {
		int blame = trace_blame_find(options_str(o, OPT_BLAME));
		if (blame < 0)
			return err_set(e, ERR_USAGE, ERR_NOWHERE,
			    "-blame requires waker, self, occupant or chain, not \"%s\"", options_str(o, OPT_BLAME));
		q->blame = (uint8_t)blame;
	}
	for (size_t i = 0; i < sizeof query_gran_options / sizeof *query_gran_options; i++)
		if (options_bool(o, query_gran_options[i]))
			q->gran = (enum gran)i;
	q->noinlines = options_bool(o, OPT_NOINLINES);
	return query_check(q, e);
}

int query_add_servers(const struct options *o, struct err *e)
{
	for (size_t i = 0; i < o->v[OPT_SERVER].nall; i++)
		if (operations_add_server(o->v[OPT_SERVER].all[i], e))
			return -1;
	return 0;
}

int query_bad_proc(const char *s, struct err *e)
{
	return err_set(e, ERR_USAGE, ERR_NOWHERE, "-proc requires a number, not \"%s\"", s);
}

int query_add_places(const struct snap *sn, const struct options *o, struct query *q, struct err *e)
{
	int64_t t0, t1;
	uint64_t id;
	if (query_parse_range(sn, o, &t0, &t1, e))
		return -1;
	if (has_option(o, OPT_FROM))
		q->from = t0;
	if (has_option(o, OPT_TO))
		q->to = t1;
	if (has_option(o, OPT_DIFF_RANGE)) {
		if (query_parse_span(sn, options_str(o, OPT_DIFF_RANGE), &t0, &t1, e))
			return -1;
		query_compare_range(q, t0, t1);
	}
	if (!has_option(o, OPT_PROC))
		return 0;
	if (!trace_parse_id(options_str(o, OPT_PROC), 'p', &id))
		return query_bad_proc(options_str(o, OPT_PROC), e);
	q->proc = trace_find_track(sn, TK_P, id);
	return q->proc ? 0 : err_set(e, ERR_USAGE, ERR_NOWHERE, "no P %" PRIu64 " in the trace", id);
}

void query_copy_strings(struct query *q, const struct query *was, struct arena *a)
{
	struct query had = *was;
	for (size_t i = 0; i < QUERY_WORDS; i++) {
		const char **s = query_word(q, i);
		if (*s && *s != *query_word(&had, i))
			*s = arena_strndup(a, *s, strlen(*s));
	}
}

void query_compare_range(struct query *q, int64_t t0, int64_t t1)
{
	session_query_use_side(q, SIDE_BASE, SIDE_RANGE);
	q->b_from = t0;
	q->b_to = t1;
}

static double range_length(const struct snap *sn, int64_t from, int64_t to)
{
	return (double)(to == TIME_NONE || to > sn->t1 ? sn->t1 : to) -
	    (double)(from == TIME_NONE || from < sn->t0 ? sn->t0 : from);
}

double query_use_range(const struct snap *sn, struct query *q)
{
	double shown = range_length(sn, q->suspended ? TIME_NONE : q->from, q->suspended ? TIME_NONE : q->to),
	       compared = range_length(sn, q->b_from, q->b_to);
	if (q->suspended)
		*q = (struct query){.blame = q->blame};
	q->from = q->b_from;
	q->to = q->b_to;
	return compared > 0 ? shown / compared : 0;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool query_same_scope(const struct query *a, const struct query *b)
{
	return a->suspended == b->suspended && a->from == b->from && a->to == b->to && a->g == b->g &&
	    a->proc == b->proc && a->a == b->a && a->b == b->b &&
	    (!query_has_range(a) || (a->b_from == b->b_from && a->b_to == b->b_to)) && same_text(a->gs, b->gs) &&
	    same_text(a->group, b->group) && same_text(a->task, b->task) && same_text(a->region, b->region) &&
	    same_text(a->operation, b->operation) && same_text(a->latency, b->latency);
}

bool query_same_focus(const struct query *a, const struct query *b)
{
	return a->suspended == b->suspended && same_text(a->f.focus, b->f.focus) && same_text(a->f.ignore, b->f.ignore);
}

int query_check_sides(const struct options *o, struct err *e)
{
	bool rest = options_bool(o, OPT_REST), range = has_option(o, OPT_DIFF_RANGE);
	if (rest && !has_option(o, OPT_GROUP) && !has_option(o, OPT_GOROUTINE) && !has_option(o, OPT_TASK) &&
	    !has_option(o, OPT_REGION) && !has_option(o, OPT_OPERATION))
		return err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "-rest requires -group, -goroutine, -task, -region or -operation");
	if (rest && range)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-rest cannot be used together with -diff_range");
	if ((rest || range) && (has_option(o, OPT_BASE) || has_option(o, OPT_DIFF_BASE)))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-%s cannot be used together with -base or -diff_base",
		    rest ? "rest" : "diff_range");
	return 0;
}

/* ---- compiled */

/* *rx is NULL if re is NULL. */
static int compile_regex(struct regex **rx, const char *re, struct err *e)
{
	struct err why = {0};
	*rx = re ? regex_new(re, &why) : NULL;
	return *rx || !re ? 0 : err_set(e, ERR_USAGE, ERR_NOWHERE, "%s: %s", re, why.msg);
}

static const char *unless_empty(const char *s)
{
	return s && *s ? s : NULL;
}

int query_match_compile(struct query_match *m, const struct query *q, struct arena *a, struct err *e)
{
	const char *group = unless_empty(q->group), *task = unless_empty(q->task), *region = unless_empty(q->region),
		   *operation = unless_empty(q->operation);
	*m = (struct query_match){.span = {.lo = TIME_NONE, .hi = TIME_NONE}};
	if (region && task)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-region and -task cannot be used together");
	if (operation && (task || region))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-operation and -%s cannot be used together",
		    task ? "task" : "region");
	if (q->latency && !task_filter_parse_range(q->latency, &m->span.lo, &m->span.hi))
		return err_set(e, ERR_USAGE, ERR_NOWHERE,
		    "-latency requires a range like 10ms..50ms, >50ms or <10ms, not \"%s\"", q->latency);
	m->by_id = (task || operation) && trace_parse_id(task ? task : operation, 't', &m->span.id);
	m->operations = operation;
	if (region)
		region = trace_parse_region_place(region, a, &m->span);
	/* "^$" selects all goroutines, as the reference's page of the group without a name does */
	if (group && !strcmp(group, "^$"))
		group = NULL;
	return compile_regex(&m->group, group, e) || compile_regex(&m->task, m->by_id ? NULL : task, e) ||
	    compile_regex(&m->region, region, e) ||
	    compile_regex(&m->operation, m->by_id ? NULL : operation, e) ? -1 : 0;
}

void query_match_free(struct query_match *m)
{
	regex_free(m->group);
	regex_free(m->task);
	regex_free(m->region);
	regex_free(m->operation);
	*m = (struct query_match){0};
}

static int bad_list(const char *gs, struct err *e)
{
	return err_set(e, ERR_USAGE, ERR_NOWHERE, "-goroutine requires numbers separated by commas, not \"%.200s\"", gs);
}

int query_check(const struct query *q, struct err *e)
{
	struct arena a = {0};
	struct query_match m;
	struct trace_ids ids = {0};
	int r = query_match_compile(&m, q, &a, e);
	if (!r && q->gs && !trace_ids_parse(&ids, q->gs, 0))
		r = bad_list(q->gs, e);
	trace_ids_free(&ids);
	query_match_free(&m);
	arena_free(&a);
	return r;
}

/* ---- the filter on a trace */

static bool match_rx(void *rx, const char *s, size_t n)
{
	return regex_match(rx, s, n);
}

/* *among: NULL, or the set of the group if goroutines are listed too. */
static int filter_goroutines(const struct snap *sn, const struct query *q, const struct query_match *m, struct arena *a,
    struct trace_filter *f, const uint8_t **among, struct err *e)
{
	uint32_t n = 1;
	f->g = m->group ? trace_gset_by_name(sn, match_rx, m->group, a) : NULL;
	*among = q->gs || q->g ? f->g : NULL;
	if (q->g) {
		f->g = trace_gset_of_one(sn, q->g, a);
	} else if (q->gs) {
		f->g = trace_gset_parse(sn, q->gs, a, &n);
		if (!f->g)
			return bad_list(q->gs, e);
	}
	return n || !e ? 0 : err_set(e, ERR_USAGE, ERR_NOWHERE, "no goroutine %.200s in the trace", q->gs);
}

/* Return the number of tasks, regions or operations. */
static uint32_t filter_slices(const struct snap *sn, const struct query_match *m, bool rest, struct arena *a,
    struct trace_filter *f)
{
	struct trace_span_match by = m->span;
	by.rest = rest;
	by.arg = m->task ? m->task : m->region ? m->region : m->operation;
	by.match = by.arg ? match_rx : NULL;
	if (!by.arg && !m->by_id)
		return 0;
	f->slice = (m->region ? trace_region_slices : m->operations ? operations_slices : trace_task_slices)(
	    sn, &by, a, &f->nslice);
	f->span = by.span;
	return by.n;
}

int query_trace_filter(const struct snap *sn, const struct query *q, bool rest, struct arena *a, struct trace_filter *f,
    uint32_t *n, struct err *e)
{
	const struct query all = {.from = TIME_NONE, .to = TIME_NONE, .blame = q->blame};
	struct query_match m;
	struct err why;
	const uint8_t *among = NULL;
	uint32_t spans = 0;
	if (q->suspended)
		q = &all;
	*f = (struct trace_filter){.from = q->from, .to = q->to, .proc = q->proc, .blame = (enum trace_blame)q->blame};
	int r = query_match_compile(&m, q, a, e ? e : &why);
	if (!r)
		r = filter_goroutines(sn, q, &m, a, f, &among, e);
	if (!r)
		spans = filter_slices(sn, &m, rest, a, f);
	query_match_free(&m);
	if (r)
		return -1;
	if (!f->slice && rest)
		f->g = trace_gset_complement(sn, f->g, among, a);
	if (n)
		*n = f->slice ? spans : trace_gset_count(sn, f->g, f->from, f->to);
	return 0;
}

int query_add_focus(
    const struct snap *sn, const struct query *q, struct arena *a, struct trace_filter *f, struct err *e)
{
	return q->suspended ? 0 : filter_trace_focus(sn, &q->f, a, &f->focus, e);
}
