/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * callgrind: the call graph at the grain of addresses in the format that
 * KCachegrind reads. Names are numbered at their first use; an address is
 * written relative to the node before when that is shorter. Functions that
 * would look the same to KCachegrind get a suffix.
 */
#include "config.h"
#include "report/pprof.h"

#include "base/units.h"
#include "report/view.h"

#include <stdio.h>
#include <string.h>

/* Numbers of names by string id; 0 not yet seen. */
struct numbering {
	uint32_t *number;
	size_t cap;
	uint32_t n;
};

static void put_number(struct numbering *m, struct buf *b, const struct prof *p, str_id s)
{
	if (!s)
		return;
	if (s >= m->cap) {
		size_t old = m->cap;
		m->number = mem_grow(m->number, &m->cap, s + 1u, sizeof *m->number);
		memset(m->number + old, 0, (m->cap - old) * sizeof *m->number);
	}
	if (m->number[s]) {
		buf_printf(b, "(%u)", m->number[s]);
		return;
	}
	m->number[s] = ++m->n;
	buf_printf(b, "(%u) ", m->n);
	buf_put(b, p->str[s].s, p->str[s].n);	/* all of it: names may be any bytes */
}

static void put_address(struct buf *b, const struct gnode *prev, uint64_t addr)
{
	char abs[24], rel[24];
	int n = snprintf(abs, sizeof abs, "0x%llx", (unsigned long long)addr);
	if (prev && prev->info.addr == addr) {
		buf_putc(b, '*');
		return;
	}
	if (prev && snprintf(rel, sizeof rel, "%+lld", (long long)(addr - prev->info.addr)) < n)
		buf_puts(b, rel);
	else
		buf_puts(b, abs);
}

/* Nodes of one file and name that belong to different functions are told apart by "[i/n]". */
struct group {
	str_id file, name;
	uint32_t n;
};
struct member {
	uint32_t group, function, place;
}; /* place: of its group, from 1 */
struct aliases {
	struct group *group;
	struct member *member;
	size_t ngroup, cgroup, nmember, cmember;
	struct intern groups, members;
	uint32_t *of; /* node id -> member */
};

static int same_group(const void *ctx, uint32_t id, const void *key)
{
	const struct aliases *a = ctx;
	const struct group *g = key;
	return a->group[id].file == g->file && a->group[id].name == g->name;
}

static int same_member(const void *ctx, uint32_t id, const void *key)
{
	const struct aliases *a = ctx;
	const struct member *m = key;
	return a->member[id].group == m->group && a->member[id].function == m->function;
}

static uint32_t group_of(struct aliases *a, const struct ginfo *i)
{
	struct group g = {i->file, i->name, 0};
	uint32_t h = hash_u64(g.file, g.name), id = intern_find(&a->groups, h, same_group, a, &g);
	if (id == UINT32_MAX) {
		a->group = mem_grow(a->group, &a->cgroup, a->ngroup + 1, sizeof *a->group);
		a->group[a->ngroup] = g;
		id = (uint32_t)a->ngroup++;
		intern_put(&a->groups, h, id);
	}
	return id;
}

static uint32_t member_of(struct aliases *a, const struct gnode *n)
{
	struct member m = {group_of(a, &n->info), n->function, 0};
	uint32_t h = hash_u64(m.group, m.function),
		 id = intern_find(&a->members, h, same_member, a, &m);
	if (id == UINT32_MAX) {
		m.place = ++a->group[m.group].n;
		a->member = mem_grow(a->member, &a->cmember, a->nmember + 1, sizeof *a->member);
		a->member[a->nmember] = m;
		id = (uint32_t)a->nmember++;
		intern_put(&a->members, h, id);
	}
	return id;
}

/* The name under which a node is called. */
static str_id callee_name(struct aliases *a, struct prof *p, const struct gnode *n)
{
	struct buf b = {0};
	str_id name = n->info.name;
	if (!a->of[n->id]) /* not shown itself */
		return 0;
	const struct member *m = &a->member[a->of[n->id] - 1];
	if (a->group[m->group].n > 1) {
		buf_put(&b, p->str[name].s, p->str[name].n);
		buf_printf(&b, " [%u/%u]", m->place, a->group[m->group].n);
		name = prof_str(p, b.p, b.n);
		buf_free(&b);
	}
	return name;
}

struct callgrind {
	struct view *v;
	struct buf *b;
	struct numbering objects, files, names;
	struct aliases alias;
	const struct gnode *prev;
};

static void put_field(struct callgrind *c, const char *field, struct numbering *m, str_id s)
{
	buf_puts(c->b, field);
	put_number(m, c->b, c->v->p, s);
	buf_putc(c->b, '\n');
}

static void put_node(struct callgrind *c, struct graph *g, const struct gnode *n)
{
	struct buf *b = c->b;
	const struct ginfo *i = &n->info, *was = c->prev ? &c->prev->info : NULL;
	size_t count;
	if (!was || i->object != was->object || i->file != was->file || i->name != was->name) {
		buf_putc(b, '\n');
		put_field(c, "ob=", &c->objects, i->object);
		put_field(c, "fl=", &c->files, i->file);
		put_field(c, "fn=", &c->names, i->name);
	}
	put_address(b, c->prev, i->addr);
	buf_printf(b, " %lld %lld\n", (long long)i->line,
	    (long long)units_i64(view_scaled(c->v, gnode_flat(n))));
	struct gedge **e = gedges_sorted(g, n->out, false, &count);
	for (size_t k = 0; k < count; k++) {
		const struct ginfo *to = &e[k]->dst->info;
		put_field(c, "cfl=", &c->files, to->file);
		put_field(c, "cfn=", &c->names, callee_name(&c->alias, c->v->p, e[k]->dst));
		buf_puts(b, "calls=0 ");
		put_address(b, c->prev, to->addr);
		buf_printf(b, " %lld\n* * %lld\n", (long long)to->line,
		    (long long)units_i64(view_scaled(c->v, e[k]->weight)));
	}
	c->prev = n;
}

int report_callgrind(const struct opt *o, struct out *out, struct err *e)
{
	struct view v;
	if (view_open(&v, o, V_CALLGRIND, e))
		return -1;
	struct graph *g = graph_trimmed(v.p, &v.g);
	struct callgrind c = {.v = &v, .b = &out->buf};
	view_choose_unit(&v, g);
	buf_printf(c.b, "positions: instr line\nevents: %s(%s)\n", v.sample_type, v.unit);
	c.alias.of = xcalloc(g->nall + 1, sizeof *c.alias.of);
	for (size_t i = 0; i < g->n; i++)
		c.alias.of[g->node[i]->id] = member_of(&c.alias, g->node[i]) + 1;
	for (size_t i = 0; i < g->n && !out->failed; i++) {
		put_node(&c, g, g->node[i]);
		out_flush(out, false);
	}
	void *all[] = {c.alias.of, c.alias.group, c.alias.member, c.objects.number, c.files.number,
	    c.names.number};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		mem_free(all[i]);
	intern_free(&c.alias.groups);
	intern_free(&c.alias.members);
	graph_free(g);
	view_close(&v);
	return 0;
}
