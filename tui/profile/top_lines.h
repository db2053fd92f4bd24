/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_TOP_LINES_H
#define TTRACE_PROFILE_TOP_LINES_H

#include "profile/common.h"

/* The heaviest source lines of a thing, in lines y .. y+h-1 of the grid, under a heading. Things that are
   no functions and functions without lines have none: nothing is drawn. */
void top_lines_draw(
    const struct weighted_tree *, uint32_t symbol, const struct pane_env *, struct grid *, int y, int h);

#endif
