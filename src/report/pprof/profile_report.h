/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_PPROF_PROFILE_REPORT_H
#define TTRACE_REPORT_PPROF_PROFILE_REPORT_H

#include "base/text/regex.h"
#include "pprof/graph.h"
#include "report/report.h"
#include "report/table.h"

/*
 * What the pprof-compatible reports have in common: the profile after the
 * query of the command line, how its values are written, and the header lines.
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
	struct regex *symbol;		/* of list and peek */
	const char *sample_type, *sample_unit;
	const char *unit;		/* in which values are written */
	double ratio;			/* they are multiplied by this first, when it is not 1 */
	bool compact;
	int64_t total;
	size_t first_label; /* bytes of the first of pprof_report_profile_labels(), its newline included; 0: none */
	struct arena arena;
};

/* Read the profile that the command line names, filtered as it says. -1: *e, and there is nothing to close. */
int pprof_report_open(struct pprof_report *, const struct options *, enum pprof_report_kind, struct err *e);
void pprof_report_close(struct pprof_report *);

/* A raw value, scaled to the unit and written with it. */
void pprof_report_put_value(const struct pprof_report *, struct buf *, int64_t v);
void pprof_put_percent(struct buf *, int64_t v, int64_t total);
/* Choose the unit that suits the nodes of a graph, when the unit is "minimum". */
void pprof_report_choose_unit(struct pprof_report *, const struct graph *);
void pprof_report_choose_unit_for(struct pprof_report *, int64_t least); /* the least that is shown, 0: nothing is */
/* v in the unit chosen. */
double pprof_report_scaled(const struct pprof_report *, int64_t v);

/* How weights stand in tables for scripts: in ns, bytes or as they are. */
struct pprof_report_weight { enum table_kind kind; const char *flat_key, *cum_key, *key; };
struct pprof_report_weight pprof_report_weight(const struct pprof_report *);
int64_t pprof_report_table_value(const struct pprof_report *, int64_t v);

/* Lines about the profile, each ended by a newline. */
void pprof_report_profile_labels(struct pprof_report *, struct buf *);
/* Lines about the report, likewise; all: those about the profile too, as drawings have them. */
void pprof_report_labels(struct pprof_report *, struct buf *, const struct graph *, size_t dropped_edges, bool all);

/* s in at least `cells` characters, at the right. */
void pprof_put_right(struct buf *, const char *s, size_t n, size_t cells);
/* The value likewise; "." for 0 when dot is set. */
void pprof_put_value_right(const struct pprof_report *, struct buf *, int64_t v, size_t cells, bool dot);

/* A line on standard error, or to whom the options name (a struct options, or NULL). */
void pprof_report_notice(void *options, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
