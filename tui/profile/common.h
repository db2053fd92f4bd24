/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_COMMON_H
#define TTRACE_PROFILE_COMMON_H

#include "app/pane.h"
#include "calltree/weighted.h"
#include "widget/list.h"

/*
 * What the panes on call trees (top, list, peek, flame) share: the weighted tree of the query,
 * drawing numbers and names, the reason for an empty screen.
 */
struct profile_tree {
	struct weighted_tree *c; /* NULL before the first update; of an older query while the current one is weighed */
	enum calls_for what;	/* the use that the pane makes of it */
	uint32_t serial;
	struct query query;	/* the query of c */
	uint32_t nstks;		/* number of stacks that it covers */
};
/* Weigh the tree for the current query. Return true when it is new: the ids of symbols and nodes have changed. */
bool profile_update_tree(struct profile_tree *, const struct pane_env *, enum gran);
void profile_free_tree(struct profile_tree *);
enum gran profile_granularity(const struct pane_env *);	/* of the query */

/* Draw a value with its unit, ending before x1, and with ~ if it is an estimate; zero is a dim dot. */
void profile_draw_value(
    const struct pane_env *, const struct weighted_tree *, struct grid *, int y, int x1, int64_t v, int attr);
void profile_put_percent(struct buf *, int64_t v, int64_t of);	/* "12.4%"; "-" if of is 0 */
void profile_draw_percent(struct grid *, int y, int x1, int64_t v, int64_t of);
double profile_ratio(int64_t v, int64_t of);			/* 0..1 */

/* Draw the name of a symbol in w cells from x, cut at package boundaries, with the matches of the search marked. */
void profile_draw_name(const struct pane_env *, const struct weighted_tree *, struct grid *, int y, int x, int w,
    uint32_t symbol, const char *suffix);
/* Append the name, shortened to what `rest` leaves of the line, then rest. */
void profile_put_name_line(
    const struct pane_env *, const struct weighted_tree *, uint32_t symbol, struct buf *b, struct buf *rest);
/* Append the text of a symbol in which searches look. */
void profile_put_match_text(const struct weighted_tree *, uint32_t symbol, struct buf *);
bool profile_name_matches(const struct weighted_tree *, uint32_t symbol, const struct regex *, struct buf *scratch);
/* Match all symbols; at[] by symbol. */
void profile_match_names(const struct weighted_tree *, const struct regex *, uint8_t *at);

void profile_symbol_place(const struct weighted_tree *, uint32_t symbol, struct place *);
uint32_t profile_find_symbol(const struct weighted_tree *, const struct place *);	/* 0: none */

/* If nothing has weight, draw why and what to do, and return true; otherwise return false. */
bool profile_draw_empty(const struct profile_tree *, const struct pane_env *, struct grid *);

/* "cpu 30.1s of 41.2s (73%)" */
void profile_summary(const struct weighted_tree *, const struct pane_env *, struct buf *);

/* Return the base of percentages: dflt if the user has not chosen one; local is the value of what the row belongs
   to. */
int64_t profile_base_value(const struct pane_env *, const struct weighted_tree *, enum base dflt, int64_t local);
const char *profile_base_name(const struct pane_env *, enum base dflt, const char *local);

/* Comparisons: a difference or one side is shown; get both sides of a value; draw or append a value with its sign. */
bool profile_is_comparison(const struct weighted_tree *);
bool profile_is_difference(const struct weighted_tree *);		/* both sides at once */
static inline struct pair profile_side_values(const struct weighted_tree *c, int64_t shown, int64_t other)
{
	return side_pair(c->show, shown, other);
}
void profile_draw_change(
    const struct pane_env *, const struct weighted_tree *, struct grid *, int y, int x1, int64_t v, int attr);
void profile_put_change(const struct pane_env *, const struct weighted_tree *, struct buf *, int64_t v);
/* Append " A 3.1s B 2.9s" after a value of a difference; otherwise nothing. */
void profile_put_sides(
    const struct pane_env *, const struct weighted_tree *, struct buf *, int64_t shown, int64_t other);
bool profile_is_tagged(const struct pane_env *, const struct weighted_tree *, uint32_t symbol);

#endif
