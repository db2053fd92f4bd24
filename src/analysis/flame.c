/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The flame graph.
 *
 * What can be done to the tree before it is laid out (folding, turning it
 * round, looking from one thing) makes another tree by growing it (grow.c), one
 * pass over the nodes each. The line is made of the absolute values of own
 * weights, of a difference of the larger of the two sides, so that every frame
 * holds its children whatever the signs.
 *
 * In a view, a node's first cell is its offset scaled and rounded, its end is
 * that of offset plus width: neighbours share the number, so rows tile and
 * children stay inside. What is less than a cell wide is not a frame: such
 * nodes are summed cell by cell, as slivers. Of all children that begin in one
 * cell only the last can be a cell wide; so a row costs two children and two
 * binary searches a cell, however many children a node has.
 */
#include "config.h"
#include "analysis/flame.h"

#include "base/mem.h"
#include "base/wrap.h"

/* Frames of one row are not walked further from the leaves below this share of the whole. */
enum { REVERSE_PART = 20000 };

/* In the condition of loops over nodes, counted from 0: who comes after one that was stopped does nothing. */
static bool wanted(const struct flame_conf *f, uint32_t i)
{
	return i % 65536 || goes_on(&f->on);
}

static void weigh(struct grow *g, uint32_t node, int64_t flat, int64_t other)
{
	g->flat[node] = wrap_add(g->flat[node], flat);
	if (g->two)
		g->oflat[node] = wrap_add(g->oflat[node], other);
}

static bool folds(const struct calls *c, uint32_t parent, uint32_t thing)
{
	enum pkg_kind p = c->thing[parent].kind, k = c->thing[thing].kind;
	return parent && (k == PKG_RUNTIME || k == PKG_STD) && (p == PKG_RUNTIME || p == PKG_STD);
}

/* Fold recursion and runtime: every node goes to a node of the new tree. */
static struct ctree fold(const struct calls *c, const struct ctree *t, const struct flame_conf *f,
    struct arena *a)
{
	struct grow g;
	grow_init(&g, t->oflat != NULL);
	uint32_t *to = xcalloc(t->n, sizeof *to), *stack = xmalloc(t->n * sizeof *stack), depth = 0;
	uint32_t *open = xcalloc(c->nthing, sizeof *open); /* node of the new tree, by thing */
	uint32_t *before = xcalloc(t->n, sizeof *before);  /* what open[] was before this node */
	for (uint32_t i = 0; i < t->n && wanted(f, i); i++) {
		for (; depth && t->next[stack[depth - 1]] <= i; depth--)
			open[t->thing[stack[depth - 1]]] = before[stack[depth - 1]];
		uint32_t k = t->thing[i], p = i ? to[t->parent[i]] : 0;
		before[i] = open[k];
		if (i && f->fold_runtime && folds(c, g.thing[p], k))
			to[i] = p;
		else if (i && f->fold_recursion && open[k])
			to[i] = open[k];
		else if (i)
			to[i] = grow_child(&g, p, k);
		open[k] = to[i];
		stack[depth++] = i;
		weigh(&g, to[i], t->flat[i], t->oflat ? t->oflat[i] : 0);
		g.how[to[i]] |= t->how[i] & (CT_INL | CT_NOTINL);
	}
	mem_free(to);
	mem_free(stack);
	mem_free(open);
	mem_free(before);
	return grow_finish(&g, a);
}

/* Paths from nodes to the root, merged from their lower ends. A group is a node of the new tree
   with the steps that went into it; groups too light to be seen at any zoom worth its name are not
   walked on: their weight stays with them. */
struct climb { uint32_t at; int64_t w, o; };

static void climb(struct grow *g, const struct ctree *t, struct climb *v, size_t n, int64_t least,
    const struct flame_conf *f)
{
	struct climb *next = xmalloc((n + 1) * sizeof *next);
	uint32_t *node_of = xmalloc((n + 1) * sizeof *node_of),
		 *back = xmalloc((n + 1) * sizeof *back);
	int64_t *mass = NULL;
	size_t massn = 0;
	for (size_t i = 0; i < n; i++)
		back[i] = 0;
	while (n && goes_on(&f->on)) {
		uint32_t before = g->n;
		for (size_t i = 0; i < n; i++) {
			node_of[i] = grow_child(g, back[i], t->thing[v[i].at]);
			g->how[node_of[i]] |= t->how[v[i].at] & (CT_INL | CT_NOTINL);
		}
		mass = mem_grow(mass, &massn, (size_t)(g->n - before) + 1, sizeof *mass);
		for (uint32_t k = 0; k < g->n - before; k++)
			mass[k] = 0;
		for (size_t i = 0; i < n; i++)
			mass[node_of[i] - before] = wrap_add(mass[node_of[i] - before],
			    wrap_add(wrap_abs(v[i].w), wrap_abs(v[i].o)));
		size_t m = 0;
		for (size_t i = 0; i < n; i++) {
			uint32_t p = t->parent[v[i].at];
			if (!p || mass[node_of[i] - before] < least) {
				weigh(g, node_of[i], v[i].w, v[i].o);
				continue;
			}
			next[m] = (struct climb){p, v[i].w, v[i].o};
			back[m++] = node_of[i];
		}
		struct climb *swap = v;
		v = next;
		next = swap;
		n = m;
	}
	mem_free(mass);
	mem_free(node_of);
	mem_free(back);
	mem_free(v);
	mem_free(next);
}

static struct ctree turn(const struct ctree *t, const struct flame_conf *f, struct arena *a)
{
	struct grow g;
	grow_init(&g, t->oflat != NULL);
	struct climb *v = xmalloc(t->n * sizeof *v);
	size_t n = 0;
	int64_t all = 0;
	for (uint32_t i = 1; i < t->n; i++) {
		int64_t o = t->oflat ? t->oflat[i] : 0;
		if (t->flat[i] || o) {
			v[n++] = (struct climb){i, t->flat[i], o};
			all = wrap_add(all, wrap_add(wrap_abs(t->flat[i]), wrap_abs(o)));
		}
	}
	climb(&g, t, v, n, all / REVERSE_PART, f);
	return grow_finish(&g, a);
}

/* From one thing: the topmost nodes of it count, what recurs below is among the callees. */
static struct ctree pivot(const struct ctree *t, const struct flame_conf *f, struct arena *a)
{
	struct grow g;
	grow_init(&g, t->oflat != NULL);
	struct climb *v = xmalloc(t->n * sizeof *v);
	uint32_t *to = xcalloc(t->n, sizeof *to), me = f->up ? 0 : grow_child(&g, 0, f->pivot);
	size_t n = 0;
	for (uint32_t i = 1; i < t->n;) {
		if (t->thing[i] != f->pivot) {
			i++;
			continue;
		}
		uint32_t end = t->next[i], top = i;
		v[n++] = (struct climb){top, t->cum[top], t->ocum ? t->ocum[top] : 0};
		for (to[i] = me; !f->up && i < end; i++) {
			if (i > top)
				to[i] = grow_child(&g, to[t->parent[i]], t->thing[i]);
			weigh(&g, to[i], t->flat[i], t->oflat ? t->oflat[i] : 0);
			g.how[to[i]] |= t->how[i] & (CT_INL | CT_NOTINL);
		}
		i = end;
	}
	mem_free(to);
	if (f->up)
		climb(&g, t, v, n, 0, f);
	else
		mem_free(v);
	return grow_finish(&g, a);
}

struct sorter { const struct flame *f; enum order order; };

/* As wide as it will be, or nearly: of a difference the larger side. */
static uint64_t weight_of(const struct flame *f, uint32_t i)
{
	const struct ctree *t = &f->t;
	if (!t->ocum || f->c->show != SHOW_DELTA)
		return wrap_size(t->cum[i]);
	struct pair p = side_pair(f->c->show, t->cum[i], t->ocum[i]);
	return wrap_size(p.a) > wrap_size(p.b) ? wrap_size(p.a) : wrap_size(p.b);
}

static int cmp_sibling(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sorter *s = ctx;
	const struct ctree *t = &s->f->t;
	if (s->order == ORDER_WEIGHT) {
		uint64_t x = weight_of(s->f, a), y = weight_of(s->f, b);
		if (x != y)
			return x > y ? -1 : 1;
	}
	uint32_t x = s->f->c->thing[t->thing[a]].rank, y = s->f->c->thing[t->thing[b]].rank;
	return (x > y) - (x < y);
}

/* Children of every node, in order. */
static void order_kids(struct flame *f, const struct flame_conf *conf)
{
	enum order order = conf->order;
	const struct ctree *t = &f->t;
	f->kid0 = arena_zalloc(&f->arena, ((size_t)t->n + 2) * sizeof *f->kid0);
	f->kid = arena_alloc(&f->arena, t->n * sizeof *f->kid);
	for (uint32_t i = 1; i < t->n; i++)
		f->kid0[t->parent[i] + 2]++;
	for (uint32_t i = 2; i < t->n + 2; i++)
		f->kid0[i] += f->kid0[i - 1];
	for (uint32_t i = 1; i < t->n; i++)
		f->kid[f->kid0[t->parent[i] + 1]++] = i;
	for (uint32_t i = 0; i < t->n && order != ORDER_SEEN && wanted(conf, i); i++)
		if (f->kid0[i + 1] - f->kid0[i] > 1)
			sort_u32(f->kid + f->kid0[i], f->kid0[i + 1] - f->kid0[i], cmp_sibling,
			    &(struct sorter){f, order});
}

/* Of a difference the larger side: what has gone is as wide as it was, and what has not changed is seen
   too. One side of it has its own width. */
static int64_t own_width(const struct calls *c, const struct ctree *t, uint32_t i, bool more)
{
	if (!t->oflat || c->show != SHOW_DELTA)
		return wrap_abs(t->flat[i]);
	struct pair p = side_pair(c->show, t->flat[i], t->oflat[i]);
	int64_t a = wrap_abs(p.a), b = wrap_abs(p.b);
	if (more && p.a <= p.b)
		return 0;
	return a > b ? a : b;
}

/* Offsets and widths, children in a row of their own. */
static void lay(struct flame *f, const struct flame_conf *conf)
{
	const struct ctree *t = &f->t;
	struct arena *a = &f->arena;
	f->off = arena_alloc(a, t->n * sizeof *f->off);
	f->wid = arena_alloc(a, t->n * sizeof *f->wid);
	f->id = arena_alloc(a, t->n * sizeof *f->id);
	uint32_t *row = xcalloc(t->n, sizeof *row);
	order_kids(f, conf);
	for (uint32_t i = 0; i < t->n; i++)
		f->wid[i] = own_width(f->c, t, i, conf->more);
	for (uint32_t i = t->n - 1; i > 0; i--)
		f->wid[t->parent[i]] = wrap_add(f->wid[t->parent[i]], f->wid[i]);
	f->off[0] = 0;
	f->id[0] = 1;
	f->depth = 1;
	for (uint32_t i = 0; i < t->n && wanted(conf, i); i++) {
		int64_t at = f->off[i];
		for (uint32_t k = f->kid0[i]; k < f->kid0[i + 1]; k++) {
			uint32_t kid = f->kid[k];
			f->off[kid] = at;
			at = wrap_add(at, f->wid[kid]);
			row[kid] = row[i] + 1;
			f->id[kid] = mix_ids(f->id[i], f->c->thing[t->thing[kid]].id);
			if (row[kid] + 1 > f->depth)
				f->depth = row[kid] + 1;
		}
	}
	mem_free(row);
}

struct flame *flame_new(const struct calls *c, const struct flame_conf *conf)
{
	struct flame *f = xcalloc(1, sizeof *f);
	struct arena tmp = {0};
	struct ctree t = *calls_tree(c);
	f->c = c;
	bool folds_too = conf->fold_recursion || conf->fold_runtime;
	struct arena *a = folds_too ? &tmp : &f->arena;
	if (conf->pivot)
		t = pivot(&t, conf, a);
	else if (conf->reverse)
		t = turn(&t, conf, a);
	if (folds_too && goes_on(&conf->on))
		t = fold(
		    c, &t, conf, &f->arena); /* last: what is looked from keeps all its weight */
	f->t = t;
	if (goes_on(&conf->on))
		lay(f, conf);
	arena_free(&tmp);
	if (goes_on(&conf->on))
		return f;
	flame_free(f);
	return NULL;
}

void flame_free(struct flame *f)
{
	if (!f)
		return;
	arena_free(&f->arena);
	mem_free(f);
}

/* The edge of cell x is at `zoom` + x * width / cols; this is its inverse, rounded. */
static int edge(const struct flame *f, const struct flame_look *l, int64_t off)
{
	double w = (double)f->wid[l->zoom];
	double x = ((double)off - (double)f->off[l->zoom]) * l->cols / (w > 0 ? w : 1) + 0.5;
	return x <= 0 ? 0 : x >= l->cols ? l->cols : (int)x;
}

static bool wide(const struct flame *f, const struct flame_look *l, uint32_t node)
{
	return (double)f->wid[node] * l->cols >= (double)f->wid[l->zoom];
}

/* The last of children [a, b) that begins in cell x or before. */
static uint32_t last_in_cell(
    const struct flame *f, const struct flame_look *l, uint32_t a, uint32_t b, int x)
{
	while (b - a > 1) {
		uint32_t mid = a + (b - a) / 2;
		if (edge(f, l, f->off[f->kid[mid]]) <= x)
			a = mid;
		else
			b = mid;
	}
	return a;
}

struct pending { uint32_t node; int row; };

/* The children of a node: frames are said and put on the stack, slivers are said cell by cell. */
static size_t each_kid(const struct flame *f, const struct flame_look *l, struct pending p,
    struct pending *stack, size_t depth, flame_fn *fn, void *arg)
{
	uint32_t k = f->kid0[p.node], end = f->kid0[p.node + 1];
	double cell = (double)f->wid[l->zoom] / l->cols;
	int row = p.row + 1;
	int right = edge(f, l, wrap_add(f->off[p.node], f->wid[p.node]));
	while (k < end) {
		uint32_t node = f->kid[k];
		int x = edge(f, l, f->off[node]);
		if (!wide(f, l, node)) {
			uint32_t last = last_in_cell(f, l, k, end, x);
			bool frame = wide(f, l, f->kid[last]);
			int64_t to = frame ? f->off[f->kid[last]]
					   : wrap_add(f->off[f->kid[last]], f->wid[f->kid[last]]);
			double part = (double)wrap_add(to, -f->off[node]) / (cell > 0 ? cell : 1);
			if (row >= l->skip && part > 0 && x < right &&
			    !(frame && edge(f, l, to) == x))
				fn(arg, &(struct flame_span){
					    node, row - l->skip, x, x + 1, part < 1 ? part : 1});
			k = last + !frame;
			continue;
		}
		int x1 = edge(f, l, wrap_add(f->off[node], f->wid[node]));
		if (x1 > x) {
			if (row >= l->skip)
				fn(arg, &(struct flame_span){node, row - l->skip, x, x1, 0});
			stack[depth++] = (struct pending){node, row};
		}
		k++;
	}
	return depth;
}

void flame_each(const struct flame *f, const struct flame_look *l, flame_fn *fn, void *arg)
{
	if (l->cols < 1 || l->rows < 1 || f->wid[l->zoom] <= 0)
		return;
	/* depth first: those that wait share no cell, so there are never more of them than cells */
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

bool flame_cells(const struct flame *f, const struct flame_look *l, uint32_t node, int *x0, int *x1)
{
	*x0 = edge(f, l, f->off[node]);
	*x1 = edge(f, l, wrap_add(f->off[node], f->wid[node]));
	if (wide(f, l, node) && *x1 > *x0)
		return true;
	if (*x0 >= l->cols)
		*x0 = l->cols - 1;
	*x1 = *x0 + 1;
	return false;
}

uint32_t flame_find(const struct flame *f, uint64_t id)
{
	for (uint32_t i = 1; i < f->t.n; i++)
		if (f->id[i] == id)
			return i;
	return 0;
}

uint32_t flame_row(const struct flame *f, uint32_t zoom, uint32_t node)
{
	uint32_t row = 0;
	for (; node > zoom; node = f->t.parent[node])
		row++;
	return row;
}

uint32_t flame_hits(const struct ctree *t, const uint8_t *hit, int64_t *weight)
{
	uint32_t n = 0, end = 0;
	*weight = 0;
	for (uint32_t i = 1; i < t->n; i++) {
		if (!hit[t->thing[i]])
			continue;
		n++;
		if (i < end)
			continue;
		end = t->next[i];
		*weight = wrap_add(*weight, t->cum[i]);
	}
	return n;
}
