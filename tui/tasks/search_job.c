/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `/` in a long list of items. A task matches by its name, its number, its goroutine, its regions and its log messages,
 * which takes a third of a second for 200,000 tasks, so a job searches; short lists are searched as all others are. The
 * job has a copy of the rows and reads the listing; before that is replaced or freed, the job is stopped. The result is
 * valid until the expression or the rows change.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/mem/mem.h"
#include "widget/text_search.h"

enum { ROW_COST = 10 };		/* steps of the cost of a row */

struct searched_tasks {
	const struct tasks_listing *list;
	const struct store *st;
	const struct kind *kind;
	uint32_t *row;
};

static void put_text(const void *texts, uint32_t i, struct buf *b)
{
	const struct searched_tasks *s = texts;
	struct item it = tasks_unpack(s->list, s->kind, &s->list->item[s->kind->first + s->row[i]]);
	tasks_put_item(s->list, s->st, &it, b);
}

static void free_searched(void *texts)
{
	mem_free(((struct searched_tasks *)texts)->row);
	mem_free(texts);
}

/* Take the matches, unless the search still runs (NULL) or the rows have been made again. */
static void take_hits(struct tasks *p, struct text_search *s)
{
	if (s && s->hits.made == p->items.rows.made) {
		list_hits_free(&p->items.hits);
		p->items.hits = s->hits;
		s->hits = (struct list_hits){0};
	}
	text_search_free(s);
}

void tasks_search_finish(void *st, const struct pane_env *env, struct ask *out)
{
	struct tasks *p = st;
	(void)env;
	(void)out;
	take_hits(p, async_finish(&p->search));
}

bool tasks_search_is_long(const struct tasks *p)
{
	return p->level == L_LIST && async_is_long((uint64_t)p->items.rows.n * ROW_COST);
}

void tasks_mark_hits(struct tasks *p, const struct pane_env *env)
{
	const struct rows *r = &p->items.rows;
	if (!env->find.rx || !tasks_search_is_long(p) || list_hits_are_current(&p->items.hits, r, env->find.rx) ||
	    text_search_runs(&p->search, r, env->find.rx))
		return;
	struct searched_tasks *s = xcalloc(1, sizeof *s);
	*s = (struct searched_tasks){
	    &p->list, tasks_store(env), tasks_opened_kind(p), mem_copy(p->items.item, r->n * sizeof *s->row)};
	struct text_search what = {.text = put_text, .free = free_searched, .texts = s, .n = r->n};
	take_hits(p, text_search_start(&p->search, what, r, env->find.rx, (uint64_t)r->n * ROW_COST));
}

uint32_t tasks_find_hit(void *st, const struct pane_env *env, int dir, uint32_t *at)
{
	struct tasks *p = st;
	*at = 0;
	if (!tasks_search_is_long(p))
		return FIND_LIST;
	tasks_mark_hits(p, env);
	if (async_job(&p->search))
		return FIND_ON;
	uint32_t n = list_hits_step(&p->items.hits, &p->items.rows, dir, at);
	if (n && dir)
		pane_table_note_selection(&p->items, p);
	return n;
}
