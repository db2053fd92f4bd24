/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace locks` and the other boards: any board as a table. A place is one column in text, "function file:line"; for
 * scripts it is three: the function, and the file and line in columns of their own.
 */
#include "config.h"
#include "report/trace/internal.h"

#include "boards/board.h"
#include "trace/user_code.h"

#include <string.h>

enum { PLACE_COLS = 3 };

static const enum table_kind kind_of_unit[] = {
    [BOARD_COUNT] = TB_INT, [BOARD_NS] = TB_NS, [BOARD_NUMBER] = TB_NUMBER, [BOARD_SHARE] = TB_SHARE,
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

static void put_place(const struct trace_report_ctx *r, struct table *t, stk_id stack)
{
	frm_id frame = stack ? stk_frame(r->st, user_code_site(r->st, stack)) : 0;
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
		put_place(r, t, c->some ? c->stack : 0);
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
	case BOARD_SHARE: table_share(t, c->f); break;
	case BOARD_WORD:
	case BOARD_NAME: table_str(t, c->s, c->n); break;
	case BOARD_PLACE: break;
	}
}

static int put_board(const struct trace_report_ctx *r, const struct board *b, struct err *e)
{
	struct table_col col[BOARD_COLUMN__N * PLACE_COLS];
	enum board_column_id first = board_first_column(b->id);
	struct table t;
	uint32_t n = board_count_columns(b->id);
	table_begin(&t, col, table_cols(r, b->id, col));
	for (uint32_t i = 0; i < b->n; i++)
		for (uint32_t c = 0; c < n; c++)
			put_cell(r, &t, board_columns[first + c].unit, &b->v[i].cell[c]);
	int bad = table_sort(&t, r->o, e);
	if (!bad)
		table_print(&t, r->format, r->out);
	table_free(&t);
	return bad;
}

int report_board(const struct options *o, struct out *out, struct err *e)
{
	struct trace_report_ctx r;
	int id = board_find(o->report, strlen(o->report)), bad = -1;
	if (trace_report_open(&r, o, out, e))
		return -1;
	struct trace_filter f = r.filter;
	f.g = r.on;
	const struct operations *all = operations_shared(r.sn, &f.on);
	bool part = f.g || f.slice || f.from != TIME_NONE || f.to != TIME_NONE;
	struct board_source from = {.sn = r.sn, .filter = &f, .operations = all};
	if (part && all)
		from.operations = operations_find(r.sn, &f, NULL, r.mem, &f.on);
	from.walker = from.operations ? critical_walker_new(r.sn, all, r.mem, &f.on) : NULL;
	struct board_measures *m = from.walker ? board_measures_new(&from, &f.on) : NULL;
	struct board *b = m ? board_make((enum board_id)id, m, &f.on) : NULL;
	bad = b ? put_board(&r, b, e) : err_set(e, ERR_CANCEL, ERR_NOWHERE, "stopped");
	board_free(b);
	board_measures_free(m);
	trace_report_close(&r);
	return bad;
}
