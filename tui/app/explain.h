/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_EXPLAIN_H
#define TTRACE_APP_EXPLAIN_H

#include "base/text/buf.h"
#include "sink.h"

#include <stddef.h>

/*
 * What things mean in Go's terms: explain.def, for K and the manual. A pane says which topics are
 * under its cursor (pane_ops.topics); states and functions are found by themselves.
 */
enum topic {
	TOPIC_NONE,
#define EXPLAIN(id, group, name, text, next) TOPIC_##id,
#include "app/explain.def"
#undef EXPLAIN
	TOPIC__N
};
enum { TOPICS_MAX = 4, HEADS_MAX = 40 };

struct explain { const char *group, *name, *text, *next; };
extern const struct explain explains[TOPIC__N];		/* [0] is empty */

enum topic explain_state(enum tstate);
enum topic explain_function(const char *name);	/* the row with the longest name that fits, or NONE */
enum topic explain_type(const char *name);	/* a sample type: cpu, inuse_space, sched, ... */
/* Of a group the row with this name, where commas part names that are explained together. */
enum topic explain_in(const char *group, const char *name);
/* What stands over a column of a pane, at the begin of s: its length (the longest name that fits) and *t; 0: none. */
size_t explain_head(const char *pane, const char *s, enum topic *t);
/* A column of a report by its name; NONE: no row explains it. */
enum topic explain_column(const char *name, size_t n);
enum topic explain_find(const char *word);	/* a name that is so, begins so, or holds it */
/* -print=explain: group, name, text, next, tab-separated. */
void explain_print(struct buf *);

#endif
