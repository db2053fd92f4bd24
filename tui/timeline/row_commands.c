/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Commands that choose the rows: `:rows` and M, t, E, S; and the text about the rows in line 2 of
 * the screen. They set the kind, the subset of goroutines, or the order of tasks; timeline/rows.c
 * makes the rows.
 */
#include "config.h"
#include "timeline/internal.h"

#include "operations/operations.h"

#include "base/text/text.h"
#include "trace/neighbours.h"
#include "tracepane/tracepane.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static trk_id parse_goroutine(const struct timeline *tl, const struct snap *sn, const char *s)
{
	uint64_t id;
	return trace_parse_id(s, 'g', &id) ? timeline_find_track(tl, sn, TK_G, id) : 0;
}

/* Return the index of an expression in group[], which views refer to; -1: *e. */
static int group_number(struct timeline *tl, const char *re, struct err *e)
{
	for (uint32_t i = 0; i < tl->rows.ngroup; i++)
		if (!strcmp(regex_pattern(tl->rows.group[i]), re))
			return (int)i;
	if (tl->rows.ngroup == TL_GROUPS)
		return err_set(
		    e, ERR_LIMIT, ERR_NOWHERE, "too many groups");
	tl->rows.group[tl->rows.ngroup] = regex_new(re, e);
	return tl->rows.group[tl->rows.ngroup] ? (int)tl->rows.ngroup++ : -1;
}

static enum verdict rows_group(
    struct timeline *tl, const struct pane_env *env, const char *re, struct ask *out)
{
	struct err e;
	int i =
	    *re ? group_number(tl, re, &e)
		: err_set(&e, ERR_USAGE, ERR_NOWHERE, "rows group requires a regular expression for start functions");
	if (i < 0)
		return pane_message(out, "%s", e.msg);
	return timeline_show_subset(tl, env, ONLY_GROUP, (uint64_t)i)
		   ? V_DONE
		   : pane_message(out, "no goroutine's start function matches");
}

static enum verdict rows_task(
    struct timeline *tl, const struct pane_env *env, const char *arg, struct ask *out)
{
	int64_t t0, t1;
	uint64_t id;
	struct timeline_row r = timeline_selected_row(tl);
	timeline_index_now(tl, env);
	if (!*arg && r.what == ROW_TASK && r.id < tl->ix->tasks->n)
		id = tl->ix->tasks->task[r.id].id;
	else if (!trace_parse_id(arg, 't', &id))
		return pane_message(out, "rows task requires the number of a task (pane 7 lists them)");
	uint32_t i = stats_task_find(tl->ix->tasks, id);
	if (i == UINT32_MAX || !timeline_show_subset(tl, env, ONLY_TASK, id))
		return pane_message(out, "no task with this number");
	tracepane_task_bounds(session_snap(env->s), &tl->ix->tasks->task[i], &t0, &t1);
	tl->at = t0 + (t1 - t0) / 2;
	timeline_set_window(tl, env, t0 - (t1 - t0) / 16, t1 + (t1 - t0) / 16);
	timeline_select_row(tl, env, tl->rows.npinrow);
	return V_DONE;
}

static enum verdict rows_operation(
    struct timeline *tl, const struct pane_env *env, const char *arg, struct ask *out)
{
	const struct snap *sn = session_snap(env->s);
	const struct operations *ops = operations_if_shared(sn);
	uint64_t id;
	if (!trace_parse_id(arg, '#', &id))
		return pane_message(out, "rows operation requires the number of an operation (pane 7 lists them)");
	uint32_t i = ops ? operations_by_id(ops, id) : OPERATION_NONE;
	if (i == OPERATION_NONE)
		return pane_message(out, ops ? "no operation with this number" : "operations are not known yet: 7 finds them");
	struct operation o = operations_get(ops, i);
	if (ops->kind[o.kind].source == OPERATION_TASK)
		return rows_task(tl, env, arg + (*arg == '#'), out);
	timeline_show_subset(tl, env, ONLY_OPERATION, id);
	tl->at = o.t0 + (o.t1 - o.t0) / 2;
	timeline_set_window(tl, env, o.t0 - (o.t1 - o.t0) / 16, o.t1 + (o.t1 - o.t0) / 16);
	timeline_select_track(tl, env, o.g);
	return V_DONE;
}

static enum verdict rows_related(
    struct timeline *tl, const struct pane_env *env, const char *arg, struct ask *out)
{
	const struct snap *sn = session_snap(env->s);
	trk_id g = *arg ? parse_goroutine(tl, sn, arg) : timeline_selected_track(tl, env);
	struct trace_interval iv;
	if (g && !*arg && store_trk(sn->st, g)->kind != TK_G)
		g = trace_interval_at(sn, g, tl->at, &iv) ? iv.peer : 0;
	if (!g)
		return pane_message(
		    out, *arg ? "no goroutine with this number" : "no goroutine under the cursor");
	timeline_show_subset(tl, env, ONLY_RELATED, g);
	timeline_select_track(tl, env, g);
	return V_DONE;
}

static enum verdict rows_tasks(
    struct timeline *tl, const struct pane_env *env, const char *by, struct ask *out)
{
	static const char *const orders[] = {
	    [BY_START] = "start", [BY_TREE] = "tree", [BY_DURATION] = "duration"};
	timeline_index_now(tl, env);
	if (!tl->ix->tasks->n)
		return pane_message(
		    out, "this trace has no tasks (trace.NewTask creates them)");
	for (unsigned i = 0; *by && i < 3; i++)
		if (!strncmp(orders[i], by, strlen(by)))
			tl->rows.order = (enum timeline_task_order)i;
	timeline_set_kind(tl, env, TL_T);
	return V_DONE;
}

/* M: return the next of Ps, goroutines, tasks if there are any, Ms. */
static enum timeline_kind next_kind(const struct timeline *tl)
{
	switch (tl->rows.kind) {
	case TL_P: return TL_G;
	case TL_G: return tl->ix->tasks->n ? TL_T : TL_M;
	case TL_T: return TL_M;
	default: return TL_P;
	}
}

enum verdict timeline_rows_command(
    struct timeline *tl, const struct pane_env *env, const char *arg, struct ask *out)
{
	static const struct {
		const char *word;
		enum verdict (*fn)(
		    struct timeline *, const struct pane_env *, const char *, struct ask *);
	} words[] = {{"group", rows_group}, {"task", rows_task}, {"related", rows_related},
	    {"operation", rows_operation},
	    {"tasks", rows_tasks}};
	size_t n = arg ? strcspn(arg, " ") : 0;
	if (!n) {
		if (tl->rows.kind == TL_P)
			tl->rows.only = ONLY_ALL;
		for (int tries = 0; tries < TL__N;
		     tries++) { /* skip kinds without rows */
			timeline_set_kind(tl, env, next_kind(tl));
			if (tl->rows.nrow > tl->rows.npinrow)
				return V_DONE;
		}
		return pane_message(out, "no rows: this file has only counters");
	}
	const char *rest = arg + n + strspn(arg + n, " ");
	for (size_t i = 0; n > 1 && i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].word) == n && !strncasecmp(words[i].word, arg, n))
			return words[i].fn(tl, env, rest, out);
	switch (arg[0] | 0x20) {
	case 'p': timeline_set_kind(tl, env, TL_P); return V_DONE;
	case 'm': timeline_set_kind(tl, env, TL_M); return V_DONE;
	case 't': return rows_tasks(tl, env, rest, out);
	case 'g': timeline_show_subset(tl, env, ONLY_ALL, 0); return V_DONE;
	default:
		return pane_message(out,
		    "rows requires p, m, g, tasks [start|tree|duration], group RE, task N, operation N or related N");
	}
}

/* Append an expression; if it matches one function exactly, append its name. */
static void put_expression(const char *re, struct buf *b)
{
	size_t n = strlen(re);
	buf_puts(b, " of ");
	bool exact = n > 2 && re[0] == '^' && re[n - 1] == '$';
	for (size_t i = exact; i < n - exact; i++)
		if (!exact || re[i] != '\\')
			buf_putc(b, re[i]);
}

/* Return the number of tasks or tracks that have a row, without pinned ones and without the subrows of tracks. */
static uint32_t count_rows(const struct timeline *tl)
{
	if (tl->rows.kind == TL_T)
		return tl->rows.nrow - tl->rows.npinrow;
	uint32_t n = tl->rows.nrest - tl->rows.nhole;
	for (uint32_t i = tl->rows.npinrow; i < tl->rows.nhead; i++)
		n += tl->rows.row[i].what == ROW_TRACK;
	return n;
}

void timeline_describe_rows(const struct timeline *tl, const struct pane_env *env, struct buf *b)
{
	static const char *const kinds[TL__N] = {"P", "M", "G", "task"};
	static const char *const orders[] = {"", ", children below parents", ", longest first"};
	const struct store *st = session_snap(env->s)->st;
	uint32_t n = count_rows(tl);
	if (!tl->rows.nrow && session_snap(env->s)->complete && !timeline_filter_pending(tl)) {
		buf_puts(b, "only counters");
		return;
	}
	buf_printf(b, "%u %s row%s%s", n, kinds[tl->rows.kind], text_s(n),
	    timeline_filter_pending(tl) || async_job(&tl->scoping) ? " so far" : "");
	if (tl->rows.kind == TL_G && tl->rows.only == ONLY_ALL && tl->scope.on)
		buf_printf(b, " of %u", tl->tr->n[TK_G]);
	if (tl->rows.kind == TL_T)
		buf_puts(b, orders[tl->rows.order]);
	if (tl->rows.kind == TL_G && tl->rows.only == ONLY_GROUP)
		put_expression(regex_pattern(tl->rows.group[tl->rows.only_id]), b);
	if (tl->rows.kind == TL_G && tl->rows.only == ONLY_TASK)
		buf_printf(b, " of task %llu", (unsigned long long)tl->rows.only_id);
	if (tl->rows.kind == TL_G && tl->rows.only == ONLY_OPERATION)
		buf_printf(b, " of operation #%llu", (unsigned long long)tl->rows.only_id);
	if (tl->rows.kind == TL_G && tl->rows.only == ONLY_RELATED) {
		buf_puts(b, " around ");
		tracepane_put_id(st, (trk_id)tl->rows.only_id, b);
	}
	if (tl->rows.npin)
		buf_printf(b, ", %u pinned", tl->rows.npin);
}

/* ---- t, E, S */

static bool toggle_track(trk_id *v, uint32_t *n, uint32_t most, trk_id t)
{
	for (uint32_t i = 0; i < *n; i++)
		if (v[i] == t) {
			memmove(v + i, v + i + 1, (--*n - i) * sizeof *v);
			return true;
		}
	if (!t || *n == most)
		return false;
	v[(*n)++] = t;
	return true;
}

void timeline_toggle_pin(struct timeline *tl, const struct pane_env *env)
{
	if (toggle_track(tl->rows.pin, &tl->rows.npin, TL_PINS, timeline_selected_track(tl, env)))
		timeline_make_rows(tl, env);
}

void timeline_toggle_regions(struct timeline *tl, const struct pane_env *env)
{
	if (toggle_track(tl->rows.open, &tl->rows.nopen, TL_OPEN, timeline_selected_track(tl, env)))
		timeline_make_rows(tl, env);
}

void timeline_toggle_stacks(struct timeline *tl, const struct pane_env *env)
{
	trk_id t = timeline_selected_track(tl, env);
	tl->rows.stacks = tl->rows.stacks == t ? 0 : t;
	timeline_make_rows(tl, env);
}
