/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * callgrind: the call graph by addresses, in the format of KCachegrind. Names are numbered at their first use; an
 * address is written relative to the node before if that is shorter. Functions that KCachegrind could not
 * distinguish get a suffix. A call tree, which has a node for each context, is written without a graph
 * (pprof/context_tree.h).
 */
#include "config.h"
#include "report/pprof/internal.h"

#include "base/text/pprof_units.h"
#include "pprof/context_tree.h"

#include <stdio.h>
#include <string.h>

/* Numbers of names by string id; 0: not used yet. */
struct numbering {
	uint32_t *number;
	size_t cap;
	uint32_t n;
	bool raw; /* keep newlines: in function names, as in pprof's text */
};

/* A newline would end the line of the format. */
static void put_one_line(struct buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_putc(b, s[i] == '\n' || s[i] == '\r' ? ' ' : s[i]);
}

static void put_number(struct numbering *m, struct buf *b, const struct profile *p, str_id s)
{
	if (!s)
		return;
	if (s >= m->cap) {
		size_t old = m->cap;
		m->number = mem_grow(m->number, &m->cap, s + 1u, sizeof *m->number);
		memset(m->number + old, 0, (m->cap - old) * sizeof *m->number);
	}
	bool known = m->number[s];
	m->number[s] = known ? m->number[s] : ++m->n;
	buf_putc(b, '(');
	buf_u64(b, m->number[s]);
	buf_putc(b, ')');
	if (known)
		return;
	buf_putc(b, ' ');
	if (m->raw)
		buf_put(b, p->str[s].s, p->str[s].n);
	else
		put_one_line(b, p->str[s].s, p->str[s].n);
}

static void put_address(struct buf *b, const struct graph_info *prev, uint64_t addr)
{
	int64_t step = prev ? (int64_t)(addr - prev->addr) : 0;
	size_t from = b->n, absolute = 3;	/* bytes of 0x0 */
	if (prev && !step) {
		buf_putc(b, '*');
		return;
	}
	for (uint64_t rest = addr >> 4; rest; rest >>= 4)
		absolute++;
	if (prev) {
		buf_putc(b, step < 0 ? '-' : '+');
		buf_u64(b, wrap_size(step));
		if (b->n - from < absolute)
			return;
		b->n = from;
	}
	buf_puts(b, "0x");
	buf_hex(b, addr);
}

/* Nodes with the same file and name that belong to different functions are distinguished by "[i/n]". */
struct name_group {
	str_id file, name;
	uint32_t n;
};
/* place: number in its group, from 1. */
struct member { uint32_t name_group, function, place; };
struct aliases {
	struct name_group *name_group;
	struct member *member;
	size_t ngroup, cgroup, nmember, cmember;
	struct intern groups, members;
	uint32_t *of; /* node id -> member */
};

static int same_group(const void *ctx, uint32_t id, const void *key)
{
	const struct aliases *a = ctx;
	const struct name_group *g = key;
	return a->name_group[id].file == g->file && a->name_group[id].name == g->name;
}

static int same_member(const void *ctx, uint32_t id, const void *key)
{
	const struct aliases *a = ctx;
	const struct member *m = key;
	return a->member[id].name_group == m->name_group && a->member[id].function == m->function;
}

static uint32_t group_of(struct aliases *a, const struct graph_info *i)
{
	struct name_group g = {i->file, i->name, 0};
	uint32_t h = intern_hash_u64(g.file, g.name), id = intern_find(&a->groups, h, same_group, a, &g);
	if (id == UINT32_MAX) {
		a->name_group = mem_grow(a->name_group, &a->cgroup, a->ngroup + 1, sizeof *a->name_group);
		a->name_group[a->ngroup] = g;
		id = (uint32_t)a->ngroup++;
		intern_put(&a->groups, h, id);
	}
	return id;
}

static uint32_t member_of(struct aliases *a, const struct graph_node *n)
{
	struct member m = {group_of(a, &n->info), n->function, 0};
	uint32_t h = intern_hash_u64(m.name_group, m.function),
		 id = intern_find(&a->members, h, same_member, a, &m);
	if (id == UINT32_MAX) {
		m.place = ++a->name_group[m.name_group].n;
		a->member = mem_grow(a->member, &a->cmember, a->nmember + 1, sizeof *a->member);
		a->member[a->nmember] = m;
		id = (uint32_t)a->nmember++;
		intern_put(&a->members, h, id);
	}
	return id;
}

/* Return the name of a node as a callee. */
static str_id callee_name(struct aliases *a, struct profile *p, const struct graph_node *n)
{
	struct buf b = {0};
	str_id name = n->info.name;
	if (!a->of[n->id]) /* it is not shown itself */
		return 0;
	const struct member *m = &a->member[a->of[n->id] - 1];
	if (a->name_group[m->name_group].n > 1) {
		buf_put(&b, p->str[name].s, p->str[name].n);
		buf_printf(&b, " [%u/%u]", m->place, a->name_group[m->name_group].n);
		name = profile_add_string(p, b.p, b.n);
		buf_free(&b);
	}
	return name;
}

struct callgrind {
	struct pprof_report *v;
	struct buf *b;
	struct numbering objects, files, names;
	struct aliases alias;
	const struct graph_info *prev;
};

static void put_field(struct callgrind *c, const char *field, struct numbering *m, str_id s)
{
	buf_puts(c->b, field);
	put_number(m, c->b, c->v->p, s);
	buf_putc(c->b, '\n');
}

/* Write the end of a line: a line number and a weight. */
static void put_numbers(struct callgrind *c, int64_t line, const char *between, int64_t weight)
{
	buf_putc(c->b, ' ');
	buf_i64(c->b, line);
	buf_puts(c->b, between);
	buf_i64(c->b, pprof_units_to_i64(pprof_report_scaled(c->v, weight)));
	buf_putc(c->b, '\n');
}

/* Write a node with its own weight. */
static void put_own(struct callgrind *c, const struct graph_info *i, int64_t flat)
{
	struct buf *b = c->b;
	const struct graph_info *was = c->prev;
	if (!was || i->object != was->object || i->file != was->file || i->name != was->name) {
		buf_putc(b, '\n');
		put_field(c, "ob=", &c->objects, i->object);
		put_field(c, "fl=", &c->files, i->file);
		put_field(c, "fn=", &c->names, i->name);
	}
	put_address(b, c->prev, i->addr);
	put_numbers(c, i->line, " ", flat);
}

/* Write a call, after the file and name of the callee. */
static void put_call(struct callgrind *c, const struct graph_info *to, int64_t weight)
{
	buf_puts(c->b, "calls=0 ");
	put_address(c->b, c->prev, to->addr);
	put_numbers(c, to->line, "\n* * ", weight);
}

static void put_node(struct callgrind *c, struct graph *g, const struct graph_node *n)
{
	size_t count;
	put_own(c, &n->info, graph_node_flat(n));
	struct graph_edge **e = graph_sorted_edges(g, n, false, &count);
	for (size_t k = 0; k < count; k++) {
		const struct graph_node *to = graph_edge_dst(g, e[k]);
		put_field(c, "cfl=", &c->files, to->info.file);
		put_field(c, "cfn=", &c->names, callee_name(&c->alias, c->v->p, to));
		put_call(c, &to->info, e[k]->weight);
	}
	mem_free(e);
	c->prev = &n->info;
}

/* ---- a node for each context */

/* Every context has a name of its own: "f [2/917]". There are as many names as nodes, so they are not stored as
   strings: they are numbered by name, place and group size. Contexts below one node that belong to one function, at
   several addresses, share a name. */
struct ctx {
	struct callgrind *c;
	struct context_tree *t;
	/* by node: its place in its group, from 1; or ~node of the sibling whose place it shares */
	uint32_t *place;
	uint32_t *name_group;	/* by info: group of infos with the same file and name */
	/* n: size of a group; base: start of its numbers in number[] */
	struct many { str_id name; uint32_t n, base; } *many;
	size_t nmany, cmany;
	struct intern manyx;
	uint32_t *of;		/* by group */
	uint32_t *number;
};

static int same_many(const void *ctx, uint32_t id, const void *key)
{
	const struct many *a = &((const struct ctx *)ctx)->many[id], *b = key;
	return a->name == b->name && a->n == b->n;
}

/* Does a string look like the name of a context? Then names and contexts may have to share a number. */
static bool looks_like_alias(const struct profile *p)
{
	for (size_t i = 1; i < p->nstr; i++) {
		const char *s = p->str[i].s;
		size_t n = p->str[i].n, k = n;
		if (!n || s[n - 1] != ']')
			continue;
		for (k--; k && ((s[k - 1] >= '0' && s[k - 1] <= '9') || s[k - 1] == '/'); k--)
			;
		if (k > 1 && s[k - 1] == '[' && s[k - 2] == ' ')
			return true;
	}
	return false;
}

/* Give children of one function below a node the place of the first of them. */
static void find_twins(struct ctx *x)
{
	const struct context_tree *t = x->t;
	const struct calltree *s = t->s;
	uint32_t *lead = xmalloc((t->nfunction + 1u) * sizeof *lead), *seen = xcalloc(t->nfunction + 1u, sizeof *seen);
	for (uint32_t i = 0, stamp = 1; i + 1 < s->n; i++) {
		if (!rank_has(s->turns, i + 1) || rank_has(s->forks, i + 1))
			continue;	/* it has at most one child */
		for (uint32_t k = i + 1, end = calltree_next(s, i); k < end; k = calltree_next(s, k)) {
			uint32_t f = t->function[context_tree_info(t, k)];
			if (seen[f] == stamp)
				x->place[k] = ~lead[f];
			else
				lead[f] = k;
			seen[f] = stamp;
		}
		stamp++;
	}
	mem_free(lead);
	mem_free(seen);
}

static uint32_t *place_of(struct ctx *x, uint32_t node)
{
	uint32_t *at = &x->place[node];
	return *at > INT32_MAX ? &x->place[~*at] : at;
}

static void assign_places(struct ctx *x, const uint32_t *node, uint32_t n)
{
	struct context_tree *t = x->t;
	struct aliases *a = &x->c->alias;
	size_t total = 1;
	x->place = xcalloc(t->s->n, sizeof *x->place);
	x->name_group = xmalloc((t->ninfo + 1u) * sizeof *x->name_group);
	for (uint32_t i = 0; i < t->ninfo; i++)
		x->name_group[i] = group_of(a, &t->info[i]);
	find_twins(x);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *at = place_of(x, node[i]);
		if (!*at)
			*at = ++a->name_group[x->name_group[context_tree_info(t, node[i])]].n;
	}
	x->of = xmalloc((a->ngroup + 1) * sizeof *x->of);
	for (size_t i = 0; i < a->ngroup; i++) {
		struct many key = {a->name_group[i].name, a->name_group[i].n, (uint32_t)total};
		uint32_t h = intern_hash_u64(key.name, key.n), id = intern_find(&x->manyx, h, same_many, x, &key);
		if (id == UINT32_MAX) {
			x->many = mem_grow(x->many, &x->cmany, x->nmany + 1, sizeof *x->many);
			x->many[id = (uint32_t)x->nmany++] = key;
			intern_put(&x->manyx, h, id);
			total += key.n;
		}
		x->of[i] = id;
	}
	x->number = xcalloc(total, sizeof *x->number);
}

static void put_callee(struct ctx *x, uint32_t node)
{
	struct callgrind *c = x->c;
	uint32_t info = context_tree_info(x->t, node);
	str_id name = x->t->info[info].name;
	const struct many *m = &x->many[x->of[x->name_group[info]]];
	if (m->n < 2 || !context_tree_has_weight(x->t, node)) {
		put_field(c, "cfn=", &c->names, context_tree_has_weight(x->t, node) ? name : 0);
		return;
	}
	uint32_t place = *place_of(x, node), *number = &x->number[m->base + place - 1];
	bool known = *number;
	*number = known ? *number : ++c->names.n;
	buf_puts(c->b, "cfn=(");
	buf_u64(c->b, *number);
	buf_putc(c->b, ')');
	if (!known) {
		buf_putc(c->b, ' ');
		buf_put(c->b, c->v->p->str[name].s, c->v->p->str[name].n);
		buf_printf(c->b, " [%u/%u]", place, m->n);
	}
	buf_putc(c->b, '\n');
}

static int64_t least_of(const struct context_tree *t, const uint32_t *node, uint32_t n)
{
	int64_t least = 0;
	for (uint32_t i = 0; i < n; i++) {
		int64_t w = wrap_abs(context_tree_flat(t, node[i]));
		w = w ? w : wrap_abs(context_tree_cum(t, node[i]));
		if (w > 0 && (!least || w < least))
			least = w;
	}
	return least;
}

static void put_head(struct callgrind *c)
{
	buf_puts(c->b, "positions: instr line\nevents: ");
	put_one_line(c->b, c->v->sample_type, strlen(c->v->sample_type));
	buf_putc(c->b, '(');
	put_one_line(c->b, c->v->unit, strlen(c->v->unit));
	buf_puts(c->b, ")\n");
}

static void put_contexts(struct callgrind *c, struct out *out)
{
	struct context_tree *t = context_tree_new(c->v->p, &c->v->g);
	struct ctx x = {.c = c, .t = t};
	struct context_tree_room room = {0};
	uint32_t *node, n = context_tree_sorted(t, &node);
	if (n)
		pprof_report_choose_unit_for(c->v, least_of(t, node, n));
	put_head(c);
	assign_places(&x, node, n);
	for (uint32_t i = 0; i < n && !out->failed; i++) {
		const struct graph_info *info = &t->info[context_tree_info(t, node[i])];
		put_own(c, info, context_tree_flat(t, node[i]));
		uint32_t kids = context_tree_children(t, node[i], &room);
		for (uint32_t k = 0; k < kids; k++) {
			const struct graph_info *to = &t->info[context_tree_info(t, room.v[k])];
			put_field(c, "cfl=", &c->files, to->file);
			put_callee(&x, room.v[k]);
			put_call(c, to, context_tree_cum(t, room.v[k]));
		}
		c->prev = info;
		output_flush(out, false);
	}
	void *all[] = {node, room.v, x.place, x.name_group, x.many, x.of, x.number};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		mem_free(all[i]);
	intern_free(&x.manyx);
	context_tree_free(t);
}

/* ---- the report */

static void put_graph(struct callgrind *c, struct out *out)
{
	c->v->g.last = true;
	struct graph *g = graph_trimmed(c->v->p, &c->v->g);
	pprof_report_choose_unit(c->v, g);
	put_head(c);
	c->alias.of = xcalloc(g->nall + 1, sizeof *c->alias.of);
	for (size_t i = 0; i < g->n; i++)
		c->alias.of[g->node[i]->id] = member_of(&c->alias, g->node[i]) + 1;
	intern_free(&c->alias.groups);
	intern_free(&c->alias.members);
	for (size_t i = 0; i < g->n && !out->failed; i++) {
		put_node(c, g, g->node[i]);
		output_flush(out, false);
	}
	graph_free(g);
}

int report_callgrind(const struct options *o, struct out *out, struct err *e)
{
	struct pprof_report v;
	if (pprof_report_open(&v, o, REPORT_CALLGRIND, e))
		return -1;
	struct callgrind c = {.v = &v, .b = &out->buf, .names.raw = true};
	if (v.g.tree && !v.g.mean && !v.g.drop_negative && !v.g.cum_sort && !looks_like_alias(v.p))
		put_contexts(&c, out);
	else
		put_graph(&c, out);
	void *all[] = {c.alias.of, c.alias.name_group, c.alias.member, c.objects.number, c.files.number,
	    c.names.number};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		mem_free(all[i]);
	intern_free(&c.alias.groups);
	intern_free(&c.alias.members);
	pprof_report_close(&v);
	return 0;
}
