/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FLAMEVIEW_H
#define TTRACE_FLAMEVIEW_H

#include "analysis/flame.h"
#include "tree.h"

/* The inside of the flame pane, for pane_flame.c, flame_draw.c and flame_move.c. */
enum { DOWN, UP, PARTS };	/* UP: the callers above the one that is looked from, when there is one */
/* AUTO: package, or DIFF in a difference */
enum flame_colour { FC_AUTO, FC_PACKAGE, FC_SELF, FC_STATE, FC_DIFF, FC__N };
enum { ZOOMS_MAX = 64 };

struct flameview {
	struct tree t;
	struct tree next;		/* t, or what is laid out beside the keyboard to take its place */
	struct flamework *work;		/* NULL: nothing is */
	struct flame *f[PARTS];		/* f[UP] only with a pivot */
	uint32_t zoom[PARTS];		/* node that fills the width */
	struct flame_conf conf;
	uint64_t pivot;			/* id of the thing looked from, 0 none */
	bool flip;			/* root at the bottom */
	enum flame_colour colour;
	int part;			/* of the selection */
	uint32_t sel;			/* 0 only when there is nothing */
	int64_t scroll;			/* rows above the first in view; negative: callers are above */
	uint64_t before[ZOOMS_MAX];	/* zooms to come back to */
	int nbefore;
	uint64_t *path;			/* ids from below the root to the selection */
	size_t npath, pathcap;
	uint64_t thing;			/* id of the selected thing */

	struct hits hit;		/* by thing; n counts nodes */
	int64_t hitw;			/* union of their weights */
};

static inline const struct thing *flame_thing(const struct flameview *v, int part, uint32_t node)
{
	return &v->t.c->thing[v->f[part]->t.thing[node]];
}
/* Line of the pane on which a node is, as scrolled; may lie outside. */
int64_t flame_line(const struct flameview *, int part, uint32_t node, int h);
void flame_draw(const struct flameview *, const struct pane_env *, struct grid *);
/* The node at a cell; false: none. */
bool flame_at(const struct flameview *, const struct pane_env *, int y, int x, int *part, uint32_t *node);

/* The widest child, 0 when there is none. */
uint32_t flame_widest(const struct flame *, uint32_t node);
/* Scroll so that the selection is on one of the h lines. */
void flame_into_view(struct flameview *, int h);
/* false: it is no command that moves the selection. */
bool flame_move(struct flameview *, const struct pane_env *, const struct act *);

#endif
