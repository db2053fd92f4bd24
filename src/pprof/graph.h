/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PPROF_GRAPH_H
#define TTRACE_PPROF_GRAPH_H

#include "base/mem/column.h"
#include "base/text/regex.h"
#include "base/text/buf.h"
#include "pprof/profile.h"

/*
 * The call graph of a profile as pprof draws it. A node stands for all locations that are equal at a granularity, an
 * edge for the samples whose stacks have one below the other. Trimming keeps the heaviest nodes and joins them across
 * removed ones by residual edges.
 */
struct graph_info {		/* the identity of a node; strings of the profile */
	str_id name, file, object;
	uint64_t addr;
	int64_t start, line, col;
};

struct graph_edge {		/* there may be a million, so it refers to nodes and edges by number */
	int64_t weight;
	uint32_t next_in, next_out;		/* lists of the edges of dst and of src, index in graph.edges + 1:
						   graph_next_edge() */
	uint32_t src : 29;			/* indexes in the graph's all[]: graph_edge_src(), graph_edge_dst() */
	bool residual : 1, inlined : 1, dead : 1;
	uint32_t dst : 29;
	bool open : 1;				/* used by the builder */
	bool mean : 1;				/* div[0] exists */
	int64_t div[];
};

struct graph_tag {		/* weight of a label in the samples of a node */
	bool numeric;
	str_id group;	/* numeric: the string labels in the same sets, joined; else 0 */
	str_id name;	/* as shown */
	str_id unit;
	int64_t value, flat, flat_div, cum, cum_div;
};
struct graph_mark {		/* the compact form of a graph_tag, because there are many: graph_mark_tag() */
	int64_t flat, cum, value;
	struct graph_mark *next;
	uint32_t key, node;	/* key: index in the graph's tag_key; node: id of its node */
	int64_t div[];		/* divisors of flat and cum, if graph.mean */
};
/* Flag in graph_mark.node: the mark was trimmed. */
#define GRAPH_MARK_DEAD UINT32_C(0x80000000)

struct graph_node {
	struct graph_info info;
	uint32_t id;		/* index in graph.all */
	uint32_t mark;		/* of graph_trim.c: number of the last search */
	uint32_t function : 30;	/* with graph_options.functions: equal for nodes of the same function (in the same
				   context) */
	bool keep : 1;
	bool mean : 1;		/* div[] exists */
	int64_t flat, cum, score;
	uint32_t in, out;	/* lists of edges: graph_first_edge() */
	struct graph_mark *tag;
	struct graph_node_div { int64_t flat, cum; } div[];
};
enum { GRAPH_NODES_MAX = 1 << 29 };

struct graph_options {
	size_t type;		/* sample type */
	bool mean;		/* divide by type 0 */
	bool objects;		/* distinguish equal functions of different binaries */
	bool tree;		/* one node for each context */
	bool functions;		/* set graph_node.function */
	bool drop_negative;
	const struct regex *edges_of;	/* NULL, or only edges at nodes whose names match are needed */
	bool tags;		/* also weigh labels */
	bool escape_tags;	/* write labels escaped for graphviz, not as they are */
	bool leaf_tags;		/* only labels of samples whose stacks end at the node */
	int64_t tag_least;	/* omit labels that weigh less everywhere, because trimming removes them; 0: none */
	bool visual;		/* use the order and selection of nodes for drawings */
	bool cum_sort;
	size_t label_room;	/* weigh labels on demand by graph_label(), with at most this many marks at a time; 0:
				   weigh all at once */
	bool last;		/* nothing else is built of the profile: free its tables as soon as the graph does not
				   need them. Not with labels */
	bool sift;		/* build only the nodes of a tree that nodefraction leaves; set by graph_trimmed() */
	const char *tag_unit;	/* unit in which numeric labels are written */
	str_id bytes_unit;	/* unit of the label "bytes" */
	const char *trim_path, *source_path;
	int64_t nodecount;	/* <= 0: all */
	double nodefraction, edgefraction;
};

struct graph {
	struct profile *p;
	struct graph_node **node;	/* the nodes that are shown, in order */
	size_t n;
	struct graph_node **all;	/* all nodes; edges may lead to nodes that are not shown */
	size_t nall, call;
	struct arena arena;
	struct data_column edges;	/* struct graph_edge */
	struct data_column marks;	/* struct graph_mark */
	struct graph_tag *tag_key;	/* all different tags, without weights */
	bool mean;		/* weights have divisors */
	struct labelling *labels;	/* with label_room: state of the weighing; else NULL */
	size_t labelled;		/* nodes before node[labelled] have their labels */
	int64_t label_cut;		/* marks that weigh less are dead */
	size_t orig, dropped_nodes, dropped_edges;	/* numbers for the legend: nodes before nodecount was applied,
							   and nodes and edges that trimming removed */
	/* for a tree that was built without most of its light nodes: the sum of all own weights, and the number of
	   light nodes */
	bool sifted;
	int64_t flat;
	size_t light;
};

/* Return the complete graph, untrimmed and unsorted. The caller calls graph_free(). */
struct graph *graph_new(struct profile *, const struct graph_options *);
/* Return the graph of nodes only, without edges and labels. Not for trees. */
struct graph *graph_nodes(struct profile *, const struct graph_options *);
/* Return the trimmed and sorted graph. */
struct graph *graph_trimmed(struct profile *, const struct graph_options *);
/* Weigh the labels of node[from], which has none yet, and of as many nodes after it as there is room for, up to
   node[g->labelled]. The labels of earlier nodes are freed; if from >= g->n, all state of the weighing is freed too.
   Labels below label_cut are trimmed. Call it only with graph_options.label_room, before reading the labels of a
   node. */
void graph_label(struct graph *, size_t from);
void graph_free(struct graph *);

/* Return the divisors of the weights of a node, 0 if it has none. */
static inline struct graph_node_div graph_node_div(const struct graph_node *n)
{
	return n->mean ? n->div[0] : (struct graph_node_div){0, 0};
}
int64_t graph_node_flat(const struct graph_node *);	/* Return a weight; the mean if there is a divisor. */
int64_t graph_node_cum(const struct graph_node *);
int64_t graph_edge_weight(const struct graph_edge *);
struct graph_tag graph_mark_tag(const struct graph *, const struct graph_mark *);
static inline bool graph_mark_is_dead(const struct graph_mark *t) { return t->node & GRAPH_MARK_DEAD; }
/* Iterate over the edges that lead to a node (in) or from it. */
static inline struct graph_edge *graph_edge_at(const struct graph *g, uint32_t at)
{
	return at ? column_at(&g->edges, at - 1) : NULL;
}
static inline struct graph_edge *graph_first_edge(const struct graph *g, const struct graph_node *n, bool in)
{
	return graph_edge_at(g, in ? n->in : n->out);
}
static inline struct graph_edge *graph_next_edge(const struct graph *g, const struct graph_edge *e, bool in)
{
	return graph_edge_at(g, in ? e->next_in : e->next_out);
}
static inline struct graph_node *graph_edge_src(const struct graph *g, const struct graph_edge *e)
{
	return g->all[e->src];
}
static inline struct graph_node *graph_edge_dst(const struct graph *g, const struct graph_edge *e)
{
	return g->all[e->dst];
}
/* Return the edges of a node that were not trimmed, heaviest first. The caller frees the array. */
struct graph_edge **graph_sorted_edges(const struct graph *, const struct graph_node *, bool in, size_t *n);
/* Sort edge numbers, counted from 0, in that order. */
void graph_sort_edges(const struct graph *, uint32_t *, size_t n);

/* Append the name of a node: address, name, position, joined by sep (graph_names.c). */
void graph_info_name(struct buf *b, const struct profile *, const struct graph_info *, const char *sep);
/* Append the name of a node as reports print it. */
static inline void graph_node_name(struct buf *b, const struct graph *g, const struct graph_node *n)
{
	graph_info_name(b, g->p, &n->info, " ");
}
/* Compare these names by bytes, without making them. Return <0, 0 or >0. */
int graph_info_compare(const struct profile *, const struct graph_info *, const struct graph_info *);
/* Return the node of one line of a location (of the location itself if it has no lines). */
struct graph_info graph_info_of_line(struct profile *, const struct profile_location *, uint32_t line, bool objects);
/* The names of all lines of all locations, computed once each. Valid until the profile changes. */
struct graph_frame_names {
	struct profile *p;
	str_id *known;
	size_t nline;
};
struct graph_frame_names graph_frame_names_new(struct profile *);
str_id graph_frame_name(struct graph_frame_names *, loc_id, uint32_t line);
void graph_frame_names_free(struct graph_frame_names *);
/* Remove the parts of file names that -trim_path and -source_path specify. */
void pprof_trim_paths(struct profile *, const char *trim_path, const char *source_path);

/* The following functions are in graph_trim.c. */
/* Build the graph again from the nodes that have `keep` set in `kept`. */
struct graph *graph_rebuild(struct profile *, const struct graph_options *, const struct graph *kept);
/* As graph_rebuild(), without trimming paths again. kept NULL: with all nodes. */
struct graph *graph_rebuild_trimmed(struct profile *, const struct graph_options *, const struct graph *kept);

#endif
