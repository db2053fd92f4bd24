/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_WEIGHTED_H
#define TTRACE_CALLTREE_WEIGHTED_H

#include "base/text/buf.h"
#include "calltree/weights.h"

/*
 * A weighted call tree: symbols (functions, files, lines, ... by granularity) and the calls between them, with siblings
 * of the same symbol merged. top, peek, list and the flame graph show it.
 */
enum pkg_kind { PKG_OTHER, PKG_OWN, PKG_STD, PKG_RUNTIME, PKG_TAG };	/* own: main, and packages of its module */

struct symbol {
	str_id name, file;	/* these fields identify the symbol at its granularity; fields that do not matter are
				   0 */
	int64_t line;
	uint64_t addr;
	str_id tag;		/* a tag shown as a frame */
	map_id map;		/* set only if there is no name and no file */
	frm_id frm;		/* one frame of it, for its source position and function: symbol_function() */
	uint32_t rank : 29;	/* place in the order of names */
	uint32_t kind : 3;	/* enum pkg_kind */
	uint64_t id;		/* hash of the fields that identify it, the same in every query */
};
/* Return the function of a symbol; 0: it has none. */
static inline fun_id symbol_function(const struct store *st, const struct symbol *s)
{
	return s->frm ? store_frm(st, s->frm)->fun : 0;
}

/* The weight of a symbol in one query. The symbol itself (struct symbol) is shared by all queries. */
struct symbol_weight {
	int64_t flat, cum;	/* cum counts a stack once, however often the symbol occurs in it */
	uint32_t first;		/* the first of the visible nodes of the symbol that have weight at or below them */
	uint32_t nseen : 29;	/* how many these are, at most NSEEN_MAX */
	bool nnode : 1;		/* nseen is not 0, or it is the root */
	bool inl : 1, notinl : 1;	/* is inlined in some node; is not inlined in some node */
};
enum { NSEEN_MAX = (1 << 29) - 1 };

/* The other column of a difference, see struct weights. */
struct symbol_other { int64_t flat, cum; };

enum order { ORDER_WEIGHT, ORDER_NAME, ORDER_SEEN };

/* Weights of functions, from a tree by lines (function_weights.c). */
/* first: the first symbol (line) of the function, which has its name and file */
struct function_sum { fun_id fun; uint32_t first; int64_t flat, cum; };
struct function_sums {
	uint32_t n;
	struct function_sum *fun;
	struct symbol_other *other;	/* by function; NULL: there is only one side */
	uint32_t *of;		/* by symbol; UINT32_MAX: the symbol has no nodes */
	uint32_t *order;	/* heaviest first */
};

/* All symbols that have nodes or weight, in three orders (sort.c): by flat and by cum, greatest first, equal ones by
   the other weight and then by name; and by name. */
struct calltree_orders { uint32_t n, *flat, *cum, *name; };

/* Weights by the ends of a call tree. */
struct end_sums {
	uint32_t n;
	const struct rank *ends;	/* nodes, numbered in preorder */
	int64_t *sum, *osum;	/* running sums: before each end, and after the last; osum is NULL unless two
					   sides are compared */
	struct rank *hits;	/* the ends that have weight */
};

struct weighted_tree {
	struct arena arena;
	uint32_t refs;		/* number of holders, all on one thread */
	const struct store *st;
	enum gran gran;
	uint32_t nsymbol;
	const struct symbol *symbol;	/* all symbols of the granularity, also those without nodes; owned by the call
					   tree */
	struct symbol_weight *weight;	/* their weights */
	struct symbol_other *other;	/* NULL: there is only one side */
	int64_t total, all;	/* sum of all weights; before the filters: percentages are of this */
	int64_t ototal;		/* total of the other column */
	bool two;		/* two sides are compared */
	bool any;		/* some symbol other than the root has weight */
	bool none;		/* made by weighted_none() */
	str_id unit;
	enum side_show show;
	uint32_t sampled, sampled_of;	/* the weights are of `sampled` operations, a sample of `sampled_of`; 0: of all */
	bool approximate;	/* some weights are estimates, as of shares of long waits */
	bool estimated;		/* all are, but not `all` */

	/* the running sums over the ends of a call tree */
	struct calltree *calltree;
	struct end_sums w;
	uint8_t *dead;			/* by symbol: hidden; NULL: none */
	uint8_t *cut;			/* or by node, see node_walk.h */
	struct rank *moved;		/* the ends, if they are not those of the call tree; else NULL */
	/* callers.c: the symbol that was queried last. */
	struct callers_cache *callers_cache;

	struct function_sums *funs;		/* NULL: not computed yet */
	struct calltree_orders orders;	/* cum is NULL: not computed yet */
	struct shares *shares;		/* calltree/highlights.c; NULL: not computed yet */
};
static inline struct symbol_other weighted_other(const struct weighted_tree *c, uint32_t symbol)
{
	return c->other ? c->other[symbol] : (struct symbol_other){0, 0};
}
const struct calltree_orders *calltree_sort_orders(struct weighted_tree *);
/* Return the weights of functions. They are computed by the first call and kept as long as the weighted tree. */
const struct function_sums *function_weights_of(struct weighted_tree *);
void function_weights_free(struct function_sums *);
/* Weigh a query: call weighted_begin(), add weights to the ends of the call tree through *o (filter/weigh.c), then
   weighted_finish(), which takes over what o points to. */
void weighted_begin(struct calltree *, bool two_sides, struct weigh_target *o);
struct weighted_tree *weighted_finish(const struct weigh_target *o);
/* Return the weight at and below a node of the call tree; hits is the number of ends that have weight. */
struct weighted_sum { uint32_t hits; int64_t w, o; };
struct weighted_sum weighted_sum_below(const struct weighted_tree *, uint32_t node);
/* Return a tree that has only a root and has `none` set, as a placeholder until there is a result. */
struct weighted_tree *weighted_none(const struct store *, enum gran);
/* Add a holder. */
struct weighted_tree *weighted_ref(struct weighted_tree *);
/* Remove a holder, and free the tree with the last one. */
void weighted_free(struct weighted_tree *);

/* Append the full name as pprof prints it for this granularity, escaped for a terminal. */
void weighted_name(const struct weighted_tree *, uint32_t symbol, struct buf *);
/* Return the name without file and line (the file name for GR_FILES): the bytes as in the file, not escaped for a
   terminal. */
struct str_row weighted_symbol(const struct weighted_tree *, uint32_t symbol);
/* Append "decode.go:612", or nothing if the position is not known. */
void weighted_position(const struct weighted_tree *, uint32_t symbol, struct buf *);
/* Return the length of the package name with which a symbol name begins; n if it has none. */
size_t granularity_package(const char *s, size_t n);

/* Return the symbol with this id, or of this function; 0: none. */
uint32_t weighted_find_id(const struct weighted_tree *, uint64_t id);
uint32_t weighted_find_function(const struct weighted_tree *, fun_id);
/* Mix two numbers to a 64-bit id. */
uint64_t granularity_mix_ids(uint64_t a, uint64_t b);

/* Sort v[0..n) with a comparison that gets ctx; stable. */
void calltree_sort_u32(uint32_t *v, size_t n, int (*cmp)(const void *ctx, uint32_t a, uint32_t b), const void *ctx);
/* Move the first k elements of that order to v[0..k); the order of the others is undefined. Return k, or n if that is
   less. */
uint32_t calltree_select_u32(uint32_t *v, uint32_t n, uint32_t k, int (*cmp)(const void *ctx, uint32_t a, uint32_t b),
    const void *ctx);

#endif
