/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Summaries, and what differs between two of them. Rows of both sides are matched by the columns that name them, exactly
 * or, if a name is left over on each side, without line numbers, which differ between versions of a program.
 *
 * Whether a number differs is decided by the spread inside each side: its time range is cut into slices of equal length,
 * the summary is made of each, and a number counts as changed if nearly all pairs of a slice of each side order it the
 * same way (the statistic of Mann and Whitney), and the sides differ by a tenth. No distribution is assumed. One slice
 * that is unlike the others, as at the start of a program, cannot make a number count as changed, but it can hide a
 * change: at most one of the 64 pairs may be in another order. Not taken: the bootstrap of src/compare, which needs the
 * durations behind a number; a summary has only its rows.
 */
#include "config.h"
#include "report/trace/summary.h"

#include "base/intern.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "report/trace/earlier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BEFORE, AFTER, SIDES, SLICES = 8, FEW = 5 };
static const double most_pairs = 0.97, least_change = 0.1;
enum change { CHANGE_NONE, CHANGE_MORE, CHANGE_LESS, CHANGE_NEW, CHANGE_GONE, CHANGE_FEW };
static const char *const change_name[] = {"same", "more", "less", "new", "gone", "too few"};

/* Numbers of a row, by column; NAN: there is none. */
struct summary_numbers { double whole[SIDES], slice[SIDES][SLICES]; };
struct summary_line {
	const char *name;		/* its names, each with its length before it */
	const struct table_cell *cell;	/* of the later side, if it is there */
	bool at[SIDES];
	uint32_t same;			/* the row of the other side without line numbers; itself: none */
	struct summary_numbers *v;
	double rank;			/* the largest change of a time, per second */
};
struct summary_rows {
	const struct trace_summary *s;
	struct trace_report_ctx *side[SIDES];
	struct summary_line *v;
	uint32_t n;
	size_t cap;
	struct intern index;
	struct arena mem;		/* rows and their names; cells are in the tables of both sides */
	struct table table[SIDES];
};

/* ---- columns */

static bool listed(const char *keys, const char *key)
{
	size_t n = strlen(key);
	for (const char *s = keys; s && (s = strstr(s, key)); s += n)
		if ((s == keys || s[-1] == ' ') && (s[n] == ' ' || !s[n]))
			return true;
	return false;
}

static bool is_note(const struct trace_summary *s, uint32_t c)
{
	return listed(s->notes, s->col[c].key);
}

static bool is_name(const struct trace_summary *s, uint32_t c)
{
	return !is_note(s, c) && (s->col[c].kind == TB_STR || listed(s->names, s->col[c].key));
}

static bool is_number(const struct trace_summary *s, uint32_t c)
{
	return !is_note(s, c) && !is_name(s, c);
}

static bool is_sum(const struct trace_summary *s, uint32_t c)
{
	return listed(s->sums, s->col[c].key);
}

/* ---- rows */

/* Append text without the line numbers that follow a colon. */
static void put_without_lines(struct buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_putc(b, s[i]);
		while (s[i] == ':' && i + 1 < n && s[i + 1] >= '0' && s[i + 1] <= '9')
			for (i++; i + 1 < n && s[i + 1] >= '0' && s[i + 1] <= '9'; i++)
				;
	}
}

/* Append the names of a row as one key. The length before each name keeps "a b", "c" and "a", "b c" apart. */
static void put_names(const struct trace_summary *s, const struct table_cell *cell, bool lines, struct buf *b)
{
	for (uint32_t c = 0; c < s->ncol; c++) {
		if (!is_name(s, c))
			continue;
		buf_u64(b, s->col[c].kind == TB_STR ? cell[c].n : 0);
		buf_putc(b, ' ');
		if (s->col[c].kind != TB_STR)
			buf_i64(b, cell[c].i);
		else if (lines)
			buf_put(b, cell[c].s, cell[c].n);
		else
			put_without_lines(b, cell[c].s, cell[c].n);
	}
}

static int same_name(const void *ctx, uint32_t id, const void *key)
{
	return !strcmp(((const struct summary_rows *)ctx)->v[id].name, key);
}

static struct summary_line *find_row(struct summary_rows *r, const struct table_cell *cell)
{
	struct buf b = {0};
	put_names(r->s, cell, true, &b);
	const char *name = buf_str(&b);
	uint32_t h = intern_hash_bytes(name, strlen(name), 0), i = intern_find(&r->index, h, same_name, r, name);
	if (i == UINT32_MAX) {
		r->v = mem_grow(r->v, &r->cap, r->n + 1u, sizeof *r->v);
		struct summary_numbers *v = arena_alloc(&r->mem, r->s->ncol * sizeof *v);
		for (size_t k = 0; k < r->s->ncol * sizeof *v / sizeof(double); k++)
			((double *)(void *)v)[k] = NAN;
		r->v[r->n] = (struct summary_line){.name = arena_strndup(&r->mem, name, strlen(name)), .same = r->n, .v = v};
		intern_put(&r->index, h, i = r->n++);
	}
	buf_free(&b);
	return &r->v[i];
}

/* Return a number of a cell: sums are per second of the range. */
static double number_of(const struct trace_summary *s, uint32_t c, const struct table_cell *cell, double seconds)
{
	enum table_kind kind = s->col[c].kind;
	bool real = kind == TB_SHARE || kind == TB_ESTIMATE || kind == TB_NUMBER;
	double v = cell->none ? NAN : real ? cell->f : (double)cell->i;
	return is_sum(s, c) ? v / seconds : v;
}

/* Rows with the same name are one: their sums are added, and levels are those of the first one, the largest. */
static void add_number(double *to, double v, bool sum)
{
	*to = isnan(*to) ? v : sum && !isnan(v) ? *to + v : *to;
}

/* Add the rows of a side, or of a slice of it (slice >= 0). */
static void take_table(struct summary_rows *r, int side, int slice, const struct table *t, double seconds)
{
	for (size_t i = 0; i + t->ncol <= t->ncell; i += t->ncol) {
		struct summary_line *row = find_row(r, &t->cell[i]);
		if (slice < 0) {
			row->cell = row->at[side] ? row->cell : &t->cell[i];
			row->at[side] = true;
		}
		for (uint32_t c = 0; c < t->ncol; c++)
			if (is_number(r->s, c))
				add_number(slice < 0 ? &row->v[c].whole[side] : &row->v[c].slice[side][slice],
				    number_of(r->s, c, &t->cell[i + c], seconds), is_sum(r->s, c));
	}
}

static int fill_side(struct summary_rows *r, int side, struct err *e)
{
	struct trace_report_ctx *all = r->side[side], part;
	int64_t t0 = all->t0, t1 = all->t1;
	struct arena mem = {0};
	table_begin(&r->table[side], r->s->col, r->s->ncol);
	int bad = r->s->fill(all, &r->table[side], r->s->arg, e);
	take_table(r, side, -1, &r->table[side], (double)(t1 - t0) / 1e9);
	for (int k = 0; !bad && k < SLICES && t1 - t0 >= SLICES; k++) {
		int64_t from = t0 + (t1 - t0) / SLICES * k, to = k + 1 == SLICES ? t1 : t0 + (t1 - t0) / SLICES * (k + 1);
		struct table t;
		arena_reset(&mem);
		trace_report_narrow(&part, all, from, to, &mem);
		table_begin(&t, r->s->col, r->s->ncol);
		bad = r->s->fill(&part, &t, r->s->arg, e);
		take_table(r, side, k, &t, (double)(to - from) / 1e9);
		table_free(&t);
	}
	arena_free(&mem);
	return bad;
}

/* ---- matching without line numbers */

struct loose { const char *name; uint32_t row; };

static int by_loose_name(const void *a, const void *b)
{
	const struct loose *x = a, *y = b;
	int c = strcmp(x->name, y->name);
	return c ? c : (x->row > y->row) - (x->row < y->row);
}

/* Let row `from`, of the earlier side, be part of row `to`. */
static void join_rows(struct summary_rows *r, uint32_t from, uint32_t to)
{
	for (uint32_t c = 0; c < r->s->ncol; c++) {
		r->v[to].v[c].whole[BEFORE] = r->v[from].v[c].whole[BEFORE];
		memcpy(r->v[to].v[c].slice[BEFORE], r->v[from].v[c].slice[BEFORE], sizeof r->v[to].v[c].slice[BEFORE]);
	}
	r->v[to].at[BEFORE] = true;
	r->v[from].same = to;
}

static void match_loosely(struct summary_rows *r)
{
	struct loose *v = xmalloc((r->n + 1u) * sizeof *v);
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		struct buf b = {0};
		if (!r->v[i].cell || (r->v[i].at[BEFORE] && r->v[i].at[AFTER]))
			continue;
		put_names(r->s, r->v[i].cell, false, &b);
		v[n++] = (struct loose){arena_strndup(&r->mem, buf_str(&b), b.n), i};
		buf_free(&b);
	}
	if (n)
		qsort(v, n, sizeof *v, by_loose_name);
	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !strcmp(v[end].name, v[i].name);)
			end++;
		bool first = r->v[v[i].row].at[BEFORE];
		if (end == i + 2 && first != r->v[v[i + 1].row].at[BEFORE])
			join_rows(r, v[first ? i : i + 1].row, v[first ? i + 1 : i].row);
	}
	mem_free(v);
}

/* ---- what changed */

/* Return a number of a slice. A row that a slice lacks has a sum of 0 there. */
static double slice_number(const struct trace_summary *s, uint32_t c, const struct summary_numbers *v, int side, int k)
{
	return isnan(v->slice[side][k]) && is_sum(s, c) ? 0 : v->slice[side][k];
}

/* Compare all pairs of slices. Return CHANGE_FEW if there are too few slices with a number. */
static enum change compare_slices(const struct trace_summary *s, uint32_t c, const struct summary_numbers *v)
{
	int pairs = 0, more = 0, less = 0, n[SIDES] = {0};
	for (int side = 0; side < SIDES; side++)
		for (int k = 0; k < SLICES; k++)
			n[side] += !isnan(slice_number(s, c, v, side, k));
	for (int i = 0; i < SLICES; i++)
		for (int k = 0; k < SLICES; k++) {
			double x = slice_number(s, c, v, BEFORE, i), y = slice_number(s, c, v, AFTER, k);
			pairs += !isnan(x) && !isnan(y);
			more += y > x;		/* false for NAN */
			less += y < x;
		}
	if (n[BEFORE] < FEW || n[AFTER] < FEW)
		return CHANGE_FEW;
	return more >= most_pairs * pairs ? CHANGE_MORE : less >= most_pairs * pairs ? CHANGE_LESS : CHANGE_NONE;
}

static enum change change_of(const struct summary_rows *r, const struct summary_line *row, uint32_t c)
{
	const struct summary_numbers *v = &row->v[c];
	bool sum = is_sum(r->s, c);
	double x = v->whole[BEFORE], y = v->whole[AFTER];
	enum change by_slices = compare_slices(r->s, c, v);
	if (!row->at[BEFORE] || !row->at[AFTER])
		return !sum ? CHANGE_FEW : by_slices == CHANGE_MORE ? CHANGE_NEW : by_slices == CHANGE_LESS ? CHANGE_GONE
			    : by_slices == CHANGE_FEW ? CHANGE_FEW : CHANGE_NONE;
	if (isnan(x) || isnan(y))
		return CHANGE_FEW;
	if (fabs(y - x) <= least_change * fmax(fabs(x), fabs(y)) || (by_slices == CHANGE_MORE) != (y > x))
		return by_slices == CHANGE_FEW ? CHANGE_FEW : CHANGE_NONE;
	return by_slices;
}

static bool is_marked(enum change c)
{
	return c != CHANGE_NONE && c != CHANGE_FEW;
}

static void rank_rows(struct summary_rows *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		for (uint32_t c = 0; c < r->s->ncol; c++) {
			const struct summary_numbers *v = &r->v[i].v[c];
			if (!is_number(r->s, c) || r->s->col[c].kind != TB_NS || !is_sum(r->s, c) ||
			    !is_marked(change_of(r, &r->v[i], c)))
				continue;
			double d = fabs((isnan(v->whole[AFTER]) ? 0 : v->whole[AFTER]) -
			    (isnan(v->whole[BEFORE]) ? 0 : v->whole[BEFORE]));
			r->v[i].rank = d > r->v[i].rank ? d : r->v[i].rank;
		}
}

static int by_rank(const void *a, const void *b)
{
	const struct summary_line *x = *(const struct summary_line *const *)a, *y = *(const struct summary_line *const *)b;
	return x->rank != y->rank ? (x->rank < y->rank ? 1 : -1) : (x > y) - (x < y);
}

/* ---- printing */

static const char *unit_of(const struct trace_summary *s, uint32_t c)
{
	bool sum = is_sum(s, c);
	switch (s->col[c].kind) {
	case TB_NS: return sum ? "ns per second" : "ns";
	case TB_BYTES: return sum ? "bytes per second" : "bytes";
	case TB_SHARE:
	case TB_ESTIMATE: return "share";
	default: return sum ? "per second" : "";
	}
}

static void put_value(struct table *t, const struct trace_summary *s, uint32_t c, double v)
{
	struct buf b = {0};
	if (isnan(v)) {
		table_str(t, "-", 1);
		return;
	}
	switch (s->col[c].kind) {
	case TB_NS: text_ns(&b, wrap_clamp(round(v))); break;
	case TB_BYTES: text_bytes(&b, wrap_clamp(round(v))); break;
	case TB_SHARE: buf_printf(&b, "%.2f%%", v * 100); break;
	case TB_ESTIMATE: buf_printf(&b, "~%.2f%%", v * 100); break;
	default: buf_printf(&b, "%.*f", v == floor(v) ? 0 : fabs(v) < 10 ? 2 : 1, v); break;
	}
	buf_puts(&b, is_sum(s, c) ? "/s" : "");
	table_str(t, buf_str(&b), b.n);
	buf_free(&b);
}

static void put_names_cells(struct table *t, const struct trace_summary *s, const struct summary_line *row)
{
	for (uint32_t c = 0; c < s->ncol; c++)
		if (is_name(s, c) || is_note(s, c)) {
			const struct table_cell *cell = &row->cell[c];
			if (cell->none)
				table_none(t);
			else if (s->col[c].kind == TB_STR)
				table_str(t, cell->s, cell->n);
			else
				table_int(t, cell->i);
		}
}

static void put_change(struct table *t, const struct summary_rows *r, const struct summary_line *row, uint32_t c, bool text)
{
	const char *name = change_name[change_of(r, row, c)], *title = r->s->col[c].title, *unit = unit_of(r->s, c);
	table_str(t, name, strlen(name));
	for (int side = 0; side < SIDES; side++) {
		double v = row->v[c].whole[side];
		if (text)
			put_value(t, r->s, c, v);
		else if (isnan(v))
			table_none(t);
		else
			table_share(t, v);
	}
	if (text) {
		table_str(t, title, strlen(title));
	} else {
		table_str(t, r->s->col[c].key, strlen(r->s->col[c].key));
		table_str(t, unit, strlen(unit));
	}
	put_names_cells(t, r->s, row);
}

/* Return the number that stands for a row which only one side has: its first sum of times, else its first sum. */
static uint32_t main_number(const struct trace_summary *s)
{
	uint32_t first = UINT32_MAX;
	for (uint32_t c = 0; c < s->ncol; c++)
		if (is_number(s, c) && is_sum(s, c)) {
			if (s->col[c].kind == TB_NS)
				return c;
			first = first == UINT32_MAX ? c : first;
		}
	return first;
}

/* Is the number a line of the text? A row that only one side has is one line. */
static bool is_line(const struct summary_rows *r, const struct summary_line *row, uint32_t c)
{
	return is_marked(change_of(r, row, c)) && ((row->at[BEFORE] && row->at[AFTER]) || c == main_number(r->s));
}

/* Set the columns of the table of changes; return how many there are. */
static uint32_t change_cols(const struct trace_summary *s, bool text, struct table_col *to)
{
	uint32_t n = 0;
	to[n++] = (struct table_col){"Change", "change", TB_STR};
	to[n++] = (struct table_col){"Before", "before", text ? TB_STR : TB_NUMBER};
	to[n++] = (struct table_col){"After", "after", text ? TB_STR : TB_NUMBER};
	to[n++] = (struct table_col){"Measure", "measure", TB_STR};
	if (!text)
		to[n++] = (struct table_col){"Unit", "unit", TB_STR};
	for (uint32_t c = 0; c < s->ncol; c++)
		if (is_name(s, c) || is_note(s, c))
			to[n++] = s->col[c];
	return n;
}

static void print_changes(struct summary_rows *r)
{
	const struct trace_report_ctx *ctx = r->side[AFTER];
	bool text = ctx->format == TF_TEXT;
	struct table_col *col = arena_alloc(&r->mem, (r->s->ncol + 5u) * sizeof *col);
	const struct summary_line **order = arena_alloc(&r->mem, (r->n + 1u) * sizeof *order);
	struct table t;
	uint32_t n = 0, all = 0, marked = 0;
	table_begin(&t, col, change_cols(r->s, text, col));
	for (uint32_t i = 0; i < r->n; i++)
		if (r->v[i].cell && r->v[i].same == i)
			order[n++] = &r->v[i];
	if (n)
		qsort(order, n, sizeof *order, by_rank);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t c = 0; c < r->s->ncol; c++) {
			if (!is_number(r->s, c))
				continue;
			all++;
			marked += is_marked(change_of(r, order[i], c));
			if (!text || is_line(r, order[i], c))
				put_change(&t, r, order[i], c, text);
		}
	}
	if (text)
		buf_printf(ctx->out, "%u of %u numbers of %u row%s differ by more than the spread inside each side%s\n",
		    marked, all, n, text_s(n), marked && r->s->sums ? "; counts and sums are per second" : "");
	if (!text || marked) {
		buf_puts(ctx->out, text ? "\n" : "");
		table_print(&t, ctx->format, ctx->out);
	}
	table_free(&t);
}

static int compare(const struct trace_summary *s, struct trace_report_ctx *before, struct trace_report_ctx *after,
    struct err *e)
{
	struct summary_rows r = {.s = s, .side = {before, after}};
	int bad = fill_side(&r, BEFORE, e) || fill_side(&r, AFTER, e) ? -1 : 0;
	if (!bad) {
		match_loosely(&r);
		rank_rows(&r);
		print_changes(&r);
	}
	for (int side = 0; side < SIDES; side++)
		table_free(&r.table[side]);
	intern_free(&r.index);
	mem_free(r.v);
	arena_free(&r.mem);
	return bad;
}

static int print_rows(struct trace_report_ctx *r, const struct trace_summary *s, struct err *e)
{
	struct table t;
	table_begin(&t, s->col, s->ncol);
	int bad = s->fill(r, &t, s->arg, e) || table_sort(&t, r->o, e) ? -1 : 0;
	if (!bad)
		table_print(&t, r->format, r->out);
	table_free(&t);
	return bad;
}

bool trace_summary_compares(const struct options *o)
{
	static const enum option_id id[] = {OPT_BASE, OPT_DIFF_BASE, OPT_DIFF_RANGE};
	for (size_t i = 0; i < sizeof id / sizeof *id; i++)
		if (o->v[id[i]].set && options_str(o, id[i]) && *options_str(o, id[i]))
			return true;
	return false;
}

bool trace_summary_counts(const struct trace_report_ctx *r, int64_t t1)
{
	return !trace_summary_compares(r->o) || (t1 > r->t0 && t1 <= r->t1);
}

int trace_summary_print(struct trace_report_ctx *r, const struct trace_summary *s, struct err *e)
{
	struct report_earlier earlier;
	int compares = report_earlier_open(&earlier, r, e), bad = -1;
	if (compares >= 0)
		bad = compares ? compare(s, &earlier.r, r, e) : print_rows(r, s, e);
	report_earlier_close(&earlier);
	return bad;
}
