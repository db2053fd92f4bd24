/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `/` in the goroutines pane searches the whole tree, groups and their goroutines, in the order of
 * a display with all groups open; n opens the group of the next match. A group matches by its name, a
 * goroutine by its number and its creator: if the name of its group counted, all of them would
 * match. On a goroutine's page the spans are searched.
 *
 * The matches are computed once for an expression and the groups (goroutines/search_job.c), in the
 * background if there are many goroutines. The order within a group is only needed, and only made,
 * for the group that is opened.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/mem/mem.h"
#include "base/text/regex.h"
#include "base/text/text.h"

#include <string.h>

void goroutines_mark_hits(struct goroutines_state *p, const struct pane_env *env)
{
	list_hits_free(&p->hits);
	if (!env->find.rx || !p->gs) {
		async_stop(&p->search);
		return;
	}
	if (p->level == GL_ONE)
		goroutines_page_wait(p);
	uint32_t n = p->level == GL_ONE ? p->one.n : p->rows[p->level].n;
	list_hits_begin(&p->hits, NULL, env->find.rx, n);
	if (p->level != GL_ONE && !goroutines_search(p, env))
		return;		/* called again when they are known */
	if (p->level == GL_ONE)
		goroutines_page_mark_hits(p, env, p->hits.at);
	for (uint32_t i = 0; i < n; i++)
		if (p->level == GL_ONE)
			p->hits.n += p->hits.at[i];
		else if (p->level == GL_GROUPS)
			p->hits.at[i] = p->tree.row[p->order[GL_GROUPS][i]];
		else
			p->hits.at[i] = p->tree.g[p->order[GL_LIST][i]];
	if (p->level != GL_ONE)
		p->hits.n = p->tree.all;
}

/* ---- the position in the tree, and the next match from there */

/* Return the position of the selected or open group in the order; UINT32_MAX: it is not shown. */
static uint32_t group_now(const struct goroutines_state *p)
{
	if (p->level == GL_GROUPS)
		return p->rows[GL_GROUPS].sel;
	for (uint32_t i = 0; i < p->rows[GL_GROUPS].n; i++)
		if (p->groups[p->order[GL_GROUPS][i]].name == p->open)
			return i;
	return UINT32_MAX;
}

static void to_group(struct goroutines_state *p, const struct pane_env *env, uint32_t i)
{
	p->level = GL_GROUPS;
	list_select(&p->rows[GL_GROUPS], i);
	goroutines_note_selection(p, env);
}

/* In the list opened for a match: select the first match, or the last. */
static void select_member_hit(struct goroutines_state *p, const struct pane_env *env)
{
	uint32_t n = p->rows[GL_LIST].n, i = p->into > 0 ? 0 : n ? n - 1 : 0;
	while (i < n && !p->tree.g[p->order[GL_LIST][i]])
		i += (uint32_t)p->into;
	list_select(&p->rows[GL_LIST], i < n ? i : 0);
	p->into = 0;
	goroutines_note_selection(p, env);
}

/* Open a group that has matches; a job sorts a large one. */
static void to_member(struct goroutines_state *p, const struct pane_env *env, uint32_t group, int dir)
{
	list_select(&p->rows[GL_GROUPS], group);
	p->sel[GL_GROUPS] = (int64_t)p->groups[p->order[GL_GROUPS][group]].name;
	p->into = dir;
	if (goroutines_enter_group(p, env, p->groups[p->order[GL_GROUPS][group]].name))
		select_member_hit(p, env);
}

/* Select the next match in the open list, from row i on. */
static bool in_list(struct goroutines_state *p, const struct pane_env *env, int64_t i, int dir)
{
	int64_t n = p->rows[GL_LIST].n;
	for (; p->level == GL_LIST && i >= 0 && i < n; i += dir)
		if (p->tree.g[p->order[GL_LIST][i]]) {
			list_select(&p->rows[GL_LIST], (uint32_t)i);
			goroutines_note_selection(p, env);
			return true;
		}
	return false;
}

static void find_forward(struct goroutines_state *p, const struct pane_env *env)
{
	uint32_t n = p->rows[GL_GROUPS].n, at = group_now(p);
	if (in_list(p, env, (int64_t)p->rows[GL_LIST].sel + 1, 1))
		return;
	if (p->level == GL_GROUPS && n && p->tree.under[p->order[GL_GROUPS][at]]) {
		to_member(p, env, at, 1);
		return;
	}
	for (uint32_t k = 1; k <= n; k++) {
		uint32_t i = at == UINT32_MAX ? k - 1 : (at + k) % n, row = p->order[GL_GROUPS][i];
		if (p->tree.row[row]) {
			to_group(p, env, i);
			return;
		}
		if (p->tree.under[row]) {
			to_member(p, env, i, 1);
			return;
		}
	}
}

static void find_backward(struct goroutines_state *p, const struct pane_env *env)
{
	uint32_t n = p->rows[GL_GROUPS].n, at = group_now(p);
	if (in_list(p, env, (int64_t)p->rows[GL_LIST].sel - 1, -1))
		return;
	if (p->level == GL_LIST && at != UINT32_MAX && p->tree.row[p->order[GL_GROUPS][at]]) {
		to_group(p, env, at);
		return;
	}
	for (uint32_t k = 1; k <= n; k++) {
		uint32_t i = at == UINT32_MAX ? n - k : (at + n - k % n) % n, row = p->order[GL_GROUPS][i];
		if (p->tree.under[row]) {
			to_member(p, env, i, -1);
			return;
		}
		if (p->tree.row[row]) {
			to_group(p, env, i);
			return;
		}
	}
}

/* While the expression is typed: prefer visible matches to those in closed groups. */
static void find_visible(struct goroutines_state *p, const struct pane_env *env)
{
	uint32_t n = p->rows[p->level].n, sel = p->rows[p->level].sel;
	for (uint32_t k = 0; k < n; k++)
		if (p->hits.at[(sel + k) % n]) {
			list_select(&p->rows[p->level], (sel + k) % n);
			goroutines_note_selection(p, env);
			return;
		}
	find_forward(p, env);
}

/* Return the ordinal of the match at the cursor, from 1; 0: not on a match. */
static uint32_t hit_ordinal(const struct goroutines_state *p)
{
	uint32_t at = group_now(p), k = 0;
	if (at == UINT32_MAX)
		return 0;
	for (uint32_t i = 0; i < at; i++)
		k += p->tree.row[p->order[GL_GROUPS][i]] + p->tree.under[p->order[GL_GROUPS][i]];
	k += p->tree.row[p->order[GL_GROUPS][at]];
	if (p->level == GL_GROUPS)
		return p->tree.row[p->order[GL_GROUPS][at]] ? k : 0;
	for (uint32_t i = 0; i <= p->rows[GL_LIST].sel && i < p->rows[GL_LIST].n; i++)
		k += p->hits.at[i];
	return p->hits.at[p->rows[GL_LIST].sel] ? k : 0;
}

uint32_t goroutines_find(void *st, const struct pane_env *env, int dir, uint32_t *at)
{
	struct goroutines_state *p = st;
	goroutines_mark_hits(p, env);
	*at = 0;
	if (!p->opening && p->level != GL_LIST)
		p->into = 0;
	if (p->level != GL_ONE && (async_job(&p->search) || (p->into && p->opening)))
		return FIND_ON;
	if (p->level == GL_ONE && async_job(&p->one.rest))	/* not all of its spans are read */
		return FIND_ON;
	if (!p->hits.n)
		return 0;
	if (p->level == GL_ONE)
		return list_hits_step(&p->hits, &p->one.rows, dir, at);
	if (p->into && p->level == GL_LIST)
		select_member_hit(p, env);
	else if (dir == 1)
		find_forward(p, env);
	else if (dir == -1)
		find_backward(p, env);
	else if (dir)
		find_visible(p, env);
	if (p->into)
		return FIND_ON;
	goroutines_mark_hits(p, env);
	*at = hit_ordinal(p);
	return p->hits.n;
}
