/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_VIEW_H
#define TTRACE_FILTER_VIEW_H

#include "calltree/weighted.h"
#include "filter/states.h"

/*
 * Filters that hide frames (hide, show, show_from, prune_from, inlined calls), applied to a call tree. The weight of a
 * stack that ends at a hidden node counts for the nearest visible node above it.
 */
/* from, prune: these filters are set. Set o->dead or o->cut (calltree/node_walk.h), and o->to for prune_from; drop the
   weights of stacks that do not match show_from. */
void view_hide_nodes(const struct node_flags *, bool from, bool prune, struct weigh_target *o);

#endif
