/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_EXPLAIN_H
#define TTRACE_APP_EXPLAIN_H

#include "base/text/buf.h"
#include "sink_trace.h"

#include <stddef.h>

/*
 * The explanations of explain.def, and of the rules of findings, for K and the manual. A pane returns the topics under
 * its cursor (struct place); states and functions are looked up without the pane.
 */
enum topic {
	TOPIC_NONE,
#define EXPLAIN(id, group, name, text, next) TOPIC_##id,
#define RULE(id, name, title, judge, needs, fires, cause, action, example) TOPIC_RULE_##id,
#define THRESHOLD(rule, id, name, value, unit, text)
#include "app/explain.def"
#include "findings/rules.def"
#undef EXPLAIN
#undef RULE
#undef THRESHOLD
	TOPIC__N
};
enum { HEADS_MAX = 40 };

struct explain { const char *group, *name, *text, *next; };
extern const struct explain explains[TOPIC__N];		/* [0] is empty */

enum topic explain_state(enum tstate);
enum topic explain_function(const char *name);	/* the row with the longest name that matches, or NONE */
enum topic explain_type(const char *name);	/* a sample type: cpu, inuse_space, sched, ... */
/* Return the row of a group by name; a row may list several names, separated by commas. */
enum topic explain_in(const char *group, const char *name);
/* Match the column heading of a pane at the start of s: return its length (the longest name that matches) and set
   *t; 0: none. */
size_t explain_head(const char *pane, const char *s, enum topic *t);
/* Return the topic of a report's column by name, or NONE. */
enum topic explain_column(const char *name, size_t n);
enum topic explain_find(const char *word);	/* an exact name, else a prefix, else a part of one */
/* Append the rows for -print=explain: group, name, text, next, separated by tabs. */
void explain_print(struct buf *);

#endif
