/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `/` in the goroutines pane looks through the whole tree, groups and what is in
 * them, in the order in which one would read it with every group open; n opens
 * the group in which the next hit is. A group is a hit by its name, a goroutine by
 * its number and its creator: what it has from its group would make hits of all
 * of them at once. On one goroutine's page the search is through its spans.
 *
 * Who is a hit is found out once for an expression and what is listed. The order
 * within a group is only needed, and only made, for the one that is opened.
 */
#include "config.h"
#include "gorview.h"

#include "base/mem.h"
#include "base/rx.h"
#include "base/text.h"

#include <string.h>

/* Is goroutine k of gs->g a hit, by what it has of its own? */
static bool own_match(const struct gor *p, const struct pane_env *env, uint32_t k, struct buf *b)
{
	const struct store *st = session_snap(env->s)->st;
	buf_reset(b);
	tp_id(st, p->trk[k], b);
	if (p->by != GB_FUNCTION) {
		buf_putc(b, ' ');
		tp_str(st, store_trk(st, p->trk[k])->name, "(no start function)", b);
	}
	if (p->creator[k]) {
		buf_putc(b, ' ');
		tp_who(st, p->creator[k], b);
	}
	return rx_match(env->find.rx, b->p, b->n);
}

/* A word is in the number or in what is said of the creator: each of these is asked once, however many it has made. At
   every letter of a search a million goroutines are looked through. */
struct creators { uint8_t *said; struct buf b; };	/* by track: 0 not asked yet, 1 no, 2 yes */

static bool may_be_number(const char *word)
{
	return !word[strspn(word, "PMG0123456789")];
}

static bool by_number(const struct gor *p, const struct pane_env *env, uint32_t k, struct buf *b)
{
	buf_reset(b);
	tp_id(session_snap(env->s)->st, p->trk[k], b);
	return rx_match(env->find.rx, b->p, b->n);
}

static bool by_creator(const struct gor *p, const struct pane_env *env, uint32_t k, struct creators *c)
{
	trk_id t = p->creator[k];
	if (t && !c->said[t]) {
		buf_reset(&c->b);
		tp_who(session_snap(env->s)->st, t, &c->b);
		c->said[t] = rx_match(env->find.rx, c->b.p, c->b.n) ? 2 : 1;
	}
	return t && c->said[t] == 2;
}

/* Hits among the goroutines of a group: each begins with a G. */
static uint32_t look_into(const struct gor *p, const struct pane_env *env, const struct gor_row *r, uint8_t *hit,
    struct creators *c)
{
	const struct store *st = session_snap(env->s)->st;
	bool word = rx_is_word(env->find.rx) && p->by == GB_FUNCTION, number = may_be_number(rx_text(env->find.rx));
	uint32_t n = 0;
	if (!rx_begins(env->find.rx, 'G'))
		return 0;
	for (uint32_t k = r->first; k < r->first + r->n; k++) {
		hit[k] = !word ? own_match(p, env, k, &c->b)
		    : (number && by_number(p, env, k, &c->b)) || by_creator(p, env, k, c);
		if (hit[k] && env->grep.rx) {
			struct gor_row row = {.name = store_trk(st, p->trk[k])->name, .trk = p->trk[k]};
			hit[k] = gor_match(st, &row, env->grep.rx);
		}
		n += hit[k];
	}
	return n;
}

/* Hits of the whole tree: p->tree, which gor_make() empties. */
static void look(struct gor *p, const struct pane_env *env)
{
	struct gor_tree *t = &p->tree;
	const struct snap *sn = session_snap(env->s);
	const char *grep = env->grep.rx ? env->grep.text : "";
	if (t->find && !strcmp(t->find, env->find.text) && !strcmp(t->grep, grep))
		return;
	*t = (struct gor_tree){
	    .find = arena_printf(&p->mem, "%s", env->find.text), .grep = arena_printf(&p->mem, "%s", grep)};
	t->g = arena_zalloc(&p->mem, p->gs->ng + 1u);
	t->row = arena_zalloc(&p->mem, p->ngroup + 1u);
	t->under = arena_zalloc(&p->mem, (p->ngroup + 1u) * sizeof *t->under);
	struct creators c = {.said = xcalloc(sn->ntrks + (size_t)1, 1)};
	for (uint32_t k = 0; k < p->rows[GL_GROUPS].n; k++) {
		uint32_t i = p->order[GL_GROUPS][k];
		t->all += t->row[i] = gor_match(sn->st, &p->groups[i], env->find.rx);
		t->all += t->under[i] = look_into(p, env, &p->groups[i], t->g, &c);
	}
	buf_free(&c.b);
	mem_free(c.said);
}

void gor_hits(struct gor *p, const struct pane_env *env)
{
	mem_free(p->hit);
	p->hit = NULL;
	p->nhit = 0;
	if (!env->find.rx || !p->gs)
		return;
	if (p->level == GL_ONE)
		gor_one_rest(p);
	uint32_t n = p->level == GL_ONE ? p->one.n : p->rows[p->level].n;
	struct buf b = {0};
	p->hit = xcalloc(n ? n : 1, 1);
	if (p->level != GL_ONE)
		look(p, env);
	for (uint32_t i = 0; i < n; i++)
		if (p->level == GL_ONE)
			p->nhit += p->hit[i] = gor_one_match(p, env, i, env->find.rx, &b);
		else if (p->level == GL_GROUPS)
			p->hit[i] = p->tree.row[p->order[GL_GROUPS][i]];
		else
			p->hit[i] = p->tree.g[p->order[GL_LIST][i]];
	if (p->level != GL_ONE)
		p->nhit = p->tree.all;
	buf_free(&b);
}

/* ---- where one is in the tree, and the next hit from there */

/* The group that is selected or open, by its place in the order; UINT32_MAX: it is not shown. */
static uint32_t group_now(const struct gor *p)
{
	if (p->level == GL_GROUPS)
		return p->rows[GL_GROUPS].sel;
	for (uint32_t i = 0; i < p->rows[GL_GROUPS].n; i++)
		if (p->groups[p->order[GL_GROUPS][i]].name == p->open)
			return i;
	return UINT32_MAX;
}

static void to_group(struct gor *p, const struct pane_env *env, uint32_t i)
{
	p->level = GL_GROUPS;
	rows_select(&p->rows[GL_GROUPS], i);
	gor_keep(p, env);
}

/* Into a group that has hits, to the first of them, or the last. */
static void to_member(struct gor *p, const struct pane_env *env, uint32_t group, int dir)
{
	rows_select(&p->rows[GL_GROUPS], group);
	p->sel[GL_GROUPS] = (int64_t)p->groups[p->order[GL_GROUPS][group]].name;
	gor_open_group(p, env, p->groups[p->order[GL_GROUPS][group]].name);
	uint32_t n = p->rows[GL_LIST].n, i = dir > 0 ? 0 : n ? n - 1 : 0;
	while (i < n && !p->tree.g[p->order[GL_LIST][i]])
		i += (uint32_t)dir;
	rows_select(&p->rows[GL_LIST], i < n ? i : 0);
	gor_keep(p, env);
}

/* The next hit in the list that is open, from its row i on. */
static bool in_list(struct gor *p, const struct pane_env *env, int64_t i, int dir)
{
	int64_t n = p->rows[GL_LIST].n;
	for (; p->level == GL_LIST && i >= 0 && i < n; i += dir)
		if (p->tree.g[p->order[GL_LIST][i]]) {
			rows_select(&p->rows[GL_LIST], (uint32_t)i);
			gor_keep(p, env);
			return true;
		}
	return false;
}

static void forward(struct gor *p, const struct pane_env *env)
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

static void backward(struct gor *p, const struct pane_env *env)
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

/* While one types: what is in sight before what would have to be opened. */
static void nearest(struct gor *p, const struct pane_env *env)
{
	uint32_t n = p->rows[p->level].n, sel = p->rows[p->level].sel;
	for (uint32_t k = 0; k < n; k++)
		if (p->hit[(sel + k) % n]) {
			rows_select(&p->rows[p->level], (sel + k) % n);
			gor_keep(p, env);
			return;
		}
	forward(p, env);
}

/* How many hits there are up to the one that is stood upon; 0: on none. */
static uint32_t ordinal(const struct gor *p)
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
		k += p->tree.g[p->order[GL_LIST][i]];
	return p->hit[p->rows[GL_LIST].sel] ? k : 0;
}

/* On a goroutine's page: its spans. */
static uint32_t find_span(struct gor *p, int dir, uint32_t *at)
{
	struct rows *rows = &p->one.rows;
	uint32_t n = rows->n, i = rows->sel;
	if (dir == 1 || dir == -1)
		i = dir > 0 ? (i + 1) % n : (i + n - 1) % n;
	while (dir && !p->hit[i])
		i = dir < 0 ? (i + n - 1) % n : (i + 1) % n;
	if (dir)
		rows_select(rows, i);
	for (uint32_t k = 0; p->hit[i] && k <= i; k++)
		*at += p->hit[k];
	return p->nhit;
}

uint32_t gor_find(void *st, const struct pane_env *env, int dir, uint32_t *at)
{
	struct gor *p = st;
	gor_hits(p, env);
	*at = 0;
	if (!p->nhit)
		return 0;
	if (p->level == GL_ONE)
		return find_span(p, dir, at);
	if (dir == 1)
		forward(p, env);
	else if (dir == -1)
		backward(p, env);
	else if (dir)
		nearest(p, env);
	gor_hits(p, env);
	*at = ordinal(p);
	return p->nhit;
}
