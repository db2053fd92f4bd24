/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What the pane lists: kinds with their items. User tasks and regions are computed by trace/stats/, as for the reports
 * of their names; the operations of other sources are those of the whole trace, which are found once and shared
 * (operations_shared()), and of which the scope of the pane selects some. All items of a kind are kept, also those
 * outside of the filter of durations, because the histogram counts all of them, so that the filter can be widened
 * again.
 *
 * Tasks are not taken from the operations: they are listed while the trace is read, with their logs and regions.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/bsearch.h"
#include "base/radix_sort.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "store/tracks/time_search.h"

#include <string.h>

/* ---- items as they are kept */

static struct item task_item(const struct tasks_listing *p, uint32_t i)
{
	const struct stats_task *t = &p->ts->task[i];
	struct item it = {.i = i, .op = p->op_of_task[i], .open = t->t0 == TIME_NONE || t->t1 == TIME_NONE};
	tracepane_task_bounds(p->scope.sn, t, &it.t0, &it.t1);
	return it;
}

static struct item region_item(const struct tasks_listing *p, uint32_t i)
{
	const struct stats_region *r = &p->ks->r[i];
	struct item it = {.t0 = r->t0, .t1 = r->t1, .i = i, .op = OPERATION_NONE,
	    .open = r->t0 == TIME_NONE || r->t1 == TIME_NONE};
	if (!stats_goroutine_bounds(p->scope.sn, r->trk, &it.t0, &it.t1))
		it.t0 = it.t1 = p->scope.sn->t0;
	return it;
}

static struct item operation_item(const struct operation *x, uint32_t i)
{
	return (struct item){.t0 = x->t0, .t1 = x->t1, .i = i, .op = i, .open = !x->complete};
}

struct item tasks_unpack(const struct tasks_listing *p, const struct kind *k, const struct packed_item *x)
{
	struct item it;
	if (k->source == OF_OPERATION) {
		struct operation o = operations_of_kind(p->ops, k->of, x->i - p->ops->kind[k->of].first);
		it = operation_item(&o, x->i);
	} else {
		it = k->source == OF_TASK ? task_item(p, x->i) : region_item(p, x->i);
	}
	it.kind = (uint32_t)(k - p->kind);
	it.in = x->in;
	return it;
}

int64_t tasks_item_ns(const struct tasks_listing *p, const struct kind *k, const struct packed_item *x)
{
	if (x->ns != ITEM_LONG)
		return x->ns;
	struct item it = tasks_unpack(p, k, x);
	return it.t1 - it.t0;
}

/* Return whether an item's duration counts. It is unknown for an operation without a start or an end in the trace. */
static bool is_measured(const struct tasks_listing *p, const struct packed_item *x)
{
	return x->in && (p->regions || !x->open);
}

/* For sorting. of: the numbers of kinds by name, plus 1. */
struct item_keys { const struct tasks_listing *p; const uint32_t *of; };

/* Items are added kind by kind, but those of tasks in the order of the tasks. */
static uint64_t key_of_kind(const void *arg, const void *item)
{
	const struct item_keys *keys = arg;
	return keys->of[keys->p->ts->task[((const struct packed_item *)item)->i].name];
}

static uint64_t key_of_index(const void *arg, const void *item)
{
	(void)arg;
	return ((const struct packed_item *)item)->i;
}

static uint64_t key_of_stored_duration(const void *arg, const void *item)
{
	(void)arg;
	return ~(uint64_t)((const struct packed_item *)item)->ns;
}

static void add_item(struct tasks_listing *p, struct item it)
{
	struct kind *k = &p->kind[it.kind];
	uint64_t ns = (uint64_t)it.t1 - (uint64_t)it.t0;
	struct packed_item *x = &p->item[p->nitem++];
	*x = (struct packed_item){.ns = ns < ITEM_LONG ? (uint32_t)ns : ITEM_LONG, .open = it.open, .in = it.in};
	x->i = it.i & ((UINT32_C(1) << 30) - 1);
	k->all++;
	k->n += it.in;
	k->open += it.in && it.open;
	wrap_add_to(&k->total, it.in ? it.t1 - it.t0 : 0);
	if (is_measured(p, x))
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

static void name_kind(struct kind *k, const struct store *st, enum item_source source, str_id name)
{
	const struct str_row *s = store_str(st, name);
	k->source = source;
	k->name = name;
	k->s = s->n ? s->s : "";
	k->len = s->n;
	k->of = OPERATION_NONE;
}

/* Return for each task its index in the operations. */
static uint32_t *operations_of_tasks(struct tasks_listing *p)
{
	uint32_t *v = arena_alloc(&p->mem, (p->ts->n + 1u) * sizeof *v);
	for (uint32_t i = 0; i < p->ts->n; i++)
		v[i] = OPERATION_NONE;
	for (uint32_t k = 0; p->ops && k < p->ops->nkinds && p->ops->kind[k].source == OPERATION_TASK; k++)
		for (uint32_t i = 0; i < p->ops->kind[k].n; i++) {
			uint32_t t = stats_task_find(p->ts, operations_of_kind(p->ops, k, i).id);
			if (t != UINT32_MAX)
				v[t] = p->ops->kind[k].first + i;
		}
	return v;
}

/* Add the kinds of tasks, and return for each name the number of its kind, plus 1. */
static uint32_t *add_task_kinds(struct tasks_listing *p, const struct snap *sn)
{
	uint32_t *of = xcalloc(sn->nstrs + 1u, sizeof *of), n = 0;
	for (uint32_t i = 0; i < p->ts->n; i++)
		if (p->ts->task[i].span != UINT32_MAX && !of[p->ts->task[i].name])
			of[p->ts->task[i].name] = ++n;
	p->kind = arena_zalloc(&p->mem, (n + (p->ops ? p->ops->nkinds : 0) + 1u) * sizeof *p->kind);
	p->nkind = n;
	return of;
}

static void make_tasks(struct tasks_listing *p, const struct snap *sn, const struct progress_watcher *on)
{
	p->ts = stats_tasks(sn, &p->mem, on);
	uint32_t *of = add_task_kinds(p, sn);
	p->op_of_task = operations_of_tasks(p);
	p->item = arena_alloc(&p->mem, (p->ts->n + (p->ops ? p->ops->n : 0) + 1u) * sizeof *p->item);
	for (uint32_t i = 0; i < p->ts->n && should_continue(on, i); i++) {
		const struct stats_task *t = &p->ts->task[i];
		if (t->span == UINT32_MAX)
			continue;
		struct item it = task_item(p, i);
		it.kind = of[t->name] - 1;
		it.in = task_filter_match_task(&p->criteria, sn->st, p->ts, t);
		name_kind(&p->kind[it.kind], sn->st, OF_TASK, t->name);
		p->kind[it.kind].of = it.op == OPERATION_NONE ? OPERATION_NONE : operations_kind_of(p->ops, it.op);
		if (tracepane_span_in_scope(&p->scope, t->span, store_span(sn->st, t->span)->s.trk, it.t0, it.t1))
			add_item(p, it);
	}
	radix_sort_in_place(p->item, p->nitem, sizeof *p->item,
	    &(struct radix_keys){key_of_kind, key_of_index, &(struct item_keys){.p = p, .of = of}});
	mem_free(of);
	make_kids(p);
}

/* Does the filter -operation of the query select the kind? It does not select tasks by their names: the scope has them.
   */
static bool is_selected_kind(const struct query_match *m, const struct operation_kind *k)
{
	return k->source != OPERATION_TASK && (!m->operation || regex_match(m->operation, k->name, k->nname));
}

/* Add the operations that are no tasks. */
static void add_operations(struct tasks_listing *p, const struct query_match *m, const struct progress_watcher *on)
{
	const struct operation_criteria c = {.lo = p->criteria.lo, .hi = p->criteria.hi, .whole = p->criteria.whole,
	    .by_id = m->operations && m->by_id, .id = m->span.id};
	const struct operations *o = p->ops;
	for (uint32_t k = 0; o && k < o->nkinds; k++) {
		const struct operation_kind *from = &o->kind[k];
		if (!is_selected_kind(m, from))
			continue;
		p->kind[p->nkind] =
		    (struct kind){.source = OF_OPERATION, .s = from->name, .len = from->nname, .of = k};
		for (uint32_t i = from->first; i < from->first + from->n && should_continue(on, i); i++) {
			struct operation x = operations_of_kind(o, k, i - from->first);
			struct item it = operation_item(&x, i);
			it.kind = p->nkind;
			it.in = operation_meets(&c, &x);
			if (operation_passes(&p->scope.f, &x))
				add_item(p, it);
		}
		p->nkind++;
	}
}

static bool region_in_focus(const struct tracepane_scope *sc, trk_id g, const struct item *it)
{
	return !sc->f.focus || trace_focus_has_time(sc->f.focus, g, it->t0, it->t1, FOCUS_ALL_PIECES);
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
		name_kind(&p->kind[k], sn->st, OF_REGION, s->name);
		p->kind[k].frame = s->frame;
		for (uint32_t i = s->first; i < s->first + s->n && should_continue(on, i); i++) {
			const struct stats_region *r = &p->ks->r[i];
			struct sink_span sp = {.t0 = r->t0, .t1 = r->t1, .name = s->name};
			struct item it = region_item(p, i);
			it.kind = k;
			it.in = task_filter_match_region(&p->criteria, sn, &sp);
			if (trace_gset_has(p->scope.f.span, r->span) && region_in_focus(&p->scope, r->trk, &it))
				add_item(p, it);
		}
	}
}

/* ---- items */

struct item_facts tasks_item_facts(const struct tasks_listing *p, const struct store *st, const struct item *it)
{
	const struct kind *k = &p->kind[it->kind];
	if (k->source == OF_OPERATION) {
		struct operation x = operations_get(p->ops, it->i);
		return (struct item_facts){x.id, x.g, p->ops->kind[x.kind].site};
	}
	bool region = k->source == OF_REGION;
	const struct sink_span *s = &store_span(st, region ? p->ks->r[it->i].span : p->ts->task[it->i].span)->s;
	return (struct item_facts){region ? p->ks->r[it->i].task : p->ts->task[it->i].id, s->trk, s->stack};
}

void tasks_put_kind(const struct store *st, const struct kind *k, struct buf *b)
{
	text_safe(b, k->s, k->len);
	if (k->frame)
		buf_putc(b, ' '), tracepane_put_frame(st, k->frame, b, true);
}

/* Append the regions and logs of a task. */
static void put_task_events(
    const struct tasks_listing *p, const struct store *st, const struct stats_task *t, struct buf *b)
{
	for (uint32_t k = t->first; k < t->first + t->n; k++) {
		struct stats_task_event e = stats_task_event(p->ts, k);
		buf_putc(b, ' ');
		tracepane_put_str(st, e.log ? store_mark(st, e.i)->category : store_span(st, e.i)->s.name, "", b);
		buf_putc(b, ' ');
		if (e.log)
			tracepane_put_str(st, store_mark(st, e.i)->text, "", b);
	}
}

void tasks_put_item(const struct tasks_listing *p, const struct store *st, const struct item *it, struct buf *b)
{
	const struct kind *k = &p->kind[it->kind];
	struct item_facts f = tasks_item_facts(p, st, it);
	text_safe(b, k->s, k->len);
	if (f.trk)
		buf_putc(b, ' '), tracepane_put_track(st, f.trk, b);
	if (k->source == OF_REGION)
		return;
	buf_printf(b, " %llu", (unsigned long long)f.id);
	if (k->source == OF_TASK)
		put_task_events(p, st, &p->ts->task[it->i], b);
}

const struct stats_task *tasks_find_id(const struct tasks_listing *p, uint64_t id)
{
	uint32_t i = p->ts ? stats_task_find(p->ts, id) : UINT32_MAX;
	return i == UINT32_MAX ? NULL : &p->ts->task[i];
}

uint32_t tasks_find_operation(const struct tasks_listing *p, uint64_t id)
{
	uint32_t i = p->ops ? operations_by_id(p->ops, id) : OPERATION_NONE;
	return i == OPERATION_NONE || p->ops->kind[operations_kind_of(p->ops, i)].source == OPERATION_TASK ? OPERATION_NONE : i;
}

uint32_t tasks_children(const struct tasks_listing *p, uint64_t id, uint32_t *n)
{
	struct bsearch_probe h = {.hi = p->nkid};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, p->ts->task[p->kid[h.at]].parent < id);
	for (*n = 0; h.lo + *n < p->nkid && p->ts->task[p->kid[h.lo + *n]].parent == id; ++*n)
		;
	return (uint32_t)h.lo;
}

/* ---- order */

/* Items of a kind are sorted longest first, so a quantile is the duration of one of them. */
static void spread_kind(const struct tasks_listing *p, struct kind *k)
{
	uint32_t n = k->spread.n = (uint32_t)k->h.n, place = n;
	int share = 0;
	for (uint32_t i = k->first; i < k->first + k->all && place > 0; i++) {
		const struct packed_item *x = &p->item[i];
		if (!is_measured(p, x))
			continue;
		place--;
		for (int s = SPREAD__N - 1 - share; s >= 0 && stats_quantile_rank(n, stats_spread_share[s]) == place;
		     s--, share++)
			k->spread.at[s] = tasks_item_ns(p, k, x);
	}
}

/* Sort the items of a kind whose duration is not stored, which are its first ones. Their durations are computed once,
   because that of an open region changes when the writer learns of the end of its goroutine. */
static void sort_long_items(struct tasks_listing *p, const struct kind *k)
{
	struct packed_item *v = p->item + k->first, *copy;
	struct radix_array order;
	uint32_t n = 0;
	while (n < k->all && v[n].ns == ITEM_LONG)
		n++;
	if (n < 2)
		return;
	radix_array_alloc(&order, n);
	for (uint32_t i = 0; i < n; i++)
		radix_array_add(&order, radix_key_descending(tasks_item_ns(p, k, &v[i])), i);
	radix_sort_items(order.v, n);
	copy = xmalloc(n * sizeof *copy);
	memcpy(copy, v, n * sizeof *copy);
	for (uint32_t i = 0; i < n; i++)
		v[i] = copy[order.v[i].v];
	mem_free(copy);
	radix_array_free(&order);
}

/* Sort the items of each kind, longest first, in their place: there may be millions. */
static void sort_items(struct tasks_listing *p, const struct progress_watcher *on)
{
	uint32_t all = 0;
	for (uint32_t k = 0; k < p->nkind; k++) {
		struct kind *x = &p->kind[k];
		x->first = all;
		all += x->all;
		if (!job_should_continue(on))
			continue;
		radix_sort_in_place(p->item + x->first, x->all, sizeof *p->item,
		    &(struct radix_keys){key_of_stored_duration, key_of_index, NULL});
		sort_long_items(p, x);
		spread_kind(p, x);
	}
}

/* Count the kinds that have time of each class. */
static void count_classes(struct tasks_listing *p)
{
	for (uint32_t k = 0; k < p->nkind; k++)
		for (int c = 0; c < TIME_CLASS__N && p->kind[k].of != OPERATION_NONE; c++)
			p->classes[c] += p->ops->kind[p->kind[k].of].class_ns[c] != 0;
}

void tasks_list(
    struct tasks_listing *p, const struct snap *sn, const struct query_match *m, const struct progress_watcher *on)
{
	tracepane_limit_to_proc(&p->scope, &p->mem);
	p->lo = INT64_MAX;
	p->hi = 0;
	p->ops = !p->regions && sn->complete && sn->has_trace ? operations_shared(sn, on) : NULL;
	p->alloc = p->ops ? operations_allocated(sn, p->ops, &p->scope.f, true, &p->mem) : NULL;
	if (p->regions)
		make_regions(p, sn, on);
	else
		make_tasks(p, sn, on);
	add_operations(p, m, on);
	count_classes(p);
	sort_items(p, on);
	for (uint32_t k = 0; k < p->nkind; k++)
		if (p->kind[k].h.n) {
			p->lo = p->kind[k].h.min < p->lo ? p->kind[k].h.min : p->lo;
			p->hi = p->kind[k].h.max > p->hi ? p->kind[k].h.max : p->hi;
		}
	p->lo = tracepane_round_decade(p->lo == INT64_MAX ? 1 : p->lo, false);
	p->hi = tracepane_round_decade(p->hi, true);
}
