/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The table of panes, and what all panes that are lists have in common. A new pane needs a struct
 * pane_ops, its bit in command.h, a row in commands.def, and a line here; the tabs, their keys, the
 * help and -pane=NAME use these.
 *
 * A command goes to the pane first, and then to its list, so a pane can give any key another
 * meaning. Matches of a search are found when they are needed, for a search command or before the
 * pane is drawn, and kept until the rows or the expression change.
 */
#include "config.h"
#include "app/pane.h"

#include "app/pane_table.h"
#include "base/async.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct pane_ops *const panes[] = {
    &pane_findings,
    &pane_why,
    &pane_boards,
    &pane_top,
    &pane_list,
    &pane_peek,
    &pane_flame,
    &pane_timeline,
    &pane_goroutines,
    &pane_tasks,
    &pane_gc,
    &pane_events,
    &pane_tags,
    &pane_report,
    &pane_help,
    &pane_info,
    NULL,
};

int pane_find(const char *name)
{
	for (int i = 0; panes[i]; i++)
		if (!strcmp(panes[i]->name, name))
			return i;
	return -1;
}

enum verdict pane_message(struct ask *ask, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	ask->kind = ASK_MESSAGE;
	vsnprintf(ask->text, sizeof ask->text, fmt, ap);
	va_end(ap);
	return V_ASK;
}

void pane_set_choice(struct choice *c, const char *arg, const char *text, bool on)
{
	snprintf(c->arg, sizeof c->arg, "%s", arg);
	snprintf(c->text, sizeof c->text, "%s", text);
	c->on = on;
}

/* ---- background work */

/* Get the first slot that has a job; false: none has. */
static bool running_work(const struct pane_ops *p, void *st, struct pane_work *out)
{
	struct pane_work w[PANE_WORK_MAX];
	int n = p->work.slots && st ? p->work.slots(st, w) : 0;
	for (int i = 0; i < n; i++)
		if (w[i].slot && async_job(w[i].slot)) {
			*out = w[i];
			return true;
		}
	return false;
}

struct job *pane_job(const struct pane_ops *p, void *st)
{
	struct pane_work w;
	return running_work(p, st, &w) ? async_job(w.slot) : NULL;
}

bool pane_answers_key(const struct pane_ops *p, void *st)
{
	struct pane_work w;
	return running_work(p, st, &w) && w.first && async_wanted(w.slot);
}

bool pane_stop_answer(const struct pane_ops *p, void *st)
{
	struct pane_work w;
	bool any = running_work(p, st, &w) && w.first && async_wanted(w.slot);
	if (any)
		async_stop(w.slot);
	return any;
}

void pane_take_result(const struct pane_ops *p, void *st, const struct pane_env *env, struct ask *out)
{
	struct pane_work w;
	if (running_work(p, st, &w))
		w.take(st, env, out);
}

void pane_close(const struct pane_ops *p, void *st)
{
	struct pane_work w[PANE_WORK_MAX];
	int n = p->work.slots ? p->work.slots(st, w) : 0;
	for (int i = 0; i < n; i++)
		if (w[i].slot)
			async_stop(w[i].slot);
	if (p->close)
		p->close(st);
}

/* ---- lists */

static struct list_part list_of(const struct pane_ops *p, void *st, const struct pane_env *env)
{
	return p->list ? p->list->part(st, env) : (struct list_part){0};
}

/* The same division for a main part that has no table: free columns go to the side part, then to both. */
static int split_columns(int wants, int w, int *choose)
{
	int free = w - wants - LIST_SIDE_GAP - LIST_SIDE_LEAST, side = LIST_SIDE_WANT - LIST_SIDE_LEAST;
	*choose = wants < w ? wants : w;
	if (free < 0)
		return w;
	return *choose = wants + (free > side ? (free - side) / 2 : 0);
}

int pane_main_cols(const struct pane_ops *p, void *st, const struct pane_env *env, int w, int *choose)
{
	struct list_part l = st ? list_of(p, st, env) : (struct list_part){0};
	*choose = w;
	if (!p->side.draw || !env->detail)
		return w;
	if (st && p->side.split)
		return p->side.split(st, env, w, choose);
	if (l.table && !p->side.wants)
		return pane_table_cells_beside(l.table, st, env, w, choose);
	return split_columns(p->side.wants ? p->side.wants : PANE_WANTS, w, choose);
}

/* Leave a row that cannot be selected: in the direction of the move, or back if there are only such rows. */
static void skip_rows(const struct pane_ops *p, const void *st, struct rows *r, uint32_t from)
{
	int64_t i = r->sel, dir = r->sel >= from ? 1 : -1;
	for (int turn = 0; turn < 2; turn++, dir = -dir)
		for (; i >= 0 && i < r->n; i += dir)
			if (p->list->selectable(st, (uint32_t)i)) {
				list_select(r, (uint32_t)i);
				return;
			}
}

/* The user has selected another row. */
static void note_move(const struct pane_ops *p, void *st, const struct pane_env *env, const struct list_part *l)
{
	if (l->table)
		pane_table_note_selection(l->table, st);
	if (p->list->moved)
		p->list->moved(st, env);
}

/* Handle the commands that sort, by the choices of the menu of s. */
static enum verdict sort_list(const struct pane_ops *p, void *st, const struct pane_env *env, struct pane_table *t,
    const struct act *a, struct ask *out)
{
	struct choice c[CHOICES_MAX];
	bool sorts = a->cmd == CMD_SORT || a->cmd == CMD_SORT_LEFT || a->cmd == CMD_SORT_RIGHT || a->cmd == CMD_INVERT;
	int n = sorts && (t || p->own.sort) ? pane_choices(p, st, env, CMD_SORT, c) : 0, at = 0, by = -1;
	struct buf b = {0};
	if (!n)
		return V_PASS;
	for (int i = 0; i < n; i++) {
		at = c[i].on ? i : at;
		by = a->arg && !strcmp(c[i].arg, a->arg) ? i : by;
		buf_printf(&b, " %s", c[i].arg);
	}
	bool named = a->cmd == CMD_SORT && a->arg;
	enum verdict v = named && by < 0 ? pane_message(out, "sort by:%s", buf_str(&b)) : V_DONE;
	if (!named && a->cmd != CMD_INVERT)
		by = (at + (a->cmd == CMD_SORT_LEFT ? n - 1 : 1)) % n;
	if (v == V_DONE && t) {
		pane_table_sort(t, st, env, by);
		if (p->list->moved)
			p->list->moved(st, env);
	} else if (v == V_DONE)
		p->own.sort(st, env, by);
	buf_free(&b);
	return v;
}

/* Handle the commands of a list's histogram. */
static enum verdict brush_list(
    const struct pane_ops *p, void *st, const struct pane_env *env, const struct list_part *l, const struct act *a)
{
	enum brush_verdict v = pane_table_brush(l->table, st, env, a);
	if (v == BRUSH_LIMIT)
		note_move(p, st, env, l);
	return v == BRUSH_PASS ? V_PASS : V_DONE;
}

/* What a list does that its pane has not handled: start a histogram, remove its limit, unless a search is there to be
   ended first. */
static enum verdict start_brush(const struct pane_ops *p, void *st, const struct pane_env *env, const struct list_part *l,
    const struct act *a, struct ask *out)
{
	if (!l->table || (a->cmd != CMD_RANGE && (a->cmd != CMD_CANCEL || env->find.rx)))
		return V_PASS;
	enum verdict v = brush_list(p, st, env, l, a);
	if (v == V_DONE && a->cmd == CMD_CANCEL)
		return pane_message(out, "all durations");
	return v == V_PASS && a->cmd == CMD_RANGE ? pane_message(out, "this list has no durations: no histogram") : v;
}

static enum verdict act_in_list(
    const struct pane_ops *p, void *st, const struct pane_env *env, const struct act *a, struct ask *out)
{
	struct list_part l = list_of(p, st, env);
	uint32_t from = l.rows ? l.rows->sel : 0;
	enum verdict v = start_brush(p, st, env, &l, a, out);
	if (v != V_PASS)
		return v;
	if (a->cmd == CMD_COLUMNS && l.table && l.table->kind->sets)
		return pane_table_choose_columns(l.table, a->arg, out);
	if (!l.rows || !list_move(l.rows, a, l.h))
		return sort_list(p, st, env, l.table, a, out);
	if (p->list->selectable)
		skip_rows(p, st, l.rows, from);
	note_move(p, st, env, &l);
	return V_DONE;
}

enum verdict pane_act(
    const struct pane_ops *p, void *st, const struct pane_env *env, const struct act *a, struct ask *out)
{
	struct list_part l = list_of(p, st, env);
	if (l.rows)
		list_set_height(l.rows, l.h);
	if (l.table && l.table->brush.bars.on && brush_list(p, st, env, &l, a) == V_DONE)
		return a->cmd == CMD_CANCEL ? pane_message(out, "left the histogram") : V_DONE;
	enum verdict v = p->act ? p->act(st, env, a, out) : V_PASS;
	return v == V_PASS ? act_in_list(p, st, env, a, out) : v;
}

bool pane_can_click(const struct pane_ops *p)
{
	return p->list || p->own.click;
}

void pane_click(
    const struct pane_ops *p, void *st, const struct pane_env *env, int y, int x, bool twice, struct ask *out)
{
	struct list_part l = list_of(p, st, env);
	uint32_t from = l.rows ? l.rows->sel : 0;
	if (!p->list)
		p->own.click(st, env, y, x, twice, out);
	if (!l.rows || !list_click(l.rows, y - l.y, l.h))
		return;
	if (p->list->selectable && !p->list->selectable(st, l.rows->sel)) {
		list_select(l.rows, from);
		return;
	}
	note_move(p, st, env, &l);
	if (twice)
		pane_act(p, st, env, &(struct act){.cmd = CMD_OPEN}, out);
}

static void match_texts(
    const struct pane_ops *p, const void *st, const struct pane_env *env, const struct list_part *l)
{
	struct buf b = {0};
	for (uint32_t i = 0; i < l->rows->n; i++) {
		buf_reset(&b);
		if (p->list->text)
			p->list->text(st, env, i, &b);
		else
			l->table->kind->text(st, env, l->table->item[i], &b);
		l->hits->at[i] = b.n && regex_match(env->find.rx, b.p, b.n);
	}
	buf_free(&b);
}

void pane_mark_hits(const struct pane_ops *p, void *st, const struct pane_env *env)
{
	struct list_part l = list_of(p, st, env);
	if (!l.rows || !l.hits || !env->find.rx || list_hits_are_current(l.hits, l.rows, env->find.rx))
		return;
	list_hits_begin(l.hits, l.rows, env->find.rx, l.rows->n);
	if (!p->list->match || !p->list->match(st, env, l.hits->at))
		match_texts(p, st, env, &l);
	for (uint32_t i = 0; i < l.rows->n; i++)
		l.hits->n += l.hits->at[i];
}

bool pane_can_search(const struct pane_ops *p, void *st, const struct pane_env *env)
{
	return p->own.find || list_of(p, st, env).hits;
}

uint32_t pane_search(const struct pane_ops *p, void *st, const struct pane_env *env, int dir, uint32_t *at)
{
	struct list_part l = list_of(p, st, env);
	*at = 0;
	uint32_t n = p->own.find ? p->own.find(st, env, dir, at) : FIND_LIST;
	if (n != FIND_LIST)
		return n;
	if (!l.rows || !l.hits)
		return 0;
	pane_mark_hits(p, st, env);
	n = list_hits_step(l.hits, l.rows, dir, at);
	if (n && dir)
		note_move(p, st, env, &l);
	return n;
}

int pane_choices(
    const struct pane_ops *p, void *st, const struct pane_env *env, enum cmd_id cmd, struct choice *out)
{
	struct list_part l = list_of(p, st, env);
	int n = p->own.choices ? p->own.choices(st, env, cmd, out) : 0;
	if (n || !l.table)
		return n;
	return cmd == CMD_SORT ? pane_table_choices(l.table, out)
	    : cmd == CMD_COLUMNS ? pane_table_column_choices(l.table, out) : 0;
}

/* ---- lines */

void pane_put_limit(const struct pane_ops *p, void *st, const struct pane_env *env, struct buf *b)
{
	struct list_part l = list_of(p, st, env);
	if (l.table)
		brush_put_limit(&l.table->brush, l.table->rows.n, b);
}

void pane_put_detail(const struct pane_ops *p, void *st, const struct pane_env *env, struct buf *b)
{
	struct list_part l = list_of(p, st, env);
	if (l.table && l.table->brush.bars.on)
		histogram_bars_describe(&l.table->brush.bars, b);
	else if (p->lines.detail)
		p->lines.detail(st, env, b);
}

void pane_put_hints(const struct pane_ops *p, void *st, const struct pane_env *env, struct buf *b)
{
	struct list_part l = list_of(p, st, env);
	const char *bars = l.table ? brush_hints(&l.table->brush) : NULL;
	if (bars)
		buf_puts(b, bars);
	else if (p->lines.hints)
		buf_puts(b, p->lines.hints);
	else if (p->lines.keys)
		p->lines.keys(st, env, b);
}

/* ---- views of lists that have nothing else to keep */

bool pane_has_view(const struct pane_ops *p)
{
	return p->view.load || p->list;
}

void pane_save(const struct pane_ops *p, void *st, const struct pane_env *env, struct view *v)
{
	struct list_part l = list_of(p, st, env);
	if (p->view.save)
		p->view.save(st, v);
	if (p->view.save || !l.rows)
		return;
	if (l.table)
		pane_table_save_limit(l.table, v);
	view_put_cursor(v, "top", l.rows->top);
	if (l.table)
		pane_table_save(l.table, v);
	else
		view_put_cursor(v, "row", l.rows->sel);
}

bool pane_load(const struct pane_ops *p, void *st, const struct pane_env *env, const struct view *v)
{
	struct list_part l = list_of(p, st, env);
	if (p->view.load)
		p->view.load(st, env, v);
	if (p->view.load || !l.rows)
		return p->view.load;
	l.rows->top = (uint32_t)view_get(v, "top");
	if (l.table)
		pane_table_load(l.table, st, env, v);
	else
		list_select(l.rows, (uint32_t)view_get(v, "row"));
	note_move(p, st, env, &l);
	return true;
}
