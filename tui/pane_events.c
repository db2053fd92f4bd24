/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Every event in order. The pane holds a page of them, CHUNK or so around the
 * cursor (analysis/eventlist.c gathers it out of the store), and another page
 * when the cursor comes near its end, so that a trace of any length opens at
 * once and a jump to a time costs the same anywhere. Rows therefore have no
 * number in the whole; where the cursor is, is a time.
 */
#include "config.h"
#include "tracepane.h"

#include "analysis/eventlist.h"
#include "base/text.h"
#include "store/spans.h"
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 4000, CHUNK_MAX = 40000, NEAR = 200 };

enum { ALL_SPANS = (1 << (SP_RANGE + 1)) - 1, ALL_MARKS = (1 << (MK_WAKE_NET + 1)) - 1 };
static const struct { const char *name; uint32_t kinds, spans, marks; } views[] = {
	{"all", EL_ALL, ALL_SPANS, ALL_MARKS},
	{"goroutines", 1 << EL_CREATE | 1 << EL_READY | 1 << EL_RUN | 1 << EL_BLOCK | 1 << EL_SYSCALL | 1 << EL_END, 0, 0},
	{"blocks", 1 << EL_BLOCK | 1 << EL_SYSCALL | 1 << EL_READY, 0, 0},
	{"life", 1 << EL_CREATE | 1 << EL_END, 0, 0},
	{"user", 1 << EL_BEGIN_SPAN | 1 << EL_END_SPAN | 1 << EL_MARK, 1 << SP_TASK | 1 << SP_REGION, 1 << MK_LOG},
	{"gc", 1 << EL_BEGIN_SPAN | 1 << EL_END_SPAN, 1 << SP_GC | 1 << SP_STW | 1 << SP_ASSIST | 1 << SP_SWEEP, 0},
	{"samples", 1 << EL_SAMPLE, 0, 0},
};
enum { VIEWS = sizeof views / sizeof *views };

struct events {
	struct arena mem;
	struct tp_scope scope;
	struct el list;
	uint32_t *row;		/* of list, as `&` leaves them */
	size_t crow;
	struct rows rows;
	int view;
	uint8_t *hit;
	uint32_t nhit;
};

static bool want(const void *arg, trk_id g, int64_t t)
{
	return tp_in(arg, g, t, t);
}

static const struct el_event *event_at(const struct events *p, uint32_t i)
{
	return &p->list.v[p->row[i]];
}

static const struct el_event *now(const struct events *p)
{
	return p->rows.n ? event_at(p, p->rows.sel) : NULL;
}

/* ---- words */

static void span_words(const struct store *st, const struct el_event *e, struct buf *b)
{
	const struct sink_span *s = &store_span(st, e->who)->s;
	if (s->kind == SP_TASK || (s->kind == SP_REGION && s->id))
		buf_printf(b, "task %llu ", (unsigned long long)s->id);
	if (s->kind == SP_TASK || s->kind == SP_REGION || s->kind == SP_STW || s->kind == SP_RANGE)
		tp_str(st, s->name, "(no name)", b);
	if (e->kind == EL_END_SPAN && s->t0 != TIME_NONE) {
		buf_putc(b, ' ');
		text_ns(b, s->t1 - s->t0);
	}
}

static void mark_words(const struct store *st, const struct sink_mark *m, struct buf *b)
{
	if (m->task)
		buf_printf(b, "task %llu ", (unsigned long long)m->task);
	if (store_str(st, m->category)->n)
		buf_putc(b, '['), tp_str(st, m->category, "", b), buf_puts(b, "] ");
	tp_str(st, m->text, "", b);
}

/* What happened, without when and to whom. */
static void words(const struct snap *sn, const struct el_event *e, struct buf *b)
{
	const struct store *st = sn->st;
	switch (e->kind) {
	case EL_CREATE:
	case EL_READY:
		if (e->who)
			buf_puts(b, "by "), tp_who(st, e->who, b);
		break;
	case EL_RUN:
		if (e->who && e->who < sn->ntrks)
			buf_puts(b, "on "), tp_id(st, e->who, b);
		break;
	case EL_BLOCK: buf_puts(b, state_name(e->state)); break;
	case EL_SYSCALL: buf_puts(b, e->state == TS_SYSBLOCK ? "blocked, P lost" : ""); break;
	case EL_BEGIN_SPAN:
	case EL_END_SPAN: span_words(st, e, b); break;
	case EL_MARK: mark_words(st, store_mark(st, e->who), b); break;
	default: break;
	}
	if (e->stack) {
		buf_puts(b, b->n && b->p[b->n - 1] != ' ' ? "  " : " ");
		tp_site(st, e->stack, b);
	}
}

static void row_text(const struct snap *sn, const struct el_event *e, struct buf *b)
{
	buf_reset(b);
	buf_puts(b, el_name(sn, e));
	buf_putc(b, ' ');
	if (e->trk)
		tp_who(sn->st, e->trk, b);
	buf_putc(b, ' ');
	words(sn, e, b);
}

/* ---- pages */

static void fill(struct events *p, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	struct buf b = {0};
	uint32_t n = 0;
	p->row = mem_grow(p->row, &p->crow, p->list.n + 1u, sizeof *p->row);
	for (uint32_t i = 0; i < p->list.n; i++) {
		if (env->grep.rx)
			row_text(sn, &p->list.v[i], &b);
		if (!env->grep.rx || rx_match(env->grep.rx, b.p, b.n))
			p->row[n++] = i;
	}
	rows_set(&p->rows, n);
	mem_free(p->hit);
	p->hit = NULL;
	p->nhit = 0;
	if (env->find.rx && n) {
		p->hit = xcalloc(n, 1);
		for (uint32_t i = 0; i < n; i++) {
			row_text(sn, event_at(p, i), &b);
			p->nhit += p->hit[i] = rx_match(env->find.rx, b.p, b.n);
		}
	}
	buf_free(&b);
}

/* The page around a moment. Rare kinds have none near: then the stretch grows. */
static void page_at(struct events *p, const struct pane_env *env, int64_t t)
{
	const struct snap *sn = session_snap(env->s);
	struct el_ask q = {views[p->view].kinds, views[p->view].spans, views[p->view].marks, NULL, &p->scope};
	int64_t t0, t1;
	if (p->scope.f.g || p->scope.f.slice)
		q.want = want;
	for (uint32_t n = CHUNK; ; n = n > UINT32_MAX / 8 ? UINT32_MAX : n * 8) {
		el_around(sn, t, n, p->scope.t0, p->scope.t1, &t0, &t1);
		el_gather(sn, &q, t0, t1, CHUNK_MAX, &p->list);
		if (p->list.n >= CHUNK / 4 || (t0 == p->scope.t0 && t1 == p->scope.t1))
			break;
	}
	if (p->list.n && p->list.t1 <= t)	/* too much: what was asked for must be in it */
		el_gather(sn, &q, t, t1, CHUNK_MAX, &p->list);
	fill(p, env);
}

/* Select the first event at or after t. */
static void seek(struct events *p, int64_t t)
{
	uint32_t lo = 0, hi = p->rows.n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (event_at(p, mid)->t < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	rows_select(&p->rows, lo);
}

static void turn(struct events *p, const struct pane_env *env)
{
	const struct el_event *e = now(p);
	if (!e)
		return;
	bool low = p->rows.sel < NEAR && p->list.t0 > p->scope.t0;
	bool high = p->rows.sel + NEAR >= p->rows.n && p->list.t1 < p->scope.t1;
	if (!low && !high)
		return;
	struct el_event was = *e;
	uint32_t below = p->rows.sel - rows_top(&p->rows, env->rows - 1);
	page_at(p, env, was.t);
	seek(p, was.t);
	uint32_t i = p->rows.sel;
	while (i + 1 < p->rows.n && event_at(p, i)->t == was.t &&
	    (event_at(p, i)->kind != was.kind || event_at(p, i)->trk != was.trk || event_at(p, i)->who != was.who))
		i++;
	if (i < p->rows.n && event_at(p, i)->t == was.t)
		rows_select(&p->rows, i);
	p->rows.top = p->rows.sel > below ? p->rows.sel - below : 0;
}

static void go_to(struct events *p, const struct pane_env *env, int64_t t)
{
	page_at(p, env, t);
	seek(p, t);
}

static void update(void *st, const struct pane_env *env)
{
	struct events *p = st;
	const struct el_event *e = now(p);
	int64_t t = e ? e->t : TIME_NONE;
	arena_reset(&p->mem);
	tp_scope(env, &p->mem, &p->scope);
	if (t == TIME_NONE || t < p->scope.t0 || t >= p->scope.t1)
		t = p->scope.t0;
	go_to(p, env, t);
}

static void close_events(void *st)
{
	struct events *p = st;
	arena_free(&p->mem);
	mem_free(p->list.v);
	mem_free(p->row);
	mem_free(p->hit);
}

/* ---- drawing */

struct drawing { const struct events *p; const struct pane_env *env; };

static enum style style_of(const struct snap *sn, const struct el_event *e)
{
	switch (e->kind) {
	case EL_RUN: return ST_S_RUN;
	case EL_READY:
	case EL_CREATE: return ST_S_READY;
	case EL_BLOCK:
	case EL_SYSCALL: return state_style(e->state);
	case EL_BEGIN_SPAN:
	case EL_END_SPAN: return store_span(sn->st, e->who)->s.kind == SP_STW ? ST_STWLINE
				: store_span(sn->st, e->who)->s.kind >= SP_GC ? ST_S_GC : ST_ACCENT;
	case EL_MARK: return ST_ACCENT;
	default: return ST_DIM;
	}
}

static void draw_row(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct drawing *d = arg;
	const struct snap *sn = session_snap(d->env->s);
	const struct el_event *e = event_at(d->p, i);
	bool wide = g->w >= 100;
	struct buf b = {0};
	text_at(&b, e->t, 1000);
	grid_right(g, y, 11, ST_NORMAL, 0, buf_str(&b));
	buf_reset(&b);
	if (i) {
		buf_putc(&b, '+');
		text_ns(&b, e->t - event_at(d->p, i - 1)->t);
		grid_right(g, y, 20, ST_DIM, 0, buf_str(&b));
		buf_reset(&b);
	}
	grid_text(g, y, 21, style_of(sn, e), 0, el_name(sn, e));
	if (e->trk && wide)
		tp_who(sn->st, e->trk, &b);
	else if (e->trk)
		tp_id(sn->st, e->trk, &b);
	tp_text(d->env, g, y, 33, wide ? 30 : 7, ST_NORMAL, &b);
	buf_reset(&b);
	words(sn, e, &b);
	int x = wide ? 64 : 41;
	tp_text(d->env, g, y, x, g->w - x, ST_NORMAL, &b);
	buf_free(&b);
}

static void draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct events *p = st;
	grid_text(g, 0, 1, ST_HEAD, 0, "       TIME    DELTA EVENT       WHO");
	grid_text(g, 0, g->w >= 110 ? 65 : 42, ST_HEAD, 0, "WHAT");
	if (!p->rows.n)
		tp_empty(g, 2, !session_snap(env->s)->complete ? "Nothing of the kind has been read yet."
			: env->grep.rx ? "No event near the cursor matches: & and Enter shows all of them."
			: p->view ? "There are no such events here: e shows other kinds."
			: "No event is left by the filters: R drops them all, u the last one.");
	struct rect old = grid_clip(g, (struct rect){1, 0, g->h - 1, g->w});
	rows_draw(&p->rows, g, draw_row, &(struct drawing){p, env}, &(struct rows_look){false, env->find.rx ? p->hit : NULL});
	grid_unclip(g, old);
}

static void side(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct events *p = st;
	const struct snap *sn = session_snap(env->s);
	const struct el_event *e = now(p);
	struct buf b = {0};
	if (!e)
		return;
	int y = 0;
	grid_text(g, y++, 0, ST_TITLE, 0, el_name(sn, e));
	if (e->trk)
		tp_who(sn->st, e->trk, &b);
	tp_text(env, g, y++, 2, g->w - 2, ST_NORMAL, &b);
	buf_reset(&b);
	words(sn, e, &b);
	tp_text(env, g, y++, 2, g->w - 2, ST_NORMAL, &b);
	buf_free(&b);
	if (!e->stack)
		return;
	grid_text(g, ++y, 0, ST_HEAD, 0, e->kind == EL_READY || e->kind == EL_CREATE ? "stack of who did it" : "stack");
	y = tp_stack(env, g, y + 1, g->h - 12 > y + 2 ? g->h - 12 : g->h, e->stack);
	if (e->kind == EL_CREATE && e->trk && y + 3 < g->h) {
		grid_text(g, ++y, 0, ST_HEAD, 0, "starts in");
		tp_stack(env, g, y + 1, g->h, store_trk(sn->st, e->trk)->start);
	}
}

/* ---- acting */

static enum verdict goto_cmd(struct events *p, const struct pane_env *env, const char *arg, struct ask *out)
{
	const struct snap *sn = session_snap(env->s);
	char *end;
	double v = strtod(arg, &end);
	int64_t t;
	if (end > arg && *end == '%' && v >= 0 && v <= 100)
		t = sn->t0 + (int64_t)(v / 100 * (double)(sn->t1 - sn->t0));
	else if (!text_parse_ns(arg, &t))
		return tp_message(out, "a time is 1.2s, 350ms, 40%");
	go_to(p, env, t);
	return V_DONE;
}

static enum verdict kinds_cmd(struct events *p, const struct pane_env *env, const char *arg, struct ask *out)
{
	int64_t t = now(p) ? now(p)->t : p->list.t0;
	int view = (p->view + 1) % VIEWS;
	for (int i = 0; arg && *arg && i <= VIEWS; i++) {
		if (i == VIEWS)
			return tp_message(out, "kinds: all, goroutines, blocks, life, user, gc, samples");
		if (!strcmp(arg, views[i].name)) {
			view = i;
			break;
		}
	}
	p->view = view;
	go_to(p, env, t);
	return V_DONE;
}

static enum verdict act(void *st, const struct pane_env *env, const struct act *a, struct ask *out)
{
	struct events *p = st;
	if (a->cmd == CMD_FIRST && a->count <= 0)
		go_to(p, env, p->scope.t0);
	if (a->cmd == CMD_LAST && a->count <= 0)
		go_to(p, env, p->scope.t1 - 1);
	if (rows_act(&p->rows, a, env->rows - 1)) {
		turn(p, env);
		return V_DONE;
	}
	switch ((int)a->cmd) {
	case CMD_COLUMNS: return kinds_cmd(p, env, a->arg, out);
	case CMD_GOTO_TIME: return a->arg ? goto_cmd(p, env, a->arg, out) : V_PASS;
	case CMD_OPEN:
		if (!now(p))
			return V_DONE;
		out->kind = ASK_PANE;
		out->pane = "timeline";
		out->place.trk = now(p)->trk;
		out->place.t0 = now(p)->t;
		return V_ASK;
	default: return V_PASS;
	}
}

static bool go(void *st, const struct pane_env *env, const struct place *to)
{
	if (to->t0 == TIME_NONE)
		return false;
	go_to(st, env, to->t0);
	return true;
}

static void place(const void *st, const struct pane_env *env, struct place *to)
{
	const struct events *p = st;
	const struct el_event *e = now(p);
	if (!e)
		return;
	to->trk = e->trk;
	to->t0 = e->t;
	tp_place(session_snap(env->s)->st, e->stack, to);
}

static void save(const void *st, struct view *v)
{
	const struct events *p = st;
	*v = (struct view){{p->view, 0, 0, 0}, {now(p) ? now(p)->t : TIME_NONE, 0, 0, 0}};
}

static void load(void *st, const struct pane_env *env, const struct view *v)
{
	struct events *p = st;
	p->view = v->zoom[0] >= 0 && v->zoom[0] < VIEWS ? (int)v->zoom[0] : 0;
	go_to(p, env, v->cursor[0] == TIME_NONE ? p->scope.t0 : v->cursor[0]);
}

static void summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct events *p = st;
	const struct snap *sn = session_snap(env->s);
	if (sn->has_trace) {
		text_count(b, (int64_t)sn->trace.events);
		buf_puts(b, " events in the file | ");
	}
	buf_printf(b, "kinds: %s (e) | ", views[p->view].name);
	if (now(p) && p->scope.t1 > p->scope.t0)
		buf_printf(b, "at %.1f%% | ",
		    100 * (double)(now(p)->t - p->scope.t0) / (double)(p->scope.t1 - p->scope.t0));
	tp_scope_words(&p->scope, b);
}

static void detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct events *p = st;
	const struct snap *sn = session_snap(env->s);
	if (!now(p))
		return;
	struct buf row = {0};
	row_text(sn, now(p), &row);
	buf_put(b, row.p, row.n);
	buf_free(&row);
}

static uint32_t find(void *st, const struct pane_env *env, int dir, uint32_t *at)
{
	struct events *p = st;
	uint32_t sel = p->rows.sel;
	fill(p, env);
	rows_select(&p->rows, sel);
	*at = 0;
	if (!p->nhit)
		return 0;
	uint32_t n = p->rows.n, i = p->rows.sel;
	if (dir == 1 || dir == -1)
		i = dir > 0 ? (i + 1) % n : (i + n - 1) % n;
	while (dir && !p->hit[i])
		i = dir > 0 ? (i + 1) % n : (i + n - 1) % n;
	uint32_t hits = p->nhit;
	for (uint32_t k = 0; p->hit[i] && k <= i; k++)
		*at += p->hit[k];
	if (dir) {
		rows_select(&p->rows, i);
		turn(p, env);
	}
	return hits;
}

static void keys(const void *st, const struct pane_env *env, struct buf *b)
{
	(void)st;
	(void)env;
	buf_puts(b, "j k  gg G  gt time  e kinds  & match  / n N find  Enter timeline  6 its goroutine");
}

static void click(void *st, const struct pane_env *env, int y, int x, bool twice, struct ask *ask)
{
	struct events *p = st;
	uint32_t i = rows_at(&p->rows, y - 1, env->rows - 1);
	(void)x;
	if (i == UINT32_MAX)
		return;
	rows_select(&p->rows, i);
	if (twice)
		act(st, env, &(struct act){.cmd = CMD_OPEN}, ask);
}

static int topics(const void *st, const struct pane_env *env, enum topic *t)
{
	(void)st;
	(void)env;
	t[0] = TOPIC_E_EVENT;
	return 1;
}

const struct pane_ops pane_events = {
    .name = "events", .tab = "Ev", .bit = P_EVENTS, .cmd = CMD_PANE_EVENTS, .trace_only = true,
    .state_size = sizeof(struct events), .close = close_events, .update = update, .draw = draw, .act = act, .go = go,
    .place = place, .topics = topics, .save = save, .load = load, .summary = summary, .detail = detail, .find = find, .keys = keys,
    .side = side, .click = click,
};
