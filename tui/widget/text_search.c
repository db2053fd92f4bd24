/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The search of `/` in long lists, on a worker. Short lists are searched in pane.c when they are drawn. Another character of
 * the expression starts another search, and the one that runs is cancelled, so the result is that of all items or none.
 * The search has its own expression; what the texts are made of belongs to the pane, which stops the search first when it
 * replaces that.
 */
#include "config.h"
#include "widget/text_search.h"

#include "base/job.h"
#include "base/mem/mem.h"

enum { ASKED = 1 << 8 };	/* checks for cancellation after this many items */

static void run_search(void *work, struct job *j)
{
	struct text_search *s = work;
	struct buf b = {0};
	for (uint32_t i = 0; i < s->n && s->find && (i % ASKED || !j || !job_cancelled(j)); i++) {
		buf_reset(&b);
		s->text(s->texts, i, &b);
		s->hits.n += s->hits.at[i] = b.n && regex_match(s->find, b.p, b.n);
	}
	buf_free(&b);
}

void text_search_free(void *work)
{
	struct text_search *s = work;
	if (!s)
		return;
	s->free(s->texts);
	regex_free(s->find);
	list_hits_free(&s->hits);
	mem_free(s);
}

static const struct async_kind search_kind = {run_search, text_search_free};

struct text_search *text_search_start(struct async *slot, struct text_search what, const struct rows *rows,
    const struct regex *find, uint64_t steps)
{
	struct err e;
	struct text_search *s = xcalloc(1, sizeof *s);
	*s = what;
	s->find = regex_new(regex_pattern(find), &e);
	list_hits_begin(&s->hits, rows, find, s->n);
	return async_start(slot, &search_kind, s, steps);
}

bool text_search_runs(const struct async *slot, const struct rows *rows, const struct regex *find)
{
	const struct text_search *s = async_wanted(slot);
	return s && list_hits_are_current(&s->hits, rows, find);
}
