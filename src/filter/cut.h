/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_CUT_H
#define TTRACE_FILTER_CUT_H

#include "calltree/tree.h"
#include "calltree/weighted.h"
#include "filter/match.h"

/*
 * Filters that take frames away node by node (show_from, prune_from, inlined calls, some calls of a function), straight
 * onto a shape of the store's tree: o->cut says which nodes are not seen (node_walk.h), o->to where the weight of its ends goes.
 */
/* flag[]: by frame, as verdicts say. bare: what nothing is left of counts, at the root. o->shape may be another one
   afterwards. false: one node stands for frames of which some are seen and some are not; o is not to be used then. */
bool cut_calltree(const struct snap *, const uint8_t *flag, bool from, bool prune, bool bare, struct weigh_target *o);

#endif
