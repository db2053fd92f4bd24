/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Which rows the tables have, from the listing; and the bars of the histogram, which count all items of a kind. The
 * filter of `&` applies to the level in which it was typed, the list of kinds or the list of one kind, and not to the other.
 */
#include "config.h"
#include "tasks/internal.h"

#include <string.h>

const struct kind *tasks_kind_now(const struct tasks *p)
{
	uint32_t i = p->list.kind ? pane_table_selected(&p->kinds) : UINT32_MAX;
	return i < p->list.nkind ? &p->list.kind[i] : NULL;
}

const struct item *tasks_item_now(const struct tasks *p, struct item *room)
{
	const struct kind *k = tasks_opened_kind(p);
	uint32_t i = k ? pane_table_selected(&p->items) : UINT32_MAX;
	if (!k || i >= k->all)
		return NULL;
	*room = tasks_item(p, i);
	return room;
}

enum item_source tasks_source_now(const struct tasks *p)
{
	const struct kind *k = p->level == L_LIST ? tasks_opened_kind(p) : tasks_kind_now(p);
	if (p->level == L_ONE)
		return tasks_find_id(&p->list, (uint64_t)p->id) ? OF_TASK : OF_OPERATION;
	return k ? k->source : p->list.regions ? OF_REGION : OF_OPERATION;
}

/* Return the environment with `&` only if that is about this level. */
static struct pane_env env_of_level(const struct tasks *p, const struct pane_env *env, enum tasks_level l)
{
	struct pane_env e = *env;
	if (p->level != l)
		e.grep = (struct search){0};
	return e;
}

bool tasks_is_background(const struct tasks *p, const struct kind *k)
{
	return k->source == OF_OPERATION && k->n == k->open && p->list.ops->kind[k->of].source == OPERATION_GOROUTINE;
}

/* Count the goroutines that are left out. If there is nothing else, they are shown. */
static void count_background(struct tasks *p)
{
	uint32_t others = 0;
	p->nbackground = 0;
	for (uint32_t k = 0; k < p->list.nkind; k++)
		if (tasks_is_background(p, &p->list.kind[k]))
			p->nbackground += p->list.kind[k].n;
		else
			others += p->list.kind[k].n;
	p->background = p->background || !others;
	p->nbackground = p->background ? 0 : p->nbackground;
}

void tasks_fill_kinds(struct tasks *p, const struct pane_env *env)
{
	struct pane_env e = env_of_level(p, env, L_KINDS);
	tasks_make_kind_columns(p);
	count_background(p);
	pane_table_fill(&p->kinds, p, &e, p->list.nkind);
	if (p->level > L_KINDS)
		pane_table_select(&p->kinds, p, p->open);
	tasks_count_bars(p);
}

/* Return the longest duration of the items of the open kind that pass the filter. */
static int64_t longest_of(const struct tasks *p)
{
	const struct kind *k = tasks_opened_kind(p);
	for (uint32_t i = 0; k && i < k->all; i++)	/* longest first */
		if (tasks_packed_item(p, i)->in)
			return tasks_item_ns(&p->list, k, tasks_packed_item(p, i));
	return 0;
}

void tasks_fill_items(struct tasks *p, const struct pane_env *env)
{
	struct pane_env e = env_of_level(p, env, L_LIST);
	pane_table_stop(&p->items);
	p->shown_of = p->open;
	p->opened = UINT32_MAX;
	for (uint32_t k = 0; k < p->list.nkind; k++)
		if (tasks_kind_key(&p->list.kind[k]) == p->open)
			p->opened = k;
	tasks_make_item_columns(p);
	tasks_sum_classes(p, env);
	pane_table_fill(&p->items, p, &e, p->opened == UINT32_MAX ? 0 : p->list.kind[p->opened].all);
	p->most = longest_of(p);
	tasks_count_bars(p);
}

void tasks_take_items(struct tasks *p, const struct pane_env *env)
{
	pane_table_take(&p->items, p);
	tasks_mark_hits(p, env);
}

void tasks_select_item(struct tasks *p, int64_t id)
{
	if (!pane_table_select(&p->items, p, id))
		pane_table_select_row(&p->items, p, 0);
	if (async_job(&p->items.order))
		p->items.sel = id;
}

/* Keep item i of a kind if it is among the longest so far; of equal ones the first comes first. */
static void keep_longest(struct tasks *p, const struct kind *k, uint32_t i)
{
	int64_t ns = tasks_item_ns(&p->list, k, &p->list.item[i]);
	uint32_t at = p->nlongest;
	while (at && tasks_item_ns(&p->list, k, &p->list.item[p->longest[at - 1]]) < ns)
		at--;
	if (at == TASKS_LONGEST)
		return;
	p->nlongest += p->nlongest < TASKS_LONGEST;
	memmove(&p->longest[at + 1], &p->longest[at], (p->nlongest - at - 1) * sizeof *p->longest);
	p->longest[at] = i;
}

static bool is_measured(const struct tasks *p, uint32_t i) { return p->list.regions || !p->list.item[i].open; }

/* Divide the durations of a kind, which are sorted, from the one of which a thousandth is shorter to the longest into bars,
   and mark the quantiles. */
static void scale_bars(const struct tasks *p, const struct kind *k, struct bars *bars)
{
	static const struct { const char *name; int per_mille; } of[] = {
	    {"p0.1", 1}, {"p50", 500}, {"p90", 900}, {"p99", 990}, {"max", 1000}};
	int64_t ns[sizeof of / sizeof *of] = {0}, least = 0;
	uint32_t n = 0, seen = 0;
	size_t q = sizeof of / sizeof *of;
	for (uint32_t i = k->first; i < k->first + k->all; i++)
		n += is_measured(p, i);
	for (uint32_t i = k->first; n && i < k->first + k->all; i++) {	/* longest first */
		if (!is_measured(p, i))
			continue;
		least = tasks_item_ns(&p->list, k, &p->list.item[i]);
		for (seen++; q && (uint64_t)seen * 1000 > (uint64_t)n * (uint64_t)(1000 - of[q - 1].per_mille); q--)
			ns[q - 1] = least;
	}
	if (!n)
		return;
	histogram_bars_between(bars, least, ns[0], ns[sizeof of / sizeof *of - 1]);
	for (q = 1; q < sizeof of / sizeof *of; q++)
		histogram_bars_mark(bars, of[q].name, ns[q]);
}

void tasks_count_bars(struct tasks *p)
{
	const struct kind *now = tasks_kind_now(p);
	int64_t key = p->level > L_KINDS ? p->open : now ? tasks_kind_key(now) : TASKS_NO_KIND;
	struct bars bars;
	if (key == p->bars_of)
		return;
	p->bars_of = key;
	p->nlongest = 0;
	histogram_bars_init(&bars);
	for (const struct kind *k = p->list.kind; k < p->list.kind + p->list.nkind; k++) {
		if (tasks_kind_key(k) != key)
			continue;
		scale_bars(p, k, &bars);
		for (uint32_t i = k->first; i < k->first + k->all; i++) {
			keep_longest(p, k, i);
			if (is_measured(p, i))
				histogram_bars_add(&bars, tasks_item_ns(&p->list, k, &p->list.item[i]));
		}
	}
	histogram_bars_trim(&bars);
	brush_set_bars(&p->brush, &bars);
}
