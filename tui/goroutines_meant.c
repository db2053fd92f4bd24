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

/* What is meant as a query: an expression of start functions, or the numbers of goroutines. */
bool gor_query(const struct gor *p, const struct pane_env *env, struct query *q)
{
	const struct store *st = session_snap(env->s)->st;
	int l = p->level == GL_GROUPS ? GL_GROUPS : GL_LIST;
	struct buf names = {0}, ids = {0};
	bool named = l == GL_GROUPS && p->by == GB_FUNCTION, any = false;
	for (uint32_t i = 0; i < p->rows[l].n; i++) {
		struct gor_row room;
		if (!meant(p, l, i))
			continue;
		const struct gor_row *r = gor_row(p, l, i, &room);
		any = true;
		named = named && r->name;
		buf_puts(&names, names.n ? "|" : "");
		tp_quote(st, r->name, &names);
	}
	for (uint32_t i = 0; !named && i < p->rows[l].n; i++) {
		struct gor_row room;
		if (!meant(p, l, i))
			continue;
		const struct gor_row *r = gor_row(p, l, i, &room);
		for (uint32_t k = r->first; k < r->first + r->n; k++)
			add_id(&ids, store_trk(st, p->trk[k])->id);
	}
	if (any) {
		q->suspended = false;
		q->g = 0;
		q->gs = named ? NULL : arena_strndup(env->scratch, ids.p, ids.n);
		q->group = named ? arena_strndup(env->scratch, names.p, names.n) : NULL;
	}
	buf_free(&names);
	buf_free(&ids);
	return any;
}

/* All others that are there: numbers, as no expression says "not". false: nothing is meant, or nobody would be left. */
bool gor_query_without(const struct gor *p, const struct pane_env *env, struct query *q)
{
	int l = p->level == GL_GROUPS ? GL_GROUPS : GL_LIST;
	const struct snap *sn = session_snap(env->s);
	uint8_t *rest = xcalloc(sn->ntrks / 8 + 1u, 1);	/* in the order of their rows: a million lie far apart */
	struct buf ids = {0};
	bool any = false;
	for (uint32_t i = 0; i < p->rows[l].n; i++) {
		struct gor_row room;
		if (!meant(p, l, i))
			continue;
		const struct gor_row *r = gor_row(p, l, i, &room);
		for (uint32_t k = r->first; k < r->first + r->n; k++)
			rest[p->trk[k] >> 3] |= (uint8_t)(1u << (p->trk[k] & 7));
		any = true;
	}
	for (uint32_t k = 0; any && k < p->gs->ng; k++)
		rest[p->trk[k] >> 3] ^= (uint8_t)(1u << (p->trk[k] & 7));
	for (trk_id t = 1; any && t < sn->ntrks; store_pass(sn, t++))
		if (tw_has(rest, t))
			add_id(&ids, store_trk(sn->st, t)->id);
	mem_free(rest);
	any = any && ids.n;
	if (any) {
		q->suspended = false;
		q->g = 0;
		q->group = NULL;
		q->gs = arena_strndup(env->scratch, ids.p, ids.n);
	}
	buf_free(&ids);
	return any;
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
