/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_TOP_INTERNAL_H
#define TTRACE_PROFILE_TOP_INTERNAL_H

#include "profile/common.h"
#include "widget/list.h"

/* The inside of Top, for top_pane.c and top_draw.c. */
enum top_col { C_FLAT, C_FLATP, C_SUM, C_FLATA, C_FLATB, C_CUM, C_CUMP, C_CUMA, C_CUMB, C_BAR, C_WHERE, C_NAME, C__N };
enum top_sort { K_FLAT, K_CUM, K_NAME, K_FLATA, K_FLATB, K_CUMA, K_CUMB, K__N };

extern const struct top_column {
	const char *name, *head, *delta;	/* delta: its head when a difference is shown */
	int width;
	enum top_sort sort;	/* K__N: it is no order */
	const char *what;
} top_cols[C__N];

struct top_state {
	struct profile_tree t;
	struct rows rows;
	uint32_t below;		/* while they are counted: how many were above the selected one on the screen */
	uint32_t *row;		/* things, as shown */
	int64_t *sum;		/* of own weights down to this row */
	size_t cap, sumcap;
	enum top_sort sort;
	bool invert;
	uint32_t limit;		/* rows that are shown, 0 all (top20) */
	int64_t most;		/* the heaviest cum: a full bar */
	uint32_t all;		/* rows that there were before it */
	unsigned cols;		/* bits of the columns that were chosen, 0: those that suit */
	uint64_t sel;		/* id of the selected thing, over changes of the query */
	uint32_t functions;	/* that the file has */
	struct hits hit;	/* by row */
};

/* The thing of the selected row, 0 without one. */
static inline uint32_t top_selected(const struct top_state *v)
{
	return v->rows.n ? v->row[v->rows.sel] : 0;
}
static inline unsigned top_bit(enum top_col c)
{
	return 1u << c;
}
/* The columns that are shown, as bits: those chosen, or those that suit. */
unsigned top_shown(const struct top_state *, const struct pane_env *);
bool top_sortable(const struct top_state *, enum top_col);	/* rows can be sorted by it */
void top_draw(const void *, const struct pane_env *, struct grid *);
void top_side(const void *, const struct pane_env *, struct grid *);

#endif
