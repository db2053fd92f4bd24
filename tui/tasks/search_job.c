/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `/` in a long list of items. A task matches by its name, its number, its goroutine, its regions and its log messages,
 * which takes a third of a second for 200,000 tasks, so a job searches; short lists are searched as all others are. The
 * job owns its expression and a copy of the rows, and reads the listing; before that is replaced or freed, the job is
 * stopped. The result is valid until the expression or the rows change.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/regex.h"

#include <string.h>

/* ROW_COST: steps of the cost of a row; ASKED: the job checks for cancellation after this many rows */
enum { ROW_COST = 10, ASKED = 1 << 8 };

struct tasks_search {
	const struct tasks_listing *list;
	const struct snap *sn;
	struct regex *find;
	const struct kind *kind;
	uint32_t *row, n, made;
	struct list_hits hits;
};

static void run_search(void *work, struct job *j)
{
	struct tasks_search *h = work;
	struct buf b = {0};
	for (uint32_t i = 0; i < h->n && h->find && (i % ASKED || !j || !job_cancelled(j)); i++) {
		struct item it = tasks_unpack(h->list, h->kind, &h->list->item[h->kind->first + h->row[i]]);
		buf_reset(&b);
		tasks_put_item(h->list, h->sn->st, &it, &b);
		h->hits.n += h->hits.at[i] = regex_match(h->find, b.p, b.n);
	}
	buf_free(&b);
}

static void free_search(void *work)
{
	struct tasks_search *h = work;
	regex_free(h->find);
	list_hits_free(&h->hits);
	mem_free(h->row);
	mem_free(h);
}

static const struct async_kind search_kind = {run_search, free_search};

/* Take the matches, unless the search still runs (NULL) or the rows have been made again. */
static void take_hits(struct tasks *p, struct tasks_search *h)
{
	if (!h)
		return;
	if (h->made == p->items.rows.made) {
		list_hits_free(&p->items.hits);
		p->items.hits = h->hits;
		h->hits = (struct list_hits){0};
	}
	free_search(h);
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
	const struct tasks_search *wanted = async_wanted(&p->search);
	uint32_t n = p->items.rows.n;
	struct err e;
	if (!env->find.rx || !tasks_search_is_long(p) || list_hits_are_current(&p->items.hits, &p->items.rows, env->find.rx))
		return;
	if (wanted && wanted->made == p->items.rows.made && !strcmp(wanted->hits.text, regex_pattern(env->find.rx)))
		return;
	struct tasks_search *h = xcalloc(1, sizeof *h);
	*h = (struct tasks_search){.list = &p->list, .sn = session_snap(env->s), .find = regex_new(env->find.text, &e),
	    .kind = tasks_opened_kind(p), .n = n, .made = p->items.rows.made};
	h->row = mem_copy(p->items.item, n * sizeof *h->row);
	list_hits_begin(&h->hits, &p->items.rows, env->find.rx, n);
	take_hits(p, async_start(&p->search, &search_kind, h, (uint64_t)n * ROW_COST));
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
