/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_COMMON_H
#define TTRACE_PROFILE_COMMON_H

#include "app/pane.h"
#include "calltree/weighted.h"
#include "widget/list.h"

/*
 * What the panes on call trees (top, list, peek, flame) have in common: the
 * calls of the query, numbers and names as cells, the reason for an empty
 * screen.
 */
struct profile_tree {
	struct weighted_tree *c; /* NULL before the first update; of an older query while the present one's are made */
	enum calls_for what;	/* its pane makes of them */
	uint32_t serial;
	struct query query;	/* they were made for */
	uint32_t nstks;		/* and of how much */
	struct rows was;	/* profile_release_tree(): the rows there were, of which serial */
	uint32_t was_serial;
	bool rested;
};
/* Make the calls of the present query. true when they are new: ids of things and nodes have changed. */
bool profile_update_tree(struct profile_tree *, const struct pane_env *, enum gran);
void profile_free_tree(struct profile_tree *);
/* Of a pane that is not on the screen, when the session wants room: it has no calls then, as before the first update.
   true: so it is. The rows are as they were when profile_restore_rows() is told that these have been made of the same
   calls again. */
bool profile_release_tree(struct profile_tree *, const struct pane_env *, const struct rows *);
void profile_restore_rows(struct profile_tree *, struct rows *);
enum gran profile_granularity(const struct pane_env *);	/* of the query */

/* A value with its unit; zero is a dim dot. Ends before x1. */
void profile_draw_value(
    const struct pane_env *, const struct weighted_tree *, struct grid *, int y, int x1, int64_t v, int attr);
void profile_put_percent(struct buf *, int64_t v, int64_t of);	/* "12.4%", "-" of nothing */
void profile_draw_percent(struct grid *, int y, int x1, int64_t v, int64_t of);
double profile_ratio(int64_t v, int64_t of);			/* 0..1 */

/* The name of a thing in w cells from x, cut at package boundaries; hits of the search are marked. */
void profile_draw_name(const struct pane_env *, const struct weighted_tree *, struct grid *, int y, int x, int w,
    uint32_t symbol, const char *suffix);
/* The name in what `rest` leaves of the line, then rest. */
void profile_put_name_line(
    const struct pane_env *, const struct weighted_tree *, uint32_t symbol, struct buf *b, struct buf *rest);
bool profile_name_matches(const struct weighted_tree *, uint32_t symbol, const struct regex *, struct buf *scratch);
/* All of them; at[] by thing. */
void profile_match_names(const struct weighted_tree *, const struct regex *, uint8_t *at);

/* Hits of a search, per row or per thing, and which search they are of. */
struct hits {
	uint8_t *at;		/* NULL: no search */
	char *text;
	uint32_t n;
};
void profile_hits_init(struct hits *, const struct pane_env *, size_t n); /* all zero; at is NULL without a search */
bool profile_hits_are_current(const struct hits *, const struct pane_env *);		/* of the search in force */
void profile_hits_free(struct hits *);
/* A pane's find() over hits by row: select the next (1), the one before (-1) or the first from here on (2);
   0 stays. How many hits there are, and *at: which of them is selected, 0 none. */
uint32_t profile_hits_step(const struct hits *, struct rows *, int dir, uint32_t *at);

void profile_symbol_place(const struct weighted_tree *, uint32_t symbol, struct place *);
uint32_t profile_find_symbol(const struct weighted_tree *, const struct place *);	/* 0: none */

/* Nothing has weight: say why, and what would change that. false: something has, nothing was drawn. */
bool profile_draw_empty(const struct profile_tree *, const struct pane_env *, struct grid *);

/* "cpu 30.1s of 41.2s (73%)" */
void profile_summary(const struct weighted_tree *, const struct pane_env *, struct buf *);

/* What percentages are of: dflt when nobody has chosen; local is what the row belongs to. */
int64_t profile_base_value(const struct pane_env *, const struct weighted_tree *, enum base dflt, int64_t local);
const char *profile_base_name(const struct pane_env *, enum base dflt, const char *local);

/* Differences: is one shown, or a side of one; both sides of a value; the value with its sign. */
bool profile_is_comparison(const struct weighted_tree *);
bool profile_is_difference(const struct weighted_tree *);		/* both sides at once */
static inline struct pair profile_side_values(const struct weighted_tree *c, int64_t shown, int64_t other)
{
	return side_pair(c->show, shown, other);
}
void profile_draw_change(
    const struct pane_env *, const struct weighted_tree *, struct grid *, int y, int x1, int64_t v, int attr);
void profile_put_change(const struct pane_env *, const struct weighted_tree *, struct buf *, int64_t v);
/* " A 3.1s B 2.9s" after a value of a difference; else nothing. */
void profile_put_sides(
    const struct pane_env *, const struct weighted_tree *, struct buf *, int64_t shown, int64_t other);
bool profile_is_tagged(const struct pane_env *, const struct weighted_tree *, uint32_t symbol);

#endif
