/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What is meant by a command in the goroutines pane: what is tagged, else what is selected, as a query. Tags are kept
 * by name or track, not by row: they outlive another order, filter or snapshot. Start functions become an expression
 * that finds them in any trace; all else, and all others, which no expression can say, the numbers of goroutines.
 */
#include "config.h"
#include "gorview.h"

#include "base/mem.h"
#include "base/text.h"

#include <string.h>

static int64_t row_id(const struct gor_row *r)
{
	return r->trk ? (int64_t)r->trk : (int64_t)r->name;
}

bool gor_tagged(const struct gor *p, const struct gor_row *r)
{
	const struct gor_tags *t = &p->tags[r->trk != 0];
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i] == row_id(r))
			return true;
	return false;
}

void gor_tag(struct gor *p, const struct gor_row *r)
{
	struct gor_tags *t = &p->tags[r->trk != 0];
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i] == row_id(r)) {
			t->v[i] = t->v[--t->n];
			return;
		}
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof *t->v);
	t->v[t->n++] = row_id(r);
}

static int64_t id_at(const struct gor *p, int l, uint32_t i)
{
	uint32_t k = p->order[l][i];
	return l == GL_GROUPS ? (int64_t)p->groups[k].name : (int64_t)p->gs->g[k].trk;
}

/* Is row i one of those that a command is about: those tagged, else the one selected, or shown as a page? */
static bool meant(const struct gor *p, int l, uint32_t i)
{
	const struct gor_tags *t = &p->tags[l];
	if (p->level == GL_ONE)
		return id_at(p, l, i) == (int64_t)p->one.trk;
	for (size_t k = 0; k < t->n; k++)
		if (t->v[k] == id_at(p, l, i))
			return true;
	return !t->n && i == p->rows[l].sel;
}

/* Of a list of many. */
static void add_id(struct buf *ids, uint64_t id)
{
	if (ids->n)
		buf_putc(ids, ',');
	buf_u64(ids, id);
}

/* The rows that are meant: goroutines of gs->g from first on. */
struct meant {
	const trk_id *trk;
	uint32_t ng, n;
	struct meant_row { uint32_t first, n; } *row;
};

static struct meant *meant_rows(const struct gor *p, struct arena *a)
{
	int l = p->level == GL_GROUPS ? GL_GROUPS : GL_LIST;
	struct meant *m = arena_zalloc(a, sizeof *m);
	uint32_t n = 0, cap = 0;
	m->trk = p->trk;
	m->ng = p->gs ? p->gs->ng : 0;
	for (uint32_t i = 0; i < p->rows[l].n; i++)
		cap += meant(p, l, i);
	m->row = arena_alloc(a, (cap + 1u) * sizeof *m->row);
	for (uint32_t i = 0; i < p->rows[l].n && n < cap; i++)
		if (meant(p, l, i)) {
			const struct gor_row *r = l == GL_GROUPS ? &p->groups[p->order[l][i]] : NULL;
			m->row[n++] = r ? (struct meant_row){r->first, r->n} : (struct meant_row){p->order[l][i], 1};
		}
	m->n = n;
	return m;
}

static void of_these(struct query *q, const char *group, const char *gs)
{
	q->suspended = false;
	q->g = 0;
	q->group = group;
	q->gs = gs;
}

/* Those as numbers. */
static bool say_these(const struct snap *sn, const void *arg, struct arena *a, struct query *q)
{
	const struct meant *m = arg;
	struct buf ids = {0};
	for (uint32_t i = 0; i < m->n; i++)
		for (uint32_t k = m->row[i].first; k < m->row[i].first + m->row[i].n; k++)
			add_id(&ids, store_trk(sn->st, m->trk[k])->id);
	of_these(q, NULL, arena_strndup(a, ids.p, ids.n));
	buf_free(&ids);
	return true;
}

/* All others that are there: numbers, as no expression says "not". */
static bool say_others(const struct snap *sn, const void *arg, struct arena *a, struct query *q)
{
	const struct meant *m = arg;
	uint8_t *rest = xcalloc(sn->ntrks / 8 + 1u, 1);	/* in the order of their rows: a million lie far apart */
	struct buf ids = {0};
	for (uint32_t i = 0; i < m->n; i++)
		for (uint32_t k = m->row[i].first; k < m->row[i].first + m->row[i].n; k++)
			rest[m->trk[k] >> 3] |= (uint8_t)(1u << (m->trk[k] & 7));
	for (uint32_t k = 0; k < m->ng; k++)
		rest[m->trk[k] >> 3] ^= (uint8_t)(1u << (m->trk[k] & 7));
	for (trk_id t = 1; t < sn->ntrks; store_pass(sn, t++))
		if (tw_has(rest, t))
			add_id(&ids, store_trk(sn->st, t)->id);
	mem_free(rest);
	bool any = ids.n;
	of_these(q, NULL, any ? arena_strndup(a, ids.p, ids.n) : NULL);
	buf_free(&ids);
	return any;
}

/* An expression of start functions; false: not all that are meant have one. */
static bool say_names(const struct gor *p, const struct pane_env *env, struct arena *a, struct query *q)
{
	const struct store *st = session_snap(env->s)->st;
	struct buf names = {0};
	bool named = p->level == GL_GROUPS && p->by == GB_FUNCTION;
	for (uint32_t i = 0; named && i < p->rows[GL_GROUPS].n; i++) {
		if (!meant(p, GL_GROUPS, i))
			continue;
		const struct gor_row *r = &p->groups[p->order[GL_GROUPS][i]];
		named = r->name;
		buf_puts(&names, names.n ? "|" : "");
		tp_quote(st, r->name, &names);
	}
	if (named)
		of_these(q, arena_strndup(a, names.p, names.n), NULL);
	buf_free(&names);
	return named;
}

static const char none[] = "nothing would be left without these";

enum verdict gor_ask(struct gor *p, const struct pane_env *env, bool rest, struct ask *out)
{
	struct arena a = {0};
	struct meant *m = meant_rows(p, &a);
	if (!m->n) {
		arena_free(&a);
		return V_PASS;
	}
	bool named = say_names(p, env, &a, &out->query);
	if (named && !rest) {
		out->query.group = arena_strndup(env->scratch, out->query.group, strlen(out->query.group));
		arena_free(&a);
		return V_ASK;
	}
	return tp_later(&p->later, env, &(struct tp_saying){named ? NULL : say_these, m, none, rest}, &a, out);
}

enum verdict gor_ask_without(struct gor *p, const struct pane_env *env, struct ask *out)
{
	struct arena a = {0};
	struct meant *m = meant_rows(p, &a);
	if (!m->n) {
		arena_free(&a);
		return ask_say(out, "%s", none);
	}
	return tp_later(&p->later, env, &(struct tp_saying){say_others, m, none, false}, &a, out);
}

trk_id gor_first(const struct gor *p)
{
	int l = p->level == GL_GROUPS ? GL_GROUPS : GL_LIST;
	if (p->level == GL_ONE)
		return p->one.trk;
	for (uint32_t i = 0; i < p->rows[l].n; i++)
		if (meant(p, l, i))
			return p->gs->g[l == GL_GROUPS ? p->groups[p->order[l][i]].first : p->order[l][i]].trk;
	return 0;
}
