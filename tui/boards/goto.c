/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * From a finding to its board. A finding names the board that shows it; the row is the one with most in common: a line
 * at which something waits for the cause, or the name of what waits; a line that causes it; the goroutine. If the board
 * is still being made, the row is selected when the board is there.
 */
#include "config.h"
#include "boards/pane.h"

#include "findings/findings.h"
#include "trace/user_code.h"

#include <string.h>

/* Return the finding of the analysis at a place; NULL: the place is not that of a finding. */
static const struct finding *finding_at(const struct boards_state *p, const struct place *at)
{
	const struct findings *all = p->analysis ? p->analysis->findings : NULL;
	for (uint32_t i = 0; all && i < all->n; i++) {
		const struct finding *f = &all->v[i];
		if (at->topic[0] == (enum topic)(TOPIC_RULE_LOCK_QUEUE + f->rule) && at->t0 == f->show_t0 &&
		    at->t1 == f->show_t1 && at->trk == f->trk)
			return f;
	}
	return NULL;
}

static bool is_line(const struct store *st, stk_id stack, frm_id frame)
{
	stk_id site = stack ? user_code_site(st, stack) : 0;
	const struct frm_row *a = store_frm(st, site ? stk_frame(st, site) : 0), *b = store_frm(st, frame);
	return site && frame && a->fun == b->fun && a->line == b->line;
}

/* Does a row show a line, in its places or its parts? */
static bool shows_line(const struct boards_state *p, const struct store *st, const struct board_row *r, frm_id frame)
{
	enum board_column_id first = board_first_column(p->id);
	for (uint32_t i = 0, n = board_count_columns(p->id); i < n; i++)
		if (board_columns[first + i].unit == BOARD_PLACE && r->cell[i].some && is_line(st, r->cell[i].stack, frame))
			return true;
	for (uint32_t i = 0; i < r->nparts; i++)
		if (is_line(st, r->part[i].stack, frame))
			return true;
	return false;
}

/* Is a row named as what is affected? */
static bool has_name(const struct boards_state *p, const struct board_row *r, const struct finding_victim *v)
{
	enum board_column_id first = board_first_column(p->id);
	const char *name = v->operation ? v->operation : v->group;
	for (uint32_t i = 0, n = board_count_columns(p->id); name && i < n; i++) {
		const struct board_cell *c = &r->cell[i];
		if (board_columns[first + i].unit == BOARD_NAME && c->some && c->n == strlen(name) && !memcmp(c->s, name, c->n))
			return true;
	}
	return false;
}

static int likeness(const struct boards_state *p, const struct store *st, const struct board_row *r)
{
	enum { VICTIM = 4, CULPRIT = 2, GOROUTINE = 1 };
	const struct finding *f = p->wanted;
	int victim = 0, culprit = 0;
	for (uint32_t i = 0; i < f->nvictim; i++)
		victim |= shows_line(p, st, r, f->victim[i].at.frame) || has_name(p, r, &f->victim[i]);
	for (uint32_t i = 0; i < f->nculprit; i++)
		culprit |= shows_line(p, st, r, f->culprit[i].frame);
	return VICTIM * victim + CULPRIT * culprit + GOROUTINE * (r->trk && r->trk == f->trk);
}

void boards_select_wanted(struct boards_state *p, const struct pane_env *env)
{
	const struct board *b = p->board[p->id];
	const struct store *st = session_snap(env->s)->st;
	uint32_t best = 0;
	int most = 0;
	if (!b || !p->wanted)
		return;
	for (uint32_t i = 0; i < b->n; i++) {
		int like = likeness(p, st, &b->v[i]);
		if (like <= most)
			continue;
		most = like;
		best = i;
	}
	p->wanted = NULL;
	pane_table_select(&p->table[p->id], p, best);
}

bool boards_go(void *st, const struct pane_env *env, const struct place *to)
{
	struct boards_state *p = st;
	const struct finding *f = finding_at(p, to);
	int id = f ? board_find(f->see, strlen(f->see)) : -1;
	if (id < 0)
		return true;	/* any board will do */
	p->wanted = f;
	boards_show(p, env, (enum board_id)id);
	return true;
}
