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
enum view_kind {
	V_TEXT, V_TREE, V_PEEK, V_LIST, V_TRACES, V_TAGS, V_RAW, V_COMMENTS, V_DOT, V_CALLGRIND,
	V_PROTO, V_TOPPROTO, V_FOLDED, V_FLAME, V_DISASM, V_WEBLIST, V_SPEEDSCOPE
};

struct view {
	const struct opt *o;
	enum view_kind kind;
	struct prof *p;
	struct gopt g;
	struct prof_grain grain;
	struct prof_units units;
	struct rx *symbol;		/* of list and peek */
	const char *sample_type, *sample_unit;
	const char *unit;		/* in which values are written */
	double ratio;			/* they are multiplied by this first, when it is not 1 */
	bool compact;
	int64_t total;
	size_t first_label;		/* bytes of the first of view_profile_labels(), its newline included; 0: none */
	struct arena arena;
};

/* Read the profile that the command line names, filtered as it says. -1: *e, and there is nothing to close. */
int view_open(struct view *, const struct opt *, enum view_kind, struct err *e);
void view_close(struct view *);

/* A raw value, scaled to the unit and written with it. */
void view_value(const struct view *, struct buf *, int64_t v);
void put_trimmed_percent(struct buf *, int64_t v, int64_t total);
/* Choose the unit that suits the nodes of a graph, when the unit is "minimum". */
void view_choose_unit(struct view *, const struct graph *);
void view_choose_unit_of(struct view *, int64_t least);	/* the least that is shown, 0: nothing is */
/* v in the unit chosen. */
double view_scaled(const struct view *, int64_t v);

/* How weights stand in tables for scripts: in ns, bytes or as they are. */
struct view_weight { enum table_kind kind; const char *flat_key, *cum_key, *key; };
struct view_weight view_weight(const struct view *);
int64_t view_whole(const struct view *, int64_t v);

/* Lines about the profile, each ended by a newline. */
void view_profile_labels(struct view *, struct buf *);
/* Lines about the report, likewise; all: those about the profile too, as drawings have them. */
void view_labels(struct view *, struct buf *, const struct graph *, size_t dropped_edges, bool all);

/* s in at least `cells` characters, at the right. */
void put_right(struct buf *, const char *s, size_t n, size_t cells);
/* The value likewise; "." for 0 when dot is set. */
void put_value(const struct view *, struct buf *, int64_t v, size_t cells, bool dot);

/* A line on standard error, or to whom the options name (a struct opt, or NULL). */
void report_notice(void *opt, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
