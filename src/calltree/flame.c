/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The flame graph.
 *
 * Changes to the tree before the layout (inverting it, looking from one symbol, folding) make another tree:
 * flame_invert.c, flame_prune.c. The widths are the absolute values of own weights, for a difference the larger of the
 * two sides, so every frame contains its children whatever the signs. The width of a subtree is a difference of two
 * running sums, so a node needs no place before its siblings are requested. Then the siblings are sorted, and each
 * begins where the one before ends.
 *
 * In a view, the first cell of a node is its offset, scaled and rounded; its end is that of offset plus width.
 * Neighbours share the number, so rows tile and children stay inside their parents. A node narrower than a cell is not
 * drawn as a frame: such nodes are summed up cell by cell, as slivers. Of all children that begin in one cell only the
 * last can be as wide as a cell. So once the children have places, a row costs two children and two binary searches a
 * cell, however many children a node has.
 *
 * Not taken: places for all nodes, as columns beside the tree. Of 5 million nodes a screen shows some thousands, and
 * the columns took a second and 440 MB.
 */
#include "config.h"
#include "calltree/flame_internal.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"

#include <string.h>

#define CLOSED UINT32_MAX	/* value of nkid: the children have no places yet */

/* ---- widths */

/* Return the width of an own weight. For a difference it is the larger side: a node that is gone is as wide as it was,
   and a node that did not change is visible too. */
static int64_t own_width(const struct weighted_tree *c, struct weighted_sum own, bool more)
{
	if (!c->two || c->show != SHOW_DELTA)
		return wrap_abs(own.w);
	struct pair p = side_pair(c->show, own.w, own.o);
	int64_t a = wrap_abs(p.a), b = wrap_abs(p.b);
	if (more && p.a <= p.b)
		return 0;
	return a > b ? a : b;
}

/* Return the own weight at end k. */
static struct weighted_sum own_of(const struct nodes *t, uint32_t k)
{
	return sums_between(&t->w, k, k + 1);
}

/* Return whether widths are the weights themselves; then the existing running sums are used. */
static bool as_weighed(const struct flame *f, const struct flame_conf *conf)
{
	const struct nodes *t = &f->t;
	uint32_t i = 0;
	if (f->c->two && f->c->show == SHOW_DELTA)
		return false;
	while (i < t->w.n && own_of(t, i).w >= 0 && flame_wanted(conf, i))
		i++;
	return i == t->w.n;
}

static void sum_widths(struct flame *f, const struct flame_conf *conf)
{
	const struct nodes *t = &f->t;
	if (as_weighed(f, conf)) {
		f->run = t->w.sum;
		return;
	}
	int64_t *run = arena_alloc(&f->arena, (t->w.n + 1u) * sizeof *run);
	run[0] = 0;
	for (uint32_t k = 0; k < t->w.n; k++)
		run[k + 1] = wrap_add(run[k], own_width(f->c, own_of(t, k), conf->more));
	f->run = run;
}

static int64_t width_of(const struct flame *f, uint32_t node)
{
	const struct nodes *t = &f->t;
	uint32_t end = nodes_next(t, node);
	return wrap_sub(f->run[rank_below(t->w.ends, end)], f->run[rank_below(t->w.ends, node)]);
}

/* ---- places */

/* Return the sort key of a node: its absolute weight, for a difference that of the larger side. */
static uint64_t weight_of(const struct flame *f, uint32_t node)
{
	struct weighted_sum v = nodes_sum(&f->t, node);
	if (!f->c->two || f->c->show != SHOW_DELTA)
		return wrap_size(v.w);
	struct pair p = side_pair(f->c->show, v.w, v.o);
	return wrap_size(p.a) > wrap_size(p.b) ? wrap_size(p.a) : wrap_size(p.b);
}

struct sibling { uint64_t weight; int64_t wid; uint32_t node, rank; };

static int cmp_sibling(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sibling *x = (const struct sibling *)ctx + a, *y = (const struct sibling *)ctx + b;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Return the only child of a node that has weight; 0: there are none or several. */
static uint32_t only_child(const struct nodes *t, uint32_t node)
{
	uint32_t only = 0;
	for (uint32_t i = node + 1, end = nodes_next(t, node); i < end; i = nodes_next(t, i)) {
		if (!nodes_has_weight(t, i))
			continue;
		if (only)
			return 0;
		only = i;
	}
	return only;
}

/* Does a node have the same place as its parent? */
static bool is_folded(const struct flame *f, uint32_t parent, uint32_t node)
{
	return f->fold_equal && parent && nodes_symbol(&f->t, parent) == nodes_symbol(&f->t, node) &&
	    only_child(&f->t, parent) == node;
}

/* Add a place, which stands for the frames below its node that are folded into it. */
static void add_place(const struct flame *f, struct flame_place p)
{
	struct flame_places *o = f->open;
	p.last = p.node;
	p.rows = 1;
	for (uint32_t k; f->fold_equal && (k = only_child(&f->t, p.last)) && is_folded(f, p.last, k); p.rows++)
		p.last = k;
	o->at = mem_grow(o->at, &o->cap, (size_t)o->n + 1, sizeof *o->at);
	o->at[o->n++] = p;
}

/* Create places for the children of a place, side by side. */
static void open_up(const struct flame *f, uint32_t p)
{
	const struct nodes *t = &f->t;
	struct flame_place up = f->open->at[p];
	struct sibling *v = NULL;
	size_t n = 0, cap = 0;
	for (uint32_t i = up.last + 1, end = nodes_next(t, up.last); i < end; i = nodes_next(t, i)) {
		if (!nodes_has_weight(t, i))
			continue;
		v = mem_grow(v, &cap, n + 1, sizeof *v);
		v[n++] = (struct sibling){f->order == ORDER_WEIGHT ? weight_of(f, i) : 0, width_of(f, i), i,
		    f->c->symbol[nodes_symbol(t, i)].rank};
	}
	uint32_t *order = xmalloc((n + 1) * sizeof *order);
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	if (f->order != ORDER_SEEN)
		calltree_sort_u32(order, n, cmp_sibling, v);
	f->open->at[p].kid0 = f->open->n;
	f->open->at[p].nkid = (uint32_t)n;
	int64_t at = up.off;
	for (uint32_t i = 0; i < n; i++) {
		const struct sibling *s = &v[order[i]];
		add_place(f, (struct flame_place){.node = s->node, .up = p, .nkid = CLOSED, .off = at,
		    .wid = s->wid, .id = granularity_mix_ids(up.id, f->c->symbol[nodes_symbol(t, s->node)].id)});
		at = wrap_add(at, s->wid);
	}
	mem_free(order);
	mem_free(v);
}

uint32_t flame_kids(const struct flame *f, uint32_t p, uint32_t *first)
{
	if (f->open->at[p].nkid == CLOSED)
		open_up(f, p);
	*first = f->open->at[p].kid0;
	return f->open->at[p].nkid;
}

static uint32_t depth_of(const struct nodes *t)
{
	uint32_t *row = xcalloc(t->n, sizeof *row), most = 0;
	for (uint32_t i = 1; i < t->n; i++) {
		row[i] = row[nodes_parent(t, i)] + 1;
		most = row[i] > most ? row[i] : most;
	}
	mem_free(row);
	return most + 1;
}

struct flame *flame_new(const struct weighted_tree *c, const struct flame_conf *conf)
{
	struct flame *f = xcalloc(1, sizeof *f);
	struct arena tmp = {0};
	struct calltree *first = NULL;
	struct end_sums sums;
	bool folds = conf->fold_recursion || conf->fold_runtime;
	struct arena *a = folds ? &tmp : &f->arena;
	f->open = xcalloc(1, sizeof *f->open);
	f->c = c;
	f->order = conf->order;
	f->t = nodes_of(c);
	if (conf->pivot || conf->reverse) {
		f->made = (!conf->pivot ? flame_inverted
			   : conf->up	? flame_callers
					: flame_callees)(&f->t, conf, &sums, a);
		f->t = nodes_in(c, f->made, &sums);
	}
	if ((folds || !nodes_whole(&f->t)) && job_should_continue(&conf->on)) {
		/* folding comes last, so that the pivot keeps all its weight */
		first = f->made;
		f->made = flame_pruned(&f->t, conf, &sums, &f->arena);
		f->t = nodes_in(c, f->made, &sums);
	}
	calltree_free(first);
	arena_free(&tmp);
	if (job_should_continue(&conf->on)) {
		sum_widths(f, conf);
		f->depth = conf->up ? depth_of(&f->t) : 1;
		f->fold_equal = conf->fold_equal && !conf->pivot;
		add_place(f, (struct flame_place){.nkid = CLOSED, .wid = width_of(f, 0), .id = 1});
	}
	if (job_should_continue(&conf->on))
		return f;
	flame_free(f);
	return NULL;
}

void flame_free(struct flame *f)
{
	if (!f)
		return;
	mem_free(f->open->at);
	mem_free(f->open);
	calltree_free(f->made);
	arena_free(&f->arena);
	mem_free(f);
}

/* ---- views */

/* Return the cell edge at an offset. The edge of cell x is at `zoom` + x * width / cols; this is the inverse,
   rounded. */
static int cell_edge(const struct flame *f, const struct flame_viewport *l, int64_t off)
{
	double w = (double)f->open->at[l->zoom].wid;
	double x = ((double)off - (double)f->open->at[l->zoom].off) * l->cols / (w > 0 ? w : 1) + 0.5;
	return x <= 0 ? 0 : x >= l->cols ? l->cols : (int)x;
}

static bool is_wide(const struct flame *f, const struct flame_viewport *l, uint32_t k)
{
	return (double)f->open->at[k].wid * l->cols >= (double)f->open->at[l->zoom].wid;
}

/* Return the last of the children [a, b) that begins in cell x or before. */
static uint32_t last_in_cell(
    const struct flame *f, const struct flame_viewport *l, uint32_t a, uint32_t b, int x)
{
	while (b - a > 1) {
		uint32_t mid = a + (b - a) / 2;
		if (cell_edge(f, l, f->open->at[mid].off) <= x)
			a = mid;
		else
			b = mid;
	}
	return a;
}

static int64_t end_of(const struct flame *f, uint32_t k)
{
	return wrap_add(f->open->at[k].off, f->open->at[k].wid);
}

struct pending { uint32_t place; int row; };

/* Report the children of a place: frames, which are also pushed onto the stack, and slivers cell by cell. */
static size_t each_kid(const struct flame *f, const struct flame_viewport *l, struct pending p,
    struct pending *stack, size_t depth, flame_fn *fn, void *arg)
{
	uint32_t k, end = flame_kids(f, p.place, &k);
	double cell = (double)f->open->at[l->zoom].wid / l->cols;
	int row = p.row + 1;
	int right = cell_edge(f, l, end_of(f, p.place));
	for (end += k; k < end;) {
		int x = cell_edge(f, l, f->open->at[k].off);
		if (!is_wide(f, l, k)) {
			uint32_t last = last_in_cell(f, l, k, end, x);
			bool frame = is_wide(f, l, last);
			int64_t to = frame ? f->open->at[last].off : end_of(f, last);
			double part = (double)wrap_add(to, -f->open->at[k].off) / (cell > 0 ? cell : 1);
			if (row >= l->skip && part > 0 && x < right &&
			    !(frame && cell_edge(f, l, to) == x))
				fn(arg, &(struct flame_span){
					    k, row - l->skip, x, x + 1, part < 1 ? part : 1});
			k = last + !frame;
			continue;
		}
		int x1 = cell_edge(f, l, end_of(f, k));
		if (x1 > x) {
			if (row >= l->skip)
				fn(arg, &(struct flame_span){k, row - l->skip, x, x1, 0});
			stack[depth++] = (struct pending){k, row};
		}
		k++;
	}
	return depth;
}

void flame_each(const struct flame *f, const struct flame_viewport *l, flame_fn *fn, void *arg)
{
	if (l->cols < 1 || l->rows < 1 || f->open->at[l->zoom].wid <= 0)
		return;
	/* depth first: pending places never share a cell, so there are at most as many as cells */
	struct pending *stack = xmalloc(((size_t)l->cols + 1) * sizeof *stack);
	size_t depth = 0;
	stack[depth++] = (struct pending){l->zoom, 0};
	if (!l->skip)
		fn(arg, &(struct flame_span){l->zoom, 0, 0, l->cols, 0});
	while (depth) {
		struct pending p = stack[--depth];
		if (p.row + 1 < l->rows + l->skip)
			depth = each_kid(f, l, p, stack, depth, fn, arg);
	}
	mem_free(stack);
}

bool flame_cells(const struct flame *f, const struct flame_viewport *l, uint32_t k, int *x0, int *x1)
{
	*x0 = cell_edge(f, l, f->open->at[k].off);
	*x1 = cell_edge(f, l, end_of(f, k));
	if (is_wide(f, l, k) && *x1 > *x0)
		return true;
	if (*x0 >= l->cols)
		*x0 = l->cols - 1;
	*x1 = *x0 + 1;
	return false;
}

uint32_t flame_row(const struct flame *f, uint32_t zoom, uint32_t place)
{
	uint32_t row = 0;
	for (; place && place != zoom; place = f->open->at[place].up)
		row++;
	return row;
}

/* ---- searches */

uint32_t flame_place_of(const struct flame *f, uint32_t node)
{
	uint32_t *up = NULL, at = 0;
	size_t n = 0, cap = 0;
	for (; node; node = nodes_parent(&f->t, node)) {
		up = mem_grow(up, &cap, n + 1, sizeof *up);
		up[n++] = node;
	}
	while (n--) {
		if (at && up[n] <= f->open->at[at].last)	/* the place stands for it */
			continue;
		uint32_t k, end = flame_kids(f, at, &k);
		for (end += k; k < end && f->open->at[k].node != up[n]; k++)
			;
		if (k == end)
			break;
		at = k;
	}
	mem_free(up);
	return at;
}

uint32_t flame_heaviest(const struct flame *f, uint32_t symbol)
{
	uint32_t best = 0, n = f->t.n;
	int64_t most = 0;
	for (uint32_t i = 1; symbol && (i = nodes_seek(f->t.what, i, n, symbol)) < n; i++)
		if (nodes_has_weight(&f->t, i) && (!best || width_of(f, i) > most)) {
			best = i;
			most = width_of(f, i);
		}
	return best ? flame_place_of(f, best) : 0;
}

uint32_t flame_find(const struct flame *f, uint64_t id)
{
	struct open { uint32_t node, end; uint64_t id; } *open = NULL;
	size_t cap = 0, depth = 0;
	uint32_t i = 1, n = f->t.n;
	for (uint32_t p = 1; p < f->open->n; p++)
		if (f->open->at[p].id == id)
			return p;
	for (; i < n; i++) {
		for (; depth && open[depth - 1].end <= i; depth--)
			;
		uint64_t up = depth ? open[depth - 1].id : 1;
		bool folded = depth && is_folded(f, open[depth - 1].node, i);
		uint64_t own = folded ? up : granularity_mix_ids(up, f->c->symbol[nodes_symbol(&f->t, i)].id);
		if (own == id && nodes_has_weight(&f->t, i))
			break;
		open = mem_grow(open, &cap, depth + 1, sizeof *open);
		open[depth++] = (struct open){i, nodes_next(&f->t, i), own};
	}
	mem_free(open);
	return i < n ? flame_place_of(f, i) : 0;
}

uint32_t flame_follow(const struct flame *f, const uint64_t *path, size_t *n)
{
	uint32_t at = 0;
	for (size_t i = 0; i < *n; i++) {
		uint32_t k, end = flame_kids(f, at, &k);
		for (end += k; k < end && f->open->at[k].id != path[i]; k++)
			;
		if (k == end) {
			*n = i;
			break;
		}
		at = k;
	}
	return at;
}

enum { PARTS = 4, PART_NODES = 1 << 18 };

/* Matches in a range of blocks. */
struct hit_part { uint32_t n; int64_t w; };
struct hitting { const struct nodes *t; const uint8_t *hit; uint32_t *before, n; struct hit_part part[PARTS]; };

static void hit_part(void *arg, uint32_t which)
{
	struct hitting *h = arg;
	const struct nodes *t = h->t;
	const uint8_t *hit = h->hit;
	uint32_t blocks = flame_blocks(t), b = (uint32_t)((uint64_t)blocks * which / h->n), n = 0, end = 0;
	uint32_t last = (uint32_t)((uint64_t)blocks * (which + 1) / h->n);
	int64_t w = 0;
	if (b)		/* find the topmost match whose subtree extends into this range */
		for (uint32_t i = b * FLAME_BLOCK; (i = nodes_parent(t, i));)
			end = hit[nodes_symbol(t, i)] && !nodes_is_hidden(t, i) ? nodes_next(t, i) : end;
	for (; b < last; b++) {
		uint32_t to = b + 1 < blocks ? (b + 1) * FLAME_BLOCK : t->n;
		h->before[b] = n;
		for (uint32_t i = b ? b * FLAME_BLOCK : 1; i < to; i++) {
			if (!hit[nodes_symbol(t, i)] || nodes_is_hidden(t, i) || !nodes_has_weight(t, i))
				continue;
			n++;
			if (i < end)
				continue;
			end = nodes_next(t, i);
			w = wrap_add(w, nodes_sum(t, i).w);
		}
	}
	h->part[which] = (struct hit_part){n, w};
}

uint32_t flame_hits(const struct nodes *t, const uint8_t *hit, int64_t *weight, uint32_t *before)
{
	struct hitting h = {.t = t, .hit = hit, .before = before, .n = t->n < PART_NODES ? 1 : PARTS};
	uint32_t n = 0, blocks = flame_blocks(t);
	*weight = 0;
	if (h.n > 1)
		job_parallel(h.n, hit_part, &h);
	else
		hit_part(&h, 0);
	for (uint32_t k = 0; k < h.n; k++) {
		for (uint32_t b = (uint32_t)((uint64_t)blocks * k / h.n); b < (uint64_t)blocks * (k + 1) / h.n; b++)
			before[b] += n;
		n += h.part[k].n;
		*weight = wrap_add(*weight, h.part[k].w);
	}
	return n;
}
