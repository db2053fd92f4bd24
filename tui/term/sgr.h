/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_SGR_H
#define TTRACE_TERM_SGR_H

#include "base/text/buf.h"
#include "term/style.h"

#include <string.h>

struct screen_diff_caps;

/* The current attributes; fresh: they are unknown. */
struct sgr_state { struct paint p; bool fresh; };

static inline bool paint_same(const struct paint *a, const struct paint *b)
{
	return !memcmp(a, b, sizeof *a);
}
/* Write the shortest list of SGR codes from a state to a paint into `way`; false: none are needed. `way` and
   `other`, which is scratch, are overwritten. */
bool sgr_put_change(const struct screen_diff_caps *, const struct sgr_state *, const struct paint *, struct buf *way,
    struct buf *other);

#endif
