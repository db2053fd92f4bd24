/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The timeline pane: what every P (or M, or G) did, from the whole trace down
 * to single nanoseconds. This file is its commands; timeline_move.c moves,
 * timeline_draw.c, _head.c and _story.c draw, timeline.h has the state.
 *
 * The pane keeps a window and a cursor, nothing that grows with the trace but
 * the list of rows. While the trace is loading and the whole of it is shown,
 * the window grows with what has been read; once zoomed it stays.
 */
#include "config.h"
#include "timeline.h"

#include "base/mem.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tl_open(void *st, const struct pane_env *env)
{
	struct timeline *tl = st;
	const struct snap *snap = session_snap(env->s);
	tl->overlays = TL_STW | TL_GC;
	tl->labels = true;
	tl->t0 = snap->t0;
	tl->t1 = snap->t1;
	tl->at = snap->t0 + (snap->t1 - snap->t0) / 2;
	tl->whole = true;
	tl_rows_make(tl, env);
	tl_window(tl, env, snap->t0, snap->t1);
}

static void tl_close(void *st)
{
	struct timeline *tl = st;
	mem_free(tl->row);
	arena_free(&tl->mem);
}

static void tl_update(void *st, const struct pane_env *env)
{
	struct timeline *tl = st;
	const struct snap *snap = session_snap(env->s);
	if (tl->ntrks != snap->ntrks)
		tl_rows_make(tl, env);
	if (snap->complete && !tl->looked) {
		tl->looked = true;
		tl->nout = standout(snap, &tl->mem, tl->out);
	}
	if (!tl->moved)
		tl->at = snap->t0 + (snap->t1 - snap->t0) / 2;
	if (tl->whole)
		tl_window(tl, env, snap->t0, snap->t1);
	else
		tl_window(tl, env, tl->t0, tl->t1);
}

static void tl_draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct timeline *tl = st;
	struct tl_layout l = tl_layout(tl, env);
	const struct snap *snap = session_snap(env->s);
	if (!tl->nrow || snap->t1 <= snap->t0) {
		grid_text(g, 1, 2, ST_DIM, 0, snap->complete ? "This trace says nothing of any P: there is no timeline to show."
							     : "Nothing of the trace has been read yet.");
		return;
	}
	tl_draw_head(tl, env, g, &l);
	tl_draw_rows(tl, env, g, &l);
	if (tl->whole && tl->nout)
		tl_draw_standout(tl, g, &l);
	else
		tl_draw_story(tl, env, g, &l);
}

/* The kinds of rows in the order in which M walks them. */
static void set_kind(struct timeline *tl, const struct pane_env *env, enum tl_kind kind)
{
	struct ival iv;
	trk_id was = tl_track(tl), to = 0;
	if (was && ival_at(session_snap(env->s), was, tl->at, &iv))
		to = iv.who;
	tl->kind = kind;
	tl->sel = tl->top = 0;
	tl_rows_make(tl, env);
	tl_window(tl, env, tl->t0, tl->t1);
	if (to)
		tl_select_track(tl, env, to);	/* from a P to the G on it, from a G to its P */
}

static void rows_cmd(struct timeline *tl, const struct pane_env *env, const struct act *a)
{
	static const char letters[TL__N + 1] = "pmg";
	static const enum tl_kind next[TL__N] = {[TL_P] = TL_G, [TL_G] = TL_M, [TL_M] = TL_P};
	enum tl_kind kind = next[tl->kind];
	const char *at = a->arg && *a->arg ? strchr(letters, a->arg[0] | 0x20) : NULL;
	if (at && *at)
		kind = (enum tl_kind)(at - letters);
	set_kind(tl, env, kind);
}

static void toggle_pin(struct timeline *tl, const struct pane_env *env)
{
	trk_id t = tl_track(tl);
	for (uint32_t i = 0; i < tl->npin; i++)
		if (tl->pin[i] == t) {
			memmove(tl->pin + i, tl->pin + i + 1, (--tl->npin - i) * sizeof *tl->pin);
			tl_rows_make(tl, env);
			return;
		}
	if (t && tl->npin < TL_PINS) {
		tl->pin[tl->npin++] = t;
		tl_rows_make(tl, env);
	}
}

static void range_cmd(struct timeline *tl)
{
	if (!tl->ranging) {
		tl->ranging = true;
		tl->anchor = tl->at;
		tl->r0 = tl->r1 = 0;
		return;
	}
	tl->ranging = false;
	tl->r0 = tl->anchor < tl->at ? tl->anchor : tl->at;
	tl->r1 = tl->anchor < tl->at ? tl->at : tl->anchor;
}

/* f: the range, or the goroutine of the row, becomes the query of every pane. */
static enum verdict focus_cmd(struct timeline *tl, const struct pane_env *env, struct ask *out)
{
	out->query = *session_query(env->s);
	trk_id t = tl_track(tl);
	if (tl->ranging)
		range_cmd(tl);
	if (tl->r1 > tl->r0) {
		out->query.from = tl->r0;
		out->query.to = tl->r1;
	} else if (t && tl->kind == TL_G) {
		out->query.g = t;
	} else if (t && tl->kind == TL_P) {
		out->query.proc = t;
	} else {
		return V_PASS;
	}
	out->kind = ASK_QUERY;
	return V_ASK;
}

/* Enter: the range or the span fills the window; again: back to a wider view of it is u's business. */
static void enter_cmd(struct timeline *tl, const struct pane_env *env)
{
	if (tl->ranging)
		range_cmd(tl);
	tl_fit(tl, env);
	tl->r0 = tl->r1 = 0;
}

static enum verdict message(struct ask *out, const char *text)
{
	out->kind = ASK_MESSAGE;
	snprintf(out->text, sizeof out->text, "%s", text);
	return V_ASK;
}

/* gt, gG, gp with what was typed. */
static enum verdict goto_cmd(struct timeline *tl, const struct pane_env *env, const struct act *a, struct ask *out)
{
	const struct snap *snap = session_snap(env->s);
	const char *arg = a->arg ? a->arg : "";
	int64_t t;
	char *end;
	if (a->cmd == CMD_GOTO_TIME) {
		double v = strtod(arg, &end);
		if (end > arg && *end == '%')
			t = snap->t0 + (int64_t)(v / 100 * (double)(snap->t1 - snap->t0));
		else if (!text_parse_ns(arg, &t))
			return message(out, "a time is 1.2s, 350ms, 40%");
		int64_t len = tl->t1 - tl->t0;
		tl->at = t;
		tl_window(tl, env, t - len / 2, t - len / 2 + len);
		return V_DONE;
	}
	if (*arg == 'g' || *arg == 'G' || *arg == 'p' || *arg == 'P')
		arg++;
	uint64_t id = strtoull(arg, &end, 10);
	enum track_kind kind = a->cmd == CMD_GOTO_G ? TK_G : TK_P;
	if (end == arg || *end)
		return message(out, "a number is wanted");
	for (trk_id i = 1; i < snap->ntrks; i++) {
		const struct trk_row *r = store_trk(snap->st, i);
		if (r->kind != kind || r->id != id)
			continue;
		set_kind(tl, env, kind == TK_G ? TL_G : TL_P);
		tl_select_track(tl, env, i);
		struct ival iv;
		if (!ival_at(snap, i, tl->at, &iv) && (ival_near(snap, i, tl->at, 1, &iv) || ival_near(snap, i, tl->at, -1, &iv)))
			tl_span(tl, env, iv.t0 >= tl->at ? 1 : -1);
		return V_DONE;
	}
	return message(out, kind == TK_G ? "no goroutine of that number" : "no P of that number");
}

/* Tab: from one thing that stands out to the next. */
static enum verdict standout_cmd(struct timeline *tl, const struct pane_env *env, int dir, struct ask *out)
{
	for (size_t k = 0; k < tl->nout; k++) {
		const struct standout *o = &tl->out[tl->atout];
		tl->atout = (tl->atout + (dir > 0 ? 1 : tl->nout - 1)) % tl->nout;
		if (o->t1 <= o->t0)
			continue;
		if (o->trk && store_trk(session_snap(env->s)->st, o->trk)->kind == TK_G && tl->kind != TL_G)
			set_kind(tl, env, TL_G);
		tl_select_track(tl, env, o->trk);
		tl->at = o->t0 + (o->t1 - o->t0) / 2;
		tl_window(tl, env, o->t0 - (o->t1 - o->t0) / 2, o->t1 + (o->t1 - o->t0) / 2);
		return message(out, o->text);
	}
	return V_PASS;
}

static enum verdict cause_cmd(struct timeline *tl, const struct pane_env *env, const struct act *a, struct ask *out)
{
	tl_cause(tl, env, a->cmd == CMD_CAUSE ? -1 : 1, out->text, sizeof out->text);
	out->kind = ASK_MESSAGE;
	return V_ASK;
}

/* Up and down, by rows. false: not a motion. */
static bool move_rows(struct timeline *tl, const struct pane_env *env, const struct act *a)
{
	int page = tl_layout(tl, env).nrows, n = act_n(a);
	page = page > 1 ? page - 1 : 1;
	int64_t at = tl->sel;
	switch (a->cmd) {
	case CMD_DOWN: at += n; break;
	case CMD_UP: at -= n; break;
	case CMD_PAGE_DOWN: at += (int64_t)n * page; break;
	case CMD_PAGE_UP: at -= (int64_t)n * page; break;
	case CMD_HALF_DOWN: at += (int64_t)n * (page / 2 + 1); break;
	case CMD_HALF_UP: at -= (int64_t)n * (page / 2 + 1); break;
	case CMD_FIRST: at = 0; break;
	case CMD_LAST: at = a->count > 0 ? a->count - 1 : (int64_t)tl->nrow - 1; break;
	default: return false;
	}
	tl_select(tl, env, at);
	return true;
}

/* Left and right and closer, in time. false: not one of them. */
static bool move_time(struct timeline *tl, const struct pane_env *env, const struct act *a)
{
	const struct snap *snap = session_snap(env->s);
	int n = act_n(a);
	switch (a->cmd) {
	case CMD_LEFT: tl_shift(tl, env, -n); break;
	case CMD_RIGHT: tl_shift(tl, env, n); break;
	case CMD_SCREEN_LEFT: tl_scroll(tl, env, -0.5 * n); break;
	case CMD_SCREEN_RIGHT: tl_scroll(tl, env, 0.5 * n); break;
	case CMD_ZOOM_IN: tl_zoom(tl, env, n < 64 ? n : 64); break;
	case CMD_ZOOM_OUT: tl_zoom(tl, env, n < 64 ? -n : -64); break;
	case CMD_ZOOM_ALL: tl_window(tl, env, snap->t0, snap->t1); break;
	case CMD_SPAN_NEXT: for (; n > 0; n--) tl_span(tl, env, 1); break;
	case CMD_SPAN_PREV: for (; n > 0; n--) tl_span(tl, env, -1); break;
	case CMD_SPAN_FIRST: tl_span_end(tl, env, -1); break;
	case CMD_SPAN_LAST: tl_span_end(tl, env, 1); break;
	case CMD_CENTRE: tl_window(tl, env, tl->at - (tl->t1 - tl->t0) / 2, tl->at + (tl->t1 - tl->t0) / 2); break;
	case CMD_OPEN: enter_cmd(tl, env); break;
	case CMD_RANGE: range_cmd(tl); break;
	default: return false;
	}
	return true;
}

static enum verdict tl_act(void *st, const struct pane_env *env, const struct act *a, struct ask *out)
{
	struct timeline *tl = st;
	if (!tl->nrow)
		return V_PASS;
	tl->moved = true;
	if (move_rows(tl, env, a) || move_time(tl, env, a))
		return V_DONE;
	switch (a->cmd) {
	case CMD_NEXT_PART:
	case CMD_PREV_PART: return standout_cmd(tl, env, a->cmd == CMD_NEXT_PART ? 1 : -1, out);
	case CMD_ROWS: rows_cmd(tl, env, a); return V_DONE;
	case CMD_TAG: toggle_pin(tl, env); return V_DONE;
	case CMD_OVERLAY: tl->overlays = (tl->overlays + 3) & 3; return V_DONE;
	case CMD_LABELS: tl->labels = !tl->labels; return V_DONE;
	case CMD_CAUSE:
	case CMD_EFFECT: return cause_cmd(tl, env, a, out);
	case CMD_GOTO_TIME:
	case CMD_GOTO_G:
	case CMD_GOTO_P: return a->arg ? goto_cmd(tl, env, a, out) : V_PASS;
	case CMD_FOCUS: return a->arg ? V_PASS : focus_cmd(tl, env, out);
	case CMD_CANCEL:
		if (!tl->ranging && tl->r1 <= tl->r0)
			return V_PASS;
		tl->ranging = false;
		tl->r0 = tl->r1 = 0;
		return V_DONE;
	default: return V_PASS;
	}
}

static bool tl_go(void *st, const struct pane_env *env, const struct place *p)
{
	struct timeline *tl = st;
	const struct snap *snap = session_snap(env->s);
	bool done = false;
	if (p->t0 != TIME_NONE) {
		int64_t t1 = p->t1 != TIME_NONE && p->t1 > p->t0 ? p->t1 : p->t0 + 1;
		int64_t pad = (t1 - p->t0) / 8;
		tl->at = p->t0 + (t1 - p->t0) / 2;
		if (p->t1 != TIME_NONE)
			tl_window(tl, env, p->t0 - pad, t1 + pad);
		else
			tl_window(tl, env, p->t0 - (tl->t1 - tl->t0) / 2, p->t0 + (tl->t1 - tl->t0) / 2);
		done = true;
	}
	if (p->trk && p->trk < snap->ntrks) {
		static const enum tl_kind kinds[] = {[TK_P] = TL_P, [TK_M] = TL_M, [TK_G] = TL_G};
		enum track_kind k = store_trk(snap->st, p->trk)->kind;
		if (k != TK_NONE && kinds[k] != tl->kind)
			set_kind(tl, env, kinds[k]);
		done |= tl_select_track(tl, env, p->trk);
	}
	return done;
}

static void tl_place(const void *st, const struct pane_env *env, struct place *p)
{
	const struct timeline *tl = st;
	const struct snap *snap = session_snap(env->s);
	struct ival iv;
	p->trk = tl_track(tl);
	p->t0 = tl->at;
	if (tl->r1 > tl->r0) {
		p->t0 = tl->r0;
		p->t1 = tl->r1;
	}
	if (!tl_interval(tl, env, &iv))
		return;
	if (store_trk(snap->st, p->trk)->kind != TK_G && iv.who) {
		p->trk = iv.who;
		if (!ival_at(snap, iv.who, tl->at, &iv))
			return;
	}
	p->stk = iv.stack;
	if (iv.stack) {
		p->frm = store_stk(snap->st, iv.stack)->frame;
		p->fun = store_frm(snap->st, p->frm)->fun;
	}
}

static void tl_save(const void *st, struct view *v)
{
	const struct timeline *tl = st;
	*v = (struct view){{tl->t0, tl->t1, tl->kind, tl->whole}, {tl->at, tl->sel, tl->top, 0}};
}

static void tl_load(void *st, const struct pane_env *env, const struct view *v)
{
	struct timeline *tl = st;
	if (v->zoom[2] >= 0 && v->zoom[2] < TL__N && (enum tl_kind)v->zoom[2] != tl->kind)
		set_kind(tl, env, (enum tl_kind)v->zoom[2]);
	tl->at = v->cursor[0];
	tl_window(tl, env, v->zoom[0], v->zoom[1]);
	tl->at = v->cursor[0];
	tl_window(tl, env, tl->t0, tl->t1);
	tl_select(tl, env, v->cursor[1]);
}

static void tl_keys(const void *st, const struct pane_env *env, struct buf *b)
{
	(void)st;
	buf_puts(b, env->cols >= 120 ? "h l move  { } half page  + - zoom  Enter fit  v range  f filter to it  u undo  w b span  "
				       "( ) cause effect  M rows P/G/M  t pin  O overlay  L labels  0 all  ? help"
				     : "h l {} move + - zoom Enter fit u undo ( cause ) effect w b span v range M rows");
}

static void tl_click(void *st, const struct pane_env *env, int y, int x, bool twice, struct ask *out)
{
	struct timeline *tl = st;
	struct tl_layout l = tl_layout(tl, env);
	(void)out;
	if (y >= l.rows && y < l.rows + l.nrows)
		tl_select(tl, env, (int64_t)tl->top + (y - l.rows));
	if (x >= l.gutter && x < l.gutter + l.cells)
		tl_shift(tl, env, x - l.gutter - tl_cell(tl, l.cells, tl->at));
	if (twice)
		enter_cmd(tl, env);
}

static int topics(const void *st, const struct pane_env *env, enum topic *t)
{
	const struct timeline *tl = st;
	struct ival iv;
	t[0] = tl_interval(tl, env, &iv) ? explain_state(iv.state) : TOPIC_NONE;
	t[1] = tl->kind == TL_G ? TOPIC_T_GOROUTINE : tl->kind == TL_M ? TOPIC_T_THREAD : TOPIC_T_PROC;
	return 2;
}

const struct pane_ops pane_timeline = {
	.name = "timeline",
	.tab = "Time",
	.bit = P_TIME,
	.cmd = CMD_PANE_TIME,
	.trace_only = true,
	.state_size = sizeof(struct timeline),
	.open = tl_open,
	.close = tl_close,
	.update = tl_update,
	.draw = tl_draw,
	.act = tl_act,
	.go = tl_go,
	.place = tl_place,
	.topics = topics,
	.save = tl_save,
	.load = tl_load,
	.summary = tl_summary,
	.detail = tl_detail,
	.find = tl_find,
	.keys = tl_keys,
	.click = tl_click,
};
