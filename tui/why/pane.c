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
#include <string.h>

static void open_why(void *st, const struct pane_env *env)
{
	struct why *p = st;
	(void)env;
	pane_table_open(&p->table, &why_table);
	p->wanted = PLACE_NONE;
	p->has_wanted = true;
	p->bar = UINT32_MAX;
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
	p->carried = to->from && !strcmp(to->from, "timeline");
	p->has_wanted = true;
	explain_wanted(p, env);
	return true;
}

/* Esc: explain what is explained without a selection. */
static enum verdict drop_selection(struct why *p, const struct pane_env *env, struct ask *out)
{
	if (!p->carried)
		return V_PASS;
	go_why(p, env, &PLACE_NONE);
	return pane_message(out, "selection of the timeline dropped: a slow operation of the worst finding");
}

static const struct critical_line *selected_line(const struct why *p)
{
	uint32_t i = p->shown ? pane_table_selected(&p->table) : UINT32_MAX;
	return i == UINT32_MAX ? NULL : critical_lines_at(p->shown->lines, i);
}

/* Return the selected bar of the picture: the one that Tab has chosen as long as its line is selected, else the longest
   part of the line; UINT32_MAX: none. */
static uint32_t selected_bar(const struct why *p)
{
	const struct critical_line *v = selected_line(p);
	const struct critical_waterfall *w = v ? p->shown->picture : NULL;
	if (w && p->bar < w->nbars && critical_lines_at(p->shown->lines, w->bar[p->bar].part.line) == v)
		return p->bar;
	return w ? waterfall_bar_of(w, v->g, v->t0, v->t1) : UINT32_MAX;
}

/* The goroutine and the time of the selection: of the bar that was chosen, or of the longest part of the line. */
static void selected_part(const struct why *p, const struct critical_line *v, trk_id *g, int64_t *t0, int64_t *t1)
{
	const struct critical_bar *bar = p->bar != UINT32_MAX && selected_bar(p) == p->bar ? &p->shown->picture->bar[p->bar] : NULL;
	*g = bar ? bar->g : v->g;
	*t0 = bar ? bar->part.t0 : v->t0;
	*t1 = bar ? bar->part.t1 : v->t1;
}

static void place_why(const void *st, const struct pane_env *env, struct place *to)
{
	const struct critical_line *v = selected_line(st);
	to->topic[0] = TOPIC_W_LINE;
	to->topic[1] = TOPIC_W_PICTURE;
	if (!v)
		return;
	to->rows = ROWS_ALL;
	selected_part(st, v, &to->trk, &to->t0, &to->t1);
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
	p->carried = false;
	why_start_walk(p, env, &t);
	return V_DONE;
}

/* Choose the next bar in time, and the line that it belongs to. */
static enum verdict step_bar(struct why *p, int dir, struct ask *out)
{
	const struct critical_waterfall *w = p->shown ? p->shown->picture : NULL;
	if (!w || !w->nbars)
		return pane_message(out, "no part of the path is as long as half a per cent of it");
	uint32_t at = p->bar < w->nbars ? p->bar : dir > 0 ? w->nbars - 1 : 0;
	at = dir > 0 ? (at + 1) % w->nbars : (at + w->nbars - 1) % w->nbars;
	pane_table_select(&p->table, p, w->bar[at].part.line);
	p->bar = at;
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
	case CMD_CANCEL: return a->arg ? drop_selection(p, env, out) : V_PASS;
	case CMD_WHY: return a->arg && *a->arg ? explain_words(p, env, a->arg) : V_PASS;
	case CMD_PANE_FLAME:
		if (a->arg || !p->shown)
			return V_PASS;
		why_ask_flame(p, env, out);
		place_why(p, env, &out->place);
		return V_ASK;
	case CMD_SIDE: return a->arg || session_query(env->s)->b ? V_PASS : why_ask_rest(p, env, out);
	case CMD_NEXT_PART: return step_bar(p, 1, out);
	case CMD_PREV_PART: return step_bar(p, -1, out);
	case CMD_NEXT_KIND: return step_kind(p, env, 1, out);
	case CMD_PREV_KIND: return step_kind(p, env, -1, out);
	default: return V_PASS;
	}
}

/* Append "request #17  38.1ms  p99 of 1,100 (p50 36.0ms)  G37 at 0.0029s". */
static void put_operation(const struct why_walk *w, struct buf *b)
{
	const struct critical_target *t = &w->target;
	const struct store *store = w->of->sn->st;
	why_put_target(w, b);
	buf_puts(b, "  ");
	text_ns(b, w->path.t1 - w->path.t0);
	if (w->among > 1) {
		buf_puts(b, "  ");
		critical_put_rank(b, w->rank, w->among);
		buf_puts(b, " (p50 ");
		text_ns(b, w->p50);
		buf_putc(b, ')');
	}
	if (t->operation != OPERATION_NONE) {
		buf_puts(b, "  ");
		tracepane_put_id(store, t->g, b);
	}
	buf_puts(b, " at ");
	text_at(b, w->path.t0, 100000);
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
	p->carried = false;
	p->has_wanted = true;
	explain_wanted(p, env);
}

static void put_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct why *p = st;
	(void)env;
	if (p->shown && p->carried)
		buf_puts(b, "from the timeline (Esc: the slowest)  ");
	if (p->shown)
		put_operation(p->shown, b);
	else
		buf_puts(b, "where the time of an operation went");
}

/* Lines of the pane: the sentence in the first one, the picture, the table, and a line that sums it up. */
struct why_layout { int picture, npicture, table, ntable; };

enum { TABLE_LEAST = 6, GAPS_FROM = 18 };	/* rows of the table that the picture leaves; lines from which there are gaps */

static struct why_layout layout_of(const struct why *p, const struct pane_env *env)
{
	int rows = p->table.rows.n < 10000 ? (int)p->table.rows.n : 10000, gap = env->rows >= GAPS_FROM;
	int least = env->rows / 4 > TABLE_LEAST ? env->rows / 4 : TABLE_LEAST;
	struct why_layout y = {.picture = 1 + gap, .table = 1};
	int room = env->rows - 1 - 2 * gap - 2 - (rows < least ? rows : least);
	y.npicture = env->detail && p->shown ? waterfall_lines(p->shown->picture, room) : 0;
	if (y.npicture)
		y.table = y.picture + y.npicture + gap;
	y.ntable = env->rows - y.table - 2;
	y.ntable = rows < y.ntable ? rows : y.ntable > 0 ? y.ntable : 0;
	return y;
}

/* Draw the sentence, in two lines if the second one would be empty. */
static void draw_sentence(const struct why_walk *w, struct grid *g, int lines)
{
	struct buf b = {0}, safe = {0};
	critical_put_most(&b, w->of->sn, w->lines, w->picture);
	text_safe(&safe, b.p, b.n);
	struct rect old = grid_clip(g, (struct rect){0, 0, lines, g->w});
	if (lines > 1) {
		buf_reset(&b);
		text_fit_line(&b, safe.p, safe.n, (size_t)(lines * g->w - g->w / 4), g->ascii);
		tracepane_draw_wrapped(g, 0, 0, ST_TITLE, buf_str(&b));
	} else {
		grid_line(g, 0, 0, ST_TITLE, 0, &safe);
	}
	grid_unclip(g, old);
	buf_free(&safe);
	buf_free(&b);
}

static void draw_picture(const struct why *p, const struct pane_env *env, struct grid *g, const struct why_layout *y)
{
	const struct why_walk *w = p->shown;
	const struct waterfall_view v = {w->of->sn, env, w->picture, w->lines, w->target.kind, selected_bar(p),
	    p->bar != UINT32_MAX};
	if (y->npicture)
		waterfall_draw(&v, g, y->picture, y->npicture);
}

static void draw_foot(const struct why_walk *w, struct grid *g, int y)
{
	const struct critical_row *r = w->picture->row;
	uint64_t others = 0;
	struct buf b = {0};
	buf_puts(&b, "together ");
	text_ns(&b, critical_lines_total(w->lines));
	buf_puts(&b, " = 100%");
	for (uint32_t i = 1; i < w->picture->nrows; i++)
		others += r[i].n;
	if (others) {
		buf_puts(&b, ": ");
		tracepane_put_id(w->of->sn->st, r->g, &b);
		buf_putc(&b, ' ');
		text_ns(&b, r->ns);
		buf_puts(&b, ", ");
		text_count(&b, (int64_t)others);
		buf_printf(&b, " other%s ", text_s(others));
		text_ns(&b, critical_lines_total(w->lines) - r->ns);
	}
	if (w->path.ncut)
		buf_printf(&b, "; %" PRIu32 " waits were not followed further", w->path.ncut);
	grid_textn(g, y, 0, ST_DIM, 0, b.p, b.n);
	buf_free(&b);
}

/* Draw the stack of the selected line beside the table, and why the operation waited for it. */
static void draw_beside(const struct why *p, const struct pane_env *env, struct grid *g)
{
	const struct critical_line *v = selected_line(p);
	struct buf b = {0}, safe = {0};
	if (!v)
		return;
	for (int y = 0; y < g->h; y++)
		grid_put(g, y, 0, 0x2502, ST_RULE, ST_NORMAL, 0);
	struct rect old = grid_clip(g, (struct rect){0, 2, g->h, g->w - 2});
	grid_text(g, 0, 0, ST_HEAD, 0, "stack of the longest part");
	critical_line_put_because(p->shown->lines, v, &b);
	text_safe(&safe, b.p, b.n);
	int y = tracepane_draw_stack(env, g, 1, safe.n ? g->h - 3 : g->h, v->stack);
	if (safe.n && y + 2 < g->h) {
		grid_text(g, y + 1, 0, ST_HEAD, 0, "because");
		tracepane_draw_wrapped(g, y + 2, 2, ST_NORMAL, buf_str(&safe));
	}
	grid_unclip(g, old);
	buf_free(&safe);
	buf_free(&b);
}

enum { BESIDE_FROM = 140, BESIDE = 60 };	/* columns of a pane that shows the stack, and of the stack */

static void draw_table(const struct why *p, const struct pane_env *env, struct grid *g, const struct why_layout *y)
{
	struct pane_env left = *env;
	int beside = env->detail && g->w >= BESIDE_FROM ? BESIDE : 0;
	left.cols -= beside;
	left.choose = left.choose < left.cols ? left.choose : left.cols;
	struct rect old = grid_clip(g, (struct rect){y->table, 0, g->h - y->table, g->w - beside});
	pane_table_draw(&p->table, p, &left, g, 0, y->ntable, false);
	grid_unclip(g, old);
	if (!beside)
		return;
	old = grid_clip(g, (struct rect){y->table, g->w - beside, g->h - y->table, beside});
	draw_beside(p, env, g);
	grid_unclip(g, old);
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
	struct why_layout y = layout_of(p, env);
	draw_sentence(p->shown, g, y.picture);
	draw_picture(p, env, g, &y);
	draw_table(p, env, g, &y);
	draw_foot(p->shown, g, y.table + 1 + y.ntable);
}

static struct list_part part_of_why(void *st, const struct pane_env *env)
{
	struct why *p = st;
	struct why_layout y = layout_of(p, env);
	return pane_table_part(&p->table, y.table, y.ntable);
}
static const struct list_ops why_list = {.part = part_of_why};

/* Append the longest part of the selected line. */
static void put_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct critical_line *v = selected_line(st);
	if (!v)
		return;
	trk_id part_of;
	int64_t t0, t1;
	selected_part(st, v, &part_of, &t0, &t1);
	text_at(b, t0, 1000);
	buf_puts(b, ((const struct why *)st)->bar == UINT32_MAX ? "  longest part " : "  ");
	text_ns(b, t1 - t0);
	buf_puts(b, " on ");
	tracepane_put_track(session_snap(env->s)->st, part_of, b);
	buf_puts(b, "  ");
	tracepane_put_call_site(session_snap(env->s)->st, v->stack, b);
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
    .lines.detail = put_detail, .lines.hints = "Enter the instant  Tab bars  [ ] shorter, longer  D slow against rest  4 flame graph  s sort",
    .work.slots = slots_of_why, .output.report = report_why_pane,
};
