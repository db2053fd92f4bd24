/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PROFILE_TOP_LINES_H
#define TTRACE_PROFILE_TOP_LINES_H

#include "profile/common.h"

/* Draw the heaviest source lines of a symbol, under a heading, in lines y .. y+h-1 of the grid. Draw nothing for
   symbols that are not functions and for functions without lines. */
void top_lines_draw(
    const struct weighted_tree *, uint32_t symbol, const struct pane_env *, struct grid *, int y, int h);

#endif
