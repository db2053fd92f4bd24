/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The lines at the top of the first screen of a profile, from its judgement (session/profile_judgement.h).
 *
 * The number of lines depends on the screen alone, so nothing moves when the result arrives: two or three for the worst
 * findings, of which the first takes as many as it needs, one for the hottest functions, the rest for the widest paths.
 */
#include "config.h"
#include "profile/verdict.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "session/profile_judgement.h"

#include <string.h>

enum { LABEL = 9, TABLE = 13, SHORT = 4, LONG = 5, TALL = 34, HOTTEST = 5 };

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

/* Return where a text is broken that is wider than a line: after the last blank that fits. */
static size_t break_line(const char *s, size_t n, size_t width)
{
	size_t end = 0, used = 0;
	for (const char *blank; (blank = memchr(s + end, ' ', n - end)); used++) {
		size_t word = (size_t)(blank - s) - end;
		used += text_width(s + end, word);
		if (used > width)
			break;
		end += word + 1;
	}
	return end;
}

/* Draw a finding in at most `most` lines; return how many it takes. */
static int draw_finding(const struct finding *f, struct grid *g, int y, int most)
{
	struct buf b = {0}, fit = {0}, line = {0};
	bool problem = f->level == FINDING_PROBLEM;
	const char *label = problem ? "PROBLEM" : "notice";
	enum style style = problem ? ST_PROBLEM : ST_NOTICE;
	size_t room = g->w > LABEL ? (size_t)(g->w - LABEL) : 0, at = 0;
	int lines = 0;
	buf_printf(&b, "%s %.0f  %s", finding_rules[f->rule].id, f->score, f->text);
	text_fit_line(&fit, b.p, b.n, room * (size_t)most, g->ascii);
	while (at < fit.n && lines < most) {
		size_t left = fit.n - at, k = text_width(fit.p + at, left) <= room ? left : break_line(fit.p + at, left, room);
		k = k && lines + 1 < most ? k : left;
		buf_reset(&line);
		buf_put(&line, fit.p + at, k);
		draw_line(g, y + lines, lines ? "" : label, style, AT_BOLD, &line);
		at += k;
		lines++;
	}
	buf_free(&b);
	buf_free(&fit);
	buf_free(&line);
	return lines;
}

/* Return how many lines it takes. */
static int draw_findings(const struct findings *all, struct grid *g, int lines)
{
	int y = 0;
	for (uint32_t i = 0; i < all->n && y < lines; i++) {
		int others = (int)(all->n - i) - 1;
		y += draw_finding(&all->v[i], g, y, lines - y > others ? lines - y - others : 1);
	}
	if (!all->n)
		grid_text(g, y++, 0, ST_NORMAL, 0, "Nothing stands out.");
	return y;
}

/* Append the functions of user code to which most samples belong, with their shares. */
static void put_hottest(const struct profile_judgement *v, struct buf *b)
{
	const struct profile_sites *p = &v->functions;
	for (uint32_t i = 0, n = 0; i < p->n && n < HOTTEST; i++) {
		double share = text_percent(p->v[i].a, p->a);
		if (!p->v[i].fun)
			continue;
		if (share < JUDGEMENT_LEAST)
			break;
		const struct str_row *name = store_str(v->sn->st, store_fun(v->sn->st, p->v[i].fun)->name);
		buf_printf(b, "%s%.0f%% ", n++ ? ", " : "", share);
		text_safe(b, name->s, name->n);
	}
}

/* Return the start of the last frames of a path "a > b > c", of which each takes at least the cells of " > ". Frames
   before them cannot be shown. */
static size_t last_frames(const char *s, size_t n, size_t room)
{
	size_t left = room / 3 + 1;
	for (size_t at = n; at >= 3; at--)
		if (!memcmp(s + at - 3, " > ", 3) && !left--)
			return at;
	return 0;
}

/* Append a path "a > b > c" that is shortened to the room; its frames next to the root are left out first. */
static void put_path_end(struct buf *b, const char *s, size_t n, size_t room, bool ascii)
{
	struct buf fit = {0};
	const char *dots = ascii ? "~" : "…";
	size_t start = last_frames(s, n, room);
	bool cut = start > 0;
	s += start;
	n -= start;
	for (;;) {
		const char *next = memmem(s, n, " > ", 3);
		size_t before = cut ? 4 : 0;
		buf_reset(&fit);
		text_fit_line(&fit, s, n, room > before ? room - before : 0, ascii);
		bool whole = fit.n < strlen(dots) || memcmp(fit.p + fit.n - strlen(dots), dots, strlen(dots)) != 0;
		if (whole || !next)
			break;
		n -= (size_t)(next + 3 - s);
		s = next + 3;
		cut = true;
	}
	buf_printf(b, "%s%s", cut ? dots : "", cut ? " > " : "");
	buf_put(b, fit.p, fit.n);
	buf_free(&fit);
}

/* Draw the widest paths to the hottest functions. */
static void draw_paths(const struct profile_judgement *v, struct grid *g, int y, int end)
{
	const struct profile_sites *p = &v->functions;
	struct buf b = {0}, path = {0}, safe = {0};
	for (uint32_t i = 0, n = 0; i < p->n && y < end; i++) {
		double share = text_percent(p->v[i].widest, p->a);
		if (!p->v[i].fun || share < JUDGEMENT_LEAST)
			continue;
		buf_reset(&b);
		buf_reset(&path);
		buf_reset(&safe);
		profile_site_put_path(&path, v->sn->st, &p->v[i]);
		text_safe(&safe, path.p, path.n);
		buf_printf(&b, "%.0f%% ", share);
		put_path_end(&b, safe.p, safe.n, g->w > LABEL + (int)b.n ? (size_t)g->w - LABEL - b.n : 0, g->ascii);
		draw_line(g, y++, n++ ? "" : "path", ST_DIM, 0, &b);
	}
	buf_free(&b);
	buf_free(&path);
	buf_free(&safe);
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
