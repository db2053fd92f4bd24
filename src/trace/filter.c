/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The selection of a trace filter: goroutines by start function as a bit set,
 * regions and tasks as time ranges. Each name is matched once, for all
 * goroutines or regions that have it.
 */
#include "config.h"
#include "trace/filter.h"

#include "base/bsearch.h"
#include "base/mem/column.h"
#include "store/tracks/time_search.h"
#include "trace/stats/goroutine_stats.h"

#include <stdlib.h>
#include <string.h>

/* Results by string: 0 not matched yet, 1 no, 2 yes. */
struct judge {
	const struct store *st;
	bool (*match)(void *, const char *, size_t);
	void *arg;
	uint8_t *match_of_name;
};

static struct judge judge_new(const struct snap *sn, bool (*match)(void *, const char *, size_t), void *arg)
{
	return (struct judge){ sn->st, match, arg, xcalloc(sn->nstrs + 1u, 1) };
}

static bool judge_name(struct judge *j, str_id s)
{
	if (!j->match_of_name[s]) {
		const struct str_row *r = store_str(j->st, s);
		j->match_of_name[s] = j->match(j->arg, r->s ? r->s : "", r->n) ? 2 : 1;
	}
	return j->match_of_name[s] == 2;
}

uint8_t *trace_gset_by_name(
    const struct snap *sn, bool (*match)(void *, const char *, size_t), void *arg, struct arena *a)
{
	uint8_t *set = arena_zalloc(a, sn->ntrks / 8 + 1);
	struct judge j = judge_new(sn, match, arg);
	for (trk_id t = 1; t < sn->ntrks; t++) {
		const struct trk_row *r = store_trk(sn->st, t);
		const struct trk_origin *o = store_origin(sn->st, r);
		if (r->kind == TK_G && ((o->name < sn->nstrs && judge_name(&j, o->name)) ||
		    (o->start_fun != o->name && o->start_fun < sn->nstrs && judge_name(&j, o->start_fun))))
			set[t >> 3] |= (uint8_t)(1u << (t & 7));
	}
	mem_free(j.match_of_name);
	return set;
}

uint8_t *trace_gset_of_one(const struct snap *sn, trk_id g, struct arena *a)
{
	uint8_t *set = arena_zalloc(a, sn->ntrks / 8 + 1);
	if (g < sn->ntrks)
		set[g >> 3] |= (uint8_t)(1u << (g & 7));
	return set;
}

bool trace_parse_id(const char *s, char letter, uint64_t *id)
{
	char *end;
	s += *s == letter || *s == letter - 'a' + 'A';
	if (*s < '0' || *s > '9')
		return false;
	*id = strtoull(s, &end, 10);
	return !*end;
}

trk_id trace_find_track(const struct snap *sn, enum track_kind kind, uint64_t id)
{
	for (trk_id t = 1; t < sn->ntrks; t++)
		if (store_trk(sn->st, t)->kind == kind && store_trk(sn->st, t)->id == id)
			return t;
	return 0;
}

static int u64_cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Add a number. The first one decides where the bits lie, with `about` as the approximate number of all tasks or
   goroutines; numbers outside of them go to the list, which ids_sort() makes searchable. */
static void ids_add(struct trace_ids *s, uint32_t about, uint64_t id)
{
	if (!s->near) {
		s->width = (uint64_t)about * 16 + 4096;
		s->from = id > s->width / 2 ? id - s->width / 2 : 0;
		s->near = xcalloc((size_t)(s->width / 8 + 1), 1);
	}
	uint64_t at = id - s->from;
	if (at < s->width) {
		s->near[at >> 3] |= (uint8_t)(1u << (at & 7));
		return;
	}
	s->far = mem_grow(s->far, &s->cfar, s->nfar + 1, sizeof *s->far);
	s->far[s->nfar++] = id;
}

static void ids_sort(struct trace_ids *s)
{
	if (s->nfar)
		qsort(s->far, s->nfar, sizeof *s->far, u64_cmp);
}

bool trace_ids_has(const struct trace_ids *s, uint64_t id)
{
	uint64_t at = id - s->from;
	if (at < s->width)
		return s->near[at >> 3] >> (at & 7) & 1;
	return s->nfar && bsearch(&id, s->far, s->nfar, sizeof id, u64_cmp);
}

void trace_ids_free(struct trace_ids *s)
{
	mem_free(s->near);
	mem_free(s->far);
	*s = (struct trace_ids){0};
}

bool trace_ids_parse(struct trace_ids *ids, const char *s, uint32_t about)
{
	bool good = *s != 0;
	*ids = (struct trace_ids){0};
	while (*s && good) {
		char *end;
		s += *s == 'g' || *s == 'G';
		good = *s >= '0' && *s <= '9';
		ids_add(ids, about, strtoull(s, &end, 10));
		good = good && (!*end || (*end == ',' && end[1]));
		s = end + (*end == ',');
	}
	ids_sort(ids);
	return good;
}

uint8_t *trace_gset_parse(const struct snap *sn, const char *list, struct arena *a, uint32_t *n)
{
	struct trace_ids ids;
	bool good = trace_ids_parse(&ids, list, sn->ntrks);
	uint8_t *set = good ? arena_zalloc(a, sn->ntrks / 8 + 1) : NULL;
	*n = 0;
	for (trk_id t = 1; t < sn->ntrks && good; t++) {
		const struct trk_row *r = store_trk(sn->st, t);
		if (r->kind != TK_G || !trace_ids_has(&ids, r->id))
			continue;
		set[t >> 3] |= (uint8_t)(1u << (t & 7));
		++*n;
	}
	trace_ids_free(&ids);
	return set;
}

uint8_t *trace_filter_goroutines(const struct snap *sn, const struct trace_filter *f, struct arena *a)
{
	uint8_t *set = arena_zalloc(a, sn->ntrks / 8 + 1u);
	for (uint32_t i = 0; i < f->nslice; i++) {
		trk_id t = f->slice[i].trk;
		if (trace_gset_has(f->g, t))
			set[t >> 3] |= (uint8_t)(1u << (t & 7));
	}
	return set;
}

static int slice_cmp(const void *a, const void *b)
{
	const struct trace_slice *x = a, *y = b;
	if (x->trk != y->trk)
		return x->trk < y->trk ? -1 : 1;
	if (x->t0 != y->t0)
		return x->t0 < y->t0 ? -1 : 1;
	return x->t1 < y->t1 ? -1 : x->t1 > y->t1;
}

/* In the order of insertion. */
struct slices { struct data_column v; };

static struct slices slices_new(void)
{
	struct slices s;
	column_init(&s.v, sizeof(struct trace_slice));
	return s;
}

static const struct trace_slice *slice_at(const struct slices *s, uint32_t i)
{
	return column_at(&s->v, i);
}

static void slices_add(struct slices *s, const struct snap *sn, const struct sink_span *sp)
{
	struct trace_slice *x = column_add(&s->v, NULL);
	x->trk = sp->trk;
	time_search_span_bounds(sn, sp, &x->t0, &x->t1);
}

/* Sort the slices by track; at[t]: the end of track t's slices. */
static struct trace_slice *by_track(const struct slices *s, uint32_t *at, uint32_t ntrks, struct arena *a)
{
	uint32_t all = column_n(&s->v);
	struct trace_slice *out = arena_alloc(a, (all + (size_t)1) * sizeof *out);
	for (uint32_t i = 0; i < all; i++)
		at[slice_at(s, i)->trk]++;
	for (uint32_t t = 0, sum = 0, n; t < ntrks; t++, sum += n) {
		n = at[t];
		at[t] = sum;
	}
	for (uint32_t i = 0; i < all; i++)
		out[at[slice_at(s, i)->trk]++] = *slice_at(s, i);
	return out;
}

static void sort_run(struct trace_slice *v, uint32_t n)
{
	bool sorted = true;
	for (uint32_t i = 1; i < n && sorted; i++)
		sorted = slice_cmp(&v[i - 1], &v[i]) <= 0;
	if (!sorted)
		qsort(v, n, sizeof *v, slice_cmp);
}

/* Moves the slices taken to the start of v: of overlapping slices of a track only the first (outermost, as the
   reference does), or with join their union. */
struct slice_taker { struct trace_slice *v; uint32_t m; bool join; struct arena *a; };

static void take_slice(struct slice_taker *t, struct trace_slice x)
{
	struct trace_slice *last = t->m ? t->v + t->m - 1 : NULL;
	if (!last || last->trk != x.trk || last->t1 <= x.t0)
		t->v[t->m++] = x;
	else if (t->join && last->t1 < x.t1)
		last->t1 = x.t1;
}

/* A few slices are sorted directly: counting over all tracks would take milliseconds. */
static uint32_t take_few(const struct slices *s, struct slice_taker *t)
{
	uint32_t all = column_n(&s->v);
	t->v = arena_alloc(t->a, (all + (size_t)1) * sizeof *t->v);
	for (uint32_t i = 0; i < all; i++)
		t->v[i] = *slice_at(s, i);
	sort_run(t->v, all);
	for (uint32_t i = 0; i < all; i++)
		take_slice(t, t->v[i]);
	return t->m;
}

static uint32_t take_many(const struct slices *s, const struct snap *sn, struct slice_taker *t)
{
	uint32_t *at = xcalloc(sn->ntrks + (size_t)1, sizeof *at);
	t->v = by_track(s, at, sn->ntrks, t->a);
	for (uint32_t k = 0, i = 0; k < sn->ntrks; k++) {
		sort_run(t->v + i, at[k] - i);
		for (; i < at[k]; i++)
			take_slice(t, t->v[i]);
	}
	mem_free(at);
	return t->m;
}

/* Return the slices sorted and disjoint, and free s. */
static struct trace_slice *slices_take(struct slices *s, const struct snap *sn, bool join, struct arena *a, uint32_t *n)
{
	struct slice_taker t = {.join = join, .a = a};
	*n = column_n(&s->v) <= sn->ntrks / 64 ? take_few(s, &t) : take_many(s, sn, &t);
	column_free(&s->v);
	return t.v;
}

uint8_t *trace_gset_on_proc(
    const struct snap *sn, trk_id proc, int64_t from, int64_t to, const uint8_t *among, struct arena *a)
{
	uint8_t *set = arena_zalloc(a, sn->ntrks / 8 + 1);
	int64_t lo = from == TIME_NONE ? INT64_MIN : from, hi = to == TIME_NONE ? INT64_MAX : to;
	set[proc >> 3] |= (uint8_t)(1u << (proc & 7));
	for (uint32_t k = 0; k < sn->nsheets; k++) {
		const struct sheet *sh = sheet_get(sn, k);
		int32_t row = sheet_row(sh, proc);
		uint32_t i = row < 0 ? 0 : sh->first[row], end = row < 0 ? 0 : sh->first[row + 1];
		for (; i < end; i++) {
			trk_id g = sheet_peer(sh, i);
			if (g && g < sn->ntrks && trace_gset_has(among, g) && sh->t0 + sheet_start(sh, i) < hi &&
			    sheet_end(sh, (uint32_t)row, i) > lo && store_trk(sn->st, g)->kind == TK_G)
				set[g >> 3] |= (uint8_t)(1u << (g & 7));
		}
	}
	return set;
}

uint8_t *trace_gset_complement(const struct snap *sn, const uint8_t *in, const uint8_t *among, struct arena *a)
{
	uint8_t *set = arena_zalloc(a, sn->ntrks / 8 + 1);
	for (trk_id t = 1; t < sn->ntrks; t++)
		if (store_trk(sn->st, t)->kind == TK_G && !trace_gset_has(in, t) &&
		    (!among || trace_gset_has(among, t)))
			set[t >> 3] |= (uint8_t)(1u << (t & 7));
	return set;
}

uint32_t trace_gset_count(const struct snap *sn, const uint8_t *set, int64_t from, int64_t to)
{
	uint32_t n = 0;
	for (trk_id t = 1; t < sn->ntrks; t++) {
		const struct trk_row *r = store_trk(sn->st, t);
		n += r->kind == TK_G && trace_gset_has(set, t) && r->t0 != TIME_NONE &&
		     (to == TIME_NONE || r->t0 < to) && (from == TIME_NONE || !r->to_t1 || store_t1(sn->st, r) > from);
	}
	return n;
}

static bool has_latency_bounds(const struct trace_span_match *p)
{
	return p->lo != TIME_NONE || p->hi != TIME_NONE;
}

/* Does the filter select a span with this name match and duration? */
static bool span_matches(const struct trace_span_match *p, bool named, int64_t ns)
{
	bool in = (p->lo == TIME_NONE || ns >= p->lo) && (p->hi == TIME_NONE || ns <= p->hi);
	return has_latency_bounds(p) ? named && in != p->rest : named != p->rest;
}

const char *trace_parse_region_place(const char *s, struct arena *a, struct trace_span_match *p)
{
	const char *at = strrchr(s, '@');
	char *end = NULL;
	if (at && at[1] == '0' && at[2] == 'x')
		p->pc = strtoull(at + 3, &end, 16);
	p->placed = end && end > at + 3 && !*end;
	const char *re = p->placed ? arena_strndup(a, s, (size_t)(at - s)) : s;
	p->inherited = p->placed || !strcmp(re, "^$");
	return re;
}

uint64_t trace_region_pc(const struct store *st, const struct sink_span *sp)
{
	frm_id f = stats_root_frame(st, sp->stack);
	return f ? store_loc(st, store_frm(st, f)->loc)->addr : 0;
}

static void span_in(uint8_t *set, uint32_t i)
{
	if (set)
		set[i >> 3] |= (uint8_t)(1u << (i & 7));
}

/* Add the tasks with these numbers, or their regions, to the set. Frees the numbers. */
static void spans_of(const struct snap *sn, enum span_kind kind, struct trace_ids *s, uint8_t *set)
{
	ids_sort(s);
	for (uint32_t i = 0; i < sn->nspans && s->near; i++) {
		const struct sink_span *sp = &store_span(sn->st, i)->s;
		if (sp->kind == kind && trace_ids_has(s, sp->id))
			span_in(set, i);
	}
	trace_ids_free(s);
}

struct trace_slice *trace_region_slices(const struct snap *sn, struct trace_span_match *p, struct arena *a, uint32_t *n)
{
	struct slices s = slices_new();
	uint8_t *set = arena_zalloc(a, sn->nspans / 8 + 1u);
	struct trace_ids tasks = {0};
	struct judge j = judge_new(sn, p->match, p->arg);
	for (uint32_t i = 0; i < sn->nspans; i++) {
		const struct sink_span *sp = &store_span(sn->st, i)->s;
		int64_t t0, t1;
		if (sp->kind != SP_REGION || sp->v0 & RG_LOOSE || (sp->v0 & RG_INHERITED && !p->inherited))
			continue;
		time_search_span_bounds(sn, sp, &t0, &t1);
		bool here = !p->placed || trace_region_pc(sn->st, sp) == p->pc;
		if (!span_matches(p, here && judge_name(&j, sp->name), t1 - t0))
			continue;
		slices_add(&s, sn, sp);
		span_in(set, i);
		if (sp->id)
			ids_add(&tasks, sn->nspans, sp->id);
	}
	spans_of(sn, SP_TASK, &tasks, set);
	mem_free(j.match_of_name);
	p->span = set;
	struct trace_slice *out = slices_take(&s, sn, false, a, n);
	p->n = *n;
	return out;
}

static bool task_picked(const struct trace_span_match *p, struct judge *j, const struct sink_span *sp)
{
	bool whole = sp->t0 != TIME_NONE && sp->t1 != TIME_NONE,
	     named = p->match ? judge_name(j, sp->name) : sp->id == p->id;
	return (whole || !has_latency_bounds(p)) && span_matches(p, named, whole ? sp->t1 - sp->t0 : 0);
}

/* If a task started and ended on one goroutine, the time of that goroutine in between belongs to it. */
static void task_add(struct slices *s, const struct snap *sn, const struct sink_span *sp)
{
	if (sp->trk && (!sp->trk1 || sp->trk1 == sp->trk))
		slices_add(s, sn, sp);
}

/* Add one task and its regions; the trace may have neither its start nor its end. */
static void one_task(const struct snap *sn, const struct trace_span_match *p, uint8_t *set, struct slices *s)
{
	const uint32_t kinds = 1u << SP_TASK | 1u << SP_REGION;
	int64_t from = p->near ? p->from : INT64_MIN, to = p->near && p->to < INT64_MAX ? p->to + 1 : INT64_MAX;
	for (uint32_t i = 0; (i = time_search_next_span(sn, i, kinds, from, to)) != UINT32_MAX; i++) {
		const struct sink_span *sp = &store_span(sn->st, i)->s;
		if (sp->id != p->id || (sp->kind == SP_TASK && !task_picked(p, NULL, sp)))
			continue;
		span_in(set, i);
		if (sp->kind == SP_TASK)
			task_add(s, sn, sp);
		else
			slices_add(s, sn, sp);
	}
}

/* Add all selected tasks and their regions. Return the number of tasks. */
static uint32_t some_tasks(const struct snap *sn, const struct trace_span_match *p, uint8_t *set, struct slices *s)
{
	struct judge j = judge_new(sn, p->match, p->arg);
	struct trace_ids tasks = {0};
	uint32_t n = 0;
	for (uint32_t i = 0; i < sn->nspans; i++) {
		const struct sink_span *sp = &store_span(sn->st, i)->s;
		if (sp->kind != SP_TASK || !task_picked(p, &j, sp))
			continue;
		ids_add(&tasks, sn->nspans, sp->id);
		span_in(set, i);
		task_add(s, sn, sp);
		n++;
	}
	spans_of(sn, SP_REGION, &tasks, set);
	for (uint32_t i = 0; i < sn->nspans && n; i++)
		if (trace_gset_has(set, i) && store_span(sn->st, i)->s.kind == SP_REGION)
			slices_add(s, sn, &store_span(sn->st, i)->s);
	mem_free(j.match_of_name);
	return n;
}

struct trace_slice *trace_task_slices(const struct snap *sn, struct trace_span_match *p, struct arena *a, uint32_t *n)
{
	struct slices s = slices_new();
	uint8_t *set = p->near ? NULL : arena_zalloc(a, sn->nspans / 8 + 1u);
	p->n = 1;
	if (p->match || p->rest)
		p->n = some_tasks(sn, p, set, &s);
	else
		one_task(sn, p, set, &s);
	p->span = set;
	return slices_take(&s, sn, true, a, n);
}

/* ---- when the selection existed */

static int time_cmp(const void *a, const void *b)
{
	const struct trace_slice *x = a, *y = b;
	return x->t0 != y->t0 ? (x->t0 < y->t0 ? -1 : 1) : x->t1 != y->t1 ? (x->t1 < y->t1 ? -1 : 1) : 0;
}

/* Time ranges, merged and in order. Most ranges are added behind the last or are within an existing one. Others are put
   into `late` until it is as long as the list, and then merged in. So there are never more than twice as many as the
   result has, and ranges that are added in order are not sorted. */
struct joined { struct trace_slice *v, *late; size_t n, cap, nlate, clate; };

static void join_last(struct joined *o, struct trace_slice x)
{
	if (o->n && o->v[o->n - 1].t1 >= x.t0) {
		if (o->v[o->n - 1].t1 < x.t1)
			o->v[o->n - 1].t1 = x.t1;
		return;
	}
	o->v = mem_grow(o->v, &o->cap, o->n + 1, sizeof *o->v);
	o->v[o->n++] = (struct trace_slice){0, x.t0, x.t1};
}

static void join_late(struct joined *o)
{
	struct joined all = {0};
	if (!o->nlate)
		return;
	qsort(o->late, o->nlate, sizeof *o->late, time_cmp);
	for (size_t i = 0, k = 0; i < o->n || k < o->nlate;)
		join_last(&all, k == o->nlate || (i < o->n && o->v[i].t0 <= o->late[k].t0) ? o->v[i++] : o->late[k++]);
	mem_free(o->v);
	o->v = all.v;
	o->n = all.n;
	o->cap = all.cap;
	o->nlate = 0;
}

/* Return the first that ends at or after t. */
static size_t first_to(const struct trace_slice *v, size_t n, int64_t t)
{
	struct bsearch_probe h = {.hi = n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, v[h.at].t1 < t);
	return h.lo;
}

static void join(struct joined *o, struct trace_slice x)
{
	enum { FEW = 1 << 12 };
	if (!o->n || x.t0 >= o->v[o->n - 1].t0) {
		join_last(o, x);
		return;
	}
	size_t at = first_to(o->v, o->n, x.t0);
	if (at < o->n && o->v[at].t0 <= x.t0 && o->v[at].t1 >= x.t1)
		return;
	o->late = mem_grow(o->late, &o->clate, o->nlate + 1, sizeof *o->late);
	o->late[o->nlate++] = x;
	if (o->nlate >= FEW && o->nlate >= o->n)
		join_late(o);
}

/* Return the life of a goroutine; open ends are those of the snapshot. */
static struct trace_slice life_slice(const struct snap *sn, trk_id t)
{
	const struct trk_row *r = store_trk(sn->st, t);
	int64_t t0 = r->t0, t1 = store_t1(sn->st, r);
	return (struct trace_slice){0, t0 == TIME_NONE ? sn->t0 : t0, t1 == TIME_NONE ? sn->t1 : t1};
}

struct trace_slice *trace_filter_presence(
    const struct snap *sn, const struct trace_filter *f, struct arena *a, uint32_t *n)
{
	struct joined o = {0};
	*n = 0;
	if (!f->g && !f->slice)
		return NULL;
	for (uint32_t i = 0; f->slice && i < f->nslice; i++)
		if (trace_gset_has(f->g, f->slice[i].trk))
			join(&o, f->slice[i]);
	for (trk_id t = 1; !f->slice && t < sn->ntrks; t++)
		if (trace_gset_has(f->g, t) && store_trk(sn->st, t)->kind == TK_G)
			join(&o, life_slice(sn, t));
	join_late(&o);
	struct trace_slice *out = arena_alloc(a, (o.n + 1) * sizeof *out);
	if (o.n)
		memcpy(out, o.v, o.n * sizeof *out);
	mem_free(o.v);
	mem_free(o.late);
	*n = (uint32_t)o.n;
	return out;
}

bool trace_slices_overlap(const struct trace_slice *v, uint32_t n, int64_t t0, int64_t t1)
{
	size_t at = v ? first_to(v, n, t0) : 0;
	return !v || (at < n && v[at].t0 <= t1);
}

int64_t trace_filter_overlap(const struct trace_filter *f, trk_id g, int64_t a, int64_t b)
{
	struct bsearch_probe h = {.hi = f->nslice};
	int64_t ns = 0;
	if (!trace_gset_has(f->g, g))
		return 0;
	if (!f->slice)
		return b - a;
	while (bsearch_probe(&h)) {	/* the first one of g that ends after a */
		const struct trace_slice *s = &f->slice[h.at];
		bsearch_narrow(&h, s->trk < g || (s->trk == g && s->t1 <= a));
	}
	for (const struct trace_slice *s = f->slice + h.lo; s < f->slice + f->nslice && s->trk == g && s->t0 < b; s++)
		ns += (s->t1 < b ? s->t1 : b) - (s->t0 > a ? s->t0 : a);
	return ns;
}
