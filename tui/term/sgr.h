/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_SGR_H
#define TTRACE_TERM_SGR_H

#include "base/text/buf.h"
#include "term/style.h"

#include <string.h>

struct screen_diff_caps;

/* The attributes in force; fresh: they are not known. */
struct sgr_state { struct paint p; bool fresh; };

static inline bool paint_same(const struct paint *a, const struct paint *b)
{
	return !memcmp(a, b, sizeof *a);
}
/* The shortest list of SGR codes from there to a paint, in `way` (what was there is gone, of `other`, which is
   scratch, too); false: nothing is to be done. */
bool sgr_put_change(const struct screen_diff_caps *, const struct sgr_state *, const struct paint *, struct buf *way,
    struct buf *other);

#endif
