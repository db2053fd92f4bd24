/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The table of events: one line each, with the time since the previous event, and the stacks of the
 * selected event beside the list or below it.
 */
#include "config.h"
#include "events/internal.h"

#include "base/text/text.h"

enum { EVENT_TIME, EVENT_DELTA, EVENT_NAME, EVENT_BY, EVENT_DETAILS, EVENT_COLS };
static const struct list_column cols[EVENT_COLS] = {
    [EVENT_TIME] = {"TIME", 11, 0, LIST_NUMBER, LIST_KEPT, 0, NULL, 0, 0},
    [EVENT_DELTA] = {"DELTA", 8, 0, LIST_NUMBER, LIST_FIRST, 0, NULL, 0, 0},
    [EVENT_NAME] = {"EVENT", 11, 0, LIST_TEXT, LIST_KEPT, 0, NULL, 0, 0},
    [EVENT_BY] = {"BY", 7, 24, LIST_TEXT, LIST_FIRST, 1, NULL, 0, 40},
    [EVENT_DETAILS] = {"DETAILS", 14, 40, LIST_TEXT, LIST_KEPT, 3, NULL, 0, 90},
};
enum { MARGIN = 2 };		/* the mark of the selection and the scrollbar */

struct events_drawing {
	const struct events *p;
	const struct pane_env *env;
	int x[EVENT_COLS], w[EVENT_COLS];
};

int events_split(const void *st, const struct pane_env *env, int w, int *choose)
{
	int wants, cells = list_cells_beside(cols, EVENT_COLS, w - MARGIN, &wants) + MARGIN;
	(void)st, (void)env;
	*choose = cells < w ? cells : wants + MARGIN < w ? wants + MARGIN : w;
	return cells;
}

static bool in_range(const struct events *p, int64_t t)
{
	int64_t at = events_selected_event(p) ? events_selected_event(p)->t : p->anchor;
	return p->ranging && t >= (at < p->anchor ? at : p->anchor) && t <= (at < p->anchor ? p->anchor : at);
}

/* Return the lines below the events for stacks: S shows them if there is no side part. */
int events_footer_height(const struct events *p, const struct pane_env *env)
{
	return p->stacks && !env->side_shown && env->rows >= 12 ? env->rows * 2 / 5 : 0;
}

static int draw_stacks(const struct events *p, const struct pane_env *env, struct grid *g, int y, int h)
{
	struct events_stack v[2];
	int n = events_selected_event(p) ? events_event_stacks(session_snap(env->s), events_selected_event(p), v) : 0;
	if (!n)
		grid_text(g, y, 1, ST_DIM, 0, "no stack for this event");
	for (int i = 0; i < n && y + 1 < h; i++) {
		grid_text(g, y, 1, ST_HEAD, 0, v[i].of);
		y = tracepane_draw_stack(env, g, y + 1, i + 1 < n ? y + (h - y) / 2 : h, v[i].stack) + 1;
	}
	return y;
}

static void draw_row(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct events_drawing *d = arg;
	const struct snap *sn = session_snap(d->env->s);
	const struct event_item *e = events_event_at(d->p, i);
	const int *x = d->x, *w = d->w;
	enum { NAMED = 12 };	/* cells for a goroutine with its function */
	struct buf b = {0};
	text_at(&b, e->t, 1000);
	grid_right(g, y, w[EVENT_TIME], ST_NORMAL, 0, buf_str(&b));
	buf_reset(&b);
	if (i && x[EVENT_DELTA] >= 0) {
		buf_putc(&b, '+');
		text_ns(&b, e->t - events_event_at(d->p, i - 1)->t);
		grid_right(g, y, x[EVENT_DELTA] + w[EVENT_DELTA], ST_DIM, 0, buf_str(&b));
		buf_reset(&b);
	}
	grid_text(g, y, x[EVENT_NAME], events_event_style(sn, e), 0, trace_events_name(sn, e));
	if (e->trk && w[EVENT_BY] >= NAMED)
		tracepane_put_track(sn->st, e->trk, &b);
	else if (e->trk)
		tracepane_put_id(sn->st, e->trk, &b);
	if (x[EVENT_BY] >= 0)
		tracepane_draw_text(d->env, g, y, x[EVENT_BY], w[EVENT_BY], ST_NORMAL, &b);
	buf_reset(&b);
	events_describe(sn, e, &b);
	if (x[EVENT_DETAILS] >= 0)
		tracepane_draw_text(d->env, g, y, x[EVENT_DETAILS], w[EVENT_DETAILS], ST_NORMAL, &b);
	buf_free(&b);
	if (in_range(d->p, e->t))
		grid_put(g, y, 0, '+', ST_RANGE, ST_NORMAL, AT_BOLD);
}

void events_draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct events *p = st;
	struct events_drawing d = {.p = p, .env = env};
	list_layout_columns(cols, EVENT_COLS, (env->choose < g->w ? env->choose : g->w) - MARGIN, d.x, d.w);
	struct rect head = grid_clip(g, (struct rect){0, 1, 1, g->w - 1});
	list_draw_header(g, 0, cols, EVENT_COLS, d.x, d.w);
	grid_unclip(g, head);
	if (!p->rows.n)
		tracepane_draw_empty(g, 2, !session_snap(env->s)->complete ? "Nothing has been read yet."
			: env->grep.rx ? "No event near the cursor matches: & and Enter shows all events."
			: p->view ? "No events of this kind here: e shows other kinds."
			: p->scope.part || tracepane_is_filtered(&p->scope)
			? "No event passes the filters: R removes all filters, u the last one."
			: "The trace has no events of goroutines or the collector: it is truncated before "
			  "the\nfirst of them, or tracing was stopped immediately. ^G shows what was read, r the wire "
			  "form.");
	int foot = events_footer_height(p, env);
	if (foot)
		draw_stacks(p, env, g, g->h - foot + 1, g->h);
	struct rect old = grid_clip(g, (struct rect){1, 0, g->h - 1 - foot, g->w});
	list_draw_rows(&p->rows, g, draw_row, &d,
	    &(struct list_options){false, list_hits_marks(&p->hits, &p->rows, env->find.rx)});
	grid_unclip(g, old);
}

void events_draw_side(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct events *p = st;
	const struct snap *sn = session_snap(env->s);
	const struct event_item *e = events_selected_event(p);
	struct buf b = {0};
	if (!e)
		return;
	int y = 0;
	grid_text(g, y++, 0, ST_TITLE, 0, trace_events_name(sn, e));
	if (e->trk)
		tracepane_put_track(sn->st, e->trk, &b);
	tracepane_draw_text(env, g, y++, 2, g->w - 2, ST_NORMAL, &b);
	buf_reset(&b);
	events_describe(sn, e, &b);
	tracepane_draw_text(env, g, y++, 2, g->w - 2, ST_NORMAL, &b);
	buf_free(&b);
	draw_stacks(p, env, g, y + 1, g->h);
}
