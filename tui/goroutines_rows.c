/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The rows of the goroutines pane: groups and goroutines as numbers, in an
 * order, with tags, and what of them is meant by a command. An order is an array
 * of row numbers beside the rows, so that sorting moves four bytes a row and the
 * accounts stay where they are. Tags are kept by name or track, not by row: they
 * outlive another order, filter or snapshot.
 */
#include "config.h"
#include "gorview.h"

#include "analysis/calls.h"
#include "base/job.h"
#include "base/mem.h"
#include "base/text.h"

#include <string.h>

const struct gor_row *gor_sel(const struct gor *p)
{
	int l = p->level == GL_GROUPS ? GL_GROUPS : GL_LIST;
	return p->rows[l].n ? gor_row(p, l, p->rows[l].sel) : NULL;
}

static void add_stat(struct gor_row *r, const struct gstat *s)
{
	int64_t chan = s->ns[TS_CHANSEND] + s->ns[TS_CHANRECV] + s->ns[TS_SELECT];
	int64_t sync = s->ns[TS_SYNC] + s->ns[TS_COND];
	int64_t gc = s->ns[TS_ASSIST] + s->ns[TS_GCASSISTW] + s->ns[TS_SWEEP];
	int64_t blocked = 0;
	for (uint32_t i = 0; i < s->nblock; i++)
		blocked += s->block[i].ns;
	const int64_t v[GV__N] = {s->exec, s->ready, s->syscall + s->sysblock, blocked, chan, sync, s->ns[TS_NET],
		s->ns[TS_SLEEP], gc, s->total};
	for (int k = 0; k < GV__N; k++)
		r->v[k] += v[k];
}

/* ---- order */

struct by { const struct gor_row *row; const struct store *st; int sort; bool invert; };

static int cmp_row(const void *ctx, uint32_t a, uint32_t b)
{
	const struct by *by = ctx;
	const struct gor_row *x = &by->row[a], *y = &by->row[b];
	int d = 0;
	if (by->sort < GV__N)
		d = x->v[by->sort] > y->v[by->sort] ? -1 : x->v[by->sort] < y->v[by->sort];
	else if (by->sort == SORT_N && x->trk)
		d = store_trk(by->st, x->trk)->id < store_trk(by->st, y->trk)->id ? -1 : 1;
	else if (by->sort == SORT_N)
		d = x->n > y->n ? -1 : x->n < y->n;
	else
		d = x->trk ? (x->t0 > y->t0) - (x->t0 < y->t0) : sched_name_cmp(by->st, x->name, y->name);
	if (d)
		return by->invert ? -d : d;
	return a < b ? -1 : a > b;
}

bool gor_match(const struct store *st, const struct gor_row *r, const struct rx *rx)
{
	struct buf b = {0};
	if (r->trk) {
		tp_id(st, r->trk, &b);
		buf_putc(&b, ' ');
	}
	tp_str(st, r->name, "(no start function)", &b);
	if (r->trk && store_trk(st, r->trk)->creator) {
		buf_putc(&b, ' ');
		tp_who(st, store_trk(st, r->trk)->creator, &b);
	}
	bool hit = rx_match(rx, b.p, b.n);
	buf_free(&b);
	return hit;
}

void gor_order(struct gor *p, const struct pane_env *env, int l)
{
	const struct store *st = session_snap(env->s)->st;
	struct by by = {l == GL_GROUPS ? p->groups : p->list, st, p->sort[l], p->invert[l]};
	uint32_t n = l == GL_GROUPS ? p->ngroup : p->nlist, m = 0, sel = 0;
	p->order[l] = mem_grow(p->order[l], &p->corder[l], n + 1u, sizeof *p->order[l]);
	for (uint32_t i = 0; i < n; i++)
		if (!env->grep.rx || gor_match(st, &by.row[i], env->grep.rx))
			p->order[l][m++] = i;
	sort_u32(p->order[l], m, cmp_row, &by);
	for (uint32_t i = 0; i < m; i++) {
		const struct gor_row *r = &by.row[p->order[l][i]];
		if ((r->trk ? (int64_t)r->trk : (int64_t)r->name) == p->sel[l])
			sel = i;
	}
	rows_set(&p->rows[l], m);
	rows_select(&p->rows[l], sel);
}

/* The goroutines of the group that is open. */
void gor_fill(struct gor *p, const struct pane_env *env)
{
	p->nlist = 0;
	for (uint32_t i = 0; i < p->ngroup; i++) {
		const struct gor_row *gr = &p->groups[i];
		if (gr->name != p->open)
			continue;
		p->list = mem_grow(p->list, &p->clist, gr->n + 1u, sizeof *p->list);
		for (uint32_t k = 0; k < gr->n; k++) {
			const struct gstat *s = &p->gs->g[gr->first + k];
			struct gor_row *r = &p->list[p->nlist++];
			*r = (struct gor_row){.name = store_trk(session_snap(env->s)->st, s->trk)->name, .trk = s->trk,
			    .n = 1, .first = gr->first + k, .t0 = s->t0, .t1 = s->t1};
			add_stat(r, s);
		}
	}
	gor_order(p, env, GL_LIST);
}

/* ---- made */

/* Groups on their way: what a job fills, from a snapshot and a query that are its own. */
struct gor_made {
	struct arena mem;
	struct tp_scope scope;
	const struct snap *sn;
	enum gor_by by;
	str_id *key;
	struct sched *sched;
	struct sched_groups *gs;
	struct gor_row *groups;
	uint32_t ngroup;
	struct job *job;
};
/* Goroutines, in each sheet, whose accounts are made in less than a frame; and those that are many to go through
   for each key. */
enum { AT_ONCE = 20000, TOLD = 2000 };

static int make(struct job *j, void *arg)
{
	struct gor_made *m = arg;
	(void)j;
	tp_on_proc(&m->scope, &m->mem);
	struct sched_ask ask = tp_ask(&m->scope);
	m->key = gor_by_keys(m->sn, m->by, m->scope.t0, m->scope.t1, &m->mem);
	ask.key = m->key;
	m->sched = sched_new(m->sn, &m->mem);
	m->gs = sched_groups(m->sched, &ask, &m->mem);
	m->groups = arena_zalloc(&m->mem, (m->gs->n + 1u) * sizeof *m->groups);
	for (uint32_t i = 0; i < m->gs->n; i++) {
		const struct sched_group *gr = &m->gs->group[i];
		if (!gr->n)
			continue;
		struct gor_row *r = &m->groups[m->ngroup++];
		*r = (struct gor_row){.name = gr->name, .n = gr->n, .first = gr->first};
		for (uint32_t k = 0; k < gr->n; k++)
			add_stat(r, &m->gs->g[gr->first + k]);
		if (gr->n < TOLD)
			continue;
		struct gor_told *told = arena_zalloc(&m->mem, sizeof *told);
		gor_tell(m->sn, m->gs, gr->first, gr->n, told);
		r->told = told;
	}
	return 0;
}

bool gor_make(struct gor *p, const struct pane_env *env)
{
	if (p->work) {
		p->again = true;
		return false;
	}
	struct gor_made *m = xcalloc(1, sizeof *m);
	m->sn = session_snap(env->s);
	m->by = p->by;
	tp_scope(env, &m->mem, &m->scope);
	m->job = (uint64_t)m->sn->ntrks * (m->sn->nsheets + 1) > AT_ONCE ? job_start(make, m) : NULL;
	p->work = m;
	if (m->job)
		return false;
	make(NULL, m);
	return gor_take(p, env);
}

struct job *gor_work(void *st)
{
	const struct gor *p = st;
	return p->work ? p->work->job : NULL;
}

bool gor_take(struct gor *p, const struct pane_env *env)
{
	struct gor_made *m = p->work;
	(void)env;
	if (m->job)
		job_join(m->job);
	p->work = NULL;
	arena_free(&p->mem);
	p->mem = m->mem;
	p->scope = m->scope;
	p->key = m->key;
	p->sched = m->sched;
	p->gs = m->gs;
	p->groups = m->groups;
	p->ngroup = m->ngroup;
	memset(&p->story, 0, sizeof p->story);
	memset(&p->tree, 0, sizeof p->tree);
	mem_free(m);
	bool again = p->again;
	p->again = false;
	return !again;
}

/* ---- tags */

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

/* The rows that a command is about: those tagged, else the one selected. */
static bool meant(const struct gor *p, const struct gor_row *r)
{
	return p->tags[p->level != GL_GROUPS].n ? gor_tagged(p, r) : r == gor_sel(p);
}

/* What is meant as a query: an expression of start functions, or the numbers of goroutines. */
bool gor_query(const struct gor *p, const struct pane_env *env, struct query *q)
{
	const struct store *st = session_snap(env->s)->st;
	int l = p->level == GL_GROUPS ? GL_GROUPS : GL_LIST;
	struct buf names = {0}, ids = {0};
	bool named = l == GL_GROUPS && p->by == GB_FUNCTION;
	for (uint32_t i = 0; i < p->rows[l].n; i++) {
		const struct gor_row *r = gor_row(p, l, i);
		if (p->level == GL_ONE ? r->trk != p->one.trk : !meant(p, r))
			continue;
		named = named && r->name;
		buf_puts(&names, names.n ? "|" : "");
		tp_quote(st, r->name, &names);
		for (uint32_t k = r->first; k < r->first + r->n; k++)
			buf_printf(&ids, "%s%llu", ids.n ? "," : "", (unsigned long long)store_trk(st, p->gs->g[k].trk)->id);
	}
	bool any = ids.n > 0;
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
	const struct store *st = session_snap(env->s)->st;
	int l = p->level == GL_GROUPS ? GL_GROUPS : GL_LIST;
	uint8_t *out = xcalloc(p->gs->ng + 1u, 1);
	struct buf ids = {0};
	bool any = false;
	for (uint32_t i = 0; i < p->rows[l].n; i++) {
		const struct gor_row *r = gor_row(p, l, i);
		if (p->level == GL_ONE ? r->trk != p->one.trk : !meant(p, r))
			continue;
		memset(out + r->first, 1, r->n);
		any = true;
	}
	for (uint32_t k = 0; any && k < p->gs->ng; k++)
		if (!out[k])
			buf_printf(&ids, "%s%llu", ids.n ? "," : "", (unsigned long long)store_trk(st, p->gs->g[k].trk)->id);
	mem_free(out);
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
		if (meant(p, gor_row(p, l, i)))
			return p->gs->g[gor_row(p, l, i)->first].trk;
	return 0;
}

