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

#include "base/text/regex.h"

bool goroutines_match(void *st, const struct pane_env *env, uint8_t *at)
{
	struct goroutines_state *p = st;
	if (p->level == GL_ONE) {
		goroutines_page_wait(p, env);
		goroutines_page_mark_hits(p, env, at);
		return true;
	}
	const struct pane_table *t = &p->table[p->level];
	if (!p->gs || !goroutines_search(p, env))
		return true;		/* the job drops the matches when it has them */
	for (uint32_t i = 0; i < t->rows.n; i++)
		at[i] = p->level == GL_GROUPS ? p->tree.row[t->item[i]] : p->tree.g[p->first + t->item[i]];
	return true;
}

void goroutines_drop_hits(struct goroutines_state *p)
{
	list_hits_free(&p->table[GL_GROUPS].hits);
	list_hits_free(&p->table[GL_LIST].hits);
}

/* ---- the position in the tree, and the next match from there */

/* Return the row of the selected or open group; UINT32_MAX: it is not shown. */
static uint32_t group_now(const struct goroutines_state *p)
{
	const struct pane_table *t = &p->table[GL_GROUPS];
	if (p->level == GL_GROUPS)
		return t->rows.sel;
	for (uint32_t i = 0; i < t->rows.n; i++)
		if (p->groups[t->item[i]].name == p->open)
			return i;
	return UINT32_MAX;
}

static void to_group(struct goroutines_state *p, const struct pane_env *env, uint32_t row)
{
	p->level = GL_GROUPS;
	pane_table_select_row(&p->table[GL_GROUPS], p, row);
	goroutines_update_waits(p, env);
}

static void select_goroutine(struct goroutines_state *p, const struct pane_env *env, uint32_t row)
{
	pane_table_select_row(&p->table[GL_LIST], p, row);
	goroutines_update_waits(p, env);
}

/* Does the goroutine of a row of the list match? */
static bool is_match(const struct goroutines_state *p, uint32_t row)
{
	return p->tree.g[p->first + p->table[GL_LIST].item[row]];
}

/* In the list opened for a match: select the first match, or the last. */
static void select_member_hit(struct goroutines_state *p, const struct pane_env *env)
{
	uint32_t n = p->table[GL_LIST].rows.n, i = p->into > 0 ? 0 : n ? n - 1 : 0;
	while (i < n && !is_match(p, i))
		i += (uint32_t)p->into;
	p->into = 0;
	if (n)
		select_goroutine(p, env, i < n ? i : 0);
}

/* Is the list being put in order? */
static bool is_ordering(const struct goroutines_state *p)
{
	return async_job(&p->table[GL_LIST].order) != NULL;
}

/* Open a group that has matches. */
static void to_member(struct goroutines_state *p, const struct pane_env *env, uint32_t row, int dir)
{
	pane_table_select_row(&p->table[GL_GROUPS], p, row);
	p->into = dir;
	goroutines_enter_group(p, env, p->groups[p->table[GL_GROUPS].item[row]].name);
	if (!is_ordering(p))
		select_member_hit(p, env);
}

/* Select the next match in the open list, from row i on. */
static bool in_list(struct goroutines_state *p, const struct pane_env *env, int64_t i, int dir)
{
	int64_t n = p->table[GL_LIST].rows.n;
	for (; p->level == GL_LIST && i >= 0 && i < n; i += dir)
		if (is_match(p, (uint32_t)i)) {
			select_goroutine(p, env, (uint32_t)i);
			return true;
		}
	return false;
}

static void find_forward(struct goroutines_state *p, const struct pane_env *env)
{
	const struct pane_table *t = &p->table[GL_GROUPS];
	uint32_t n = t->rows.n, at = group_now(p);
	if (in_list(p, env, (int64_t)p->table[GL_LIST].rows.sel + 1, 1))
		return;
	if (p->level == GL_GROUPS && n && p->tree.under[t->item[at]]) {
		to_member(p, env, at, 1);
		return;
	}
	for (uint32_t k = 1; k <= n; k++) {
		uint32_t i = at == UINT32_MAX ? k - 1 : (at + k) % n, group = t->item[i];
		if (p->tree.row[group]) {
			to_group(p, env, i);
			return;
		}
		if (p->tree.under[group]) {
			to_member(p, env, i, 1);
			return;
		}
	}
}

static void find_backward(struct goroutines_state *p, const struct pane_env *env)
{
	const struct pane_table *t = &p->table[GL_GROUPS];
	uint32_t n = t->rows.n, at = group_now(p);
	if (in_list(p, env, (int64_t)p->table[GL_LIST].rows.sel - 1, -1))
		return;
	if (p->level == GL_LIST && at != UINT32_MAX && p->tree.row[t->item[at]]) {
		to_group(p, env, at);
		return;
	}
	for (uint32_t k = 1; k <= n; k++) {
		uint32_t i = at == UINT32_MAX ? n - k : (at + n - k % n) % n, group = t->item[i];
		if (p->tree.under[group]) {
			to_member(p, env, i, -1);
			return;
		}
		if (p->tree.row[group]) {
			to_group(p, env, i);
			return;
		}
	}
}

/* While the expression is typed: prefer visible matches to those in closed groups. */
static void find_visible(struct goroutines_state *p, const struct pane_env *env)
{
	const struct pane_table *t = &p->table[p->level];
	uint32_t n = t->rows.n;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = (t->rows.sel + k) % n;
		if (p->level == GL_LIST && is_match(p, i)) {
			select_goroutine(p, env, i);
			return;
		}
		if (p->level == GL_GROUPS && p->tree.row[t->item[i]]) {
			to_group(p, env, i);
			return;
		}
	}
	find_forward(p, env);
}

/* Return the ordinal of the match at the cursor, from 1; 0: not on a match. */
static uint32_t hit_ordinal(const struct goroutines_state *p)
{
	const struct pane_table *t = &p->table[GL_GROUPS];
	const struct rows *list = &p->table[GL_LIST].rows;
	uint32_t at = group_now(p), k = 0;
	if (at == UINT32_MAX || !p->table[p->level].rows.n)
		return 0;
	for (uint32_t i = 0; i < at; i++)
		k += p->tree.row[t->item[i]] + p->tree.under[t->item[i]];
	k += p->tree.row[t->item[at]];
	if (p->level == GL_GROUPS)
		return p->tree.row[t->item[at]] ? k : 0;
	for (uint32_t i = 0; i <= list->sel; i++)
		k += is_match(p, i);
	return is_match(p, list->sel) ? k : 0;
}

uint32_t goroutines_find(void *st, const struct pane_env *env, int dir, uint32_t *at)
{
	struct goroutines_state *p = st;
	*at = 0;
	if (p->level == GL_ONE) {
		goroutines_page_wait(p, env);
		return async_job(&p->one.rest) ? FIND_ON : FIND_LIST;	/* FIND_ON: not all of its spans are read */
	}
	if (p->level != GL_LIST)
		p->into = 0;
	if (!p->gs || !env->find.rx)
		return 0;
	if (!goroutines_search(p, env) || (p->into && is_ordering(p)))
		return FIND_ON;
	if (!p->tree.all)
		return 0;
	if (p->into)
		select_member_hit(p, env);
	else if (dir == 1)
		find_forward(p, env);
	else if (dir == -1)
		find_backward(p, env);
	else if (dir)
		find_visible(p, env);
	if (p->into)
		return FIND_ON;
	*at = hit_ordinal(p);
	return p->tree.all;
}
