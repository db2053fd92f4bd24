/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The stop-the-world pauses in the GC pane: single stops, or sums by kind or by caller (gr), and
 * the stops of one such group (Enter). Stops and groups are computed by trace/stats/stops.c, as for
 * the report `stw`; the table (app/pane_table.c) is an order of them.
 */
#include "config.h"
#include "gc/internal.h"

#include "base/text/text.h"

#include <string.h>

enum stop_col { STOP_START, STOP_DUR, STOP_WHY, STOP_WHO, STOP_COLS };
enum sum_col { SUM_COUNT, SUM_TOTAL, SUM_MAX, SUM_MEAN, SUM_NAME, SUM_COLS };
static const struct pane_table_column stop_cols[STOP_COLS] = {
    [STOP_START] = {"START", 10, 0, LIST_NUMBER, LIST_FIRST, 0, "start", "when it started", true},
    [STOP_DUR] = {"DURATION", 9, 0, LIST_NUMBER, LIST_FIRST, 0, "duration", "how long it took, longest first", false},
    [STOP_WHY] = {"WHY", 16, LIST_NAME_WANT, LIST_TEXT, LIST_KEPT, 1, "kind", "the reason", true},
    [STOP_WHO] = {"GOROUTINE", 20, LIST_NAME_WANT, LIST_TEXT, LIST_THEN, 1, "goroutine", "the goroutine that stopped the world", true},
};
#define SUM_COLUMNS(head, word) \
	[SUM_COUNT] = {"COUNT", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "count", "the number of stops", false}, \
	[SUM_TOTAL] = {"TOTAL", 9, 0, LIST_NUMBER, LIST_FIRST, 0, "total", "the sum of their durations", false}, \
	[SUM_MAX] = {"MAX", 9, 0, LIST_NUMBER, LIST_FIRST, 0, "max", "the longest stop", false}, \
	[SUM_MEAN] = {"MEAN", 9, 0, LIST_NUMBER, LIST_FIRST, 0, "mean", "the total divided by the count", false}, \
	[SUM_NAME] = {head, 16, LIST_NAME_WANT, LIST_TEXT, LIST_KEPT, 1, word, "the reason, or the caller", true}
static const struct pane_table_column kind_cols[SUM_COLS] = {SUM_COLUMNS("WHY", "kind")},
				 caller_cols[SUM_COLS] = {SUM_COLUMNS("CALLER", "caller")};

static const struct pane_table_kind callers_table;

const struct stop *gc_selected_stop(const struct gc_state *p)
{
	uint32_t i = gc_stops_list(p) == GC_STOPS ? pane_table_selected(&p->table[GC_STOPS]) : UINT32_MAX;
	return i == UINT32_MAX ? NULL : &p->stop.v[i];
}

const struct stop_group *gc_selected_group(const struct gc_state *p)
{
	uint32_t i = gc_stops_list(p) == GC_SUMS ? pane_table_selected(&p->table[GC_SUMS]) : UINT32_MAX;
	return i == UINT32_MAX ? NULL : &p->stop.group[i];
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

int gc_compare_callers(const struct store *st, uint32_t a, uint32_t b)
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
static int cmp_peer(const struct store *st, int sign, uint32_t a, uint32_t b)
{
	trk_id x = store_span(st, a)->s.trk, y = store_span(st, b)->s.trk;
	if (!x || !y)
		return (y != 0) - (x != 0);
	return sign * cmp_i64((int64_t)store_trk(st, x)->id, (int64_t)store_trk(st, y)->id);
}

static int compare_stops(const void *st, const struct pane_env *env, int col, int sign, uint32_t i, uint32_t k)
{
	const struct gc_state *p = st;
	const struct store *store = session_snap(env->s)->st;
	const struct stop *a = &p->stop.v[i], *b = &p->stop.v[k];
	switch ((enum stop_col)col) {
	case STOP_DUR: return sign * cmp_i64(a->t1 - a->t0, b->t1 - b->t0);
	case STOP_WHY: return sign * cmp_kind(store, a->span, b->span);
	case STOP_WHO: return cmp_peer(store, sign, a->span, b->span);
	default: return sign * cmp_i64(a->t0, b->t0);
	}
}

static int compare_sums(const void *st, const struct pane_env *env, int col, int sign, uint32_t i, uint32_t k)
{
	const struct gc_stops *s = &((const struct gc_state *)st)->stop;
	const struct store *store = session_snap(env->s)->st;
	const struct stop_group *a = &s->group[i], *b = &s->group[k];
	uint32_t x = s->v[a->first].span, y = s->v[b->first].span;
	switch ((enum sum_col)col) {
	case SUM_COUNT: return sign * cmp_i64(a->n, b->n);
	case SUM_TOTAL: return sign * cmp_i64(a->total, b->total);
	case SUM_MAX: return sign * cmp_i64(a->max, b->max);
	case SUM_MEAN: return sign * cmp_i64(stops_mean(a), stops_mean(b));
	default: return sign * (s->by == STOPS_KIND ? cmp_kind(store, x, y) : gc_compare_callers(store, x, y));
	}
}

/* List the stops or their sums. */
static void list_stops(struct gc_state *p, const struct pane_env *env)
{
	enum gc_list l = gc_stops_list(p);
	p->table[GC_SUMS].kind = p->stop.by == STOPS_CALLER ? &callers_table : &gc_kinds_table;
	pane_table_fill(&p->table[l], p, env, l == GC_SUMS ? p->stop.ngroup : p->stop.n);
}

/* Make the sums by kind or caller, and list them. */
static void group_stops(struct gc_state *p, const struct pane_env *env)
{
	struct gc_stops *s = &p->stop;
	if (s->by != STOPS_SINGLE)
		s->group = stops_group(session_snap(env->s), s->v, s->n, s->by, &p->mem, &s->ngroup);
	list_stops(p, env);
	if (s->open && !p->table[GC_STOPS].rows.n) {	/* the new query leaves no stop of that group */
		s->open = false;
		list_stops(p, env);
	}
}

void gc_stops_make(struct gc_state *p, const struct pane_env *env)
{
	struct gc_stops *s = &p->stop;
	s->v = stops_find(session_snap(env->s), &p->scope.f, p->scope.t0, p->scope.t1, &p->mem, &s->n);
	group_stops(p, env);
}

void gc_stops_load(struct gc_state *p, const struct pane_env *env, const struct view *v)
{
	struct gc_stops *s = &p->stop;
	enum stops_by was = s->by;
	s->by = (enum stops_by)view_get_below(v, "by", STOPS_BY__N);
	s->open = s->by != STOPS_SINGLE && view_get(v, "open");
	s->key = (uint64_t)view_get(v, "key");
	if (s->by != was || s->open)
		group_stops(p, env);
	else
		list_stops(p, env);
	pane_table_load(&p->table[gc_stops_list(p)], p, env, v);
}

/* ---- commands */

static enum verdict group_by(struct gc_state *p, const struct pane_env *env, const char *arg, struct ask *out)
{
	int by = arg && *arg ? 0 : ((int)p->stop.by + 1) % STOPS_BY__N;
	while (arg && *arg && by < STOPS_BY__N && strcmp(arg, stops_by_name[by]))
		by++;
	if (by == STOPS_BY__N)
		return pane_message(out, "group-by takes single, kind or caller");
	p->stop.by = (enum stops_by)by;
	p->stop.open = false;
	p->stops = true;
	group_stops(p, env);
	pane_table_select_row(&p->table[gc_list(p)], p, 0);
	return V_DONE;
}

static bool open_group(struct gc_state *p, const struct pane_env *env)
{
	const struct stop_group *g = gc_selected_group(p);
	if (!g)
		return false;
	p->stop.key = g->key;
	p->stop.open = true;
	list_stops(p, env);
	pane_table_select_row(&p->table[GC_STOPS], p, 0);
	return true;
}

static bool close_group(struct gc_state *p, const struct pane_env *env)
{
	if (!p->stop.open)
		return false;
	p->stop.open = false;
	list_stops(p, env);
	pane_table_select(&p->table[GC_SUMS], p, (int64_t)p->stop.key);
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

void gc_stops_group_name(const struct gc_state *p, const struct store *st, const struct stop *v, struct buf *b)
{
	frm_id f = p->stop.by == STOPS_CALLER ? stops_caller(st, v->span) : 0;
	if (f)
		tracepane_put_frame(st, f, b, true);
	else if (p->stop.by == STOPS_CALLER)
		buf_puts(b, "(no stack)");
	else
		gc_stop_name(st, v->span, b);
}

void gc_put_cause(const struct store *st, uint32_t span, struct buf *b)
{
	const struct sink_span *s = &store_span(st, span)->s;
	if (s->trk) {
		buf_puts(b, "by ");
		tracepane_put_track(st, s->trk, b);
		buf_putc(b, ' ');
	}
	tracepane_put_call_site(st, s->stack, b);
}

static void put_stop(const void *st, const struct pane_env *env, uint32_t item, struct buf *b)
{
	const struct store *store = session_snap(env->s)->st;
	uint32_t span = ((const struct gc_state *)st)->stop.v[item].span;
	gc_stop_name(store, span, b);
	buf_putc(b, ' ');
	gc_put_cause(store, span, b);
}

static void put_sum(const void *st, const struct pane_env *env, uint32_t item, struct buf *b)
{
	const struct gc_state *p = st;
	gc_stops_group_name(p, session_snap(env->s)->st, &p->stop.v[p->stop.group[item].first], b);
}

static void draw_stop(const void *st, const struct pane_env *env, struct grid *g, int w, uint32_t item, int col)
{
	const struct stop *v = &((const struct gc_state *)st)->stop.v[item];
	const struct store *store = session_snap(env->s)->st;
	trk_id peer = store_span(store, v->span)->s.trk;
	struct buf b = {0};
	if (col == STOP_START)
		tracepane_draw_time(g, 0, w, v->t0);
	else if (col == STOP_DUR)
		tracepane_draw_ns(g, 0, w, v->t1 - v->t0, 0);
	else if (col == STOP_WHY)
		gc_stop_name(store, v->span, &b);
	else if (peer)
		buf_puts(&b, "by "), tracepane_put_track(store, peer, &b);
	tracepane_draw_text(env, g, 0, 0, b.n ? w : 0, ST_NORMAL, &b);
	buf_free(&b);
}

static void draw_sum(const void *st, const struct pane_env *env, struct grid *g, int w, uint32_t item, int col)
{
	const struct stop_group *v = &((const struct gc_state *)st)->stop.group[item];
	struct buf b = {0};
	switch ((enum sum_col)col) {
	case SUM_COUNT: tracepane_draw_count(g, 0, w, v->n); break;
	case SUM_TOTAL: tracepane_draw_ns(g, 0, w, v->total, 0); break;
	case SUM_MAX: tracepane_draw_ns(g, 0, w, v->max, 0); break;
	case SUM_MEAN: tracepane_draw_ns(g, 0, w, stops_mean(v), 0); break;
	default:
		put_sum(st, env, item, &b);
		tracepane_draw_text(env, g, 0, 0, w, ST_NORMAL, &b);
		break;
	}
	buf_free(&b);
}

static int64_t stop_id(const void *st, uint32_t item)
{
	return ((const struct gc_state *)st)->stop.v[item].span;
}

static int64_t sum_id(const void *st, uint32_t item)
{
	return (int64_t)((const struct gc_state *)st)->stop.group[item].key;
}

static bool is_in_group(const void *st, const struct pane_env *env, uint32_t item)
{
	const struct gc_stops *s = &((const struct gc_state *)st)->stop;
	return !s->open || stops_key(session_snap(env->s), s->v[item].span, s->by) == s->key;
}

static int64_t stop_duration(const void *st, uint32_t item)
{
	const struct stop *v = &((const struct gc_state *)st)->stop.v[item];
	return v->t1 - v->t0;
}

const struct pane_table_kind gc_stops_table = {
    .cols = stop_cols, .ncol = STOP_COLS, .sort = STOP_START, .text = put_stop, .cell = draw_stop,
    .compare = compare_stops, .id = stop_id, .shown = is_in_group, .duration = stop_duration};
const struct pane_table_kind gc_kinds_table = {
    .cols = kind_cols, .ncol = SUM_COLS, .sort = SUM_TOTAL, .text = put_sum, .cell = draw_sum,
    .compare = compare_sums, .id = sum_id};
static const struct pane_table_kind callers_table = {
    .cols = caller_cols, .ncol = SUM_COLS, .sort = SUM_TOTAL, .text = put_sum, .cell = draw_sum,
    .compare = compare_sums, .id = sum_id};
