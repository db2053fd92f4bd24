/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Tasks and, by [ and ], regions: kinds with their durations, then the items of a kind, slowest
 * first, then the events of a task, in order. Operations are the third list; operations.c has all of it.
 *
 * tasks/rows.c makes the rows, tasks/text.c the texts around them; this file handles keys. The bars
 * of the histogram, `:>50ms` and `:incomplete` set the same filter, which is part of the view: `u`
 * restores it, and a mark includes it. The times of a task are the times by state of the goroutines
 * that worked for it (the same time slices as in a flame graph with :task); several goroutines at
 * once count each, so the sum may exceed the task's duration.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/text/text.h"
#include "store/tracks/time_search.h"

#include <stdio.h>

#include <string.h>

static void tasks_pane_update(void *st, const struct pane_env *env)
{
	struct tasks *p = st;
	tasks_update(p, env);
	tasks_operations_update(p, env);
}

static void open_tasks(void *st, const struct pane_env *env)
{
	struct tasks *p = st;
	(void)env;
	p->sort[L_KINDS] = SORT_MAX;
	p->task_criteria = TASK_CRITERIA_NONE;
	p->bars_of = p->shown_of = -1;
	tasks_operations_open(p);
}

static void close_tasks(void *st)
{
	struct tasks *p = st;
	tasks_operations_close(p);
	tracepane_query_free(&p->later);
	arena_free(&p->list.mem);
	arena_free(&p->page.mem);
	mem_free(p->order);
	mem_free(p->shown);
	list_hits_free(&p->search.hits);
	mem_free(p->search.find);
}

/* ---- commands */

bool tasks_selected_place(const struct tasks *p, const struct pane_env *env, struct place *to)
{
	const struct store *st = tasks_store(env);
	const struct item *it = item_now(p);
	if (p->level == L_ONE && p->page.nline) {
		const struct task_line *l = &p->page.line[p->rows[L_ONE].sel];
		to->trk = l->trk;
		to->t0 = l->t0;
		to->t1 = l->t1 > l->t0 ? l->t1 : TIME_NONE;
		tracepane_site_place(st, l->what == LN_LOG ? store_mark(st, l->i)->stack
			: l->what == LN_REGION ? store_span(st, l->i)->s.stack : 0, to);
		return true;
	}
	if (p->level != L_LIST || !it)
		return false;
	const struct sink_span *sp =
	    &store_span(st, p->list.regions ? p->list.ks->r[it->i].span : p->list.ts->task[it->i].span)->s;
	to->trk = sp->trk;
	to->t0 = it->t0;
	to->t1 = it->t1;
	tracepane_site_place(st, sp->stack, to);
	return true;
}

void tasks_open_page(struct tasks *p, const struct pane_env *env, uint64_t id)
{
	const struct stats_task *t = tasks_find_id(p, id);
	p->task = (int64_t)id;
	p->open = t ? (int64_t)((uint64_t)t->name << 32) : p->open;
	p->level = L_ONE;
	tasks_sort_kinds(p, env);
	if (p->shown_of != p->open)	/* takes tens of milliseconds for millions of items */
		tasks_fill_list(p, env);
	tasks_load_page(p, env);
	list_select(&p->rows[L_ONE], 0);
}

/* Return the task whose region contains a goroutine at a time, the innermost of several; UINT64_MAX: none. */
static uint64_t task_at(const struct snap *sn, trk_id trk, int64_t t)
{
	uint64_t best = UINT64_MAX;
	int64_t since = INT64_MIN;
	for (uint32_t i = 0; (i = time_search_next_span(sn, i, 1u << SP_REGION, t, t + 1)) != UINT32_MAX; i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		int64_t a, b;
		if (s->trk != trk || s->v0 & RG_INHERITED)
			continue;
		time_search_span_bounds(sn, s, &a, &b);
		if (a <= t && t < b && (a > since || (a == since && (best == UINT64_MAX || s->id > best)))) {
			since = a;
			best = s->id;
		}
	}
	return best;
}

/* `7` from a span of a goroutine that worked for a task: select its kind; Enter opens the kind and Enter again the
   page of the task. If another level is open, it stays. */
static bool tasks_pane_go(void *st, const struct pane_env *env, const struct place *to)
{
	struct tasks *p = st;
	const struct snap *sn = session_snap(env->s);
	if (p->operations.shown)
		tasks_operations_go(p, to);
	if (p->operations.shown || !to->trk || to->t0 == TIME_NONE || p->level != L_KINDS)
		return true;
	uint64_t task = task_at(sn, to->trk, to->t0);
	if (task == UINT64_MAX)
		return true;
	if (async_job(&p->work)) {
		p->want.near = true;
		p->want.task = task;
	} else {
		tasks_select_near(p, task);
	}
	return true;
}

/* Return the row of the task that was requested or opened last; 0: it is not in the list. */
static uint32_t list_start(const struct tasks *p)
{
	uint32_t i = 0, n = p->rows[L_LIST].n;
	while (i < n && !p->list.regions && (int64_t)p->list.ts->task[p->list.item[p->shown[i]].i].id != p->task)
		i++;
	return i < n ? i : 0;
}

static enum verdict open_cmd(struct tasks *p, const struct pane_env *env, struct ask *out)
{
	if (p->level == L_KINDS && kind_now(p)) {
		p->open = kind_key(kind_now(p));
		p->level = L_LIST;
		tasks_fill_list(p, env);
		list_select(&p->rows[L_LIST], list_start(p));
	} else if (p->level == L_LIST && item_now(p) && !p->list.regions) {
		tasks_open_page(p, env, p->list.ts->task[item_now(p)->i].id);
	} else if (p->level == L_ONE && p->page.nline && p->page.line[p->rows[L_ONE].sel].what == LN_CHILD) {
		tasks_open_page(p, env, p->list.ts->task[p->page.line[p->rows[L_ONE].sel].i].id);
	} else if (tasks_selected_place(p, env, &out->place)) {
		out->kind = ASK_PANE;
		out->pane = "timeline";
		return V_ASK;
	}
	tasks_mark_hits(p, env);
	return V_DONE;
}

static const char *latency_range_text(struct arena *m, int64_t lo, int64_t hi)
{
	char a[32] = "", b[32] = "";
	if (lo == TIME_NONE && hi == TIME_NONE)
		return NULL;
	if (lo != TIME_NONE)
		snprintf(a, sizeof a, "%lldns", (long long)lo);
	if (hi != TIME_NONE)
		snprintf(b, sizeof b, "%lldns", (long long)hi);
	return arena_printf(m, "%s..%s", a, b);
}

/* Filter by the selected kind or task, and show a pane if requested. */
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
		: p->level == L_LIST && item_now(p) && !p->list.regions ? p->list.ts->task[item_now(p)->i].id : 0;
	struct buf b = {0};
	tracepane_put_name_regex(tasks_store(env), k->name, &b);
	if (p->list.regions)		/* the frame distinguishes kinds of one name */
		buf_puts(&b, "@0x"), buf_hex(&b, k->frame
			? store_loc(tasks_store(env), store_frm(tasks_store(env), k->frame)->loc)->addr : 0);
	char *re = id ? arena_printf(env->scratch, "%llu", (unsigned long long)id) : arena_strndup(env->scratch, b.p,
	    b.n);
	buf_free(&b);
	out->query.latency = id ? NULL : latency_range_text(env->scratch, p->task_criteria.lo, p->task_criteria.hi);
	out->query.region = p->list.regions ? re : NULL;
	out->query.task = p->list.regions ? NULL : re;
	return V_ASK;
}

/* Search for the name of the selected kind. */
static enum verdict search_kind(struct tasks *p, const struct pane_env *env, struct ask *out)
{
	const struct kind *k = p->level == L_KINDS ? kind_now(p) : NULL;
	struct buf b = {0};
	if (!k)
		return V_PASS;
	buf_puts(&b, "search ");
	tracepane_put_name_regex(tasks_store(env), k->name, &b);
	out->kind = ASK_RUN;
	snprintf(out->text, sizeof out->text, "%s", buf_str(&b));
	buf_free(&b);
	return V_ASK;
}

/* Return the least duration of slow items, from the filter, the selected bar, or the selected item. For a kind,
   say_slow() determines it. TIME_NONE: none has a duration. */
static int64_t slow_from(const struct tasks *p)
{
	const struct stats_task *t = p->level == L_ONE ? tasks_shown_task(p) : NULL;
	if (p->level == L_ONE)
		return t && t->t0 != TIME_NONE && t->t1 != TIME_NONE ? t->t1 - t->t0 : TIME_NONE;
	if (p->bars.on)
		return p->bars.edge[p->bars.held && p->bars.from < p->bars.at ? p->bars.from : p->bars.at];
	return item_now(p) && !item_now(p)->open ? item_now(p)->t1 - item_now(p)->t0 : TIME_NONE;
}

/* Defines slow items: those that took lo to hi, or, if both are TIME_NONE, those found by task_filter_slow().
   Tasks without a start or an end in the trace have no duration; such regions have the part in the trace. */
struct slow { const struct item *item; uint32_t n; int64_t lo, hi; bool regions; };

/* Return a text with the limit of slow items and the rule that set it. */
static const char *describe_slow(struct arena *a, const int64_t *v, struct task_filter_slow s)
{
	struct buf b = {0};
	buf_puts(&b, "slow: from ");
	text_ns(&b, v[s.first]);
	if (s.gap) {
		buf_puts(&b, " (largest gap, after ");
		text_ns(&b, v[s.first - 1]);
		buf_putc(&b, ')');
	} else {
		buf_puts(&b, " (above p99)");
	}
	const char *words = arena_strndup(a, b.p, b.n);
	buf_free(&b);
	return words;
}

static bool say_slow(const struct snap *sn, const void *arg, struct arena *a, struct query *q, const char **said)
{
	const struct slow *s = arg;
	int64_t lo = s->lo, *v = xmalloc((s->n + 1u) * sizeof *v);
	uint32_t n = 0;
	(void)sn;
	for (uint32_t i = 0; i < s->n && lo == TIME_NONE && s->hi == TIME_NONE; i++)
		if (s->regions || !s->item[i].open)
			v[n++] = s->item[i].t1 - s->item[i].t0;
	stats_sort(v, n);
	if (n) {
		struct task_filter_slow cut = task_filter_slow(v, n);
		lo = v[cut.first];
		*said = describe_slow(a, v, cut);
	}
	mem_free(v);
	q->latency = latency_range_text(a, lo, s->hi);
	return q->latency;
}

/* D: compare the slow items of a kind with its others, in the flame graph. */
static enum verdict against_rest(struct tasks *p, const struct pane_env *env, struct ask *out)
{
	static const char none[] = "none of these starts and ends in the trace, so slow ones are not known";
	const struct kind *k = kind_now(p);
	if (session_query(env->s)->b || !k)
		return V_PASS;
	struct arena a = {0};
	struct slow *s = arena_zalloc(&a, sizeof *s);
	bool picks = p->task_criteria.lo != TIME_NONE || p->task_criteria.hi != TIME_NONE;
	*s = (struct slow){.lo = p->task_criteria.lo, .hi = p->task_criteria.hi, .regions = p->list.regions};
	if (p->level == L_ONE || p->bars.on || (!picks && p->level == L_LIST)) {
		s->lo = slow_from(p);
		s->hi = TIME_NONE;
	} else if (!picks) {
		s->item = p->list.item + k->first;
		s->n = k->all;
	}
	int level = p->level;
	p->level = L_KINDS;
	filter_cmd(p, env, "flame", out);
	p->level = (enum tasks_level)level;
	return tracepane_query(&p->later, env, &(struct tracepane_query_spec){.say = say_slow, .arg = s, .none = none, .rest = true}, &a, out);
}

/* List again with a new filter, and keep the selection if possible. */
static enum verdict apply_pick(struct tasks *p, const struct pane_env *env)
{
	struct tasks_target w = tasks_current_target(p);
	tasks_goto(p, env, &w);
	return V_DONE;
}

static enum verdict latency_cmd(struct tasks *p, const struct pane_env *env, const char *arg, struct ask *out)
{
	int64_t lo = TIME_NONE, hi = TIME_NONE;
	if (arg && *arg && !task_filter_parse_range(arg, &lo, &hi))
		return pane_message(out, "latency requires >50ms, <10ms or 10ms..50ms; without argument: all");
	p->task_criteria.lo = lo;
	p->task_criteria.hi = hi;
	return apply_pick(p, env);
}

static enum verdict whole_cmd(struct tasks *p, const struct pane_env *env, enum task_completeness w)
{
	p->task_criteria.whole = p->task_criteria.whole == w ? TASK_ANY : w;
	return apply_pick(p, env);
}

const struct sort_word tasks_kind_sorts[SORT__N] = {
    [SORT_COUNT] = {"count", "number of them"}, [SORT_P50] = {"p50", "50 percent take this or less"},
    [SORT_P95] = {"p95", "95 percent take this or less"}, [SORT_P99] = {"p99", "99 percent take this or less"},
    [SORT_MAX] = {"max", "longest"}, [SORT_NAME] = {"name", "name"}},
    tasks_item_sorts[IV__N] = {
    [IV_DUR] = {"duration", "duration"}, [IV_START] = {"start", "time of the start"},
    [IV_ID] = {"task", "number of the task"},
    [IV_RUN] = {"run", "executing code"}, [IV_READY] = {"runnable", "ready to run, waiting for a P"},
    [IV_SYSCALL] = {"syscall", "in system calls"}, [IV_BLOCKED] = {"blocked", "waiting for anything but a P"}};

static int list_sort_names(const struct tasks *p, const struct sort_word **w)
{
	*w = p->level == L_KINDS ? tasks_kind_sorts : tasks_item_sorts;
	return p->level == L_ONE ? 0 : p->level == L_KINDS ? SORT__N : p->list.regions ? IV__N : IV_RUN;
}

static int tasks_pane_choices(const void *st, const struct pane_env *env, enum cmd_id cmd, struct choice *out)
{
	const struct tasks *p = st;
	const struct sort_word *w;
	int n = cmd == CMD_SORT && !p->operations.shown ? list_sort_names(p, &w) : 0;
	(void)env;
	for (int i = 0; i < n; i++)
		pane_set_choice(&out[i], w[i].word, w[i].what, i == p->sort[p->level == L_KINDS ? L_KINDS : L_LIST]);
	return n;
}

static void tasks_sort(void *st, const struct pane_env *env, int by)
{
	struct tasks *p = st;
	int l = p->level == L_KINDS ? L_KINDS : L_LIST;
	p->sort[l] = by < 0 ? p->sort[l] : by;
	p->invert[l] = by < 0 && !p->invert[l];
	if (l == L_KINDS)
		tasks_sort_kinds(p, env);
	else
		tasks_fill_list(p, env);
	tasks_mark_hits(p, env);
}

/* Go to the parent of the open or selected task, or to its first child. */
static enum verdict goto_relative(struct tasks *p, const struct pane_env *env, bool parent, struct ask *out)
{
	const struct stats_task *t = p->list.regions ? NULL : p->level == L_ONE ? tasks_shown_task(p)
		: p->level == L_LIST && item_now(p) ? &p->list.ts->task[item_now(p)->i] : NULL;
	const struct stats_task *to = NULL;
	if (p->list.regions)
		return pane_message(out,
		    "( and ) are for tasks ([ shows them); for the goroutine of a region: 6, then ( ) W");
	if (!t)
		return pane_message(
		    out, "press Enter to open the kind: ( and ) go to the parent and the child of a task");
	for (uint32_t i = 0; i < p->list.ts->n && !to; i++) {
		const struct stats_task *c = &p->list.ts->task[i];
		if (c != t && c->span != UINT32_MAX && (parent ? c->id == t->parent : c->parent == t->id))
			to = c;
	}
	if (!to)
		return pane_message(out, parent ? "no parent in the trace" : "no child tasks");
	tasks_open_page(p, env, to->id);
	tasks_mark_hits(p, env);
	return V_DONE;
}

/* Select bars of the histogram. Taking a selection among kinds also opens the selected kind. */
static enum verdict bars_cmd(struct tasks *p, const struct pane_env *env, const struct act *a, struct ask *out)
{
	enum histogram_bars_result bars =
	    p->level == L_ONE ? BARS_PASS
			      : histogram_bars_command(&p->bars, a, &p->task_criteria.lo, &p->task_criteria.hi);
	if (bars == BARS_PASS)
		return V_PASS;
	if (bars == BARS_TAKE && p->level == L_KINDS)
		open_cmd(p, env, out);
	return bars == BARS_TAKE ? apply_pick(p, env) : V_DONE;
}

/* Remove the limits of latency and completeness, unless a search is there to be ended first. */
static enum verdict cancel_criteria(struct tasks *p, const struct pane_env *env)
{
	const struct task_criteria *c = &p->task_criteria;
	if (env->find.rx || (c->lo == TIME_NONE && c->hi == TIME_NONE && !c->whole))
		return V_PASS;
	p->task_criteria = TASK_CRITERIA_NONE;
	return apply_pick(p, env);
}

/* Show the next list (dir 1) or the one before (-1) of tasks, regions, operations. */
static enum verdict step_list(struct tasks *p, const struct pane_env *env, int dir)
{
	enum { TASKS, REGIONS, OPERATIONS, LISTS };
	int now = p->operations.shown ? OPERATIONS : tasks_current_target(p).regions ? REGIONS : TASKS;
	int to = (now + LISTS + dir) % LISTS;
	p->operations.chosen = true;
	p->operations.shown = to == OPERATIONS;
	if (to == OPERATIONS)
		tasks_operations_update(p, env);
	else
		tasks_goto(p, env, &(struct tasks_target){.regions = to == REGIONS, .moves = true});
	return V_DONE;
}

static enum verdict tasks_pane_act(void *st, const struct pane_env *env, const struct act *a, struct ask *out)
{
	struct tasks *p = st;
	if (a->cmd == CMD_CANCEL && tracepane_query_cancel(&p->later))
		return pane_message(out, "stopped");
	if (a->cmd == CMD_PREV_KIND || a->cmd == CMD_NEXT_KIND)
		return step_list(p, env, a->cmd == CMD_NEXT_KIND ? 1 : -1);
	if (p->operations.shown)
		return tasks_operations_act(p, env, a, out);
	enum verdict v = bars_cmd(p, env, a, out);
	if (v != V_PASS)
		return v;
	switch ((int)a->cmd) {
	case CMD_RANGE:
		return pane_message(out, p->level == L_ONE ? "v selects bars of a histogram: q goes back to one"
			: "none of these starts and ends in the trace: no histogram");
	case CMD_OPEN: return open_cmd(p, env, out);
	case CMD_NEXT_PART:
	case CMD_PREV_PART:
		if (p->level != L_LIST || !p->list.regions || !tasks_footer_height(p, env))
			return V_PASS;
		p->accounts = !p->accounts;
		return V_DONE;
	case CMD_BACK:
		if (p->level == L_KINDS)
			return V_PASS;
		p->level--;
		tasks_count_bars(p);
		tasks_mark_hits(p, env);
		return V_DONE;
	case CMD_CANCEL: return cancel_criteria(p, env);
	case CMD_LATENCY: return latency_cmd(p, env, a->arg, out);
	case CMD_INCOMPLETE: return whole_cmd(p, env, TASK_INCOMPLETE);
	case CMD_COMPLETE: return whole_cmd(p, env, TASK_COMPLETE);
	case CMD_CAUSE:
	case CMD_EFFECT: return goto_relative(p, env, a->cmd == CMD_CAUSE, out);
	case CMD_SIDE: return a->arg ? V_PASS : against_rest(p, env, out);
	case CMD_CHAIN:
		return pane_message(out, "wakers are shown for goroutines: press 6 for the goroutine, then W");
	case CMD_PANE_FLAME: return a->arg ? V_PASS : filter_cmd(p, env, "flame", out);
	case CMD_SEARCH_SEL: return search_kind(p, env, out);
	case CMD_FOCUS: return a->arg ? V_PASS : filter_cmd(p, env, NULL, out);
	default: return V_PASS;
	}
}

static void tasks_pane_place(const void *st, const struct pane_env *env, struct place *to)
{
	const struct tasks *p = st;
	const struct item *it = p->level == L_LIST ? item_now(p) : NULL;
	if (p->operations.shown) {
		tasks_operations_place(p, to);
		return;
	}
	to->topic[0] = p->list.regions ? TOPIC_K_REGION : TOPIC_K_TASK;
	to->topic[1] = p->level == L_ONE ? TOPIC_NONE : TOPIC_K_QUANTILE;
	tasks_selected_place(st, env, to);
	if (p->list.regions || (p->level != L_ONE && !it))
		return;
	to->rows = ROWS_TASK;
	to->id = it ? p->list.ts->task[it->i].id : (uint64_t)p->task;
}

static void tasks_pane_report(const void *st, const struct pane_env *env, struct pane_report *r)
{
	const struct tasks *p = st;
	const struct store *store = session_snap(env->s)->st;
	if (p->operations.shown) {
		*r = (struct pane_report){.name = "operations"};
		return;
	}
	*r = (struct pane_report){.name = p->list.regions ? "regions" : "tasks"};
	if (p->level == L_ONE)
		r->options[0] = arena_printf(env->scratch, "-task=%llu", (unsigned long long)p->task);
	else if (p->level == L_LIST && p->open >> 32)
		r->options[0] = arena_printf(env->scratch, "-name=%s", store_str(store, (str_id)(p->open >> 32))->s);
}

static const char *const row_words[] = {[L_KINDS] = "row", [L_LIST] = "row1", [L_ONE] = "row2"};

static void tasks_pane_save(const void *st, struct view *v)
{
	const struct tasks *p = st;
	struct tasks_target w = tasks_current_target(p);
	int level = w.page ? L_ONE : w.moves ? w.level : p->level;
	if (p->operations.shown) {
		tasks_operations_save(p, v);
		return;
	}
	if (w.view) {
		*v = w.v;
		return;
	}
	view_put_zoom(v, "level", level);
	view_put_zoom(v, "regions", w.regions);
	view_put_zoom(v, "task", level != L_ONE ? 0 : w.page ? (int64_t)w.task : p->task);
	view_put_zoom(v, "kind", level != L_LIST ? 0 : w.moves ? w.open : p->open);
	view_put_zoom(v, "whole", p->task_criteria.whole);
	view_put_zoom_time(v, "min", p->task_criteria.lo);
	view_put_zoom_time(v, "max", p->task_criteria.hi);
	for (int i = 0; i < 3; i++)
		view_put_cursor(v, row_words[i], p->rows[i].sel);
	view_put_cursor(v, "sort", p->sort[0]);
	view_put_cursor(v, "value", p->sort[1]);
}

void tasks_select_rows(struct tasks *p, const struct view *v)
{
	for (int i = 0; i < 3; i++)
		list_select(&p->rows[i], (uint32_t)view_get(v, row_words[i]));
}

static void tasks_pane_load(void *st, const struct pane_env *env, const struct view *v)
{
	struct tasks *p = st;
	struct view now = {0};
	if (view_get(v, "ops")) {
		tasks_operations_load(p, env, v);
		return;
	}
	if (p->operations.chosen || v->nzoom) {	/* otherwise the view is from before the default was known */
		p->operations.chosen = true;
		p->operations.shown = false;
	}
	tasks_pane_save(st, &now);
	bool same = view_same_zoom(&now, v) && view_get(&now, "sort") == view_get(v, "sort") &&
		    view_get(&now, "value") == view_get(v, "value");
	if (same && !async_job(&p->work) && p->list.kind && !p->bars.on) {
		/* only the cursor differs: an incremental search restores the view for each character */
		tasks_select_rows(p, v);
		tasks_count_bars(p);
		tasks_mark_hits(p, env);
		return;
	}
	int64_t lo = view_get_time(v, "min"), hi = view_get_time(v, "max"), kind = view_get(v, "kind");
	struct tasks_target w = {.moves = true, .view = true, .v = *v};
	w.level = (enum tasks_level)view_get_below(v, "level", L_ONE + 1);
	w.regions = view_get(v, "regions") != 0;
	if ((lo >= 0 || lo == TIME_NONE) && (hi > lo || hi == TIME_NONE))
		p->task_criteria = (struct task_criteria){
		    lo, hi, (enum task_completeness)view_get_below(v, "whole", TASK_INCOMPLETE + 1), NULL};
	p->sort[0] = (int)view_get_below(v, "sort", SORT__N);
	p->sort[1] = (int)view_get_below(v, "value", IV__N);
	if (w.regions && w.level == L_ONE)
		w.level = L_LIST;
	if (w.level == L_LIST && (uint64_t)kind >> 32 >= session_snap(env->s)->nstrs)
		w.level = L_KINDS;
	w.page = w.level == L_ONE;
	w.task = (uint64_t)view_get(v, "task");
	w.level = w.page ? L_LIST : w.level;
	w.open = w.level == L_LIST && !w.page ? kind : p->open;
	tasks_goto(p, env, &w);
}

static struct list_part tasks_part(void *st, const struct pane_env *env)
{
	struct tasks *p = st;
	if (p->operations.shown)
		return tasks_operations_part(p, env);
	int head = p->level == L_ONE ? 3 : 1;
	return (struct list_part){
	    .rows = &p->rows[p->level], .y = head, .h = env->rows - head - tasks_footer_height(p, env)};
}

static void tasks_moved(void *st, const struct pane_env *env)
{
	(void)env;
	tasks_count_bars(st);
}

static const struct list_ops tasks_rows = {.part = tasks_part, .moved = tasks_moved};

static void take_query(void *st, const struct pane_env *env, struct ask *out)
{
	(void)env;
	tracepane_query_finish(&((struct tasks *)st)->later, out);
}

static int tasks_work(void *st, struct pane_work *out)
{
	struct tasks *p = st;
	out[0] = (struct pane_work){&p->later.making, take_query, true};
	out[1] = (struct pane_work){&p->work, tasks_job_finish, false};
	out[2] = (struct pane_work){&p->search.slot, tasks_search_finish, false};
	return 3 + tasks_operations_slots(p, out + 3);
}

const struct pane_ops pane_tasks = {
    .name = "tasks",
    .tab = "Task",
    .bit = P_TASK,
    .cmd = CMD_PANE_TASK,
    .trace_only = true,
    .of_scope = true,
    .state_size = sizeof(struct tasks),
    .open = open_tasks,
    .close = close_tasks,
    .update = tasks_pane_update,
    .draw = tasks_draw,
    .list = &tasks_rows,
    .act = tasks_pane_act,
    .own.choices = tasks_pane_choices,
    .own.sort = tasks_sort,
    .go = tasks_pane_go,
    .place = tasks_pane_place,
    .view.save = tasks_pane_save,
    .view.load = tasks_pane_load,
    .output.report = tasks_pane_report,
    .summary = tasks_summary,
    .lines.detail = tasks_detail,
    .own.find = tasks_find_hit,
    .lines.keys = tasks_keys,
    .side.draw = tasks_draw_side,
    .work.slots = tasks_work,
};
