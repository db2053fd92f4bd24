/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The page of a goroutine: name, time by state, its lifetime as a strip, and its spans, one per
 * line with their causes. The spans are read once, when the page opens (spans_job.c); the strip
 * uses the bins of the timeline, which are exact for any length.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/bsearch.h"
#include "base/intern.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/regex.h"
#include "base/text/text.h"
#include "calltree/weighted.h"
#include "store/tracks/wake_edges.h"
#include "term/style.h"
#include "trace/longest_wait.h"
#include "trace/wait_before.h"

#include <string.h>

/* Append the details of a span: its waker, its P, or where it waited. */
static void describe_span(const struct goroutines_state *p, const struct pane_env *env, uint32_t i, struct buf *b)
{
	const struct store *st = session_snap(env->s)->st;
	const struct goroutines_page *o = &p->one;
	const struct trace_interval *v = &o->v[i], *next = i + 1 < o->n ? &o->v[i + 1] : NULL;
	const char *still = trace_interval_end_text(session_snap(env->s), v);
	if (v->state == TS_READY) {
		if (!v->peer)
			buf_puts(b, i && o->v[i - 1].state == TS_RUN ? "gave up its P" : "by the runtime");
		else
			buf_puts(b, "by "), tracepane_put_track(st, v->peer, b);
		if (still)
			buf_printf(b, "  %s", still);
		return;
	}
	if (v->state == TS_RUN || v->state == TS_ASSIST || v->state == TS_SWEEP) {
		if (next)
			buf_printf(b, "then %s ", style_state_name(next->state));
		if (next && next->state != TS_READY)
			tracepane_put_site(st, next->stack, b);
		return;
	}
	if (still)
		buf_printf(b, "%s  ", still);
	tracepane_put_site(st, v->stack, b);
	if (next && next->state == TS_READY && next->peer) {
		buf_puts(b, "  woken by ");
		tracepane_put_track(st, next->peer, b);
	}
}

struct span_label_key { uint32_t state, a, b; bool still, hit; };	/* state 0: unused entry */

enum { SPAN_NUMBER, SPAN_START, SPAN_DURATION, SPAN_STATE, SPAN_ABOUT, SPAN_COLS };
static const struct pane_table_column cols[SPAN_COLS] = {
    [SPAN_NUMBER] = {"#", 6, 0, LIST_NUMBER, LIST_FIRST, 0, NULL, "", true},
    [SPAN_START] = {"START", 11, 0, LIST_NUMBER, LIST_FIRST, 0, "start", "when it started", true},
    [SPAN_DURATION] = {"DURATION", 9, 0, LIST_NUMBER, LIST_FIRST, 0, "duration", "how long it took, longest first", false},
    [SPAN_STATE] = {"STATE", 22, 0, LIST_TEXT, LIST_FIRST, 0, "state", "by state, then in time order", true},
    [SPAN_ABOUT] = {"BY / WHERE", 16, LIST_NAME_WANT, LIST_TEXT, LIST_KEPT, 1, NULL, "", false},
};

static void draw_state(const struct pane_env *env, struct grid *g, int w, const struct trace_interval *v)
{
	struct buf b = {0};
	grid_printf(g, 0, 0, style_of_state(v->state), 0, "%c", style_state_letter(v->state));
	buf_puts(&b, style_state_name(v->state));
	if (v->state == TS_RUN && v->peer && v->peer < session_snap(env->s)->ntrks) {
		buf_putc(&b, ' ');
		tracepane_put_id(session_snap(env->s)->st, v->peer, &b);
	}
	tracepane_draw_text(env, g, 0, 2, w - 2, ST_NORMAL, &b);
	buf_free(&b);
}

static void draw_cell(const void *st, const struct pane_env *env, struct grid *g, int w, uint32_t item, int col)
{
	const struct goroutines_state *p = st;
	const struct trace_interval *v = &p->one.v[item];
	struct buf b = {0};
	switch (col) {
	case SPAN_NUMBER: grid_printf(g, 0, 0, ST_DIM, 0, "%6u", item + 1); break;
	case SPAN_START:
		text_at(&b, v->t0, 1000); /* the resolution of tracepane_draw_time() is too low for spans */
		grid_text(g, 0, w - (int)b.n, ST_NORMAL, 0, buf_str(&b));
		break;
	case SPAN_DURATION: tracepane_draw_ns(g, 0, w, v->t1 - v->t0, 0); break;
	case SPAN_STATE: draw_state(env, g, w, v); break;
	default:
		describe_span(p, env, item, &b);
		tracepane_draw_text(env, g, 0, 0, w, ST_NORMAL, &b);
		break;
	}
	buf_free(&b);
}

static int64_t duration_of(const void *st, uint32_t item)
{
	const struct trace_interval *v = &((const struct goroutines_state *)st)->one.v[item];
	return v->t1 - v->t0;
}

/* Spans are numbered in the order of time. */
static int compare(const void *st, const struct pane_env *env, int col, int sign, uint32_t a, uint32_t b)
{
	const struct trace_interval *v = ((const struct goroutines_state *)st)->one.v;
	int64_t x = duration_of(st, a), y = duration_of(st, b);
	(void)env;
	switch (col) {
	case SPAN_STATE: return sign * strcmp(style_state_name(v[a].state), style_state_name(v[b].state));
	case SPAN_DURATION: return sign * ((x > y) - (x < y));
	default: return sign * ((a > b) - (a < b));
	}
}

static void put_text(const void *st, const struct pane_env *env, uint32_t item, struct buf *b)
{
	const struct goroutines_state *p = st;
	buf_puts(b, style_state_name(p->one.v[item].state));
	buf_putc(b, ' ');
	describe_span(p, env, item, b);
}

const struct pane_table_kind goroutines_spans_table = {
    .cols = cols, .ncol = SPAN_COLS, .sort = SPAN_START, .text = put_text, .cell = draw_cell, .compare = compare,
    .all = true, .duration = duration_of};

/* Return the key of the text of span i: the text depends on nothing else. */
static struct span_label_key label_key_of(const struct goroutines_page *o, const struct snap *sn, uint32_t i)
{
	const struct trace_interval *v = &o->v[i], *next = i + 1 < o->n ? &o->v[i + 1] : NULL;
	struct span_label_key s = {.state = (uint32_t)v->state + 1, .still = trace_interval_end_text(sn, v)};
	if (v->state == TS_READY) {
		s.a = v->peer;
		s.b = !v->peer && i && o->v[i - 1].state == TS_RUN;
	} else if (v->state == TS_RUN || v->state == TS_ASSIST || v->state == TS_SWEEP) {
		s.a = next ? (uint32_t)next->state + 1 : 0;
		s.b = next && next->state != TS_READY ? next->stack : 0;
	} else {
		s.a = v->stack;
		s.b = next && next->state == TS_READY ? next->peer : 0;
	}
	return s;
}

void goroutines_page_mark_hits(const struct goroutines_state *p, const struct pane_env *env, uint8_t *hit)
{
	enum { CACHED = 1 << 12 };	/* two hundred thousand spans have a few hundred texts */
	struct span_label_key *cached = xcalloc(CACHED, sizeof *cached);
	struct buf b = {0};
	for (uint32_t row = 0; row < p->one.table.rows.n; row++) {
		uint32_t i = p->one.table.item[row];
		struct span_label_key s = label_key_of(&p->one, session_snap(env->s), i),
				      *at = &cached[intern_hash_u64((uint64_t)s.state << 32 | s.a, s.b) % CACHED];
		if (at->state != s.state || at->a != s.a || at->b != s.b || at->still != s.still) {
			buf_reset(&b);
			put_text(p, env, i, &b);
			*at = s;
			at->hit = regex_match(env->find.rx, b.p, b.n);
		}
		hit[row] = at->hit;
	}
	mem_free(cached);
	buf_free(&b);
}

bool goroutines_still_blocked(const struct goroutines_state *p, const struct pane_env *env)
{
	const struct trace_interval *v = goroutines_page_span(&p->one);
	return v && state_is_wait(v->state) && trace_interval_end_text(session_snap(env->s), v);
}

/* Append "; still blocked for 476ms (mutex or semaphore)". */
static void put_still(const struct goroutines_page *o, const struct snap *sn, struct buf *b)
{
	const struct trace_interval *last = o->n && !o->cut ? &o->v[o->n - 1] : NULL;
	const char *still = last ? trace_interval_end_text(sn, last) : NULL;
	if (!still)
		return;
	buf_printf(b, "; %s for ", still);
	text_ns(b, last->t1 - last->t0);
	if (state_is_wait(last->state))
		buf_printf(b, " (%s%s)", style_state_name(last->state),
		    trace_began_before(sn, o->trk, last->t0) ? ", " TRACE_BEFORE : "");
}

static void draw_top(const struct goroutines_state *p, const struct pane_env *env, struct grid *g)
{
	const struct store *st = session_snap(env->s)->st;
	const struct trk_row *t = store_trk(st, p->one.trk);
	struct buf b = {0};
	buf_printf(&b, "goroutine %llu  ", (unsigned long long)t->id);
	tracepane_put_str(st, store_origin(st, t)->name, "(no start function)", &b);
	if (t->creator) {
		buf_puts(&b, "  created by ");
		tracepane_put_track(st, t->creator, &b);
		buf_puts(&b, " at ");
		text_at(&b, t->t0, 100000);
	}
	tracepane_draw_text(env, g, 0, 1, g->w - 1, ST_TITLE, &b);
	buf_reset(&b);
	buf_puts(&b, !t->to_t1 ? "alive " : "lived ");
	text_ns(&b, p->one.s.total);
	buf_puts(&b, ": ");
	tracepane_put_shares(p->one.s.ns, p->one.s.total, &b);
	put_still(&p->one, session_snap(env->s), &b);
	tracepane_draw_text(env, g, 1, 1, g->w - 1, ST_NORMAL, &b);
	buf_free(&b);
	tracepane_draw_states(env, g, 2, 1, g->w - 2, p->one.trk, p->scope.t0, p->scope.t1);
	const struct trace_interval *v = goroutines_page_span(&p->one);
	if (v && p->scope.t1 > p->scope.t0) {
		double at = (double)(v->t0 - p->scope.t0) / (double)(p->scope.t1 - p->scope.t0);
		grid_put(g, 3, 1 + (int)((at < 0 ? 0 : at) * (g->w - 3)), '^', ST_CURSOR, ST_NORMAL, 0);
	}
}

/* Return the lines below the spans for the part that Tab selects; 0 if a side part is shown. The times by state
   are shown in full if three spans fit above them. */
static int foot_of(const struct goroutines_page *o, const struct pane_env *env)
{
	if (!env->detail || env->side_shown || env->rows < 16)
		return 0;
	int foot = env->rows / 3, most = env->rows - 8,
	    need = o->part == GP_ACCOUNTS ? tracepane_accounts_height(&o->s) + 2 : 0;
	return need > foot ? need < most ? need : most : foot;
}

void goroutines_page_draw(const struct goroutines_state *p, const struct pane_env *env, struct grid *g)
{
	int foot = foot_of(&p->one, env), top = 4;
	if (!p->one.n) {
		draw_top(p, env, g);
		tracepane_draw_empty(g, 5, async_job(&p->one.rest) ? "Collecting its spans." :
		    "This goroutine did nothing in the range.\nR removes the filters, :t without argument the range.");
		return;
	}
	draw_top(p, env, g);
	pane_table_draw(&p->one.table, p, env, g, top, g->h - top - foot - 1, false);
	if (foot)
		goroutines_draw_part(p, env, g, g->h - foot + 1, g->h, p->one.part);
}

void goroutines_page_draw_side(const struct goroutines_state *p, const struct pane_env *env, struct grid *g)
{
	/* each part is limited to its share of the remaining lines; the times by state come late, to be shown in
	   full */
	static const uint8_t order[GP__N] = {
	    GP_STACK, GP_WAKES, GP_CHAIN, GP_REGIONS, GP_ACCOUNTS, GP_CREATED, GP_CHILDREN};
	int y = 0;
	for (int k = 0; k < GP__N && y < g->h; k++)
		y = goroutines_draw_part(p, env, g, y, y + (g->h - y) / (GP__N - k), (enum goroutines_part)order[k]) +
		    1;
}

const struct tracepane_wake *goroutines_page_wake(const struct goroutines_page *o)
{
	const struct trace_interval *v = goroutines_page_span(o);
	return v && o->wake.by && o->wake.by == o->of && v->t0 <= o->wake.t && o->wake.t <= v->t1 ? &o->wake : NULL;
}

/* Follow the chain of wakes: open the page of the waker or the woken goroutine at the time of the wake. */
static enum verdict follow_chain(
    struct goroutines_state *p, const struct pane_env *env, enum cmd_id cmd, struct ask *out)
{
	const struct snap *sn = session_snap(env->s);
	const struct trace_interval *v = goroutines_page_span(&p->one);
	struct wake_edges_walk w = {0};
	uint32_t i = goroutines_page_span_index(&p->one);
	out->kind = ASK_PANE;
	out->pane = "goroutines";
	if (!v)
		return V_DONE;
	if (cmd == CMD_EFFECT) {
		struct edge e;
		if (!wake_edges_next(sn, &w, p->one.trk, v->t0, v->t1 + 1, &e))
			return pane_message(out, "it woke no goroutine in this span");
		out->place = (struct place){.trk = e.to, .t0 = e.t, .t1 = TIME_NONE};
		return V_ASK;
	}
	if (goroutines_still_blocked(p, env))
		return pane_message(out, "it is still blocked at the end of the trace: nothing woke it");
	if (v->state != TS_READY && v->state != TS_RUN && i + 1 < p->one.n)
		v = &p->one.v[i + 1];
	else if (v->state == TS_RUN && i)
		v = &p->one.v[i - 1];
	if (v->state != TS_READY || !v->peer)
		return pane_message(out, "no goroutine woke it: a timer, the network, the runtime");
	p->one.wake = (struct tracepane_wake){v->peer, p->one.trk, v->t0, v->stack};
	out->place = (struct place){.trk = v->peer, .t0 = v->t0, .t1 = TIME_NONE};
	return V_ASK;
}

int goroutines_page_height(const struct goroutines_state *p, const struct pane_env *env)
{
	return env->rows - 5 - foot_of(&p->one, env);
}

enum verdict goroutines_page_command(
    struct goroutines_state *p, const struct pane_env *env, const struct act *a, struct ask *out)
{
	int step = a->cmd == CMD_PREV_PART ? GP__N - 1 : 1;
	switch ((int)a->cmd) {
	case CMD_NEXT_PART:
	case CMD_PREV_PART: p->one.part = (enum goroutines_part)((p->one.part + step) % GP__N); return V_DONE;
	case CMD_CHAIN: p->one.part = GP_CHAIN; return V_DONE;
	case CMD_CAUSE:
	case CMD_EFFECT: return follow_chain(p, env, a->cmd, out);
	case CMD_OPEN:
		if (!goroutines_page_span(&p->one))
			return V_DONE;
		out->kind = ASK_PANE;
		out->pane = "timeline";
		out->place = (struct place){.trk = p->one.trk, .t0 = goroutines_page_span(&p->one)->t0,
		    .t1 = goroutines_page_span(&p->one)->t1};
		return V_ASK;
	default: return V_PASS;
	}
}

void goroutines_page_summary(const struct goroutines_state *p, const struct pane_env *env, struct buf *b)
{
	buf_puts(b, "Gor > ");
	tracepane_put_str(
	    session_snap(env->s)->st, store_trk_name(session_snap(env->s)->st, p->one.trk), "(no start function)", b);
	buf_puts(b, " > ");
	tracepane_put_id(session_snap(env->s)->st, p->one.trk, b);
	buf_puts(b, "   span ");
	text_count(b, p->one.table.rows.n ? goroutines_page_span_index(&p->one) + 1 : 0);
	buf_puts(b, " of ");
	text_count(b, p->one.n);
	buf_puts(b, p->one.cut ? " (cut: :t FROM..TO narrows)   " : "   ");
	tracepane_put_scope(&p->scope, b);
}

void goroutines_page_detail(const struct goroutines_state *p, const struct pane_env *env, struct buf *b)
{
	const struct trace_interval *v = goroutines_page_span(&p->one);
	if (!v)
		return;
	const struct tracepane_wake *w = goroutines_page_wake(&p->one);
	if (w) {
		tracepane_put_wake(session_snap(env->s)->st, w, b);
		return;
	}
	buf_printf(b, "%s ", style_state_name(v->state));
	text_ns(b, v->t1 - v->t0);
	buf_puts(b, " at ");
	text_at(b, v->t0, 1000);
	buf_puts(b, "  ");
	describe_span(p, env, goroutines_page_span_index(&p->one), b);
}
