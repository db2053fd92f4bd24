/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Boards are made when they are first shown. They share measures, which take most of the time, so those are kept for the
 * other boards of the same scope: a job gets them with the question and returns them with the answer. If it is
 * cancelled, they are lost with it and made again.
 */
#include "config.h"
#include "boards/pane.h"

#include "base/mem/mem.h"
#include "session/query.h"

struct board_work { enum board_id id; struct board_scope *scope; struct board *board; };

static void free_scope(struct board_scope *x)
{
	if (!x)
		return;
	board_measures_free(x->measures);
	trace_analysis_free(x->of);
	arena_free(&x->mem);
	mem_free(x);
}

static void run_board(void *work, struct job *j)
{
	struct board_work *w = work;
	struct board_scope *x = w->scope;
	struct progress_watcher on = job_progress_watcher(j);
	if (!x->measures) {
		if (query_trace_filter(x->of->sn, &x->of->query, false, &x->mem, &x->filter, NULL, NULL))
			return;
		struct board_source from = {.sn = x->of->sn, .filter = &x->filter, .operations = x->of->operations,
		    .walker = x->of->walker};
		x->measures = board_measures_new(&from, &on);
	}
	w->board = x->measures ? board_make(w->id, x->measures, &on) : NULL;
}

static void free_board(void *work)
{
	struct board_work *w = work;
	board_free(w->board);
	free_scope(w->scope);
	mem_free(w);
}

static const struct async_kind board_work_kind = {run_board, free_board};

/* Unless a board was chosen, show the first that has rows, or the first one if none has. */
static void show_first(struct boards_state *p)
{
	for (int i = 0; !p->chosen && i < BOARD__N; i++) {
		p->id = (enum board_id)i;
		if (!p->board[i] || p->board[i]->n)
			return;
	}
	p->id = p->chosen ? p->id : (enum board_id)0;
}

/* Return the board to be made next: the one that is shown, then the first missing one; BOARD__N: none. */
static int next_board(const struct boards_state *p)
{
	int i = (int)p->id;
	if (!p->board[i])
		return i;
	for (i = 0; i < BOARD__N && p->board[i]; i++)
		;
	return i;
}

/* Take a board and its scope, if they are still of the current analysis. */
static void take_board(struct boards_state *p, const struct pane_env *env, struct board_work *w)
{
	if (!w)
		return;
	if (w->board && w->scope->of == p->analysis) {
		p->board[w->id] = w->board;
		p->scope = w->scope;
		w->board = NULL;
		w->scope = NULL;
		enum board_id before = p->id;
		show_first(p);
		if (p->board[p->id] && (p->id == w->id || p->id != before)) {	/* the others are filled when they are shown */
			pane_table_fill(&p->table[p->id], p, env, p->board[p->id]->n);
			boards_select_wanted(p, env);
		}
	}
	free_board(w);
}

void boards_make(struct boards_state *p, const struct pane_env *env)
{
	enum { PASSES = 4 };
	int id;
	while (p->analysis && (id = next_board(p)) < BOARD__N) {
		const struct board_work *wanted = async_wanted(&p->making);
		bool shown = wanted && (wanted->id == p->id || p->board[p->id]);	/* a job of another one that is shown waits */
		if (shown && wanted->scope->of == p->analysis)
			return;
		struct board_work *w = xcalloc(1, sizeof *w);
		w->id = (enum board_id)id;
		w->scope = p->scope;
		p->scope = NULL;
		if (!w->scope) {
			w->scope = xcalloc(1, sizeof *w->scope);
			w->scope->of = trace_analysis_share(p->analysis);
		}
		w = async_start(&p->making, &board_work_kind, w, snap_cost(p->analysis->sn, PASSES));
		if (!w)
			return;
		take_board(p, env, w);
		if (!p->board[id])
			return;
	}
}

static void finish_board(void *st, const struct pane_env *env, struct ask *out)
{
	struct boards_state *p = st;
	(void)out;
	take_board(p, env, async_finish(&p->making));
	boards_make(p, env);
}

static void finish_analysis(void *st, const struct pane_env *env, struct ask *out)
{
	struct boards_state *p = st;
	(void)out;
	struct trace_analysis *a = session_analysis_finish(env->s, &p->analysing);
	boards_take_analysis(p, env, a ? a : session_analysis_async(env->s, &p->analysing));
}

void boards_take_analysis(struct boards_state *p, const struct pane_env *env, struct trace_analysis *a)
{
	if (a && a != p->analysis) {
		boards_drop(p);
		p->analysis = trace_analysis_share(a);
	}
	trace_analysis_free(a);
	boards_make(p, env);
}

void boards_drop(struct boards_state *p)
{
	for (int i = 0; i < BOARD__N; i++) {
		board_free(p->board[i]);
		p->parts_of = NULL;
		p->board[i] = NULL;
		list_set_count(&p->table[i].rows, 0);
	}
	p->wanted = NULL;
	free_scope(p->scope);
	p->scope = NULL;
	trace_analysis_free(p->analysis);
	p->analysis = NULL;
}

int boards_slots(void *st, struct pane_work *out)
{
	struct boards_state *p = st;
	out[0] = (struct pane_work){.slot = &p->analysing, .take = finish_analysis};
	out[1] = (struct pane_work){.slot = &p->making, .take = finish_board};
	return 2;
}
