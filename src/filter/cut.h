/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_CUT_H
#define TTRACE_FILTER_CUT_H

#include "calltree/tree.h"
#include "calltree/weighted.h"
#include "filter/match.h"

/*
 * Filters that hide single nodes (show_from, prune_from, inlined calls, some calls of a function), applied directly to
 * a call tree of the store: o->cut marks the hidden nodes (calltree/node_walk.h), o->to has the nodes that get the
 * weights of ends.
 */
/* flag[]: the match flags by frame. from, prune: these filters are set. bare: stacks of which no frame is left count at
   the root. o->calltree may be replaced by another tree. Return false if one node stands for frames of which only some
   are hidden and the query needs a tree of its own; then o must not be used. */
bool cut_calltree(const struct snap *, const uint8_t *flag, bool from, bool prune, bool bare, struct weigh_target *o);

#endif
