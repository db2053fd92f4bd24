/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The pane `why`: where the time of one operation went. W opens it from any pane for what is selected there.
 *
 * What is wanted is kept as a place until the analysis of the trace exists, and again until the walk has ended, so the
 * key answers at once. The lines sum up the whole path, so no scope limits them: filters choose only which operation is
 * taken if nothing is selected.
 */
#include "config.h"
#include "why/internal.h"

#include "base/text/text.h"
#include "term/style.h"

#include <inttypes.h>
#include <stdio.h>

static void open_why(void *st, const struct pane_env *env)
{
	struct why *p = st;
	(void)env;
	pane_table_open(&p->table, &why_table);
	p->wanted = PLACE_NONE;
	p->has_wanted = true;
}

static void close_why(void *st)
{
	struct why *p = st;
	why_free_walk(p->shown);
	trace_analysis_free(p->analysis);
	pane_table_free(&p->table);
}

/* Start the walk that is wanted, if the analysis exists. */
static void explain_wanted(struct why *p, const struct pane_env *env)
{
	struct critical_target t;
	if (!p->analysis || !p->has_wanted)
		return;
	p->has_wanted = false;
	uint32_t count, i = p->words[0] ? operations_choose(p->analysis->all, p->words, &count) : OPERATION_NONE;
	if (i != OPERATION_NONE)
		t = critical_target_of_operation(p->analysis->all, i);
	if (i != OPERATION_NONE || (!p->words[0] && why_find_target(p->analysis, &p->wanted, &t))) {
		p->words[0] = '\0';
		why_start_walk(p, env, &t);
	} else {
		why_free_walk(p->shown);
		p->shown = NULL;
		list_set_count(&p->table.rows, 0);
	}
}

static enum verdict explain_words(struct why *p, const struct pane_env *env, const char *words)
{
	snprintf(p->words, sizeof p->words, "%s", words);
	p->has_wanted = true;
	explain_wanted(p, env);
	return V_DONE;
}

static void take_analysis(struct why *p, const struct pane_env *env, struct trace_analysis *a)
{
	if (!a)
		return;
	trace_analysis_free(p->analysis);
	p->analysis = a;
	explain_wanted(p, env);
}

static void update_why(void *st, const struct pane_env *env)
{
	struct why *p = st;
	take_analysis(p, env, session_analysis_async(env->s, &p->making));
	if (p->shown)
		pane_table_fill(&p->table, p, env, critical_lines_count(p->shown->lines));
}

static void finish_analysis(void *st, const struct pane_env *env, struct ask *out)
{
	struct why *p = st;
	(void)out;
	struct trace_analysis *a = session_analysis_finish(env->s, &p->making);
	take_analysis(p, env, a ? a : session_analysis_async(env->s, &p->making));
}

static int slots_of_why(void *st, struct pane_work *out)
{
	struct why *p = st;
	out[0] = (struct pane_work){.slot = &p->making, .take = finish_analysis};
	out[1] = (struct pane_work){.slot = &p->walking, .take = why_finish_walk};
	return 2;
}

static bool go_why(void *st, const struct pane_env *env, const struct place *to)
{
	struct why *p = st;
	p->words[0] = '\0';
	p->wanted = *to;
	p->has_wanted = true;
	explain_wanted(p, env);
	return true;
}

static const struct critical_line *selected_line(const struct why *p)
{
	uint32_t i = p->shown ? pane_table_selected(&p->table) : UINT32_MAX;
	return i == UINT32_MAX ? NULL : critical_lines_at(p->shown->lines, i);
}

static void place_why(const void *st, const struct pane_env *env, struct place *to)
{
	const struct critical_line *v = selected_line(st);
	to->topic[0] = TOPIC_W_LINE;
	if (!v)
		return;
	to->trk = v->g;
	to->rows = ROWS_ALL;
	to->t0 = v->t0;
	to->t1 = v->t1;
	tracepane_site_place(session_snap(env->s)->st, v->stack, to);
}

/* Explain the operation of the same kind that is next by duration. */
static enum verdict step_kind(struct why *p, const struct pane_env *env, int dir, struct ask *out)
{
	const struct why_walk *w = p->shown;
	if (!w || w->target.operation == OPERATION_NONE)
		return pane_message(out, "this is no operation of a kind");
	const struct operations *ops = w->of->all;
	const struct operation_kind *k = &ops->kind[operations_kind_of(ops, w->target.operation)];
	int64_t now = w->target.t1 - w->target.t0, best = 0;
	uint32_t at = w->target.operation, to = OPERATION_NONE;
	for (uint32_t i = k->first; i < k->first + k->n; i++) {
		struct operation o = operations_get(ops, i);
		int64_t ns = o.t1 - o.t0, more = (ns - now) * dir;
		bool follows = more > 0 || (!more && (dir > 0 ? i > at : i < at));
		bool nearer = to == OPERATION_NONE || more < best || (more == best && dir < 0);
		if (i == at || !o.complete || !follows || !nearer)
			continue;
		best = more;
		to = i;
	}
	if (to == OPERATION_NONE)
		return pane_message(out, dir > 0 ? "this is the longest one of its kind" : "this is the shortest one of its kind");
	struct critical_target t = critical_target_of_operation(ops, to);
	why_start_walk(p, env, &t);
	return V_DONE;
}

static enum verdict act_why(void *st, const struct pane_env *env, const struct act *a, struct ask *out)
{
	struct why *p = st;
	const struct critical_line *v = selected_line(p);
	switch (a->cmd) {
	case CMD_OPEN:
		if (!v || !v->g)
			return pane_message(out, "no line is selected");
		out->kind = ASK_PANE;
		out->pane = "timeline";
		out->place = PLACE_NONE;
		place_why(p, env, &out->place);
		return V_ASK;
	case CMD_WHY: return a->arg && *a->arg ? explain_words(p, env, a->arg) : V_PASS;
	case CMD_PANE_FLAME:
		if (a->arg || !p->shown)
			return V_PASS;
		why_ask_flame(p, env, out);
		place_why(p, env, &out->place);
		return V_ASK;
	case CMD_SIDE: return a->arg || session_query(env->s)->b ? V_PASS : why_ask_rest(p, env, out);
	case CMD_NEXT_KIND: return step_kind(p, env, 1, out);
	case CMD_PREV_KIND: return step_kind(p, env, -1, out);
	default: return V_PASS;
	}
}

/* Append "request 17  38.1ms (p99 of 1,100; p50 36.0ms)  G37 main.client at 0.002923s". */
static void put_operation(const struct why_walk *w, struct buf *b)
{
	const struct critical_target *t = &w->target;
	const struct store *store = w->of->sn->st;
	text_safe(b, t->kind.s, t->kind.n);
	if (t->operation != OPERATION_NONE)
		buf_printf(b, " %" PRIu64, t->id);
	buf_puts(b, "  ");
	text_ns(b, w->path.t1 - w->path.t0);
	if (w->among > 1) {
		buf_printf(b, " (p%.0f of ", text_percent(w->rank, w->among));
		text_count(b, w->among);
		buf_puts(b, "; p50 ");
		text_ns(b, w->p50);
		buf_putc(b, ')');
	}
	buf_puts(b, "  ");
	tracepane_put_track(store, t->g, b);
	buf_puts(b, " at ");
	text_at(b, w->path.t0, 1000);
	buf_puts(b, t->complete ? "" : ", not complete in the trace");
	if (w->of->triggered && t->operation != OPERATION_NONE && t->operation == w->of->trigger.operation)
		buf_puts(b, ", for which a flight recorder wrote this");
}

/* What is explained is a step of undo: the goroutine and the range. */
static void save_why(const void *st, struct view *v)
{
	const struct why *p = st;
	if (p->shown) {
		view_put_zoom(v, "g", p->shown->target.g);
		view_put_zoom_time(v, "from", p->shown->target.t0);
		view_put_zoom_time(v, "to", p->shown->target.t1);
	}
	view_put_cursor(v, "row", p->table.rows.sel);
}

static void load_why(void *st, const struct pane_env *env, const struct view *v)
{
	struct why *p = st;
	int64_t g = view_get_below(v, "g", session_snap(env->s)->ntrks);
	if (!g)
		return;
	p->wanted = PLACE_NONE;
	p->wanted.trk = (trk_id)g;
	p->wanted.t0 = view_get_time(v, "from");
	p->wanted.t1 = view_get_time(v, "to");
	p->row = (uint32_t)view_get_below(v, "row", UINT32_MAX);
	p->has_wanted = true;
	explain_wanted(p, env);
}

static void put_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct why *p = st;
	(void)env;
	if (p->shown)
		put_operation(p->shown, b);
	else
		buf_puts(b, "where the time of an operation went");
}

static int foot_line(const struct pane_env *env, uint32_t rows)
{
	int y = 1 + (int)(rows < 10000 ? rows : 10000);
	return y < env->rows - 1 ? y : env->rows - 1;
}

static void draw_foot(const struct why_walk *w, struct grid *g, int y)
{
	struct buf b = {0};
	buf_puts(&b, "together ");
	text_ns(&b, critical_lines_total(w->lines));
	buf_puts(&b, " = 100%");
	if (w->path.ncut)
		buf_printf(&b, "; %" PRIu32 " waits were not followed further", w->path.ncut);
	grid_textn(g, y, 0, ST_DIM, 0, b.p, b.n);
	buf_free(&b);
}

static void draw_why(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct why *p = st;
	const struct snap *sn = session_snap(env->s);
	if (async_job(&p->making) || async_job(&p->walking) || !sn->complete) {
		tracepane_draw_empty(g, 0, sn->complete ? "The critical path is being computed."
							: "The critical path needs the whole trace, which is being read.");
		return;
	}
	if (p->words[0]) {
		tracepane_draw_empty(g, 0, arena_printf(env->scratch, "No operation fits \"%s\".", p->words));
		return;
	}
	if (!p->shown) {
		tracepane_draw_empty(g, 0, "Nothing to explain: select a span, a goroutine, a task, a region or an operation in "
		    "another pane and press W.");
		return;
	}
	int foot = foot_line(env, p->table.rows.n);
	pane_table_draw(&p->table, p, env, g, 0, foot - 1, false);
	draw_foot(p->shown, g, foot);
}

static struct list_part part_of_why(void *st, const struct pane_env *env)
{
	struct why *p = st;
	return pane_table_part(&p->table, 0, foot_line(env, p->table.rows.n) - 1);
}
static const struct list_ops why_list = {.part = part_of_why};

/* Append the longest part of the selected line. */
static void put_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct critical_line *v = selected_line(st);
	if (!v)
		return;
	text_at(b, v->t0, 1000);
	buf_puts(b, "  longest part ");
	text_ns(b, v->t1 - v->t0);
	buf_puts(b, " on ");
	tracepane_put_track(session_snap(env->s)->st, v->g, b);
	buf_puts(b, "  ");
	tracepane_put_call_site(session_snap(env->s)->st, v->stack, b);
}

static void draw_side(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct critical_line *v = selected_line(st);
	struct buf b = {0};
	if (!v)
		return;
	grid_text(g, 0, 0, ST_HEAD, 0, "stack of the longest part");
	int y = tracepane_draw_stack(env, g, 1, g->h / 2, v->stack);
	const struct why *p = st;
	critical_line_put_because(p->shown->lines, v, &b);
	if (b.n) {
		struct buf safe = {0};
		text_safe(&safe, b.p, b.n);
		grid_text(g, y + 1, 0, ST_HEAD, 0, "because");
		tracepane_draw_empty(g, y + 2, buf_str(&safe));
		buf_free(&safe);
	}
	buf_free(&b);
}

static void report_why_pane(const void *st, const struct pane_env *env, struct pane_report *r)
{
	const struct why *p = st;
	*r = (struct pane_report){.name = "why"};
	if (!p->shown)
		return;
	const struct critical_target *t = &p->shown->target;
	const struct operations *ops = p->shown->of->all;
	if (t->operation != OPERATION_NONE && ops->kind[operations_kind_of(ops, t->operation)].source == OPERATION_TASK) {
		r->options[0] = arena_printf(env->scratch, "-task=%" PRIu64, t->id);
		return;
	}
	r->options[0] = arena_printf(env->scratch, "-goroutine=%" PRIu64, (uint64_t)store_trk(p->shown->of->sn->st, t->g)->id);
	r->options[1] = arena_printf(env->scratch, "-from=%" PRId64 "ns", t->t0);
	r->options[2] = arena_printf(env->scratch, "-to=%" PRId64 "ns", t->t1);
}

const struct pane_ops pane_why = {
    .name = "why", .tab = "Why", .bit = P_WHY, .cmd = CMD_WHY, .trace_only = true, .of_scope = true,
    .state_size = sizeof(struct why), .open = open_why, .close = close_why, .update = update_why, .draw = draw_why,
    .act = act_why, .go = go_why, .place = place_why, .summary = put_summary, .list = &why_list,
    .view = {save_why, load_why},
    .lines.detail = put_detail, .lines.hints = "Enter the instant  4 flame graph  D slow against rest  [ ] shorter, longer  s sort",
    .side.draw = draw_side, .side.cols = 160, .work.slots = slots_of_why, .output.report = report_why_pane,
};
