/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Garbage collection: the GC cycles or, by [ and ], the stop-the-world pauses (gc/stops.c); below,
 * the share of the Ps that is left to the program in the worst window of each length (minimum
 * mutator utilisation), and the positions of the worst windows.
 *
 * Cycles are from trace/gc_cycles.c, utilisation from trace/mmu.c, as in the reports. The curve is
 * computed when the trace has been read, when the time range of the query changes, or when other
 * kinds of GC work are included (mmu_job.c). The worst windows are those of the length selected on
 * it.
 *
 * A filter of goroutines, tasks or regions leaves the cycles and stops during their lifetimes, with
 * only their assists. Utilisation is per P: such a filter does not apply to it, and the curve is
 * that of the window.
 */
#include "config.h"
#include "gc/internal.h"

#include "base/mem/mem.h"
#include "base/text/regex.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "store/tracks/time_search.h"

#include <stdlib.h>
#include <string.h>

static const unsigned includes[] = {	/* the values that e cycles through */
	MMU_STW | MMU_BACKGROUND | MMU_ASSIST, MMU_STW | MMU_BACKGROUND | MMU_ASSIST | MMU_SWEEP, MMU_STW,
	MMU_STW | MMU_ASSIST, MMU_BACKGROUND, MMU_ASSIST, MMU_SWEEP,
};
const struct gc_kind gc_kinds[GC_KINDS] = {
	{"stw", MMU_STW}, {"background", MMU_BACKGROUND}, {"assist", MMU_ASSIST}, {"sweep", MMU_SWEEP},
};
const struct gc_pct gc_pcts[GC_PCTS] = {
	{"min", "", 0}, {"p99.9", "0.1", 0.001}, {"p99", "1", 0.01}, {"p95", "5", 0.05},
};
enum { INCLUDES = sizeof includes / sizeof *includes };

/* ---- loading */

/* Return how much of a range lies in the window. */
static int64_t overlap_ns(const struct tracepane_scope *s, int64_t t0, int64_t t1)
{
	int64_t a = t0 > s->t0 ? t0 : s->t0, b = t1 < s->t1 ? t1 : s->t1;
	return b > a ? b - a : 0;
}

/* Compute the distribution of the durations of stops. */
static void measure_stops(struct gc_state *p)
{
	uint32_t n = p->stop.n;
	int64_t *ns = xmalloc((n + 1u) * sizeof *ns);
	for (uint32_t i = 0; i < n; i++) {
		const struct stop *v = &p->stop.v[i];
		ns[i] = v->t1 - v->t0;
		histogram_add(&p->stw, ns[i]);
		wrap_add_to(&p->stopped, overlap_ns(&p->scope, v->t0, v->t1));
	}
	p->stw_spread = stats_spread(ns, n);
	mem_free(ns);
}

/* Sum up the listed cycles. */
static void measure_cycles(struct gc_state *p)
{
	const struct pane_table *cycles = &p->table[GC_CYCLES];
	p->mark = p->assist = 0;
	for (uint32_t i = 0; i < cycles->rows.n; i++) {
		const struct gc_cycle *c = &p->cycle[cycles->item[i]];
		wrap_add_to(&p->mark, overlap_ns(&p->scope, c->t0, c->t1));
		wrap_add_to(&p->assist, c->assist);
	}
}

static void gc_pane_update(void *st, const struct pane_env *env)
{
	struct gc_state *p = st;
	arena_reset(&p->mem);
	memset(&p->stw, 0, sizeof p->stw);
	tracepane_scope(env, &p->mem, &p->scope);
	p->cycle = gc_cycles(session_snap(env->s), &p->scope.f, &p->mem, &p->ncycle);
	p->stopped = 0;
	pane_table_fill(&p->table[GC_CYCLES], p, env, p->ncycle);
	measure_cycles(p);
	gc_stops_make(p, env);
	measure_stops(p);
	gc_curve_update(p, env);
}

static void open_gc(void *st, const struct pane_env *env)
{
	struct gc_state *p = st;
	(void)env;
	p->include = includes[0];
	pane_table_open(&p->table[GC_CYCLES], &gc_cycles_table);
	pane_table_open(&p->table[GC_STOPS], &gc_stops_table);
	pane_table_open(&p->table[GC_SUMS], &gc_kinds_table);
}

static void close_gc(void *st)
{
	struct gc_state *p = st;
	arena_free(&p->curve);
	arena_free(&p->mem);
	for (int i = 0; i < GC_LISTS; i++)
		pane_table_free(&p->table[i]);
}

/* ---- commands */

static bool selected_place(const struct gc_state *p, const struct pane_env *env, struct place *to)
{
	const struct snap *sn = session_snap(env->s);
	const struct gc_cycle *cycle = p->stops ? NULL : gc_selected_cycle(p);
	const struct stop *stop = p->stops ? gc_selected_stop(p) : NULL;
	const struct stop_group *group = p->stops ? gc_selected_group(p) : NULL;
	if (p->part != PART_TABLE && p->worst_rows.n) {	/* on the curve: the worst window of the selected point */
		to->t0 = p->worst[p->part == PART_WORST ? p->worst_rows.sel : 0].t0;
		to->t1 = to->t0 + p->window[p->at];
		return true;
	}
	if (group && p->stop.by == STOPS_CALLER)
		tracepane_site_place(sn->st, store_span(sn->st, p->stop.v[group->first].span)->s.stack, to);
	if (!cycle && !stop)
		return false;
	const struct sink_span *s = &store_span(sn->st, cycle ? cycle->span : stop->span)->s;
	time_search_span_bounds(sn, s, &to->t0, &to->t1);
	if (p->stops)
		to->trk = s->trk;
	tracepane_site_place(sn->st, s->stack, to);
	return true;
}

static enum verdict include_cmd(struct gc_state *p, const struct pane_env *env, const char *arg, struct ask *out)
{
	unsigned flags = 0, before = p->include;
	for (const char *s = arg ? arg : "stw,background,assist"; *s;) {
		size_t n = strcspn(s, ", ");
		int i = 0;
		while (i < GC_KINDS && (strlen(gc_kinds[i].word) != n || strncmp(gc_kinds[i].word, s, n)))
			i++;
		if (i == GC_KINDS)
			return pane_message(out, "include requires some of stw, background, assist, sweep, "
			    "separated by commas");
		flags |= gc_kinds[i].flag;
		s += n + strspn(s + n, ", ");
	}
	p->include = flags;
	gc_curve_update(p, env);
	return flags == before ? pane_message(out, "include: these are included") : V_DONE;
}

/* Show the flame graph of the assists of the selected cycle. */
static enum verdict show_assists(const struct gc_state *p, const struct pane_env *env, struct ask *out)
{
	const struct gc_cycle *c = gc_selected_cycle(p);
	if (!c)
		return pane_message(out, "no GC cycle is selected");
	out->kind = ASK_QUERY;
	out->pane = "flame";
	out->query = *session_query(env->s);
	out->query.type = TRACE_ASSIST;
	out->query.suspended = false;
	if (!p->stops && p->part == PART_TABLE) {
		if (!c->nassist)
			return pane_message(out,
			    "no mark assists in this cycle: select another one, or press Tab and 4 for all cycles");
		out->query.from = c->t0;
		out->query.to = c->t1;
	}
	return V_ASK;
}

/* Move along the curve or the worst windows. Return false if a moves none of them. */
static bool move_in_part(struct gc_state *p, const struct pane_env *env, const struct act *a)
{
	struct act as = *a;
	bool sideways = a->cmd == CMD_LEFT || a->cmd == CMD_RIGHT;
	if (p->part == PART_CURVE && sideways) {
		int at = p->at + (a->cmd == CMD_LEFT ? -act_n(a) : act_n(a));
		p->at = at < 0 ? 0 : at >= PLOT ? PLOT - 1 : at;
		gc_curve_update(p, env);
		return true;
	}
	if (sideways)
		as.cmd = a->cmd == CMD_LEFT ? CMD_UP : CMD_DOWN;
	return p->part == PART_WORST && list_move(&p->worst_rows, &as, 1);
}

static enum verdict gc_pane_act(void *st, const struct pane_env *env, const struct act *a, struct ask *out)
{
	struct gc_state *p = st;
	if (move_in_part(p, env, a))
		return V_DONE;
	enum verdict v = gc_stops_act(p, env, a, out);
	if (v != V_PASS)
		return v;
	switch ((int)a->cmd) {
	case CMD_PREV_KIND:
	case CMD_NEXT_KIND:
		p->stops = !p->stops;
		return V_DONE;
	case CMD_NEXT_PART:
	case CMD_PREV_PART:
		p->part = p->plotted ? (p->part + (a->cmd == CMD_NEXT_PART ? 1u : PART__N - 1u)) % PART__N : PART_TABLE;
		return V_DONE;
	case CMD_COLUMNS: {
		unsigned i = 0;
		while (i < INCLUDES && includes[i] != p->include)
			i++;
		p->include = includes[(i + 1) % INCLUDES];
		gc_curve_update(p, env);
		return V_DONE;
	}
	case CMD_INCLUDE: return include_cmd(p, env, a->arg, out);
	case CMD_PANE_FLAME: return a->arg ? V_PASS : show_assists(p, env, out);
	case CMD_PERCENT:
		p->pct = (p->pct + 1) % GC_PCTS;
		gc_curve_update(p, env);
		return V_DONE;
	case CMD_PER_PROC:
		p->per_proc = !p->per_proc;
		gc_curve_update(p, env);
		return V_DONE;
	case CMD_OPEN:
		out->kind = ASK_PANE;
		out->pane = "timeline";
		return selected_place(p, env, &out->place) ? V_ASK : V_DONE;
	case CMD_FOCUS:
		if (a->arg || !selected_place(p, env, &out->place))
			return V_PASS;
		out->kind = ASK_QUERY;
		out->query = *session_query(env->s);
		out->query.from = out->place.t0;
		out->query.to = out->place.t1;
		return V_ASK;
	default: return V_PASS;
	}
}

static void gc_pane_place(const void *st, const struct pane_env *env, struct place *to)
{
	const struct gc_state *p = st;
	to->topic[0] = p->part == PART_WORST ? TOPIC_GC_MMU : p->stops ? TOPIC_GC_STOP : TOPIC_GC_CYCLE;
	to->topic[1] = TOPIC_GC_MMU;
	selected_place(p, env, to);
}

static void gc_pane_report(const void *st, const struct pane_env *env, struct pane_report *r)
{
	const struct gc_state *p = st;
	const struct pane_table *t = &p->table[gc_list(p)];
	const char *order = pane_table_sort_option(t, env->scratch);
	int k = 0;
	r->name = p->stops ? "stw" : "gc";
	if (order)
		r->options[k++] = order;
	if (p->stops && p->stop.by != STOPS_SINGLE)
		r->options[k++] = arena_printf(env->scratch, "-by=%s", stops_by_name[p->stop.by]);
	if (p->stops && p->stop.open && t->rows.n) {
		struct buf b = {0};
		stops_name(session_snap(env->s)->st, p->stop.v[t->item[0]].span, p->stop.by, &b);
		r->options[k++] = arena_printf(env->scratch, "-name=%s", buf_str(&b));
		buf_free(&b);
	}
}

static void gc_pane_save(const void *st, struct view *v)
{
	const struct gc_state *p = st;
	const struct gc_stops *s = &p->stop;
	view_put_zoom(v, "stops", p->stops);
	view_put_zoom(v, "by", s->by);
	view_put_zoom(v, "open", s->open);
	view_put_zoom(v, "key", s->open ? (int64_t)s->key : 0);
	pane_table_save_limit(&p->table[gc_list(p)], v);
	pane_table_save(&p->table[gc_list(p)], v);
}

static void gc_pane_load(void *st, const struct pane_env *env, const struct view *v)
{
	struct gc_state *p = st;
	p->stops = view_get(v, "stops") != 0;
	if (p->stops)
		gc_stops_load(p, env, v);
	else
		pane_table_load(&p->table[GC_CYCLES], p, env, v);
	measure_cycles(p);
}

static int gc_pane_choices(const void *st, const struct pane_env *env, enum cmd_id cmd, struct choice *out)
{
	(void)env;
	return cmd == CMD_GROUP_BY ? gc_stops_groups(st, out) : 0;
}

static void gc_pane_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct gc_state *p = st;
	int64_t len = p->scope.t1 - p->scope.t0;
	if (len <= 0 && !session_snap(env->s)->complete) {
		buf_puts(b, "reading");
		return;
	}
	uint32_t cycles = p->table[GC_CYCLES].rows.n, stops = p->table[GC_STOPS].rows.n;
	if (p->stops && p->stop.open && stops) {
		buf_puts(b, "stops > ");
		gc_stops_group_name(p, session_snap(env->s)->st, &p->stop.v[p->table[GC_STOPS].item[0]], b);
		buf_printf(b, "   %u stop%s | ", stops, text_s(stops));
		tracepane_put_scope(&p->scope, b);
		return;
	}
	buf_printf(b, "%u cycle%s, mark phases ", cycles, text_s(cycles));
	text_ns(b, p->mark);
	buf_puts(b, ", assists ");
	text_ns(b, p->assist);
	buf_printf(b, ", %u stop%s", p->stop.n, text_s(p->stop.n));
	if (p->stop.n) {
		buf_putc(b, ' ');
		text_ns(b, p->stopped);
	}
	buf_puts(b, " | ");
	tracepane_put_scope(&p->scope, b);
}

static void group_detail(const struct gc_state *p, const struct snap *sn, struct buf *b)
{
	const struct stop_group *g = gc_selected_group(p);
	if (!g)
		return;
	gc_stops_group_name(p, sn->st, &p->stop.v[g->first], b);
	buf_printf(b, ": %u stop%s, the longest ", g->n, text_s(g->n));
	text_ns(b, g->max);
	buf_puts(b, " at ");
	text_at(b, p->stop.v[g->longest].t0, 1000);
}

static void gc_pane_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct gc_state *p = st;
	const struct snap *sn = session_snap(env->s);
	struct place at = PLACE_NONE;
	if (p->part == PART_CURVE && p->plotted) {
		buf_puts(b, p->pct ? "of the windows of " : "in the worst window of ");
		text_ns(b, p->window[p->at]);
		buf_printf(b, p->pct ? " all but %s%% leave" : " the program has%s",
		    p->pct ? gc_pcts[p->pct].rest : "");
		buf_printf(b, " %.2f%% of the Ps", 100 * p->util[p->at]);
		return;
	}
	if (!selected_place(p, env, &at)) {
		if (p->stops)
			group_detail(p, sn, b);
		return;
	}
	if (p->part == PART_WORST && p->worst_rows.n) {
		buf_printf(b, "the program has %.1f%% of the Ps for ", 100 * p->worst[p->worst_rows.sel].util);
		text_ns(b, p->window[p->at]);
		buf_puts(b, " from ");
		text_at(b, at.t0, 1000);
	} else if (p->stops) {
		gc_stop_name(sn->st, gc_selected_stop(p)->span, b);
		buf_puts(b, "  ");
		tracepane_put_call_site(sn->st, at.stk, b);
	} else {
		const struct gc_cycle *c = gc_selected_cycle(p);
		buf_printf(b, "GC %u%s: stopped ", c->number, c->open ? ", not ended" : "");
		text_ns(b, c->stw_before < 0 ? 0 : c->stw_before);
		buf_puts(b, " before, ");
		text_ns(b, c->stw_after < 0 ? 0 : c->stw_after);
		buf_puts(b, " after the mark phase");
		if (at.stk)
			buf_puts(b, "; started by "), tracepane_put_site(sn->st, at.stk, b);
	}
}

static void gc_pane_keys(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct gc_state *p = st;
	(void)env;
	buf_puts(b, p->part == PART_CURVE ? "h l window  Tab worst windows"
		: p->part == PART_WORST ? "h l window  Enter timeline  f only then  Tab table"
		: p->stops ? gc_selected_group(p) ? "Enter its stops  s < > sort  gr group by  [ ] cycles"
		: p->stop.open ? "Enter timeline  s < > sort  v durations  q groups  [ ] cycles"
			       : "Enter timeline  s < > sort  v durations  gr group by  [ ] cycles"
			   : "Enter timeline  s < > sort  v durations  [ ] stops  Tab curve  4 assists");
	buf_puts(b, "  e what counts  % percentile  V per P");
	if (p->part == PART_TABLE)
		buf_puts(b, "  f filter to it");
}

static struct list_part gc_part(void *st, const struct pane_env *env)
{
	struct gc_state *p = st;
	return pane_table_part(&p->table[gc_list(p)], 0, gc_table_height(p, env));
}

/* Moving in the table selects it; a limit of its durations may leave other cycles. */
static void gc_moved(void *st, const struct pane_env *env)
{
	struct gc_state *p = st;
	(void)env;
	p->part = PART_TABLE;
	measure_cycles(p);
}

static const struct list_ops gc_table = {.part = gc_part, .moved = gc_moved};

static int gc_work(void *st, struct pane_work *out)
{
	out[0] = (struct pane_work){.slot = &((struct gc_state *)st)->work, .take = gc_curve_finish};
	return 1;
}

const struct pane_ops pane_gc = {
    .name = "gc",
    .tab = "GC",
    .bit = P_GC,
    .cmd = CMD_PANE_GC,
    .trace_only = true,
    .of_selection = true,
    .state_size = sizeof(struct gc_state),
    .open = open_gc,
    .close = close_gc,
    .update = gc_pane_update,
    .draw = gc_draw,
    .list = &gc_table,
    .act = gc_pane_act,
    .own.choices = gc_pane_choices,
    .place = gc_pane_place,
    .view.save = gc_pane_save,
    .view.load = gc_pane_load,
    .output.report = gc_pane_report,
    .summary = gc_pane_summary,
    .lines.detail = gc_pane_detail,
    .lines.keys = gc_pane_keys,
    .side.draw = gc_draw_side,
    .work.slots = gc_work,
};
