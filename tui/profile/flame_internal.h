/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_FLAME_INTERNAL_H
#define TTRACE_PROFILE_FLAME_INTERNAL_H

#include "base/async.h"
#include "calltree/flame.h"
#include "profile/common.h"
#include "profile/exemplar.h"

/* What the files of the flame pane share: flame_pane.c, flame_draw.c, flame_edges.c, flame_move.c, flame_text.c and flame_totals.c. */
enum { DOWN, UP, PARTS };	/* UP: the callers above the pivot, if there is one */
/* FC_AUTO: package, or diff for a difference */
enum flame_colour { FC_AUTO, FC_PACKAGE, FC_SELF, FC_STATE, FC_DIFF, FC__N };
enum { ZOOMS_MAX = 64, FLAME_PACKAGES = 16 };

struct flame_state {
	struct profile_tree t;
	struct profile_tree next;		/* t, or the tree whose layout in the background will replace it */
	struct async work;		/* the next layout */
	struct profile_exemplar exemplar;
	struct flame *f[PARTS];		/* f[UP] only with a pivot */
	uint32_t zoom[PARTS];		/* place of the frame that fills the width */
	uint64_t *way[PARTS];		/* while there is no tree: the ids of the path to that frame */
	size_t nway[PARTS], waycap[PARTS];
	struct flame_conf conf;		/* the wanted layout */
	enum flame_rows { EQUAL_FOLDED, ALL_ROWS, RECURSION_FOLDED, FLAME_ROWS__N } rows;	/* of a recursion */
	struct flame_conf laid;		/* the layout of f */
	uint64_t pivot;			/* id of the pivot symbol, 0: none */
	bool flip;			/* root at the bottom */
	enum flame_colour colour;
	int part;			/* part of the selection */
	uint32_t sel;			/* place of the selection; 0 only if the graph is empty */
	int64_t scroll;			/* rows above the first visible one; negative: callers are above */
	uint64_t before[ZOOMS_MAX];	/* previous zooms */
	int nbefore;
	uint64_t *path;			/* ids from below the root to the selection */
	size_t npath, pathcap;
	uint64_t symbol;			/* id of the selected symbol */

	struct list_hits hit;		/* by symbol; n counts nodes */
	int64_t hitw;			/* union of the weights of the matches */
	uint32_t *nbelow;		/* matches before each block of nodes, see flame_hits() */

	struct flame_package { const char *name; size_t n; int64_t own; } package[FLAME_PACKAGES];	/* heaviest first */
	int npackage;

	struct view then;		/* the view to restore when the layout is ready */
	bool loads;
};

static inline const struct symbol *flame_symbol_at(const struct flame_state *v, int part, uint32_t place)
{
	return &v->t.c->symbol[flame_symbol_of(v->f[part], place)];
}
/* Return the line of a place in the pane, with scrolling; may be outside. */
int64_t flame_line(const struct flame_state *, int part, uint32_t place, int h);
void flame_draw(const struct flame_state *, const struct pane_env *, struct grid *);
/* Get the place at a cell; false: none. */
bool flame_at(const struct flame_state *, const struct pane_env *, int y, int x, int *part, uint32_t *place);

/* Return the widest child; 0: none. */
uint32_t flame_widest(const struct flame *, uint32_t place);
/* Move the selection; false: not such a command. */
bool flame_move(struct flame_state *, const struct pane_env *, const struct act *);

/* flame_edges.c: scroll so that the selection is visible in h lines; draw the lines that name the rows outside of the
   window. */
void flame_into_view(struct flame_state *, int h);
void flame_draw_edges(const struct flame_state *, const struct pane_env *, struct grid *);

/* flame_totals.c: sum the own weight by package, after a change of the tree; draw the totals from line y on. */
void flame_sum_packages(struct flame_state *);
void flame_draw_totals(const struct flame_state *, const struct pane_env *, struct grid *, int y);

/* flame_text.c */
extern const char *const flame_order_name[];	/* by enum order */
void flame_summary(const void *, const struct pane_env *, struct buf *);
void flame_detail(const void *, const struct pane_env *, struct buf *);
int flame_choices(const void *, const struct pane_env *, enum cmd_id, struct choice *);
enum verdict flame_set_colour(struct flame_state *, bool trace, const char *arg, struct ask *);

#endif
