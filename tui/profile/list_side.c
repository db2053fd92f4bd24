/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The side part of the list pane: the functions that the selected line calls, its callers, and the
 * functions that { and } visit, with the displayed one marked.
 *
 * Calls are between lines, because the tree of this pane is by lines: a caller is a place, not only
 * a name. The functions have the rest of the height, with the displayed one in the middle, so that
 * the next and the previous one are visible.
 */
#include "config.h"
#include "profile/list_internal.h"

#include "base/text/text.h"
#include "calltree/callers.h"

static int draw_links(const struct list_state *v, const struct pane_env *env, struct grid *g, int y, int h,
    const char *head, const struct link *l, uint32_t n, int64_t whole)
{
	if (!n || h < 3)
		return y;
	grid_text(g, y++, 0, ST_HEAD, 0, head);
	for (uint32_t i = 0; i < n && (int)i < h - 2; i++, y++) {
		if ((int)i == h - 3 && n - i > 1) {
			grid_printf(g, y++, 2, ST_DIM, 0, "and %u more", n - i);
			break;
		}
		profile_draw_change(env, v->t.c, g, y, 9, l[i].value, 0);
		profile_draw_percent(g, y, 16, l[i].value, whole);
		profile_draw_name(env, v->t.c, g, y, 18, g->w - 18, l[i].symbol, l[i].inl ? "(inlined)" : "");
	}
	return y + 1;
}

static void draw_functions(const struct list_state *v, const struct pane_env *env, struct grid *g, int y)
{
	uint32_t at = 0, h = (uint32_t)(g->h - y - 1);
	while (at < v->norder && v->order[at] != v->cur)
		at++;
	if (g->h - y < 3 || v->norder < 2)
		return;
	grid_printf(g, y++, 0, ST_HEAD, 0, "%u function%s%s, heaviest first", v->norder, text_s(v->norder),
	    !v->re ? "" : v->norder == 1 ? " that matches" : " that match");
	uint32_t from = at == v->norder || at < h / 2 ? 0 : at - h / 2;
	if (from + h > v->norder)
		from = v->norder > h ? v->norder - h : 0;
	for (uint32_t i = from; i < v->norder && y < g->h; i++, y++) {
		const struct function_sum *f = &v->fun[v->order[i]];
		const struct str_row *s = list_function_name(v, f);
		struct buf b = {0};
		text_fit_symbol(&b, s->s, s->n, g->w > 18 ? (size_t)(g->w - 18) : 1, env->ascii);
		profile_draw_change(env, v->t.c, g, y, 9, f->cum, 0);
		profile_draw_percent(g, y, 16, f->cum, v->t.c->all);
		grid_textn(g, y, 18, ST_NORMAL, i == at ? AT_BOLD : 0, b.p, b.n);
		if (i == at)
			grid_put(g, y, 0, '>', ST_ACCENT, ST_NORMAL, AT_BOLD);
		buf_free(&b);
	}
}

void list_pane_draw_side(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct list_state *v = st;
	if (!v->t.c || v->cur == UINT32_MAX)
		return;
	const struct list_row *r = v->rows.n ? &v->row[v->rows.sel] : NULL;
	int y = 0;
	if (r && r->kind == LR_LINE && r->symbol) {
		struct link *up, *down;
		uint32_t nup = calltree_callers(v->t.c, r->symbol, env->scratch, &up);
		uint32_t ndown = calltree_callees(v->t.c, r->symbol, env->scratch, &down);
		grid_printf(g, y++, 0, ST_TITLE, 0, "line %lld", (long long)r->line);
		y = draw_links(v, env, g, y + 1, g->h / 3, "called from", up, nup, r->cum);
		y = draw_links(v, env, g, y, g->h / 3, "calls", down, ndown, r->cum);
	}
	draw_functions(v, env, g, y);
}
