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
 * Columns and rows, printed as aligned text, as tab- or comma-separated values
 * or as JSON ({"rows":[{...}]}). In text durations and sizes are for people; in
 * the others they are whole nanoseconds and bytes, under keys that end in _ns, _bytes.
 */
enum table_kind { TB_STR, TB_INT, TB_NS, TB_BYTES, TB_SHARE };	/* share: of 1; percent in text */
struct table_col {
	const char *title;	/* of the text */
	const char *key;	/* of tsv and JSON */
	enum table_kind kind;
};
enum table_format { TF_TEXT, TF_TSV, TF_JSON, TF_CSV };

struct table {
	const struct table_col *col;
	uint32_t ncol;
	struct table_cell { const char *s; size_t n; int64_t i; double f; bool none; } *cell;
	size_t ncell, cap;
	struct arena arena;
	struct json json;		/* while rows are poured */
	size_t *width;			/* of the columns, as far as it is known */
};

/* -format; -1 and *e when it is none. */
int table_format(const struct options *, enum table_format *, struct err *e);
/* For what is no table: -1 and *e when -format asks for another form than text. */
int table_text_only(const struct options *, struct err *e);

void table_begin(struct table *, const struct table_col *, uint32_t ncol);
/* Cells in the order of the columns, row by row; text is copied. */
void table_str(struct table *, const char *s, size_t n);
void table_int(struct table *, int64_t v);	/* also TB_NS and TB_BYTES */
void table_share(struct table *, double v);
void table_none(struct table *);		/* nothing: blank, null */
/* Sort the rows that were added by the column of -sort, if that is given: amounts largest first, text, times and ids
   ascending, "-COLUMN" the other way round; rows without a value last, equal rows as they were added. A column is named
   by its key, with or without _ns or _bytes. -1 and *e: there is no such column. */
int table_sort(struct table *, const struct options *, struct err *e);
void table_print(struct table *, enum table_format, struct buf *);
/* The same for more rows than one would keep: open, then pour what has been added and forget it, again and
   again, and close. As text all rows are to be gone through twice: first widen the columns by what has been
   added and forget it, again and again. */
void table_widen(struct table *);
void table_open(struct table *, enum table_format, struct buf *);
void table_pour(struct table *, enum table_format, struct buf *);
void table_close(struct table *, enum table_format);
void table_free(struct table *);
/* A field of a csv line. */
void table_csv_field(struct buf *, const char *s, size_t n);

#endif
