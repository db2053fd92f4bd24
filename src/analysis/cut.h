/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CUT_H
#define TTRACE_CUT_H

#include "analysis/calls.h"
#include "analysis/shape.h"
#include "analysis/verdict.h"

/*
 * Filters that take frames away node by node (show_from, prune_from, inlined calls, some calls of a function), straight
 * onto a shape of the store's tree: o->cut says which nodes are not seen, o->to where the weight of its ends goes.
 */
/* In o->cut, among others: not seen; seen, and the first of its thing that is, for all that CT_AGAIN says. */
enum { CUT_GONE = FV_DEAD, CUT_FIRST = 1 };
/* A node of the shape, in a weighing on it. */
static inline bool calls_gone(const struct calls *c, uint32_t node)
{
	return c->dead ? c->dead[c->shape->thing[node]] : c->cut && c->cut[node] & CUT_GONE;
}

/* flag[]: by frame, as verdicts say. bare: what nothing is left of counts, at the root. o->shape may be another one
   afterwards. false: one node stands for frames of which some are seen and some are not; o is not to be used then. */
bool cut_shape(const struct snap *, const uint8_t *flag, bool from, bool prune, bool bare, struct onto *o);

#endif
