/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_PPROF_INTERNAL_H
#define TTRACE_REPORT_PPROF_INTERNAL_H

#include "base/text/regex.h"
#include "pprof/graph.h"
#include "report/report.h"
#include "report/table.h"

/*
 * Shared by the pprof-compatible reports: the profile after the query of the
 * command line, the format of its values, and the header lines.
 */
enum pprof_report_kind {
	REPORT_TEXT,
	REPORT_TREE,
	REPORT_PEEK,
	REPORT_LIST,
	REPORT_TRACES,
	REPORT_TAGS,
	REPORT_RAW,
	REPORT_COMMENTS,
	REPORT_DOT,
	REPORT_CALLGRIND,
	REPORT_PROTO,
	REPORT_TOPPROTO,
	REPORT_FOLDED,
	REPORT_FLAME,
	REPORT_DISASM,
	REPORT_WEBLIST,
	REPORT_SPEEDSCOPE
};

struct pprof_report {
	const struct options *o;
	enum pprof_report_kind kind;
	struct profile *p;
	struct graph_options g;
	struct pprof_granularity grain;
	struct pprof_label_units units;
	struct regex *symbol;		/* argument of list, peek, disasm and weblist */
	const char *sample_type, *sample_unit;
	const char *unit;		/* unit in which values are printed */
	double ratio;			/* values are first multiplied by this, if > 0 and not 1 */
	bool compact;
	int64_t total;
	size_t first_label; /* length of the first of pprof_report_profile_labels(), including its newline; 0: none */
	struct arena arena;
};

/* Read the profile that the command line names, with its filters applied. Return -1 with *e; then there is nothing to
   close. */
int pprof_report_open(struct pprof_report *, const struct options *, enum pprof_report_kind, struct err *e);
/* Also print a notice about estimated weights, unless pprof_report_profile_labels() named them. */
void pprof_report_close(struct pprof_report *);

/* Append a value, scaled to the unit and with the unit; ~ before it if it is an estimate. */
void pprof_report_put_value(const struct pprof_report *, struct buf *, int64_t v);
void pprof_put_percent(struct buf *, int64_t v, int64_t total);
/* If the unit is "minimum", choose the unit that suits the nodes of a graph. */
void pprof_report_choose_unit(struct pprof_report *, const struct graph *);
/* least: the smallest value that is shown, 0: none */
void pprof_report_choose_unit_for(struct pprof_report *, int64_t least);
/* Return v in the chosen unit. */
double pprof_report_scaled(const struct pprof_report *, int64_t v);

/* The form of weights in tables for scripts: ns, bytes or plain numbers. */
struct pprof_report_weight { enum table_kind kind; const char *flat_key, *cum_key, *key; };
struct pprof_report_weight pprof_report_weight(const struct pprof_report *);
int64_t pprof_report_table_value(const struct pprof_report *, int64_t v);

/* Append the lines about the profile, each ended by a newline. */
void pprof_report_profile_labels(struct pprof_report *, struct buf *);
/* Append the lines about the report; all: also those about the profile, as in drawings. */
void pprof_report_labels(struct pprof_report *, struct buf *, const struct graph *, size_t dropped_edges, bool all);

/* Append a name, which may have any bytes. */
static inline void pprof_put_name(struct buf *b, const struct profile *p, str_id s)
{
	buf_put(b, p->str[s].s, p->str[s].n);
}
/* Compare two struct profile_text by bytes, for qsort(). */
int pprof_compare_text(const void *, const void *);
/* Return the number of characters as Go counts them: a byte that is not UTF-8 counts as one. */
size_t pprof_count_runes(const char *s, size_t n);
/* Append s, padded on the left to at least `cells` characters. */
void pprof_put_right(struct buf *, const char *s, size_t n, size_t cells);
/* Append a value likewise; with dot, "." for 0. */
void pprof_put_value_right(const struct pprof_report *, struct buf *, int64_t v, size_t cells, bool dot);

/* As report_dot(); escape_all: escape the names of labels and programs too, which pprof does not. */
int report_dot_escaped(const struct options *, struct out *, bool escape_all, struct err *);

/* Print a line to standard error, or pass it to the notice callback of the options (a struct options, or NULL). */
void pprof_report_notice(void *options, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
