/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * All events in order. The pane holds a page, EV_CHUNK or so events around the cursor
 * (trace/events.c gathers them from the store), and loads another page when the cursor comes near
 * its end, so a trace of any length opens at once and a jump costs the same anywhere. Rows
 * therefore have no number in the whole trace; the position of the cursor is a time.
 *
 * A job searches outside of the page (events/search_job.c): for the next match of a search, or for
 * the events that `&` leaves, which then become the page.
 */
#include "config.h"
#include "events/internal.h"

#include "base/bsearch.h"
#include "base/text/text.h"
#include "store/tracks/time_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- pages */

static void fill_rows(struct events *p, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	struct buf b = {0};
	uint32_t n = 0;
	p->row = mem_grow(p->row, &p->crow, p->list.n + 1u, sizeof *p->row);
	for (uint32_t i = 0; i < p->list.n; i++) {
		if (env->grep.rx)
			events_row_text(sn, &p->list.v[i], &b);
		if (!env->grep.rx || regex_match(env->grep.rx, b.p, b.n))
			p->row[n++] = i;
	}
	p->matched = p->matched && (env->grep.rx || tracepane_is_filtered(&p->scope));
	list_set_count(&p->rows, n);
	list_hits_begin(&p->hits, &p->rows, env->find.rx, n);
	for (uint32_t i = 0; p->hits.at && i < n; i++) {
		events_row_text(sn, events_event_at(p, i), &b);
		p->hits.n += p->hits.at[i] = regex_match(env->find.rx, b.p, b.n);
	}
	buf_free(&b);
}

static void take_found(struct events *p, const struct pane_env *env, struct event_list *found);

/* Start a search for the next match (dir 1, -1), or for all events that `&` leaves, around t (0). */
static bool events_search(struct events *p, const struct pane_env *env, const char *re, int dir, int64_t t)
{
	struct event_list found;
	events_search_stop(&p->searching);
	bool started = events_search_start(&p->searching, env, &(struct events_search_query){re, p->view, t, dir}, &found);
	p->single = dir != 0;
	if (!started)
		snprintf(p->search_note, sizeof p->search_note,
		    "another search is running: try again when it has ended");
	else if (!async_job(&p->searching))
		take_found(p, env, &found);
	return started;
}

/* Show a new page. */
static void show_page(struct events *p, const struct pane_env *env, struct events_page *got, int64_t t)
{
	mem_free(p->spare.v);
	p->spare = p->list;
	p->list = got->list;
	fill_rows(p, env);
	bool part = p->list.t0 > p->scope.t0 || p->list.t1 < p->scope.t1;
	if ((got->far || env->grep.rx) && session_snap(env->s)->complete && part)
		events_search(p, env, NULL, 0, t);
}

/* Load the page around an event. */
static void page_around(struct events *p, const struct pane_env *env, struct event_item at)
{
	struct events_page got = {.list = p->spare};
	if (p->matched && (env->grep.rx || tracepane_is_filtered(&p->scope))) {	/* a search makes the page */
		events_search(p, env, NULL, 0, at.t);
		return;
	}
	p->matched = false;
	if (at.t < p->scope.t0 || at.t >= p->scope.t1)	/* outside of the range: start at its beginning */
		at = (struct event_item){.t = p->scope.t0};
	p->spare = (struct event_list){0};
	events_load_page(p, env, &at, &got);
	show_page(p, env, &got, at.t);
}

static void page_at(struct events *p, const struct pane_env *env, int64_t t)
{
	page_around(p, env, (struct event_item){.t = t});
}

/* Select the first event at or after t. */
static void seek_time(struct events *p, int64_t t)
{
	struct bsearch_probe h = {.hi = p->rows.n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, events_event_at(p, h.at)->t < t);
	list_select(&p->rows, h.lo);
}

/* Select exactly this event among those at its time. */
static void select_event(struct events *p, const struct event_item *e)
{
	uint32_t i = p->rows.sel;
	while (i + 1 < p->rows.n && events_event_at(p, i)->t == e->t &&
	       (events_event_at(p, i)->kind != e->kind || events_event_at(p, i)->trk != e->trk ||
		   events_event_at(p, i)->peer != e->peer))
		i++;
	if (i < p->rows.n && events_event_at(p, i)->t == e->t)
		list_select(&p->rows, i);
}

/* Record a requested event: it is selected when the search has found it, unless a key has moved the cursor. */
static void set_sought(struct events *p, struct event_item e)
{
	p->sought = e;
	p->sought_row = p->rows.sel;
}

/* Return whether the cursor has not moved since then. */
static bool cursor_unmoved(const struct events *p)
{
	return p->rows.sel == p->sought_row &&
	       (!events_selected_event(p) || events_selected_event(p)->t != p->sought.t);
}

static void turn_page(struct events *p, const struct pane_env *env)
{
	const struct event_item *e = events_selected_event(p);
	if (!e)
		return;
	bool low = p->rows.sel < EV_NEAR && (p->list.cut0 || p->list.t0 > p->scope.t0);
	bool high = p->rows.sel + EV_NEAR >= p->rows.n && (p->list.cut1 || p->list.t1 < p->scope.t1);
	if ((!low && !high) || (async_job(&p->searching) && !p->single))
		return;
	struct event_item was = *e;
	uint32_t below = p->rows.sel - list_first_row(&p->rows, env->rows - 1);
	page_around(p, env, was);
	seek_time(p, was.t);
	select_event(p, &was);
	p->rows.top = p->rows.sel > below ? p->rows.sel - below : 0;
	set_sought(p, was);
}

static void go_to(struct events *p, const struct pane_env *env, int64_t t)
{
	page_at(p, env, t);
	seek_time(p, t);
	set_sought(p, (struct event_item){.t = t});
}

static void events_pane_update(void *st, const struct pane_env *env)
{
	struct events *p = st;
	const struct event_item *e = events_selected_event(p);
	int64_t t = e ? e->t : TIME_NONE;
	events_search_stop(&p->searching);
	p->matched = false;
	arena_reset(&p->mem);
	tracepane_scope(env, &p->mem, &p->scope);
	if (t == TIME_NONE || t < p->scope.t0 || t >= p->scope.t1)
		t = p->scope.t0;
	go_to(p, env, t);
}

/* Go to the event that was found, or show all events that were found. */
static void take_found(struct events *p, const struct pane_env *env, struct event_list *found)
{
	if (!found->n) {
		const char *none = p->single ? "no match in the whole trace" : env->grep.rx ? "no event matches" : "";
		snprintf(p->search_note, sizeof p->search_note, "%s", none);
	} else if (p->single) {
		struct event_item e = found->v[0];
		go_to(p, env, e.t);
		select_event(p, &e);
		p->sought = e;
		p->sought_row = p->rows.sel;
	} else {
		struct event_item was =
		    !cursor_unmoved(p) && events_selected_event(p) ? *events_selected_event(p) : p->sought;
		struct event_list old = p->list;
		p->list = *found;
		*found = old;
		p->list.cut0 = p->list.cut1 = false;
		p->matched = true;
		uint32_t below = p->rows.n ? p->rows.sel - list_first_row(&p->rows, env->rows - 1) : 0;
		fill_rows(p, env);
		seek_time(p, was.t);
		select_event(p, &was);
		p->rows.top = p->rows.sel > below ? p->rows.sel - below : 0;
	}
	mem_free(found->v);
}

static void events_pane_tick(void *st, const struct pane_env *env)
{
	struct events *p = st;
	struct event_list found;
	if (events_search_finish(&p->searching, &found))
		take_found(p, env, &found);
}

static void close_events(void *st)
{
	struct events *p = st;
	mem_free(p->spare.v);
	events_search_stop(&p->searching);
	arena_free(&p->mem);
	mem_free(p->list.v);
	mem_free(p->row);
	list_hits_free(&p->hits);
}

/* ---- commands */

static enum verdict goto_cmd(struct events *p, const struct pane_env *env, const char *arg, struct ask *out)
{
	int64_t t;
	struct err e;
	if (query_parse_time(session_snap(env->s), arg, &t, &e))
		return pane_message(out, "%s", e.msg);
	go_to(p, env, t);
	return V_DONE;
}

static enum verdict kinds_cmd(struct events *p, const struct pane_env *env, const char *arg, struct ask *out)
{
	int64_t t = events_selected_event(p) ? events_selected_event(p)->t : p->list.t0;
	int view = (p->view + 1) % EV_VIEWS;
	for (int i = 0; arg && *arg && i <= EV_VIEWS; i++) {
		if (i == EV_VIEWS)
			return pane_message(
			    out, "kinds requires all, goroutines, blocks, life, user, procs, gc or samples");
		if (!strcmp(arg, events_views[i].name)) {
			view = i;
			break;
		}
	}
	p->view = view;
	go_to(p, env, t);
	return V_DONE;
}

static int events_pane_choices(const void *st, const struct pane_env *env, enum cmd_id cmd, struct choice *out)
{
	static const char *const what[EV_VIEWS] = {"all events",
	    "created, woken, running, blocked, in system calls, ended", "blocked with the reason, and woken",
	    "created and ended", "tasks, regions, log messages", "Ps started and stopped, GOMAXPROCS",
	    "cycles, stops, assists, sweeps, heap goal", "CPU samples"};
	const struct events *p = st;
	(void)env;
	for (int i = 0; i < EV_VIEWS && cmd == CMD_KINDS; i++)
		pane_set_choice(&out[i], events_views[i].name, what[i], i == p->view);
	return cmd == CMD_KINDS ? EV_VIEWS : 0;
}

static void range_of(const struct events *p, int64_t *t0, int64_t *t1)
{
	int64_t at = events_selected_event(p) ? events_selected_event(p)->t : p->anchor;
	*t0 = at < p->anchor ? at : p->anchor;
	*t1 = (at < p->anchor ? p->anchor : at) + 1;
}

/* Append the events of the range, one per line; false: there is no range. */
static bool put_range(const struct events *p, const struct pane_env *env, struct buf *b)
{
	const struct snap *sn = session_snap(env->s);
	enum { MOST = 2000000 };
	struct trace_events_query q = events_list_query(p->view, &p->scope);
	struct event_list l = {0};
	struct buf row = {0};
	int64_t t0, t1;
	if (!p->ranging)
		return false;
	range_of(p, &t0, &t1);
	trace_events_gather(sn, &q, t0, t1, MOST, &l);
	for (uint32_t i = 0; i < l.n; i++) {
		if (env->grep.rx)
			events_row_text(sn, &l.v[i], &row);
		if (!env->grep.rx || regex_match(env->grep.rx, row.p, row.n))
			events_export_line(sn, &l.v[i], b);
	}
	buf_free(&row);
	mem_free(l.v);
	return true;
}

/* Return the report for :w: the events of the range, or all. */
static void events_pane_report(const void *st, const struct pane_env *env, struct pane_report *r)
{
	const struct events *p = st;
	int64_t t0, t1;
	*r = (struct pane_report){.name = "events"};
	if (!p->ranging)
		return;
	range_of(p, &t0, &t1);
	r->options[0] = arena_printf(env->scratch, "-from=%lldns", (long long)t0);
	r->options[1] = arena_printf(env->scratch, "-to=%lldns", (long long)t1);
}

static bool events_pane_copy(const void *st, const struct pane_env *env, struct buf *b)
{
	bool range = put_range(st, env, b);
	if (!range && events_selected_event(st))
		events_export_line(session_snap(env->s), events_selected_event(st), b);
	return range;
}

static enum verdict filter_range(struct events *p, const struct pane_env *env, struct ask *out)
{
	out->kind = ASK_QUERY;
	out->query = *session_query(env->s);
	out->query.suspended = false;
	range_of(p, &out->query.from, &out->query.to);
	p->ranging = false;
	return V_ASK;
}

/* Filter by the goroutine or P of the event; :focus RE is by function. */
static enum verdict filter_whose(const struct events *p, const struct pane_env *env, struct ask *out)
{
	const struct event_item *e = events_selected_event(p);
	enum track_kind kind = e && e->trk ? store_trk(session_snap(env->s)->st, e->trk)->kind : TK_M;
	if (kind != TK_G && kind != TK_P)
		return pane_message(out, "this event has no goroutine and no P");
	out->kind = ASK_QUERY;
	out->query = *session_query(env->s);
	out->query.suspended = false;
	*(kind == TK_G ? &out->query.g : &out->query.proc) = e->trk;
	return V_ASK;
}

/* Cancel the search or the range; false: there is none. */
static enum verdict cancel_search(struct events *p, struct ask *out)
{
	bool ranging = p->ranging;
	if (events_search_stop(&p->searching)) {
		snprintf(p->search_note, sizeof p->search_note, "stopped");
		return V_DONE;
	}
	p->ranging = false;
	return ranging ? pane_message(out, "range dropped") : V_PASS;
}

static enum verdict show_wire(const struct events *p, struct ask *out)
{
	const struct event_item *e = events_selected_event(p);
	if (!e)
		return V_DONE;
	if (e->t < 1)
		return pane_message(out, "an initial state is not an event: the file has it at the first event "
		    "of the goroutine");
	out->kind = ASK_RUN;	/* times in the file may be slightly less than ordered times */
	snprintf(out->text, sizeof out->text, "report wire -from=%lldns -to=%lldns",
	    (long long)(e->t > 500 ? e->t - 500 : 0),
	    (long long)e->t + 1);
	return V_ASK;
}

static enum verdict events_pane_act(void *st, const struct pane_env *env, const struct act *a, struct ask *out)
{
	struct events *p = st;
	p->search_note[0] = '\0';
	if (a->cmd == CMD_FIRST && a->count <= 0)
		go_to(p, env, p->scope.t0);
	if (a->cmd == CMD_LAST && a->count <= 0)
		go_to(p, env, p->scope.t1 - 1);
	switch ((int)a->cmd) {
	case CMD_KINDS: return kinds_cmd(p, env, a->arg, out);
	case CMD_STACKS:
		p->stacks = !p->stacks;
		return pane_message(out,
		    p->stacks ? "stacks of the selected event: shown" : "stacks of the selected event: hidden");
	case CMD_WIRE: return show_wire(p, out);
	case CMD_SORT:
	case CMD_SORT_LEFT:
	case CMD_SORT_RIGHT:
		return pane_message(
		    out, "events are in time order; longest first: s in 6 (spans), 7 (regions), 5 (:>1ms)");
	case CMD_RANGE:
		p->ranging = !p->ranging;
		p->anchor = events_selected_event(p) ? events_selected_event(p)->t : p->scope.t0;
		return V_DONE;
	case CMD_FOCUS: return a->arg ? V_PASS : p->ranging ? filter_range(p, env, out) : filter_whose(p, env, out);
	case CMD_CANCEL: return cancel_search(p, out);
	case CMD_GOTO_TIME: return a->arg ? goto_cmd(p, env, a->arg, out) : V_PASS;
	case CMD_OPEN:
		if (!events_selected_event(p))
			return V_DONE;
		out->kind = ASK_PANE;
		out->pane = "timeline";
		out->place.trk = events_selected_event(p)->trk;
		out->place.t0 = events_selected_event(p)->t;
		return V_ASK;
	default: return V_PASS;
	}
}

static bool events_pane_go(void *st, const struct pane_env *env, const struct place *to)
{
	if (to->t0 == TIME_NONE)
		return false;
	go_to(st, env, to->t0);
	return true;
}

static void events_pane_place(const void *st, const struct pane_env *env, struct place *to)
{
	const struct events *p = st;
	const struct event_item *e = events_selected_event(p);
	to->topic[0] = e ? explain_in("events", trace_events_name(session_snap(env->s), e)) : TOPIC_NONE;
	to->topic[1] = TOPIC_E_EVENT;
	if (!e)
		return;
	to->trk = e->trk;
	to->t0 = e->t;
	tracepane_site_place(session_snap(env->s)->st, e->stack, to);
}

static void events_pane_save(const void *st, struct view *v)
{
	const struct events *p = st;
	view_put_zoom(v, "kinds", p->view);
	view_put_cursor_time(v, "t", events_selected_event(p) ? events_selected_event(p)->t : TIME_NONE);
}

static void events_pane_load(void *st, const struct pane_env *env, const struct view *v)
{
	struct events *p = st;
	p->view = (int)view_get_below(v, "kinds", EV_VIEWS);
	int64_t t = view_get_time(v, "t");
	go_to(p, env, t < p->scope.t0 ? p->scope.t0 : t > p->scope.t1 ? p->scope.t1 : t);
}

static void events_pane_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct events *p = st;
	const struct snap *sn = session_snap(env->s);
	if (sn->has_trace) {
		text_count(b, (int64_t)sn->trace.events);
		buf_printf(b, " event%s in the file | ", text_s(sn->trace.events));
	}
	buf_printf(b, "kinds: %s (e) | ", events_views[p->view].name);
	const struct event_item *at = events_selected_event(p);
	if (at && p->scope.t1 > p->scope.t0)
		buf_printf(b, "at %.1f%% | ", text_percent(at->t - p->scope.t0, p->scope.t1 - p->scope.t0));
	tracepane_put_scope(&p->scope, b);
}

static void events_pane_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct events *p = st;
	struct buf row = {0};
	if (async_job(&p->searching)) {
		events_search_progress(&p->searching, b);
	} else if (p->search_note[0]) {
		buf_puts(b, p->search_note);
	} else if (p->ranging) {
		int64_t t0, t1;
		range_of(p, &t0, &t1);
		text_ns(b, t1 - t0 - 1);
		buf_puts(b, " from ");
		text_at(b, t0, 1000);
		buf_puts(b, "   f filter  :w FILE write these events  y copy  Esc drop the range");
	} else if (events_selected_event(p)) {
		events_row_text(session_snap(env->s), events_selected_event(p), &row);
		buf_put(b, row.p, row.n);
	}
	buf_free(&row);
}

/* Go to the next match on the page; a job searches beyond it. */
static uint32_t events_pane_find(void *st, const struct pane_env *env, int dir, uint32_t *at)
{
	struct events *p = st;
	uint32_t sel = p->rows.sel, n = p->rows.n, i = sel;
	if (p->single)
		events_search_stop(&p->searching);
	fill_rows(p, env);
	list_select(&p->rows, sel);
	*at = 0;
	p->search_note[0] = '\0';
	if (dir == 1 || dir == -1)
		i += (uint32_t)dir;	/* unsigned: before the first row wraps to a value after the last */
	while (i < n && (dir || !p->hits.n) && !p->hits.at[i])
		i += dir == -1 ? UINT32_MAX : 1;
	if (i >= n) {
		if (dir == 2 || !session_snap(env->s)->complete)
			return p->hits.n;	/* while the expression is typed */
		return events_search(p, env, env->find.text, dir == -1 ? -1 : 1, dir == -1 ? p->list.t0 : p->list.t1)
			   ? FIND_ON
			   : 0;
	}
	uint32_t hits = p->hits.n;
	for (uint32_t k = 0; p->hits.at[i] && k <= i; k++)
		*at += p->hits.at[k];
	if (dir) {
		list_select(&p->rows, i);
		turn_page(p, env);
	}
	return hits;
}

static void events_pane_keys(const void *st, const struct pane_env *env, struct buf *b)
{
	(void)env;
	buf_puts(b, ((const struct events *)st)->ranging ? "j k  move the end  f filter  :w FILE  y copy  Esc drop"
		: "j k  gt time  e kinds  & match  / n N find  Enter timeline  r raw  S stacks  v range  6 goroutine");
}

static struct list_part events_part(void *st, const struct pane_env *env)
{
	struct events *p = st;
	return (struct list_part){.rows = &p->rows, .y = 1, .h = env->rows - 1 - events_footer_height(p, env)};
}

static void events_moved(void *st, const struct pane_env *env)
{
	turn_page(st, env);
}

static const struct list_ops events_rows = {.part = events_part, .moved = events_moved};

const struct pane_ops pane_events = {
    .name = "events",
    .tab = "Ev",
    .bit = P_EVENTS,
    .cmd = CMD_PANE_EVENTS,
    .trace_only = true,
    .of_selection = true,
    .state_size = sizeof(struct events),
    .close = close_events,
    .update = events_pane_update,
    .draw = events_draw,
    .list = &events_rows,
    .act = events_pane_act,
    .go = events_pane_go,
    .own.choices = events_pane_choices,
    .place = events_pane_place,
    .view.save = events_pane_save,
    .view.load = events_pane_load,
    .summary = events_pane_summary,
    .lines.detail = events_pane_detail,
    .own.find = events_pane_find,
    .lines.keys = events_pane_keys,
    .work.tick = events_pane_tick,
    .output.copy = events_pane_copy,
    .output.report = events_pane_report,
    .side.draw = events_draw_side,
    .side.split = events_split,
};
