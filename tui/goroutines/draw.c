/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The table of groups or of the goroutines of a group (tables.c), the wait statistics of the
 * selection below or beside it, and the lines above and below the pane. A frame only reads visible
 * rows: sums over all groups are computed when the groups are made.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/text/text.h"

int goroutines_footer_height(const struct pane_env *env)
{
	return env->detail && !env->side_shown && env->rows >= 18 ? 7 : 0;
}

static const char *why_empty(const struct goroutines_state *p, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	if (!p->gs)
		return "Counting goroutines.";
	if (async_job(&p->table[p->level].order))
		return "Putting the goroutines in order.";
	if (!p->gs->ng && !sn->complete)
		return "No goroutines have been read yet.";
	if (!p->gs->ng && sn->trace.log)
		return tracepane_log_notice;
	if (env->grep.rx)
		return "No row matches: & and Enter shows all rows.";
	if (p->scope.part || p->scope.f.g)
		return "No goroutine passes the filters.\nR removes all filters, u the last one.";
	return "The trace has no goroutines: it is truncated before the first of them, or\n"
	       "tracing was stopped immediately. ^G shows what was read.";
}

void goroutines_draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct goroutines_state *p = st;
	if (p->level == GL_ONE) {
		goroutines_page_draw(p, env, g);
		return;
	}
	const struct pane_table *t = &p->table[p->level];
	if (!t->rows.n) {
		tracepane_draw_empty(g, 1, why_empty(p, env));
		return;
	}
	int foot = goroutines_footer_height(env);
	pane_table_draw(t, p, env, g, 0, g->h - 1 - foot, false);
	if (foot) {
		struct rect old = grid_clip(g, (struct rect){g->h - foot + 1, 1, foot - 1, g->w - 1});
		goroutines_draw_waits(p, env, g);
		grid_unclip(g, old);
	}
}

void goroutines_draw_side(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct goroutines_state *p = st;
	if (p->level == GL_ONE)
		goroutines_page_draw_side(p, env, g);
	else
		goroutines_draw_waits(p, env, g);
}

/* ---- the lines above and below */

void goroutines_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct goroutines_state *p = st;
	if (async_job(&p->work))
		tracepane_put_progress(async_job(&p->work), "counting", b);
	if (!p->gs)
		return;
	goroutines_wait_progress(p, b);
	if (p->level == GL_ONE) {
		goroutines_page_summary(p, env, b);
		return;
	}
	if (p->level == GL_LIST) {
		buf_puts(b, "Gor > ");
		tracepane_put_str(session_snap(env->s)->st, p->open, "(no start function)", b);
		buf_puts(b, "   ");
		text_count(b, p->table[GL_LIST].rows.n);
		buf_puts(b, p->table[GL_LIST].rows.n == 1 ? " goroutine   " : " goroutines   ");
	} else {
		text_count(b, p->gs->ng);
		buf_printf(b, " goroutine%s in ", text_s(p->gs->ng));
		text_count(b, p->ngroup);
		buf_printf(b, " group%s, by %s | ", text_s(p->ngroup),
		    p->by == GROUP_KEY_FUNCTION ? "start function" : p->by == GROUP_KEY_WORK ? "function" : group_key_name(p->by));
	}
	if (p->tags[p->level].n)
		buf_printf(b, "%zu tagged | ", p->tags[p->level].n);
	tracepane_put_scope(&p->scope, b);
	if (env->find.rx && async_job(&p->search))
		buf_printf(b, " | /%s searching", env->find.text);
	else if (env->find.rx && p->tree.hits.at)
		buf_printf(b, " | /%s %u match%s", env->find.text, p->tree.all, text_es(p->tree.all));
}

/* Return the share of the group in the running time of all goroutines in the window. */
static double share_of(const struct goroutines_state *p, const struct goroutines_row *r)
{
	return p->ran > 0 ? 100.0 * (double)r->v[GV_RUN] / (double)p->ran : 0;
}

void goroutines_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct goroutines_state *p = st;
	struct goroutines_row room;
	const struct goroutines_row *r = goroutines_selected_row(p, &room);
	const struct store *s = session_snap(env->s)->st;
	if (p->level == GL_ONE) {
		goroutines_page_detail(p, env, b);
		return;
	}
	if (!r)
		return;
	if (r->trk)
		tracepane_put_track(s, r->trk, b);
	else
		tracepane_put_str(s, r->name, "(no start function)", b);
	if (!r->trk)
		buf_printf(b, ": %u ended, %u alive, %.2f%% of the running time", p->story.ended, r->n - p->story.ended,
		    share_of(p, r));
	if (p->story.created) {
		buf_puts(b, "  created at ");
		tracepane_put_site(s, p->story.created, b);
	}
}
