/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_FLAME_INTERNAL_H
#define TTRACE_PROFILE_FLAME_INTERNAL_H

#include "calltree/flame.h"
#include "profile/common.h"

/* The inside of the flame pane, for flame_pane.c, flame_draw.c, flame_move.c and flame_text.c. */
enum { DOWN, UP, PARTS };	/* UP: the callers above the one that is looked from, when there is one */
/* AUTO: package, or DIFF in a difference */
enum flame_colour { FC_AUTO, FC_PACKAGE, FC_SELF, FC_STATE, FC_DIFF, FC__N };
enum { ZOOMS_MAX = 64 };

struct flame_state {
	struct profile_tree t;
	struct profile_tree next;		/* t, or what is laid out beside the keyboard to take its place */
	struct flame_work *work;		/* NULL: nothing is */
	struct flame *f[PARTS];		/* f[UP] only with a pivot */
	uint32_t zoom[PARTS];		/* place that fills the width */
	uint64_t *way[PARTS];		/* while there are no calls: the ids of the way to it */
	size_t nway[PARTS], waycap[PARTS];
	struct flame_conf conf;		/* as is wanted; */
	struct flame_conf laid;		/* as f is */
	uint64_t pivot;			/* id of the thing looked from, 0 none */
	bool flip;			/* root at the bottom */
	enum flame_colour colour;
	int part;			/* of the selection */
	uint32_t sel;			/* a place; 0 only when there is nothing */
	int64_t scroll;			/* rows above the first in view; negative: callers are above */
	uint64_t before[ZOOMS_MAX];	/* zooms to come back to */
	int nbefore;
	uint64_t *path;			/* ids from below the root to the selection */
	size_t npath, pathcap;
	uint64_t symbol;			/* id of the selected thing */

	struct hits hit;		/* by thing; n counts nodes */
	int64_t hitw;			/* union of their weights */
	uint32_t *nbelow;		/* hits before each block of nodes, as flame_hits() has it */

	struct view then;		/* what load() was given, until the flames are there for it */
	bool loads;
};

static inline const struct symbol *flame_symbol_at(const struct flame_state *v, int part, uint32_t place)
{
	return &v->t.c->symbol[flame_symbol_of(v->f[part], place)];
}
/* Line of the pane on which a place is, as scrolled; may lie outside. */
int64_t flame_line(const struct flame_state *, int part, uint32_t place, int h);
void flame_draw(const struct flame_state *, const struct pane_env *, struct grid *);
/* The place at a cell; false: none. */
bool flame_at(const struct flame_state *, const struct pane_env *, int y, int x, int *part, uint32_t *place);

/* The widest child, 0 when there is none. */
uint32_t flame_widest(const struct flame *, uint32_t place);
/* Scroll so that the selection is on one of the h lines. */
void flame_into_view(struct flame_state *, int h);
/* false: it is no command that moves the selection. */
bool flame_move(struct flame_state *, const struct pane_env *, const struct act *);

/* flame_text.c */
extern const char *const flame_order_name[];	/* by enum order */
void flame_summary(const void *, const struct pane_env *, struct buf *);
void flame_detail(const void *, const struct pane_env *, struct buf *);
void flame_keys(const void *, const struct pane_env *, struct buf *);
int flame_choices(const void *, const struct pane_env *, enum cmd_id, struct choice *);
enum verdict flame_set_colour(struct flame_state *, bool trace, const char *arg, struct ask *);

#endif
