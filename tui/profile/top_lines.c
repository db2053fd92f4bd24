/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The hot lines of a function, next to the table of functions: a preview of the list pane. The tree
 * by lines is the one that the session keeps for the list, and sources are read once, so moving in
 * the table costs one pass over the lines of the profile for each step. It is not made for a tree
 * of millions of nodes, nor for the first samples of a large profile, which may have as many lines
 * as locations: then only the list pane shows lines.
 */
#include "config.h"
#include "profile/top_lines.h"

#include "base/wrap_math.h"
#include "symbols/source.h"

#include <string.h>

struct line { uint32_t symbol; int64_t cum; };
enum { LINES_MAX = 64, NODES_MAX = 1 << 20 };

/* Return whether a line belongs to the function, or to the file if the granularity is files. */
static bool is_line_of(const struct symbol *t, const struct symbol *line, enum gran gran)
{
	if (line->tag || line->line <= 0 || (t->file && line->file != t->file))
		return false;
	return gran == GR_FILES || line->name == t->name;
}

/* Get the heaviest lines, in order; at most max. */
static int heaviest_lines(
    const struct weighted_tree *c, const struct symbol *t, const struct weighted_tree *lines, struct line *v, int max)
{
	int n = 0;
	for (uint32_t i = 1; i < lines->nsymbol; i++) {
		int64_t cum = lines->weight[i].cum;
		if (!cum || !is_line_of(t, &lines->symbol[i], c->gran) ||
		    (n == max && wrap_size(v[n - 1].cum) >= wrap_size(cum)))
			continue;
		int at = n < max ? n++ : n - 1;
		while (at && wrap_size(v[at - 1].cum) < wrap_size(cum)) {
			v[at] = v[at - 1];
			at--;
		}
		v[at] = (struct line){i, cum};
	}
	return n;
}

static void draw_line(const struct pane_env *env, const struct weighted_tree *lines, const struct line *l,
    const struct source *src, struct grid *g, int y)
{
	enum { X_VALUE = 9, X_LINE = 16, X_TEXT = 18 };
	int64_t line = lines->symbol[l->symbol].line;
	struct buf b = {0};
	size_t n = 0;
	profile_draw_change(env, lines, g, y, X_VALUE, l->cum, 0);
	buf_i64(&b, line);
	grid_right(g, y, X_LINE, ST_DIM, 0, buf_str(&b));
	buf_reset(&b);
	const char *s = src->path ? source_line(src, line, &n) : NULL;
	while (n && (*s == ' ' || *s == '\t'))
		s++, n--;
	if (s)
		source_expand(&b, s, n);
	struct rect old = grid_clip(g, (struct rect){y, X_TEXT, 1, g->w - X_TEXT});
	if (b.n)
		grid_textn(g, 0, 0, ST_NORMAL, 0, b.p, b.n);
	grid_unclip(g, old);
	buf_free(&b);
}

void top_lines_draw(
    const struct weighted_tree *c, uint32_t symbol, const struct pane_env *env, struct grid *g, int y, int h)
{
	const struct symbol *t = &c->symbol[symbol];
	struct line v[LINES_MAX];
	if (h < 3 || t->tag || (!t->name && !t->file))
		return;
	const struct snap *sn = session_snap(env->s);
	if (sn->nstks > NODES_MAX) {
		grid_text(g, y, 0, ST_DIM, 0, "2 shows its hot lines");
		return;
	}
	struct weighted_tree *lines = session_calls_async(env->s, GR_LINES, FOR_SYMBOLS);
	if (!lines) {
		grid_text(g, y, 0, ST_DIM, 0, "counting its hot lines");
		return;
	}
	int max = h - 1 < LINES_MAX ? h - 1 : LINES_MAX, n = heaviest_lines(c, t, lines, v, max);
	if (n) {
		const char *file = store_str(c->st, lines->symbol[v[0].symbol].file)->s;
		const struct source *src = source_cache_get(session_sources(env->s), file);
		grid_printf(g, y, 0, ST_HEAD, 0,
		    src->path ? "hot lines" : "hot lines (source not found: 2 shows why)");
		for (int i = 0; i < n; i++)
			draw_line(env, lines, &v[i], src, g, y + 1 + i);
	}
	weighted_free(lines);
}
