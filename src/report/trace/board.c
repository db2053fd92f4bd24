/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace locks` and the other boards: any board as a table. A place is one column in text, "function file:line"; for
 * scripts it is three: the function, and the file and line in columns of their own. A comparison has neither the links
 * nor the parts of rows: they are of one side.
 */
#include "config.h"
#include "report/trace/board_parts.h"
#include "report/trace/summary.h"

#include <string.h>

enum { PLACE_COLS = 3 };

static const enum table_kind kind_of_unit[] = {
    [BOARD_COUNT] = TB_INT, [BOARD_NS] = TB_NS, [BOARD_NUMBER] = TB_NUMBER, [BOARD_SHARE] = TB_SHARE,
    [BOARD_ESTIMATE] = TB_ESTIMATE,
    [BOARD_WORD] = TB_STR, [BOARD_NAME] = TB_STR, [BOARD_PLACE] = TB_STR,
};

/* Set the columns of a table; return how many there are. */
static uint32_t table_cols(const struct trace_report_ctx *r, enum board_id id, struct table_col *to)
{
	enum board_column_id first = board_first_column(id);
	uint32_t n = board_count_columns(id), out = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct board_column *c = &board_columns[first + i];
		bool split = c->unit == BOARD_PLACE && r->format != TF_TEXT;
		to[out++] = (struct table_col){c->title, c->key, kind_of_unit[c->unit]};
		if (!split)
			continue;
		to[out++] = (struct table_col){c->title, arena_printf(r->mem, "%s_file", c->key), TB_STR};
		to[out++] = (struct table_col){c->title, arena_printf(r->mem, "%s_line", c->key), TB_INT};
	}
	return out;
}

static void put_place(const struct trace_report_ctx *r, struct table *t, const struct board_cell *c)
{
	frm_id frame = c->some ? report_board_frame(r, c->stack) : 0;
	if (r->format == TF_TEXT && !c->some && c->s) {
		table_str(t, c->s, c->n);
		return;
	}
	if (r->format == TF_TEXT) {
		struct buf b = {0};
		trace_report_put_frame(r, &b, frame);
		table_str(t, b.p ? b.p : "", b.n);
		buf_free(&b);
		return;
	}
	for (int i = 0; i < PLACE_COLS && !frame; i++)
		table_none(t);
	if (!frame)
		return;
	const struct fun_row *fun = store_fun(r->st, store_frm(r->st, frame)->fun);
	struct trace_report_text name = trace_report_string(r, fun->name, ""), file = trace_report_string(r, fun->file, "");
	table_str(t, name.s, name.n);
	table_str(t, file.s, file.n);
	table_int(t, store_frm(r->st, frame)->line);
}

static void put_cell(const struct trace_report_ctx *r, struct table *t, enum board_unit unit, const struct board_cell *c)
{
	if (unit == BOARD_PLACE) {
		put_place(r, t, c);
		return;
	}
	if (!c->some) {
		table_none(t);
		return;
	}
	switch (unit) {
	case BOARD_COUNT:
	case BOARD_NS: table_int(t, c->i); break;
	case BOARD_NUMBER:
	case BOARD_SHARE:
	case BOARD_ESTIMATE: table_share(t, c->f); break;
	case BOARD_WORD:
	case BOARD_NAME: table_str(t, c->s, c->n); break;
	case BOARD_PLACE: break;
	}
}

/* How boards are compared, see struct trace_summary: what makes up most of a row does not name it. */
static const struct board_comparison { const char *sums, *notes; } comparisons[BOARD__N] = {
    [BOARD_LOCKS] = {"wait_ns waits", "waits_at_line holder_class held_at held_at_file held_at_line"},
    [BOARD_CHANNELS] = {"wait_ns waits receive_wait_ns send_wait_ns", "starves receives_at_line sends_at_line"},
    [BOARD_STOPS] = {"total_ns count stopping_ns stopped_ns restart_ns",
	"caller_line last_to_stop last_to_stop_file last_to_stop_line"},
    [BOARD_GREEDY] = {"delay_ns run_ns long_runs", "runs_at runs_at_file runs_at_line"},
    [BOARD_LEAKS] = {"grown created ended", "blocked_at blocked_at_file blocked_at_line created_at_line"},
    [BOARD_GCTAX] = {"", ""},
};

/* The report of one board. */
struct board_report { enum board_id id; bool compares; struct buf *details; };

static void put_row(const struct trace_report_ctx *r, struct table *t, const struct board *b, uint32_t i, bool links)
{
	enum board_column_id first = board_first_column(b->id);
	uint32_t n = board_count_columns(b->id);
	for (uint32_t c = 0; c < n; c++)
		put_cell(r, t, board_columns[first + c].unit, &b->v[i].cell[c]);
	if (links)
		report_board_put_links(r, t, &b->v[i]);
}

/* Make the measures that a board needs. Return NULL if stopped. */
static struct board_measures *measure(struct trace_report_ctx *r, const struct trace_filter *f, unsigned needs)
{
	struct board_source from = {.sn = r->sn, .filter = f, .unscanned = !(needs & BOARD_NEEDS_SCAN),
	    .uncurved = r->format != TF_JSON};
	if (needs == BOARD_NEEDS_SCAN) {
		from.operations = operations_find_idle(r->sn, r->mem, &f->on);
		return from.operations ? board_measures_new(&from, &f->on) : NULL;
	}
	const struct operations *all = needs ? operations_shared(r->sn, &f->on) : NULL;
	bool part = f->g || f->slice || f->from != TIME_NONE || f->to != TIME_NONE;
	from.operations = part && all ? operations_find(r->sn, f, NULL, r->mem, &f->on) : all;
	if (from.operations && needs & BOARD_NEEDS_PATHS)
		from.walker = critical_walker_new(r->sn, all, r->mem, &f->on);
	bool ready = (!needs || from.operations) && (!(needs & BOARD_NEEDS_PATHS) || from.walker);
	return ready ? board_measures_new(&from, &f->on) : NULL;
}

/* Make the board, and call fn with it. */
static int with_board(struct trace_report_ctx *r, const struct board_report *k,
    void (*fn)(const struct trace_report_ctx *, struct table *, const struct board *, const struct board_report *),
    struct table *t, struct err *e)
{
	struct trace_filter f = r->filter;
	f.g = r->on;
	struct board_measures *m = measure(r, &f, board_needs(k->id));
	struct board *b = m ? board_make(k->id, m, &f.on) : NULL;
	if (b)
		fn(r, t, b, k);
	if (b && !k->compares && r->format == TF_TEXT)
		report_board_details(r, b, k->details);
	board_free(b);
	board_measures_free(m);
	return b ? 0 : err_set(e, ERR_CANCEL, ERR_NOWHERE, "stopped");
}

static void put_rows(
    const struct trace_report_ctx *r, struct table *t, const struct board *b, const struct board_report *k)
{
	for (uint32_t i = 0; i < b->n; i++)
		put_row(r, t, b, i, !k->compares);
}

static int put_board(struct trace_report_ctx *r, struct table *t, const void *arg, struct err *e)
{
	return with_board(r, arg, put_rows, t, e);
}

/* Print the rows one by one: there may be a hundred thousand, each with a curve. */
static void pour_rows(
    const struct trace_report_ctx *r, struct table *t, const struct board *b, const struct board_report *k)
{
	(void)k;
	for (struct trace_report_rows rows = {.r = r, .t = t}; trace_report_next_pass(&rows);)
		for (uint32_t i = 0; i < b->n && !r->to->failed; i++) {
			put_row(r, t, b, i, true);
			trace_report_end_item(&rows);
		}
}

/* Print a board in its own order. */
static int print_board(
    struct trace_report_ctx *r, const struct board_report *k, const struct table_col *col, uint32_t n, struct err *e)
{
	struct table t;
	table_begin(&t, col, n);
	int bad = with_board(r, k, pour_rows, &t, e);
	table_free(&t);
	return bad;
}

int report_board(const struct options *o, struct out *out, struct err *e)
{
	struct trace_report_ctx r;
	struct table_col col[BOARD_COLUMN__N * PLACE_COLS + REPORT_BOARD_LINKS];
	struct buf details = {0};
	const struct board_report k = {
	    (enum board_id)board_find(o->report, strlen(o->report)), trace_summary_compares(o), &details};
	if (trace_report_open(&r, o, out, e))
		return -1;
	uint32_t n = table_cols(&r, k.id, col);
	n += k.compares ? 0 : report_board_link_cols(&r, col + n);
	const struct trace_summary rows = {.col = col, .ncol = n, .fill = put_board, .arg = &k,
	    .sums = comparisons[k.id].sums, .notes = comparisons[k.id].notes};
	int bad = k.compares || o->v[OPT_SORT].set ? trace_summary_print(&r, &rows, e) : print_board(&r, &k, col, n, e);
	buf_put(r.out, details.p, details.n);
	buf_free(&details);
	trace_report_close(&r);
	return bad;
}
