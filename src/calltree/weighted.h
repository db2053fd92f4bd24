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

struct thing {
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
struct thing_weight {
	int64_t flat, cum;	/* cum: once a stack, however often it recurs */
	uint32_t nseen, first;	/* nodes of the shape that something counts at or below; the first of those */
	bool nnode;		/* it has such nodes */
	bool inl, notinl;	/* is inlined somewhere; is not */
};

struct thing_other { int64_t flat, cum; };	/* of the other side, see struct weights */

enum order { ORDER_WEIGHT, ORDER_NAME, ORDER_SEEN };

/* Functions of calls by lines; function_weights.c. */
/* first: thing */
struct call_fun { str_id name, file; fun_id fun; uint32_t first; int64_t flat, cum, oflat, ocum; };
struct call_funs {
	uint32_t n;
	struct call_fun *fun;
	uint32_t *of;		/* by thing; UINT32_MAX: of none */
	uint32_t *order;	/* heaviest first */
};

/* All things that have nodes, in an order; sort.c. Greatest first, equals by the other weight and by name. */
struct call_orders { uint32_t n, *flat, *cum, *name; };

/* Weights by the ends of a shape. */
struct end_sums {
	uint32_t n;
	const struct rank *ends;	/* nodes, numbered in preorder */
	const int64_t *sum, *osum;	/* before each end, and after the last; osum: or NULL */
	const struct rank *hits;	/* the ends that something counts at */
};

struct calls {
	struct arena arena;
	uint32_t refs;		/* of those who hold it; all on one thread */
	const struct store *st;
	enum gran gran;
	uint32_t nthing;
	const struct thing *thing;	/* all of the store's, those without nodes too: they are the shape's */
	struct thing_weight *weight;	/* and what they weigh */
	struct thing_other *other;	/* NULL: there is one side */
	int64_t total, all;	/* as in struct weights */
	int64_t ototal;		/* of the other side */
	bool two;		/* there is another side */
	bool any;		/* something is left */
	bool none;		/* of calls_none() */
	str_id unit;
	enum side_show show;

	/* what was weighed: running sums over the ends of a shape */
	struct shape *shape;
	struct end_sums w;
	uint8_t *dead;			/* by thing: not seen; NULL none */
	uint8_t *cut;			/* or by node, see node_walk.h */
	struct rank *moved;		/* NULL: the ends are the shape's */
	struct spare *room;
	struct asked *asked;		/* callers.c: the thing that was asked for last */

	struct call_funs *funs;		/* NULL: nobody has asked */
	struct call_orders orders;	/* cum NULL: the same */
	struct shares *shares;		/* calltree/highlights.c: the same */
};
static inline struct thing_other calls_other(const struct calls *c, uint32_t thing)
{
	return c->other ? c->other[thing] : (struct thing_other){0, 0};
}
const struct call_orders *calls_orders(struct calls *);
const struct call_funs *calls_funs(struct calls *);	/* made when somebody asks first; good as long as the calls */
void call_funs_free(struct call_funs *);
/* Of weights on a tree that a query made. The things are those of a store and granularity (granularity.h). */
struct things;
struct calls *calls_new(struct things *, const struct weights *);
/* Of weights that go straight onto a shape: calls_begin(), weigh by means of *o (focus_samples_onto() and
   its kin), calls_finish(). */
struct shape;
struct onto;
struct calls *calls_begin(struct shape *, bool two_sides, struct onto *o);
void calls_finish(struct calls *, struct onto *o);
void calls_onto(struct onto *o, struct shape *);	/* between the two: onto this one instead, which is the calls' then */
/* Of a node of the shape: does something count at or below it, and what is it? */
struct calls_sum { uint32_t hits; int64_t w, o; };
struct calls_sum calls_below(const struct calls *, uint32_t node);
/* Of what is not weighed yet: nothing but a root, and `none` is set. */
struct calls *calls_none(const struct store *, enum gran);
struct calls *calls_ref(struct calls *);	/* one more holder */
void calls_free(struct calls *);	/* one less */

/* The name in full, as pprof prints it for this granularity; made safe for a terminal. */
void calls_name(const struct calls *, uint32_t thing, struct buf *);
/* The symbol alone (or the file, for files): bytes as in the file. */
struct str_row calls_symbol(const struct calls *, uint32_t thing);
/* "decode.go:612", or nothing when it is not known. */
void calls_where(const struct calls *, uint32_t thing, struct buf *);
/* The package of a symbol: its first bytes. */
size_t symbol_package(const char *s, size_t n);

/* The thing with this id, or that has this function; 0: none. */
uint32_t calls_find(const struct calls *, uint64_t id);
uint32_t calls_fun(const struct calls *, fun_id);
uint64_t mix_ids(uint64_t a, uint64_t b);	/* 64 bits out of two numbers */

/* Sort v[0..n) by a comparison that is told about ctx; stable. */
void sort_u32(uint32_t *v, size_t n, int (*cmp)(const void *ctx, uint32_t a, uint32_t b), const void *ctx);
/* Only the first k of that order, in v[0..k); the others are anywhere. How many: k, or n where there are no more. */
uint32_t first_u32(uint32_t *v, uint32_t n, uint32_t k, int (*cmp)(const void *ctx, uint32_t a, uint32_t b),
    const void *ctx);

#endif
