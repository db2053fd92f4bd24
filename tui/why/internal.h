/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_WHY_INTERNAL_H
#define TTRACE_WHY_INTERNAL_H

#include "app/pane_table.h"
#include "base/async.h"
#include "critical/lines.h"
#include "session/trace_analysis.h"
#include "tracepane/tracepane.h"
#include "why/waterfall.h"

/*
 * The pane `why`: the critical path of an operation, a task, a region or a span, summed up in lines (critical/lines.h).
 */

struct why {
	struct trace_analysis *analysis;	/* NULL: it is being made */
	struct async making, walking;
	struct place wanted;			/* what to explain as soon as there is an analysis */
	bool has_wanted;
	bool carried;				/* it was selected on the timeline, from which a key opened this pane */
	char words[128];			/* not empty: the operation that these words choose instead */
	struct why_walk *shown;			/* NULL: nothing yet */
	struct pane_table table;		/* of the lines */
	uint32_t row;				/* the one to select when the walk ends */
	uint32_t bar;				/* of the picture, chosen by Tab; UINT32_MAX: none */
};

/* walk.c: the target of a place: the operation, task, region, span or goroutine. If the place has no goroutine (an idle P,
   a GC cycle): the slow operation of the worst finding. Return false if there is none. */
bool why_find_target(const struct trace_analysis *, const struct place *, struct critical_target *);
/* Start the walk of a target, and take its result at once if it is short. */
void why_start_walk(struct why *, const struct pane_env *, const struct critical_target *);
void why_finish_walk(void *, const struct pane_env *, struct ask *);	/* for struct pane_work */

/* flame_query.c: ask for the flame graph of the shown path, which must exist; or compare the slow operations of its kind
   with the others, for act(). */
void why_ask_flame(const struct why *, const struct pane_env *, struct ask *);
enum verdict why_ask_rest(const struct why *, const struct pane_env *, struct ask *);

/* table.c */
extern const struct pane_table_kind why_table;

#endif
