/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Tasks and, by [ and ], regions: kinds with how long they take, then those of
 * one kind, slowest first, then what happened in one task, in order.
 *
 * Kinds, regions and the events of a task are analysis/sched.c's, as the reports
 * have them. Durations go into a histogram for each kind, so that a row's
 * quantiles and its picture come from the same numbers. What a task's time went
 * to is the time by state of the goroutines that worked for it (the same
 * stretches that a flame graph under :task is made of); several at once count
 * each, so the sum may be more than the task took.
 */
#include "config.h"
#include "tasksview.h"

#include "analysis/bins.h"
#include "analysis/calls.h"
#include "base/text.h"
#include "store/spans.h"

#include <stdlib.h>
#include <string.h>

static int64_t kind_key(const struct kind *k)
{
	return (int64_t)((uint64_t)k->name << 32 | k->frame);
}

static const struct kind *kind_now(const struct tasks *p)
{
	return p->rows[L_KINDS].n ? &p->kind[p->order[p->rows[L_KINDS].sel]] : NULL;
}

static const struct item *item_now(const struct tasks *p)
{
	return p->rows[L_LIST].n ? &p->item[p->shown[p->rows[L_LIST].sel]] : NULL;
}

/* ---- making */

static int item_cmp(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int64_t dx = x->t1 - x->t0, dy = y->t1 - y->t0;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (dx != dy)
		return dx > dy ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

static void add_item(struct tasks *p, const struct pane_env *env, uint32_t kind, uint32_t i, int64_t t0, int64_t t1)
{
	const struct snap *sn = session_snap(env->s);
	struct item *it = &p->item[p->nitem++];
	*it = (struct item){t0 == TIME_NONE ? sn->t0 : t0, t1 == TIME_NONE ? sn->t1 : t1,
	    t0 == TIME_NONE || t1 == TIME_NONE, i, kind};
	p->kind[kind].n++;
	p->kind[kind].open += it->open;
	if (!it->open)
		histo_add(&p->kind[kind].h, it->t1 - it->t0);
}

static void make_tasks(struct tasks *p, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	uint32_t *of = xcalloc(sn->nstrs + 1u, sizeof *of), n = 0;
	p->ts = sched_tasks(sn, &p->mem);
	for (uint32_t i = 0; i < p->ts->n; i++)
		if (p->ts->task[i].span != UINT32_MAX && !of[p->ts->task[i].name])
			of[p->ts->task[i].name] = ++n;
	p->kind = arena_zalloc(&p->mem, (n + 1u) * sizeof *p->kind);
	p->item = arena_alloc(&p->mem, (p->ts->n + 1u) * sizeof *p->item);
	p->nkind = n;
	for (uint32_t i = 0; i < p->ts->n; i++) {
		const struct sched_task *t = &p->ts->task[i];
		if (t->span == UINT32_MAX)
			continue;
		p->kind[of[t->name] - 1].name = t->name;
		if (tp_in(&p->scope, store_span(sn->st, t->span)->s.trk, t->t0 == TIME_NONE ? sn->t0 : t->t0,
			t->t1 == TIME_NONE ? sn->t1 : t->t1))
			add_item(p, env, of[t->name] - 1, i, t->t0, t->t1);
	}
	mem_free(of);
}

static void make_regions(struct tasks *p, const struct pane_env *env)
{
	struct sched_ask ask = tp_ask(&p->scope);
	p->ks = sched_regions(sched_new(session_snap(env->s), &p->mem), &ask, &p->mem);
	p->kind = arena_zalloc(&p->mem, (p->ks->n + 1u) * sizeof *p->kind);
	p->item = arena_alloc(&p->mem, (p->ks->nr + 1u) * sizeof *p->item);
	p->nkind = p->ks->n;
	for (uint32_t k = 0; k < p->ks->n; k++) {
		const struct sched_kind *s = &p->ks->kind[k];
		p->kind[k].name = s->name;
		p->kind[k].frame = s->frame;
		for (uint32_t i = s->first; i < s->first + s->n; i++) {
			const struct sink_span *sp = &store_span(tasks_store(env), p->ks->r[i].span)->s;
			add_item(p, env, k, i, sp->t0, sp->t1);
		}
	}
}

static int64_t sort_value(const struct kind *k, int sort)
{
	static const double q[] = {0, 0.50, 0.95, 0.99, 1};
	return sort == SORT_COUNT ? k->n : histo_quantile(&k->h, q[sort]);
}

struct by { const struct tasks *p; const struct store *st; };

static int cmp_kind(const void *ctx, uint32_t a, uint32_t b)
{
	const struct by *by = ctx;
	const struct kind *x = &by->p->kind[a], *y = &by->p->kind[b];
	int d = sched_name_cmp(by->st, x->name, y->name);
	if (by->p->sort != SORT_NAME) {
		int64_t vx = sort_value(x, by->p->sort), vy = sort_value(y, by->p->sort);
		d = vx != vy ? (vx > vy ? -1 : 1) : d;
	}
	d = d ? d : a < b ? -1 : a > b;
	return by->p->invert ? -d : d;
}

/* What a row says, to search in: names, and the logs of tasks. */
static void row_text(const struct tasks *p, const struct store *st, enum tasks_level l, uint32_t i, struct buf *b)
{
	buf_reset(b);
	if (l == L_KINDS) {
		tp_str(st, p->kind[i].name, "", b);
		if (p->kind[i].frame)
			buf_putc(b, ' '), tp_frame(st, p->kind[i].frame, b, true);
		return;
	}
	if (p->regions) {
		tp_who(st, store_span(st, p->ks->r[p->item[i].i].span)->s.trk, b);
		return;
	}
	const struct sched_task *t = &p->ts->task[p->item[i].i];
	buf_printf(b, "%llu ", (unsigned long long)t->id);
	for (uint32_t k = t->first; k < t->first + t->n; k++) {
		const struct sched_event *e = &p->ts->event[k];
		buf_putc(b, ' ');
		tp_str(st, e->log ? store_mark(st, e->i)->category : store_span(st, e->i)->s.name, "", b);
		buf_putc(b, ' ');
		if (e->log)
			tp_str(st, store_mark(st, e->i)->text, "", b);
	}
}

static void order_kinds(struct tasks *p, const struct pane_env *env)
{
	const struct kind *was = kind_now(p);
	int64_t key = p->level > L_KINDS ? p->open : was && p->rows[L_KINDS].n <= p->nkind ? kind_key(was) : -1;
	uint32_t n = 0, sel = 0;
	struct buf b = {0};
	p->order = mem_grow(p->order, &p->corder, p->nkind + 1u, sizeof *p->order);
	for (uint32_t i = 0; i < p->nkind; i++) {
		if (env->grep.rx && p->level == L_KINDS)
			row_text(p, tasks_store(env), L_KINDS, i, &b);
		if (p->kind[i].n && (!env->grep.rx || p->level != L_KINDS || rx_match(env->grep.rx, b.p, b.n)))
			p->order[n++] = i;
	}
	buf_free(&b);
	sort_u32(p->order, n, cmp_kind, &(struct by){p, tasks_store(env)});
	for (uint32_t i = 0; i < n; i++)
		if (kind_key(&p->kind[p->order[i]]) == key)
			sel = i;
	rows_set(&p->rows[L_KINDS], n);
	rows_select(&p->rows[L_KINDS], sel);
}

static void fill_list(struct tasks *p, const struct pane_env *env)
{
	uint32_t n = 0;
	struct buf b = {0};
	for (uint32_t k = 0; k < p->nkind; k++) {
		if (kind_key(&p->kind[k]) != p->open)
			continue;
		p->shown = mem_grow(p->shown, &p->cshown, p->kind[k].n + 1u, sizeof *p->shown);
		for (uint32_t i = p->kind[k].first; i < p->kind[k].first + p->kind[k].n; i++) {
			if (env->grep.rx && p->level == L_LIST) {
				row_text(p, tasks_store(env), L_LIST, i, &b);
				if (!rx_match(env->grep.rx, b.p, b.n))
					continue;
			}
			p->shown[n++] = i;
		}
	}
	buf_free(&b);
	rows_set(&p->rows[L_LIST], n);
}

/* ---- one task */

static int line_cmp(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	if (x->t0 != y->t0)
		return x->t0 < y->t0 ? -1 : 1;
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

const struct sched_task *tasks_open(const struct tasks *p)
{
	for (uint32_t i = 0; p->ts && i < p->ts->n; i++)
		if ((int64_t)p->ts->task[i].id == p->task)
			return &p->ts->task[i];
	return NULL;
}

static void load_one(struct tasks *p, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	const struct sched_task *t = tasks_open(p);
	uint32_t nslice;
	arena_reset(&p->one);
	p->nline = 0;
	p->whole = 0;
	memset(p->why, 0, sizeof p->why);
	if (!t || t->span == UINT32_MAX)
		return;
	p->line = arena_alloc(&p->one, (t->n + 2u) * sizeof *p->line);
	if (t->t0 != TIME_NONE)
		p->line[p->nline++] = (struct line){t->t0, t->t0, store_span(sn->st, t->span)->s.trk, LN_BEGIN, 0};
	for (uint32_t k = t->first; k < t->first + t->n; k++) {
		const struct sched_event *e = &p->ts->event[k];
		struct line *l = &p->line[p->nline++];
		*l = (struct line){.i = e->i, .what = e->log ? LN_LOG : LN_REGION};
		if (e->log) {
			l->t0 = l->t1 = store_mark(sn->st, e->i)->t;
			l->trk = store_mark(sn->st, e->i)->trk;
		} else {
			span_bounds(sn, &store_span(sn->st, e->i)->s, &l->t0, &l->t1);
			l->trk = store_span(sn->st, e->i)->s.trk;
		}
	}
	if (t->t1 != TIME_NONE)
		p->line[p->nline++] = (struct line){t->t1, t->t1, store_span(sn->st, t->end)->s.trk1, LN_END, 0};
	qsort(p->line, p->nline, sizeof *p->line, line_cmp);
	const struct tw_slice *s = tw_tasks(sn, t->id, NULL, NULL, &p->one, &nslice);
	for (uint32_t i = 0; i < nslice; i++) {
		struct bin b;
		bins_sum(sn, s[i].trk, s[i].t0, s[i].t1, &b);
		for (int k = 0; k < TS__N; k++)
			p->why[k] += b.ns[k];
		p->whole += s[i].t1 - s[i].t0;
	}
	rows_set(&p->rows[L_ONE], p->nline);
}

static void mark_hits(struct tasks *p, const struct pane_env *env);

static void update(void *st, const struct pane_env *env)
{
	struct tasks *p = st;
	arena_reset(&p->mem);
	tp_scope(env, &p->mem, &p->scope);
	p->nkind = p->nitem = 0;
	p->lo = INT64_MAX;
	p->hi = 0;
	(p->regions ? make_regions : make_tasks)(p, env);
	if (p->nitem)
		qsort(p->item, p->nitem, sizeof *p->item, item_cmp);
	for (uint32_t i = p->nitem; i-- > 0;)
		p->kind[p->item[i].kind].first = i;
	for (uint32_t k = 0; k < p->nkind; k++)
		if (p->kind[k].h.n) {
			p->lo = p->kind[k].h.min < p->lo ? p->kind[k].h.min : p->lo;
			p->hi = p->kind[k].h.max > p->hi ? p->kind[k].h.max : p->hi;
		}
	p->lo = tp_decade(p->lo == INT64_MAX ? 1 : p->lo, false);
	p->hi = tp_decade(p->hi, true);
	p->rows[L_KINDS].n = p->rows[L_KINDS].n <= p->nkind ? p->rows[L_KINDS].n : 0;
	order_kinds(p, env);
	fill_list(p, env);
	if (p->level == L_ONE)
		load_one(p, env);
	mark_hits(p, env);
}

static void begin(void *st, const struct pane_env *env)
{
	struct tasks *p = st;
	(void)env;
	p->sort = SORT_MAX;
}

static void close_tasks(void *st)
{
	struct tasks *p = st;
	arena_free(&p->mem);
	arena_free(&p->one);
	mem_free(p->order);
	mem_free(p->shown);
	mem_free(p->hit);
}

/* ---- acting */

static void mark_hits(struct tasks *p, const struct pane_env *env)
{
	struct buf b = {0};
	mem_free(p->hit);
	p->hit = NULL;
	p->nhit = 0;
	if (!env->find.rx)
		return;
	uint32_t n = p->rows[p->level].n;
	p->hit = xcalloc(n ? n : 1, 1);
	for (uint32_t i = 0; i < n; i++) {
		if (p->level == L_ONE)
			buf_reset(&b), tasks_line(tasks_store(env), &p->line[i], &b);
		else
			row_text(p, tasks_store(env), p->level, p->level == L_KINDS ? p->order[i] : p->shown[i], &b);
		p->nhit += p->hit[i] = rx_match(env->find.rx, b.p, b.n);
	}
	buf_free(&b);
}

static bool selected(const struct tasks *p, const struct pane_env *env, struct place *to)
{
	const struct store *st = tasks_store(env);
	const struct item *it = item_now(p);
	if (p->level == L_ONE && p->nline) {
		const struct line *l = &p->line[p->rows[L_ONE].sel];
		to->trk = l->trk;
		to->t0 = l->t0;
		to->t1 = l->t1 > l->t0 ? l->t1 : TIME_NONE;
		tp_place(st, l->what == LN_LOG ? store_mark(st, l->i)->stack
			: l->what == LN_REGION ? store_span(st, l->i)->s.stack : 0, to);
		return true;
	}
	if (p->level != L_LIST || !it)
		return false;
	const struct sink_span *sp = &store_span(st, p->regions ? p->ks->r[it->i].span : p->ts->task[it->i].span)->s;
	to->trk = sp->trk;
	to->t0 = it->t0;
	to->t1 = it->t1;
	tp_place(st, sp->stack, to);
	return true;
}

static enum verdict open_cmd(struct tasks *p, const struct pane_env *env, struct ask *out)
{
	if (p->level == L_KINDS && kind_now(p)) {
		p->open = kind_key(kind_now(p));
		p->level = L_LIST;
		fill_list(p, env);
		rows_select(&p->rows[L_LIST], 0);
	} else if (p->level == L_LIST && item_now(p) && !p->regions) {
		p->task = (int64_t)p->ts->task[item_now(p)->i].id;
		p->level = L_ONE;
		load_one(p, env);
		rows_select(&p->rows[L_ONE], 0);
	} else if (selected(p, env, &out->place)) {
		out->kind = ASK_PANE;
		out->pane = "timeline";
		return V_ASK;
	}
	mark_hits(p, env);
	return V_DONE;
}

/* The selected kind or task becomes the query; the flame graph, when it was asked for, shows it. */
static enum verdict filter_cmd(struct tasks *p, const struct pane_env *env, const char *pane, struct ask *out)
{
	const struct kind *k = kind_now(p);
	if (!k)
		return V_PASS;
	out->kind = ASK_QUERY;
	out->pane = pane;
	out->query = *session_query(env->s);
	out->query.suspended = false;
	uint64_t id = p->level == L_ONE ? (uint64_t)p->task
		: p->level == L_LIST && item_now(p) && !p->regions ? p->ts->task[item_now(p)->i].id : 0;
	struct buf b = {0};
	tp_quote(tasks_store(env), k->name, &b);
	char *re = id ? arena_printf(env->scratch, "%llu", (unsigned long long)id) : arena_strndup(env->scratch, b.p, b.n);
	buf_free(&b);
	if (p->regions)
		out->query.region = re;
	else
		out->query.task = re;
	return V_ASK;
}

static enum verdict act(void *st, const struct pane_env *env, const struct act *a, struct ask *out)
{
	struct tasks *p = st;
	if (rows_act(&p->rows[p->level], a, env->rows - (p->level == L_ONE ? 3 : 1)))
		return V_DONE;
	switch ((int)a->cmd) {
	case CMD_OPEN: return open_cmd(p, env, out);
	case CMD_BACK:
		if (p->level == L_KINDS)
			return V_PASS;
		p->level--;
		mark_hits(p, env);
		return V_DONE;
	case CMD_PREV_KIND:
	case CMD_NEXT_KIND:
		p->regions = !p->regions;
		p->level = L_KINDS;
		p->rows[L_KINDS].n = p->rows[L_KINDS].sel = 0;
		update(p, env);
		return V_DONE;
	case CMD_PANE_FLAME: return a->arg ? V_PASS : filter_cmd(p, env, "flame", out);
	case CMD_FOCUS: return a->arg ? V_PASS : filter_cmd(p, env, NULL, out);
	case CMD_SORT:
	case CMD_SORT_RIGHT:
	case CMD_SORT_LEFT:
		p->sort = (p->sort + (a->cmd == CMD_SORT_LEFT ? SORT__N - 1 : 1)) % SORT__N;
		order_kinds(p, env);
		return V_DONE;
	case CMD_INVERT:
		p->invert = !p->invert;
		order_kinds(p, env);
		return V_DONE;
	default: return V_PASS;
	}
}

static void place(const void *st, const struct pane_env *env, struct place *to)
{
	selected(st, env, to);
}

static void save(const void *st, struct view *v)
{
	const struct tasks *p = st;
	*v = (struct view){{p->level, p->regions, p->level ? p->open : 0, p->level == L_ONE ? p->task : 0},
	    {p->rows[0].sel, p->rows[1].sel, p->rows[2].sel, p->sort}};
}

static void load(void *st, const struct pane_env *env, const struct view *v)
{
	struct tasks *p = st;
	p->level = (enum tasks_level)(v->zoom[0] >= L_KINDS && v->zoom[0] <= L_ONE ? v->zoom[0] : 0);
	p->regions = v->zoom[1] != 0;
	p->open = v->zoom[2];
	p->task = v->zoom[3];
	if (p->regions && p->level == L_ONE)
		p->level = L_LIST;
	p->rows[L_KINDS].n = 0;
	update(p, env);
	for (int i = 0; i < 3; i++)
		rows_select(&p->rows[i], (uint32_t)v->cursor[i]);
}

static void summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct tasks *p = st;
	uint32_t open = 0;
	for (uint32_t i = 0; i < p->nkind; i++)
		open += p->kind[i].open;
	if (p->level > L_KINDS) {
		buf_puts(b, p->regions ? "Regions > " : "Tasks > ");
		tp_str(tasks_store(env), (str_id)((uint64_t)p->open >> 32), "(no name)", b);
		if (p->level == L_ONE)
			buf_printf(b, " > %llu", (unsigned long long)p->task);
		buf_puts(b, "   ");
		text_count(b, p->rows[L_LIST].n);
	} else {
		buf_puts(b, p->regions ? "regions ([ ] tasks) | " : "tasks ([ ] regions) | ");
		buf_printf(b, "%u kinds, ", p->rows[L_KINDS].n);
		text_count(b, p->nitem);
		buf_printf(b, ", %u unfinished", open);
	}
	buf_puts(b, " | ");
	tp_scope_words(&p->scope, b);
	if (env->find.rx && p->hit)
		buf_printf(b, " | /%s %u hits", env->find.text, p->nhit);
}

static void detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct tasks *p = st;
	const struct store *s = tasks_store(env);
	const struct kind *k = kind_now(p);
	struct place to = PLACE_NONE;
	if (p->level == L_KINDS && k) {
		tp_str(s, k->name, "(no name)", b);
		buf_printf(b, ": %u, %u began before or end after the trace", k->n, k->open);
		if (k->frame)
			buf_puts(b, "  "), tp_frame(s, k->frame, b, true);
	} else if (p->level == L_ONE && p->nline) {
		tasks_line(s, &p->line[p->rows[L_ONE].sel], b);
		if (p->line[p->rows[L_ONE].sel].trk)
			buf_puts(b, "  "), tp_who(s, p->line[p->rows[L_ONE].sel].trk, b);
	} else if (selected(p, env, &to)) {
		text_ns(b, to.t1 - to.t0);
		buf_puts(b, " at ");
		text_at(b, to.t0, 1000);
		if (to.trk)
			buf_puts(b, "  "), tp_who(s, to.trk, b);
		if (to.stk)
			buf_puts(b, "  "), tp_site(s, to.stk, b);
	}
}

static uint32_t find(void *st, const struct pane_env *env, int dir, uint32_t *at)
{
	struct tasks *p = st;
	mark_hits(p, env);
	*at = 0;
	if (!p->nhit)
		return 0;
	uint32_t n = p->rows[p->level].n, i = p->rows[p->level].sel;
	if (dir == 1 || dir == -1)
		i = dir > 0 ? (i + 1) % n : (i + n - 1) % n;
	while (dir && !p->hit[i])
		i = dir > 0 ? (i + 1) % n : (i + n - 1) % n;
	if (dir)
		rows_select(&p->rows[p->level], i);
	for (uint32_t k = 0; p->hit[i] && k <= i; k++)
		*at += p->hit[k];
	return p->nhit;
}

static void keys(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct tasks *p = st;
	(void)env;
	buf_puts(b, p->level == L_ONE ? "j k event  Enter timeline  4 flame of it  f only it  / log text  q back"
		: p->level == L_KINDS ? "Enter open  [ ] tasks, regions  s < > sort  i invert  4 flame  f only it"
		: p->regions ? "Enter timeline  4 flame  f only these  / find  q back"
		: "Enter what happened in it  5 timeline  4 flame of it  / log text  q back");
}

static void click(void *st, const struct pane_env *env, int y, int x, bool twice, struct ask *ask)
{
	struct tasks *p = st;
	uint32_t i = rows_at(&p->rows[p->level], y - (p->level == L_ONE ? 3 : 1), p->rows[p->level].h);
	(void)x;
	if (i == UINT32_MAX)
		return;
	rows_select(&p->rows[p->level], i);
	if (twice)
		act(st, env, &(struct act){.cmd = CMD_OPEN}, ask);
}

static int topics(const void *st, const struct pane_env *env, enum topic *t)
{
	const struct tasks *p = st;
	(void)env;
	t[0] = p->regions ? TOPIC_K_REGION : TOPIC_K_TASK;
	t[1] = TOPIC_K_QUANTILE;
	return p->level == L_ONE ? 1 : 2;
}

const struct pane_ops pane_tasks = {
    .name = "tasks", .tab = "Task", .bit = P_TASK, .cmd = CMD_PANE_TASK, .trace_only = true,
    .state_size = sizeof(struct tasks), .open = begin, .close = close_tasks, .update = update, .draw = tasks_draw,
    .act = act, .place = place, .topics = topics, .save = save, .load = load, .summary = summary, .detail = detail, .find = find,
    .keys = keys, .click = click,
};
