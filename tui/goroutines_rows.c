/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The rows of the goroutines pane: groups and goroutines as numbers, in an
 * order, with tags, and what of them is meant by a command. An order is an array
 * of row numbers, so that sorting moves a key and a number and the accounts stay where they are; of
 * goroutines, of which there may be a million, a row is made when it is looked at, and many are sorted beside the
 * keyboard. Tags are kept by name or track, not by row: they outlive another order, filter or snapshot.
 */
#include "config.h"
#include "gorview.h"

#include "analysis/calls.h"
#include "base/job.h"
#include "base/keyed.h"
#include "base/mem.h"
#include "base/scatter.h"
#include "base/text.h"
#include "base/wrap.h"

#include <string.h>

/* One of the values of a goroutine that rows have. */
static int64_t value(const struct gstat *s, int k)
{
	switch (k) {
	case GV_RUN: return s->exec;
	case GV_READY: return s->ready;
	case GV_SYSCALL: return s->syscall + s->sysblock;
	case GV_BLOCKED: return s->blocked;
	case GV_CHAN: return s->ns[TS_CHANSEND] + s->ns[TS_CHANRECV] + s->ns[TS_SELECT];
	case GV_SYNC: return s->ns[TS_SYNC] + s->ns[TS_COND];
	case GV_NET: return s->ns[TS_NET];
	case GV_SLEEP: return s->ns[TS_SLEEP];
	case GV_GC: return s->ns[TS_ASSIST] + s->ns[TS_GCASSISTW] + s->ns[TS_SWEEP];
	default: return s->total;
	}
}

static void add_stat(struct gor_row *r, const struct gstat *s)
{
	for (int k = 0; k < GV__N; k++)
		r->v[k] = wrap_add(r->v[k], value(s, k));
}

const struct gor_row *gor_row(const struct gor *p, int level, uint32_t i, struct gor_row *room)
{
	uint32_t k = p->order[level][i];
	if (level == GL_GROUPS)
		return &p->groups[k];
	const struct gstat *s = &p->gs->g[k];
	*room = (struct gor_row){.name = store_trk(sched_snap(p->sched)->st, s->trk)->name, .trk = s->trk, .n = 1,
	    .first = k, .t0 = s->t0, .t1 = s->t1};
	add_stat(room, s);
	return room;
}

const struct gor_row *gor_sel(const struct gor *p, struct gor_row *room)
{
	int l = p->level == GL_GROUPS ? GL_GROUPS : GL_LIST;
	return p->rows[l].n ? gor_row(p, l, p->rows[l].sel, room) : NULL;
}

/* ---- order */

struct by { const struct gor_row *row; const struct store *st; int sort; bool invert; };

static int cmp_group(const void *ctx, uint32_t a, uint32_t b)
{
	const struct by *by = ctx;
	const struct gor_row *x = &by->row[a], *y = &by->row[b];
	int d = 0;
	if (by->sort < GV__N)
		d = x->v[by->sort] > y->v[by->sort] ? -1 : x->v[by->sort] < y->v[by->sort];
	else if (by->sort == SORT_N)
		d = x->n > y->n ? -1 : x->n < y->n;
	else
		d = sched_name_cmp(by->st, x->name, y->name);
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

/* The goroutines of a group in an order: what is made of a list. */
struct list {
	const struct sched_groups *gs;
	const struct gor_row *groups;
	uint32_t ngroup;
	const struct store *st;
	str_id open;
	int sort;
	bool invert;
	const struct rx *grep;	/* NULL, or which of them */
	uint32_t n, *order;	/* of gs->g */
};

static uint64_t key_of(const struct list *l, uint32_t i)
{
	const struct gstat *s = &l->gs->g[i];
	uint64_t key = l->sort < GV__N	 ? keyed_down(value(s, l->sort))
		     : l->sort == SORT_N ? store_trk(l->st, s->trk)->id
					 : keyed_up(s->t0);
	return l->invert ? ~key : key;
}

static bool fits(const struct list *l, uint32_t i)
{
	trk_id t = l->gs->g[i].trk;
	return !l->grep || gor_match(l->st, &(struct gor_row){.name = store_trk(l->st, t)->name, .trk = t}, l->grep);
}

static void list_make(struct list *l)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < l->ngroup; i++)
		most += l->groups[i].name == l->open ? l->groups[i].n : 0;
	struct keyed *v = xmalloc((most + 1u) * sizeof *v);
	l->n = 0;
	for (uint32_t i = 0; i < l->ngroup; i++)
		for (uint32_t k = l->groups[i].first;
		     l->groups[i].name == l->open && k < l->groups[i].first + l->groups[i].n; k++)
			if (fits(l, k))
				v[l->n++] = (struct keyed){key_of(l, k), k};
	keyed_sort(v, l->n);
	l->order = xmalloc((l->n + 1u) * sizeof *l->order);
	for (uint32_t i = 0; i < l->n; i++)
		l->order[i] = v[i].v;
	mem_free(v);
}

static void list_select(struct gor *p, uint32_t n)
{
	uint32_t sel = 0;
	for (uint32_t i = 0; i < n && p->sel[GL_LIST] > 0; i++)
		if (p->trk[p->order[GL_LIST][i]] == (trk_id)p->sel[GL_LIST]) {
			sel = i;
			break;
		}
	rows_set(&p->rows[GL_LIST], n);
	rows_select(&p->rows[GL_LIST], sel);
}

static void list_take(struct gor *p, struct list *l)
{
	mem_free(p->order[GL_LIST]);
	p->order[GL_LIST] = l->order;
	p->listed = true;
	p->list = (struct gor_list){l->grep ? UINT32_MAX : l->open, l->sort, l->invert};
	list_select(p, l->n);
}

/* It is of what is open now, in the order that is asked for now. */
static bool is_wanted(const struct gor *p, const struct list *l)
{
	return l->order && l->open == p->open && l->sort == p->sort[GL_LIST] && l->invert == p->invert[GL_LIST];
}

static struct list list_of(const struct gor *p, const struct pane_env *env)
{
	return (struct list){p->gs, p->groups, p->gs ? p->ngroup : 0, session_snap(env->s)->st, p->open,
	    p->sort[GL_LIST], p->invert[GL_LIST], env->grep.rx, 0, NULL};
}

void gor_fill(struct gor *p, const struct pane_env *env)
{
	struct list l = list_of(p, env);
	const struct gor_list *was = &p->list;
	if (p->listed && !l.grep && was->open == l.open && was->sort == l.sort && was->invert == l.invert) {
		list_select(p, p->rows[GL_LIST].n);	/* one goes to and fro between a list and its group */
		return;
	}
	list_make(&l);
	list_take(p, &l);
}

void gor_order(struct gor *p, const struct pane_env *env, int l)
{
	const struct store *st = session_snap(env->s)->st;
	struct by by = {p->groups, st, p->sort[l], p->invert[l]};
	uint32_t m = 0, sel = 0;
	if (l == GL_LIST) {
		gor_fill(p, env);
		return;
	}
	p->order[l] = mem_grow(p->order[l], &p->corder, p->ngroup + 1u, sizeof *p->order[l]);
	p->most = 0;
	for (uint32_t i = 0; i < p->ngroup; i++)
		if (!env->grep.rx || gor_match(st, &by.row[i], env->grep.rx)) {
			p->order[l][m++] = i;
			p->most = by.row[i].v[GV_RUN] > p->most ? by.row[i].v[GV_RUN] : p->most;
		}
	sort_u32(p->order[l], m, cmp_group, &by);
	for (uint32_t i = 0; i < m; i++)
		if ((int64_t)by.row[p->order[l][i]].name == p->sel[l])
			sel = i;
	rows_set(&p->rows[l], m);
	rows_select(&p->rows[l], sel);
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
	int64_t ran;
	trk_id *trk, *creator, *child;
	uint32_t *region, nchild, nregion;
	bool lists;		/* the list alone, of groups that are there */
	struct list list;	/* order NULL: none */
	struct job *job;
};
/* Goroutines, in each sheet, whose accounts are made in less than a frame; and those that are many to go through
   for each key. */
enum { AT_ONCE = 20000, TOLD = 2000, LISTED = 20000, LOOKED = 1 << 10 };	/* LOOKED: here and there, at rows */

static trk_id region_track(const struct snap *sn, uint32_t i)
{
	const struct sink_span *s = &store_span(sn->st, i)->s;
	return s->kind == SP_REGION && !(s->v0 & RG_LOOSE) ? s->trk : 0;
}

/* Regions by goroutine, counted: there may be more of them than of all else. */
static void make_regions(struct gor_made *m)
{
	const struct snap *sn = m->sn;
	uint32_t *at = xcalloc(sn->ntrks + 2u, sizeof *at);
	for (uint32_t i = 0; i < sn->nspans; store_pass(sn, i++))
		at[region_track(sn, i) + 1]++;
	at[1] = 0;	/* of nobody */
	for (trk_id t = 1; t <= sn->ntrks; t++)
		at[t + 1] += at[t];
	m->nregion = at[sn->ntrks + 1u];
	m->region = arena_alloc(&m->mem, (m->nregion + 1u) * sizeof *m->region);
	struct scatter s = {.at = at, .put = scatter_u32, .arg = m->region, .a = &m->mem};
	for (uint32_t i = 0; i < sn->nspans && m->nregion; store_pass(sn, i++)) {
		trk_id t = region_track(sn, i);
		if (t)
			scatter_add(&s, t, i);
	}
	scatter_end(&s);
	mem_free(at);
}

static trk_id creator_of(const struct snap *sn, trk_id t)
{
	const struct trk_row *r = store_trk(sn->st, t);
	trk_id by = r->kind == TK_G ? r->creator : 0;
	return by < sn->ntrks ? by : 0;
}

/* By when they were first seen; they come by number, which is nearly always the same. */
static void sort_born(const struct snap *sn, trk_id *v, uint32_t n)
{
	bool sorted = true;
	for (uint32_t i = 1; i < n && sorted; i++)
		sorted = store_trk(sn->st, v[i - 1])->t0 <= store_trk(sn->st, v[i])->t0;
	if (sorted)
		return;
	struct keyed *k = xmalloc(n * sizeof *k);
	for (uint32_t i = 0; i < n; i++)
		k[i] = (struct keyed){keyed_up(store_trk(sn->st, v[i])->t0), v[i]};
	keyed_sort(k, n);
	for (uint32_t i = 0; i < n; i++)
		v[i] = k[i].v;
	mem_free(k);
}

/* Who was created by whom, and which regions are of whom: a page asks by halving. */
static void make_kin(struct gor_made *m)
{
	const struct snap *sn = m->sn;
	uint32_t *at = xcalloc(sn->ntrks + 2u, sizeof *at), from = 0;
	for (trk_id t = 1; t < sn->ntrks; store_pass(sn, t++))
		at[creator_of(sn, t) + 1]++;
	at[1] = 0;	/* by nobody that is known */
	for (trk_id t = 1; t <= sn->ntrks; t++)
		at[t + 1] += at[t];
	m->nchild = at[sn->ntrks + 1u];
	m->child = arena_alloc(&m->mem, (m->nchild + 1u) * sizeof *m->child);
	struct scatter s = {.at = at, .put = scatter_u32, .arg = m->child, .a = &m->mem};
	for (trk_id t = 1; t < sn->ntrks; store_pass(sn, t++))
		if (creator_of(sn, t))
			scatter_add(&s, creator_of(sn, t), t);
	scatter_end(&s);
	for (trk_id t = 1; t < sn->ntrks; from = at[t++]) {	/* where the next of t would go: its end */
		sort_born(sn, m->child + from, at[t] - from);
		store_pass(sn, t);
	}
	mem_free(at);
	make_regions(m);
	arena_rest(&m->mem);
}

static int make(struct job *j, void *arg)
{
	struct gor_made *m = arg;
	if (m->lists) {
		list_make(&m->list);
		return 0;
	}
	tp_on_proc(&m->scope, &m->mem);
	struct sched_ask ask = tp_ask(&m->scope);
	ask.on = job_onlooker(j);
	m->key = gor_by_keys(m->sn, m->by, m->scope.t0, m->scope.t1, &m->mem, &ask.on);
	ask.key = m->key;
	m->sched = sched_new(m->sn, &m->mem);
	m->gs = sched_groups(m->sched, &ask, &m->mem);
	m->trk = arena_alloc(&m->mem, (m->gs->ng + 1u) * sizeof *m->trk);
	m->creator = arena_alloc(&m->mem, (m->gs->ng + 1u) * sizeof *m->creator);
	m->groups = arena_zalloc(&m->mem, (m->gs->n + 1u) * sizeof *m->groups);
	for (uint32_t i = 0; i < m->gs->n; i++) {
		const struct sched_group *gr = &m->gs->group[i];
		if (!gr->n)
			continue;
		struct gor_row *r = &m->groups[m->ngroup++];
		*r = (struct gor_row){.name = gr->name, .n = gr->n, .first = gr->first};
		for (uint32_t k = gr->first; k < gr->first + gr->n; arena_look(&m->mem, k++)) {
			add_stat(r, &m->gs->g[k]);
			m->trk[k] = m->gs->g[k].trk;
			m->creator[k] = store_trk(m->sn->st, m->trk[k])->creator;
			if (k % LOOKED == LOOKED - 1)
				store_rest(m->sn);
		}
		m->ran += r->v[GV_RUN];
		if (j && job_cancelled(j))
			return -1;
		if (gr->n < TOLD)
			continue;
		struct gor_told *told = arena_zalloc(&m->mem, sizeof *told);
		gor_tell(m->sn, m->gs, gr->first, gr->n, &m->mem, told);
		r->told = told;
	}
	if (j)
		job_tell(j, 90, 100);
	if (j && job_cancelled(j))
		return -1;
	make_kin(m);
	if (m->list.st) {
		m->list.gs = m->gs;
		m->list.groups = m->groups;
		m->list.ngroup = m->ngroup;
		list_make(&m->list);
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
	m->mem.spills = true;
	tp_scope(env, &m->mem, &m->scope);
	if (p->level != GL_GROUPS && !env->grep.rx)	/* what is shown is made with it */
		m->list = list_of(p, env);
	m->job = (uint64_t)m->sn->ntrks * (m->sn->nsheets + 1) > AT_ONCE ? job_start(make, m) : NULL;
	p->work = m;
	if (m->job)
		return false;
	make(NULL, m);
	return gor_take(p, env->s);
}

struct job *gor_work(const struct gor *p)
{
	return p->work ? p->work->job : p->look ? gor_look_job(p) : gor_one_job(p);
}

bool gor_lists(const struct gor *p)
{
	return p->work && p->work->lists;
}

bool gor_take(struct gor *p, struct session *s)
{
	struct gor_made *m = p->work;
	bool again = p->again;
	if (m->job)
		job_join(m->job);
	p->work = NULL;
	p->again = false;
	if (m->lists) {
		if (is_wanted(p, &m->list)) {
			list_take(p, &m->list);
			p->level = p->opening ? GL_LIST : p->level;
		} else {
			mem_free(m->list.order);
		}
		p->opening = false;
		mem_free(m);
		return !again;
	}
	gor_look_drop(p);
	session_let_go_of(s, &p->mem);
	p->mem = m->mem;
	p->scope = m->scope;
	p->key = m->key;
	p->sched = m->sched;
	p->gs = m->gs;
	p->trk = m->trk;
	p->creator = m->creator;
	p->groups = m->groups;
	p->ngroup = m->ngroup;
	p->ran = m->ran;
	p->child = m->child;
	p->nchild = m->nchild;
	p->region = m->region;
	p->nregion = m->nregion;
	p->listed = false;
	if (p->level != GL_GROUPS && is_wanted(p, &m->list))
		list_take(p, &m->list);
	else
		mem_free(m->list.order);
	p->story_of = -1;
	memset(&p->tree, 0, sizeof p->tree);
	mem_free(m);
	return !again;
}

bool gor_fill_soon(struct gor *p, const struct pane_env *env)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->ngroup; i++)
		n += p->groups[i].name == p->open ? p->groups[i].n : 0;
	if (n > LISTED && !env->grep.rx && !p->work) {
		struct gor_made *m = xcalloc(1, sizeof *m);
		m->lists = true;
		m->list = list_of(p, env);
		m->sn = session_snap(env->s);
		m->job = job_start(make, m);
		p->work = m->job ? m : NULL;
		if (m->job)
			return false;
		mem_free(m);
	}
	gor_fill(p, env);
	return true;
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

