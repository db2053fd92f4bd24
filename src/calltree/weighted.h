/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_WEIGHTED_H
#define TTRACE_CALLTREE_WEIGHTED_H

#include "base/text/buf.h"
#include "calltree/weights.h"

/*
 * A call tree as people see it: things (functions, files, lines, ... by
 * granularity) and the calls between them, siblings of the same thing merged.
 * What top, peek, list and the flame graph show.
 */
enum pkg_kind { PKG_OTHER, PKG_MAIN, PKG_STD, PKG_RUNTIME, PKG_TAG };

struct symbol {
	str_id name, file;	/* what makes it this thing at this granularity; 0 does not count */
	int64_t line;
	uint64_t addr;
	str_id tag;		/* a tag shown as a frame */
	map_id map;		/* where there is no name */
	frm_id frm;		/* one frame of it, for its source position */
	fun_id fun;
	uint64_t id;		/* the same for the same thing whatever the query */
	uint32_t rank;		/* in the order of names */
	uint8_t kind;		/* enum pkg_kind; a byte, for there are a million things where lines are */
};

/* What a thing weighs in a query, apart from what it is: that is the same for all of them. */
struct symbol_weight {
	int64_t flat, cum;	/* cum: once a stack, however often it recurs */
	uint32_t nseen, first;	/* nodes of the shape that something counts at or below; the first of those */
	bool nnode;		/* it has such nodes */
	bool inl, notinl;	/* is inlined somewhere; is not */
};

struct symbol_other { int64_t flat, cum; };	/* of the other side, see struct weights */

enum order { ORDER_WEIGHT, ORDER_NAME, ORDER_SEEN };

/* Functions of calls by lines; function_weights.c. */
/* first: thing */
struct function_sum { str_id name, file; fun_id fun; uint32_t first; int64_t flat, cum, oflat, ocum; };
struct function_sums {
	uint32_t n;
	struct function_sum *fun;
	uint32_t *of;		/* by thing; UINT32_MAX: of none */
	uint32_t *order;	/* heaviest first */
};

/* All things that have nodes, in an order; sort.c. Greatest first, equals by the other weight and by name. */
struct calltree_orders { uint32_t n, *flat, *cum, *name; };

/* Weights by the ends of a shape. */
struct end_sums {
	uint32_t n;
	const struct rank *ends;	/* nodes, numbered in preorder */
	const int64_t *sum, *osum;	/* before each end, and after the last; osum: or NULL */
	const struct rank *hits;	/* the ends that something counts at */
};

struct weighted_tree {
	struct arena arena;
	uint32_t refs;		/* of those who hold it; all on one thread */
	const struct store *st;
	enum gran gran;
	uint32_t nsymbol;
	const struct symbol *symbol;	/* all of the store's, those without nodes too: they are the shape's */
	struct symbol_weight *weight;	/* and what they weigh */
	struct symbol_other *other;	/* NULL: there is one side */
	int64_t total, all;	/* as in struct weights */
	int64_t ototal;		/* of the other side */
	bool two;		/* there is another side */
	bool any;		/* something is left */
	bool none;		/* of weighted_none() */
	str_id unit;
	enum side_show show;

	/* what was weighed: running sums over the ends of a shape */
	struct calltree *calltree;
	struct end_sums w;
	uint8_t *dead;			/* by thing: not seen; NULL none */
	uint8_t *cut;			/* or by node, see node_walk.h */
	struct rank *moved;		/* NULL: the ends are the shape's */
	struct spare *room;
	struct callers_cache *callers_cache;		/* callers.c: the thing that was asked for last */

	struct function_sums *funs;		/* NULL: nobody has asked */
	struct calltree_orders orders;	/* cum NULL: the same */
	struct shares *shares;		/* calltree/highlights.c: the same */
};
static inline struct symbol_other weighted_other(const struct weighted_tree *c, uint32_t symbol)
{
	return c->other ? c->other[symbol] : (struct symbol_other){0, 0};
}
const struct calltree_orders *calltree_sort_orders(struct weighted_tree *);
/* Made when somebody asks first; good as long as the calls. */
const struct function_sums *function_weights_of(struct weighted_tree *);
void function_weights_free(struct function_sums *);
/* Of weights on a tree that a query made. The things are those of a store and granularity (granularity.h). */
struct granularity;
struct weighted_tree *weighted_new(struct granularity *, const struct weights *);
/* Of weights that go straight onto a shape: weighted_begin(), weigh by means of *o (filter_weigh_samples_onto() and
   its kin), weighted_finish(). */
struct calltree;
struct weigh_target;
struct weighted_tree *weighted_begin(struct calltree *, bool two_sides, struct weigh_target *o);
void weighted_finish(struct weighted_tree *, struct weigh_target *o);
/* Between the two: onto this one instead, which is the calls' then. */
void weighted_retarget(struct weigh_target *o, struct calltree *);
/* Of a node of the shape: does something count at or below it, and what is it? */
struct weighted_sum { uint32_t hits; int64_t w, o; };
struct weighted_sum weighted_sum_below(const struct weighted_tree *, uint32_t node);
/* Of what is not weighed yet: nothing but a root, and `none` is set. */
struct weighted_tree *weighted_none(const struct store *, enum gran);
struct weighted_tree *weighted_ref(struct weighted_tree *);	/* one more holder */
void weighted_free(struct weighted_tree *);	/* one less */

/* The name in full, as pprof prints it for this granularity; made safe for a terminal. */
void weighted_name(const struct weighted_tree *, uint32_t symbol, struct buf *);
/* The symbol alone (or the file, for files): bytes as in the file. */
struct str_row weighted_symbol(const struct weighted_tree *, uint32_t symbol);
/* "decode.go:612", or nothing when it is not known. */
void weighted_position(const struct weighted_tree *, uint32_t symbol, struct buf *);
/* The package of a symbol: its first bytes. */
size_t granularity_package(const char *s, size_t n);

/* The thing with this id, or that has this function; 0: none. */
uint32_t weighted_find_id(const struct weighted_tree *, uint64_t id);
uint32_t weighted_find_function(const struct weighted_tree *, fun_id);
uint64_t granularity_mix_ids(uint64_t a, uint64_t b);	/* 64 bits out of two numbers */

/* Sort v[0..n) by a comparison that is told about ctx; stable. */
void calltree_sort_u32(uint32_t *v, size_t n, int (*cmp)(const void *ctx, uint32_t a, uint32_t b), const void *ctx);
/* Only the first k of that order, in v[0..k); the others are anywhere. How many: k, or n where there are no more. */
uint32_t calltree_select_u32(uint32_t *v, uint32_t n, uint32_t k, int (*cmp)(const void *ctx, uint32_t a, uint32_t b),
    const void *ctx);

#endif
