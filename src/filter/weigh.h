/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_WEIGH_H
#define TTRACE_FILTER_WEIGH_H

#include "base/err.h"
#include "calltree/weights.h"
#include "filter/compile.h"

/*
 * The filters of a query on the store's call tree: pprof's focus, ignore, hide, show, show_from, prune_from and tag
 * filters, evaluated once per function and node, never per sample. The result is weights on the store's own tree or, if
 * frames are hidden or tags become frames, on a tree derived from it.
 */

/* The samples of side A and those of side B: bit k stands for the samples of file k. */
struct sides {
	uint64_t a, b;
	enum side_show show;
	double ratio;		/* factor of A's values; 0 or 1: unchanged */
	int64_t whole;		/* reference of percentages of a difference; 0: the total of B */
};
static inline bool side_in(uint64_t set, uint32_t side) { return side < 64 && set >> side & 1; }

/* Compute the weights of sample type `type` of a profile; sides NULL: of all samples. out's arrays are in the arena. */
void filter_weigh_samples(const struct snap *, const struct compiled_filters *, size_t type, bool noinlines,
    const struct sides *, struct arena *, struct weights *out);
/* The same for weights that the store's nodes have already (those of a trace, trace/as_profile.h): flat[nstks]; count
   may be NULL; base is NULL, or the weights of side B. Tag filters do not apply. */
void filter_weigh_nodes(const struct snap *, const struct compiled_filters *, const int64_t *flat, const int64_t *count,
    const int64_t *base, enum side_show, str_id unit, bool noinlines, struct arena *, struct weights *out);

/* The same two functions, adding directly to the ends of a call tree: that of the store or one with tags as frames.
   Return false if the query needs a tree of its own, because its tags are other frames or because it hides only some
   calls of a node; then the weighing must not be finished. If true is returned, o->calltree may have been replaced
   (split_stacks.h). */
bool filter_weigh_samples_onto(const struct snap *, const struct compiled_filters *, size_t type, bool noinlines,
    const struct sides *, struct weigh_target *);
bool filter_weigh_nodes_onto(const struct snap *, const struct compiled_filters *, const int64_t *flat,
    const int64_t *count, const int64_t *base, enum side_show, str_id unit, bool noinlines, struct weigh_target *);

/* filter_tagged_calltree() returns a call tree of all samples with the query's tags as frames, made from that of the
   store. NULL: the query has no tags as frames, or cuts stacks as well, or it was stopped. spend: a reference to the
   store's tree is released, also if it was stopped, but not in the other two cases. filter_fits_calltree() returns
   whether the tags that are frames of a tree are those of the query. */
struct calltree *filter_tagged_calltree(const struct snap *, const struct compiled_filters *, bool noinlines,
    struct calltree *, bool spend, const _Atomic bool *stop);
/* Return whether the query has tags as frames. */
bool filter_has_tag_frames(const struct snap *, const struct compiled_filters *);
/* Return whether the query does not cut stacks. */
bool filter_keeps_whole_stacks(const struct compiled_filters *, bool noinlines);
bool filter_fits_calltree(const struct snap *, const struct compiled_filters *, const struct calltree *);

/* Return the weighted samples on a call tree of the query's own. It needs nodes in preorder: those of a tree with tags
   as frames always are, and `preorder` is set if those of the store are (struct calltree). NULL: they are not, or there
   are no samples, or it was stopped. */
struct weighted_tree;
struct granularity;
struct weighted_tree *filter_weigh_rebuilt(const struct snap *, const struct compiled_filters *, size_t type,
    bool noinlines, const struct sides *, struct granularity *, bool preorder, const _Atomic bool *stop);

/* sides.c. sides_ratio() returns the factor of A's values that makes their sum equal to B's; sides_whole() the sum of
   absolute values of the difference between A and B, where samples of the same stack and labels count as one;
   sides_scaled() a value times a ratio. */
double sides_ratio(const struct snap *, size_t type, uint64_t a, uint64_t b);
int64_t sides_whole(const struct snap *, size_t type, const struct sides *);
int64_t sides_scaled(int64_t v, double ratio);

/* As filter_weigh_samples(), for the weights of a trace by tag (trace/as_profile.h); the tag is a frame at the root, or
   at the leaf. */
struct trace_tag_weight;
void filter_weigh_parts(const struct snap *, const struct compiled_filters *, const struct trace_tag_weight *,
    uint32_t n, bool root, str_id unit, bool noinlines, struct arena *, struct weights *out);

#endif
