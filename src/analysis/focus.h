/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FOCUS_H
#define TTRACE_FOCUS_H

#include "analysis/weigh.h"
#include "base/err.h"

/*
 * The filters of a query over the store's call tree: pprof's focus, ignore,
 * hide, show, show_from, prune_from and tag filters, answered once per function
 * and node, never per sample. The result is weights over the store's own tree
 * or, when frames vanish or tags become frames, over a tree derived from it.
 */
struct filters {	/* regular expressions as typed; NULL or "": none */
	const char *focus, *ignore, *hide, *show, *show_from, *prune_from;
	const char *tagfocus, *tagignore, *tagshow, *taghide, *tagroot, *tagleaf;
};
enum gran { GR_FUNCTIONS, GR_FILEFUNCTIONS, GR_FILES, GR_LINES, GR_ADDRESSES };

struct focus;		/* the filters, compiled */
/* NULL: one of them does not compile; *e names it. */
struct focus *focus_new(const struct filters *, struct err *e);
void focus_free(struct focus *);

/* Weights of sample type `type` of a profile. out's arrays are in the arena. */
void focus_samples(const struct snap *, const struct focus *, size_t type, bool noinlines, struct arena *,
    struct weights *out);
/* The same from weights that the store's nodes have already (a trace's tracew): flat[nstks], count may
   be NULL. Tag filters do not apply. */
void focus_nodes(const struct snap *, const struct focus *, const int64_t *flat, const int64_t *count,
    str_id unit, bool noinlines, struct arena *, struct weights *out);

/* The same with the weights by tag (tracew's parts), the tag being a frame at the root, or at the leaf. */
struct tw_part;
void focus_parts(const struct snap *, const struct focus *, const struct tw_part *, uint32_t n, bool root,
    str_id unit, bool noinlines, struct arena *, struct weights *out);

#endif
