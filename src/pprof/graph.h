/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PPROF_GRAPH_H
#define TTRACE_PPROF_GRAPH_H

#include "base/mem/column.h"
#include "base/text/buf.h"
#include "pprof/profile.h"

/*
 * The call graph of a profile as pprof draws it: a node is what locations have
 * in common at a granularity, an edge the samples that went from one to the
 * other. Trimming keeps the heaviest nodes and joins what they leave by
 * residual edges.
 */
struct graph_info {		/* what makes two nodes one; strings of the profile */
	str_id name, file, object;
	uint64_t addr;
	int64_t start, line, col;
};

struct graph_edge {		/* there may be a million: all is said by number */
	int64_t weight;
	uint32_t src, dst;			/* in the graph's all[]: graph_edge_src(), graph_edge_dst() */
	uint32_t next_in, next_out;		/* lists of dst and src, in its edges, + 1: graph_next_edge() */
	uint32_t seen;				/* by the builder: the last stack that went this way */
	bool residual, inlined, dead;
	bool mean;				/* div[0] is there */
	int64_t div[];
};

struct graph_tag {		/* weight of a label among a node's samples */
	bool numeric;
	str_id group;	/* numeric: the string labels it came with, joined; else 0 */
	str_id name;	/* as shown */
	str_id unit;
	int64_t value, flat, flat_div, cum, cum_div;
};
struct graph_mark {		/* the same as it is kept, for there are many: graph_mark_tag() */
	int64_t flat, cum, value;
	struct graph_mark *next;
	uint32_t key, node;	/* in the graph's tag_key; whose it is */
	int64_t div[];		/* flat's and cum's, of means */
};
#define GRAPH_MARK_DEAD UINT32_C(0x80000000)		/* or'ed to node */

struct graph_node {
	struct graph_info info;
	uint32_t id;		/* dense */
	uint32_t rank;		/* before sorting: it ends all ties */
	uint32_t function;	/* with gopt.functions equal for nodes of the same function (in the same context) */
	uint32_t seen;		/* by the builder: the last stack that came here */
	int64_t flat, flat_div, cum, cum_div, score;
	const char *text;	/* printable name */
	uint32_t ntext;
	bool keep;
	uint32_t in, out;	/* lists of edges: graph_first_edge() */
	struct graph_mark *tag;
};

struct graph_options {
	size_t type;		/* sample type */
	bool mean;		/* divide by type 0 */
	bool objects;		/* nodes of different binaries are different */
	bool tree;		/* a node per context */
	bool functions;		/* it is asked which nodes are of one function */
	bool drop_negative;
	bool tags;		/* weigh labels too */
	bool leaf_tags;		/* of these only what they weigh where stacks end */
	int64_t tag_least;	/* of these none that will be trimmed away as lighter; 0: all */
	bool visual;		/* the order and choice of nodes for drawings */
	bool cum_sort;
	bool spend;		/* nobody will look at samples and stacks again: what was walked may go */
	size_t label_room;	/* labels of nodes are weighed when they are asked for, so many: graph_label(); 0: at once */
	bool sift;		/* of a tree only what nodefraction leaves: graph_trimmed() says so */
	const char *tag_unit;	/* in which numeric labels are named */
	str_id bytes_unit;	/* unit of the label "bytes" */
	const char *trim_path, *source_path;
	int64_t nodecount;	/* <= 0: all */
	double nodefraction, edgefraction;
};

struct graph {
	struct profile *p;
	struct graph_node **node;	/* those that are shown, in order */
	size_t n;
	struct graph_node **all;	/* edges may lead to others that are not */
	size_t nall, call;
	struct arena arena;
	struct data_column edges;	/* struct graph_edge */
	struct data_column marks;	/* struct graph_mark */
	struct graph_tag *tag_key;	/* what tags there are, without weights */
	bool mean;		/* there are divisors */
	struct labelling *labels;	/* with label_room: how they are weighed */
	size_t labelled;		/* of which of node[] they are there: up to this one */
	int64_t label_cut;		/* and those of less are taken away */
	size_t orig, dropped_nodes, dropped_edges;	/* by trimming */
	/* of a tree without most of its light nodes: what all weigh themselves, and how many are light */
	bool sifted;
	int64_t flat;
	size_t light;
};

/* Everything, untrimmed and in no particular order. */
struct graph *graph_new(struct profile *, const struct graph_options *);
/* Nodes without edges and labels. Not for trees. */
struct graph *graph_nodes(struct profile *, const struct graph_options *);
/* Trimmed and sorted. */
struct graph *graph_trimmed(struct profile *, const struct graph_options *);
/* Labels of node[from], which have not been weighed yet, and of so many after it as there is room for, up to
   node[g->labelled]; those of the nodes before it are gone, and from g->n on all that was needed for it. What trimming
   takes away is. Only with gopt.label_room, but then before a node's labels are looked at. */
void graph_label(struct graph *, size_t from);
void graph_free(struct graph *);

int64_t graph_node_flat(const struct graph_node *);	/* means, when there is a divisor */
int64_t graph_node_cum(const struct graph_node *);
int64_t graph_edge_weight(const struct graph_edge *);
struct graph_tag graph_mark_tag(const struct graph *, const struct graph_mark *);
static inline bool graph_mark_is_dead(const struct graph_mark *t) { return t->node & GRAPH_MARK_DEAD; }
/* The edges of a node, those that lead to it or from it. */
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
/* Living edges of a node, heaviest first; the caller frees them. */
struct graph_edge **graph_sorted_edges(const struct graph *, const struct graph_node *, bool in, size_t *n);
/* Numbers of edges, from 0, in that order. */
void graph_sort_edges(const struct graph *, uint32_t *, size_t n);

/* graph_names.c: how a node is called: address, name, place. sep joins the parts. */
void graph_info_name(struct buf *b, const struct profile *, const struct graph_info *, const char *sep);
/* The node of one line of a location (of the location alone if it has no lines). */
struct graph_info graph_info_of_line(struct profile *, const struct profile_location *, uint32_t line, bool objects);
/* How every line of every location is called, worked out once; until the profile changes. */
struct graph_frame_names {
	struct profile *p;
	str_id *known;
	size_t nline;
};
struct graph_frame_names graph_frame_names_new(struct profile *);
str_id graph_frame_name(struct graph_frame_names *, loc_id, uint32_t line);
void graph_frame_names_free(struct graph_frame_names *);
/* Give every node its text. */
void graph_names(struct graph *);
/* File names without what -trim_path and -source_path say. */
void pprof_trim_paths(struct profile *, const char *trim_path, const char *source_path);

/* graph_trim.c */
/* Build again with only the nodes that `kept` keeps. */
struct graph *graph_rebuild(struct profile *, const struct graph_options *, const struct graph *kept);
/* The same (kept NULL: with all nodes) when paths have been trimmed for it. */
struct graph *graph_rebuild_trimmed(struct profile *, const struct graph_options *, const struct graph *kept);

#endif
