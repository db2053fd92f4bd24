/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The rows of the tasks pane. Kinds, regions and the events of a task are computed by
 * trace/stats/goroutine_stats.c, as for the reports; here they become rows: kinds with a histogram
 * each, the items of a kind in an order, and the lines of one task. All items of a kind are kept,
 * also those outside of the filter, because the histogram counts all of them, so that the filter
 * can be widened again.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/bsearch.h"
#include "base/radix_sort.h"
#include "base/text/text.h"
#include "calltree/weighted.h"
#include "store/tracks/time_search.h"
#include "trace/bins.h"

#include <stdlib.h>
#include <string.h>

/* Return whether an item's duration counts. It is unknown for a task without a start or an end in the trace. */
static bool is_measured(const struct tasks_listing *p, const struct item *it)
{
	return it->in && (p->regions || !it->open);
}

static void add_item(struct tasks_listing *p, struct item it)
{
	struct kind *k = &p->kind[it.kind];
	p->item[p->nitem++] = it;
	k->all++;
	k->n += it.in;
	k->open += it.in && it.open;
	if (is_measured(p, &it))
		histogram_add(&k->h, it.t1 - it.t0);
}

/* Check for cancellation; called in the conditions of loops. */
static bool should_continue(const struct progress_watcher *on, uint32_t i)
{
	enum { ROWS = 1 << 16 };
	return i % ROWS || job_should_continue(on);
}

/* Index the tasks by their parent, to find the children of a task. */
static void make_kids(struct tasks_listing *p)
{
	uint32_t n = 0, max = p->ts->n;
	struct radix_item *by_key = xmalloc((max + 1u) * sizeof *by_key);
	for (uint32_t i = 0; i < max; i++) {
		const struct stats_task *t = &p->ts->task[i];
		if (t->parent && t->parent != UINT64_MAX && t->parent != t->id)
			by_key[n++] = (struct radix_item){t->parent, i};
	}
	radix_sort_items(by_key, n);
	p->kid = arena_alloc(&p->mem, (n + 1u) * sizeof *p->kid);
	for (p->nkid = 0; p->nkid < n; p->nkid++)
		p->kid[p->nkid] = by_key[p->nkid].v;
	mem_free(by_key);
}

static void make_tasks(struct tasks_listing *p, const struct snap *sn, const struct progress_watcher *on)
{
	uint32_t *of = xcalloc(sn->nstrs + 1u, sizeof *of), n = 0;
	p->ts = stats_tasks(sn, &p->mem, on);
	for (uint32_t i = 0; i < p->ts->n; i++)
		if (p->ts->task[i].span != UINT32_MAX && !of[p->ts->task[i].name])
			of[p->ts->task[i].name] = ++n;
	p->kind = arena_zalloc(&p->mem, (n + 1u) * sizeof *p->kind);
	p->item = arena_alloc(&p->mem, (p->ts->n + 1u) * sizeof *p->item);
	p->nkind = n;
	for (uint32_t i = 0; i < p->ts->n && should_continue(on, i); i++) {
		const struct stats_task *t = &p->ts->task[i];
		if (t->span == UINT32_MAX)
			continue;
		struct item it = {.i = i,
		    .kind = of[t->name] - 1,
		    .in = task_filter_match_task(&p->criteria, sn->st, p->ts, t),
		    .open = t->t0 == TIME_NONE || t->t1 == TIME_NONE};
		tracepane_task_bounds(sn, t, &it.t0, &it.t1);
		p->kind[it.kind].name = t->name;
		if (tracepane_span_in_scope(&p->scope, t->span, store_span(sn->st, t->span)->s.trk, it.t0, it.t1))
			add_item(p, it);
	}
	mem_free(of);
	make_kids(p);
}

static void make_regions(struct tasks_listing *p, const struct snap *sn, const struct progress_watcher *on)
{
	struct stats_query ask = tracepane_sched_query(&p->scope);
	ask.on = *on;
	p->ks = stats_regions(stats_index_new(sn, &p->mem), &ask, &p->mem);
	p->kind = arena_zalloc(&p->mem, (p->ks->n + 1u) * sizeof *p->kind);
	p->item = arena_alloc(&p->mem, (p->ks->nr + 1u) * sizeof *p->item);
	p->nkind = p->ks->n;
	for (uint32_t k = 0; k < p->ks->n; k++) {
		const struct stats_region_kind *s = &p->ks->kind[k];
		p->kind[k].name = s->name;
		p->kind[k].frame = s->frame;
		for (uint32_t i = s->first; i < s->first + s->n && should_continue(on, i); i++) {
			const struct stats_region *r = &p->ks->r[i];
			struct sink_span sp = {.t0 = r->t0, .t1 = r->t1, .name = s->name};
			struct item it = {.t0 = r->t0,
			    .t1 = r->t1,
			    .i = i,
			    .kind = k,
			    .open = r->t0 == TIME_NONE || r->t1 == TIME_NONE,
			    .in = task_filter_match_region(&p->criteria, sn, &sp)};
			if (!stats_goroutine_bounds(sn, r->trk, &it.t0, &it.t1))
				it.t0 = it.t1 = sn->t0;
			if (trace_gset_has(p->scope.f.span, r->span))
				add_item(p, it);
		}
	}
}

/* ---- order */

static int64_t sort_value(const struct kind *k, int sort)
{
	static const enum stats_spread_at q[] = {0, SPREAD_P50, SPREAD_P95, SPREAD_P99, SPREAD_MAX};
	return sort == SORT_COUNT ? k->n : k->spread.at[q[sort]];
}

struct by_key { const struct tasks *p; const struct store *st; };

static int cmp_kind(const void *ctx, uint32_t a, uint32_t b)
{
	const struct by_key *by_key = ctx;
	const struct kind *x = &by_key->p->list.kind[a], *y = &by_key->p->list.kind[b];
	int d = stats_compare_names(by_key->st, x->name, y->name), sort = by_key->p->sort[L_KINDS];
	if (sort != SORT_NAME) {
		int64_t vx = sort_value(x, sort), vy = sort_value(y, sort);
		d = vx != vy ? (vx > vy ? -1 : 1) : d;
	}
	d = d ? d : a < b ? -1 : a > b;
	return by_key->p->invert[L_KINDS] ? -d : d;
}

int64_t tasks_value(const struct tasks *p, const struct item *it, int val)
{
	const struct stats_region *s = p->list.regions ? &p->list.ks->r[it->i] : NULL;
	int64_t blocked = 0;
	switch (val) {
	case IV_DUR: return it->t1 - it->t0;
	case IV_START: return it->t0;
	case IV_ID: return (int64_t)(s ? s->task : p->list.ts->task[it->i].id);
	case IV_RUN: return s ? s->exec : 0;
	case IV_READY: return s ? s->ready : 0;
	case IV_SYSCALL: return s ? s->syscall + s->sysblock : 0;
	default:
		for (uint32_t i = 0; s && i < s->nblock; i++)
			blocked += s->block[i].ns;
		return blocked;
	}
}

/* Sort by value: durations descending, starts and numbers ascending; inverted completely, ties too. */
static void sort_shown(struct tasks *p, uint32_t n)
{
	int val = p->sort[L_LIST];
	bool up = val == IV_START || val == IV_ID;
	struct radix_array v = {0};
	radix_array_alloc(&v, n);
	for (uint32_t i = 0; i < n; i++) {
		int64_t x = tasks_value(p, &p->list.item[p->shown[i]], val);
		radix_array_add(&v, up ? radix_key_ascending(x) : radix_key_descending(x), p->shown[i]);
	}
	radix_sort_items(v.v, n);
	for (uint32_t i = 0; i < n; i++)
		p->shown[p->invert[L_LIST] ? n - 1 - i : i] = v.v[i].v;
	radix_array_free(&v);
}

void tasks_row_text(const struct tasks *p, const struct store *st, enum tasks_level l, uint32_t i, struct buf *b)
{
	buf_reset(b);
	if (l == L_KINDS) {
		tracepane_put_str(st, p->list.kind[i].name, "", b);
		if (p->list.kind[i].frame)
			buf_putc(b, ' '), tracepane_put_frame(st, p->list.kind[i].frame, b, true);
		return;
	}
	const struct stats_task *t = p->list.regions ? NULL : &p->list.ts->task[p->list.item[i].i];
	uint32_t span = t ? t->span : p->list.ks->r[p->list.item[i].i].span;
	const struct sink_span *sp = span == UINT32_MAX ? NULL : &store_span(st, span)->s;
	tracepane_put_str(st, t ? t->name : sp->name, "", b);
	if (sp && sp->trk)
		buf_putc(b, ' '), tracepane_put_track(st, sp->trk, b);
	if (!t)
		return;
	buf_printf(b, " %llu", (unsigned long long)t->id);
	for (uint32_t k = t->first; k < t->first + t->n; k++) {
		struct stats_task_event e = stats_task_event(p->list.ts, k);
		buf_putc(b, ' ');
		tracepane_put_str(st, e.log ? store_mark(st, e.i)->category : store_span(st, e.i)->s.name, "", b);
		buf_putc(b, ' ');
		if (e.log)
			tracepane_put_str(st, store_mark(st, e.i)->text, "", b);
	}
}

void tasks_sort_kinds(struct tasks *p, const struct pane_env *env)
{
	const struct kind *was = kind_now(p);
	int64_t key = p->level > L_KINDS ? p->open : was && p->rows[L_KINDS].n <= p->list.nkind ? kind_key(was) : -1;
	uint32_t n = 0, sel = 0;
	struct buf b = {0};
	p->order = mem_grow(p->order, &p->corder, p->list.nkind + 1u, sizeof *p->order);
	for (uint32_t i = 0; i < p->list.nkind; i++) {
		if (env->grep.rx && p->level == L_KINDS)
			tasks_row_text(p, tasks_store(env), L_KINDS, i, &b);
		if (p->list.kind[i].n && (!env->grep.rx || p->level != L_KINDS || regex_match(env->grep.rx, b.p, b.n)))
			p->order[n++] = i;
	}
	buf_free(&b);
	calltree_sort_u32(p->order, n, cmp_kind, &(struct by_key){p, tasks_store(env)});
	for (uint32_t i = 0; i < n; i++)
		if (kind_key(&p->list.kind[p->order[i]]) == key)
			sel = i;
	list_set_count(&p->rows[L_KINDS], n);
	list_select(&p->rows[L_KINDS], sel);
	tasks_count_bars(p);
}

void tasks_fill_list(struct tasks *p, const struct pane_env *env)
{
	const struct store *st = tasks_store(env);
	uint32_t n = 0;
	struct buf b = {0};
	p->shown_of = p->open;
	p->most = 0;
	for (uint32_t k = 0; k < p->list.nkind; k++) {
		if (kind_key(&p->list.kind[k]) != p->open)
			continue;
		p->shown = mem_grow(p->shown, &p->cshown, p->list.kind[k].all + 1u, sizeof *p->shown);
		for (uint32_t i = p->list.kind[k].first; i < p->list.kind[k].first + p->list.kind[k].all; i++) {
			const struct item *it = &p->list.item[i];
			if (!it->in)
				continue;
			if (env->grep.rx && p->level == L_LIST) {
				tasks_row_text(p, st, L_LIST, i, &b);
				if (!regex_match(env->grep.rx, b.p, b.n))
					continue;
			}
			p->most = it->t1 - it->t0 > p->most ? it->t1 - it->t0 : p->most;
			p->shown[n++] = i;
		}
	}
	buf_free(&b);
	if (p->sort[L_LIST] != IV_DUR || p->invert[L_LIST])	/* items are stored in this order */
		sort_shown(p, n);
	list_set_count(&p->rows[L_LIST], n);
	p->search.list_no++;
	tasks_count_bars(p);
}

/* Keep item i if it is among the longest so far; of equal ones the first comes first. */
static void keep_longest(struct tasks *p, uint32_t i)
{
	int64_t ns = p->list.item[i].t1 - p->list.item[i].t0;
	uint32_t at = p->nlongest;
	while (at && p->list.item[p->longest[at - 1]].t1 - p->list.item[p->longest[at - 1]].t0 < ns)
		at--;
	if (at == TASKS_LONGEST)
		return;
	p->nlongest += p->nlongest < TASKS_LONGEST;
	memmove(&p->longest[at + 1], &p->longest[at], (p->nlongest - at - 1) * sizeof *p->longest);
	p->longest[at] = i;
}

void tasks_count_bars(struct tasks *p)
{
	int64_t key = p->level > L_KINDS ? p->open : kind_now(p) ? kind_key(kind_now(p)) : -1;
	if (key == p->bars_of)
		return;
	p->bars_of = key;
	p->nlongest = 0;
	histogram_bars_init(&p->bars);
	for (uint32_t k = 0; k < p->list.nkind; k++)
		for (uint32_t i = p->list.kind[k].first; kind_key(&p->list.kind[k]) == key &&
		    i < p->list.kind[k].first + p->list.kind[k].all; i++) {
			keep_longest(p, i);
			if (p->list.regions || !p->list.item[i].open)
				histogram_bars_add(&p->bars, p->list.item[i].t1 - p->list.item[i].t0);
		}
	histogram_bars_trim(&p->bars);
}

/* ---- page of a task */

static int line_cmp(const void *a, const void *b)
{
	const struct task_line *x = a, *y = b;
	if (x->t0 != y->t0)
		return x->t0 < y->t0 ? -1 : 1;
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

const struct stats_task *tasks_find_id(const struct tasks *p, uint64_t id)
{
	uint32_t i = p->list.ts ? stats_task_find(p->list.ts, id) : UINT32_MAX;
	return i == UINT32_MAX ? NULL : &p->list.ts->task[i];
}

const struct stats_task *tasks_shown_task(const struct tasks *p)
{
	return tasks_find_id(p, (uint64_t)p->task);
}

/* Return the index of the first child of a task in kid[], and their number. */
static uint32_t task_children(const struct tasks *p, uint64_t id, uint32_t *n)
{
	struct bsearch_probe h = {.hi = p->list.nkid};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, p->list.ts->task[p->list.kid[h.at]].parent < id);
	for (*n = 0; h.lo + *n < p->list.nkid && p->list.ts->task[p->list.kid[h.lo + *n]].parent == id; ++*n)
		;
	return (uint32_t)h.lo;
}

/* Get the time range of a task with its regions, without its logs. */
static void task_extent(const struct snap *sn, const struct stats_tasks *ts, const struct stats_task *t, int64_t *from,
    int64_t *to)
{
	*from = t->t0 == TIME_NONE ? INT64_MIN : t->t0;
	*to = t->t1 == TIME_NONE ? INT64_MAX : t->t1;
	for (uint32_t k = t->first; k < t->first + t->n; k++) {
		struct stats_task_event e = stats_task_event(ts, k);
		const struct sink_span *s = e.log ? NULL : &store_span(sn->st, e.i)->s;
		if (s && s->t0 < *from)	/* TIME_NONE is the minimum */
			*from = s->t0;
		if (s && (s->t1 == TIME_NONE || s->t1 > *to))
			*to = s->t1 == TIME_NONE ? INT64_MAX : s->t1;
	}
}

static void add_lines(struct tasks *p, const struct snap *sn, const struct stats_task *t, uint32_t first)
{
	if (t->t0 != TIME_NONE)
		p->page.line[p->page.nline++] =
		    (struct task_line){t->t0, t->t0, store_span(sn->st, t->span)->s.trk, LN_BEGIN, 0};
	for (uint32_t k = t->first; k < t->first + t->n; k++) {
		struct stats_task_event e = stats_task_event(p->list.ts, k);
		struct task_line *l = &p->page.line[p->page.nline++];
		*l = (struct task_line){.i = e.i, .what = e.log ? LN_LOG : LN_REGION};
		if (e.log) {
			l->t0 = l->t1 = store_mark(sn->st, e.i)->t;
			l->trk = store_mark(sn->st, e.i)->trk;
		} else {
			time_search_span_bounds(sn, &store_span(sn->st, e.i)->s, &l->t0, &l->t1);
			l->trk = store_span(sn->st, e.i)->s.trk;
		}
	}
	for (uint32_t k = 0; k < p->page.nchild; k++) {
		uint32_t i = p->list.kid[first + k];
		const struct stats_task *c = &p->list.ts->task[i];
		p->page.line[p->page.nline++] = (struct task_line){c->t0 == TIME_NONE ? sn->t0 : c->t0,
		    c->t1 == TIME_NONE ? sn->t1 : c->t1,
		    c->span == UINT32_MAX ? 0 : store_span(sn->st, c->span)->s.trk, LN_CHILD, i};
	}
	if (t->t1 != TIME_NONE)
		p->page.line[p->page.nline++] =
		    (struct task_line){t->t1, t->t1, store_span(sn->st, t->end)->s.trk1, LN_END, 0};
}

void tasks_load_page(struct tasks *p, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	const struct stats_task *t = tasks_shown_task(p);
	uint32_t nslice;
	arena_reset(&p->page.mem);
	p->page.nline = p->page.nchild = 0;
	p->page.whole = 0;
	memset(p->page.why, 0, sizeof p->page.why);
	if (!t || t->span == UINT32_MAX)
		return;
	uint32_t first = task_children(p, t->id, &p->page.nchild);
	p->page.line = arena_alloc(&p->page.mem, (t->n + p->page.nchild + 2u) * sizeof *p->page.line);
	add_lines(p, sn, t, first);
	qsort(p->page.line, p->page.nline, sizeof *p->page.line, line_cmp);
	struct trace_span_match it = {.id = t->id, .lo = TIME_NONE, .hi = TIME_NONE, .near = true};
	task_extent(sn, p->list.ts, t, &it.from, &it.to);
	const struct trace_slice *s = trace_task_slices(sn, &it, &p->page.mem, &nslice);
	for (uint32_t i = 0; i < nslice; i++) {
		struct bin b;
		bins_sum(sn, s[i].trk, s[i].t0, s[i].t1, &b);
		for (int k = 0; k < TS__N; k++)
			p->page.why[k] += b.ns[k];
		p->page.whole += s[i].t1 - s[i].t0;
	}
	list_set_count(&p->rows[L_ONE], p->page.nline);
}

/* Sort the items of a kind, longest first; equal ones stay in order. */
static void sort_kind(struct item *v, uint32_t n)
{
	struct radix_item *by_key = xmalloc((n + 1u) * sizeof *by_key);
	struct item *was = xmalloc((n + 1u) * sizeof *was);
	for (uint32_t i = 0; i < n; i++) {
		by_key[i] = (struct radix_item){radix_key_descending(v[i].t1 - v[i].t0), i};
		was[i] = v[i];
	}
	radix_sort_items(by_key, n);
	for (uint32_t i = 0; i < n; i++)
		v[i] = was[by_key[i].v];
	mem_free(by_key);
	mem_free(was);
}

/* Items of a kind are sorted longest first, so a quantile is the duration of one of them. */
static void spread_kind(const struct tasks_listing *p, struct kind *k)
{
	uint32_t n = k->spread.n = (uint32_t)k->h.n, place = n;
	int share = 0;
	for (uint32_t i = k->first; i < k->first + k->all && place > 0; i++) {
		const struct item *it = &p->item[i];
		if (!is_measured(p, it))
			continue;
		place--;
		for (int s = SPREAD__N - 1 - share; s >= 0 && stats_quantile_rank(n, stats_spread_share[s]) == place;
		     s--, share++)
			k->spread.at[s] = it->t1 - it->t0;
	}
}

/* Sort the items by kind, one kind at a time: with millions of items this limits the memory that sorting accesses. */
static void sort_items(struct tasks_listing *p, const struct progress_watcher *on)
{
	struct item *v = arena_alloc(&p->mem, (p->nitem + 1u) * sizeof *v);
	uint32_t *at = xcalloc(p->nkind + 1u, sizeof *at), all = 0;
	for (uint32_t k = 0; k < p->nkind; k++) {
		p->kind[k].first = at[k] = all;
		all += p->kind[k].all;
	}
	for (uint32_t i = 0; i < p->nitem; i++)
		v[at[p->item[i].kind]++] = p->item[i];
	p->item = v;
	for (uint32_t k = 0; k < p->nkind && job_should_continue(on); k++) {
		sort_kind(v + p->kind[k].first, p->kind[k].all);
		spread_kind(p, &p->kind[k]);
	}
	mem_free(at);
}

void tasks_list(struct tasks_listing *p, const struct snap *sn, const struct progress_watcher *on)
{
	tracepane_limit_to_proc(&p->scope, &p->mem);
	p->lo = INT64_MAX;
	p->hi = 0;
	(p->regions ? make_regions : make_tasks)(p, sn, on);
	sort_items(p, on);
	for (uint32_t k = 0; k < p->nkind; k++)
		if (p->kind[k].h.n) {
			p->lo = p->kind[k].h.min < p->lo ? p->kind[k].h.min : p->lo;
			p->hi = p->kind[k].h.max > p->hi ? p->kind[k].h.max : p->hi;
		}
	p->lo = tracepane_round_decade(p->lo == INT64_MAX ? 1 : p->lo, false);
	p->hi = tracepane_round_decade(p->hi, true);
}

void tasks_put_filter(const struct task_criteria *k, struct buf *b)
{
	if (k->lo != TIME_NONE || k->hi != TIME_NONE) {
		buf_puts(b, " | took ");
		if (k->lo != TIME_NONE)
			text_ns(b, k->lo);
		buf_puts(b, "..");
		if (k->hi != TIME_NONE)
			text_ns(b, k->hi);
	}
	if (k->whole)
		buf_puts(b, k->whole == TASK_INCOMPLETE ? " | incomplete" : " | complete");
}
