/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_SGR_H
#define TTRACE_TERM_SGR_H

#include "base/text/buf.h"
#include "term/style.h"

#include <string.h>

struct pen_caps;

/* The attributes in force; fresh: they are not known. */
struct ink { struct paint p; bool fresh; };

static inline bool paint_same(const struct paint *a, const struct paint *b)
{
	return !memcmp(a, b, sizeof *a);
}
/* The shortest list of SGR codes from there to a paint, in `way` (what was there is gone, of `other`, which is
   scratch, too); false: nothing is to be done. */
bool ink_way(const struct pen_caps *, const struct ink *, const struct paint *, struct buf *way, struct buf *other);

#endif
