/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The findings of both sides, matched by rule and by the function of the first culprit. Findings are judged by
 * thresholds, so one that is near its threshold comes and goes between equal runs: one that is only a notice, or whose
 * score moves a little, is no change.
 */
#include "config.h"
#include "compare/internal.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE = 20 };	/* a difference of scores that is a change */

static const struct str_row *culprit(const struct snap *sn, const struct finding *f)
{
	const struct frm_row *row = store_frm(sn->st, f->nculprit ? f->culprit[0].frame : 0);
	return store_str(sn->st, store_fun(sn->st, row->fun)->name);
}

static const struct finding *find_same(
    const struct comparison *c, enum compare_side s, const struct finding *f, enum compare_side of)
{
	const struct str_row *name = culprit(c->in[of].sn, f);
	for (uint32_t i = 0; i < c->findings[s]->n; i++) {
		const struct finding *other = &c->findings[s]->v[i];
		const struct str_row *row = culprit(c->in[s].sn, other);
		if (other->rule == f->rule && row->n == name->n && (!row->n || !memcmp(row->s, name->s, row->n)))
			return other;
	}
	return NULL;
}

static enum compare_change change_of(const struct finding *before, const struct finding *after)
{
	bool was = before && before->level == FINDING_PROBLEM, is = after && after->level == FINDING_PROBLEM;
	if (!before || !after)
		return is ? COMPARE_NEW : was ? COMPARE_GONE : COMPARE_SAME;
	double more = after->score - before->score;
	if (is && (!was || more > LARGE) && more > 0)
		return COMPARE_WORSE;
	return was && (!is || more < -LARGE) && more < 0 ? COMPARE_BETTER : COMPARE_SAME;
}

static void add_finding(struct comparison *c, const struct finding *before, const struct finding *after)
{
	enum compare_change change = change_of(before, after);
	if (change != COMPARE_SAME)
		c->finding[c->nfindings++] = (struct compare_finding){change, {before, after}};
}

static int rank(const struct compare_finding *f)
{
	return f->change == COMPARE_NEW ? 0 : f->change == COMPARE_WORSE ? 1 : 2;
}

static int worst_first(const void *a, const void *b)
{
	const struct compare_finding *x = a, *y = b;
	const struct finding *f = x->at[COMPARE_AFTER] ? x->at[COMPARE_AFTER] : x->at[COMPARE_BEFORE];
	const struct finding *g = y->at[COMPARE_AFTER] ? y->at[COMPARE_AFTER] : y->at[COMPARE_BEFORE];
	if (rank(x) != rank(y))
		return rank(x) - rank(y);
	if (f->score != g->score)
		return f->score > g->score ? -1 : 1;
	return f->rule != g->rule ? (f->rule < g->rule ? -1 : 1) : f->t0 < g->t0 ? -1 : f->t0 > g->t0;
}

void compare_findings(struct comparison *c, struct arena *mem)
{
	const struct findings *before = c->findings[COMPARE_BEFORE], *after = c->findings[COMPARE_AFTER];
	c->finding = arena_zalloc(mem, (before->n + after->n + 1u) * sizeof *c->finding);
	for (uint32_t i = 0; i < after->n; i++)
		add_finding(c, find_same(c, COMPARE_BEFORE, &after->v[i], COMPARE_AFTER), &after->v[i]);
	for (uint32_t i = 0; i < before->n; i++)
		if (!find_same(c, COMPARE_AFTER, &before->v[i], COMPARE_BEFORE))
			add_finding(c, &before->v[i], NULL);
	if (c->nfindings)
		qsort(c->finding, c->nfindings, sizeof *c->finding, worst_first);
}
