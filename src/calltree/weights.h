/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_WEIGHTS_H
#define TTRACE_CALLTREE_WEIGHTS_H

#include "base/wrap_math.h"
#include "store/store.h"

/*
 * The weights of a query: what is shown of two sides, and where weights are added up.
 */
/* Two sides of a difference: A is the profile under examination, B its base. flat and cum have the side or difference
   that is shown; the other column has the value that is needed to derive both sides from it. */
enum side_show { SHOW_DELTA, SHOW_A, SHOW_B, SHOW__N };
struct pair { int64_t a, b; };
static inline struct pair side_pair(enum side_show show, int64_t shown, int64_t other)
{
	if (show == SHOW_DELTA)
		return (struct pair){wrap_add(shown, other), other};
	return show == SHOW_A ? (struct pair){shown, other} : (struct pair){other, shown};
}

/* The inverse of side_pair(): return the value that is shown and set *other to the other column. */
static inline int64_t side_shown(enum side_show show, int64_t a, int64_t b, int64_t *other)
{
	*other = show == SHOW_B ? a : b;
	return show == SHOW_B ? b : show == SHOW_A ? a : wrap_sub(a, b);
}

/* What is one symbol on the screen and in a report. */
enum gran { GR_FUNCTIONS, GR_FILEFUNCTIONS, GR_FILES, GR_LINES, GR_ADDRESSES };

/* Where weights are added: the ends of a call tree (tree.h). */
struct calltree;
struct weigh_target {
	struct calltree *calltree;
	int64_t *flat, *oflat;	/* by end, initially 0; oflat: or NULL */
	uint8_t *hit;		/* by end: it has weight */
	uint8_t *dead;		/* by symbol: hidden by the query; NULL: none */
	uint8_t *cut;		/* or by node (filter/view.h); NULL: none */
	uint32_t *to;		/* by end: the node that gets its weight instead; NULL: all ends keep their weight */
	bool bare;		/* stacks of which no frame is visible count at the root, instead of not at all */
	int64_t all;		/* before the filters; percentages are of this */
	str_id unit;
	enum side_show show;
};
/* Add v, and in the other column of a difference `other`, to an end. */
static inline void weigh_target_add(struct weigh_target *o, uint32_t end, int64_t v, int64_t other)
{
	o->hit[end] = 1;
	o->flat[end] = wrap_add(o->flat[end], v);
	if (o->oflat)
		o->oflat[end] = wrap_add(o->oflat[end], other);
}

static inline void weigh_target_drop(const struct weigh_target *o, uint32_t end)
{
	o->hit[end] = 0;
	o->flat[end] = 0;
	if (o->oflat)
		o->oflat[end] = 0;
}

#endif
