/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The rows of the goroutines pane: groups and goroutines as indexes, in an order. Sorting moves
 * keys and indexes, not the times. There may be a million goroutines, so their rows are made when
 * they are read, and large lists are sorted in the background.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "calltree/weighted.h"

#include <string.h>

/* Return a displayed value of a goroutine. */
static int64_t stat_value(const struct goroutine_times *s, int k)
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

static void add_stat(struct goroutines_row *r, const struct goroutine_times *s)
{
	for (int k = 0; k < GV__N; k++)
		r->v[k] = wrap_add(r->v[k], stat_value(s, k));
}

const struct goroutines_row *goroutines_row(
    const struct goroutines_state *p, int level, uint32_t i, struct goroutines_row *room)
{
	uint32_t k = p->order[level][i];
	if (level == GL_GROUPS)
		return &p->groups[k];
	const struct goroutine_times *s = &p->gs->g[k];
	*room = (struct goroutines_row){.name = store_trk(stats_index_snap(p->stats_index)->st, s->trk)->name,
	    .trk = s->trk,
	    .n = 1,
	    .first = k,
	    .t0 = s->t0,
	    .t1 = s->t1};
	add_stat(room, s);
	return room;
}

const struct goroutines_row *goroutines_selected_row(const struct goroutines_state *p, struct goroutines_row *room)
{
	int l = p->level == GL_GROUPS ? GL_GROUPS : GL_LIST;
	return p->rows[l].n ? goroutines_row(p, l, p->rows[l].sel, room) : NULL;
}

/* ---- order */

struct group_order { const struct goroutines_row *row; const struct store *st; int sort; bool invert; };

static int cmp_group(const void *ctx, uint32_t a, uint32_t b)
{
	const struct group_order *by = ctx;
	const struct goroutines_row *x = &by->row[a], *y = &by->row[b];
	int d = 0;
	if (by->sort < GV__N)
		d = x->v[by->sort] > y->v[by->sort] ? -1 : x->v[by->sort] < y->v[by->sort];
	else if (by->sort == SORT_N)
		d = x->n > y->n ? -1 : x->n < y->n;
	else
		d = stats_compare_names(by->st, x->name, y->name);
	if (d)
		return by->invert ? -d : d;
	return a < b ? -1 : a > b;
}

bool goroutines_row_matches(const struct store *st, const struct goroutines_row *r, const struct regex *rx)
{
	struct buf b = {0};
	if (r->trk) {
		tracepane_put_id(st, r->trk, &b);
		buf_putc(&b, ' ');
	}
	tracepane_put_str(st, r->name, "(no start function)", &b);
	if (r->trk && store_trk(st, r->trk)->creator) {
		buf_putc(&b, ' ');
		tracepane_put_track(st, store_trk(st, r->trk)->creator, &b);
	}
	bool hit = regex_match(rx, b.p, b.n);
	buf_free(&b);
	return hit;
}

/* Input and output of the sort of a group's goroutines. */
struct goroutine_list {
	const struct stats_groups *gs;
	const struct goroutines_row *groups;
	uint32_t ngroup;
	const struct store *st;
	str_id open;
	int sort;
	bool invert;
	const struct regex *grep;	/* NULL, or a filter */
	uint32_t n, *order;	/* indexes into gs->g */
};

static uint64_t key_of(const struct goroutine_list *l, uint32_t i)
{
	const struct goroutine_times *s = &l->gs->g[i];
	uint64_t key = l->sort < GV__N	 ? radix_key_descending(stat_value(s, l->sort))
		     : l->sort == SORT_N ? store_trk(l->st, s->trk)->id
					 : radix_key_ascending(s->t0);
	return l->invert ? ~key : key;
}

static bool list_has(const struct goroutine_list *l, uint32_t i)
{
	trk_id t = l->gs->g[i].trk;
	return !l->grep || goroutines_row_matches(
			       l->st, &(struct goroutines_row){.name = store_trk(l->st, t)->name, .trk = t}, l->grep);
}

static void list_make(struct goroutine_list *l)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < l->ngroup; i++)
		most += l->groups[i].name == l->open ? l->groups[i].n : 0;
	struct radix_item *v = xmalloc((most + 1u) * sizeof *v);
	l->n = 0;
	for (uint32_t i = 0; i < l->ngroup; i++)
		for (uint32_t k = l->groups[i].first;
		     l->groups[i].name == l->open && k < l->groups[i].first + l->groups[i].n; k++)
			if (list_has(l, k))
				v[l->n++] = (struct radix_item){key_of(l, k), k};
	radix_sort_items(v, l->n);
	l->order = xmalloc((l->n + 1u) * sizeof *l->order);
	for (uint32_t i = 0; i < l->n; i++)
		l->order[i] = v[i].v;
	mem_free(v);
}

uint32_t goroutines_find_index(const struct goroutines_state *p, trk_id t)
{
	for (uint32_t i = 0; i < p->ngroup; i++)
		for (uint32_t k = p->groups[i].first;
		     p->groups[i].name == p->open && k < p->groups[i].first + p->groups[i].n; k++)
			if (p->trk[k] == t)
				return k;
	return UINT32_MAX;
}

static void reselect_goroutine(struct goroutines_state *p, uint32_t n)
{
	uint32_t sel = 0, k = p->sel[GL_LIST] > 0 ? goroutines_find_index(p, (trk_id)p->sel[GL_LIST]) : UINT32_MAX;
	for (uint32_t i = 0; i < n && k != UINT32_MAX; i++)	/* a sequential search, which reads no goroutine */
		if (p->order[GL_LIST][i] == k) {
			sel = i;
			break;
		}
	list_set_count(&p->rows[GL_LIST], n);
	list_select(&p->rows[GL_LIST], sel);
}

/* Store a new list and keep the previous one: an incremental search alternates between two groups. */
static void list_take(struct goroutines_state *p, struct goroutine_list *l)
{
	bool kept = p->listed && p->list.open != UINT32_MAX;
	mem_free(kept ? p->other.order : p->order[GL_LIST]);
	if (kept)
		p->other = (struct goroutines_previous_list){p->order[GL_LIST], p->rows[GL_LIST].n, p->list};
	p->order[GL_LIST] = l->order;
	p->listed = true;
	p->list = (struct goroutines_list_key){l->grep ? UINT32_MAX : l->open, l->sort, l->invert};
	reselect_goroutine(p, l->n);
}

void goroutines_drop_previous(struct goroutines_state *p)
{
	mem_free(p->other.order);
	p->other.order = NULL;
}

static bool same_list(const struct goroutines_list_key *a, const struct goroutine_list *l)
{
	return !l->grep && a->open == l->open && a->sort == l->sort && a->invert == l->invert;
}

/* Return true if the list exists already, or was the previous one. */
static bool reuse_list(struct goroutines_state *p, const struct goroutine_list *l)
{
	struct goroutines_previous_list was = p->other;
	if (!p->listed)
		return false;
	if (same_list(&p->list, l)) {
		reselect_goroutine(p, p->rows[GL_LIST].n);
		return true;
	}
	if (!was.order || !same_list(&was.of, l) || p->list.open == UINT32_MAX)
		return false;
	p->other = (struct goroutines_previous_list){p->order[GL_LIST], p->rows[GL_LIST].n, p->list};
	p->order[GL_LIST] = was.order;
	p->list = was.of;
	reselect_goroutine(p, was.n);
	return true;
}

/* Return whether the list is of the open group in the current order. */
static bool is_wanted(const struct goroutines_state *p, const struct goroutine_list *l)
{
	return l->order && l->open == p->open && l->sort == p->sort[GL_LIST] && l->invert == p->invert[GL_LIST];
}

static struct goroutine_list list_of(const struct goroutines_state *p, const struct pane_env *env)
{
	return (struct goroutine_list){p->gs, p->groups, p->gs ? p->ngroup : 0, session_snap(env->s)->st, p->open,
	    p->sort[GL_LIST], p->invert[GL_LIST], env->grep.rx, 0, NULL};
}

void goroutines_fill_list(struct goroutines_state *p, const struct pane_env *env)
{
	struct goroutine_list l = list_of(p, env);
	if (reuse_list(p, &l))	/* moving between a list and its group */
		return;
	list_make(&l);
	list_take(p, &l);
}

void goroutines_sort_rows(struct goroutines_state *p, const struct pane_env *env, int l)
{
	const struct store *st = session_snap(env->s)->st;
	struct group_order by = {p->groups, st, p->sort[l], p->invert[l]};
	uint32_t m = 0, sel = 0;
	if (l == GL_LIST) {
		goroutines_fill_list(p, env);
		return;
	}
	p->order[l] = mem_grow(p->order[l], &p->corder, p->ngroup + 1u, sizeof *p->order[l]);
	p->most = 0;
	for (uint32_t i = 0; i < p->ngroup; i++)
		if (!env->grep.rx || goroutines_row_matches(st, &by.row[i], env->grep.rx)) {
			p->order[l][m++] = i;
			p->most = by.row[i].v[GV_RUN] > p->most ? by.row[i].v[GV_RUN] : p->most;
		}
	calltree_sort_u32(p->order[l], m, cmp_group, &by);
	for (uint32_t i = 0; i < m; i++)
		if ((int64_t)by.row[p->order[l][i]].name == p->sel[l])
			sel = i;
	list_set_count(&p->rows[l], m);
	list_select(&p->rows[l], sel);
}

/* ---- building */

/* Groups being built by a job, which owns copies of its snapshot and query. */
struct goroutines_build {
	struct arena mem;
	struct query q;		/* its strings are owned by the session */
	struct tracepane_scope scope;
	const struct snap *sn;
	enum group_key_kind by;
	str_id *key;
	struct stats_index *stats_index;
	struct stats_groups *gs;
	struct goroutines_row *groups;
	uint32_t ngroup;
	int64_t ran;
	trk_id *trk, *creator;
	struct goroutines_kin kin;
	bool lists;		/* only sort a list of existing groups */
	struct goroutine_list list;	/* order NULL: no list */
};
enum { TOLD = 2000 };	/* size up to which a group is summed again for each key */

static trk_id region_track(const struct snap *sn, uint32_t i)
{
	const struct sink_span *s = &store_span(sn->st, i)->s;
	return s->kind == SP_REGION && !(s->v0 & RG_LOOSE) ? s->trk : 0;
}

/* Sort the regions by goroutine with a counting sort: they may be the largest table. */
static void make_regions(struct goroutines_build *m)
{
	const struct snap *sn = m->sn;
	uint32_t *at = xcalloc(sn->ntrks + 2u, sizeof *at);
	for (uint32_t i = 0; i < sn->nspans; i++)
		at[region_track(sn, i) + 1]++;
	at[1] = 0;	/* without a goroutine */
	for (trk_id t = 1; t <= sn->ntrks; t++)
		at[t + 1] += at[t];
	m->kin.nregion = at[sn->ntrks + 1u];
	m->kin.region = arena_alloc(&m->mem, (m->kin.nregion + 1u) * sizeof *m->kin.region);
	for (uint32_t i = 0; i < sn->nspans && m->kin.nregion; i++) {
		trk_id t = region_track(sn, i);
		if (t)
			m->kin.region[at[t]++] = i;
	}
	mem_free(at);
}

static trk_id creator_of(const struct snap *sn, trk_id t)
{
	const struct trk_row *r = store_trk(sn->st, t);
	trk_id by = r->kind == TK_G ? r->creator : 0;
	return by < sn->ntrks ? by : 0;
}

/* Sort by start; the input is sorted by number, which is nearly always the same order. */
static void sort_born(const struct snap *sn, trk_id *v, uint32_t n)
{
	bool sorted = true;
	for (uint32_t i = 1; i < n && sorted; i++)
		sorted = store_trk(sn->st, v[i - 1])->t0 <= store_trk(sn->st, v[i])->t0;
	if (sorted)
		return;
	struct radix_item *k = xmalloc(n * sizeof *k);
	for (uint32_t i = 0; i < n; i++)
		k[i] = (struct radix_item){radix_key_ascending(store_trk(sn->st, v[i])->t0), v[i]};
	radix_sort_items(k, n);
	for (uint32_t i = 0; i < n; i++)
		v[i] = k[i].v;
	mem_free(k);
}

/* Index the goroutines by creator and the regions by goroutine, for binary search. */
static void make_kin(struct goroutines_build *m)
{
	const struct snap *sn = m->sn;
	uint32_t *at = xcalloc(sn->ntrks + 2u, sizeof *at), from = 0;
	for (trk_id t = 1; t < sn->ntrks; t++)
		at[creator_of(sn, t) + 1]++;
	at[1] = 0;	/* without a known creator */
	for (trk_id t = 1; t <= sn->ntrks; t++)
		at[t + 1] += at[t];
	m->kin.nchild = at[sn->ntrks + 1u];
	m->kin.child = arena_alloc(&m->mem, (m->kin.nchild + 1u) * sizeof *m->kin.child);
	for (trk_id t = 1; t < sn->ntrks; t++)
		if (creator_of(sn, t))
			m->kin.child[at[creator_of(sn, t)]++] = t;
	for (trk_id t = 1; t < sn->ntrks; from = at[t++]) /* after the fill, at[t] is the end of the entries of t */
		sort_born(sn, m->kin.child + from, at[t] - from);
	mem_free(at);
	make_regions(m);
}

static void make_groups(struct goroutines_build *m, struct job *j)
{
	tracepane_scope_of_query(m->sn, &m->q, &m->mem, &m->scope);
	tracepane_limit_to_proc(&m->scope, &m->mem);
	struct stats_query ask = tracepane_sched_query(&m->scope);
	ask.on = job_progress_watcher(j);
	m->key = group_key_make(m->sn, m->by, m->scope.t0, m->scope.t1, &m->mem, &ask.on);
	ask.key = m->key;
	m->stats_index = stats_index_new(m->sn, &m->mem);
	m->gs = stats_groups(m->stats_index, &ask, &m->mem);
	m->trk = arena_alloc(&m->mem, (m->gs->ng + 1u) * sizeof *m->trk);
	m->creator = arena_alloc(&m->mem, (m->gs->ng + 1u) * sizeof *m->creator);
	m->groups = arena_zalloc(&m->mem, (m->gs->n + 1u) * sizeof *m->groups);
	for (uint32_t i = 0; i < m->gs->n; i++) {
		const struct stats_group *gr = &m->gs->group[i];
		if (!gr->n)
			continue;
		struct goroutines_row *r = &m->groups[m->ngroup++];
		*r = (struct goroutines_row){.name = gr->name, .n = gr->n, .first = gr->first};
		for (uint32_t k = gr->first; k < gr->first + gr->n; k++) {
			add_stat(r, &m->gs->g[k]);
			m->trk[k] = m->gs->g[k].trk;
			m->creator[k] = store_trk(m->sn->st, m->trk[k])->creator;
		}
		m->ran += r->v[GV_RUN];
		if (j && job_cancelled(j))
			return;
		if (gr->n < TOLD)
			continue;
		struct goroutines_totals *totals = arena_zalloc(&m->mem, sizeof *totals);
		goroutines_sum_group(m->sn, m->gs, gr->first, gr->n, totals);
		r->totals = totals;
	}
	if (j)
		job_report_progress(j, 90, 100);
	if (j && job_cancelled(j))
		return;
	make_kin(m);
	if (m->list.st) {
		m->list.gs = m->gs;
		m->list.groups = m->groups;
		m->list.ngroup = m->ngroup;
		list_make(&m->list);
	}
}

/* A cancelled build is freed by the worker: freeing much takes longer than a frame. */
static void run_build(void *work, struct job *j)
{
	struct goroutines_build *m = work;
	if (m->lists)
		list_make(&m->list);
	else
		make_groups(m, j);
	if (j && job_cancelled(j))
		arena_free(&m->mem);
}

static void free_build(void *work)
{
	struct goroutines_build *m = work;
	arena_free(&m->mem);
	mem_free(m->list.order);
	mem_free(m);
}

static const struct async_kind build_kind = {run_build, free_build};

static bool take_build(struct goroutines_state *, struct goroutines_build *, struct session *);

bool goroutines_make_groups(struct goroutines_state *p, const struct pane_env *env)
{
	const struct goroutines_build *was = async_wanted(&p->work);
	if (async_job(&p->work)) {
		p->again = true;
		if (was && !was->lists && (was->by != p->by || !query_same_scope(&was->q, session_query(env->s))))
			async_cancel(&p->work);
		return false;
	}
	struct goroutines_build *m = xcalloc(1, sizeof *m);
	m->sn = session_snap(env->s);
	m->by = p->by;
	m->q = *session_query(env->s);
	if (p->level != GL_GROUPS && !env->grep.rx)	/* make the displayed list too */
		m->list = list_of(p, env);
	m = async_start(&p->work, &build_kind, m, (uint64_t)m->sn->ntrks * (m->sn->nsheets + 1));
	return m && take_build(p, m, env->s);
}

bool goroutines_job_is_list(const struct goroutines_state *p)
{
	const struct goroutines_build *m = async_running(&p->work);
	return m && m->lists;
}

bool goroutines_job_outdated(const struct goroutines_state *p)
{
	return async_job(&p->work) && !async_wanted(&p->work);
}

bool goroutines_job_finish(struct goroutines_state *p, struct session *s)
{
	return take_build(p, async_finish(&p->work), s);
}

static bool take_build(struct goroutines_state *p, struct goroutines_build *m, struct session *s)
{
	bool again = p->again;
	p->again = false;
	if (!m)
		return !again;
	if (m->lists) {
		bool wanted = is_wanted(p, &m->list);
		if (wanted)
			list_take(p, &m->list);
		else
			mem_free(m->list.order);
		p->level = wanted && p->opening ? GL_LIST : p->level;
		p->opening = p->opening && !wanted && p->relist;
		mem_free(m);
		return !again;
	}
	goroutines_wait_cancel(p);
	goroutines_search_clear(p);
	session_free_arena_async(s, &p->mem);
	p->mem = m->mem;
	p->scope = m->scope;
	p->key = m->key;
	p->stats_index = m->stats_index;
	p->gs = m->gs;
	p->trk = m->trk;
	p->creator = m->creator;
	p->groups = m->groups;
	p->ngroup = m->ngroup;
	p->ran = m->ran;
	p->kin = m->kin;
	p->listed = false;
	list_set_count(&p->rows[GL_LIST], 0);
	goroutines_drop_previous(p);
	if (p->level != GL_GROUPS && is_wanted(p, &m->list))
		list_take(p, &m->list);
	else
		mem_free(m->list.order);
	p->story.of = -1;
	p->one.of = 0;
	mem_free(m);
	return !again;
}

bool goroutines_fill_list_async(struct goroutines_state *p, const struct pane_env *env)
{
	uint32_t n = 0;
	struct goroutine_list l = list_of(p, env);
	p->relist = false;
	if (reuse_list(p, &l))
		return true;
	for (uint32_t i = 0; i < p->ngroup; i++)
		n += p->groups[i].name == p->open ? p->groups[i].n : 0;
	bool many = async_is_long(n + 1u) && !env->grep.rx;
	if (many && goroutines_job_is_list(p)) {
		p->relist = true;
		return false;
	}
	if (many && !async_job(&p->work)) {
		struct goroutines_build *m = xcalloc(1, sizeof *m);
		m->lists = true;
		m->list = l;
		m->sn = session_snap(env->s);
		m = async_start(&p->work, &build_kind, m, n + 1u);
		if (!m)
			return false;
		free_build(m);
	}
	goroutines_fill_list(p, env);
	return true;
}
