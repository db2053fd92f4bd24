/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The pane `boards`: tables of what makes goroutines wait, one board at a time; [ and ] change the board. Each row leads
 * to its longest instance on the timeline, its source line, and the critical path there.
 */
#include "config.h"
#include "boards/pane.h"

#include "base/text/text.h"
#include "term/style.h"

#include <stdio.h>
#include <string.h>

static void open_boards(void *st, const struct pane_env *env)
{
	(void)env;
	boards_open_tables(st);
	boards_open_parts(st);
}

static void close_boards(void *st)
{
	struct boards_state *p = st;
	boards_drop(p);
	for (int i = 0; i < BOARD__N; i++)
		pane_table_free(&p->table[i]);
	pane_table_free(&p->parts);
}

static void update_boards(void *st, const struct pane_env *env)
{
	struct boards_state *p = st;
	boards_take_analysis(p, env, session_analysis_async(env->s, &p->analysing));
	if (p->board[p->id])
		pane_table_fill(&p->table[p->id], p, env, p->board[p->id]->n);
	p->parts_of = NULL;	/* `&` leaves out other parts */
}

void boards_show(struct boards_state *p, const struct pane_env *env, enum board_id id)
{
	p->id = id;
	p->chosen = true;
	p->in_parts = false;
	p->parts_of = NULL;
	boards_make(p, env);
	if (p->board[id])
		pane_table_fill(&p->table[id], p, env, p->board[id]->n);
	boards_select_wanted(p, env);
}

/* A part of a row: where most of it is. */
static void place_part(const struct pane_env *env, const struct board_part *v, struct place *to)
{
	const struct store *st = session_snap(env->s)->st;
	to->trk = v->g;
	to->rows = v->g ? ROWS_GROUP : ROWS_ALL;
	to->id = v->g ? store_trk_name(st, v->g) : 0;
	to->t0 = v->g ? v->t0 : TIME_NONE;
	to->t1 = v->g ? v->t1 : TIME_NONE;
	if (v->stack)
		tracepane_site_place(st, v->stack, to);
}

static void place_row(const void *st, const struct pane_env *env, struct place *to)
{
	const struct boards_state *p = st;
	const struct board_row *r = boards_selected(p);
	const struct board_part *part = boards_selected_part(p);
	to->topic[0] = TOPIC_BOARDS;
	if (part)
		place_part(env, part, to);
	if (!r || part)
		return;
	to->trk = r->trk;
	to->rows = r->group ? ROWS_GROUP : ROWS_ALL;
	to->id = r->group;
	to->t0 = r->t0;
	to->t1 = r->t1;
	if (r->stack)
		tracepane_site_place(session_snap(env->s)->st, r->stack, to);
}

static enum verdict open_row(const struct boards_state *p, const struct pane_env *env, const char *pane, struct ask *out)
{
	const struct board_row *r = boards_selected(p);
	const struct board_part *part = boards_selected_part(p);
	if (!r)
		return pane_message(out, "no row is selected");
	if (part ? !part->g : !r->trk)
		return pane_message(out, "no goroutine shows this row");
	out->kind = ASK_PANE;
	out->pane = pane;
	out->place = PLACE_NONE;
	place_row(p, env, &out->place);
	return V_ASK;
}

/* Restrict everything to the goroutines of the row. */
static enum verdict focus_group(const struct boards_state *p, const struct pane_env *env, struct ask *out)
{
	const struct board_row *r = boards_selected(p);
	struct buf b = {0};
	if (!r || !r->group)
		return pane_message(out, r ? "this row is about no single group of goroutines" : "no row is selected");
	buf_puts(&b, "group ");
	tracepane_put_name_regex(session_snap(env->s)->st, r->group, &b);
	out->kind = ASK_RUN;
	snprintf(out->text, sizeof out->text, "%s", buf_str(&b));
	buf_free(&b);
	return V_ASK;
}

static enum verdict open_named(struct boards_state *p, const struct pane_env *env, const char *name, struct ask *out)
{
	int id = board_find(name, strlen(name));
	if (id < 0)
		return pane_message(out, "there is no board \"%.40s\"", name);
	boards_show(p, env, (enum board_id)id);
	return V_DONE;
}

static enum verdict act_boards(void *st, const struct pane_env *env, const struct act *a, struct ask *out)
{
	struct boards_state *p = st;
	switch (a->cmd) {
	case CMD_OPEN: return open_row(p, env, "timeline", out);
	case CMD_WHY: return !boards_selected(p) || (a->arg && *a->arg) ? V_PASS : open_row(p, env, "why", out);
	case CMD_FOCUS: return a->arg && *a->arg ? V_PASS : focus_group(p, env, out);
	case CMD_BOARDS: return a->arg && *a->arg ? open_named(p, env, a->arg, out) : V_PASS;
	case CMD_NEXT_PART:
	case CMD_PREV_PART:
		p->in_parts = !p->in_parts && boards_count_parts(p) > 0;
		return V_DONE;
	case CMD_NEXT_KIND: boards_show(p, env, (enum board_id)((p->id + 1) % BOARD__N)); return V_DONE;
	case CMD_PREV_KIND: boards_show(p, env, (enum board_id)((p->id + BOARD__N - 1) % BOARD__N)); return V_DONE;
	default: return V_PASS;
	}
}

static int board_choices(const void *st, const struct pane_env *env, enum cmd_id cmd, struct choice *out)
{
	const struct boards_state *p = st;
	(void)env;
	for (int i = 0; cmd == CMD_BOARDS && i < BOARD__N; i++)
		pane_set_choice(&out[i], board_kinds[i].name, board_kinds[i].purpose, (int)p->id == i);
	return cmd == CMD_BOARDS ? BOARD__N : 0;
}

static void put_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct boards_state *p = st;
	const struct board *v = p->board[p->id];
	buf_printf(b, "board %d of %d: %s", p->id + 1, BOARD__N, board_kinds[p->id].title);
	if (!v) {
		buf_puts(b, session_snap(env->s)->complete ? "   counting" : "   boards need the whole trace");
		return;
	}
	buf_printf(b, "   %u row%s | ", v->n, text_s(v->n));
	for (int i = 0, n = 0; i < BOARD__N; i++)	/* the others, as far as they have been made */
		if (i != (int)p->id && p->board[i])
			buf_printf(b, "%s%s %u", n++ ? ", " : "[ ] ", board_kinds[i].name, p->board[i]->n);
	buf_puts(b, " | ");
	text_at(b, v->t0, 1000000);
	buf_puts(b, " to ");
	text_at(b, v->t1, 1000000);
}

/* The table, an empty line, and the list of parts: of each the number of rows without the heading. */
struct boards_layout { int rows, parts_at, parts; };

static struct boards_layout layout_tables(const struct boards_state *p, int h)
{
	enum { ROWS_MIN = 3, PARTS_MIN = 3 };
	int n = (int)(p->table[p->id].rows.n < 1000 ? p->table[p->id].rows.n : 1000), parts = boards_count_parts(p);
	struct boards_layout l = {.rows = h - 1};
	if (!parts || h < 2 * (ROWS_MIN + 2))
		return l;
	int most = h - 3 - (n < ROWS_MIN ? n : n < h / 2 - 1 ? n : h / 2 - 1);
	l.parts = parts < most ? parts : most > PARTS_MIN ? most : PARTS_MIN;
	l.rows = n < h - 3 - l.parts ? n : h - 3 - l.parts;
	l.parts_at = l.rows + 2;
	return l;
}

static void draw_tables(const struct boards_state *p, const struct pane_env *env, struct grid *g)
{
	enum { CURVE = 7 };
	struct boards_layout l = layout_tables(p, env->rows);
	const struct board_row *r = boards_selected(p);
	int y = l.parts ? l.parts_at + 1 + l.parts : l.rows + 1;
	pane_table_draw(&p->table[p->id], p, env, g, 0, l.rows, p->in_parts);
	if (l.parts && p->parts_of == r)
		pane_table_draw(&p->parts, p, env, g, l.parts_at, l.parts, !p->in_parts);
	if (!l.parts)
		y = (int)p->table[p->id].rows.n + 1;
	if (r && env->detail && !env->side_shown && g->h - y > CURVE)
		boards_draw_curve(p, r, g, y + 1);
}

static void draw_boards(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct boards_state *p = st;
	const struct snap *sn = session_snap(env->s);
	if (!p->board[p->id])
		tracepane_draw_empty(g, 0, sn->trace.log ? tracepane_log_notice : sn->complete ? "The board is being made."
		    : "Boards need the whole trace, which is being read.");
	else if (!p->board[p->id]->n)
		tracepane_draw_empty(g, 0, "This part of the trace has nothing for this board.");
	else
		draw_tables(p, env, g);
}

static struct list_part part_of_boards(void *st, const struct pane_env *env)
{
	struct boards_state *p = st;
	struct boards_layout l;
	boards_fill_parts(p, env);
	l = layout_tables(p, env->rows);
	return p->in_parts ? pane_table_part(&p->parts, l.parts_at, l.parts) : pane_table_part(&p->table[p->id], 0, l.rows);
}
static const struct list_ops boards_list = {.part = part_of_boards};

/* Which board it is, is a step of undo. */
static void save_boards(const void *st, struct view *v)
{
	const struct boards_state *p = st;
	const struct pane_table *t = &p->table[p->id];
	view_put_zoom(v, "board", p->id);
	pane_table_save(t, v);
	view_put_cursor(v, "part", p->in_parts ? p->parts.rows.sel + 1 : 0);
}

static void load_boards(void *st, const struct pane_env *env, const struct view *v)
{
	struct boards_state *p = st;
	boards_show(p, env, (enum board_id)view_get_below(v, "board", BOARD__N));
	pane_table_load(&p->table[p->id], p, env, v);
	int64_t part = view_get(v, "part");
	boards_fill_parts(p, env);
	p->in_parts = part > 0 && part <= p->parts.rows.n;
	if (p->in_parts)
		list_select(&p->parts.rows, (uint32_t)part - 1);
}

static void report_of_board(const void *st, const struct pane_env *env, struct pane_report *r)
{
	const struct boards_state *p = st;
	*r = (struct pane_report){.name = board_kinds[p->id].name};
	r->options[0] = pane_table_sort_option(&p->table[p->id], env->scratch);
}

static int split_boards(const void *st, const struct pane_env *env, int w, int *choose)
{
	const struct boards_state *p = st;
	return pane_table_cells_beside(&p->table[p->id], p, env, w, choose);
}

const struct pane_ops pane_boards = {
    .name = "boards", .tab = "Wait", .bit = P_BOARDS, .cmd = CMD_BOARDS, .trace_only = true, .of_scope = true,
    .state_size = sizeof(struct boards_state), .open = open_boards, .close = close_boards, .update = update_boards,
    .draw = draw_boards, .act = act_boards, .go = boards_go, .place = place_row, .summary = put_summary, .list = &boards_list,
    .view = {save_boards, load_boards}, .own.choices = board_choices, .lines.detail = boards_put_detail,
    .lines.hints = "Enter the longest  Tab its parts  [ ] other boards  W why  2 its line  f its group", .side.draw = boards_draw_side, .side.split = split_boards,
    .work.slots = boards_slots, .output.report = report_of_board,
};
