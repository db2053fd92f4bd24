/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Goroutines: groups by start function or another key set by gr, then the goroutines of a group,
 * then the page of a goroutine (detail.c). Enter goes down one level, q goes up. The commands 4, 5
 * and f use the rows tagged with t, else the selected one: groups of start functions as an
 * expression, which also finds them in other traces, anything else as the numbers of the
 * goroutines.
 *
 * The times are those of trace/stats/goroutine_stats.c, which the report `goroutines` prints,
 * computed once for a snapshot and a query; a table here is an order of them. Sorting is linear in
 * the listed rows, drawing depends on the visible ones. The level and what is open in it are the
 * zoom of the view, so `u` and the jump list restore them.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/job.h"
#include "base/text/text.h"
#include "calltree/weighted.h"

#include <string.h>

void goroutines_note_selection(struct goroutines_state *p, const struct pane_env *env)
{
	if (p->level != GL_ONE)
		pane_table_note_selection(&p->table[p->level], p);
	goroutines_update_waits(p, env);
}

static void open_goroutines(void *st, const struct pane_env *env)
{
	struct goroutines_state *p = st;
	(void)env;
	pane_table_open(&p->table[GL_GROUPS], &goroutines_groups_table);
	pane_table_open(&p->table[GL_LIST], &goroutines_list_table);
	pane_table_open(&p->one.table, &goroutines_spans_table);
	p->story.of = -1;
	p->one.seek = TIME_NONE;
	p->one.row = UINT32_MAX;
}

/* List the new groups with the same selection. */
static void list_again(struct goroutines_state *p, const struct pane_env *env)
{
	goroutines_list_groups(p, env);
	if (p->level != GL_GROUPS)
		goroutines_fill_list(p, env);
	if (p->level == GL_ONE) {
		int64_t at = goroutines_page_span(&p->one) ? goroutines_page_span(&p->one)->t0 : TIME_NONE;
		goroutines_page_load(p, env);
		if (at != TIME_NONE)
			goroutines_page_seek_time(p, env, at);
	}
	goroutines_note_selection(p, env);
}

/* Show the new groups, at the position to restore if there is one. */
static void show_groups(struct goroutines_state *p, const struct pane_env *env)
{
	if (p->seeks)
		goroutines_restore_view(p, env);
	else
		list_again(p, env);
	goroutines_measure(p, env);
	if (env->find.rx)
		goroutines_search(p, env);
}

static void goroutines_pane_update(void *st, const struct pane_env *env)
{
	if (goroutines_make_groups(st, env))
		show_groups(st, env);
}

/* Take the groups that were made, or wait for them. */
static void take_groups(void *st, const struct pane_env *env, struct ask *out)
{
	struct goroutines_state *p = st;
	(void)out;
	bool dropped = goroutines_job_outdated(p), last = goroutines_job_finish(p, env->s);
	if (!dropped)
		show_groups(p, env);
	if (!last)
		goroutines_pane_update(p, env);
}

static void take_list(void *st, const struct pane_env *env, struct ask *out)
{
	struct goroutines_state *p = st;
	(void)out;
	pane_table_take(&p->table[GL_LIST], p);
	if (p->level == GL_LIST)
		goroutines_note_selection(p, env);
}

static void take_matches(void *st, const struct pane_env *env, struct ask *out)
{
	(void)env;
	(void)out;
	goroutines_search_finish(st);
}

static void take_measures(void *st, const struct pane_env *env, struct ask *out)
{
	(void)out;
	goroutines_measure_finish(st, env);
}

static void take_spans(void *st, const struct pane_env *env, struct ask *out)
{
	(void)out;
	goroutines_page_finish(st, env);
}

/* Complete the groups, for commands that need them to find a place. */
static void finish_groups(struct goroutines_state *p, const struct pane_env *env)
{
	struct ask none = {.kind = ASK_NONE};
	p->into = 0;
	while (async_job(&p->work))
		take_groups(p, env, &none);
}

static void close_goroutines(void *st)
{
	struct goroutines_state *p = st;
	p->level = GL_GROUPS;
	tracepane_query_free(&p->later);
	goroutines_search_clear(p);
	pane_table_stop(&p->table[GL_LIST]);
	goroutines_drop_measures(p, NULL);
	pane_table_free(&p->table[GL_GROUPS]);
	pane_table_free(&p->table[GL_LIST]);
	pane_table_free(&p->one.table);
	mem_free(p->one.v);
	mem_free(p->one.child);
	mem_free(p->tags[0].v);
	mem_free(p->tags[1].v);
}

/* ---- commands */

void goroutines_enter_group(struct goroutines_state *p, const struct pane_env *env, str_id name)
{
	p->open = name;
	p->level = GL_LIST;
	goroutines_fill_list(p, env);
}

/* Select a goroutine in the list of its group. */
static void list_around(struct goroutines_state *p, const struct pane_env *env, trk_id t)
{
	p->table[GL_LIST].sel = t;
	p->open = goroutines_group_key(p, session_snap(env->s)->st, t);
	goroutines_fill_list(p, env);
}

void goroutines_open_page(struct goroutines_state *p, const struct pane_env *env, trk_id t, int64_t at)
{
	list_around(p, env, t);
	p->level = GL_ONE;
	p->one.trk = t;
	goroutines_page_load(p, env);
	if (at != TIME_NONE)
		goroutines_page_seek_time(p, env, at);
}

static enum verdict go_back(struct goroutines_state *p, const struct pane_env *env)
{
	if (p->level == GL_GROUPS)
		return V_PASS;
	p->level--;
	if (p->level == GL_LIST)
		goroutines_fill_list(p, env);
	goroutines_note_selection(p, env);
	return V_DONE;
}

static int goroutines_pane_choices(const void *st, const struct pane_env *env, enum cmd_id cmd, struct choice *out)
{
	(void)env;
	const struct goroutines_state *p = st;
	int n = 0;
	if (cmd == CMD_GROUP_BY) {
		static const char *const by[GROUP_KEY__N] = {[GROUP_KEY_FUNCTION] = "start function",
		    [GROUP_KEY_WORK] = "function that they execute",
		    [GROUP_KEY_CREATOR] = "function that created them",
		    [GROUP_KEY_STATE] = "state at the end", [GROUP_KEY_LABEL] = "pprof labels",
		    [GROUP_KEY_TASK] = "task they worked for",
		    [GROUP_KEY_PROC] = "last P", [GROUP_KEY_LIFE] = "whether they live during the whole trace"};
		for (; n < GROUP_KEY__N; n++)
			pane_set_choice(
			    &out[n], group_key_name((enum group_key_kind)n), by[n], (enum group_key_kind)n == p->by);
	}
	return n;
}

/* Filter by the selection, and show a pane. */
static enum verdict query_selection(
    struct goroutines_state *p, const struct pane_env *env, const char *pane, bool rest, struct ask *out)
{
	p->asked = Q_SELECTS;
	out->query = *session_query(env->s);
	out->kind = ASK_QUERY;
	out->pane = pane;
	if (pane && !strcmp(pane, "timeline"))
		out->place = (struct place){.trk = goroutines_first_selected(p), .t0 = p->scope.t0, .t1 = p->scope.t1};
	return goroutines_query_selection(p, env, rest, out);
}

/* x: after the selection was excluded, move to another row. */
static void left_out(struct goroutines_state *p, const struct pane_env *env)
{
	if (p->level != GL_ONE && !p->tags[p->level].n) {	/* select the next row */
		const struct rows *rows = &p->table[p->level].rows;
		list_select(&p->table[p->level].rows, rows->sel + 1 < rows->n ? rows->sel + 1 : rows->sel ? rows->sel - 1 : 0);
		goroutines_note_selection(p, env);
	}
	if (p->level != GL_GROUPS)	/* do not stay in a list without its goroutines */
		p->level = p->level == GL_ONE || p->table[GL_LIST].rows.n < 2 ? GL_GROUPS : GL_LIST;
}

/* Show what the query leaves, when it was made. */
static enum verdict show_left(struct goroutines_state *p, const struct pane_env *env, enum verdict v, const struct ask *out)
{
	bool made = v == V_ASK && out->kind == ASK_QUERY;
	if (made && p->asked == Q_EXCLUDES)
		left_out(p, env);
	if (made && p->asked == Q_LISTS)
		p->level = GL_GROUPS;
	return v;
}

/* Take the query made by the job. */
static void take_query(void *st, const struct pane_env *env, struct ask *out)
{
	struct goroutines_state *p = st;
	show_left(p, env, tracepane_query_finish(&p->later, out), out);
}

static enum verdict exclude_selection(struct goroutines_state *p, const struct pane_env *env, struct ask *out)
{
	p->asked = Q_EXCLUDES;
	out->query = *session_query(env->s);
	out->kind = ASK_QUERY;
	return show_left(p, env, goroutines_query_exclude(p, env, out), out);
}

/* D: compare the selection with all other goroutines, in the flame graph. */
static enum verdict against_rest(struct goroutines_state *p, const struct pane_env *env, struct ask *out)
{
	if (session_query(env->s)->b)
		return V_PASS;		/* with a base, D selects the side that is shown */
	return query_selection(p, env, "flame", true, out);
}

static enum verdict group_by(struct goroutines_state *p, const struct pane_env *env, const char *arg, struct ask *out)
{
	int by = arg && *arg ? group_key_find(arg) : ((int)p->by + 1) % GROUP_KEY__N;
	if (by < 0)
		return pane_message(out, "group-by requires function, creator, state, label, task, proc, life or work");
	p->level = GL_GROUPS;
	p->by = (enum group_key_kind)by;
	p->by_chosen = true;
	p->table[GL_GROUPS].sel = -1;
	p->tags[GL_GROUPS].n = 0;
	goroutines_pane_update(p, env);
	return V_DONE;
}

static void tag_cmd(struct goroutines_state *p, const struct pane_env *env)
{
	int l = p->level;
	struct goroutines_row room;
	if (goroutines_selected_row(p, &room))
		goroutines_toggle_tag(p, goroutines_selected_row(p, &room));
	list_move(&p->table[l].rows, &(struct act){.cmd = CMD_DOWN}, env->rows);
	goroutines_note_selection(p, env);
}

static void open_cmd(struct goroutines_state *p, const struct pane_env *env)
{
	struct goroutines_row room;
	const struct goroutines_row *r = goroutines_selected_row(p, &room);
	if (!r)
		return;
	if (p->level == GL_GROUPS) {
		goroutines_enter_group(p, env, r->name);
	} else {
		p->level = GL_ONE;
		p->one.trk = r->trk;
		goroutines_page_load(p, env);
	}
	goroutines_note_selection(p, env);
}

/* Return whether `5` selects rows: all goroutines or those of a start function. Otherwise it filters by the tagged
   goroutines or by those of the group. */
static bool points_at_rows(const struct goroutines_state *p)
{
	struct goroutines_row room;
	const struct goroutines_row *r = goroutines_selected_row(p, &room);
	if (p->level == GL_ONE)
		return true;
	return !p->tags[p->level].n && r && (p->level == GL_LIST || (group_key_is_function(p->by) && r->name));
}

static enum verdict act_here(
    struct goroutines_state *p, const struct pane_env *env, const struct act *a, struct ask *out)
{
	int l = p->level;
	goroutines_page_wait(p, env);
	if (a->cmd != CMD_NEXT && a->cmd != CMD_PREV)
		p->into = 0;
	if (a->cmd == CMD_CANCEL && tracepane_query_cancel(&p->later))
		return pane_message(out, "stopped");
	if (a->cmd == CMD_CANCEL)
		async_stop(&p->search);		/* the app ends the search */
	if (goroutines_wait_cancel_jump(p) && a->cmd == CMD_CANCEL)
		return pane_message(out, "stopped");
	if (a->cmd == CMD_BACK)
		return go_back(p, env);
	if (a->cmd == CMD_PANE_FLAME && !a->arg)
		return query_selection(p, env, "flame", false, out);
	if (a->cmd == CMD_FOCUS && !a->arg)
		return query_selection(p, env, NULL, false, out);
	if (a->cmd == CMD_IGNORE && !a->arg)
		return exclude_selection(p, env, out);
	if (a->cmd == CMD_SIDE && !a->arg)
		return against_rest(p, env, out);
	if (a->cmd == CMD_PANE_TIME && !points_at_rows(p))
		return query_selection(p, env, "timeline", false, out);
	if (a->cmd == CMD_PANE_GOR && a->arg)
		return show_left(p, env, goroutines_query_ran(p, env, a->arg, out), out);
	if (a->cmd == CMD_GROUP_BY)
		return group_by(p, env, a->arg, out);
	if (l == GL_ONE)
		return goroutines_page_command(p, env, a, out);
	switch ((int)a->cmd) {
	case CMD_CAUSE:
	case CMD_EFFECT:
	/* open the page, where the same key continues */
	case CMD_CHAIN: return goroutines_jump_to_wait(p, env, a->cmd, out);
	case CMD_TAG: tag_cmd(p, env); return V_DONE;
	case CMD_CANCEL:
		if (env->find.rx || !p->tags[l].n)
			return V_PASS;
		p->tags[l].n = 0;
		return pane_message(out, "tags removed");
	case CMD_OPEN: open_cmd(p, env); return V_DONE;
	default: return V_PASS;
	}
}

static enum verdict goroutines_pane_act(void *st, const struct pane_env *env, const struct act *a, struct ask *out)
{
	struct goroutines_state *p = st;
	enum verdict v = act_here(p, env, a, out);
	p->seeks = p->seeks && v == V_PASS;	/* a command replaces the position to restore */
	return v;
}

static void goroutines_pane_place(const void *st, const struct pane_env *env, struct place *to)
{
	const struct goroutines_state *p = st;
	struct goroutines_row room;
	const struct goroutines_row *r = goroutines_selected_row(p, &room);
	const struct snap *sn = session_snap(env->s);
	to->topic[0] = p->level == GL_GROUPS ? TOPIC_G_GROUP : p->level == GL_LIST ? TOPIC_G_TOTAL : TOPIC_NONE;
	if (p->level == GL_ONE) {
		to->trk = p->one.trk;
		to->rows = ROWS_ALL;
		if (p->one.table.rows.n) {
			const struct trace_interval *v = goroutines_page_span(&p->one);
			to->t0 = v->t0;
			to->t1 = v->t1;
			tracepane_site_place(sn->st, v->stack, to);
		}
	} else if (r) {
		to->trk = r->trk ? r->trk : p->gs->g[r->first].trk;
		to->rows = r->trk ? ROWS_ALL : ROWS_GROUP;
		to->id = r->trk ? 0 : store_trk_name(sn->st, to->trk);
		tracepane_site_place(sn->st, store_origin(sn->st, store_trk(sn->st, to->trk))->start, to);
	}
}

static bool goroutines_pane_go(void *st, const struct pane_env *env, const struct place *to)
{
	struct goroutines_state *p = st;
	const struct snap *sn = session_snap(env->s);
	if (!to->trk || to->trk >= sn->ntrks || store_trk(sn->st, to->trk)->kind != TK_G)
		return false;
	p->seeks = false;
	if (p->level != GL_GROUPS && (!p->gs || to->trk >= stats_index_snap(p->stats_index)->ntrks))
		finish_groups(p, env);		/* the groups are needed to find it */
	if (p->level == GL_GROUPS) {	/* `6` from another pane: select its group; Enter twice opens its page */
		p->table[GL_LIST].sel = to->trk;
		p->table[GL_GROUPS].sel = goroutines_group_key(p, sn->st, to->trk);
		pane_table_select(&p->table[GL_GROUPS], p, p->table[GL_GROUPS].sel);
		goroutines_update_waits(p, env);
		return true;
	}
	struct goroutines_row room;
	const struct goroutines_row *now = goroutines_selected_row(p, &room);
	if (p->level == GL_LIST && to->t0 == TIME_NONE && now && now->trk == to->trk)
		return true;	/* a second `6` */
	goroutines_open_page(p, env, to->trk, to->t0);
	goroutines_note_selection(p, env);
	return true;
}

/* Return the option of the report for the order of a table; NULL: the report has no such column. */
static const char *order_option(const struct pane_table *t, struct arena *a)
{
	static const struct { const char *word, *key; } keys[] = {{"run", "exec"}, {"runnable", "sched_wait"},
	    {"syscall", "class_syscall"}, {"blocked", "block"}, {"total", "total"}, {"p50", "wait_p50"}, {"p99", "wait_p99"},
	    {"waits", "waits"}, {"name", "name"}};
	const char *word = t->kind->cols[t->sort].word, *key = NULL;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!strcmp(word, keys[i].word))
			key = keys[i].key;
	if (!strcmp(word, "number"))
		key = t->kind == &goroutines_groups_table ? "count" : "id";
	if (!key && time_class_find(word) >= 0) {
		char *class_key = arena_printf(a, "class_%s", word);
		for (char *c = class_key; *c; c++)
			*c = *c == '-' ? '_' : *c;
		key = class_key;
	}
	return key ? arena_printf(a, "-sort=%s%s", t->invert ? "-" : "", key) : NULL;
}

static void goroutines_pane_report(const void *st, const struct pane_env *env, struct pane_report *r)
{
	const struct goroutines_state *p = st;
	const struct store *store = session_snap(env->s)->st;
	if (p->level == GL_ONE) {
		*r = (struct pane_report){"goroutine", arena_printf(env->scratch, "%llu",
		    (unsigned long long)store_trk(store, p->one.trk)->id),
		    {pane_table_sort_option(&p->one.table, env->scratch)}};
		return;
	}
	*r = (struct pane_report){.name = "goroutines"};
	int k = 0;
	if (p->level == GL_LIST && group_key_is_function(p->by) && p->open)
		r->options[k++] = arena_printf(env->scratch, "-name=%s", store_str(store, p->open)->s);
	if (p->by != GROUP_KEY_FUNCTION && (p->level == GL_GROUPS || group_key_is_function(p->by)))
		r->options[k++] = arena_printf(env->scratch, "-by=%s", group_key_name(p->by));
	if (p->level == GL_LIST || p->table[GL_GROUPS].sort != p->table[GL_GROUPS].kind->sort || p->table[GL_GROUPS].invert)
		r->options[k] = order_option(&p->table[p->level], env->scratch);
}

static void goroutines_pane_keys(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct goroutines_state *p = st;
	buf_puts(b, p->level == GL_ONE && env->side_shown
			? "j k span  s < > sort  v durations  Enter timeline  ( cause  ) effect  W chain  4 flame of it  q back"
		    : p->level == GL_ONE
			? "j k span  s < > sort  v durations  Enter timeline  ( cause  ) effect  W chain  4 flame of it  Tab part  q back"
		    : p->level == GL_LIST ? "Enter its page  s < > sort  i invert  v durations  t tag  & match  5 timeline  4 flame "
					    "  D against its group  f only it  x without  q back"
					  : "Enter open  gr group by  s < > sort  i invert  e columns  t tag  D rest  5 timeline  "
					    "4 flame  f only  x exclude");
}

static struct list_part goroutines_part(void *st, const struct pane_env *env)
{
	struct goroutines_state *p = st;
	if (p->level == GL_ONE)
		return pane_table_part(&p->one.table, 4, goroutines_page_height(p, env));
	return pane_table_part(&p->table[p->level], 0, env->rows - 1 - goroutines_footer_height(env));
}

static void goroutines_moved(void *st, const struct pane_env *env)
{
	struct goroutines_state *p = st;
	p->seeks = false;
	if (p->level == GL_ONE)
		goroutines_page_drop_seek(p);
	else
		goroutines_update_waits(p, env);
}

static const struct list_ops goroutines_rows = {
    .part = goroutines_part, .match = goroutines_match, .moved = goroutines_moved};

static int goroutines_work(void *st, struct pane_work *out)
{
	struct goroutines_state *p = st;
	out[0] = (struct pane_work){&p->later.making, take_query, true};
	out[1] = (struct pane_work){&p->work, take_groups, false};
	out[2] = (struct pane_work){&p->search, take_matches, false};
	out[3] = (struct pane_work){&p->wait, goroutines_wait_finish, false};
	out[4] = (struct pane_work){&p->one.rest, take_spans, false};
	out[5] = (struct pane_work){&p->table[GL_LIST].order, take_list, false};
	out[6] = (struct pane_work){&p->measuring, take_measures, false};
	return 7;
}

const struct pane_ops pane_goroutines = {
    .name = "goroutines",
    .tab = "Gor",
    .bit = P_GOR,
    .cmd = CMD_PANE_GOR,
    .trace_only = true,
    .of_selection = true,
    .state_size = sizeof(struct goroutines_state),
    .open = open_goroutines,
    .close = close_goroutines,
    .update = goroutines_pane_update,
    .draw = goroutines_draw,
    .list = &goroutines_rows,
    .act = goroutines_pane_act,
    .go = goroutines_pane_go,
    .own.choices = goroutines_pane_choices,
    .place = goroutines_pane_place,
    .view.save = goroutines_save_view,
    .view.load = goroutines_load_view,
    .output.report = goroutines_pane_report,
    .summary = goroutines_summary,
    .lines.detail = goroutines_detail,
    .own.find = goroutines_find,
    .lines.keys = goroutines_pane_keys,
    .side.draw = goroutines_draw_side,
    .work.slots = goroutines_work,
};
