/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The board of leaks: goroutines by start function and the line that creates them, with how many were created and how
 * many ended, and where those are blocked that are still there at the end.
 */
#include "config.h"
#include "boards/internal.h"

#include "base/mem/mem.h"
#include "base/u64_map.h"
#include "trace/stats/goroutine_stats.h"

#include <stdlib.h>

/* Goroutines of a group that are blocked at one site at the end. */
struct leak_site { uint32_t group, site, n; struct scan_open longest; };

struct leak_group {
	struct board_curve curve;	/* how many exist */
	const struct leak_site *most;	/* where most of them are blocked; NULL: none is */
	uint32_t blocked;
	int32_t quarter[GROUP_QUARTERS];	/* created less ended in each quarter of the time range */
	struct board_part part[BOARD_PARTS];
	uint32_t nparts;
	trk_id g;			/* the oldest that exists at the end; else one of them */
	int64_t t0, t1;			/* its life */
	bool alive;
};

struct leaks {
	struct board_maker *k;
	struct leak_group *v;		/* by group of the measures */
	uint8_t *open;			/* by track: it is blocked at the end */
	struct leak_site *site;
	uint32_t nsite;
	size_t cap;
	struct u64_hash of_site;	/* by group and site */
};

/* Count a start (by 1) or an end (by -1) in its quarter. */
static void count_in_quarter(const struct leaks *l, struct leak_group *v, int64_t t, int by)
{
	int64_t t0 = l->k->to->t0, t1 = l->k->to->t1;
	if (t >= t0 && t <= t1)
		v->quarter[groups_quarter(t - t0, t1 - t0)] += by;
}

static void add_life(struct leaks *l, trk_id g)
{
	const struct board_measures *m = l->k->m;
	int64_t a = TIME_NONE, b = TIME_NONE;
	if (!m->groups.of[g] || !stats_goroutine_bounds(m->sn, g, &a, &b))
		return;
	struct leak_group *v = &l->v[m->groups.of[g] - 1];
	bool alive = store_t1(m->sn->st, store_trk(m->sn->st, g)) == TIME_NONE || l->open[g];
	b = alive ? m->sn->t1 : b;
	if (!v->curve.slot)
		v->curve = board_curve_new(l->k);
	board_curve_add(&v->curve, a, b, 1);
	if (store_trk(m->sn->st, g)->creator)
		count_in_quarter(l, v, a, 1);
	if (!alive)
		count_in_quarter(l, v, b, -1);
	if (v->g && (v->alive > alive || (v->alive == alive && a >= v->t0)))
		return;
	v->g = g;
	v->t0 = a;
	v->t1 = b;
	v->alive = alive;
}

static void add_open(struct leaks *l, const struct scan_open *o)
{
	bool fresh;
	uint32_t group = l->k->m->groups.of[o->g];
	if (!group--)
		return;
	struct u64_slot *slot = u64_map_put(&l->of_site, (uint64_t)group << 32 | o->site, &fresh);
	if (fresh) {
		slot->n = l->nsite;
		l->site = mem_grow(l->site, &l->cap, l->nsite + 1u, sizeof *l->site);
		l->site[l->nsite++] = (struct leak_site){.group = group, .site = o->site, .longest = *o};
	}
	struct leak_site *x = &l->site[slot->n];
	x->n++;
	if (o->t0 < x->longest.t0)
		x->longest = *o;
	l->v[group].blocked++;
}

static int most_first(const void *a, const void *b)
{
	const struct leak_site *x = a, *y = b;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->group != y->group ? (x->group < y->group ? -1 : 1) : (x->site > y->site) - (x->site < y->site);
}

static void sort_sites(struct leaks *l)
{
	const struct site_table *sites = &l->k->m->scan.sites;
	if (l->nsite)
		qsort(l->site, l->nsite, sizeof *l->site, most_first);
	for (uint32_t i = 0; i < l->nsite; i++) {
		const struct leak_site *x = &l->site[i];
		struct leak_group *v = &l->v[x->group];
		if (!v->most)
			v->most = x;
		if (v->nparts < BOARD_PARTS)
			v->part[v->nparts++] = (struct board_part){.list = "blocked",
			    .word = time_class_name(sites->v[x->site].cls), .count = x->n, .stack = x->longest.stack,
			    .g = x->longest.g, .t0 = x->longest.t0, .t1 = l->k->m->sn->t1};
	}
}

static int growing_quarters(const struct leak_group *v)
{
	int n = 0;
	for (int i = 0; i < GROUP_QUARTERS; i++)
		n += v->quarter[i] > 0;
	return n;
}

static void put_group(struct leaks *l, uint32_t i)
{
	const struct board_measures *m = l->k->m;
	const struct goroutine_group *g = &m->groups.v[i];
	const struct leak_group *v = &l->v[i];
	const struct str_row *name = store_str(m->sn->st, g->name);
	/* Of a group, goroutines that were there before the range may end in it. */
	int64_t more = (int64_t)g->made - g->ended;
	struct board_row *r = board_add_row(l->k);
	r->trk = v->most ? v->most->longest.g : v->g;
	r->t0 = v->most ? v->most->longest.t0 : v->t0;
	r->t1 = v->most ? m->sn->t1 : v->t1;
	r->stack = v->most ? v->most->longest.stack : g->created;
	r->group = g->name;
	r->curve = v->curve.slot;
	board_put_int(r, BOARD_LEAKS_GROWN, more);
	board_put_float(r, BOARD_LEAKS_RATE, (double)more * 1e9 / (double)m->wall);
	board_put_int(r, BOARD_LEAKS_QUARTERS, growing_quarters(v));
	board_put_int(r, BOARD_LEAKS_MADE, g->made);
	board_put_int(r, BOARD_LEAKS_ENDED, g->ended);
	board_put_int(r, BOARD_LEAKS_ALIVE, (int64_t)g->n - g->ended);
	board_put_int(r, BOARD_LEAKS_BLOCKED, v->blocked);
	if (v->most)
		board_put_int(r, BOARD_LEAKS_LONGEST, m->sn->t1 - v->most->longest.t0);
	if (name->n)
		board_put_text(r, BOARD_LEAKS_GROUP, name->s, name->n);
	if (v->most)
		board_put_place(r, BOARD_LEAKS_BLOCKED_AT, v->most->longest.stack);
	if (g->created)
		board_put_place(r, BOARD_LEAKS_CREATED_AT, g->created);
	else
		board_put_reason(r, BOARD_LEAKS_CREATED_AT, g->made ? "(no stack)" : "(before the trace)");
	board_put_parts(l->k, r, v->part, v->nparts);
}

void board_leaks(struct board_maker *k)
{
	const struct board_measures *m = k->m;
	struct leaks l = {.k = k, .v = xcalloc(m->groups.n + 1u, sizeof *l.v), .open = xcalloc(m->sn->ntrks + 1u, 1)};
	for (uint32_t i = 0; i < m->scan.nopen; i++)
		l.open[m->scan.open[i].g] = 1;
	for (trk_id g = 1; g < m->sn->ntrks && (g & 0xffff || job_should_continue(k->on)); g++)
		add_life(&l, g);
	for (uint32_t i = 0; i < m->scan.nopen; i++)
		add_open(&l, &m->scan.open[i]);
	sort_sites(&l);
	for (uint32_t i = 0; i < m->groups.n; i++)
		put_group(&l, i);
	u64_map_free(&l.of_site);
	mem_free(l.open);
	mem_free(l.site);
	mem_free(l.v);
}
