/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What the rows of a board consist of, and the goroutine and time range that show them. In text it follows the table,
 * for the first rows; in JSON it is an array in each row. Tables of values have the range alone.
 */
#include "config.h"
#include "report/trace/board_parts.h"

#include "base/text/text.h"
#include "trace/user_code.h"
#include "trace/wait_before.h"

#include <inttypes.h>
#include <string.h>

enum { DETAILED = 3 };

frm_id report_board_frame(const struct trace_report_ctx *r, stk_id stack)
{
	return stack ? stk_frame(r->st, user_code_site(r->st, stack)) : 0;
}

uint32_t report_board_link_cols(const struct trace_report_ctx *r, struct table_col *to)
{
	static const struct table_col cols[REPORT_BOARD_LINKS] = {{"Goroutine", "goroutine", TB_INT}, {"From", "from_ns", TB_NS},
	    {"To", "to_ns", TB_NS}, {"Curve", "curve", TB_RAW}, {"Parts", "parts", TB_RAW}};
	uint32_t n = r->format == TF_TEXT ? 0 : r->format == TF_JSON ? REPORT_BOARD_LINKS : REPORT_BOARD_LINKS - 2;
	memcpy(to, cols, n * sizeof *cols);
	return n;
}

static void json_place(const struct trace_report_ctx *r, struct json *j, stk_id stack)
{
	frm_id frame = report_board_frame(r, stack);
	if (!frame)
		return;
	const struct fun_row *fun = store_fun(r->st, store_frm(r->st, frame)->fun);
	struct trace_report_text name = trace_report_string(r, fun->name, ""), file = trace_report_string(r, fun->file, "");
	json_str(j, "function", name.s, name.n);
	json_str(j, "file", file.s, file.n);
	json_i64(j, "line", store_frm(r->st, frame)->line);
}

static void json_range(const struct trace_report_ctx *r, struct json *j, trk_id g, int64_t t0, int64_t t1)
{
	json_u64(j, "goroutine", store_trk(r->st, g)->id);
	if (t0 == TIME_NONE)
		return;
	json_i64(j, "from_ns", t0 - r->sn->t0);
	json_i64(j, "to_ns", t1 - r->sn->t0);
}

static void json_parts(const struct trace_report_ctx *r, struct json *j, const struct board_row *row)
{
	json_array(j, NULL);
	for (uint32_t i = 0; i < row->nparts; i++) {
		const struct board_part *v = &row->part[i];
		json_object(j, NULL);
		json_text(j, "list", v->list);
		if (*v->word)
			json_text(j, "class", v->word);
		if (v->ns || !v->count)
			json_i64(j, "ns", v->ns);
		if (v->approximate)
			json_bool(j, "approximate", true);
		if (v->count)
			json_u64(j, "count", v->count);
		json_place(r, j, v->stack);
		if (v->g)
			json_range(r, j, v->g, v->t0, v->t1);
		if (v->g && v->t0 != TIME_NONE && trace_waits_before(r->sn, v->g, v->t0))
			json_bool(j, "before_trace", true);
		json_end(j);
	}
	json_end(j);
}

static void json_curve(struct json *j, const double *curve)
{
	json_array(j, NULL);
	for (int i = 0; i < BOARD_SLOTS; i++)
		json_f64(j, NULL, curve[i]);
	json_end(j);
}

/* Add a cell of JSON without the newline that ends an outermost value. */
static void put_raw(struct table *t, struct buf *b)
{
	table_str(t, buf_str(b), b->n && b->p[b->n - 1] == '\n' ? b->n - 1 : b->n);
	buf_reset(b);
}

void report_board_put_links(const struct trace_report_ctx *r, struct table *t, const struct board_row *row)
{
	if (r->format == TF_TEXT)
		return;
	if (row->trk)
		table_int(t, (int64_t)store_trk(r->st, row->trk)->id);
	else
		table_none(t);
	table_int(t, row->t0 - r->sn->t0);
	table_int(t, row->t1 - r->sn->t0);
	if (r->format != TF_JSON)
		return;
	struct buf b = {0};
	if (row->curve) {
		json_curve(&(struct json){.b = &b}, row->curve);
		put_raw(t, &b);
	} else
		table_none(t);
	json_parts(r, &(struct json){.b = &b}, row);
	put_raw(t, &b);
	buf_free(&b);
}

/* Return the first column that names the rows of a board. */
static uint32_t name_column(enum board_id id)
{
	uint32_t i = 0;
	while (board_columns[board_first_column(id) + i].unit < BOARD_NAME)
		i++;
	return i;
}

/* Print a part: its amount, word, line, and the goroutine that shows it. */
static void text_part(const struct trace_report_ctx *r, const struct board_part *v, struct buf *to)
{
	struct buf b = {0};
	if (v->ns || !v->count) {
		buf_puts(&b, v->approximate ? "~" : "");
		text_ns(&b, v->ns);
	}
	buf_pad(to, ' ', b.n < 11 ? 11 - b.n : 0);
	buf_put(to, b.p, b.n);
	buf_reset(&b);
	if (v->count)
		buf_printf(&b, "%" PRIu64, v->count);
	buf_pad(to, ' ', b.n < 8 ? 8 - b.n : 0);
	buf_put(to, b.p, b.n);
	buf_printf(to, *v->word ? "  %-9s" : "  ", v->word);
	frm_id frame = report_board_frame(r, v->stack);
	if (frame)
		trace_report_put_frame(r, to, frame);
	if (v->g) {
		buf_printf(to, "%sG%" PRIu64, frame ? ", " : "", (uint64_t)store_trk(r->st, v->g)->id);
		bool before = v->t0 != TIME_NONE && trace_waits_before(r->sn, v->g, v->t0);
		buf_puts(to, v->t0 == TIME_NONE ? "" : before ? " " TRACE_BEFORE : " at ");
		if (v->t0 != TIME_NONE && !before)
			text_at(to, v->t0, 1000);
	}
	buf_putc(to, '\n');
	buf_free(&b);
}

/* Print what a row consists of. */
static void text_row(
    const struct trace_report_ctx *r, const struct board *b, const struct board_row *row, struct buf *to)
{
	uint32_t at = name_column(b->id);
	const struct board_cell *c = &row->cell[at];
	bool place = board_columns[board_first_column(b->id) + at].unit == BOARD_PLACE;
	buf_putc(to, '\n');
	if (place && c->some)
		trace_report_put_frame(r, to, report_board_frame(r, c->stack));
	else if (c->s)
		text_safe(to, c->s, c->n);
	buf_putc(to, '\n');
	for (uint32_t i = 0; i < row->nparts; i++) {
		if (!i || strcmp(row->part[i].list, row->part[i - 1].list) != 0)
			buf_printf(to, "  %s\n", row->part[i].list);
		text_part(r, &row->part[i], to);
	}
}

void report_board_details(const struct trace_report_ctx *r, const struct board *b, struct buf *to)
{
	for (uint32_t i = 0; i < b->n && i < DETAILED; i++)
		if (b->v[i].nparts)
			text_row(r, b, &b->v[i], to);
	if (b->limit)
		buf_printf(to, "\nLines are not known: %s.\n", b->limit);
}
