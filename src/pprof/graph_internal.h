/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PPROF_GRAPH_INTERNAL_H
#define TTRACE_PPROF_GRAPH_INTERNAL_H

#include "pprof/graph.h"

/* The inside of a graph that is being built, for graph.c, graph_tags.c and graph_tree.c. */

/* A map from a pair of ids to an index. */
struct pairs {
	struct {
		uint64_t key;
		uint32_t val;
	} * slot; /* val 0: empty, else index + 1 */
	size_t cap, n;
};

/* The place of its value; where that is 0 it is new, and the caller fills it. */
uint32_t *graph_pair_put(struct pairs *, uint32_t a, uint32_t b);
uint32_t *graph_pair_find(const struct pairs *, uint32_t a, uint32_t b);	/* NULL: it is not there */

struct bundle {
	uint32_t stack, set;
	int64_t w, d;
};
/* as it is kept, for there may be as many as samples; d has its own array, where there is any */
struct bundled {
	uint32_t stack, set;
	int64_t w;
};

/* Into set_key. */
struct set_tags { bool known; uint32_t first, n; };
/* Into tag_key. */
struct set_key { uint32_t key; int64_t value; };

struct graph_builder {
	struct graph *g;
	struct profile *p;
	const struct graph_options *o;
	const struct graph *kept;
	struct graph_info *info; /* interned; kept ones first */
	size_t ninfo, cinfo, nkept;
	struct intern infox;
	struct line_slots {
		uint32_t first, n;
	} * line_slots;	/* of a location: its slots */
	uint32_t *slot; /* of a line: info + 1 (a graph's node + 1), 0 not wanted */
	uint32_t *seen; /* by node: the last bundle that came by; and its weights: these are hot */
	int64_t *cum, *cum_div;
	struct pairs functions, tag_keys;
	struct intern markx;	/* of g->marks */
	struct intern edgex;	/* of g->edges */
	struct way {		/* an edge of the stack at hand */
		struct graph_node *src, *dst;
		uint32_t hash;
		bool residual, inlined;
	} *way;
	size_t nway, cway;
	struct bundled *bundle;		/* NULL: each sample is one */
	int64_t *bundle_d;
	size_t nbundle, cbundle, cbundle_d;
	struct set_tags *sets;
	struct set_key *set_key;
	bool light; /* weights of nodes only */
	bool ordered;	/* bundles come as their stacks lie */
	size_t spent;	/* bytes of the profile's frames */
	size_t ntag_key, ctag_key, nset_key, cset_key;
	/* by key: NULL, or the most that it weighs anywhere; less than that is no mark */
	uint64_t *key_size, key_least;
};

/* What locations are and which samples go together, before anything is walked; all of it goes but for b->info. */
void graph_prepare(struct graph_builder *);
void graph_free_prepared(struct graph_builder *);
/* The number of the function that a node of this info is of, in any context. */
uint32_t graph_function(struct graph_builder *, uint32_t info);

/* A node of what info says, below another one (its id + 1) or below none; its id + 1. */
uint32_t graph_add_node(struct graph_builder *, uint32_t info, uint32_t context);
void graph_weight(struct graph_builder *, struct graph_node *, const struct bundle *, bool flat);
/* An edge of the stack at hand; and all of these, weighed. */
void graph_add_way(struct graph_builder *, struct graph_node *src, struct graph_node *dst, bool residual, bool inlined);
void graph_weigh_ways(struct graph_builder *, const struct bundle *, uint32_t pass);
struct bundle graph_bundle(const struct graph_builder *, size_t i);

/* graph_tags.c: what a bundle's labels weigh at a node; what labels a set has. */
void graph_add_tags(struct graph_builder *, struct graph_node *, const struct bundle *, bool flat);
/* Trimming will take away marks of less: those of keys that never weigh as much are not made. */
void graph_set_tag_cutoff(struct graph_builder *, int64_t least);
const struct set_tags *graph_set_tags(struct graph_builder *, uint32_t set);
uint32_t graph_mark_hash(const struct graph_mark *);
/* graph_label.c: labels of a graph that is built, all of them or, with gopt.label_room, when they are asked for; what
   the builder holds goes, then or with the graph. */
void graph_init_labels(struct graph_builder *);
void graph_free_labels(struct graph *);
/* Edges and labels go: who builds it again looks at nodes alone. */
void graph_drop_edges_labels(struct graph *);
/* Labels of nodes that weigh less. */
void graph_trim_tags(struct graph *, size_t from, size_t upto, int64_t cutoff);

/* A stack from its root on: the bundle, and the slot of the line that it has come to (what the node there is, + 1;
   0: it was at the leaf). Below that are i frames, and k lines of this one. */
struct down { uint32_t bundle, slot, i, k; };
struct down graph_descent_begin(const struct graph_builder *, size_t bundle);
void graph_descent_step(const struct graph_builder *, struct down *);
/* The bundles that are walked, in the order of their frames from the root on, shorter ones first; what all of them
   weigh. */
struct down *graph_sorted_stacks(const struct graph_builder *, size_t *n, int64_t *all);

/* graph_tree.c: a node for each context; with part only those that trimming asks for. */
void graph_walk_tree(struct graph_builder *, double part);

#endif
