/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BOARDS_PANE_H
#define TTRACE_BOARDS_PANE_H

#include "app/pane_table.h"
#include "base/async.h"
#include "boards/board.h"
#include "session/trace_analysis.h"
#include "tracepane/tracepane.h"

/* The part of a trace that boards are about, and its measures. A job that makes a board owns it meanwhile. */
struct board_scope {
	struct trace_analysis *of;		/* a reference */
	struct trace_filter filter;
	struct board_measures *measures;	/* NULL: not made yet */
	struct arena mem;			/* of the filter */
};

struct boards_state {
	struct trace_analysis *analysis;	/* NULL: it is being made */
	struct async analysing, making;
	struct board_scope *scope;		/* NULL: a job has it, or it has not been made */
	enum board_id id;			/* the one that is shown */
	bool chosen;				/* the user or a finding chose it; else it is the first that has rows */
	struct board *board[BOARD__N];		/* of the analysis; NULL: not made yet */
	/* A table for each board, so that each keeps its order and its selection. */
	struct pane_table table[BOARD__N];
	struct pane_table_kind kind[BOARD__N];
	struct pane_table parts;		/* what the selected row consists of, below the table */
	const struct board_row *parts_of;	/* of which row; NULL: of none */
	bool in_parts;				/* the user is in that list */
	const struct finding *wanted;		/* of the analysis: the row that shows it is to be selected; NULL: none */
};

/* pane.c */
void boards_show(struct boards_state *, const struct pane_env *, enum board_id);

/* job.c */
/* Show another analysis, and take the reference; NULL: it is still being made. */
void boards_take_analysis(struct boards_state *, const struct pane_env *, struct trace_analysis *);
/* Make the board that is shown, then the others one by one, so that their rows are counted. */
void boards_make(struct boards_state *, const struct pane_env *);
int boards_slots(void *st, struct pane_work *);		/* for pane_ops.work */
void boards_drop(struct boards_state *);		/* drop all that belongs to an analysis */

/* table.c */
void boards_open_tables(struct boards_state *);
const struct board_row *boards_selected(const struct boards_state *);	/* NULL: there are no rows */
/* Append a value as the table shows it, made safe. */
void boards_put_cell(const struct pane_env *, enum board_column_id, const struct board_cell *, struct buf *);

/* goto.c */
bool boards_go(void *st, const struct pane_env *, const struct place *);	/* for pane_ops.go */
void boards_select_wanted(struct boards_state *, const struct pane_env *);	/* if the board has been made */

/* parts.c */
void boards_open_parts(struct boards_state *);
void boards_fill_parts(struct boards_state *, const struct pane_env *);	/* unless they are of the selected row */
int boards_count_parts(const struct boards_state *);	/* of the selected row */
const struct board_part *boards_selected_part(const struct boards_state *);	/* NULL: the user is not in the list */

/* side.c: the side part, and the line below the table */
/* Draw the curve of a row from line y on; return the line after it. */
int boards_draw_curve(const struct boards_state *, const struct board_row *, struct grid *, int y);
void boards_draw_side(const void *st, const struct pane_env *, struct grid *);
void boards_put_detail(const void *st, const struct pane_env *, struct buf *);

#endif
