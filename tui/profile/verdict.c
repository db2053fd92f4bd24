/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The lines at the top of the first screen of a profile, from its judgement (session/profile_judgement.h).
 *
 * The number of lines depends on the screen alone, so nothing moves when the result arrives: a line for the worst
 * finding or two, one for the hottest functions, one for the widest path.
 */
#include "config.h"
#include "profile/verdict.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "session/profile_judgement.h"

#include <string.h>

enum { LABEL = 9, TABLE = 13, SHORT = 3, LONG = 4, TALL = 34, HOTTEST = 5, LEAST = 3 };

static void take_judgement(struct profile_verdict *v, struct profile_judgement *made)
{
	if (!made)
		return;
	profile_judgement_free(v->now);
	v->now = made;
}

void profile_verdict_update(struct profile_verdict *v, const struct pane_env *env)
{
	if (env->judge)
		take_judgement(v, session_judgement_async(env->s, &v->making));
}

void profile_verdict_finish(struct profile_verdict *v, const struct pane_env *env)
{
	struct profile_judgement *made = session_judgement_finish(env->s, &v->making);
	take_judgement(v, made ? made : session_judgement_async(env->s, &v->making));
}

void profile_verdict_free(struct profile_verdict *v)
{
	async_stop(&v->making);
	profile_judgement_free(v->now);
	v->now = NULL;
}

int profile_verdict_lines(const struct pane_env *env)
{
	bool shown = env->judge && env->detail && !env->compact && env->cols >= 60 && !session_is_trace(env->s);
	int lines = env->rows >= TALL ? LONG : SHORT;
	return shown && env->rows - lines >= TABLE ? lines : 0;
}

/* ---- lines */

/* Draw a label and a text, cut to one line. */
static void draw_line(struct grid *g, int y, const char *label, enum style style, int attr, const struct buf *text)
{
	struct buf b = {0};
	grid_text(g, y, 0, style, attr, label);
	text_fit_line(&b, text->p, text->n, g->w > LABEL ? (size_t)(g->w - LABEL) : 0, g->ascii);
	grid_textn(g, y, LABEL, ST_NORMAL, 0, b.p, b.n);
	buf_free(&b);
}

/* Return how many lines it takes. */
static int draw_findings(const struct findings *all, struct grid *g, int lines)
{
	struct buf b = {0};
	for (uint32_t i = 0; i < all->n && (int)i < lines; i++) {
		const struct finding *f = &all->v[i];
		bool problem = f->level == FINDING_PROBLEM;
		buf_reset(&b);
		buf_printf(&b, "%s %.0f  %s", finding_rules[f->rule].id, f->score, f->text);
		draw_line(g, (int)i, problem ? "PROBLEM" : "notice", problem ? ST_ERROR : ST_WARN, AT_BOLD, &b);
	}
	if (!all->n)
		grid_text(g, 0, 0, ST_NORMAL, 0, "Nothing stands out.");
	buf_free(&b);
	return all->n < 1 ? 1 : (int)all->n < lines ? (int)all->n : lines;
}

/* Append the functions of user code to which most samples belong, with their shares. */
static void put_hottest(const struct profile_judgement *v, struct buf *b)
{
	const struct profile_sites *p = &v->functions;
	for (uint32_t i = 0, n = 0; i < p->n && n < HOTTEST; i++) {
		double share = text_percent(p->v[i].a, p->a);
		if (!p->v[i].fun)
			continue;
		if (share < LEAST)
			break;
		const struct str_row *name = store_str(v->sn->st, store_fun(v->sn->st, p->v[i].fun)->name);
		buf_printf(b, "%s%.0f%% ", n++ ? ", " : "", share);
		text_safe(b, name->s, name->n);
	}
}

/* Draw the widest paths to the hottest functions. */
static void draw_paths(const struct profile_judgement *v, struct grid *g, int y, int end)
{
	const struct profile_sites *p = &v->functions;
	struct buf b = {0}, path = {0};
	for (uint32_t i = 0, n = 0; i < p->n && y < end; i++) {
		double share = text_percent(p->v[i].widest, p->a);
		if (!p->v[i].fun)
			continue;
		if (p->v[i].a <= 0 || (n && share < LEAST))
			break;
		buf_reset(&b);
		buf_reset(&path);
		profile_site_put_path(&path, v->sn->st, &p->v[i]);
		buf_printf(&b, "%.0f%% ", share);
		text_safe(&b, path.p, path.n);
		draw_line(g, y++, n++ ? "" : "path", ST_DIM, 0, &b);
	}
	buf_free(&b);
	buf_free(&path);
}

void profile_verdict_draw(const struct profile_verdict *p, const struct pane_env *env, struct grid *g)
{
	const struct profile_judgement *v = p->now;
	int lines = profile_verdict_lines(env);
	struct buf b = {0};
	if (!lines)
		return;
	if (!session_judgement_is_current(env->s, v)) {
		grid_text(g, 0, 0, ST_DIM, 0, session_snap(env->s)->complete ? "The profile is being judged."
		    : "The profile is judged when all of it is read.");
		return;
	}
	int y = draw_findings(v->findings, g, lines - 2);
	put_hottest(v, &b);
	if (b.n)
		draw_line(g, y++, "own code", ST_DIM, 0, &b);
	draw_paths(v, g, y, lines);
	buf_free(&b);
}
