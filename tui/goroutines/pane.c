/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Goroutines: groups by start function or by what else gr says, then the
 * goroutines of one group, then one goroutine's page (detail.c). Enter
 * goes down, q comes back. What is tagged with t, else what is selected, is what
 * 4, 5 and f take along: a group of start functions as an expression that finds
 * them in any trace, all else as the goroutines' numbers.
 *
 * The accounts are trace/stats/goroutine_stats.c's, the ones that the report `goroutines`
 * prints, made once for a snapshot and a query; a table here is an order over
 * them. Sorting by another column is linear in what is listed, drawing costs
 * what is in view. The level that is shown and what is open in it are the view's
 * zoom, so that `u` and the jump list come back to them.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/job.h"
#include "base/text/text.h"
#include "calltree/weighted.h"
#include "timeline/timeline.h"

#include <string.h>

void gor_keep(struct gor *p, const struct pane_env *env)
{
	struct gor_row room;
	const struct gor_row *r = gor_sel(p, &room);
	if (p->level != GL_ONE && r)
		p->sel[p->level] = r->trk ? (int64_t)r->trk : (int64_t)r->name;
	gor_story_make(p, env);
}

static void open_gor(void *st, const struct pane_env *env)
{
	struct gor *p = st;
	(void)env;
	p->sel[0] = p->sel[1] = -1;	/* no name, no track: the first row */
	p->story_of = -1;
	p->one.seek = TIME_NONE;
	p->one.row = UINT32_MAX;
}

/* What was made is shown: the same place in it, unless one is to go to another. */
static void made(struct gor *p, const struct pane_env *env)
{
	if (p->seeks) {
		gor_arrive(p, env);
		return;
	}
	gor_order(p, env, GL_GROUPS);
	if (p->level == GL_LIST && !p->listed)
		gor_enter(p, env, p->open);
	else if (p->level == GL_ONE && !p->listed)
		gor_fill_soon(p, env);
	if (p->level == GL_ONE) {
		int64_t at = gor_one_now(&p->one) ? gor_one_now(&p->one)->t0 : TIME_NONE;
		gor_one_load(p, env);
		if (at != TIME_NONE)
			gor_one_seek(p, at);
	}
	gor_keep(p, env);
	gor_hits(p, env);
}

static void update(void *st, const struct pane_env *env)
{
	if (gor_make(st, env))
		made(st, env);
}

/* The list that was asked for. */
static void listed(struct gor *p, const struct pane_env *env)
{
	if (p->relist) {
		bool there = gor_fill_soon(p, env);
		p->level = there && p->opening ? GL_LIST : p->level;
		p->opening = p->opening && !there;
	}
	gor_keep(p, env);
	gor_hits(p, env);
}

static void asked(struct gor *, const struct pane_env *, struct ask *);

/* What was being made has ended, or is waited for. */
static void done(void *st, const struct pane_env *env, struct ask *out)
{
	struct gor *p = st;
	if (tp_later_job(p->later)) {
		asked(p, env, out);
		return;
	}
	if (!p->work && p->hunt) {
		gor_hunt_done(p);
		gor_hits(p, env);
		return;
	}
	if (!p->work && p->look) {
		gor_look_done(p, env, out);
		return;
	}
	if (!p->work) {
		if (p->one.rest)
			gor_one_done(p, env);
		gor_hits(p, env);
		return;
	}
	bool list = gor_lists(p), dropped = gor_dropped(p), last = gor_take(p, env->s);
	if (list)
		listed(p, env);
	else if (!dropped)
		made(p, env);
	if (!last)
		update(p, env);
}

/* For commands that need all of it: there is no going to a place in what is not there. A list of somewhere else is not
   waited for. */
static void finish(struct gor *p, const struct pane_env *env)
{
	struct ask none = {.kind = ASK_NONE};
	p->into = 0;
	p->opening = false;
	while (p->work && !gor_lists(p))
		done(p, env, &none);
}

static void close_gor(void *st)
{
	struct gor *p = st;
	p->level = GL_GROUPS;
	tp_later_free(p->later);
	p->later = NULL;
	gor_look_drop(p);
	gor_hunt_forget(p);
	if (gor_work(p))
		job_cancel(gor_work(p));
	if (p->work)
		gor_take(p, NULL);
	if (p->look)
		gor_look_done(p, NULL, NULL);
	gor_one_stop(p);
	if (p->one.rest)
		gor_one_done(p, NULL);
	arena_free(&p->mem);
	mem_free(p->order[0]);
	mem_free(p->order[1]);
	gor_other_drop(p);
	mem_free(p->one.v);
	mem_free(p->one.order);
	mem_free(p->tags[0].v);
	mem_free(p->tags[1].v);
	mem_free(p->hit);
}

/* ---- acting */

bool gor_enter(struct gor *p, const struct pane_env *env, str_id name)
{
	p->open = name;
	p->opening = !gor_fill_soon(p, env);
	p->level = p->opening ? GL_GROUPS : GL_LIST;
	return !p->opening;
}

void gor_open_one(struct gor *p, const struct pane_env *env, trk_id t, int64_t at)
{
	p->sel[GL_LIST] = t;
	p->open = gor_key(p, session_snap(env->s)->st, t);
	gor_fill_soon(p, env);
	p->level = GL_ONE;
	p->one.trk = t;
	gor_one_load(p, env);
	if (at != TIME_NONE)
		gor_one_seek(p, at);
}

static enum verdict back(struct gor *p, const struct pane_env *env)
{
	if (p->level == GL_GROUPS)
		return V_PASS;
	p->level--;
	if (p->level == GL_LIST && !p->listed)
		gor_enter(p, env, p->open);
	gor_keep(p, env);
	gor_hits(p, env);
	return V_DONE;
}

static void reorder(struct gor *p, const struct pane_env *env, int l)
{
	if (l == GL_GROUPS)
		gor_order(p, env, l);
	else
		gor_fill_soon(p, env);
}

static void resort(struct gor *p, const struct pane_env *env, int dir)
{
	struct gor_column c[GOR_COLS];
	int l = p->level, n = gor_columns(p, c) - (l == GL_LIST), at = 0;
	for (int i = 0; i < n; i++)
		if (c[i].c.sort)
			at = i;
	do
		at = (at + n + dir) % n;
	while (!c[at].c.right && c[at].val != SORT_NAME);
	p->sort[l] = c[at].val;
	p->invert[l] = false;
	reorder(p, env, l);
}

const char *gor_sort_word(const struct gor *p, int val, const char **what)
{
	static const struct { const char *word, *what; } of[GV__N] = {
	    [GV_RUN] = {"run", "executing code"}, [GV_READY] = {"runnable", "ready to run, waiting for a P"},
	    [GV_SYSCALL] = {"syscall", "in system calls"}, [GV_BLOCKED] = {"blocked", "waiting for anything but a P"},
	    [GV_CHAN] = {"chan", "waiting for channels"}, [GV_SYNC] = {"mutex", "waiting for mutexes and other locks"},
	    [GV_NET] = {"net", "waiting for the network"}, [GV_SLEEP] = {"sleep", "in time.Sleep"},
	    [GV_GC] = {"gc", "waiting for the collector"}, [GV_TOTAL] = {"total", "sum of the states"}};
	bool groups = p->level == GL_GROUPS;
	if (val < GV__N) {
		*what = of[val].what;
		return of[val].word;
	}
	*what = val == SORT_N ? groups ? "number of goroutines" : "number of the "
	    "goroutine" : groups ? "name" : "time of the start";
	return val == SORT_N ? "number" : val == SORT_NAME ? groups ? "name" : "start" : NULL;
}

static int sort_columns(const struct gor *p, struct gor_column *c)
{
	int n = gor_columns(p, c), k = 0;
	for (int i = 0; i < n; i++)
		if (c[i].c.word)
			c[k++] = c[i];
	return k;
}

static enum verdict sort_by(struct gor *p, const struct pane_env *env, const char *word, struct ask *out)
{
	struct gor_column c[GOR_COLS];
	int n = sort_columns(p, c);
	struct buf b = {0};
	for (int i = 0; i < n; i++) {
		if (!strcmp(c[i].c.word, word)) {
			p->sort[p->level] = c[i].val;
			p->invert[p->level] = false;
			gor_order(p, env, p->level);
			buf_free(&b);
			return V_DONE;
		}
		buf_printf(&b, "%s%s", i ? " " : "sort by: ", c[i].c.word);
	}
	enum verdict v = ask_say(out, "%s", buf_str(&b));
	buf_free(&b);
	return v;
}

static int choices(const void *st, const struct pane_env *env, enum cmd_id cmd, struct choice *out)
{
	(void)env;
	const struct gor *p = st;
	struct gor_column c[GOR_COLS];
	const char *what;
	int n = 0;
	if (cmd == CMD_SORT && p->level == GL_ONE) {
		n = gor_one_sorts(p, out);
	} else if (cmd == CMD_SORT) {
		n = sort_columns(p, c);
		for (int i = 0; i < n; i++) {
			const char *word = gor_sort_word(p, c[i].val, &what);
			choice_set(&out[i], word, what, c[i].val == p->sort[p->level]);
		}
	} else if (cmd == CMD_GROUP_BY) {
		static const char *const by[GB__N] = {[GB_FUNCTION] = "start function",
		    [GB_CREATOR] = "function that created them",
		    [GB_STATE] = "state at the end", [GB_LABEL] = "pprof labels",
		    [GB_TASK] = "task they worked for",
		    [GB_PROC] = "last P", [GB_LIFE] = "whether they live during the whole trace"};
		for (; n < GB__N; n++)
			choice_set(&out[n], gor_by_name((enum gor_by)n), by[n], (enum gor_by)n == p->by);
	}
	return n;
}

/* It becomes the query, and a pane shows it. */
static enum verdict take(struct gor *p, const struct pane_env *env, const char *pane, bool rest, struct ask *out)
{
	p->leaves = false;
	out->query = *session_query(env->s);
	out->kind = ASK_QUERY;
	out->pane = pane;
	if (pane && !strcmp(pane, "timeline"))
		out->place = (struct place){.trk = gor_first(p), .t0 = p->scope.t0, .t1 = p->scope.t1};
	return gor_ask(p, env, rest, out);
}

/* x: all but what is selected or tagged. */
static void left_out(struct gor *p, const struct pane_env *env)
{
	if (p->level != GL_ONE && !p->tags[p->level].n) {	/* the next one is selected then */
		struct rows *rows = &p->rows[p->level];
		rows_select(rows, rows->sel + 1 < rows->n ? rows->sel + 1 : rows->sel ? rows->sel - 1 : 0);
		gor_keep(p, env);
	}
	if (p->level != GL_GROUPS)	/* who is left out is not to be seen in a list of it */
		p->level = p->level == GL_ONE || p->rows[GL_LIST].n < 2 ? GL_GROUPS : GL_LIST;
}

static enum verdict without(struct gor *p, const struct pane_env *env, struct ask *out)
{
	p->leaves = true;
	out->query = *session_query(env->s);
	out->kind = ASK_QUERY;
	enum verdict v = gor_ask_without(p, env, out);
	if (v == V_ASK && out->kind == ASK_QUERY)
		left_out(p, env);
	return v;
}

/* The query that was put together. */
static void asked(struct gor *p, const struct pane_env *env, struct ask *out)
{
	if (tp_later_done(p->later, out) == V_ASK && out->kind == ASK_QUERY && p->leaves)
		left_out(p, env);
}

static bool asks(const void *st)
{
	return tp_later_asks(((const struct gor *)st)->later);
}

/* D: what is selected or tagged against all other goroutines, in the flame graph. */
static enum verdict against_rest(struct gor *p, const struct pane_env *env, struct ask *out)
{
	if (session_query(env->s)->b)
		return V_PASS;		/* a base: which side of it, or of the rest, is shown */
	return take(p, env, "flame", true, out);
}

static enum verdict group_by(struct gor *p, const struct pane_env *env, const char *arg, struct ask *out)
{
	int by = arg && *arg ? gor_by_find(arg) : ((int)p->by + 1) % GB__N;
	if (by < 0)
		return ask_say(out, "group-by requires function, creator, state, label, task, proc or life");
	p->level = GL_GROUPS;
	p->by = (enum gor_by)by;
	p->sel[GL_GROUPS] = -1;
	p->tags[GL_GROUPS].n = 0;
	update(p, env);
	return V_DONE;
}

static void tag_cmd(struct gor *p, const struct pane_env *env)
{
	int l = p->level;
	struct gor_row room;
	if (gor_sel(p, &room))
		gor_tag(p, gor_sel(p, &room));
	rows_act(&p->rows[l], &(struct act){.cmd = CMD_DOWN}, env->rows);
	gor_keep(p, env);
}

/* Enter. A group of many is shown when it has been sorted. */
static void open_cmd(struct gor *p, const struct pane_env *env)
{
	struct gor_row room;
	const struct gor_row *r = gor_sel(p, &room);
	if (!r)
		return;
	if (p->level == GL_GROUPS) {
		gor_enter(p, env, r->name);
	} else {
		p->level = GL_ONE;
		p->sel[GL_LIST] = r->trk;
		p->one.trk = r->trk;
		gor_one_load(p, env);
	}
	gor_keep(p, env);
	gor_hits(p, env);
}

/* Does `5` show rows of all goroutines or of one start function? Otherwise it filters by the tagged goroutines or by those
   of the group. */
static bool points_at_rows(const struct gor *p)
{
	struct gor_row room;
	const struct gor_row *r = gor_sel(p, &room);
	if (p->level == GL_ONE)
		return true;
	return !p->tags[p->level].n && r && (p->level == GL_LIST || (p->by == GB_FUNCTION && r->name));
}

static enum verdict act_here(struct gor *p, const struct pane_env *env, const struct act *a, struct ask *out)
{
	int l = p->level;
	gor_one_rest(p);
	if (a->cmd != CMD_NEXT && a->cmd != CMD_PREV)
		p->into = 0;
	if (a->cmd == CMD_CANCEL && tp_later_drop(p->later))
		return ask_say(out, "stopped");
	if (a->cmd == CMD_CANCEL)
		gor_hunt_stop(p);	/* the app drops what was searched */
	if (gor_look_stop(p) && a->cmd == CMD_CANCEL)
		return ask_say(out, "stopped");
	if (a->cmd == CMD_BACK)
		return back(p, env);
	if (a->cmd == CMD_PANE_FLAME && !a->arg)
		return take(p, env, "flame", false, out);
	if (a->cmd == CMD_FOCUS && !a->arg)
		return take(p, env, NULL, false, out);
	if (a->cmd == CMD_IGNORE && !a->arg)
		return without(p, env, out);
	if (a->cmd == CMD_SIDE && !a->arg)
		return against_rest(p, env, out);
	if (a->cmd == CMD_PANE_TIME && !points_at_rows(p))
		return take(p, env, "timeline", false, out);
	if (a->cmd == CMD_GROUP_BY)
		return group_by(p, env, a->arg, out);
	if (l == GL_ONE)
		return gor_one_act(p, env, a, out);
	if (rows_act(&p->rows[l], a, env->rows - 1 - gor_foot(env))) {
		gor_keep(p, env);
		return V_DONE;
	}
	switch ((int)a->cmd) {
	case CMD_SORT:
		if (a->arg)
			return sort_by(p, env, a->arg, out);
		resort(p, env, 1);
		return V_DONE;
	case CMD_SORT_RIGHT: resort(p, env, 1); return V_DONE;
	case CMD_SORT_LEFT: resort(p, env, -1); return V_DONE;
	case CMD_INVERT:
		p->invert[l] = !p->invert[l];
		reorder(p, env, l);
		return V_DONE;
	case CMD_CAUSE:
	case CMD_EFFECT:
	/* to the page of the one, there the same key goes on */
	case CMD_CHAIN: return gor_look_jump(p, env, a->cmd, out);
	case CMD_TAG: tag_cmd(p, env); return V_DONE;
	case CMD_CANCEL:
		if (env->find.rx || !p->tags[l].n)
			return V_PASS;
		p->tags[l].n = 0;
		return V_DONE;
	case CMD_OPEN: open_cmd(p, env); return V_DONE;
	default: return V_PASS;
	}
}

static enum verdict act(void *st, const struct pane_env *env, const struct act *a, struct ask *out)
{
	struct gor *p = st;
	enum verdict v = act_here(p, env, a, out);
	p->seeks = p->seeks && v == V_PASS;	/* who moves stays there */
	return v;
}

static void place(const void *st, const struct pane_env *env, struct place *to)
{
	const struct gor *p = st;
	struct gor_row room;
	const struct gor_row *r = gor_sel(p, &room);
	const struct snap *sn = session_snap(env->s);
	if (p->level == GL_ONE) {
		to->trk = p->one.trk;
		to->rows = ROWS_ALL;
		if (p->one.rows.n) {
			const struct ival *v = gor_one_now(&p->one);
			to->t0 = v->t0;
			to->t1 = v->t1;
			tp_place(sn->st, v->stack, to);
		}
	} else if (r) {
		to->trk = r->trk ? r->trk : p->gs->g[r->first].trk;
		to->rows = r->trk ? ROWS_ALL : ROWS_GROUP;
		to->id = r->trk ? 0 : store_trk(sn->st, to->trk)->name;
		tp_place(sn->st, store_trk(sn->st, to->trk)->start, to);
	}
}

static bool go(void *st, const struct pane_env *env, const struct place *to)
{
	struct gor *p = st;
	const struct snap *sn = session_snap(env->s);
	if (!to->trk || to->trk >= sn->ntrks || store_trk(sn->st, to->trk)->kind != TK_G)
		return false;
	p->seeks = false;
	if (p->level != GL_GROUPS && (!p->gs || to->trk >= sched_snap(p->sched)->ntrks))
		finish(p, env);		/* nothing is known of it */
	if (p->level == GL_GROUPS) {	/* `6` from elsewhere: its group; Enter Enter is its page */
		p->sel[GL_GROUPS] = gor_key(p, sn->st, to->trk);
		p->sel[GL_LIST] = to->trk;
		gor_order(p, env, GL_GROUPS);
		gor_keep(p, env);
		return true;
	}
	struct gor_row room;
	const struct gor_row *now = gor_sel(p, &room);
	if (p->level == GL_LIST && to->t0 == TIME_NONE && now && now->trk == to->trk)
		return true;	/* `6` again */
	gor_open_one(p, env, to->trk, to->t0);
	gor_keep(p, env);
	gor_hits(p, env);
	return true;
}

static void report(const void *st, const struct pane_env *env, struct pane_report *r)
{
	const struct gor *p = st;
	const struct store *store = session_snap(env->s)->st;
	*r = (struct pane_report){.name = "goroutines"};
	if (p->level == GL_ONE) {
		*r = (struct pane_report){"goroutine", arena_printf(env->scratch, "%llu",
		    (unsigned long long)store_trk(store, p->one.trk)->id), {NULL}};
		if (p->one.sort != ONE_START || p->one.invert)
			r->opt[0] = arena_printf(env->scratch, "-sort=%s%s", p->one.invert ? "-" : "", gor_one_sort_word(p));
	}
	else if (p->level == GL_LIST && p->by == GB_FUNCTION && p->open)
		r->opt[0] = arena_printf(env->scratch, "-name=%s", store_str(store, p->open)->s);
}

static void keys(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct gor *p = st;
	buf_puts(b, p->level == GL_ONE && env->beside
			? "j k span  s < > sort  Enter timeline  ( cause  ) effect  W chain  4 flame of it  q back"
		    : p->level == GL_ONE
			? "j k span  s < > sort  Enter timeline  ( cause  ) effect  W chain  4 flame of it  Tab part  q back"
		    : p->level == GL_LIST ? "Enter its page  s < > sort  i invert  t tag  & match  5 timeline  4 flame "
					    "  D against its group  f only it  x without  q back"
					  : "Enter open  gr group by  s < > sort  i invert  t tag  D rest  5 timeline  "
					    "4 flame  f only  x exclude");
}

static void click(void *st, const struct pane_env *env, int y, int x, bool twice, struct ask *ask)
{
	struct gor *p = st;
	(void)x;
	struct rows *rows = p->level == GL_ONE ? &p->one.rows : &p->rows[p->level];
	if (!rows_pick(rows, y - (p->level == GL_ONE ? 5 : 1), rows->h))
		return;
	p->seeks = false;
	gor_keep(p, env);
	if (twice)
		act(st, env, &(struct act){.cmd = CMD_OPEN}, ask);
}

static int topics(const void *st, const struct pane_env *env, enum topic *t)
{
	const struct gor *p = st;
	(void)env;
	if (p->level == GL_ONE)
		return 0;
	t[0] = p->level == GL_GROUPS ? TOPIC_G_GROUP : TOPIC_G_TOTAL;
	return 1;
}

static struct job *job(void *st)
{
	struct gor *p = st;
	struct job *j = tp_later_job(p->later);
	return j ? j : gor_work(p);
}

const struct pane_ops pane_goroutines = {
    .name = "goroutines", .tab = "Gor", .bit = P_GOR, .cmd = CMD_PANE_GOR, .trace_only = true, .of_scope = true,
    .state_size = sizeof(struct gor), .open = open_gor, .close = close_gor, .update = update, .draw = gor_draw,
    .act = act, .go = go,
    .choices = choices, .place = place, .topics = topics, .save = gor_save, .load = gor_load, .report = report,
    .summary = gor_summary, .detail = gor_detail, .find = gor_find, .keys = keys,
    .side = gor_side, .click = click, .job = job, .done = done, .asks = asks,
};
