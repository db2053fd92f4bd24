/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The filters in the second line of the screen.
 *
 * A table has one row for each filter: how it is written, and in which panes it is applied. A
 * filter that the pane does not apply is listed after "not applied here", dimmed, so that no number
 * is read as if it were filtered. In the goroutines pane some filters select goroutines and the
 * numbers count their whole lives: this is noted after them. tests/tui/filters.sh compares each row
 * with what the panes show.
 */
#include "config.h"
#include "app/internal.h"

#include "base/text/text.h"
#include "trace/as_profile.h"
#include "trace/task_filter.h"

#include <stddef.h>
#include <string.h>

/* If re is ^name$ with all special characters escaped, as `f` makes it, append the name and return true. */
static bool put_exact_name(const char *re, size_t n, struct buf *b)
{
	if (n < 3 || re[0] != '^' || re[n - 1] != '$')
		return false;
	for (size_t i = 1; i < n - 1; i++) {
		if (re[i] == '\\')
			i++;
		else if (strchr(".+*?()|[]{}^$", re[i]))
			return false;
		if (i < n - 1)
			buf_putc(b, re[i]);
	}
	return true;
}

/* Show filters made from a selection (^a$, or ^a$|^b$) by short names, as the lists do. */
static bool chip_names(struct buf *b, const char *value, bool ascii)
{
	struct buf plain = {0}, all = {0};
	bool ok = true;
	while (ok && *value) {
		const char *end = strstr(value, "$|^");
		size_t n = end ? (size_t)(end - value) + 1 : strlen(value);
		buf_reset(&plain);
		ok = put_exact_name(value, n, &plain) && plain.n;
		if (ok && all.n)
			buf_putc(&all, '|');
		if (ok)
			text_fit_symbol(&all, plain.p, plain.n, 30, ascii);
		value += n + (end != NULL);
	}
	if (ok)
		buf_put(b, all.p, all.n);
	buf_free(&plain);
	buf_free(&all);
	return ok;
}

/* ---- the text of each filter; empty if it is not set */

static void put_latency(const struct app *a, const struct query *q, struct buf *b)
{
	int64_t lo, hi;
	(void)a;
	if (!q->latency || !task_filter_parse_range(q->latency, &lo, &hi))
		return;
	/* Rounded for display: bounds taken from a histogram bar are exact nanoseconds, which gy copies. */
	buf_puts(b, "latency=");
	if (lo != TIME_NONE)
		text_ns(b, lo);
	buf_puts(b, "..");
	if (hi != TIME_NONE)
		text_ns(b, hi);
}

static void put_own_base(const struct app *a, const struct query *q, struct buf *b)
{
	(void)a;
	if (query_has_rest(q))
		buf_puts(b, q->group && (q->gs || q->g) ? "against=its group" : "against=the rest");
	if (!query_has_range(q))
		return;
	buf_puts(b, "against=");
	text_ns(b, q->b_from);
	buf_puts(b, "..");
	text_ns(b, q->b_to);
}

static void put_negative(const struct app *a, const struct query *q, struct buf *b)
{
	(void)a;
	if (q->drop_negative)
		buf_puts(b, "drop_negative=on");
}

static void put_blame(const struct app *a, const struct query *q, struct buf *b)
{
	if (session_is_trace(a->s) &&
	    trace_type_has_blame((enum trace_weight_type)session_type(a->s), (enum trace_blame)q->blame))
		buf_printf(b, "blame=%s", trace_blame_name((enum trace_blame)q->blame));
}

static void put_time(const struct app *a, const struct query *q, struct buf *b)
{
	const struct snap *sn = session_snap(a->s);
	if (q->from == TIME_NONE && q->to == TIME_NONE)
		return;
	text_ns(b, q->from == TIME_NONE ? sn->t0 : q->from);
	buf_puts(b, "..");
	text_ns(b, q->to == TIME_NONE ? sn->t1 : q->to);
}

static void put_goroutines(const struct app *a, const struct query *q, struct buf *b)
{
	if (!q->gs)
		return;
	uint32_t n = session_count_listed(a->s);
	buf_printf(b, "%s%.*s%s", n > 1 ? "goroutines " : "goroutine ", n > 6 ? 12 : 60, q->gs, n > 6 ? "..." : "");
	if (n > 6)
		buf_printf(b, " (%u)", n);
}

static void put_goroutine(const struct app *a, const struct query *q, struct buf *b)
{
	if (q->g)
		buf_printf(b, "goroutine %llu", (unsigned long long)store_trk(session_snap(a->s)->st, q->g)->id);
}

static void put_proc(const struct app *a, const struct query *q, struct buf *b)
{
	if (q->proc)
		buf_printf(b, "P%llu", (unsigned long long)store_trk(session_snap(a->s)->st, q->proc)->id);
}

/* ---- the panes that apply a filter */

enum {
	PAGES = P_HELP | P_INFO | P_REPORT,
	STACKS = P_TREES | P_TAGS | PAGES,
	LISTS = P_TIME | P_GOR | P_TASK | P_GC | P_EVENTS,
	TRACE = STACKS | LISTS | P_FINDINGS | P_WHY | P_BOARDS
};
enum { OF_PROFILES = 1 };	/* not applied to traces, whose samples have no tags */

static const struct filter_row {
	const char *name;	/* of a text filter; otherwise NULL, and put() writes it */
	size_t at;		/* offset of its text in struct query */
	void (*put)(const struct app *, const struct query *, struct buf *);
	int panes, lives;	/* lives: panes in which it selects goroutines whose whole lives are counted */
	int only;
} filter_rows[] = {
    {"focus", offsetof(struct query, f.focus), NULL, STACKS | LISTS, P_GOR, 0},
    {"ignore", offsetof(struct query, f.ignore), NULL, STACKS | LISTS, P_GOR, 0},
    {"hide", offsetof(struct query, f.hide), NULL, STACKS, 0, 0},
    {"show", offsetof(struct query, f.show), NULL, STACKS, 0, 0},
    {"show_from", offsetof(struct query, f.show_from), NULL, STACKS, 0, 0},
    {"prune_from", offsetof(struct query, f.prune_from), NULL, STACKS, 0, 0},
    {"tagfocus", offsetof(struct query, f.tagfocus), NULL, STACKS, 0, OF_PROFILES},
    {"tagignore", offsetof(struct query, f.tagignore), NULL, STACKS, 0, OF_PROFILES},
    {"tagshow", offsetof(struct query, f.tagshow), NULL, STACKS, 0, OF_PROFILES},
    {"taghide", offsetof(struct query, f.taghide), NULL, STACKS, 0, OF_PROFILES},
    {"tagroot", offsetof(struct query, f.tagroot), NULL, STACKS, 0, 0},
    {"tagleaf", offsetof(struct query, f.tagleaf), NULL, STACKS, 0, 0},
    {"group", offsetof(struct query, group), NULL, TRACE, 0, 0},
    {"task", offsetof(struct query, task), NULL, TRACE, P_GOR, 0},
    {"region", offsetof(struct query, region), NULL, TRACE, P_GOR, 0},
    {"operation", offsetof(struct query, operation), NULL, TRACE, P_GOR, 0},
    {NULL, 0, put_latency, TRACE, P_GOR, 0},
    {NULL, 0, put_own_base, STACKS, 0, 0},
    {NULL, 0, put_negative, STACKS, 0, 0},
    {NULL, 0, put_blame, STACKS, 0, 0},
    {NULL, 0, put_time, TRACE, 0, 0},
    {NULL, 0, put_goroutines, TRACE, 0, 0},
    {NULL, 0, put_goroutine, TRACE, 0, 0},
    {NULL, 0, put_proc, TRACE & ~P_GC, P_GOR, 0},
};

static bool is_applied(const struct app *a, const struct filter_row *r, int pane)
{
	enum trace_blame blame = (enum trace_blame)session_query(a->s)->blame;
	if (r->only == OF_PROFILES && session_is_trace(a->s))
		return false;
	if (r->put == put_proc && pane & P_TREES && !trace_type_has_proc((enum trace_weight_type)session_type(a->s), blame))
		return false;
	return r->panes & pane;
}

static void put_filter(const struct app *a, const struct filter_row *r, const struct query *q, struct buf *b)
{
	if (r->put) {
		r->put(a, q, b);
		return;
	}
	const char *value = *(const char *const *)((const char *)q + r->at);
	if (!value || !*value)
		return;
	buf_printf(b, "%s=", r->name);
	if (!chip_names(b, value, a->env.ascii))
		buf_puts(b, value);
}

bool filter_chips_applied(const struct app *a, const char *name)
{
	for (size_t i = 0; i < sizeof filter_rows / sizeof *filter_rows; i++)
		if (filter_rows[i].name && !strcmp(filter_rows[i].name, name))
			return is_applied(a, &filter_rows[i], pane_now(a)->bit);
	return true;
}

bool filter_chips_pane_subtracts(const struct app *a)
{
	return !session_is_trace(a->s) || !(pane_now(a)->bit & (TRACE & ~STACKS));
}

void app_chips(const struct app *a, struct buf *b, struct buf *unused)
{
	const struct query *q = session_query(a->s);
	int pane = pane_now(a)->bit;
	struct buf one = {0};
	for (size_t i = 0; i < sizeof filter_rows / sizeof *filter_rows; i++) {
		const struct filter_row *r = &filter_rows[i];
		buf_reset(&one);
		put_filter(a, r, q, &one);
		bool applied = q->suspended || is_applied(a, r, pane);
		if (one.n && !applied)
			buf_puts(unused, unused->n ? ", " : " | not applied here: ");
		else if (one.n)
			buf_puts(b, " | ");
		buf_put(applied ? b : unused, one.p, one.n);
		if (one.n && r->lives & pane && !q->suspended)
			buf_puts(b, " (whole lives)");
	}
	buf_free(&one);
	if (q->b && !query_has_rest(q) && !filter_chips_pane_subtracts(a))
		buf_puts(b, query_has_range(q) ? " | D: what differs" : " | first file only, D: what differs");
	if (a->search.grep)
		buf_printf(b, " | &%s", regex_pattern(a->search.grep));
	if (q->suspended)
		buf_puts(b, " | filters are off: \\ turns them on");
}
