/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_EXPORT_H
#define TTRACE_TERM_EXPORT_H

#include "base/text/buf.h"
#include "term/grid.h"
#include "term/style.h"

/* Append a screen in the format of the name's extension: .ans .ansi with colours for a terminal, .svg, .html .htm,
   otherwise text. A look without colours gives black and white. */
void export_screen(const struct grid *, const struct look *, const char *name, struct buf *);

#endif
