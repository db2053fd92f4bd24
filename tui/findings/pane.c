/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The pane `findings`: what is wrong with the program, worst first. The table has a row for each finding; below it
 * stands the selected one as a whole: the sentence, the functions that cause it, what waits for them, the numbers that
 * show it. Rules that the trace cannot answer are listed last, because "not answerable" is not "fine".
 *
 * Findings of a trace are part of its analysis, those of a profile of its judgement; the session makes either.
 */
#include "config.h"
#include "app/pane_table.h"
#include "base/async.h"
#include "boards/board.h"
#include "session/profile_judgement.h"
#include "session/trace_analysis.h"
#include "term/style.h"
#include "tracepane/slow_query.h"
#include "tracepane/tracepane.h"
#include "why/waterfall.h"

#include "base/text/text.h"

#include <string.h>

struct findings_state {
	struct trace_analysis *analysis;	/* of a trace; NULL: it is being made */
	struct profile_judgement *judgement;	/* likewise of a profile */
	struct async making;
	struct pane_table table;	/* items: findings */
	struct async walking;		/* the critical path of an operation that the selected finding hits */
	struct why_walk *shown;		/* NULL: there is none, or it is being walked */
	int64_t walked;			/* the index of the finding, plus 1 */
};

enum finding_col { FIND_LEVEL, FIND_COST, FIND_TEXT, FIND_RULE, FIND_COLS };
static const struct pane_table_column cols[FIND_COLS] = {
    [FIND_LEVEL] = {"LEVEL", 7, 0, LIST_TEXT, LIST_FIRST, 0, "level", "problems, then notices", true},
    [FIND_COST] = {"COST", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "cost", "time that would go with the cause", false},
    [FIND_TEXT] = {"FINDING", 16, LIST_NAME_WANT, LIST_TEXT, LIST_KEPT, 1, NULL, "what was found", true},
    [FIND_RULE] = {"RULE", 15, 0, LIST_TEXT, LIST_LAST, 0, "rule", "the rule that raised it", true},
};

/* Return all findings; NULL: they are being made. */
static const struct findings *all_findings(const struct findings_state *p)
{
	return p->analysis ? p->analysis->findings : p->judgement ? p->judgement->findings : NULL;
}

static const struct finding *finding_of(const struct findings_state *p, uint32_t item)
{
	return &all_findings(p)->v[item];
}

static const struct finding *selected_finding(const struct findings_state *p)
{
	uint32_t i = all_findings(p) ? pane_table_selected(&p->table) : UINT32_MAX;
	return i == UINT32_MAX ? NULL : finding_of(p, i);
}

static enum style style_of_level(enum finding_level l)
{
	return l == FINDING_PROBLEM ? ST_PROBLEM : ST_NOTICE;
}

/* Append the time that would go with the cause, which orders the findings of a level; its share where it is of no known
   time. */
static void put_cost(const struct finding *f, struct buf *b)
{
	if (f->affected_ns > 0)
		text_ns(b, (int64_t)(f->score / 100 * (double)f->affected_ns));
	else
		buf_printf(b, "%.0f%%", f->score);
}

static void draw_cell(const void *st, const struct pane_env *env, struct grid *g, int w, uint32_t item, int col)
{
	const struct finding *f = finding_of(st, item);
	struct buf b = {0};
	switch ((enum finding_col)col) {
	case FIND_LEVEL: grid_text(g, 0, 0, style_of_level(f->level), 0, finding_level_name(f->level)); break;
	case FIND_COST:
		put_cost(f, &b);
		grid_right(g, 0, w, ST_NORMAL, 0, buf_str(&b));
		break;
	case FIND_RULE:
	case FIND_TEXT:
		buf_puts(&b, col == FIND_RULE ? finding_rules[f->rule].id : f->text);
		tracepane_draw_text(env, g, 0, 0, w, col == FIND_RULE ? ST_DIM : ST_NORMAL, &b);
		break;
	case FIND_COLS: break;
	}
	buf_free(&b);
}

static int compare(const void *st, const struct pane_env *env, int col, int sign, uint32_t i, uint32_t k)
{
	const struct finding *a = finding_of(st, i), *b = finding_of(st, k);
	(void)env;
	switch ((enum finding_col)col) {
	case FIND_LEVEL: return sign * ((b->level > a->level) - (b->level < a->level));
	case FIND_COST: return sign * ((a->cost > b->cost) - (a->cost < b->cost));
	case FIND_RULE: return sign * strcmp(finding_rules[a->rule].id, finding_rules[b->rule].id);
	case FIND_TEXT:
	case FIND_COLS: break;
	}
	return 0;
}

static void put_text(const void *st, const struct pane_env *env, uint32_t item, struct buf *b)
{
	const struct finding *f = finding_of(st, item);
	(void)env;
	buf_printf(b, "%s %s %s", finding_level_name(f->level), finding_rules[f->rule].id, f->text);
}

static const struct pane_table_kind findings_table = {
    .cols = cols, .ncol = FIND_COLS, .sort = FIND_LEVEL, .text = put_text, .cell = draw_cell, .compare = compare};

static void open_findings(void *st, const struct pane_env *env)
{
	(void)env;
	pane_table_open(&((struct findings_state *)st)->table, &findings_table);
}

static void close_findings(void *st)
{
	struct findings_state *p = st;
	why_free_walk(p->shown);
	trace_analysis_free(p->analysis);
	profile_judgement_free(p->judgement);
	pane_table_free(&p->table);
}

static void take_analysis(struct findings_state *p, struct trace_analysis *a)
{
	if (!a)
		return;
	async_cancel(&p->walking);
	why_free_walk(p->shown);
	p->shown = NULL;
	p->walked = 0;
	trace_analysis_free(p->analysis);
	p->analysis = a;
}

static void take_judgement(struct findings_state *p, struct profile_judgement *v)
{
	if (!v)
		return;
	profile_judgement_free(p->judgement);
	p->judgement = v;
}

static void take_walk(struct findings_state *p, struct why_walk *w)
{
	why_free_walk(p->shown);
	p->shown = w;
}

/* Walk the path that shows the selected finding, unless it is walked already. */
static void walk_selected(struct findings_state *p, const struct pane_env *env)
{
	const struct finding *f = p->analysis ? selected_finding(p) : NULL;
	(void)env;
	if (!f || p->walked == f - all_findings(p)->v + 1)
		return;
	p->walked = f - all_findings(p)->v + 1;
	take_walk(p, NULL);
	uint32_t i = trace_analysis_slow_operation(p->analysis, f);
	struct critical_target t;
	if (i == OPERATION_NONE) {
		async_cancel(&p->walking);
		return;
	}
	t = critical_target_of_operation(p->analysis->all, i);
	take_walk(p, why_walk_of(&p->walking, p->analysis, &t));
}

static void moved_finding(void *st, const struct pane_env *env)
{
	walk_selected(st, env);
}

/* Take what there is, or start a job. */
static void update_findings(void *st, const struct pane_env *env)
{
	struct findings_state *p = st;
	if (session_is_trace(env->s))
		take_analysis(p, session_analysis_async(env->s, &p->making));
	else
		take_judgement(p, session_judgement_async(env->s, &p->making));
	if (all_findings(p))
		pane_table_fill(&p->table, p, env, all_findings(p)->n);
	walk_selected(p, env);
}

static void finish_findings(void *st, const struct pane_env *env, struct ask *out)
{
	struct findings_state *p = st;
	(void)out;
	if (session_is_trace(env->s))
		take_analysis(p, session_analysis_finish(env->s, &p->making));
	else
		take_judgement(p, session_judgement_finish(env->s, &p->making));
	update_findings(st, env);
}

static void finish_walk(void *st, const struct pane_env *env, struct ask *out)
{
	(void)env;
	(void)out;
	take_walk(st, async_finish(&((struct findings_state *)st)->walking));
}

static int slots_of_findings(void *st, struct pane_work *out)
{
	out[0] = (struct pane_work){.slot = &((struct findings_state *)st)->making, .take = finish_findings};
	out[1] = (struct pane_work){.slot = &((struct findings_state *)st)->walking, .take = finish_walk};
	return 2;
}

static void place_finding(const void *st, const struct pane_env *env, struct place *to)
{
	const struct findings_state *p = st;
	const struct finding *f = selected_finding(p);
	const struct store *store = session_snap(env->s)->st;
	to->topic[0] = TOPIC_F_LEVEL;
	if (!f)
		return;
	to->topic[0] = (enum topic)(TOPIC_RULE_LOCK_QUEUE + f->rule);
	to->trk = f->trk;
	if (p->analysis) {
		to->rows = f->trk ? ROWS_GROUP : ROWS_ALL;
		to->id = f->trk ? store_trk_name(store, f->trk) : 0;
		to->t0 = f->show_t0;
		to->t1 = f->show_t1;
	}
	to->frm = f->nculprit ? f->culprit[0].frame : 0;
	to->fun = to->frm ? store_frm(store, to->frm)->fun : 0;
}

static enum verdict act_findings(void *st, const struct pane_env *env, const struct act *a, struct ask *out)
{
	const struct findings_state *p = st;
	const struct finding *f = selected_finding(p);
	if (a->cmd == CMD_PANE_LIST && !a->arg && f && p->analysis)
		return tracepane_ask_line(f, env, out);
	if (a->cmd != CMD_OPEN && a->cmd != CMD_WHY && a->cmd != CMD_PANE_TASK)
		return V_PASS;
	if (a->cmd != CMD_OPEN && (!f || !p->analysis || (a->arg && *a->arg)))
		return V_PASS;
	if (!f)
		return pane_message(out, "no finding is selected");
	if (!p->analysis && !f->nculprit)
		return pane_message(out, "this finding has no line");
	out->kind = ASK_PANE;
	out->pane = !p->analysis ? "list" : a->cmd == CMD_OPEN ? "timeline" : a->cmd == CMD_WHY ? "why" : "tasks";
	out->place = PLACE_NONE;
	uint32_t i = a->cmd == CMD_OPEN ? OPERATION_NONE : trace_analysis_slow_operation(p->analysis, f);
	if (i == OPERATION_NONE)
		place_finding(p, env, &out->place);
	else
		tracepane_operation_place(p->analysis->all, i, &out->place);
	out->place.by_default = a->cmd == CMD_PANE_TASK;
	return V_ASK;
}

static void put_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct findings_state *p = st;
	uint32_t problems = 0;
	const struct findings *all = all_findings(p);
	if (!all) {
		buf_puts(b, session_snap(env->s)->complete ? "judging" : "findings need the whole file");
		return;
	}
	for (uint32_t i = 0; i < all->n; i++)
		problems += all->v[i].level == FINDING_PROBLEM;
	buf_printf(b, "%u problem%s, %u notice%s", problems, text_s(problems), all->n - problems, text_s(all->n - problems));
	if (all->nunanswered)
		buf_printf(b, ", %u rule%s not answerable", all->nunanswered, text_s(all->nunanswered));
}

static void put_frame(const struct store *st, frm_id frame, struct buf *b)
{
	tracepane_put_frame(st, frame, b, true);
}

enum { LABEL = 16 };	/* cells of the labels */

/* Draw a label and a text that continues on further lines; return the line after it. */
static int draw_field(struct grid *g, int y, const char *label, const char *text)
{
	if (y < g->h)
		grid_text(g, y, 0, ST_HEAD, 0, label);
	return tracepane_draw_wrapped(g, y, LABEL, ST_NORMAL, text);
}

/* The same for a text with names of functions: their packages are left out where it would take more lines than `lines`. If
   that is not enough, it takes more. */
static int draw_names(struct grid *g, int y, const char *label, const char *text, int lines)
{
	enum { RAGGED = 10, MOST = 8 };	/* cells that a line may leave, because words are not divided */
	int w = g->w - LABEL;
	struct buf b = {0};
	for (; lines <= MOST; lines++) {
		int cells = lines == 1 ? w : lines * (w - RAGGED);
		buf_reset(&b);
		text_fit_line(&b, text, strlen(text), (size_t)(cells > 0 ? cells : 0), true);
		if (!b.n || b.p[b.n - 1] != '~')
			break;
	}
	y = draw_field(g, y, label, buf_str(&b));
	buf_free(&b);
	return y;
}

static int draw_places(const struct store *st, struct grid *g, int y, const struct finding *f)
{
	struct buf b = {0};
	for (uint32_t i = 0; i < f->nculprit; i++) {
		buf_reset(&b);
		put_frame(st, f->culprit[i].frame, &b);
		y = draw_names(g, y, i ? "" : "caused by", buf_str(&b), 1);
	}
	for (uint32_t i = 0; i < f->nvictim; i++) {
		const struct finding_victim *v = &f->victim[i];
		const char *name = v->operation ? v->operation : v->group ? v->group : "";
		buf_reset(&b);
		text_safe(&b, name, strlen(name));
		buf_puts(&b, v->at.frame && *name ? " at " : "");
		if (v->at.frame)
			put_frame(st, v->at.frame, &b);
		y = draw_names(g, y, i ? "" : "affected", buf_str(&b), 1);
	}
	buf_free(&b);
	return y;
}

static int draw_finding(const struct store *st, struct grid *g, int y, const struct finding *f)
{
	struct buf b = {0};
	y = draw_names(g, y, finding_level_name(f->level), f->text, 3);
	if (f->affected_ns > 0) {
		put_cost(f, &b);
		buf_printf(&b, ", %.0f%% %s", f->score, finding_score_of(f));
		y = draw_field(g, y, "cost", buf_str(&b));
		buf_reset(&b);
	}
	y = draw_places(st, g, y, f);
	for (uint32_t i = 0; i < f->nnumber; i++) {
		buf_puts(&b, i ? ", " : "");
		finding_put_number(&b, &f->number[i]);
	}
	if (f->t1 > f->t0) {	/* a profile has no times */
		buf_puts(&b, b.n ? ", " : "");
		text_at(&b, f->t0, 1000000);
		buf_puts(&b, "..");
		text_at(&b, f->t1, 1000000);
	}
	y = draw_field(g, y, "evidence", buf_str(&b));
	y = draw_field(g, y, "what to do", finding_rules[f->rule].action);
	y = draw_field(g, y, "see", f->see);
	buf_free(&b);
	return y;
}

/* Draw the critical path of the operation that shows the finding into the lines that are left. */
static void draw_evidence(const struct findings_state *p, const struct pane_env *env, struct grid *g, int y)
{
	const struct why_walk *w = p->shown;
	int gap = g->h - y > 8, h = w ? waterfall_lines(w->picture, g->h - y - 1 - gap) : 0;
	if (!h)
		return;
	y += gap;
	struct buf b = {0};
	buf_puts(&b, "one operation that it slows: ");
	why_put_target(w, &b);
	buf_puts(&b, ", ");
	text_ns(&b, w->path.t1 - w->path.t0);
	grid_text(g, y, 0, ST_HEAD, 0, buf_str(&b));
	buf_free(&b);
	const struct waterfall_view v = {.sn = w->of->sn, .env = env, .w = w->picture, .lines = w->lines,
	    .name = w->target.kind, .bar = UINT32_MAX};
	waterfall_draw(&v, g, y + 1, h);
}

static int draw_unanswered(struct grid *g, int y, const struct findings *all)
{
	struct buf b = {0};
	for (uint32_t i = 0; i < all->nunanswered && y < g->h; i++) {
		buf_reset(&b);
		buf_printf(&b, "%s: %s", finding_rules[all->unanswered[i].rule].id, all->unanswered[i].why);
		y = draw_field(g, y, i ? "" : "not known", buf_str(&b));
	}
	buf_free(&b);
	return y;
}

/* Return how many rows the table has: half of the pane at most. */
static int table_rows(const struct findings_state *p, const struct pane_env *env)
{
	int n = p->table.rows.n < 100 ? (int)p->table.rows.n : 100, most = env->rows / 2 > 1 ? env->rows / 2 : 1;
	return n < most ? n : most;
}

static void draw_findings(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct findings_state *p = st;
	const struct snap *sn = session_snap(env->s);
	const struct findings *all = all_findings(p);
	if (!all) {
		tracepane_draw_empty(g, 0, sn->complete ? "The file is being judged."
							: "Findings need the whole file, which is being read.");
		return;
	}
	const struct finding *f = selected_finding(p);
	int n = table_rows(p, env), y = n + 2;
	if (!all->n) {
		grid_text(g, 0, 0, ST_NORMAL, 0, "Nothing stands out.");
		draw_unanswered(g, 2, all);
		return;
	}
	pane_table_draw(&p->table, p, env, g, 0, n, false);
	if (f)
		draw_evidence(p, env, g, draw_finding(sn->st, g, y, f));
}

/* y: the whole finding, as text. */
static bool copy_finding(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct finding *f = selected_finding(st);
	const struct store *store = session_snap(env->s)->st;
	if (!f)
		return false;
	buf_printf(b, "%s %s: %s\n", finding_level_name(f->level), finding_rules[f->rule].id, f->text);
	for (uint32_t i = 0; i < f->nculprit; i++) {
		buf_puts(b, "caused by ");
		put_frame(store, f->culprit[i].frame, b);
		buf_putc(b, '\n');
	}
	for (uint32_t i = 0; i < f->nnumber; i++) {
		buf_puts(b, i ? ", " : "evidence: ");
		finding_put_number(b, &f->number[i]);
	}
	buf_printf(b, "%swhat to do: %s\nsee: ttrace %s\n", f->nnumber ? "\n" : "", finding_rules[f->rule].action, f->see);
	return false;
}

static struct list_part part_of_findings(void *st, const struct pane_env *env)
{
	struct findings_state *p = st;
	return pane_table_part(&p->table, 0, table_rows(p, env));
}
static const struct list_ops findings_list = {.part = part_of_findings, .moved = moved_finding};

static void put_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct finding *f = selected_finding(st);
	(void)env;
	buf_puts(b, f ? finding_rules[f->rule].title : "");
}

static void put_keys(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct finding *f = selected_finding(st);
	if (!f) {
		buf_puts(b, "W why  / find  ? help  q back");
		return;
	}
	buf_puts(b, session_is_trace(env->s) ? "Enter the evidence  W why  K the rule  2 its line"
					     : "Enter its line  3 callers and callees  K the rule  s sort");
	if (board_find(f->see, strlen(f->see)) >= 0)
		buf_printf(b, "  ; the board of %s", f->see);
}

const struct pane_ops pane_findings = {
    .name = "findings", .tab = "Find", .bit = P_FINDINGS, .cmd = CMD_FINDINGS,
    .state_size = sizeof(struct findings_state), .open = open_findings, .close = close_findings,
    .update = update_findings, .draw = draw_findings, .act = act_findings, .place = place_finding,
    .summary = put_summary, .list = &findings_list, .lines.detail = put_detail,
    .lines.keys = put_keys, .output.copy = copy_finding, .work.slots = slots_of_findings,
};
