/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_TOP_INTERNAL_H
#define TTRACE_PROFILE_TOP_INTERNAL_H

#include "profile/common.h"
#include "profile/exemplar.h"
#include "profile/verdict.h"
#include "widget/list.h"

/* What top_pane.c and top_draw.c share. */
enum top_col { C_FLAT, C_FLATP, C_SUM, C_FLATA, C_FLATB, C_CUM, C_CUMP, C_CUMA, C_CUMB, C_BAR, C_WHERE, C_NAME, C__N };
enum top_sort { K_FLAT, K_CUM, K_NAME, K_FLATA, K_FLATB, K_CUMA, K_CUMB, K__N };

extern const struct top_column {
	const char *name, *head, *delta;	/* delta: the heading for a difference */
	int width;
	enum top_sort sort;	/* K__N: not sortable */
	const char *what;
} top_cols[C__N];

struct top_state {
	struct profile_tree t;
	struct rows rows;
	uint32_t below;		/* while the tree is weighed: number of visible rows above the selection */
	uint32_t *row;		/* symbols, as displayed */
	int64_t *sum;		/* sum of the own weights down to this row */
	size_t cap, sumcap;
	enum top_sort sort;
	bool invert;
	uint32_t limit;		/* maximum number of rows, 0: all (top20) */
	int64_t most;		/* the largest cum: a full bar */
	uint32_t all;		/* rows without the limit */
	unsigned cols;		/* bits of the selected columns, 0: chosen to fit */
	uint64_t sel;		/* id of the selected symbol, kept over changes of the query */
	bool chosen;		/* the user has moved, or went to it */
	uint32_t functions;	/* number of functions in the file */
	struct list_hits hit;	/* by row */
	struct profile_verdict verdict;
	struct profile_exemplar exemplar;
};

/* Return the symbol of the selected row; 0: none. */
static inline uint32_t top_selected(const struct top_state *v)
{
	return v->rows.n ? v->row[v->rows.sel] : 0;
}
static inline unsigned top_bit(enum top_col c)
{
	return 1u << c;
}
/* Return the displayed columns as bits: the selected ones, or those that fit. */
unsigned top_shown(const struct top_state *);
bool top_sortable(const struct top_state *, enum top_col);	/* rows can be sorted by it */
void top_draw(const void *, const struct pane_env *, struct grid *);
/* top_foot.c: the lines below the table that show the callers and callees of the selection; 0: the side part does. */
int top_foot_lines(const struct top_state *, const struct pane_env *);
void top_foot_draw(const struct top_state *, const struct pane_env *, struct grid *, int y, int lines);
void top_side(const void *, const struct pane_env *, struct grid *);
int top_split(const void *, const struct pane_env *, int w, int *choose);	/* pane_ops.side.split */

#endif
