/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `/` in the lists of the tasks pane. A task matches by its name, its number, its goroutine, its
 * regions and its log messages, which takes a third of a second for 200,000 tasks: a job searches a
 * long list. It owns its expression and a copy of the list, and reads the data of the rows; before
 * these are replaced or freed, the job is stopped. The result is valid until the expression, the
 * list or the order changes.
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
	const struct tasks *p;
	const struct snap *sn;
	struct regex *find;
	uint32_t *shown, n, nhit;
	uint8_t *hit;
};

static void run_search(void *work, struct job *j)
{
	struct tasks_search *h = work;
	struct buf b = {0};
	for (uint32_t i = 0; i < h->n && h->find && (i % ASKED || !j || !job_cancelled(j)); i++) {
		tasks_row_text(h->p, h->sn->st, L_LIST, h->shown[i], &b);
		h->nhit += h->hit[i] = regex_match(h->find, b.p, b.n);
	}
	buf_free(&b);
}

static void free_search(void *work)
{
	struct tasks_search *h = work;
	regex_free(h->find);
	mem_free(h->shown);
	mem_free(h->hit);
	mem_free(h);
}

static const struct async_kind search_kind = {run_search, free_search};

/* Take the matches, unless the search still runs (NULL). */
static void take_hits(struct tasks *p, struct tasks_search *h)
{
	if (!h)
		return;
	list_hits_free(&p->search.hits);
	p->search.hits.at = h->hit;
	p->search.hits.n = h->nhit;
	p->search.hit_of = p->search.list_no;
	h->hit = NULL;
	free_search(h);
}

void tasks_search_finish(void *st, const struct pane_env *env, struct ask *out)
{
	struct tasks *p = st;
	(void)env;
	(void)out;
	take_hits(p, async_finish(&p->search.slot));
}

static void start_search(struct tasks *p, const struct pane_env *env)
{
	struct err e;
	struct tasks_search *h = xcalloc(1, sizeof *h);
	uint32_t n = p->rows[L_LIST].n;
	*h = (struct tasks_search){.p = p, .sn = session_snap(env->s), .find = regex_new(env->find.text, &e), .n = n};
	h->shown = xmalloc((n + 1u) * sizeof *h->shown);
	h->hit = xcalloc(n + 1u, 1);
	memcpy(h->shown, p->shown, n * sizeof *h->shown);
	take_hits(p, async_start(&p->search.slot, &search_kind, h, (uint64_t)n * ROW_COST));
}

static bool is_long(const struct tasks *p)
{
	return p->level == L_LIST && async_is_long((uint64_t)p->rows[L_LIST].n * ROW_COST);
}

/* Search all rows now. */
static void mark_hits_now(struct tasks *p, const struct pane_env *env)
{
	uint32_t n = p->rows[p->level].n;
	struct buf b = {0};
	list_hits_begin(&p->search.hits, NULL, env->find.rx, n);
	for (uint32_t i = 0; i < n; i++) {
		if (p->level == L_ONE)
			buf_reset(&b), tasks_put_line(p, tasks_store(env), &p->page.line[i], &b);
		else
			tasks_row_text(
			    p, tasks_store(env), p->level, p->level == L_KINDS ? p->order[i] : p->shown[i], &b);
		p->search.hits.n += p->search.hits.at[i] = regex_match(env->find.rx, b.p, b.n);
	}
	buf_free(&b);
}

void tasks_mark_hits(struct tasks *p, const struct pane_env *env)
{
	bool same = env->find.rx && p->search.find && !strcmp(p->search.find, env->find.text), much = is_long(p);
	if (same && much &&
	    ((p->search.hits.at && p->search.hit_of == p->search.list_no) ||
		(async_job(&p->search.slot) && p->search.search_of == p->search.list_no)))
		return;
	async_stop(&p->search.slot);
	list_hits_free(&p->search.hits);
	p->search.hit_of = 0;
	mem_free(p->search.find);
	p->search.find = env->find.rx ? xstrdup(env->find.text) : NULL;
	p->search.search_of = p->search.list_no;
	if (env->find.rx && much)
		start_search(p, env);
	else if (env->find.rx)
		mark_hits_now(p, env);
}

uint32_t tasks_find_hit(void *st, const struct pane_env *env, int dir, uint32_t *at)
{
	struct tasks *p = st;
	*at = 0;
	if (p->operations.shown) {
		struct list_part l = tasks_operations_part(p, env);
		pane_mark_hits(&pane_tasks, p, env);
		uint32_t hits = list_hits_step(l.hits, l.rows, dir, at);
		pane_table_note_selection(l.table, p);
		return hits;
	}
	tasks_mark_hits(p, env);
	if (async_job(&p->search.slot))
		return FIND_ON;
	uint32_t n = list_hits_step(&p->search.hits, &p->rows[p->level], dir, at);
	if (n && dir)
		tasks_count_bars(p);		/* for the newly selected kind */
	return n;
}
