/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PPROF_INTERNAL_H
#define TTRACE_PPROF_INTERNAL_H

#include "base/u64_map.h"
#include "pprof/graph.h"

/* The state of a graph that is being built; shared by graph.c, graph_label.c, graph_tags.c, graph_tree.c and
   context_tree.c. */

/* Samples with the same stack (and labels); d is the divisor. */
struct bundle { uint32_t stack, set; int64_t w, d; };

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
	struct stack_frames *line_slots;	/* by location: the range of its lines in slot[] */
	uint32_t *slot; /* by line: info + 1 (also the node + 1, unless it is a tree), 0: the node is not wanted */
	struct u64_hash functions, tag_keys;	/* by two ids: a number */
	struct intern markx;	/* index of g->marks */
	struct intern edgex;	/* index of g->edges */
	struct bundle *bundle;	/* in the order of the samples */
	size_t nbundle, cbundle;
	struct set_tags *sets;
	struct set_key *set_key;
	bool light; /* weigh nodes only */
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
/* Add an edge without weight; `inlined` until a call is found that is not. */
struct graph_edge *graph_add_edge(struct graph_builder *, struct graph_node *src, struct graph_node *dst);

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

/* The stacks as a tree of slots (struct graph_builder). node: by node of the profile's tree. */
struct slot_tree { struct stack_tree tree; uint32_t *node; };
struct slot_tree graph_slot_tree(const struct graph_builder *);
void graph_slot_tree_free(struct slot_tree *);

/* Build a node for each context (graph_tree.c). part > 0: only the nodes that trimming by this fraction leaves. */
void graph_walk_tree(struct graph_builder *, double part);

#endif
