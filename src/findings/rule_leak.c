/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Goroutines that never end: groups by start function and creating line, blocked at one line, whose number grows. What
 * is in flight at the end is no leak, so waits count that have lasted much longer than those that ended there; what grew
 * only for a while is none either, so some must have begun in each quarter of the time. Waits of one group since before
 * the trace count with these.
 *
 * Libraries start goroutines of their own for what the program keeps: the two of a connection for each call of an HTTP
 * client that is never answered. They are one finding with the user code that made them, which the stacks of creation
 * tell: that of the goroutine, of its creator, and so on.
 *
 * Goroutines of connections that stay open grow with the number of clients, which is no fault. Their own waits are those of a
 * leak. What created them shows the difference: a goroutine that reads from the client, and waits for the network. Then the
 * finding is a notice.
 */
#include "config.h"
#include "findings/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "base/u64_map.h"
#include "trace/user_code.h"
#include "trace/wait_before.h"

#include <stdlib.h>

enum { LONGER = 2, ANCESTORS = 8, ALSO = 4 };

/* Goroutines of one group that are blocked at one site at the end. */
struct leak_count {
	uint32_t n, before, of_connections;	/* before: of n, those since before the trace */
	uint32_t made[GROUP_QUARTERS], blocked[GROUP_QUARTERS];
	int64_t longest, t0;
	trk_id g;			/* the one that is blocked longest, of those that the trace shows the creation of */
};
struct leak {
	uint32_t group, site;
	struct leak_count c;
	frm_id place;			/* the user code that made them; 0: there is none */
	fun_id fun;			/* of place; 0: none */
	uint32_t into;			/* index of the leak that it belongs to; its own: it is one */
	uint32_t with, last;		/* index of the next one that belongs to the same, 0: none; of the last one */
	bool own;			/* place is where they are blocked */
	uint8_t weight;			/* how well the place explains the others of its function */
};
struct leak_search {
	struct findings_run *r;
	struct leak_count *count;	/* by group */
	uint32_t *touched, ntouched;	/* groups with a count, each once */
	uint8_t *network;		/* a bit per track: it waits for the network at the end */
	struct u64_hash connections;	/* of the current site: groups and goroutines of connections that were counted */
	struct leak *v;
	uint32_t n;
	size_t cap;
};

static bool in_all_quarters(const uint32_t n[GROUP_QUARTERS])
{
	return n[0] && n[1] && n[2] && n[3];
}

/* Return the goroutine created in the trace that waits for the network now, and created this one; 0: there is none. */
static trk_id connection_of(const struct leak_search *l, trk_id g)
{
	const struct snap *sn = l->r->sn;
	trk_id by = store_trk(sn->st, g)->creator;
	for (int i = 0; by && i < ANCESTORS; i++, by = store_trk(sn->st, by)->creator)
		if (l->network[by >> 3] >> (by & 7) & 1)
			return store_trk(sn->st, by)->creator ? by : 0;
	return 0;
}

/* Count the connections of the goroutines of a group. One that has many of them is none that only stays open. */
static void count_connection(struct leak_search *l, uint32_t group, trk_id g)
{
	bool fresh = false;
	trk_id by = connection_of(l, g);
	if (by)
		u64_map_put(&l->connections, (uint64_t)group << 32 | by, &fresh);
	l->count[group].of_connections += fresh;
}

/* Count a wait: one since before the trace, or of a goroutine that was created in the range. */
static void count_wait(struct leak_search *l, const struct scan_open *o, uint32_t group)
{
	struct findings_run *r = l->r;
	struct leak_count *c = &l->count[group];
	const struct trk_row *t = store_trk(r->st, o->g);
	if (!o->before && (!t->creator || t->t0 < r->scan.t0 || o->t0 < t->t0 || o->t0 >= r->scan.t1))
		return;
	c->n++;
	c->before += o->before;
	if (o->before)
		return;
	count_connection(l, group, o->g);
	c->made[groups_quarter(t->t0 - r->scan.t0, r->wall)]++;
	c->blocked[groups_quarter(o->t0 - r->scan.t0, r->wall)]++;
	if (r->sn->t1 - o->t0 > c->longest) {
		c->longest = r->sn->t1 - o->t0;
		c->g = o->g;
		c->t0 = o->t0;
	}
}

/* Return the first user frame of the stacks of creation of a goroutine, its creator, and so on; 0: none. */
static frm_id made_by(const struct findings_run *r, trk_id g)
{
	for (int i = 0; g && i < ANCESTORS; i++, g = store_trk(r->st, g)->creator) {
		stk_id at = user_code_first_frame(r->st, store_origin(r->st, store_trk(r->st, g))->created);
		if (at)
			return stk_frame(r->st, at);
	}
	return 0;
}

static void add_leak(struct leak_search *l, uint32_t site, uint32_t group)
{
	const struct leak_count *c = &l->count[group];
	struct findings_run *r = l->r;
	frm_id at = r->scan.sites.v[site].frame;
	if (!c->g || !in_all_quarters(c->made) || !in_all_quarters(c->blocked) ||
	    finding_fit(c->n, LIMIT(r, LEAK, GOROUTINES)) < 0.5)
		return;
	bool own = findings_is_user_frame(r, at), network = r->scan.sites.v[site].cls == TIME_NETWORK;
	frm_id place = own ? at : made_by(r, c->g);
	l->v = mem_grow(l->v, &l->cap, l->n + 1u, sizeof *l->v);
	l->v[l->n] = (struct leak){.group = group, .site = site, .c = *c, .place = place, .own = own,
	    .weight = (uint8_t)(2 * own + !network), .fun = place ? store_frm(r->st, place)->fun : 0};
	l->n++;
}

/* The creating line of goroutines since before the trace is not known, so they are in a group of their own: add them to
   the one with the same start function. */
static void join_groups(struct leak_search *l)
{
	struct u64_hash of_name = {0};
	bool fresh;
	for (uint32_t i = 0; i < l->ntouched; i++)
		if (l->count[l->touched[i]].g)
			u64_map_put(&of_name, l->r->groups.v[l->touched[i]].name, &fresh)->n = l->touched[i];
	for (uint32_t i = 0; i < l->ntouched; i++) {
		const struct leak_count *c = &l->count[l->touched[i]];
		const struct u64_slot *slot = u64_map_get(&of_name, l->r->groups.v[l->touched[i]].name);
		if (c->g || !slot)
			continue;
		l->count[slot->n].n += c->n;
		l->count[slot->n].before += c->before;
	}
	u64_map_free(&of_name);
}

static void judge_site(struct leak_search *l, uint32_t site)
{
	struct findings_run *r = l->r;
	const struct scan_site *x = &r->scan.site[site];
	for (uint32_t i = x->open; i; i = r->scan.open[i - 1].next) {
		const struct scan_open *o = &r->scan.open[i - 1];
		uint32_t group = r->groups.of[o->g];
		/* one that is not longer than those that ended may end as well */
		if (!group-- || (!o->before && (r->sn->t1 - o->t0) / LONGER < x->longest))
			continue;
		bool fresh = !l->count[group].n;
		count_wait(l, o, group);
		if (fresh && l->count[group].n)
			l->touched[l->ntouched++] = group;
	}
	u64_map_free(&l->connections);
	join_groups(l);
	for (; l->ntouched; l->ntouched--) {
		add_leak(l, site, l->touched[l->ntouched - 1]);
		l->count[l->touched[l->ntouched - 1]] = (struct leak_count){0};
	}
}

static void find_leaks(struct leak_search *l)
{
	struct findings_run *r = l->r;
	const struct stuck *stuck = findings_stuck(r);
	for (uint32_t i = 0; i < r->scan.nopen; i++)
		if (r->scan.sites.v[r->scan.open[i].site].cls == TIME_NETWORK)
			l->network[r->scan.open[i].g >> 3] |= (uint8_t)(1u << (r->scan.open[i].g & 7));
	for (uint32_t i = 0; i < r->scan.sites.n && i < r->scan.csite && findings_continue(r); i++)
		if (r->scan.sites.v[i].cls != TIME_SLEEP && !stuck->locked[i] &&
		    finding_fit(r->scan.site[i].nopen, LIMIT(r, LEAK, GOROUTINES)) >= 0.5)
			judge_site(l, i);
}

/* ---- findings */

static int by_place(const void *a, const void *b)
{
	const struct leak *x = a, *y = b;
	if (x->fun != y->fun)
		return x->fun > y->fun ? -1 : 1;	/* those without user code last */
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->c.n != y->c.n)
		return x->c.n > y->c.n ? -1 : 1;
	return x->site != y->site ? (x->site < y->site ? -1 : 1) : (x->group > y->group) - (x->group < y->group);
}

/* Do the numbers of two leaks differ by less than a fifth? */
static bool follow_one_another(const struct leak *x, const struct leak *y)
{
	uint32_t more = x->c.n > y->c.n ? x->c.n : y->c.n, less = x->c.n > y->c.n ? y->c.n : x->c.n;
	return more - less <= more / 5;
}

/* One finding for each function of user code; with it those without any user code whose number follows it. */
static void join_leaks(struct leak_search *l)
{
	enum { LOOKS = 64 };
	if (l->n)
		qsort(l->v, l->n, sizeof *l->v, by_place);
	for (uint32_t i = 0; i < l->n; i++) {
		struct leak *x = &l->v[i];
		x->into = x->last = i;
		if (i && x->fun && x->fun == l->v[i - 1].fun)
			x->into = l->v[i - 1].into;
		for (uint32_t k = 0; !x->fun && l->v[k].fun && k < LOOKS; k++)
			if (l->v[k].into == k && l->v[k].own && follow_one_another(x, &l->v[k])) {
				x->into = k;
				break;
			}
		if (x->into == i)
			continue;
		l->v[l->v[x->into].last].with = i;
		l->v[x->into].last = i;
	}
}

static void put_companions(const struct leak_search *l, uint32_t i)
{
	struct findings_run *r = l->r;
	uint32_t n = 0;
	for (uint32_t k = l->v[i].with; k && n < ALSO; k = l->v[k].with) {
		buf_printf(&r->text, "%s %u", n++ ? "," : "; with them", l->v[k].c.n);
		finding_put_group(r, l->v[k].group);
	}
}

static void put_leak(const struct leak_search *l, uint32_t i, double rate)
{
	struct findings_run *r = l->r;
	const struct leak *x = &l->v[i];
	const struct goroutine_group *g = &r->groups.v[x->group];
	frm_id at = r->scan.sites.v[x->site].frame;
	buf_printf(&r->text, "%u goroutines", x->c.n);
	finding_put_group(r, x->group);
	buf_puts(&r->text, " never return from ");
	finding_put_place(r, at);
	if (x->c.before)
		buf_printf(&r->text, ", %u of them " TRACE_BEFORE, x->c.before);
	buf_printf(&r->text, rate < 10 ? ", %.1f more a second; " : ", %.0f more a second; ", rate);
	finding_put_place(r, g->line);
	buf_printf(&r->text, " starts them, %u in the trace", g->made);
	if (!x->own && x->place && x->place != g->line) {
		buf_puts(&r->text, ", for ");
		finding_put_place(r, x->place);
	}
	put_companions(l, i);
}

static void report_leak(const struct leak_search *l, uint32_t i)
{
	struct findings_run *r = l->r;
	const struct leak *x = &l->v[i];
	const struct goroutine_group *g = &r->groups.v[x->group];
	const struct wait_site *at = &r->scan.sites.v[x->site];
	double limit = LIMIT(r, LEAK, GOROUTINES), fit = finding_fit(x->c.n, limit),
	       rate = (double)(x->c.n - x->c.before) * 1e9 / (double)r->wall;
	struct finding f = {.score = finding_score(x->c.n, x->c.n + limit / 10), .t0 = x->c.t0, .t1 = r->sn->t1,
	    .trk = x->c.g, .urgency = 0.25, .see = "leaks"};
	/* Connections that stay open and idle are no fault. */
	bool connections = at->cls == TIME_NETWORK || 2 * x->c.of_connections > x->c.n - x->c.before;
	if (connections && fit >= 1)
		fit = 0.99;
	finding_culprit(r, &f, x->place);
	finding_culprit(r, &f, at->frame);
	finding_culprit(r, &f, g->line);
	finding_victims(r, &f, x->group, at->frame);
	put_leak(l, i, rate);
	finding_number(&f, "blocked", x->c.n);
	if (x->c.before)
		finding_number(&f, "since_before_trace", x->c.before);
	finding_number(&f, "made", g->made);
	finding_number(&f, "ended", g->ended);
	finding_number(&f, "longest_ns", (double)x->c.longest);
	finding_number(&f, "per_second", rate);
	finding_add(r, fit, &f);
}

void rule_leak(struct findings_run *r)
{
	struct leak_search l = {.r = r};
	if (r->profile) {
		leak_of_profile(r);
		return;
	}
	l.count = xcalloc(r->groups.n + 1u, sizeof *l.count);
	l.touched = xcalloc(r->groups.n + 1u, sizeof *l.touched);
	l.network = xcalloc(r->sn->ntrks / 8 + 1u, 1);
	find_leaks(&l);
	join_leaks(&l);
	for (uint32_t i = 0; i < l.n; i++)
		if (l.v[i].into == i)
			report_leak(&l, i);
	mem_free(l.count);
	mem_free(l.touched);
	mem_free(l.network);
	mem_free(l.v);
}
