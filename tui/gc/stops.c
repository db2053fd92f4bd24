/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The stop-the-world pauses in the GC pane: single stops, or sums by kind or by caller (gr), and
 * the stops of one such group (Enter). Stops and groups are computed by trace/stats/stops.c, as for
 * the report `stw`; the table (gc/table.c) is an order of them.
 */
#include "config.h"
#include "gc/internal.h"

#include "base/text/text.h"
#include "calltree/weighted.h"

#include <string.h>

/* Return whether groups are listed, not stops. */
static bool shows_groups(const struct gc_state *p)
{
	return p->stop.by != STOPS_SINGLE && !p->stop.open;
}

const struct stop *gc_stop_at(const struct gc_state *p, uint32_t row)
{
	return shows_groups(p) || row >= p->rows[1].n ? NULL : &p->stop.v[p->row[1][row]];
}

const struct stop_group *gc_stop_group_at(const struct gc_state *p, uint32_t row)
{
	return !shows_groups(p) || row >= p->rows[1].n ? NULL : &p->stop.group[p->row[1][row]];
}

/* ---- order */

static int cmp_bytes(const char *a, size_t na, const char *b, size_t nb)
{
	size_t n = na < nb ? na : nb;
	int c = n ? memcmp(a, b, n) : 0;
	return c ? c : na < nb ? -1 : na > nb;
}

static int cmp_str(const struct store *st, str_id a, str_id b)
{
	const struct str_row *x = store_str(st, a), *y = store_str(st, b);
	return cmp_bytes(x->s, x->n, y->s, y->n);
}

static int cmp_kind(const struct store *st, uint32_t a, uint32_t b)
{
	struct stop_kind x = stops_kind(st, a), y = stops_kind(st, b);
	return cmp_bytes(x.s, x.n, y.s, y.n);
}

static int cmp_caller(const struct store *st, uint32_t a, uint32_t b)
{
	frm_id f = stops_caller(st, a), g = stops_caller(st, b);
	if (!f || !g)
		return (f != 0) - (g != 0);
	const struct frm_row *x = store_frm(st, f), *y = store_frm(st, g);
	const struct fun_row *i = store_fun(st, x->fun), *k = store_fun(st, y->fun);
	int c = cmp_str(st, i->name, k->name);
	c = c ? c : cmp_str(st, i->file, k->file);
	return c ? c : (x->line > y->line) - (x->line < y->line);
}

static int cmp_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Compare by goroutine. A stop in a log has none: it comes last in both directions. */
static int cmp_who(const struct store *st, int sign, uint32_t a, uint32_t b)
{
	trk_id x = store_span(st, a)->s.trk, y = store_span(st, b)->s.trk;
	if (!x || !y)
		return (y != 0) - (x != 0);
	return sign * cmp_i64((int64_t)store_trk(st, x)->id, (int64_t)store_trk(st, y)->id);
}

int gc_stop_cmp(
    const struct gc_state *p, const struct store *st, enum gc_stop_col col, int sign, uint32_t i, uint32_t k)
{
	const struct stop *a = &p->stop.v[i], *b = &p->stop.v[k];
	switch (col) {
	case STOP_DUR: return sign * cmp_i64(a->t1 - a->t0, b->t1 - b->t0);
	case STOP_WHY: return sign * cmp_kind(st, a->span, b->span);
	case STOP_WHO: return cmp_who(st, sign, a->span, b->span);
	default: return sign * cmp_i64(a->t0, b->t0);
	}
}

int gc_sum_cmp(const struct gc_state *p, const struct store *st, enum gc_sum_col col, int sign, uint32_t i, uint32_t k)
{
	const struct gc_stops *s = &p->stop;
	const struct stop_group *a = &s->group[i], *b = &s->group[k];
	uint32_t x = s->v[a->first].span, y = s->v[b->first].span;
	switch (col) {
	case SUM_COUNT: return sign * cmp_i64(a->n, b->n);
	case SUM_TOTAL: return sign * cmp_i64(a->total, b->total);
	case SUM_MAX: return sign * cmp_i64(a->max, b->max);
	case SUM_MEAN: return sign * cmp_i64(stops_mean(a), stops_mean(b));
	default: return sign * (s->by == STOPS_KIND ? cmp_kind(st, x, y) : cmp_caller(st, x, y));
	}
}

void gc_stops_list(struct gc_state *p, const struct snap *sn, int64_t select)
{
	struct gc_stops *s = &p->stop;
	uint32_t n = 0, all = shows_groups(p) ? s->ngroup : s->n;
	for (uint32_t i = 0; i < all; i++)
		if (!s->open || stops_key(sn, s->v[i].span, s->by) == s->key)
			p->row[1][n++] = i;
	gc_table_order(p, sn, shows_groups(p) ? GC_SUMS : GC_STOPS, n, select);
}

/* Make the sums by kind or caller, and the displayed rows. */
static void group_stops(struct gc_state *p, const struct snap *sn, int64_t select)
{
	struct gc_stops *s = &p->stop;
	if (s->by != STOPS_SINGLE)
		s->group = stops_group(sn, s->v, s->n, s->by, &p->mem, &s->ngroup);
	gc_stops_list(p, sn, select);
	if (s->open && !p->rows[1].n) {	/* the new query leaves no stop of that group */
		s->open = false;
		gc_stops_list(p, sn, -1);
	}
}

void gc_stops_make(struct gc_state *p, const struct snap *sn, int64_t select)
{
	struct gc_stops *s = &p->stop;
	s->v = stops_find(sn, &p->scope.f, p->scope.t0, p->scope.t1, &p->mem, &s->n);
	p->row[1] = arena_alloc(&p->mem, (s->n + 1u) * sizeof *p->row[1]);
	group_stops(p, sn, select);
}

void gc_stops_load(struct gc_state *p, const struct snap *sn, const struct view *v)
{
	struct gc_stops *s = &p->stop;
	enum stops_by was = s->by;
	s->by = (enum stops_by)view_get_below(v, "by", STOPS_BY__N);
	s->open = s->by != STOPS_SINGLE && view_get(v, "open");
	s->key = (uint64_t)view_get(v, "key");
	if (s->by != was || s->open)
		group_stops(p, sn, view_get(v, "row"));
	else
		gc_stops_list(p, sn, view_get(v, "row"));
}

/* ---- commands */

static enum verdict group_by(struct gc_state *p, const struct pane_env *env, const char *arg, struct ask *out)
{
	int by = arg && *arg ? 0 : ((int)p->stop.by + 1) % STOPS_BY__N;
	while (arg && *arg && by < STOPS_BY__N && strcmp(arg, stops_by_name[by]))
		by++;
	if (by == STOPS_BY__N)
		return pane_message(out, "group-by takes single, kind or caller");
	const struct snap *sn = session_snap(env->s);
	struct gc_stops *s = &p->stop;
	s->by = (enum stops_by)by;
	s->open = false;
	p->stops = true;
	group_stops(p, sn, -1);
	list_select(&p->rows[1], 0);
	return V_DONE;
}

static bool open_group(struct gc_state *p, const struct pane_env *env)
{
	const struct stop_group *g = gc_stop_group_at(p, p->rows[1].sel);
	if (!g)
		return false;
	p->stop.key = g->key;
	p->stop.open = true;
	gc_stops_list(p, session_snap(env->s), -1);
	list_select(&p->rows[1], 0);
	return true;
}

static bool close_group(struct gc_state *p, const struct pane_env *env)
{
	if (!p->stop.open)
		return false;
	p->stop.open = false;
	gc_stops_list(p, session_snap(env->s), (int64_t)p->stop.key);
	return true;
}

enum verdict gc_stops_act(struct gc_state *p, const struct pane_env *env, const struct act *a, struct ask *out)
{
	if (a->cmd == CMD_GROUP_BY)
		return group_by(p, env, a->arg, out);
	if (!p->stops)
		return V_PASS;
	switch ((int)a->cmd) {
	case CMD_BACK: return close_group(p, env) ? V_DONE : V_PASS;
	case CMD_OPEN: return p->part == PART_TABLE && open_group(p, env) ? V_DONE : V_PASS;
	default: return V_PASS;
	}
}

int gc_stops_groups(const struct gc_state *p, struct choice *out)
{
	static const char *const what[STOPS_BY__N] = {
	    "each stop", "sums by the reason", "sums by the first frame of user code"};
	for (int n = 0; n < STOPS_BY__N; n++)
		pane_set_choice(&out[n], stops_by_name[n], what[n], p->stops && n == (int)p->stop.by);
	return STOPS_BY__N;
}

/* ---- texts and cells */

void gc_stop_name(const struct store *st, uint32_t span, struct buf *b)
{
	struct stop_kind kind = stops_kind(st, span);
	if (kind.n)
		text_safe(b, kind.s, kind.n);
	else
		buf_puts(b, "stop the world");
}

/* Append the name of a stop's group. */
static void group_name(const struct gc_state *p, const struct store *st, uint32_t span, struct buf *b)
{
	frm_id f = p->stop.by == STOPS_CALLER ? stops_caller(st, span) : 0;
	if (f)
		tracepane_put_frame(st, f, b, true);
	else if (p->stop.by == STOPS_CALLER)
		buf_puts(b, "(no stack)");
	else
		gc_stop_name(st, span, b);
}

void gc_stop_group_name(const struct gc_state *p, const struct store *st, const struct stop_group *g, struct buf *b)
{
	group_name(p, st, p->stop.v[g->first].span, b);
}

void gc_stops_open_name(const struct gc_state *p, const struct store *st, struct buf *b)
{
	group_name(p, st, p->stop.v[p->row[1][0]].span, b);
}

void gc_stop_cell(const struct pane_env *env, struct grid *g, int w, const struct stop *v, enum gc_stop_col col)
{
	const struct store *st = session_snap(env->s)->st;
	trk_id who = store_span(st, v->span)->s.trk;
	struct buf b = {0};
	if (col == STOP_START)
		tracepane_draw_time(g, 0, w, v->t0);
	else if (col == STOP_DUR)
		tracepane_draw_ns(g, 0, w, v->t1 - v->t0, 0);
	else if (col == STOP_WHY)
		gc_stop_name(st, v->span, &b);
	else if (who)
		buf_puts(&b, "by "), tracepane_put_track(st, who, &b);
	tracepane_draw_text(env, g, 0, 0, b.n ? w : 0, ST_NORMAL, &b);
	buf_free(&b);
}

void gc_sum_cell(const struct gc_state *p, const struct pane_env *env, struct grid *g, int w,
    const struct stop_group *v, enum gc_sum_col col)
{
	struct buf b = {0};
	switch (col) {
	case SUM_COUNT: tracepane_draw_count(g, 0, w, v->n); break;
	case SUM_TOTAL: tracepane_draw_ns(g, 0, w, v->total, 0); break;
	case SUM_MAX: tracepane_draw_ns(g, 0, w, v->max, 0); break;
	case SUM_MEAN: tracepane_draw_ns(g, 0, w, stops_mean(v), 0); break;
	default:
		gc_stop_group_name(p, session_snap(env->s)->st, v, &b);
		tracepane_draw_text(env, g, 0, 0, w, ST_NORMAL, &b);
		break;
	}
	buf_free(&b);
}
