/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Applies the filters of the command line to events as they are read. Time,
 * goroutine and P are known from the event alone, and no state is kept for them.
 * Start functions, tasks, regions and operations are known only after the whole trace was
 * read: then it is first read into a store, and the selection becomes a list of
 * time ranges of goroutines, searched by bisection. An event also belongs to a
 * task if it has the task's id (a log, a region, its end), on any goroutine.
 *
 * Focus and ignore need the names of the stack of an event, which the tables of its generation have. So what a
 * string and a stack match is kept for one generation: an expression is asked once for each name of it. The
 * goroutines whose start function matches are two sorted lists of numbers.
 */
#include "config.h"
#include "report/trace/event_filter.h"

#include "base/mem/mem.h"
#include "report/trace/trace_stream.h"
#include "session/query.h"
#include "session/trace_open.h"
#include "trace/focus.h"

#include <stdlib.h>
#include <string.h>

static int stretch_cmp(const void *a, const void *b)
{
	const struct event_stretch *x = a, *y = b;
	return x->g != y->g ? (x->g < y->g ? -1 : 1) : (x->t0 > y->t0) - (x->t0 < y->t0);
}

static int u64_cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* ---- focus and ignore */

enum { ASKED = 4 };		/* in a byte of known results: the others are valid */
struct event_focus {
	struct compiled_filters *fc;
	struct trace_focus by;		/* only its `asked` is used */
	uint64_t *g[2];			/* the goroutines whose start function matches focus, ignore */
	size_t ng[2], cap[2];
	const struct trace_generation *gen;
	uint64_t number;
	uint8_t *name, *stack;		/* results by string and by stack of the generation */
	size_t nname, cname, nstack, cstack;
};

static int focus_new(struct event_focus **out, const struct snap *sn, const struct trace_focus *of,
    const struct filters *text, struct err *e)
{
	struct event_focus *f = xcalloc(1, sizeof *f);
	f->by.asked = of->asked;
	f->fc = filter_compile(&(struct filters){.focus = text->focus, .ignore = text->ignore}, e);
	for (trk_id t = 1; f->fc && t < sn->ntrks; t++) {
		unsigned hits = store_trk(sn->st, t)->kind == TK_G ? trace_focus_start(of, t) : 0;
		for (int i = 0; i < 2; i++) {
			if (!(hits & (i ? HITS_IGNORE : HITS_FOCUS)))
				continue;
			f->g[i] = mem_grow(f->g[i], &f->cap[i], f->ng[i] + 1, sizeof *f->g[i]);
			f->g[i][f->ng[i]++] = store_trk(sn->st, t)->id;
		}
	}
	for (int i = 0; i < 2; i++)
		if (f->ng[i])
			qsort(f->g[i], f->ng[i], sizeof *f->g[i], u64_cmp);
	*out = f;
	return f->fc ? 0 : -1;
}

static void focus_free(struct event_focus *f)
{
	if (!f)
		return;
	filter_free(f->fc);
	mem_free(f->g[0]);
	mem_free(f->g[1]);
	mem_free(f->name);
	mem_free(f->stack);
	mem_free(f);
}

/* Return the known result of an entry of a table, whose number of entries may have grown. */
static uint8_t *known(uint8_t **v, size_t *n, size_t *cap, size_t now, uint32_t i)
{
	if (now > *n) {
		*v = mem_grow(*v, cap, now, 1);
		memset(*v + *n, 0, now - *n);
		*n = now;
	}
	return i < *n ? &(*v)[i] : NULL;
}

static unsigned name_hits(struct event_focus *f, uint32_t str)
{
	uint8_t *at = known(&f->name, &f->nname, &f->cname, generation_nstrs(f->gen), str);
	size_t n;
	if (!at)
		return 0;
	if (!*at) {
		const char *s = generation_str(f->gen, str, &n);
		struct regex *const *rx = f->fc->rx;
		*at = ASKED | (rx[FILTER_FOCUS] && regex_match(rx[FILTER_FOCUS], s, n) ? HITS_FOCUS : 0) |
		    (rx[FILTER_IGNORE] && regex_match(rx[FILTER_IGNORE], s, n) ? HITS_IGNORE : 0);
	}
	return *at & (HITS_FOCUS | HITS_IGNORE);
}

static unsigned stack_hits(struct event_focus *f, uint32_t stack)
{
	uint8_t *at = known(&f->stack, &f->nstack, &f->cstack, generation_nstacks(f->gen), stack);
	uint32_t n;
	if (!stack || !at)
		return 0;
	const struct trace_frame *v = *at ? NULL : generation_stack(f->gen, stack, &n);
	if (v) {
		*at = ASKED;
		for (uint32_t i = 0; i < n; i++)
			*at |= (uint8_t)(name_hits(f, v[i].fun) | name_hits(f, v[i].file));
	}
	return *at & (HITS_FOCUS | HITS_IGNORE);
}

static unsigned start_hits(const struct event_focus *f, int64_t g)
{
	unsigned hits = 0;
	uint64_t id = (uint64_t)g;
	for (int i = 0; i < 2 && g >= 0; i++)
		if (f->ng[i] && bsearch(&id, f->g[i], f->ng[i], sizeof id, u64_cmp))
			hits |= i ? HITS_IGNORE : HITS_FOCUS;
	return hits;
}

static bool focus_match(struct event_focus *f, const struct trace_generation *g, const struct trace_event *t)
{
	if (f->gen != g || f->number != generation_number(g)) {
		f->gen = g;
		f->number = generation_number(g);
		f->nname = f->nstack = 0;
	}
	unsigned hits = stack_hits(f, trace_event_stack(t)) | start_hits(f, t->g);
	return trace_focus_takes(&f->by, t->resource == TR_G ? hits | start_hits(f, t->id) : hits);
}

/* ---- goroutines, tasks, regions, operations */

/* Add the selection of a filter, converted to times of the file; first: the time of the first event. */
static void add_trace_filter(
    struct event_criteria *k, const struct snap *sn, const struct trace_filter *f, int64_t first, bool tasks)
{
	size_t cap = 0, tcap = 0;
	for (uint32_t i = 0; f->slice && i < f->nslice; i++) {
		if (!trace_gset_has(f->g, f->slice[i].trk))
			continue;
		k->v = mem_grow(k->v, &cap, k->nv + 1, sizeof *k->v);
		k->v[k->nv++] = (struct event_stretch){(int64_t)store_trk(sn->st, f->slice[i].trk)->id,
		    f->slice[i].t0 + first, f->slice[i].t1 + first};
	}
	for (trk_id t = 1; !f->slice && t < sn->ntrks; t++) {
		if (store_trk(sn->st, t)->kind != TK_G || !trace_gset_has(f->g, t))
			continue;
		k->v = mem_grow(k->v, &cap, k->nv + 1, sizeof *k->v);
		k->v[k->nv++] = (struct event_stretch){(int64_t)store_trk(sn->st, t)->id, INT64_MIN, INT64_MAX};
	}
	if (k->nv)
		qsort(k->v, k->nv, sizeof *k->v, stretch_cmp);
	/* a filter on goroutines also leaves out what others did for the tasks */
	for (uint32_t i = 0; tasks && f->span && !f->g && i < sn->nspans; i++) {
		if (!trace_gset_has(f->span, i))
			continue;
		k->task = mem_grow(k->task, &tcap, k->ntask + 1, sizeof *k->task);
		k->task[k->ntask++] = store_span(sn->st, i)->s.id;
	}
	if (k->ntask)
		qsort(k->task, k->ntask, sizeof *k->task, u64_cmp);
}

static bool find_first(void *first, const struct trace_generation *g, const struct trace_event *t, size_t n)
{
	(void)g;
	if (n)
		*(int64_t *)first = t[0].time;
	return !n;
}

/* Read the trace into a store, to know what the filters select and which goroutines have a start function in focus. */
static int read_stretches(
    const struct options *o, const struct query *q, struct bytes in, struct event_criteria *k, struct err *e)
{
	static const struct event_stream_ops ops = {find_first, NULL, NULL, NULL, NULL, NULL, 0};
	struct event_stream_info info;
	struct trace t;
	struct trace_filter f;
	int64_t first = 0;
	if (event_stream_read(in, &ops, &first, &info, e) || trace_open(&t, o, NULL, NULL, e))
		return -1;
	int r = query_trace_filter(t.sn, q, false, &t.arena, &f, NULL, e) || query_add_focus(t.sn, q, &t.arena, &f, e) ? -1 : 0;
	if (!r && k->some)
		add_trace_filter(k, t.sn, &f, first, q->task || q->operation);
	if (!r && f.focus)
		r = focus_new(&k->focus, t.sn, f.focus, &q->f, e);
	trace_close(&t);
	return r;
}

int event_criteria(const struct options *o, struct bytes in, struct event_criteria *k, struct err *e)
{
	enum { LISTED = 1 << 16 };
	struct query q;
	const char *proc = options_str(o, OPT_PROC);
	if (query_of_options(o, &q, e))
		return -1;
	k->listed = q.gs && trace_ids_parse(&k->g, q.gs, LISTED);
	k->on_proc = proc && *proc;
	if (k->on_proc && !trace_parse_id(proc, 'p', &k->p))
		return query_bad_proc(proc, e);
	k->some = q.group || q.task || q.region || q.operation;
	k->peer = k->listed || k->on_proc || k->some;
	if ((k->some || q.f.focus || q.f.ignore) && read_stretches(o, &q, in, k, e))
		return -1;
	return trace_stream_range(o, in, &k->times, &k->from, &k->to, e);
}

static bool in_stretch(const struct event_criteria *k, int64_t g, int64_t t)
{
	size_t lo = 0, hi = k->nv;
	while (lo < hi) {	/* the first one after t or of a later goroutine; the one before it may contain t */
		size_t mid = lo + (hi - lo) / 2;
		if (k->v[mid].g < g || (k->v[mid].g == g && k->v[mid].t0 <= t))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && k->v[lo - 1].g == g && t <= k->v[lo - 1].t1;
}

static bool of_some(const struct event_criteria *k, const struct trace_event *t)
{
	bool user = t->kind == TEV_TASK_BEGIN || t->kind == TEV_TASK_END || t->kind == TEV_REGION_BEGIN ||
		    t->kind == TEV_REGION_END || t->kind == TEV_LOG;
	uint64_t id = (uint64_t)t->id;
	return in_stretch(k, t->g, t->time) || (t->resource == TR_G && in_stretch(k, t->id, t->time)) ||
	       (user && k->ntask && bsearch(&id, k->task, k->ntask, sizeof *k->task, u64_cmp));
}

bool event_criteria_match(const struct event_criteria *k, const struct trace_generation *gen, const struct trace_event *t)
{
	if ((k->times && (t->time < k->from || t->time >= k->to)) || (k->focus && !focus_match(k->focus, gen, t)))
		return false;
	if (!k->peer)
		return true;
	bool g = !k->listed || (t->g >= 0 && trace_ids_has(&k->g, (uint64_t)t->g)) ||
		 (t->resource == TR_G && trace_ids_has(&k->g, (uint64_t)t->id));
	bool p = !k->on_proc || t->p == (int64_t)k->p || (t->resource == TR_P && t->id == (int64_t)k->p);
	return t->kind != TEV_SYNC && g && p && (!k->some || of_some(k, t));
}

void event_criteria_free(struct event_criteria *k)
{
	trace_ids_free(&k->g);
	mem_free(k->v);
	mem_free(k->task);
	focus_free(k->focus);
}
