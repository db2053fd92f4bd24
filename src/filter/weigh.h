/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_WEIGH_H
#define TTRACE_FILTER_WEIGH_H

#include "base/err.h"
#include "calltree/weights.h"

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

struct compiled_filters;		/* the filters, compiled */
/* NULL: one of them does not compile; *e names it. */
struct compiled_filters *filter_compile(const struct filters *, struct err *e);
void filter_free(struct compiled_filters *);

/* Which samples are of side A and which of B: bit k is what came with side k. */
struct sides {
	uint64_t a, b;
	enum side_show show;
	double ratio;		/* by which A's values are multiplied, 0 or 1: as they are */
	int64_t whole;		/* what percentages of a difference are of; 0: of all of B */
};
static inline bool side_in(uint64_t set, uint32_t side) { return side < 64 && set >> side & 1; }

/* Weights of sample type `type` of a profile; without sides (NULL) of all samples. out's arrays are in
   the arena. */
void filter_weigh_samples(const struct snap *, const struct compiled_filters *, size_t type, bool noinlines,
    const struct sides *, struct arena *, struct weights *out);
/* The same from weights that the store's nodes have already (a trace's tracew): flat[nstks], count may
   be NULL; base is NULL, or those of side B. Tag filters do not apply. */
void filter_weigh_nodes(const struct snap *, const struct compiled_filters *, const int64_t *flat, const int64_t *count,
    const int64_t *base, enum side_show, str_id unit, bool noinlines, struct arena *, struct weights *out);

/* The same two straight onto nodes that stand for the store's own, or those with tags as frames. false: the query makes
   others, or cuts some calls of a node and leaves others, so it needs a tree of its own; the weighing is not to be
   finished then. true: it may be on another shape than it began with (split_stacks.h). */
bool filter_weigh_samples_onto(const struct snap *, const struct compiled_filters *, size_t type, bool noinlines,
    const struct sides *, struct weigh_target *);
bool filter_weigh_nodes_onto(const struct snap *, const struct compiled_filters *, const int64_t *flat,
    const int64_t *count, const int64_t *base, enum side_show, str_id unit, bool noinlines, struct weigh_target *);

/* A shape of all samples with the tags that the query makes frames of, for weights to go onto; out of that of the
   store, of which a holder goes if it is spent. NULL: it makes none, or cuts stacks as well, or it was stopped.
   And: does the query make frames of those of a shape, and of no others? */
struct calltree *filter_tagged_calltree(const struct snap *, const struct compiled_filters *, bool noinlines,
    struct calltree *, bool spend, const _Atomic bool *stop);
bool filter_has_tag_frames(const struct snap *, const struct compiled_filters *);	/* tags are frames */
bool filter_keeps_whole_stacks(const struct compiled_filters *, bool noinlines); /* it does not cut stacks as well */
bool filter_fits_calltree(const struct snap *, const struct compiled_filters *, const struct calltree *);

/* The calls of samples on a tree of the query's own, by its own shape: where nodes are in preorder, as they are when
   tags are frames, or when it is said that the store's are (tree.h). NULL: they are not, or it was stopped. */
struct weighted_tree;
struct granularity;
struct weighted_tree *filter_weigh_rebuilt(const struct snap *, const struct compiled_filters *, size_t type,
    bool noinlines, const struct sides *, struct granularity *, bool preorder, const _Atomic bool *stop);

/* sides.c: what to multiply A's values by so that they sum up to B's; and the sum of the magnitudes of
   what is left when B is taken from A, samples of the same stack and labels being one. */
double sides_ratio(const struct snap *, size_t type, uint64_t a, uint64_t b);
int64_t sides_whole(const struct snap *, size_t type, const struct sides *);
int64_t sides_scaled(int64_t v, double ratio);

/* The same with the weights by tag (tracew's parts), the tag being a frame at the root, or at the leaf. */
struct trace_tag_weight;
void filter_weigh_parts(const struct snap *, const struct compiled_filters *, const struct trace_tag_weight *,
    uint32_t n, bool root, str_id unit, bool noinlines, struct arena *, struct weights *out);

#endif
