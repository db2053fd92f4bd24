/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The third list of the pane: operations of all kinds, also of programs that create no tasks. It has two tables, the
 * kinds and the operations of the open kind.
 *
 * Operations are part of the analysis of the trace, which the session makes and shares. Their histograms are of this list
 * alone, so a job of the pane counts them. The rows of tasks and regions come from a listing with filters of its own
 * (rows.c), and have nothing in common with these but the screen.
 *
 * The open kind is kept by its number. That is the one of an analysis: another scope has other kinds, so it is looked up
 * by its name and source then.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "term/style.h"
#include "trace/bins.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct tasks_histograms {
	struct trace_analysis *of;	/* a reference */
	struct duration_histogram *kind;	/* durations of the complete operations of each kind */
	int64_t lo, hi;			/* the scale of all of them */
};

static const struct operations *operations_of(const struct tasks_operations *p)
{
	return p->analysis ? p->analysis->operations : NULL;
}

/* The state of the pane as its tables get it. */
static const struct tasks_operations *of_pane(const void *st)
{
	return &((const struct tasks *)st)->operations;
}

static const struct operation_kind *kind_of(const void *st, uint32_t item)
{
	return &operations_of(of_pane(st))->kind[item];
}

/* Return the open kind; NULL: the table of kinds is shown. */
static const struct operation_kind *open_kind(const struct tasks_operations *p)
{
	const struct operations *ops = operations_of(p);
	return ops && p->open && p->open <= ops->nkinds ? &ops->kind[p->open - 1] : NULL;
}

static const struct operation *operation_of(const void *st, uint32_t item)
{
	const struct tasks_operations *p = of_pane(st);
	return &operations_of(p)->v[open_kind(p)->first + item];
}

static const struct operation_kind *selected_kind(const struct tasks *t)
{
	const struct tasks_operations *p = &t->operations;
	const struct operation_kind *open = open_kind(p);
	uint32_t i = operations_of(p) ? pane_table_selected(&p->kinds) : UINT32_MAX;
	return open ? open : i == UINT32_MAX ? NULL : kind_of(t, i);
}

/* Return the selected operation; NULL: no kind is open, or it has no rows. */
static const struct operation *selected_operation(const struct tasks *t)
{
	uint32_t i = open_kind(&t->operations) ? pane_table_selected(&t->operations.items) : UINT32_MAX;
	return i == UINT32_MAX ? NULL : operation_of(t, i);
}

/* Append the name of a kind, made safe. */
static void put_name(const struct operation_kind *k, struct buf *b)
{
	text_safe(b, k->name, k->nname);
	buf_puts(b, k->nname ? "" : "(no name)");
}

/* ---- the table of kinds */

enum kind_col { KIND_NAME, KIND_COUNT, KIND_P50, KIND_P99, KIND_MAX, KIND_TOTAL, KIND_SHAPE, KIND_FOUND, KIND_COLS };
static const struct pane_table_column kind_cols[KIND_COLS] = {
	[KIND_NAME] = {{"OPERATION", 0, false, 0, 0, 0, "name"}, "name", true},
	[KIND_COUNT] = {{"COUNT", 7, true, 0, 0, 0, "count"}, "number of them", false},
	[KIND_P50] = {{"p50", 7, true, 0, 0, 0, "p50"}, "50 percent take this or less", false},
	[KIND_P99] = {{"p99", 7, true, 0, 0, 0, "p99"}, "99 percent take this or less", false},
	[KIND_MAX] = {{"MAX", 7, true, 0, 0, 0, "max"}, "longest", false},
	[KIND_TOTAL] = {{"TOTAL", 7, true, 0, 0, 0, "total"}, "sum of their durations", false},
	[KIND_SHAPE] = {{"DURATIONS", 16, false, 0, 0, 24, NULL}, "histogram of the durations", false},
	[KIND_FOUND] = {{"FOUND BY", 9, false, 0, 26, 0, "found"}, "how they were found", true},
};

static int64_t kind_value(const struct operation_kind *k, int col)
{
	switch ((enum kind_col)col) {
	case KIND_COUNT: return k->n;
	case KIND_P50: return k->p50;
	case KIND_P99: return k->p99;
	case KIND_MAX: return k->max;
	case KIND_TOTAL: return k->total;
	case KIND_FOUND: return k->source;
	case KIND_NAME:
	case KIND_SHAPE:
	case KIND_COLS: break;
	}
	return 0;
}

static int compare_names(const struct operation_kind *a, const struct operation_kind *b)
{
	int c = memcmp(a->name, b->name, a->nname < b->nname ? a->nname : b->nname);
	return c ? c : (a->nname > b->nname) - (a->nname < b->nname);
}

static int compare_kinds(const void *st, const struct pane_env *env, int col, int sign, uint32_t i, uint32_t j)
{
	const struct operation_kind *a = kind_of(st, i), *b = kind_of(st, j);
	int64_t x = kind_value(a, col), y = kind_value(b, col);
	(void)env;
	return sign * (col == KIND_NAME ? compare_names(a, b) : (x > y) - (x < y));
}

static void draw_kind_cell(const void *st, const struct pane_env *env, struct grid *g, int w, uint32_t item, int col)
{
	const struct operation_kind *k = kind_of(st, item);
	const struct tasks_histograms *h = of_pane(st)->histograms;
	struct buf b = {0};
	switch ((enum kind_col)col) {
	case KIND_NAME:
		put_name(k, &b);
		tracepane_draw_text(env, g, 0, 0, w, ST_NORMAL, &b);
		break;
	case KIND_FOUND: grid_text(g, 0, 0, ST_DIM, 0, operations_source_name(k->source)); break;
	case KIND_COUNT: tracepane_draw_count(g, 0, w, k->n); break;
	case KIND_SHAPE:
		if (h)
			tracepane_draw_histogram(g, 0, 0, w, &h->kind[item], h->lo, h->hi, ST_HEAT);
		break;
	case KIND_P50:
	case KIND_P99:
	case KIND_MAX:
	case KIND_TOTAL: tracepane_draw_ns(g, 0, w, kind_value(k, col), 0); break;
	case KIND_COLS: break;
	}
	buf_free(&b);
}

static void put_kind_text(const void *st, const struct pane_env *env, uint32_t item, struct buf *b)
{
	const struct operation_kind *k = kind_of(st, item);
	(void)env;
	put_name(k, b);
	buf_printf(b, "  %s", operations_source_name(k->source));
}

static const struct pane_table_kind kinds_table = {
    .cols = kind_cols, .ncol = KIND_COLS, .sort = KIND_TOTAL, .text = put_kind_text, .cell = draw_kind_cell,
    .compare = compare_kinds};

/* ---- the table of the operations of a kind */

enum item_col { ITEM_ID, ITEM_START, ITEM_TIME, ITEM_MOST, ITEM_STRIP, ITEM_WHOSE, OPERATION_COLS };
static const struct pane_table_column item_cols[OPERATION_COLS] = {
	[ITEM_ID] = {{"OPERATION", 9, true, 0, 0, 0, "operation"}, "number of the operation", true},
	[ITEM_START] = {{"START", 9, true, 0, 0, 0, "start"}, "time of the start", true},
	[ITEM_TIME] = {{"DURATION", 9, true, 0, 0, 0, "duration"}, "duration", false},
	[ITEM_MOST] = {{"MOST TIME", 14, false, 0, 0, 0, NULL}, "the state in which the goroutine spent most of it", false},
	[ITEM_STRIP] = {{"ACTIVITY", 16, false, 0, 0, 24, NULL}, "what the goroutine did", false},
	[ITEM_WHOSE] = {{"GOROUTINE", 0, false, 0, 0, 0, NULL}, "the goroutine on which it ends", false},
};

static int64_t item_value(const struct operation *o, int col)
{
	return col == ITEM_ID ? (int64_t)o->id : col == ITEM_START ? o->t0 : o->t1 - o->t0;
}

static int compare_items(const void *st, const struct pane_env *env, int col, int sign, uint32_t i, uint32_t j)
{
	int64_t x = item_value(operation_of(st, i), col), y = item_value(operation_of(st, j), col);
	(void)env;
	return sign * ((x > y) - (x < y));
}

static void draw_main_state(const struct pane_env *env, struct grid *g, const struct operation *o)
{
	struct bin bin;
	if (!o->g || o->t1 <= o->t0)
		return;
	bins_sum(session_snap(env->s), o->g, o->t0, o->t1, &bin);
	enum tstate most = bins_main_state(&bin, false);
	if (most != TS_NONE)
		grid_text(g, 0, 0, style_of_state(most), 0, style_state_name(most));
}

static void draw_item_cell(const void *st, const struct pane_env *env, struct grid *g, int w, uint32_t item, int col)
{
	const struct operation *o = operation_of(st, item);
	struct buf b = {0};
	switch ((enum item_col)col) {
	case ITEM_ID:
		buf_printf(&b, "%" PRIu64, o->id);
		grid_right(g, 0, w, ST_NORMAL, 0, buf_str(&b));
		break;
	case ITEM_START: tracepane_draw_time(g, 0, w, o->t0); break;
	case ITEM_TIME:
		tracepane_draw_ns(g, 0, w - 1, o->t1 - o->t0, 0);
		grid_text(g, 0, w - 1, ST_WARN, 0, o->complete ? "" : "+");
		break;
	case ITEM_MOST: draw_main_state(env, g, o); break;
	case ITEM_STRIP:
		if (o->g)
			tracepane_draw_states(env, g, 0, 0, w, o->g, o->t0, o->t1);
		break;
	case ITEM_WHOSE:
		if (!o->g)
			break;
		tracepane_put_track(session_snap(env->s)->st, o->g, &b);
		tracepane_draw_text(env, g, 0, 0, w, ST_NORMAL, &b);
		break;
	case OPERATION_COLS: break;
	}
	buf_free(&b);
}

static void put_item_text(const void *st, const struct pane_env *env, uint32_t item, struct buf *b)
{
	const struct operation *o = operation_of(st, item);
	buf_printf(b, "%" PRIu64 "  ", o->id);
	if (o->g)
		tracepane_put_track(session_snap(env->s)->st, o->g, b);
}

static int64_t item_id(const void *st, uint32_t item)
{
	return (int64_t)operation_of(st, item)->id;
}

static int64_t item_duration(const void *st, uint32_t item)
{
	const struct operation *o = operation_of(st, item);
	return o->complete ? o->t1 - o->t0 : -1;
}

static const struct pane_table_kind items_table = {
    .cols = item_cols, .ncol = OPERATION_COLS, .sort = ITEM_TIME, .text = put_item_text, .cell = draw_item_cell,
    .compare = compare_items, .id = item_id, .duration = item_duration};

/* ---- the analysis and the histograms */

static void count_histograms(void *work, struct job *j)
{
	struct tasks_histograms *h = work;
	const struct operations *ops = h->of->operations;
	int64_t lo = INT64_MAX, hi = 0;
	h->kind = xcalloc(ops->nkinds + 1u, sizeof *h->kind);
	for (uint32_t k = 0; k < ops->nkinds && !(j && job_cancelled(j)); k++) {
		const struct operation_kind *kind = &ops->kind[k];
		for (uint32_t i = kind->first; i < kind->first + kind->n; i++)
			if (ops->v[i].complete)
				histogram_add(&h->kind[k], ops->v[i].t1 - ops->v[i].t0);
		if (!h->kind[k].n)
			continue;
		lo = h->kind[k].min < lo ? h->kind[k].min : lo;
		hi = h->kind[k].max > hi ? h->kind[k].max : hi;
	}
	h->lo = lo == INT64_MAX ? 0 : tracepane_round_decade(lo, false);
	h->hi = tracepane_round_decade(hi, true);
}

static void free_histograms(void *work)
{
	struct tasks_histograms *h = work;
	if (!h)
		return;
	trace_analysis_free(h->of);
	mem_free(h->kind);
	mem_free(h);
}

static const struct async_kind histograms_kind = {count_histograms, free_histograms};

static void take_histograms(struct tasks_operations *p, struct tasks_histograms *h)
{
	if (!h || h->of != p->analysis) {
		free_histograms(h);
		return;
	}
	free_histograms(p->histograms);
	p->histograms = h;
}

static void finish_histograms(void *st, const struct pane_env *env, struct ask *out)
{
	struct tasks_operations *p = &((struct tasks *)st)->operations;
	(void)env;
	(void)out;
	take_histograms(p, async_finish(&p->counting));
}

static void fill_tables(struct tasks *t, const struct pane_env *env)
{
	struct tasks_operations *p = &t->operations;
	const struct operation_kind *open = open_kind(p);
	pane_table_fill(&p->kinds, t, env, operations_of(p)->nkinds);
	if (open)
		pane_table_fill(&p->items, t, env, open->n);
}

/* Return the number of the kind in other operations, as tasks_operations.open; 0: they have none like it. */
static uint32_t find_same_kind(const struct operations *ops, const struct operation_kind *k)
{
	for (uint32_t i = 0; k && i < ops->nkinds; i++)
		if (ops->kind[i].source == k->source && !compare_names(&ops->kind[i], k))
			return i + 1;
	return 0;
}

/* Show another analysis, and take the reference; NULL: it is still being made. */
static void take_analysis(struct tasks *t, const struct pane_env *env, struct trace_analysis *a)
{
	struct tasks_operations *p = &t->operations;
	if (!a || a == p->analysis) {
		trace_analysis_free(a);
		return;
	}
	p->open = p->analysis ? find_same_kind(a->operations, open_kind(p)) : p->open;
	trace_analysis_free(p->analysis);
	p->analysis = a;
	p->open = open_kind(p) ? p->open : 0;
	free_histograms(p->histograms);
	p->histograms = NULL;
	struct tasks_histograms *h = xcalloc(1, sizeof *h);
	h->of = trace_analysis_share(a);
	take_histograms(p, async_start(&p->counting, &histograms_kind, h, a->operations->n));
	fill_tables(t, env);
}

/* Is this the list to show unless the user chooses another one: has the trace no user tasks? Kinds of tasks come first.
   While there is no analysis, no task in the list is taken for no task in the trace. */
static bool is_default(const struct tasks *t, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	const struct trace_analysis *a = t->operations.analysis;
	bool listed = !async_job(&t->work) && !t->list.regions && !t->list.nitem;
	bool tasks = a && a->all->nkinds && a->all->kind[0].source == OPERATION_TASK;
	return sn->complete && sn->has_trace && !sn->trace.log && t->level == L_KINDS && listed && !tasks;
}

void tasks_operations_update(struct tasks *t, const struct pane_env *env)
{
	struct tasks_operations *p = &t->operations;
	if (!p->chosen)
		p->shown = is_default(t, env);
	if (!p->shown)
		return;
	take_analysis(t, env, session_analysis_async(env->s, &p->making));
	if (!p->chosen)
		p->shown = is_default(t, env);
	if (p->analysis)
		fill_tables(t, env);
}

static void finish_analysis(void *st, const struct pane_env *env, struct ask *out)
{
	struct tasks *t = st;
	(void)out;
	take_analysis(t, env, session_analysis_finish(env->s, &t->operations.making));
	tasks_operations_update(t, env);
}

int tasks_operations_slots(struct tasks *t, struct pane_work *out)
{
	out[0] = (struct pane_work){.slot = &t->operations.making, .take = finish_analysis};
	out[1] = (struct pane_work){.slot = &t->operations.counting, .take = finish_histograms};
	return 2;
}

void tasks_operations_open(struct tasks *t)
{
	pane_table_open(&t->operations.kinds, &kinds_table);
	pane_table_open(&t->operations.items, &items_table);
}

void tasks_operations_close(struct tasks *t)
{
	struct tasks_operations *p = &t->operations;
	free_histograms(p->histograms);
	trace_analysis_free(p->analysis);
	pane_table_free(&p->kinds);
	pane_table_free(&p->items);
}

/* ---- commands */

static void show_kind(struct tasks *t, const struct pane_env *env, uint32_t open)
{
	struct tasks_operations *p = &t->operations;
	p->open = open;
	p->items.sel = -1;
	if (!open_kind(p))
		return;
	pane_table_fill(&p->items, t, env, open_kind(p)->n);
	pane_table_select_row(&p->items, t, 0);
}

bool tasks_operations_place(const struct tasks *t, struct place *to)
{
	const struct operation *o = selected_operation(t);
	to->topic[0] = TOPIC_K_OPERATION;
	to->topic[1] = o ? TOPIC_NONE : TOPIC_K_QUANTILE;
	if (!o)
		return false;
	to->trk = o->g;
	to->t0 = o->t0;
	to->t1 = o->t1;
	return true;
}

static enum verdict open_row(struct tasks *t, const struct pane_env *env, struct ask *out)
{
	struct tasks_operations *p = &t->operations;
	const struct operation_kind *k = selected_kind(t);
	if (!k)
		return pane_message(out, "no row is selected");
	if (!open_kind(p)) {
		p->items.brush = (struct brush){0};
		show_kind(t, env, (uint32_t)(k - operations_of(p)->kind) + 1);
		return V_DONE;
	}
	out->place = PLACE_NONE;
	if (!tasks_operations_place(t, &out->place) || !out->place.trk)
		return pane_message(out, "no goroutine shows this row");
	out->kind = ASK_PANE;
	out->pane = "timeline";
	return V_ASK;
}

/* Explain the selected operation; of a kind, the one nearest its p99. */
static enum verdict explain_row(const struct tasks *t, struct ask *out)
{
	const struct operations *ops = operations_of(&t->operations);
	const struct operation_kind *k = selected_kind(t);
	const struct operation *o = selected_operation(t);
	if (!k)
		return pane_message(out, "no row is selected");
	if (!o)
		o = &ops->v[operations_nearest_p99(ops, k)];
	out->kind = ASK_RUN;
	snprintf(out->text, sizeof out->text, "why %" PRIu64, o->id);
	return V_ASK;
}

/* Restrict everything to the selected operation or kind, and show a pane unless it is NULL. */
static enum verdict filter_row(const struct tasks *t, const struct pane_env *env, const char *pane, struct ask *out)
{
	const struct operation_kind *k = selected_kind(t);
	const struct operation *o = selected_operation(t);
	struct buf b = {0};
	if (!k)
		return pane_message(out, "no row is selected");
	if (o)
		buf_printf(&b, "%" PRIu64, o->id);
	else
		tracepane_put_regex(k->name, k->nname, &b);
	out->kind = ASK_QUERY;
	out->pane = pane;
	out->query = *session_query(env->s);
	out->query.suspended = false;
	out->query.task = out->query.region = out->query.latency = NULL;
	out->query.operation = arena_strndup(env->scratch, b.p, b.n);
	buf_free(&b);
	return V_ASK;
}

enum verdict tasks_operations_act(struct tasks *t, const struct pane_env *env, const struct act *a, struct ask *out)
{
	bool named = a->arg && *a->arg;
	switch (a->cmd) {
	case CMD_OPEN: return open_row(t, env, out);
	case CMD_WHY: return named ? V_PASS : explain_row(t, out);
	case CMD_FOCUS: return named ? V_PASS : filter_row(t, env, NULL, out);
	case CMD_PANE_FLAME: return named ? V_PASS : filter_row(t, env, "flame", out);
	case CMD_BACK:
		if (!t->operations.open)
			return V_PASS;
		t->operations.open = 0;
		return V_DONE;
	default: return V_PASS;
	}
}

/* `7` from a goroutine at a time: select the kind of the operation there. */
void tasks_operations_go(struct tasks *t, const struct place *to)
{
	const struct operations *ops = operations_of(&t->operations);
	uint32_t i = ops && to->trk && to->t0 != TIME_NONE ? operations_at(ops, to->trk, to->t0) : OPERATION_NONE;
	if (i != OPERATION_NONE && !t->operations.open)
		pane_table_select(&t->operations.kinds, t, ops->v[i].kind);
}

struct list_part tasks_operations_part(struct tasks *t, const struct pane_env *env)
{
	struct tasks_operations *p = &t->operations;
	return pane_table_part(open_kind(p) ? &p->items : &p->kinds, 0, env->rows - 1);
}

/* ---- the view */

void tasks_operations_save(const struct tasks *t, struct view *v)
{
	const struct tasks_operations *p = &t->operations;
	const struct pane_table *table = p->open ? &p->items : &p->kinds;
	view_put_zoom(v, "ops", 1);
	view_put_zoom(v, "kind", p->open);
	pane_table_save_limit(table, v);
	pane_table_save(table, v);
}

/* Without an analysis only the kind is kept: it is opened as soon as there is one. */
void tasks_operations_load(struct tasks *t, const struct pane_env *env, const struct view *v)
{
	struct tasks_operations *p = &t->operations;
	p->chosen = p->shown = true;
	p->open = (uint32_t)view_get_below(v, "kind", UINT32_MAX);
	tasks_operations_update(t, env);
	if (!p->analysis)
		return;
	p->open = open_kind(p) ? p->open : 0;
	pane_table_load(p->open ? &p->items : &p->kinds, t, env, v);
}

/* ---- the screen */

void tasks_operations_summary(const struct tasks *t, const struct pane_env *env, struct buf *b)
{
	const struct tasks_operations *p = &t->operations;
	const struct operations *ops = operations_of(p);
	const struct operation_kind *open = open_kind(p);
	const struct snap *sn = session_snap(env->s);
	if (async_job(&p->making))
		tracepane_put_progress(async_job(&p->making), "computing", b);
	if (!ops || sn->trace.log) {
		buf_puts(b, "operations ([ ] tasks, regions)");
		return;
	}
	if (open) {
		buf_puts(b, "Operations > ");
		put_name(open, b);
		buf_puts(b, "   ");
		text_count(b, open->n);
		buf_printf(b, ", %" PRIu32 " incomplete", open->n - open->ncomplete);
	} else {
		buf_printf(b, "operations ([ ] tasks, regions) | %" PRIu32 " kind%s, ", p->kinds.rows.n, text_s(p->kinds.rows.n));
		text_count(b, ops->n);
		buf_printf(b, " operation%s", text_s(ops->n));
	}
	if (sn->nstks <= 1)
		buf_puts(b, " | no stacks: no requests or rounds are known");
}

void tasks_operations_detail(const struct tasks *t, const struct pane_env *env, struct buf *b)
{
	const struct operation_kind *k = selected_kind(t);
	const struct operation *o = selected_operation(t);
	const struct store *st = session_snap(env->s)->st;
	if (!k)
		return;
	if (o) {
		text_ns(b, o->t1 - o->t0);
		buf_puts(b, o->complete ? " at " : ", not complete in the trace, at ");
		text_at(b, o->t0, 1000);
		buf_puts(b, "  ");
		if (o->g)
			tracepane_put_track(st, o->g, b);
		return;
	}
	put_name(k, b);
	buf_printf(b, " (%s): %" PRIu32 ", %" PRIu32 " incomplete, %" PRIu32 " slow",
	    operations_source_name(k->source), k->n, k->n - k->ncomplete, k->nslow);
	if (k->site) {
		buf_puts(b, "  ");
		tracepane_put_call_site(st, k->site, b);
	}
}

void tasks_operations_keys(const struct tasks *t, struct buf *b)
{
	buf_puts(b, t->operations.open ? "Enter timeline  W why  v durations  f only it  4 flame of it  s < > sort  i invert  q back"
				       : "Enter open  [ ] tasks, regions  W why (p99)  f only these  4 flame  s < > sort  i invert");
}

static const char *why_empty(const struct tasks *t, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	if (sn->trace.log)
		return tracepane_log_notice;
	if (!sn->complete)
		return "Operations need the whole trace, which is being read.";
	if (!t->operations.analysis)
		return "Operations are being computed.";
	if (env->grep.rx)
		return "No row matches: & and Enter shows all rows.";
	if (t->operations.analysis->all->nkinds)
		return "No operation passes the filters.\nR removes all filters, u the last one.";
	return sn->nstks <= 1 ? "The trace has no stacks and no tasks, so operations cannot be told from it."
			      : "The trace has no goroutines, so no operations.";
}

void tasks_operations_draw(const struct tasks *t, const struct pane_env *env, struct grid *g)
{
	const struct tasks_operations *p = &t->operations;
	const struct pane_table *table = open_kind(p) ? &p->items : &p->kinds;
	if (!operations_of(p) || !table->rows.n)
		tracepane_draw_empty(g, 1, why_empty(t, env));
	else
		pane_table_draw(table, t, env, g, 0, g->h - 1, false);
}

/* Draw the time by class of the selected kind. */
void tasks_operations_draw_side(const struct tasks *t, struct grid *g)
{
	const struct operation_kind *k = selected_kind(t);
	int64_t all = 0;
	int y = 0;
	for (int c = 0; k && c < TIME_CLASS__N; c++)
		all += k->class_ns[c];
	if (!all)
		return;
	grid_text(g, y++, 0, ST_HEAD, 0, "what its goroutines did");
	for (int c = 0; c < TIME_CLASS__N; c++)
		if (k->class_ns[c] > 0)
			y = tracepane_draw_share(g, y, g->h, style_of_state(time_class_state((enum time_class)c)),
			    time_class_name((enum time_class)c), k->class_ns[c], all);
}
