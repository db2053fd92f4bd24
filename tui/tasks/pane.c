/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Operations (user tasks, requests of servers, rounds of loops, lives of goroutines) and, by [ and ], regions: kinds
 * with their durations, then the items of a kind, slowest first, then the inside of one, in order.
 *
 * listing.c says what there is, columns.c and rows.c make tables of it, page.c the inside; this file handles keys. The
 * bars of the histogram, `:>50ms` and `:incomplete` set the same filter, which is part of the view: `u` restores it,
 * and a mark includes it. The times of a task are those of the goroutines that worked for it (the same time slices as
 * in a flame graph with :task); several goroutines at once count each, so the sum may exceed the task's duration.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/text/text.h"
#include "session/trace_analysis.h"
#include "store/tracks/time_search.h"

#include <string.h>

static void open_tasks(void *st, const struct pane_env *env)
{
	struct tasks *p = st;
	(void)env;
	p->bars_of = p->shown_of = p->classes.key = TASKS_NO_KIND;
	p->opened = UINT32_MAX;
	tasks_open_tables(p);
}

static void close_tasks(void *st)
{
	struct tasks *p = st;
	tracepane_query_free(&p->later);
	pane_table_free(&p->kinds);
	pane_table_free(&p->items);
	arena_free(&p->list.mem);
	arena_free(&p->page.mem);
	arena_free(&p->classes.mem);
	list_hits_free(&p->line_hits);
}

/* ---- commands */

static const struct task_line *line_now(const struct tasks *p)
{
	return p->level == L_ONE && p->page.nline ? &p->page.line[p->lines.sel] : NULL;
}

static void place_line(const struct store *st, const struct task_line *l, struct place *to)
{
	stk_id stack = l->what == LN_LOG ? store_mark(st, l->i)->stack
		     : l->what == LN_REGION ? store_span(st, l->i)->s.stack : l->what == LN_STATE ? l->i : 0;
	to->trk = l->trk;
	to->t0 = l->t0;
	to->t1 = l->t1 > l->t0 ? l->t1 : TIME_NONE;
	tracepane_site_place(st, stack, to);
}

bool tasks_selected_place(const struct tasks *p, const struct pane_env *env, struct place *to)
{
	const struct store *st = tasks_store(env);
	struct item now;
	const struct item *it = p->level == L_LIST ? tasks_item_now(p, &now) : NULL;
	if (line_now(p)) {
		place_line(st, line_now(p), to);
		return true;
	}
	if (!it)
		return false;
	struct item_facts f = tasks_item_facts(&p->list, st, it);
	to->trk = f.trk;
	to->t0 = it->t0;
	to->t1 = it->t1;
	tracepane_site_place(st, f.stack, to);
	return true;
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

/* Return the id of the operation of a goroutine at a time that is no task; UINT64_MAX: none. */
static uint64_t operation_at(const struct tasks *p, trk_id trk, int64_t t)
{
	const struct operations *o = p->list.ops;
	uint32_t i = o ? operations_at(o, trk, t) : OPERATION_NONE;
	return i == OPERATION_NONE ? UINT64_MAX : operations_get(o, i).id;
}

/* Select the kind of a task or operation, now or when they are listed. */
static void select_near(struct tasks *p, const struct pane_env *env, uint64_t id, bool slowest)
{
	if (async_job(&p->work)) {
		p->want.near = true;
		p->want.slowest = slowest;
		p->want.id = id;
	} else {
		tasks_select_near(p, env, id, slowest);
	}
}

/* Select the kind of a slow operation that shows the worst finding, as soon as it is known. */
static void seek_slow(struct tasks *p, const struct pane_env *env)
{
	struct trace_analysis *a = p->seeks_slow ? session_analysis_async(env->s, &p->judging) : NULL;
	uint32_t i = a ? trace_analysis_slow_operation(a, NULL) : OPERATION_NONE;
	if (i != OPERATION_NONE && p->level == L_KINDS)
		select_near(p, env, operations_get(a->all, i).id, true);
	p->seeks_slow &= !a;
	trace_analysis_free(a);
}

static void tasks_pane_update(void *st, const struct pane_env *env)
{
	tasks_update(st, env);
	seek_slow(st, env);
}

static void judging_finish(void *st, const struct pane_env *env, struct ask *out)
{
	struct tasks *p = st;
	(void)out;
	trace_analysis_free(session_analysis_finish(env->s, &p->judging));
	seek_slow(p, env);
}

/* Esc: select what is selected without a selection on the timeline. */
static enum verdict drop_selection(struct tasks *p, const struct pane_env *env, struct ask *out)
{
	if (!p->carried || p->level != L_KINDS)
		return V_PASS;
	p->carried = false;
	p->seeks_slow = true;
	seek_slow(p, env);
	return pane_message(out, "selection of the timeline dropped: the kind of the worst finding");
}

/* `7` from a span of a goroutine that worked for a task or operation: select its kind; Enter opens the kind and Enter
   again the page. Without a selection there: the kind that the worst finding affects. If another level is open, it stays. */
static bool tasks_pane_go(void *st, const struct pane_env *env, const struct place *to)
{
	struct tasks *p = st;
	const struct snap *sn = session_snap(env->s);
	if (p->level != L_KINDS)
		return true;
	p->carried = to->from && !strcmp(to->from, "timeline");
	p->seeks_slow = to->by_default && !to->trk;
	seek_slow(p, env);
	if (!to->trk || to->t0 == TIME_NONE)
		return true;
	uint64_t id = to->rows == ROWS_TASK ? to->id : task_at(sn, to->trk, to->t0);
	id = id == UINT64_MAX ? operation_at(p, to->trk, to->t0) : id;
	if (id != UINT64_MAX)
		select_near(p, env, id, to->by_default);
	return true;
}

/* Open what a line of a page is about; false: nothing that has a page. */
static bool open_line(struct tasks *p, const struct pane_env *env)
{
	const struct task_line *l = line_now(p);
	if (!l || (l->what != LN_TASK && l->what != LN_OPERATION))
		return false;
	tasks_open_page(p, env, l->what == LN_TASK ? p->list.ts->task[l->i].id : operations_get(p->list.ops, l->i).id, 0);
	return true;
}

static enum verdict open_cmd(struct tasks *p, const struct pane_env *env, struct ask *out)
{
	struct item now;
	if (p->level == L_KINDS && tasks_kind_now(p)) {
		p->open = tasks_kind_key(tasks_kind_now(p));
		p->level = L_LIST;
		tasks_fill_items(p, env);
		tasks_select_item(p, p->list.regions ? -1 : p->id);	/* which was requested or opened last */
	} else if (p->level == L_LIST && tasks_item_now(p, &now) && !p->list.regions) {
		tasks_open_page(p, env, tasks_item_facts(&p->list, tasks_store(env), &now).id, 0);
	} else if (!open_line(p, env) && tasks_selected_place(p, env, &out->place)) {
		out->kind = ASK_PANE;
		out->pane = "timeline";
		return V_ASK;
	}
	tasks_mark_hits(p, env);
	return V_DONE;
}

/* W on a kind: the critical path of the operation that is nearest its p99. Other rows are places, for all panes. */
static enum verdict why_cmd(const struct tasks *p, struct ask *out)
{
	const struct kind *k = p->level == L_KINDS ? tasks_kind_now(p) : NULL;
	if (!k)
		return V_PASS;
	if (k->of == OPERATION_NONE)
		return pane_message(out, p->list.regions ? "press Enter, then W on a region"
			: "W needs the whole trace, which is being read");
	uint32_t i = operations_nearest_p99(p->list.ops, &p->list.ops->kind[k->of]);
	struct operation x = operations_get(p->list.ops, i);
	out->kind = ASK_PANE;
	out->pane = "why";
	out->place = PLACE_NONE;
	out->place.trk = x.g;
	out->place.t0 = x.t0;
	out->place.t1 = x.t1;
	if (k->source == OF_TASK) {
		out->place.rows = ROWS_TASK;
		out->place.id = x.id;
	}
	return V_ASK;
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
	if (!p->brush.limits && (!arg || !*arg))
		return pane_message(out, "latency requires >50ms, <10ms or 10ms..50ms; all are shown");
	p->brush.limits = lo != TIME_NONE || hi != TIME_NONE;
	p->brush.lo = lo == TIME_NONE ? 0 : lo;
	p->brush.hi = hi == TIME_NONE ? INT64_MAX : hi;
	return apply_pick(p, env);
}

static enum verdict whole_cmd(struct tasks *p, const struct pane_env *env, enum task_completeness w)
{
	p->whole = p->whole == w ? TASK_ANY : w;
	return apply_pick(p, env);
}

/* Return the id of the parent or the first child of the open or selected item; 0: it has none. */
static uint64_t relative_of(const struct tasks *p, uint64_t id, bool parent)
{
	const struct stats_task *t = tasks_find_id(&p->list, id);
	uint32_t op = t ? OPERATION_NONE : tasks_find_operation(&p->list, id);
	for (uint32_t i = 0; t && i < p->list.ts->n; i++) {
		const struct stats_task *c = &p->list.ts->task[i];
		if (c != t && c->span != UINT32_MAX && (parent ? c->id == t->parent : c->parent == t->id))
			return c->id;
	}
	const struct operations *o = op == OPERATION_NONE ? NULL : p->list.ops;
	uint32_t to = !o ? OPERATION_NONE : parent ? operations_parent(o, op) : operations_next_child(o, op, 0);
	return to == OPERATION_NONE ? 0 : operations_get(o, to).id;
}

/* Go to the parent of the open or selected task or operation, or to its first child. */
static enum verdict goto_relative(struct tasks *p, const struct pane_env *env, bool parent, struct ask *out)
{
	struct item now;
	const struct item *it = p->level == L_LIST ? tasks_item_now(p, &now) : NULL;
	if (p->list.regions)
		return pane_message(out,
		    "( and ) are for operations ([ shows them); for the goroutine of a region: 6, then ( ) W");
	if (p->level != L_ONE && !it)
		return pane_message(
		    out, "press Enter to open the kind: ( and ) go to the parent and the child of an operation");
	uint64_t id = it ? tasks_item_facts(&p->list, tasks_store(env), it).id : (uint64_t)p->id;
	uint64_t to = relative_of(p, id, parent);
	if (!to)
		return pane_message(out, parent ? "no parent in the trace" : "no child operations");
	tasks_open_page(p, env, to, 0);
	tasks_mark_hits(p, env);
	return V_DONE;
}

/* Select bars of the histogram. Taking a selection among kinds also opens the selected kind. */
static enum verdict bars_cmd(struct tasks *p, const struct pane_env *env, const struct act *a, struct ask *out)
{
	if (p->level == L_ONE || (a->cmd == CMD_CANCEL && !p->brush.bars.on))
		return V_PASS;
	switch (brush_command(&p->brush, a)) {
	case BRUSH_LIMIT:
		if (p->level == L_KINDS)
			open_cmd(p, env, out);
		return apply_pick(p, env);
	case BRUSH_DONE: return a->cmd == CMD_CANCEL ? pane_message(out, "left the histogram") : V_DONE;
	case BRUSH_PASS: break;
	}
	return V_PASS;
}

/* Remove the limits of latency and completeness, unless a search is there to be ended first. */
static enum verdict cancel_criteria(struct tasks *p, const struct pane_env *env, struct ask *out)
{
	if (env->find.rx || (!p->brush.limits && !p->whole))
		return V_PASS;
	p->brush.limits = false;
	p->whole = TASK_ANY;
	apply_pick(p, env);
	return pane_message(out, "all durations, complete or not");
}

/* Show the kinds of goroutines that live all of the trace, or fold them. */
static enum verdict show_background(struct tasks *p, const struct pane_env *env, struct ask *out)
{
	p->background = !p->background;
	tasks_fill_kinds(p, env);
	tasks_mark_hits(p, env);
	if (p->background || p->nbackground)
		return V_DONE;
	return pane_message(out, "all operations are goroutines that live all of the trace");
}

static enum verdict tasks_pane_act(void *st, const struct pane_env *env, const struct act *a, struct ask *out)
{
	struct tasks *p = st;
	p->seeks_slow = false;
	if (a->cmd == CMD_CANCEL && tracepane_query_cancel(&p->later))
		return pane_message(out, "stopped");
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
		if (p->level == L_KINDS && (p->nbackground || p->background))
			return show_background(p, env, out);
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
	case CMD_WHY: return a->arg && *a->arg ? V_PASS : why_cmd(p, out);
	case CMD_CANCEL: return a->arg ? drop_selection(p, env, out) : cancel_criteria(p, env, out);
	case CMD_LATENCY: return latency_cmd(p, env, a->arg, out);
	case CMD_INCOMPLETE: return whole_cmd(p, env, TASK_INCOMPLETE);
	case CMD_COMPLETE: return whole_cmd(p, env, TASK_COMPLETE);
	case CMD_CAUSE:
	case CMD_EFFECT: return goto_relative(p, env, a->cmd == CMD_CAUSE, out);
	case CMD_SIDE: return a->arg ? V_PASS : tasks_ask_rest(p, env, out);
	case CMD_CHAIN:
		return pane_message(out, "wakers are shown for goroutines: press 6 for the goroutine, then W");
	case CMD_PREV_KIND:
	case CMD_NEXT_KIND:
		tasks_goto(p, env, &(struct tasks_target){.regions = !tasks_current_target(p).regions, .moves = true});
		return V_DONE;
	case CMD_PANE_FLAME: return a->arg ? V_PASS : tasks_ask_filter(p, env, "flame", out);
	case CMD_SEARCH_SEL: return tasks_ask_search(p, env, out);
	case CMD_FOCUS: return a->arg ? V_PASS : tasks_ask_filter(p, env, NULL, out);
	default: return V_PASS;
	}
}

static void tasks_pane_place(const void *st, const struct pane_env *env, struct place *to)
{
	const struct tasks *p = st;
	struct item now;
	const struct item *it = p->level == L_LIST ? tasks_item_now(p, &now) : NULL;
	bool task = tasks_source_now(p) == OF_TASK;
	to->topic[0] = p->list.regions ? TOPIC_K_REGION : task ? TOPIC_K_TASK : TOPIC_K_OPERATION;
	to->topic[1] = p->level == L_ONE ? TOPIC_NONE : TOPIC_K_QUANTILE;
	tasks_selected_place(st, env, to);
	if (p->list.regions || (p->level != L_ONE && !it))
		return;
	if (task) {
		to->rows = ROWS_TASK;
		to->id = it ? p->list.ts->task[it->i].id : (uint64_t)p->id;
	} else if (to->trk) {
		to->rows = ROWS_OPERATION;
		to->id = it ? tasks_item_facts(&p->list, tasks_store(env), it).id : (uint64_t)p->id;
	}
}

/* Return the option of the report of operations for the order of a table. */
static const char *order_option(const struct pane_table *t, struct arena *a)
{
	const char *word = t->kind->cols[t->sort].word;
	char *s = arena_printf(a, "-sort=%s%s", t->invert ? "-" : "",
	    !strcmp(word, "id") ? "operation" : !strcmp(word, "source") ? "found_by" : word);
	for (char *c = s + strlen("-sort=-"); *c; c++)	/* still-blocked: still_blocked_ns */
		*c = *c == '-' ? '_' : *c;
	return s;
}

static void tasks_pane_report(const void *st, const struct pane_env *env, struct pane_report *r)
{
	const struct tasks *p = st;
	const struct kind *k = tasks_kind_now(p);
	bool task = tasks_source_now(p) == OF_TASK;
	int n = 0;
	*r = (struct pane_report){.name = p->list.regions ? "regions" : "operations"};
	if (p->level == L_ONE) {
		r->name = task ? "tasks" : "why";
		r->options[0] = arena_printf(env->scratch, "-%s=%llu", task ? "task" : "operation", (unsigned long long)p->id);
		return;
	}
	if (p->level == L_LIST && k && k->len)
		r->options[n++] = arena_printf(env->scratch, "-name=%.*s", (int)k->len, k->s);
	if (!p->list.regions)
		r->options[n++] = order_option(p->level == L_LIST ? &p->items : &p->kinds, env->scratch);
	if (p->brush.limits)
		r->options[n++] = tasks_latency_option(p, env->scratch);
	if (p->whole)
		r->options[n] = p->whole == TASK_COMPLETE ? "-complete" : "-complete=false";
}

static void tasks_pane_save(const void *st, struct view *v)
{
	const struct tasks *p = st;
	struct tasks_target w = tasks_current_target(p);
	int level = w.page ? L_ONE : w.moves ? w.level : p->level;
	const int64_t row[] = {p->kinds.sel, p->items.sel, p->page.made ? p->lines.sel : p->page_row};
	if (w.view) {
		*v = w.v;
		return;
	}
	view_put_zoom(v, "level", level);
	view_put_zoom(v, "regions", w.regions);
	view_put_zoom(v, "task", level != L_ONE ? 0 : w.page ? (int64_t)w.id : p->id);
	view_put_zoom(v, "kind", level != L_LIST ? 0 : w.moves ? w.open : p->open);
	view_put_zoom(v, "whole", p->whole);
	view_put_zoom(v, "background", p->background);
	if (p->brush.limits) {
		view_put_zoom_time(v, "min", p->brush.lo);
		view_put_zoom_time(v, "max", p->brush.hi);
	}
	for (int i = 0; i < 3; i++)
		view_put_cursor(v, tasks_row_words[i], row[i]);
	view_put_cursor(v, "sort", tasks_sort_word(&p->kinds, &p->kind_cols));
	view_put_cursor(v, "value", tasks_sort_word(&p->items, &p->item_cols));
}

static void load_cursor(struct tasks *p, const struct pane_env *env, const struct view *v)
{
	tasks_select_rows(p, v);
	tasks_mark_hits(p, env);
}

/* A number of a view may be any: a kind that is not there is an empty list. */
static bool may_be_kind(const struct pane_env *env, int64_t key)
{
	return key < TASKS_NO_KIND || (key >= 0 && (uint64_t)key >> 32 < session_snap(env->s)->nstrs);
}

static void tasks_pane_load(void *st, const struct pane_env *env, const struct view *v)
{
	struct tasks *p = st;
	struct view now = {0};
	tasks_pane_save(st, &now);
	bool same = view_same_zoom(&now, v) && view_get(&now, "sort") == view_get(v, "sort") &&
		    view_get(&now, "value") == view_get(v, "value");
	if (same && !async_job(&p->work) && p->list.kind) {
		/* only the cursor differs: an incremental search restores the view for each character */
		load_cursor(p, env, v);
		return;
	}
	int64_t lo = view_get_time(v, "min"), hi = view_get_time(v, "max"), kind = view_get(v, "kind");
	struct tasks_target w = {.moves = true, .view = true, .v = *v};
	w.level = (enum tasks_level)view_get_below(v, "level", L_ONE + 1);
	w.regions = view_get(v, "regions") != 0;
	p->background = view_get(v, "background") != 0;
	brush_copy_limit(&p->brush, &(struct brush){.limits = lo >= 0 && hi >= lo, .lo = lo, .hi = hi});
	p->whole = (enum task_completeness)view_get_below(v, "whole", TASK_INCOMPLETE + 1);
	if (w.regions && w.level == L_ONE)
		w.level = L_LIST;
	if (w.level == L_LIST && !may_be_kind(env, kind))
		w.level = L_KINDS;
	w.page = w.level == L_ONE;
	w.id = (uint64_t)view_get(v, "task");
	w.level = w.page ? L_LIST : w.level;
	w.open = w.level == L_LIST && !w.page ? kind : p->open;
	tasks_goto(p, env, &w);
}

static struct list_part tasks_part(void *st, const struct pane_env *env)
{
	enum { PAGE_HEAD = 3 };
	struct tasks *p = st;
	int h = tasks_table_height(p, env);
	if (p->level == L_ONE)
		return (struct list_part){
		    .rows = &p->lines, .hits = &p->line_hits, .y = PAGE_HEAD, .h = env->rows - PAGE_HEAD};
	struct list_part l = pane_table_part(p->level == L_KINDS ? &p->kinds : &p->items, 0, h);
	if (tasks_search_is_long(p))
		l.hits = NULL;		/* search_job.c finds them */
	return l;
}

static void tasks_row_text(const void *st, const struct pane_env *env, uint32_t row, struct buf *b)
{
	const struct tasks *p = st;
	const struct pane_table *t = p->level == L_KINDS ? &p->kinds : &p->items;
	if (p->level == L_ONE)
		tasks_put_line(p, tasks_store(env), &p->page.line[row], b);
	else
		t->kind->text(st, env, t->item[row], b);
}

static void tasks_moved(void *st, const struct pane_env *env)
{
	(void)env;
	tasks_count_bars(st);
}

static const struct list_ops tasks_rows = {.part = tasks_part, .text = tasks_row_text, .moved = tasks_moved};

static void take_query(void *st, const struct pane_env *env, struct ask *out)
{
	(void)env;
	tracepane_query_finish(&((struct tasks *)st)->later, out);
}

static void take_items(void *st, const struct pane_env *env, struct ask *out)
{
	(void)out;
	tasks_take_items(st, env);
}

static int tasks_work(void *st, struct pane_work *out)
{
	struct tasks *p = st;
	out[0] = (struct pane_work){&p->later.making, take_query, true};
	out[1] = (struct pane_work){&p->work, tasks_job_finish, false};
	out[2] = (struct pane_work){&p->summing, tasks_classes_finish, false};
	out[3] = (struct pane_work){&p->paging, tasks_page_finish, false};
	out[4] = (struct pane_work){&p->search, tasks_search_finish, false};
	out[5] = (struct pane_work){&p->items.order, take_items, false};
	out[6] = (struct pane_work){&p->judging, judging_finish, false};
	return 7;
}

const struct pane_ops pane_tasks = {
    .name = "tasks",
    .tab = "Ops",
    .bit = P_TASK,
    .cmd = CMD_PANE_TASK,
    .trace_only = true,
    .of_selection = true,
    .state_size = sizeof(struct tasks),
    .open = open_tasks,
    .close = close_tasks,
    .update = tasks_pane_update,
    .draw = tasks_draw,
    .list = &tasks_rows,
    .act = tasks_pane_act,
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
