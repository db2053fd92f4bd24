/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TABLE_H
#define TTRACE_TABLE_H

#include "base/err.h"
#include "base/mem/mem.h"
#include "base/text/buf.h"
#include "cli/options.h"
#include "report/json.h"

/*
 * Tables of columns and rows, printed as aligned text, as tab- or comma-separated
 * values, or as JSON ({"rows":[{...}]}). In text, durations and sizes have units; in
 * the other formats they are whole nanoseconds and bytes, with keys that end in _ns
 * and _bytes.
 */
/* share: 1 is the whole; per cent in text. estimate: a share that is estimated, with ~ in text. number: a mean or a
   rate. raw: a value in JSON, for tables that are JSON. */
enum table_kind { TB_STR, TB_INT, TB_NS, TB_BYTES, TB_SHARE, TB_ESTIMATE, TB_NUMBER, TB_RAW };
struct table_col {
	const char *title;	/* heading in text */
	const char *key;	/* name in tsv, csv and JSON */
	enum table_kind kind;
};
enum table_format { TF_TEXT, TF_TSV, TF_JSON, TF_CSV };

struct table {
	const struct table_col *col;
	uint32_t ncol;
	struct table_cell {
		union {		/* by the kind of the column; f: of TB_SHARE, TB_ESTIMATE and TB_NUMBER */
			const char *s;
			int64_t i;
			double f;
		};
		uint32_t n;	/* bytes of s */
		bool none;
	} *cell;
	size_t ncell, cap;
	struct arena arena;
	struct json json;		/* used while rows are printed */
	size_t *width;			/* of the columns, as far as known */
};

/* Get -format; -1 with *e if it is unknown. */
int table_format(const struct options *, enum table_format *, struct err *e);
/* For reports that are not tables: -1 with *e if -format is not text. */
int table_text_only(const struct options *, struct err *e);

void table_begin(struct table *, const struct table_col *, uint32_t ncol);
/* Add cells in the order of the columns, row by row; text is copied. */
void table_str(struct table *, const char *s, size_t n);	/* also TB_RAW */
void table_int(struct table *, int64_t v);	/* also TB_NS and TB_BYTES */
void table_share(struct table *, double v);	/* also TB_ESTIMATE and TB_NUMBER */
void table_none(struct table *);		/* no value: empty, null */
/* Sort the rows by the column of -sort, if given: amounts largest first; text, times and ids ascending; "-COLUMN"
   reverses. Rows without a value are last, equal rows keep their order. A column is named by its key, with or without
   _ns or _bytes. Return -1 with *e if there is no such column. */
int table_sort(struct table *, const struct options *, struct err *e);
/* The same in steps, for a table with more rows than fit into memory: get the column of -sort (TABLE_UNSORTED: it is not
   given), fill a table that has only this column by table_move_cell(), which copies a cell of the last row of another
   table and drops the rows of that one, and get the order of the rows: room for a number of each. */
#define TABLE_UNSORTED UINT32_MAX
bool table_is_column(const struct table_col *, const char *s);	/* s is its key, its old key, or the key without its unit */
int table_sort_column(const struct table *, const struct options *, uint32_t *column, bool *reverse, struct err *e);
void table_move_cell(struct table *to, struct table *from, uint32_t column);
void table_order(const struct table *, uint32_t column, bool reverse, uint32_t *order);
void table_print(struct table *, enum table_format, struct buf *);
/* Print a table with more rows than fit into memory: open it, then repeatedly add rows and pour them (print and drop),
   and close it. For text a first pass over all rows must repeatedly add rows and widen the columns (measure and
   drop). */
void table_widen(struct table *);
void table_open(struct table *, enum table_format, struct buf *);
void table_pour(struct table *, enum table_format, struct buf *);
void table_close(struct table *, enum table_format);
void table_free(struct table *);
/* Append a field of a csv line. */
void table_csv_field(struct buf *, const char *s, size_t n);

#endif
