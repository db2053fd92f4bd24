/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Comparison: the commands that add a second file and choose which side is shown.
 *
 * The session reads files in the background; this file starts that and handles the result. Which
 * files are A and B is part of the query, so u undoes a comparison like a filter, and choosing a
 * base that was read before costs nothing.
 */
#include "config.h"
#include "app/internal.h"

#include "base/job.h"
#include "base/text/text.h"
#include "session/trace_analysis.h"
#include "tracepane/slow_query.h"

#include <string.h>
#include <unistd.h>

static const char *base_of(const char *file)
{
	const char *slash = strrchr(file, '/');
	return slash && slash[1] ? slash + 1 : file;
}

/* Append both sides by name, as "new.pb.gz - old.pb.gz". */
static void put_side(const struct app *a, struct buf *b, uint64_t set)
{
	const char *plus = "";
	for (uint32_t k = 0; k < session_nsides(a->s); k++)
		if (side_in(set, k)) {
			const char *name = base_of(session_side_name(a->s, k));
			buf_puts(b, plus);
			text_safe(b, name, strlen(name));
			buf_puts(b, k && !strcmp(session_side_name(a->s, k), session_file(a->s)) ? " (again)" : "");
			plus = " + ";
		}
}

/* Report the states in which the means of A and B differ most; wait for the weights if they are not known yet,
   unless the query changes. */
void compare_report_rest(struct app *a)
{
	const struct query *q = session_query(a->s);
	const char *what = q->task ? "task" : q->region ? "region" : q->operation ? "operation" : "goroutine";
	struct rest_states r;
	struct buf b = {0};
	bool done[TS__N] = {0};
	a->files.rest_of = 0;
	if (!session_rest_async(a->s, &r)) {
		a->files.rest_of = session_serial(a->s) + 1;
		return;
	}
	for (int k = 0; k < 4; k++) {
		int64_t most = 0;
		int best = 0;
		for (int i = TS_NONE + 1; i < TS__N; i++) {
			int64_t d = r.ns[0][i] - r.ns[1][i], size = d < 0 ? -d : d;
			if (!done[i] && size > most) {
				most = size;
				best = i;
			}
		}
		if (!best)
			break;
		done[best] = true;
		buf_printf(&b, "%s%s %s", k ? ", " : ": ", style_state_name((enum tstate)best),
		    r.ns[0][best] < r.ns[1][best] ? "-" : "+");
		text_ns(&b, most);
	}
	app_message(a, ST_NORMAL, "%s%sA - B, the mean of %s %s, %u against %u other%s%s", a->files.rest_note,
	    *a->files.rest_note ? "; " : "", strchr("aeio", *what) ? "an" : "a", what, r.n[0], r.n[1], text_s(r.n[1]), buf_str(&b));
	buf_free(&b);
}

/* Report the two time ranges of a trace that are compared. */
static void report_ranges(struct app *a, const struct query *q)
{
	static const char *const shown[SHOW__N] = {
	    [SHOW_DELTA] = "A - B: A is ", [SHOW_A] = "A of A - B: ", [SHOW_B] = "B of A - B: "};
	const struct snap *sn = session_snap(a->s);
	struct buf b = {0};
	buf_puts(&b, shown[q->show]);
	if (q->show != SHOW_B) {
		text_ns(&b, q->from == TIME_NONE ? sn->t0 : q->from);
		buf_puts(&b, "..");
		text_ns(&b, q->to == TIME_NONE ? sn->t1 : q->to);
	}
	buf_puts(&b, q->show == SHOW_DELTA ? ", B is " : "");
	if (q->show != SHOW_A) {
		text_ns(&b, q->b_from);
		buf_puts(&b, "..");
		text_ns(&b, q->b_to);
		buf_puts(&b, ", scaled to the length of A");
	}
	app_message(a, ST_NORMAL, "%s", buf_str(&b));
	buf_free(&b);
}

static void report_sides(struct app *a, const struct query *q)
{
	if (query_has_range(q)) {
		report_ranges(a, q);
		return;
	}
	if (query_has_rest(q) && q->show == SHOW_DELTA) {
		compare_report_rest(a);
		return;
	}
	if (query_has_rest(q)) {
		app_message(a, ST_NORMAL, q->show == SHOW_A ? "A only: the selected ones, mean per item"
							     : "B only: all others, mean per item");
		return;
	}

	struct buf x = {0}, y = {0};
	put_side(a, &x, q->a);
	put_side(a, &y, q->b);
	if (!q->b)
		app_message(a, ST_DIM, "%s only", buf_str(&x));
	else if (q->show == SHOW_DELTA)
		app_message(a, ST_NORMAL, "A - B: A is %s, B is %s", buf_str(&x), buf_str(&y));
	else
		app_message(a, ST_NORMAL, "%s of A - B: %s", q->show == SHOW_A ? "A" : "B",
		    buf_str(q->show == SHOW_A ? &x : &y));
	buf_free(&x);
	buf_free(&y);
}

static void set_query(struct app *a, const struct query *q)
{
	if (app_query(a, q))
		report_sides(a, q);
}

bool compare_update(struct app *a)
{
	struct side_news n;
	bool reported = false;
	while (session_side_news(a->s, &n)) {
		reported = true;
		if (n.failed) {
			app_message(a, ST_ERROR, "%s", n.err.msg);
			continue;
		}
		if (n.use == SIDE_SHOW && *n.file == '@') {
			struct query q = *session_query(a->s);
			session_query_use_side(&q, n.use, n.side);
			q.b = 0;
			named_parse_filters(a, &q, "");
			app_query(a, &q);
			continue;
		}
		if (n.use == SIDE_SHOW) {
			reload_show_side(a, &n);
			continue;
		}
		struct query q = *session_query(a->s);
		session_query_use_side(&q, n.use, n.side);
		if (*n.file == '@')	/* each side was filtered separately */
			named_parse_filters(a, &q, "");
		set_query(a, &q);
	}
	return reported;
}

/* Return the side that was read from a file before; 0: none. */
static uint32_t side_of(const struct app *a, const char *file)
{
	for (uint32_t k = session_nsides(a->s); k-- > 1;)
		if (!strcmp(session_side_name(a->s, k), file))
			return k;
	return 0;
}

static void add_file(struct app *a, const char *file, enum side_use use)
{
	struct err e;
	struct query q = *session_query(a->s);
	uint32_t side = side_of(a, file);
	if (side && !side_in(q.a, side)) {
		session_query_use_side(&q, use, side);
		set_query(a, &q);
	} else if (session_add(a->s, file, use, &e)) {
		app_message(a, ST_ERROR, "%s", e.msg);
	} else {
		app_message(a, ST_DIM, "reading %s", file);
		app_refresh(a);
		a->status.sticky = true;
	}
}

void compare_with_previous(struct app *a)
{
	struct err e;
	if (session_add_session(a->s, a->files.reload.previous, SIDE_BASE, &e)) {
		app_message(a, ST_ERROR, "%s", e.msg);
		return;
	}
	a->files.reload.previous = NULL;
	app_refresh(a);
	a->status.sticky = true;
}

/* :diff @NAME: compare the current filters with the saved ones, on the same files. The filters of a query apply to
   both sides, so each side is made as a profile. */
static void diff_saved(struct app *a, const char *file)
{
	struct err e;
	struct query now = *session_query(a->s), other = now;
	struct buf b = {0};
	const char *words = named_text(a, NAMED_FILTER, file + 1);
	now.b = other.b = 0;
	now.noinlines = other.noinlines = false;
	now.gran = other.gran = GR_FUNCTIONS;
	other.suspended = false;
	named_put_filters(session_query(a->s), &b);
	if (session_is_trace(a->s))
		app_message(a, ST_WARN, "traces: D on goroutines (6) or tasks (7) compares them with the rest");
	else if (!words)
		app_message(a, ST_ERROR, "no filters are saved as %s", file + 1);
	else if (!a->env.report || app_job(a))
		app_message(a, ST_WARN, "a file is being read or a report is being made: wait for it");
	else if (named_parse_filters(a, &other, words) ||
	    (b.n && !now.suspended && session_add_made(a->s, "@now", &now, a->env.report, SIDE_SHOW, &e)) ||
	    session_add_made(a->s, file, &other, a->env.report, SIDE_BASE, &e))
		app_message(a, ST_ERROR, "%s is not a set of filters", file);
	else
		app_message(a, ST_DIM, "comparing with %s: %.200s", file + 1, *words ? words : "no filters");
	buf_free(&b);
	app_refresh(a);
	a->status.sticky = true;
}

/* :diff FROM..TO [FROM..TO]: compare the time range that is shown, or the second one, with the first one. Return false if
   the words are not time ranges. */
static bool diff_ranges(struct app *a, const char *words)
{
	struct query q = *session_query(a->s);
	const struct snap *sn = session_snap(a->s);
	const char *space = strchr(words, ' '), *second = space ? space + strspn(space, " ") : "";
	size_t n = space ? (size_t)(space - words) : strlen(words);
	int64_t t0, t1;
	struct err e;
	if (!session_is_trace(a->s) || query_parse_span(sn, arena_strndup(&a->scratch, words, n), &t0, &t1, &e) ||
	    (*second && query_parse_span(sn, second, &q.from, &q.to, &e)))
		return false;
	query_compare_range(&q, t0, t1);
	set_query(a, &q);
	return true;
}

static void do_diff(struct app *a, const char *file)
{
	struct query q = *session_query(a->s);
	if (file && *file == '@' && file[1]) {
		diff_saved(a, file);
		return;
	}
	if (!file) {
		app_prompt(a, CMD_COMMAND, "diff ");
	} else if (!*file && !q.b) {
		app_message(a, ST_WARN, "no comparison to end: :diff FILE compares with FILE");
	} else if (!*file) {
		q.b = 0;
		q.show = SHOW_DELTA;
		set_query(a, &q);
	} else if (!access(file, F_OK) || !diff_ranges(a, file)) {
		add_file(a, file, SIDE_BASE);
	}
}

/* Show what differs, in a pane that does not subtract: its report if that compares, else the findings. */
static void show_changes(struct app *a)
{
	const char *name = pane_now(a)->name, *report = "findings";
	for (const struct report_row *r = report_rows; r->name; r++)
		if (!strcmp(r->name, name) && options_applies_to_report(name, OPT_DIFF_RANGE))
			report = r->name;
	app_act(a, &(struct act){CMD_REPORT, 0, report});
}

/* Return the operation at the selected place of a trace, or a slow one of the worst finding. */
static uint32_t operation_here(struct app *a, const struct trace_analysis *x)
{
	struct place p;
	app_place(a, &p);
	uint32_t i = p.trk && p.t0 != TIME_NONE && p.t0 != p.t1 ? operations_at(x->all, p.trk, p.t0) : OPERATION_NONE;
	return i == OPERATION_NONE ? trace_analysis_slow_operation(x, NULL) : i;
}

/* Compare the slow operations of a kind of a trace with its others: of the selected one, else of the worst finding. false:
   these are not known. */
static bool compare_slow_operations(struct app *a)
{
	struct trace_analysis *x = session_is_trace(a->s) ? session_analysis_if_made(a->s) : NULL;
	uint32_t i = x ? operation_here(a, x) : OPERATION_NONE;
	struct ask ask = {.kind = ASK_NONE, .place = PLACE_NONE};
	if (i != OPERATION_NONE && tracepane_ask_slow(x->all, operations_kind_of(x->all, i), &a->env, &ask) == V_ASK)
		app_handle_ask(a, &ask);
	trace_analysis_free(x);
	return i != OPERATION_NONE;
}

static void do_show(struct app *a, const char *which)
{
	static const char *const name[] = {"delta", "a", "b"};
	struct query q = *session_query(a->s);
	unsigned k = ((unsigned)q.show + 1) % SHOW__N;
	if (!q.b && a->files.reload.before && a->files.reload.before != q.a) {	/* the sides before the reload */
		q.b = a->files.reload.before;
		q.of_rest = false;
		k = SHOW_DELTA;
	}
	if (!q.b && a->files.reload.previous) {
		compare_with_previous(a);
		return;
	}
	if (!q.b && compare_slow_operations(a))
		return;
	if (!q.b) {
		app_message(a, ST_WARN, "no base: B chooses one");
		return;
	}
	if (!which && !filter_chips_pane_subtracts(a) && !query_has_rest(&q)) {
		show_changes(a);
		return;
	}
	if (which) {
		for (k = 0; k < SHOW__N && strcmp(which, name[k]); k++)
			;
		if (k == SHOW__N) {
			app_message(a, ST_ERROR, "side requires a, b or delta");
			return;
		}
	}
	q.show = (enum side_show)k;
	set_query(a, &q);
}

static void do_swap(struct app *a)
{
	struct query q = *session_query(a->s);
	uint64_t was = q.a;
	if (!q.b) {
		app_message(a, ST_WARN, "no base to swap with: B chooses one");
		return;
	}
	if (query_has_range(&q)) {
		const struct snap *sn = session_snap(a->s);
		int64_t t0 = q.from == TIME_NONE ? sn->t0 : q.from, t1 = q.to == TIME_NONE ? sn->t1 : q.to;
		q.from = q.b_from;
		q.to = q.b_to;
		query_compare_range(&q, t0, t1);
		set_query(a, &q);
		return;
	}
	if (query_has_rest(&q)) {
		app_message(a, ST_WARN, "A is always what was selected: D shows only A, only B, or the difference");
		return;
	}
	q.a = q.b;
	q.b = was;
	set_query(a, &q);
}

static bool no_base(struct app *a, const struct query *q, enum cmd_id id)
{
	if (!q->b)
		app_message(a, ST_WARN, "%s: no base, B chooses one", cmds[id].name);
	return !q->b;
}

bool compare_command(struct app *a, const struct act *act)
{
	struct query q = *session_query(a->s);
	switch (act->cmd) {
	case CMD_DIFF: do_diff(a, act->arg); return true;
	case CMD_SIDE: do_show(a, act->arg); return true;
	case CMD_SWAP: do_swap(a); return true;
	case CMD_MERGE: add_file(a, act->arg ? act->arg : "", SIDE_MERGE); return true;
	case CMD_NORMALIZE:
		if (no_base(a, &q, act->cmd))
			return true;
		q.normalize = !q.normalize;
		if (app_query(a, &q))
			app_message(a, ST_DIM, q.normalize ? "A is scaled to the total of B" : "A is not scaled");
		return true;
	case CMD_DROP_NEG:
		if (no_base(a, &q, act->cmd))
			return true;
		q.drop_negative = !q.drop_negative;
		if (app_query(a, &q))
			app_message(a, ST_DIM, q.drop_negative ? "only positive differences" : "all differences");
		return true;
	default: return false;
	}
}
