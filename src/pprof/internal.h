/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PPROF_INTERNAL_H
#define TTRACE_PPROF_INTERNAL_H

#include "pprof/graph.h"

/* The state of a graph that is being built; shared by graph.c, graph_label.c, graph_tags.c, graph_tree.c and
   context_tree.c. */

/* A map from a pair of ids to a number. */
struct pairs {
	struct {
		uint64_t key;
		uint32_t val;
	} * slot; /* val 0: empty, else index + 1 */
	size_t cap, n;
};

/* Return the cell of the pair's value. If it is 0 the pair is new, and the caller must fill it. */
uint32_t *graph_pair_put(struct pairs *, uint32_t a, uint32_t b);
/* Return the cell of the pair's value, NULL: there is none. */
uint32_t *graph_pair_find(const struct pairs *, uint32_t a, uint32_t b);

struct bundle {
	uint32_t stack, set;
	int64_t w, d;
};
/* A bundle as it is stored, because there may be as many as samples. d is stored in a separate array, if there are
   divisors. */
struct bundled {
	uint32_t stack, set;
	int64_t w;
};

/* The labels of a set: a range of set_key[]. */
struct set_tags { bool known; uint32_t first, n; };
/* key: index in graph.tag_key. */
struct set_key { uint32_t key; int64_t value; };

struct graph_builder {
	struct graph *g;
	struct profile *p;
	const struct graph_options *o;
	const struct graph *kept;
	struct graph_info *info; /* interned; the kept ones first */
	size_t ninfo, cinfo, nkept;
	struct intern infox;
	struct line_slots {
		uint32_t first, n;
	} * line_slots;	/* by location: the range of its lines in slot[] */
	uint32_t *slot; /* by line: info + 1 (also the node + 1, unless it is a tree), 0: the node is not wanted */
	uint32_t *seen; /* seen, cum, cum_div are by node. seen: the last bundle that was added. They are separate
			   arrays because they are used most */
	int64_t *cum, *cum_div;
	struct pairs functions, tag_keys;
	struct intern markx;	/* index of g->marks */
	struct intern edgex;	/* index of g->edges */
	struct way {		/* the edges of the current stack */
		struct graph_node *src, *dst;
		uint32_t hash;
		bool residual, inlined;
	} *way;
	size_t nway, cway;
	struct bundled *bundle;		/* NULL: each sample is a bundle of its own */
	int64_t *bundle_d;
	size_t nbundle, cbundle, cbundle_d;
	struct set_tags *sets;
	struct set_key *set_key;
	bool light; /* weigh nodes only */
	bool ordered;	/* bundles are in the order in which their stacks are stored */
	size_t spent;	/* bytes of the profile's frames that were released */
	size_t ntag_key, ctag_key, nset_key, cset_key;
	/* NULL, or by key: an upper limit of its weight at any node. Keys below key_least get no marks */
	uint64_t *key_size, key_least;
};

/* Number the nodes of all lines and bundle the samples, before any walk. graph_free_prepared() frees everything except
   b->info. */
void graph_prepare(struct graph_builder *);
void graph_free_prepared(struct graph_builder *);
/* Return the number of the function of an info, in any context. */
uint32_t graph_function(struct graph_builder *, uint32_t info);

/* Add a node for an info below another one (its id + 1; 0: none), and return its id + 1. */
uint32_t graph_add_node(struct graph_builder *, uint32_t info, uint32_t context);
void graph_weight(struct graph_builder *, struct graph_node *, const struct bundle *, bool flat);
/* Add an edge to those of the current stack; then add the weight of the bundle to all of them. */
void graph_add_way(struct graph_builder *, struct graph_node *src, struct graph_node *dst, bool residual, bool inlined);
void graph_weigh_ways(struct graph_builder *, const struct bundle *, uint32_t pass);
struct bundle graph_bundle(const struct graph_builder *, size_t i);

/* Add the weight of a bundle's labels to a node; return the labels of a set (graph_tags.c). */
void graph_add_tags(struct graph_builder *, struct graph_node *, const struct bundle *, bool flat);
/* Announce that trimming will remove marks below `least`: labels that never reach it get no marks. */
void graph_set_tag_cutoff(struct graph_builder *, int64_t least);
const struct set_tags *graph_set_tags(struct graph_builder *, uint32_t set);
uint32_t graph_mark_hash(const struct graph_mark *);
/* Weigh the labels of a finished graph (graph_label.c), all of them or, with graph_options.label_room, on demand. The
   state of the builder is freed at once or, on demand, with the graph. */
void graph_init_labels(struct graph_builder *);
void graph_free_labels(struct graph *);
/* Free edges and labels, before the graph is built again from its nodes. */
void graph_drop_edges_labels(struct graph *);
/* Mark as dead the labels of node[from..upto) that weigh less. */
void graph_trim_tags(struct graph *, size_t from, size_t upto, int64_t cutoff);

/* A walk down a stack from its root. slot is that of the current line (its info + 1; 0: past the leaf). There are i
   more frames below, and k more lines of this one. */
struct down { uint32_t bundle, slot, i, k; };
struct down graph_descent_begin(const struct graph_builder *, size_t bundle);
void graph_descent_step(const struct graph_builder *, struct down *);
/* Return the bundles that have weight and frames, sorted by their frames from the root, shorter ones first. *all is
   their total weight. The caller frees the array. */
struct down *graph_sorted_stacks(const struct graph_builder *, size_t *n, int64_t *all);

/* Build a node for each context (graph_tree.c). part > 0: only the nodes that trimming by this fraction leaves. */
void graph_walk_tree(struct graph_builder *, double part);

#endif
