/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Tables. All cells are kept until the end, because only then the widths of the columns are
 * known. Numbers are right-aligned, text is left-aligned; the last column is not padded. Text
 * from a file is made safe for a terminal, in tsv also tabs and newlines; in csv (RFC 4180) it
 * is unchanged. The formats other than text need no widths, so they can also be printed row by
 * row; text can if its rows are made twice, and the first pass only measures the widths.
 */
#include "config.h"
#include "report/table.h"

#include "base/text/text.h"

#include <stdlib.h>
#include <string.h>

int table_format(const struct options *o, enum table_format *f, struct err *e)
{
	static const char *const names[] = { "text", "tsv", "json", "csv" };
	const char *s = options_str(o, OPT_FORMAT);
	*f = TF_TEXT;
	if (!s)
		return 0;
	for (int i = 0; i < 4; i++)
		if (!strcmp(s, names[i])) {
			*f = (enum table_format)i;
			return 0;
		}
	return err_set(e, ERR_USAGE, ERR_NOWHERE, "-format requires text, tsv, csv or json, not \"%s\"", s);
}

int table_text_only(const struct options *o, struct err *e)
{
	enum table_format f;
	if (table_format(o, &f, e))
		return -1;
	return f == TF_TEXT ? 0 : err_set(e, ERR_USAGE, ERR_NOWHERE,
	    "%s is not a table: -format=%s does not apply", o->report, options_str(o, OPT_FORMAT));
}

void table_begin(struct table *t, const struct table_col *col, uint32_t ncol)
{
	*t = (struct table){ .col = col, .ncol = ncol };
}

bool table_is_column(const struct table_col *c, const char *s)
{
	size_t n = strlen(s);
	if (!strcmp(s, "who"))
		return !strcmp(c->key, "by");
	const char *unit = c->key + n;
	return n && !strncmp(c->key, s, n) && (!*unit || !strcmp(unit, "_ns") || !strcmp(unit, "_bytes"));
}

static bool is_float(enum table_kind k)
{
	return k == TB_SHARE || k == TB_ESTIMATE || k == TB_NUMBER;
}

static bool is_text(enum table_kind k)
{
	return k == TB_STR || k == TB_RAW;
}

/* Text, times and ids are sorted ascending, amounts descending. */
static bool is_place(const struct table_col *c)
{
	static const char *const keys[] = { "start_ns", "time_ns", "number", "id", "operation", "goroutine", "proc", "user_line" };
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!strcmp(c->key, keys[i]))
			return true;
	return c->kind == TB_STR;
}

static int cmp_text(const struct table_cell *a, const struct table_cell *b)
{
	int c = memcmp(a->s, b->s, a->n < b->n ? a->n : b->n);
	return c ? c : a->n < b->n ? -1 : a->n > b->n;
}

/* Compare two cells of a column; equal ones by their places. up: 1, or -1. */
static int cmp_cells(const struct table_cell *a, const struct table_cell *b, enum table_kind kind, int up)
{
	if (a->none != b->none)
		return a->none ? 1 : -1;
	int c = a->none ? 0 : kind == TB_STR ? cmp_text(a, b)
	    : is_float(kind) ? (a->f > b->f) - (a->f < b->f) : (a->i > b->i) - (a->i < b->i);
	return c ? up * c : (a > b) - (a < b);
}

/* A comparison for each order: qsort() has no argument for the kind of the column, and to keep it beside each of millions of
   cells takes too much memory. */
#define ORDER(name, kind, up) static int name(const void *x, const void *y) \
{ \
	return cmp_cells(*(const struct table_cell *const *)x, *(const struct table_cell *const *)y, kind, up); \
}
ORDER(text_up, TB_STR, 1)
ORDER(text_down, TB_STR, -1)
ORDER(float_up, TB_NUMBER, 1)
ORDER(float_down, TB_NUMBER, -1)
ORDER(int_up, TB_INT, 1)
ORDER(int_down, TB_INT, -1)

/* Return the cells of a column in its order, one of each row; the caller frees them. */
static const struct table_cell **sorted_cells(const struct table *t, uint32_t column, bool reverse)
{
	const struct table_col *col = &t->col[column];
	bool up = is_place(col) != reverse;
	size_t n = t->ncell / t->ncol;
	const struct table_cell **v = xmalloc((n + 1) * sizeof *v);
	for (size_t i = 0; i < n; i++)
		v[i] = &t->cell[i * t->ncol + column];
	if (n)
		qsort(v, n, sizeof *v, col->kind == TB_STR ? up ? text_up : text_down
		    : is_float(col->kind) ? up ? float_up : float_down : up ? int_up : int_down);
	return v;
}

static void sort_rows(struct table *t, uint32_t column, bool reverse)
{
	size_t n = t->ncell / t->ncol, size = t->ncol * sizeof *t->cell;
	const struct table_cell **v = sorted_cells(t, column, reverse);
	struct table_cell *cell = xmalloc((n + 1) * size);
	for (size_t i = 0; i < n; i++)
		memcpy(&cell[i * t->ncol], v[i] - column, size);
	mem_free(v);
	mem_free(t->cell);
	t->cell = cell;
	t->cap = (n + 1) * t->ncol;
}

int table_sort_column(const struct table *t, const struct options *o, uint32_t *column, bool *reverse, struct err *e)
{
	const char *s = options_str(o, OPT_SORT);
	*column = TABLE_UNSORTED;
	if (!o->v[OPT_SORT].set)
		return 0;
	*reverse = *s == '-';
	for (uint32_t k = 0; k < t->ncol; k++)
		if (table_is_column(&t->col[k], s + *reverse)) {
			*column = k;
			return 0;
		}
	if (!options_typed(o, OPT_SORT))	/* from $TTRACE_OPTS: it may be meant for another report */
		return 0;
	struct buf b = {0};
	for (uint32_t k = 0; k < t->ncol; k++)
		buf_printf(&b, " %s", t->col[k].key);
	err_set(e, ERR_USAGE, ERR_NOWHERE, "%s: -sort takes a column, not \"%s\":%s", o->report, s, buf_str(&b));
	buf_free(&b);
	return -1;
}

int table_sort(struct table *t, const struct options *o, struct err *e)
{
	uint32_t column;
	bool reverse;
	if (table_sort_column(t, o, &column, &reverse, e))
		return -1;
	if (column != TABLE_UNSORTED)
		sort_rows(t, column, reverse);
	return 0;
}

void table_order(const struct table *t, uint32_t column, bool reverse, uint32_t *order)
{
	size_t n = t->ncell / t->ncol;
	const struct table_cell **v = sorted_cells(t, column, reverse);
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)((size_t)(v[i] - t->cell) / t->ncol);
	mem_free(v);
}

static struct table_cell *append_cell(struct table *t)
{
	t->cell = mem_grow(t->cell, &t->cap, t->ncell + 1, sizeof *t->cell);
	t->cell[t->ncell] = (struct table_cell){0};
	return &t->cell[t->ncell++];
}

void table_str(struct table *t, const char *s, size_t n)
{
	struct table_cell *c = append_cell(t);
	n = n < UINT32_MAX ? n : UINT32_MAX;
	c->s = arena_strndup(&t->arena, s ? s : "", s ? n : 0);
	c->n = s ? (uint32_t)n : 0;
}

void table_int(struct table *t, int64_t v)
{
	append_cell(t)->i = v;
}

void table_share(struct table *t, double v)
{
	append_cell(t)->f = v;
}

void table_none(struct table *t)
{
	append_cell(t)->none = true;
}

static void forget_rows(struct table *t)
{
	t->ncell = 0;
	arena_reset(&t->arena);
}

void table_move_cell(struct table *to, struct table *from, uint32_t column)
{
	const struct table_cell *c = &from->cell[from->ncell - from->ncol + column];
	*append_cell(to) = *c;
	if (is_text(from->col[column].kind) && !c->none)
		to->cell[to->ncell - 1].s = arena_strndup(&to->arena, c->s, c->n);
	forget_rows(from);
}

static void put_text(struct buf *b, const struct table_cell *c, enum table_kind kind)
{
	if (c->none) {
		buf_putc(b, '-');
		return;
	}
	switch (kind) {
	case TB_STR:
	case TB_RAW: text_safe(b, c->s, c->n); break;
	case TB_INT: buf_i64(b, c->i); break;
	case TB_NS: text_ns(b, c->i); break;
	case TB_BYTES: text_bytes(b, c->i); break;
	case TB_SHARE: buf_printf(b, "%.2f%%", c->f * 100); break;
	case TB_ESTIMATE: buf_printf(b, "~%.2f%%", c->f * 100); break;
	case TB_NUMBER: buf_printf(b, "%.2f", c->f); break;
	}
}

void table_csv_field(struct buf *b, const char *s, size_t n)
{
	bool quote = n && s[0] == ' ';
	for (size_t i = 0; i < n && !quote; i++)
		quote = s[i] == ',' || s[i] == '"' || s[i] == '\n' || s[i] == '\r';
	if (quote)
		buf_putc(b, '"');
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"')
			buf_putc(b, '"');
		buf_putc(b, s[i]);
	}
	if (quote)
		buf_putc(b, '"');
}

/* As text_safe(), but undoing \xNN gives s: a backslash before an x is escaped too. */
static void put_tsv_field(struct buf *b, const char *s, size_t n)
{
	for (size_t i = 0, len; i < n; i += len) {
		const char *end = memmem(s + i, n - i, "\\x", 2);
		len = end ? (size_t)(end - s) - i : n - i;
		text_safe(b, s + i, len);
		if (end) {
			buf_puts(b, "\\x5c");
			len++;
		}
	}
}

static void put_plain(struct buf *b, const struct table_cell *c, enum table_kind kind, bool csv)
{
	if (c->none)
		return;
	switch (kind) {
	case TB_STR:
		if (csv)
			table_csv_field(b, c->s, c->n);
		else
			put_tsv_field(b, c->s, c->n);
		break;
	case TB_SHARE:
	case TB_ESTIMATE:
	case TB_NUMBER: buf_printf(b, "%.9g", c->f); break;
	default: buf_i64(b, c->i); break;
	}
}

static void widen_columns(struct table *t)
{
	struct buf cell = {0};
	if (!t->width) {
		t->width = xcalloc(t->ncol + 1u, sizeof *t->width);
		for (uint32_t k = 0; k < t->ncol; k++)
			t->width[k] = text_width(t->col[k].title, strlen(t->col[k].title));
	}
	for (size_t i = 0; i < t->ncell / t->ncol * t->ncol; i++) {
		buf_reset(&cell);
		put_text(&cell, &t->cell[i], t->col[i % t->ncol].kind);
		size_t w = text_width(cell.p, cell.n);
		if (w > t->width[i % t->ncol])
			t->width[i % t->ncol] = w;
	}
	buf_free(&cell);
}

/* Print a row; row 0 has the titles. */
static void text_row(const struct table *t, size_t row, struct buf *cell, struct buf *b)
{
	for (uint32_t k = 0; k < t->ncol; k++) {
		buf_reset(cell);
		if (row)
			put_text(cell, &t->cell[(row - 1) * t->ncol + k], t->col[k].kind);
		else
			buf_puts(cell, t->col[k].title);
		size_t pad = t->width[k] - text_width(cell->p, cell->n);
		bool left = t->col[k].kind == TB_STR;
		if (!left)
			buf_pad(b, ' ', pad);
		buf_put(b, cell->p, cell->n);
		if (k + 1 < t->ncol)
			buf_pad(b, ' ', (left ? pad : 0) + 2);
	}
	buf_putc(b, '\n');
}

/* Print the rows from `from` on. */
static void print_text(const struct table *t, size_t from, struct buf *b)
{
	struct buf cell = {0};
	for (size_t r = from; r <= t->ncell / t->ncol; r++)
		text_row(t, r, &cell, b);
	buf_free(&cell);
}

static void print_plain(const struct table *t, struct buf *b, bool csv)
{
	for (size_t i = 0; i < t->ncell; i++) {
		put_plain(b, &t->cell[i], t->col[i % t->ncol].kind, csv);
		buf_putc(b, i % t->ncol + 1 == t->ncol ? '\n' : csv ? ',' : '\t');
	}
}

static void print_json(const struct table *t, struct json *j)
{
	for (size_t i = 0; i < t->ncell; i++) {
		const struct table_col *col = &t->col[i % t->ncol];
		const struct table_cell *c = &t->cell[i];
		if (i % t->ncol == 0)
			json_object(j, NULL);
		if (c->none)
			json_null(j, col->key);
		else if (col->kind == TB_STR)
			json_str(j, col->key, c->s, c->n);
		else if (col->kind == TB_RAW)
			json_raw(j, col->key, c->s, c->n);
		else if (is_float(col->kind))
			json_f64(j, col->key, c->f);
		else
			json_i64(j, col->key, c->i);
		if (i % t->ncol + 1 == t->ncol)
			json_end(j);
	}
}

void table_widen(struct table *t)
{
	widen_columns(t);
	forget_rows(t);
}

void table_open(struct table *t, enum table_format f, struct buf *b)
{
	if (f == TF_TEXT) {
		struct buf cell = {0};
		widen_columns(t);
		text_row(t, 0, &cell, b);
		buf_free(&cell);
		return;
	}
	t->json = (struct json){.b = b};
	if (f == TF_JSON) {
		json_object(&t->json, NULL);
		json_array(&t->json, "rows");
		return;
	}
	for (uint32_t k = 0; k < t->ncol; k++) {
		buf_puts(b, t->col[k].key);
		buf_putc(b, k + 1 == t->ncol ? '\n' : f == TF_CSV ? ',' : '\t');
	}
}

void table_pour(struct table *t, enum table_format f, struct buf *b)
{
	if (f == TF_TEXT)
		print_text(t, 1, b);
	else if (f == TF_JSON)
		print_json(t, &t->json);
	else
		print_plain(t, b, f == TF_CSV);
	forget_rows(t);
}

void table_close(struct table *t, enum table_format f)
{
	if (f != TF_JSON)
		return;
	json_end(&t->json);
	json_end(&t->json);
}

void table_print(struct table *t, enum table_format f, struct buf *b)
{
	table_open(t, f, b);
	table_pour(t, f, b);
	table_close(t, f);
}

void table_free(struct table *t)
{
	mem_free(t->cell);
	mem_free(t->width);
	arena_free(&t->arena);
}
