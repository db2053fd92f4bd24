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

enum { LABEL = 9, TABLE = 10, SHORT = 5, LONG = 7, TALL = 34, HOTTEST = 5, STATES = 4, SENTENCE = 4, MOST = 4 };

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

int profile_verdict_lines(const struct profile_verdict *v, const struct pane_env *env)
{
	bool shown = env->judge && env->detail && !env->compact && !session_is_trace(env->s);
	int lines = env->rows >= TALL ? LONG : SHORT;
	if (v->now && v->now->states.n)
		lines = (v->now->findings->n ? SENTENCE : 1) + (v->now->states.n < STATES ? (int)v->now->states.n : STATES);
	if (env->rows - lines < TABLE || env->cols < 60)	/* only the worst finding, or nothing */
		lines = env->rows >= 6;
	return shown ? lines : 0;
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

/* Append "cart.(*Desk).ship.func1 cart.go:120: most goroutines are at one line, 57% of the goroutines". */
static void put_short(const struct store *st, const struct finding *f, struct buf *b)
{
	if (f->nculprit) {
		const struct frm_row *at = store_frm(st, f->culprit[0].frame);
		const struct str_row *name = store_str(st, store_fun(st, at->fun)->name);
		const struct str_row *file = store_str(st, store_fun(st, at->fun)->file);
		const char *slash = text_last(file->s, '/', file->n);
		size_t skip = slash ? (size_t)(slash + 1 - file->s) : 0;
		text_safe(b, name->s, name->n);
		buf_putc(b, ' ');
		text_safe(b, file->s + skip, file->n - skip);
		buf_printf(b, ":%lld: ", (long long)at->line);
	}
	buf_printf(b, "%s, %.0f%% %s", finding_rules[f->rule].title, f->score, finding_score_of(f));
}

/* Draw a text from LABEL on, in at most `most` lines; return how many it takes. */
static int draw_sentence(struct grid *g, int y, int most, const char *text, size_t n)
{
	struct buf fit = {0}, line = {0};
	size_t room = g->w > LABEL ? (size_t)(g->w - LABEL) : 0, at = 0;
	int lines = 0;
	text_fit_line(&fit, text, n, room * (size_t)most, g->ascii);
	while (at < fit.n && lines < most) {
		size_t left = fit.n - at, k = text_width(fit.p + at, left) <= room ? left : break_line(fit.p + at, left, room);
		k = k && lines + 1 < most ? k : left;
		buf_reset(&line);
		buf_put(&line, fit.p + at, k);
		draw_line(g, y + lines, "", ST_NORMAL, 0, &line);
		at += k;
		lines++;
	}
	buf_free(&fit);
	buf_free(&line);
	return lines;
}

/* Draw a finding in at most `most` lines: what it is and what it costs, then the sentence; in one line both in short.
   Return how many it takes. */
static int draw_finding(const struct store *st, const struct finding *f, struct grid *g, int y, int most)
{
	struct buf b = {0};
	bool problem = f->level == FINDING_PROBLEM;
	int lines = 1;
	grid_text(g, y, 0, problem ? ST_PROBLEM : ST_NOTICE, AT_BOLD, problem ? "PROBLEM" : "notice ");
	if (most < 2) {
		put_short(st, f, &b);
		draw_sentence(g, y, 1, b.p, b.n);
	} else {
		int x = grid_text(g, y, LABEL, ST_NORMAL, AT_BOLD, finding_rules[f->rule].title);
		buf_printf(&b, "%.0f%% %s", f->score, finding_score_of(f));
		if (x + 2 + (int)b.n <= g->w)
			grid_right(g, y, g->w, ST_NORMAL, 0, buf_str(&b));
		lines += draw_sentence(g, y + 1, most - 1, f->text, strlen(f->text));
	}
	buf_free(&b);
	return lines;
}

/* Return how many lines it takes. */
static int draw_findings(const struct store *st, const struct findings *all, struct grid *g, int lines)
{
	int y = 0;
	for (uint32_t i = 0; i < all->n && y < lines; i++) {
		int others = (int)(all->n - i) - 1, most = lines - y > others ? lines - y - others : 1;
		y += draw_finding(st, &all->v[i], g, y, most < MOST ? most : MOST);
	}
	if (!all->n)
		grid_text(g, y++, 0, ST_NORMAL, 0, "Nothing stands out.");
	return y;
}

/* Draw what the goroutines of a dump wait for: "94 chan send, up to 5 minutes, cart.(*Desk).ship.func1 cart.go:120". */
static void draw_states(const struct profile_judgement *v, struct grid *g, int y, int end)
{
	const struct dump_states *p = &v->states;
	const struct store *st = v->sn->st;
	struct buf b = {0};
	for (uint32_t i = 0; i < p->n && y < end; i++, y++) {
		const struct str_row *state = store_str(st, p->v[i].state);
		buf_reset(&b);
		text_count(&b, p->v[i].n);
		buf_putc(&b, ' ');
		text_safe(&b, state->s, state->n);
		if (p->v[i].minutes)
			buf_printf(&b, ", %s%lld minute%s", p->v[i].n > 1 ? "up to " : "", (long long)p->v[i].minutes,
			    text_s((uint64_t)p->v[i].minutes));
		if (p->v[i].at) {
			const struct frm_row *at = store_frm(st, stk_frame(st, p->v[i].at));
			const struct str_row *name = store_str(st, store_fun(st, at->fun)->name);
			const struct str_row *file = store_str(st, store_fun(st, at->fun)->file);
			const char *slash = text_last(file->s, '/', file->n);
			size_t skip = slash ? (size_t)(slash + 1 - file->s) : 0;
			buf_puts(&b, "  ");
			text_safe(&b, name->s, name->n);
			buf_putc(&b, ' ');
			text_safe(&b, file->s + skip, file->n - skip);
			buf_printf(&b, ":%lld", (long long)at->line);
		}
		draw_line(g, y, i ? "" : "waiting", ST_DIM, 0, &b);
	}
	buf_free(&b);
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
	int lines = profile_verdict_lines(p, env);
	struct buf b = {0};
	if (!lines)
		return;
	if (!session_judgement_is_current(env->s, v)) {
		grid_text(g, 0, 0, ST_DIM, 0, session_snap(env->s)->complete ? "The profile is being judged."
		    : "The profile is judged when all of it is read.");
		return;
	}
	bool dump = v->states.n > 0;
	int states = v->states.n < STATES ? (int)v->states.n : STATES, below = lines < 2 ? 0 : dump ? states : 2;
	int y = draw_findings(v->sn->st, v->findings, g, lines - below);
	if (below && dump)
		draw_states(v, g, y, lines);
	put_hottest(v, &b);
	if (below && !dump && b.n)
		draw_line(g, y++, "own code", ST_DIM, 0, &b);
	if (below && !dump)
		draw_paths(v, g, y, lines);
	buf_free(&b);
}
