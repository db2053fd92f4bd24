/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Turns weights into symbols and calls.
 *
 * Weights belong to a tree of frames, where main.f at line 12 and at line 15 are two nodes. Views show symbols: the
 * granularity maps each frame to its symbol (granularity.c), and siblings of the same symbol are one node of a call
 * tree (tree.c). This file does what is left for a query: it adds up. Weights are added where stacks end. Running sums
 * over the ends, which are numbered in preorder, give the total of any subtree by a subtraction. One pass over the
 * nodes adds those up by symbol, skipping subtrees without weight. No tree of the query is built, and nothing is kept
 * by node.
 *
 * The cum of a symbol counts a stack once, however often the symbol occurs in it: only nodes without the same symbol
 * above them add to it, and the call tree marks the others (CT_AGAIN). If symbols are hidden, the others stay below
 * what they were below, so that does not change, and own weight counts for the nearest visible node. Only a flame graph
 * needs a tree without the hidden nodes: flame_prune.c.
 *
 * Not taken: totals by node, in one backward pass over parents. For 5 M nodes these were 84 MB to fill, and as much to
 * copy when a filter left nearly all of them.
 */
#include "config.h"
#include "calltree/weighted.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "calltree/callers.h"
#include "calltree/node_walk.h"
#include "calltree/tree.h"

#include <string.h>

/* ---- weighing */

static int64_t *zero_column(uint32_t n)
{
	return xcalloc((size_t)n + 1, sizeof(int64_t));
}

void weighted_begin(struct calltree *s, bool two, struct weigh_target *o)
{
	*o = (struct weigh_target){.calltree = calltree_ref(s), .flat = zero_column(s->nend),
	    .oflat = two ? zero_column(s->nend) : NULL, .hit = xcalloc((size_t)s->nend + 1, 1)};
}

/* Move weights to other nodes, which become the ends. */
static void move_ends(struct weighted_tree *c, struct weigh_target *o)
{
	struct weigh_target had = *o;
	uint32_t n = c->w.n;
	c->moved = xcalloc(rank_blocks(c->calltree->n), sizeof *c->moved);
	for (uint32_t k = 0; k < n; k++)
		if (had.hit[k])
			rank_set(c->moved, had.to[k]);
	c->w.n = rank_seal(c->moved, c->calltree->n);
	c->w.ends = c->moved;
	o->flat = zero_column(c->w.n);
	o->oflat = had.oflat ? zero_column(c->w.n) : NULL;
	o->hit = xcalloc((size_t)c->w.n + 1, 1);
	for (uint32_t k = 0; k < n; k++)
		if (had.hit[k])
			weigh_target_add(o, rank_below(c->moved, had.to[k]), had.flat[k], had.oflat ? had.oflat[k] : 0);
	mem_free(had.flat);
	mem_free(had.oflat);
	mem_free(had.hit);
	mem_free(had.to);
}

/* Add own weights to symbols: to the nearest visible node. If no frame of a stack is visible its weight counts at the
   root, or is dropped. */
static void weigh_own(struct weighted_tree *c, const struct weigh_target *o)
{
	const struct calltree *s = c->calltree;
	uint32_t k = 0;
	for (size_t b = 0; b < rank_blocks(s->n); b++)
		for (uint64_t bits = c->w.ends[b].bits; bits; bits &= bits - 1, k++) {
			uint32_t end = (uint32_t)(b * 64) + (uint32_t)__builtin_ctzll(bits), at = end;
			if (!o->hit[k])
				continue;
			while (at && weighted_is_hidden(c, at))
				at = calltree_parent(s, at);
			if (at != end && !at && !o->bare) {
				weigh_target_drop(o, k);
				continue;
			}
			uint32_t t = calltree_symbol(s, at);
			c->weight[t].flat = wrap_add(c->weight[t].flat, o->flat[k]);
			if (o->oflat)
				c->other[t].flat = wrap_add(c->other[t].flat, o->oflat[k]);
		}
}

/* Convert own weights to running sums, and return the total. */
static int64_t run_up(int64_t *v, uint32_t n)
{
	int64_t sum = 0;
	for (uint32_t k = 0; k <= n; k++) {
		int64_t own = v[k];		/* v[n] is 0 */
		v[k] = sum;
		sum = wrap_add(sum, own);
	}
	return sum;
}

static struct rank *hits_of(const uint8_t *hit, uint32_t n)
{
	struct rank *hits = xcalloc(rank_blocks(n), sizeof *hits);
	for (uint32_t k = 0; k < n; k++)
		hits[k / 64].bits |= (uint64_t)(hit[k] != 0) << k % 64;
	rank_seal(hits, n);
	return hits;
}

struct weighted_sum weighted_sum_below(const struct weighted_tree *c, uint32_t node)
{
	return sums_between(
	    &c->w, rank_below(c->w.ends, node), rank_below(c->w.ends, calltree_next(c->calltree, node)));
}

/* ---- symbols */

/* PART_SHARE: with fewer nodes than this for each symbol, adding up the parts costs more than they save */
enum { PARTS = 4, PART_NODES = 1 << 18, PART_SHARE = 16, AHEAD = 16 };

/* The sums of a range of nodes by symbol; all fields of a symbol share a cache line. */
struct weight_part {
	struct part_of { int64_t cum; uint32_t n, first; uint8_t how; } *of;
	int64_t *ocum;		/* NULL: there is one side */
};
struct weight_parts { const struct weighted_tree *c; struct weight_part weight_part[PARTS]; uint32_t n; };

/* The position of a walk over nodes, with the ranks that are known there, so that no bits are counted again. */
struct walk_position {
	uint32_t node, next, turn;	/* next: where its subtree ends; turn: the number of turns up to it */
	uint32_t lo, hi;		/* the ends at and below it are lo .. hi-1 */
	uint32_t hit_lo, hit_hi;	/* and the ends with weight among them are hit_lo .. hit_hi-1 */
};

static void turn_to(struct walk_position *p, const struct weighted_tree *c, uint32_t turn)
{
	p->turn = turn;
	p->next = c->calltree->turn[turn - 1];
	p->hi = rank_below(c->w.ends, p->next);
	p->hit_hi = rank_below(c->w.hits, p->hi);
}

static struct walk_position spot_at(const struct weighted_tree *c, uint32_t node)
{
	struct walk_position p = {.node = node, .lo = rank_below(c->w.ends, node)};
	p.hit_lo = rank_below(c->w.hits, p.lo);
	turn_to(&p, c, rank_upto(c->calltree->turns, node));
	return p;
}

static inline void step_node(struct walk_position *p, const struct weighted_tree *c)
{
	if (rank_has(c->w.ends, p->node)) {
		p->hit_lo += rank_has(c->w.hits, p->lo);
		p->lo++;
	}
	if (rank_has(c->calltree->turns, ++p->node))
		turn_to(p, c, p->turn + 1);
}

/* Move to the node after the subtree; that node is a turn. */
static inline void skip_subtree(struct walk_position *p, const struct weighted_tree *c)
{
	p->node = p->next;
	p->lo = p->hi;
	p->hit_lo = p->hit_hi;
	if (p->node < c->calltree->n)
		turn_to(p, c, rank_upto(c->calltree->turns, p->node));
}

static void weigh_part(void *arg, uint32_t which)
{
	const struct weight_parts *ps = arg;
	const struct weighted_tree *c = ps->c;
	const struct calltree *s = c->calltree;
	struct weight_part p = ps->weight_part[which];
	uint32_t begin = (uint32_t)((uint64_t)s->n * which / ps->n);
	uint32_t end = (uint32_t)((uint64_t)s->n * (which + 1) / ps->n);
	for (struct walk_position at = spot_at(c, begin); at.node < end;) {
		uint32_t i = at.node;
		if (at.hit_lo == at.hit_hi) {
			skip_subtree(&at, c);
			continue;
		}
		if (i + AHEAD < end)	/* nodes are consecutive, their symbols are not */
			__builtin_prefetch(&p.of[calltree_symbol(s, i + AHEAD)], 1);
		uint32_t symbol = calltree_symbol(s, i);
		uint8_t how = calltree_how(s, i), cut = c->cut ? c->cut[i] : 0;
		if (!(cut & CUT_GONE)) {
			struct part_of *to = &p.of[symbol];
			if (cut & CUT_FIRST)
				how &= (uint8_t)~CT_AGAIN;
			to->how |= how;
			if (!to->n++)
				to->first = i;
			if (!(how & CT_AGAIN)) {
				to->cum = wrap_add(to->cum, wrap_sub(c->w.sum[at.hi], c->w.sum[at.lo]));
				if (p.ocum)
					p.ocum[symbol] = wrap_add(p.ocum[symbol],
					    wrap_sub(c->w.osum[at.hi], c->w.osum[at.lo]));
			}
		}
		step_node(&at, c);
	}
}

/* Compute cum of all symbols, on several threads if there are many nodes. */
static void weigh_all(struct weighted_tree *c)
{
	uint32_t cpus = (uint32_t)job_cpus();
	size_t n = c->nsymbol;
	bool few = c->calltree->n < PART_NODES || c->calltree->n / PART_SHARE < n;
	struct weight_parts ps = {.c = c, .n = few ? 1 : cpus < PARTS ? cpus : PARTS};
	for (uint32_t k = 0; k < ps.n; k++)
		ps.weight_part[k] = (struct weight_part){xcalloc(n, sizeof *ps.weight_part[k].of),
		    c->two ? xcalloc(n, sizeof(int64_t)) : NULL};
	if (ps.n > 1)
		job_parallel(ps.n, weigh_part, &ps);
	else
		weigh_part(&ps, 0);
	for (uint32_t k = 0; k < ps.n; k++) {
		struct weight_part p = ps.weight_part[k];
		for (size_t i = 0; i < n; i++) {
			struct symbol_weight *t = &c->weight[i];
			const struct part_of *of = &p.of[i];
			if (!of->n || (c->dead && c->dead[i]))
				continue;
			t->cum = wrap_add(t->cum, of->cum);
			if (p.ocum)
				c->other[i].cum = wrap_add(c->other[i].cum, p.ocum[i]);
			t->inl |= (of->how & CT_INL) != 0;
			t->notinl |= (of->how & CT_NOTINL) != 0;
			if (!t->nnode)
				t->first = of->first;
			t->nnode = true;
			uint32_t room = NSEEN_MAX - t->nseen;
			t->nseen += of->n < room ? of->n : room;
			c->any |= i != 0;
		}
		mem_free(p.of);
		mem_free(p.ocum);
	}
	c->weight[0].nnode = true;
}

struct weighted_tree *weighted_finish(const struct weigh_target *given)
{
	struct weigh_target o = *given;
	struct calltree *s = o.calltree;
	const struct granularity *of = s->granularity;
	struct weighted_tree *c = xcalloc(1, sizeof *c);
	*c = (struct weighted_tree){.refs = 1, .st = of->st, .gran = of->gran, .calltree = s, .two = o.oflat,
	    .all = o.all, .unit = o.unit, .show = o.show, .dead = o.dead, .cut = o.cut,
	    .nsymbol = of->n, .symbol = of->row, .weight = xcalloc(of->n, sizeof *c->weight),
	    .other = o.oflat ? xcalloc(of->n, sizeof *c->other) : NULL, .w = {.n = s->nend, .ends = s->ends}};
	if (o.to)
		move_ends(c, &o);
	weigh_own(c, &o);
	c->total = run_up(o.flat, c->w.n);
	c->ototal = o.oflat ? run_up(o.oflat, c->w.n) : 0;
	c->w.sum = o.flat;
	c->w.osum = o.oflat;
	c->w.hits = hits_of(o.hit, c->w.n);
	mem_free(o.hit);
	weigh_all(c);
	return c;
}

struct weighted_tree *weighted_none(const struct store *st, enum gran gran)
{
	struct granularity *t = xcalloc(1, sizeof *t);
	struct weigh_target o;
	*t = (struct granularity){.refs = 1, .st = st, .gran = gran, .n = 1, .row = xcalloc(1, sizeof *t->row)};
	struct calltree *s = calltree_new(t, &(struct calltree_source){.st = st, .n = 1});
	weighted_begin(s, false, &o);
	struct weighted_tree *c = weighted_finish(&o);
	c->none = true;
	calltree_free(s);
	granularity_free(t);
	return c;
}

struct weighted_tree *weighted_ref(struct weighted_tree *c)
{
	c->refs++;
	return c;
}

void weighted_free(struct weighted_tree *c)
{
	if (!c || --c->refs)
		return;
	mem_free(c->w.sum);
	mem_free(c->w.osum);
	mem_free(c->w.hits);
	mem_free(c->moved);
	mem_free(c->cut);
	calltree_free(c->calltree);
	arena_free(&c->arena);
	function_weights_free(c->funs);
	calltree_drop_callers(c);
	mem_free(c->shares);
	mem_free(c->dead);
	mem_free(c->weight);
	mem_free(c->other);
	mem_free(c);
}

struct str_row weighted_symbol(const struct weighted_tree *c, uint32_t symbol)
{
	return granularity_symbol_name(c->st, &c->symbol[symbol]);
}

void weighted_name(const struct weighted_tree *c, uint32_t symbol, struct buf *b)
{
	const struct symbol *t = &c->symbol[symbol];
	struct str_row s = weighted_symbol(c, symbol);
	if (t->addr)
		buf_printf(b, "%016llx ", (unsigned long long)t->addr);
	if (!t->name && !t->file && t->map)
		buf_putc(b, '[');
	text_safe(b, s.s, s.n);
	if (!t->name && !t->file && t->map)
		buf_putc(b, ']');
	if (t->name && t->file) {
		s = *store_str(c->st, t->file);
		buf_putc(b, ' ');
		text_safe(b, s.s, s.n);
	}
	if (t->line)
		buf_printf(b, ":%lld", (long long)t->line);
}

void weighted_position(const struct weighted_tree *c, uint32_t symbol, struct buf *b)
{
	const struct symbol *t = &c->symbol[symbol];
	if (!t->frm)
		return;
	const struct fun_row *fu = store_fun(c->st, symbol_function(c->st, t));
	struct str_row s = *store_str(c->st, fu->file);
	if (!s.n)
		return;
	size_t base = s.n;
	while (base && s.s[base - 1] != '/')
		base--;
	text_safe(b, s.s + base, s.n - base);
	int64_t line = t->line ? t->line : fu->line ? fu->line : store_frm(c->st, t->frm)->line;
	if (line > 0 && c->gran != GR_FILES)
		buf_printf(b, ":%lld", (long long)line);
}

uint32_t weighted_find_id(const struct weighted_tree *c, uint64_t id)
{
	for (uint32_t i = 1; id && i < c->nsymbol; i++)
		if (c->symbol[i].id == id && c->weight[i].nnode)
			return i;
	return 0;
}

uint32_t weighted_find_function(const struct weighted_tree *c, fun_id f)
{
	if (!f || f >= column_n(&c->st->funs))
		return 0;
	const struct fun_row *want = store_fun(c->st, f);
	uint32_t best = 0;
	for (uint32_t i = 1; i < c->nsymbol; i++) {
		const struct symbol *t = &c->symbol[i];
		if (t->tag || !t->frm || !c->weight[i].nnode)
			continue;
		bool same = c->gran == GR_FILES ? t->file && t->file == want->file
						: t->name && t->name == want->name;
		fun_id fun = symbol_function(c->st, t);
		if (same && (fun == f || !best))
			best = i;
		if (same && fun == f)
			break;
	}
	return best;
}
