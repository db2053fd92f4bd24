/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Sums the time by class of the ranges of tasks. Ranges of a goroutine may overlap, since tasks nest, so no interval is
 * added to each range that covers it. The walk keeps running sums of one goroutine; a kind gets the sums at the ends of
 * its ranges minus those at their starts. Sums are kept from one sheet to the next only for goroutines with open ranges.
 *
 * What no sheet has (a goroutine of a damaged trace) is unknown: all classes of a kind add up to its ranges.
 */
#include "config.h"
#include "operations/internal.h"

#include "base/bsearch.h"
#include "base/wrap_math.h"
#include "trace/longest_wait.h"

/* Of a goroutine with points after the end of a sheet: its next point, the sums so far, and the number of open ranges.
   waited: the time of the wait in which it is, as far as sheets have it; 0: it does not wait. */
struct open_sums { int64_t ns[TIME_CLASS__N], waited; enum time_class wait; uint32_t next, open; };

#define PASSED UINT32_MAX

struct class_sums {
	const struct snap *sn;
	const struct task_work *w;
	struct operation_kind *kind;
	uint32_t *slot;			/* by track: index of its open_sums plus 1; PASSED: it has no more points */
	struct open_sums *v;
	size_t n, cap;
	uint32_t *unused;		/* elements of v that are free */
	size_t nunused, cunused;
};

static uint32_t first_point(const struct task_work *w, trk_id g)
{
	struct bsearch_probe h = {.hi = w->npoint};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, w->point[h.at].g < g);
	return (uint32_t)h.lo;
}

/* The range that ends with the trace ends in a wait: that wait is still blocked. */
static void move_still_blocked(const struct open_sums *o, int64_t *ns)
{
	ns[o->wait] = wrap_sub(ns[o->wait], o->waited);
	ns[TIME_STILL_BLOCKED] = wrap_add(ns[TIME_STILL_BLOCKED], o->waited);
}

/* Apply the points up to the time t, at which the sums are o->ns. */
static void pass_points(struct class_sums *p, struct open_sums *o, trk_id g, int64_t t)
{
	const struct work_point *v = p->w->point;
	for (; o->next < p->w->npoint && v[o->next].g == g && v[o->next].t <= t; o->next++) {
		int64_t *ns = p->kind[v[o->next].kind].class_ns;
		bool end = v[o->next].end;
		o->open += end ? -1u : 1u;
		for (int c = 0; c < TIME_CLASS__N; c++)
			ns[c] = end ? wrap_add(ns[c], o->ns[c]) : wrap_sub(ns[c], o->ns[c]);
		if (end && v[o->next].t == p->sn->t1)
			move_still_blocked(o, ns);
	}
}

/* Is there a point of the goroutine before t? */
static bool has_point_before(const struct class_sums *p, const struct open_sums *o, trk_id g, int64_t t)
{
	return o->next < p->w->npoint && p->w->point[o->next].g == g && p->w->point[o->next].t < t;
}

static void add_interval(struct class_sums *p, struct open_sums *o, const struct sheet *sh, uint32_t row, uint32_t i,
    enum time_class c)
{
	int64_t t = sh->t0 + sheet_start(sh, i), end = sheet_end(sh, row, i);
	pass_points(p, o, sh->trk[row], t);
	if (!sheet_interval_continues(sh, row, i))
		o->waited = 0;
	o->waited += state_is_wait((enum tstate)(sh->state[i] & SHEET_STATE)) ? end - t : 0;
	o->wait = c;
	while (has_point_before(p, o, sh->trk[row], end)) {
		int64_t at = p->w->point[o->next].t;
		o->ns[c] += at - t;
		t = at;
		pass_points(p, o, sh->trk[row], t);
	}
	o->ns[c] += end - t;
}

/* Return the sums of a goroutine; NULL: it has no points. */
static struct open_sums *sums_of(struct class_sums *p, trk_id g)
{
	if (p->slot[g])
		return p->slot[g] == PASSED ? NULL : &p->v[p->slot[g] - 1];
	uint32_t next = first_point(p->w, g);
	if (next == p->w->npoint || p->w->point[next].g != g) {
		p->slot[g] = PASSED;
		return NULL;
	}
	if (p->nunused) {
		p->slot[g] = p->unused[--p->nunused] + 1;
	} else {
		p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof *p->v);
		p->slot[g] = (uint32_t)++p->n;
	}
	p->v[p->slot[g] - 1] = (struct open_sums){.next = next};
	return &p->v[p->slot[g] - 1];
}

void class_sums_row(struct class_sums *p, const struct sheet *sh, uint32_t row, struct class_cache *cache,
    struct operation_kind *kind)
{
	trk_id g = sh->trk[row];
	struct open_sums *o = p->w->npoint ? sums_of(p, g) : NULL;
	if (!o || (!o->open && !has_point_before(p, o, g, sh->t1 + 1)))
		return;
	p->kind = kind;
	for (uint32_t i = sh->first[row]; i < sh->first[row + 1]; i++)
		add_interval(p, o, sh, row, i, class_cache_of(cache, sh, i));
	pass_points(p, o, g, sh->t1);
	if (o->next < p->w->npoint && p->w->point[o->next].g == g)
		return;
	p->unused = mem_grow(p->unused, &p->cunused, p->nunused + 1, sizeof *p->unused);
	p->unused[p->nunused++] = p->slot[g] - 1;
	p->slot[g] = PASSED;
}

struct class_sums *class_sums_new(const struct snap *sn, const struct task_work *w)
{
	struct class_sums *p = xcalloc(1, sizeof *p);
	p->sn = sn;
	p->w = w;
	p->slot = xcalloc(sn->ntrks + 1u, sizeof *p->slot);
	return p;
}

void class_sums_finish(struct class_sums *p, struct operation_kind *kind, uint32_t nkinds)
{
	int64_t *ranges = xcalloc(nkinds + 1u, sizeof *ranges);
	for (uint32_t i = 0; i < p->w->npoint; i++) {
		const struct work_point *x = &p->w->point[i];
		ranges[x->kind] = x->end ? wrap_add(ranges[x->kind], x->t) : wrap_sub(ranges[x->kind], x->t);
	}
	for (uint32_t k = 0; k < nkinds; k++) {
		int64_t *ns = kind[k].class_ns;
		if (kind[k].source != OPERATION_TASK)
			continue;
		for (int c = 0; c < TIME_CLASS__N; c++) {
			ranges[k] = wrap_sub(ranges[k], ns[c]);
			if (ns[c] < 0 && c != TIME_STILL_BLOCKED) {	/* a range that started within the last wait */
				ns[TIME_STILL_BLOCKED] = wrap_add(ns[TIME_STILL_BLOCKED], ns[c]);
				ns[c] = 0;
			}
		}
		ns[TIME_UNKNOWN] = wrap_add(ns[TIME_UNKNOWN], ranges[k]);
	}
	mem_free(ranges);
	mem_free(p->unused);
	mem_free(p->v);
	mem_free(p->slot);
	mem_free(p);
}
