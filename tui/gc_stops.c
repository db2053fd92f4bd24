/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The stops of the world in the GC pane: single stops, or sums by kind or by
 * caller (gr), and the stops of one such group (Enter). Stops and groups are those of
 * analysis/stops.c, as in the report `stw`; a table is an order over them. The
 * selection is kept by what the row is, not by its place, so another order or
 * another snapshot leaves it where it was.
 */
#include "config.h"
#include "gcview.h"

#include "analysis/calls.h"
#include "base/text.h"

#include <string.h>

enum { STOP_START, STOP_DUR, STOP_WHY, STOP_WHO, STOP_COLS };
enum { SUM_COUNT, SUM_TOTAL, SUM_MAX, SUM_MEAN, SUM_NAME, SUM_COLS };
enum { COLS_MAX = SUM_COLS };
struct column { struct rows_col c; const char *word, *what; };	/* word: after :sort, and of the report's column */

static const struct column stop_cols[STOP_COLS] = {
    [STOP_START] = {{"START", 10, true, 0, 0, 0}, "start", "when it started"},
    [STOP_DUR] = {{"DURATION", 9, true, 0, 0, 0}, "duration", "how long it took, longest first"},
    [STOP_WHY] = {{"WHY", 0, false, 0, 0, 0}, "kind", "the reason"},
    [STOP_WHO] = {{"WHO", 29, false, 0, 0, 40}, "goroutine", "the goroutine that stopped the world"},
}, sum_cols[SUM_COLS] = {
    [SUM_COUNT] = {{"COUNT", 7, true, 0, 0, 0}, "count", "the number of stops"},
    [SUM_TOTAL] = {{"TOTAL", 9, true, 0, 0, 0}, "total", "the sum of their durations"},
    [SUM_MAX] = {{"MAX", 9, true, 0, 0, 0}, "max", "the longest stop"},
    [SUM_MEAN] = {{"MEAN", 9, true, 0, 0, 0}, "mean", "the total divided by the count"},
    [SUM_NAME] = {{"WHY", 0, false, 0, 0, 0}, "kind", "the reason, or the caller"},
};

/* Are groups listed, and not stops? */
static bool sums(const struct gcview *p)
{
	return p->stop.by != STOPS_SINGLE && !p->stop.open;
}

/* The columns of the table that is shown, with the one that it is sorted by marked; how many. */
static int columns(const struct gcview *p, struct column *c)
{
	bool groups = sums(p);
	int n = groups ? SUM_COLS : STOP_COLS, by = p->stop.sort[groups];
	memcpy(c, groups ? sum_cols : stop_cols, (size_t)n * sizeof *c);
	if (groups) {
		c[SUM_NAME].word = stops_by_name[p->stop.by];
		c[SUM_NAME].c.head = p->stop.by == STOPS_CALLER ? "CALLER" : "WHY";
	}
	bool up = groups ? by == SUM_NAME : by != STOP_DUR;
	c[by].c.sort = up != p->stop.invert[groups] ? 1 : -1;
	return n;
}

const struct stop *gc_stop_at(const struct gcview *p, uint32_t row)
{
	return sums(p) || row >= p->rows[1].n ? NULL : &p->stop.v[p->row[1][row]];
}

const struct stop_group *gc_stop_group_at(const struct gcview *p, uint32_t row)
{
	return !sums(p) || row >= p->rows[1].n ? NULL : &p->stop.group[p->row[1][row]];
}

/* ---- order */

struct by { const struct gcview *p; const struct store *st; int col, sign; };

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

/* A stop of a log has no goroutine: it comes last in both directions. */
static int cmp_who(const struct by *o, uint32_t a, uint32_t b)
{
	trk_id x = store_span(o->st, a)->s.trk, y = store_span(o->st, b)->s.trk;
	if (!x || !y)
		return o->sign * ((y != 0) - (x != 0));
	return cmp_i64((int64_t)store_trk(o->st, x)->id, (int64_t)store_trk(o->st, y)->id);
}

static int cmp_stop(const void *ctx, uint32_t i, uint32_t k)
{
	const struct by *o = ctx;
	const struct stop *a = &o->p->stop.v[i], *b = &o->p->stop.v[k];
	int c = o->col == STOP_DUR ? cmp_i64(a->t1 - a->t0, b->t1 - b->t0)
	    : o->col == STOP_WHY ? cmp_kind(o->st, a->span, b->span)
	    : o->col == STOP_WHO ? cmp_who(o, a->span, b->span) : cmp_i64(a->t0, b->t0);
	return c ? o->sign * c : cmp_i64(i, k);
}

static int cmp_sum(const void *ctx, uint32_t i, uint32_t k)
{
	const struct by *o = ctx;
	const struct gc_stops *s = &o->p->stop;
	const struct stop_group *a = &s->group[i], *b = &s->group[k];
	uint32_t x = s->v[a->first].span, y = s->v[b->first].span;
	int c = o->col == SUM_COUNT ? cmp_i64(a->n, b->n) : o->col == SUM_TOTAL ? cmp_i64(a->total, b->total)
	    : o->col == SUM_MAX ? cmp_i64(a->max, b->max) : o->col == SUM_MEAN ? cmp_i64(stops_mean(a), stops_mean(b))
	    : s->by == STOPS_KIND ? cmp_kind(o->st, x, y) : cmp_caller(o->st, x, y);
	return c ? o->sign * c : cmp_i64(i, k);
}

/* What row i is, whatever the order is. */
static int64_t identity(const struct gcview *p, uint32_t i)
{
	return sums(p) ? (int64_t)p->stop.group[p->row[1][i]].key : p->stop.v[p->row[1][i]].span;
}

int64_t gc_stops_selected(const struct gcview *p)
{
	return p->rows[1].n ? identity(p, p->rows[1].sel) : -1;
}

void gc_stops_list(struct gcview *p, const struct snap *sn, int64_t select)
{
	struct gc_stops *s = &p->stop;
	struct column c[COLS_MAX];
	uint32_t n = 0, all = sums(p) ? s->ngroup : s->n;
	for (uint32_t i = 0; i < all; i++)
		if (!s->open || stops_key(sn, s->v[i].span, s->by) == s->key)
			p->row[1][n++] = i;
	columns(p, c);
	struct by by = {p, sn->st, s->sort[sums(p)], c[s->sort[sums(p)]].c.sort};
	sort_u32(p->row[1], n, sums(p) ? cmp_sum : cmp_stop, &by);
	rows_set(&p->rows[1], n);
	for (uint32_t i = 0; i < n && select >= 0; i++)
		if (identity(p, i) == select)
			rows_select(&p->rows[1], i);
}

void gc_stops_begin(struct gcview *p)
{
	p->stop.sort[0] = STOP_START;
	p->stop.sort[1] = SUM_TOTAL;
}

/* The sums by kind or caller, and the rows of all that is shown then. */
static void regroup(struct gcview *p, const struct snap *sn, int64_t select)
{
	struct gc_stops *s = &p->stop;
	if (s->by != STOPS_SINGLE)
		s->group = stops_group(sn, s->v, s->n, s->by, &p->mem, &s->ngroup);
	gc_stops_list(p, sn, select);
	if (s->open && !p->rows[1].n) {	/* another query leaves no stop of that group */
		s->open = false;
		gc_stops_list(p, sn, -1);
	}
}

void gc_stops_make(struct gcview *p, const struct snap *sn, int64_t select)
{
	struct gc_stops *s = &p->stop;
	s->v = stops_find(sn, &p->scope.f, p->scope.t0, p->scope.t1, &p->mem, &s->n);
	p->row[1] = arena_alloc(&p->mem, (s->n + 1u) * sizeof *p->row[1]);
	regroup(p, sn, select);
}

void gc_stops_load(struct gcview *p, const struct snap *sn, const struct view *v)
{
	struct gc_stops *s = &p->stop;
	enum stops_by was = s->by;
	s->by = v->zoom[1] > 0 && v->zoom[1] < STOPS_BY__N ? (enum stops_by)v->zoom[1] : STOPS_SINGLE;
	s->open = s->by != STOPS_SINGLE && v->zoom[2];
	s->key = (uint64_t)v->zoom[3];
	if (s->by != was || s->open)
		regroup(p, sn, v->cursor[0]);
	else
		gc_stops_list(p, sn, v->cursor[0]);
}

/* ---- acting */

static void relist(struct gcview *p, const struct pane_env *env, bool keep)
{
	gc_stops_list(p, session_snap(env->s), keep ? gc_stops_selected(p) : -1);
	if (!keep)
		rows_select(&p->rows[1], 0);
}

static void sort_by(struct gcview *p, const struct pane_env *env, int col)
{
	p->stop.sort[sums(p)] = col;
	p->stop.invert[sums(p)] = false;
	relist(p, env, false);		/* the first of the new order is what one wants to see */
}

static enum verdict sort_word(struct gcview *p, const struct pane_env *env, const char *word, struct ask *out)
{
	struct column c[COLS_MAX];
	int n = columns(p, c);
	struct buf b = {0};
	for (int i = 0; i < n; i++) {
		buf_printf(&b, " %s", c[i].word);
		if (!strcmp(c[i].word, word)) {
			sort_by(p, env, i);
			buf_free(&b);
			return V_DONE;
		}
	}
	enum verdict v = ask_say(out, "sort by:%s", buf_str(&b));
	buf_free(&b);
	return v;
}

static enum verdict group_by(struct gcview *p, const struct pane_env *env, const char *arg, struct ask *out)
{
	int by = arg && *arg ? 0 : ((int)p->stop.by + 1) % STOPS_BY__N;
	while (arg && *arg && by < STOPS_BY__N && strcmp(arg, stops_by_name[by]))
		by++;
	if (by == STOPS_BY__N)
		return ask_say(out, "group-by takes single, kind or caller");
	const struct snap *sn = session_snap(env->s);
	struct gc_stops *s = &p->stop;
	s->by = (enum stops_by)by;
	s->open = false;
	p->stops = true;
	regroup(p, sn, -1);
	rows_select(&p->rows[1], 0);
	return V_DONE;
}

static bool open_group(struct gcview *p, const struct pane_env *env)
{
	const struct stop_group *g = gc_stop_group_at(p, p->rows[1].sel);
	if (!g)
		return false;
	p->stop.key = g->key;
	p->stop.open = true;
	relist(p, env, false);
	return true;
}

static bool back(struct gcview *p, const struct pane_env *env)
{
	if (!p->stop.open)
		return false;
	p->stop.open = false;
	gc_stops_list(p, session_snap(env->s), (int64_t)p->stop.key);
	return true;
}

enum verdict gc_stops_act(struct gcview *p, const struct pane_env *env, const struct act *a, struct ask *out)
{
	struct column c[COLS_MAX];
	int n = columns(p, c), now = p->stop.sort[sums(p)];
	if (a->cmd == CMD_GROUP_BY)
		return group_by(p, env, a->arg, out);
	if (!p->stops)
		return V_PASS;
	if (a->cmd == CMD_SORT && a->arg)
		return sort_word(p, env, a->arg, out);
	switch ((int)a->cmd) {
	case CMD_SORT:
	case CMD_SORT_RIGHT: sort_by(p, env, (now + 1) % n); return V_DONE;
	case CMD_SORT_LEFT: sort_by(p, env, (now + n - 1) % n); return V_DONE;
	case CMD_INVERT:
		p->stop.invert[sums(p)] = !p->stop.invert[sums(p)];
		relist(p, env, true);
		return V_DONE;
	case CMD_BACK: return back(p, env) ? V_DONE : V_PASS;
	case CMD_OPEN: return p->part == PART_TABLE && open_group(p, env) ? V_DONE : V_PASS;
	default: return V_PASS;
	}
}

int gc_stops_choices(const struct gcview *p, enum cmd_id cmd, struct choice *out)
{
	static const char *const what[STOPS_BY__N] = {
	    "each stop", "sums by the reason", "sums by the first frame of user code"};
	struct column c[COLS_MAX];
	int n = 0;
	if (cmd == CMD_SORT && p->stops)
		for (int all = columns(p, c); n < all; n++)
			choice_set(&out[n], c[n].word, c[n].what, c[n].c.sort != 0);
	else if (cmd == CMD_GROUP_BY)
		for (; n < STOPS_BY__N; n++)
			choice_set(&out[n], stops_by_name[n], what[n], p->stops && n == (int)p->stop.by);
	return n;
}

void gc_stops_report(const struct gcview *p, const struct pane_env *env, struct pane_report *r)
{
	struct column c[COLS_MAX];
	bool groups = sums(p);
	int k = 0, by = p->stop.sort[groups];
	columns(p, c);
	r->name = "stw";
	if (groups)
		r->opt[k++] = arena_printf(env->scratch, "-by=%s", stops_by_name[p->stop.by]);
	if (by != (groups ? SUM_TOTAL : STOP_START) || p->stop.invert[groups])
		r->opt[k++] = arena_printf(env->scratch, "-sort=%s%s", p->stop.invert[groups] ? "-" : "", c[by].word);
}

/* ---- words and cells */

void gc_stop_name(const struct store *st, uint32_t span, struct buf *b)
{
	struct stop_kind kind = stops_kind(st, span);
	if (kind.n)
		text_safe(b, kind.s, kind.n);
	else
		buf_puts(b, "stop the world");
}

/* What the group of a stop is called. */
static void group_name(const struct gcview *p, const struct store *st, uint32_t span, struct buf *b)
{
	frm_id f = p->stop.by == STOPS_CALLER ? stops_caller(st, span) : 0;
	if (f)
		tp_frame(st, f, b, true);
	else if (p->stop.by == STOPS_CALLER)
		buf_puts(b, "(no stack)");
	else
		gc_stop_name(st, span, b);
}

void gc_stop_group_name(const struct gcview *p, const struct store *st, const struct stop_group *g, struct buf *b)
{
	group_name(p, st, p->stop.v[g->first].span, b);
}

void gc_stops_open_name(const struct gcview *p, const struct store *st, struct buf *b)
{
	group_name(p, st, p->stop.v[p->row[1][0]].span, b);
}

struct drawing { const struct gcview *p; const struct pane_env *env; int n, x[COLS_MAX], w[COLS_MAX]; };

static void draw_stop(const struct drawing *d, struct grid *g, int k, const struct stop *v)
{
	const struct store *st = session_snap(d->env->s)->st;
	trk_id who = store_span(st, v->span)->s.trk;
	struct buf b = {0};
	if (k == STOP_START)
		tp_at(g, 0, d->w[k], v->t0);
	else if (k == STOP_DUR)
		tp_ns(g, 0, d->w[k], v->t1 - v->t0, 0);
	else if (k == STOP_WHY)
		gc_stop_name(st, v->span, &b);
	else if (who)
		buf_puts(&b, "by "), tp_who(st, who, &b);
	tp_text(d->env, g, 0, 0, b.n ? d->w[k] : 0, ST_NORMAL, &b);
	buf_free(&b);
}

static void draw_sum(const struct drawing *d, struct grid *g, int k, const struct stop_group *v)
{
	struct buf b = {0};
	switch (k) {
	case SUM_COUNT: tp_count(g, 0, d->w[k], v->n); break;
	case SUM_TOTAL: tp_ns(g, 0, d->w[k], v->total, 0); break;
	case SUM_MAX: tp_ns(g, 0, d->w[k], v->max, 0); break;
	case SUM_MEAN: tp_ns(g, 0, d->w[k], stops_mean(v), 0); break;
	default:
		gc_stop_group_name(d->p, session_snap(d->env->s)->st, v, &b);
		tp_text(d->env, g, 0, 0, d->w[k], ST_NORMAL, &b);
		break;
	}
	buf_free(&b);
}

static void draw_row(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct drawing *d = arg;
	const struct stop *one = gc_stop_at(d->p, i);
	const struct stop_group *sum = gc_stop_group_at(d->p, i);
	for (int k = 0; k < d->n; k++) {
		if (d->x[k] < 0)
			continue;
		struct rect old = grid_clip(g, (struct rect){y, d->x[k], 1, d->w[k]});
		if (one)
			draw_stop(d, g, k, one);
		else if (sum)
			draw_sum(d, g, k, sum);
		grid_unclip(g, old);
	}
}

void gc_stops_draw(const struct gcview *p, const struct pane_env *env, struct grid *g, int h)
{
	struct drawing d = {.p = p, .env = env};
	struct column c[COLS_MAX];
	struct rows_col rc[COLS_MAX];
	bool bar = p->rows[1].n > (uint32_t)h;
	d.n = columns(p, c);
	for (int i = 0; i < d.n; i++)
		rc[i] = c[i].c;
	rows_layout(rc, d.n, env->choose - 1 - bar, g->w - 1 - bar, d.x, d.w);
	struct rect old = grid_clip(g, (struct rect){0, 1, 1, g->w - 1});
	rows_head(g, 0, rc, d.n, d.x, d.w);
	grid_unclip(g, old);
	old = grid_clip(g, (struct rect){1, 0, h, g->w});
	rows_draw(&p->rows[1], g, draw_row, &d,
	    &(struct rows_look){p->part != PART_TABLE, env->find.rx ? p->hit.at : NULL});
	grid_unclip(g, old);
}
