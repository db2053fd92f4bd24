/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_PANE_H
#define TTRACE_APP_PANE_H

#include "app/command.h"
#include "app/explain.h"
#include "app/tui.h"
#include "base/text/regex.h"
#include "session/session.h"
#include "term/grid.h"

/*
 * The pane interface. A pane is pure functions over (its state, the session):
 * draw() never changes anything, keys arrive as commands (commands.def), and what
 * concerns the whole program is asked of the app through struct ask. A pane
 * knows neither keys nor curses nor other panes; links between panes are
 * places. All functions but act, draw and summary may be NULL.
 */
struct place {		/* something that can be pointed at; 0 / NONE where it does not apply */
	fun_id fun;
	stk_id stk;	/* node of the store's call tree */
	frm_id frm;	/* a source line */
	trk_id trk;
	int64_t t0, t1;	/* TIME_NONE when no time is meant */
	int64_t line;	/* of the function's file; 0 none is meant */
	/* which rows the timeline is to have: the goroutines of a start function, of a task, all of them */
	enum place_rows { ROWS_ANY, ROWS_GROUP, ROWS_TASK, ROWS_ALL } rows;
	uint64_t id;	/* of rows: the function's name (str_id), the task's id */
	trk_id row;	/* the timeline's own row, where trk is who is on it */
};
#define PLACE_NONE ((struct place){0, 0, 0, 0, TIME_NONE, TIME_NONE, 0, ROWS_ANY, 0, 0})

/*
 * Where a pane looks, as numbers whose meaning is its own. The app keeps them
 * for undo, the jump list and marks: another zoom is a step of undo, another
 * cursor is not, but comes back with it.
 */
struct view { int64_t zoom[4], cursor[4]; };

enum verdict {
	V_PASS,		/* not mine: the app does what is common to all panes, if anything */
	V_DONE,
	V_ASK		/* see ask */
};
enum ask_kind { ASK_NONE, ASK_QUERY, ASK_PANE, ASK_MESSAGE, ASK_PROMPT, ASK_RUN };
struct ask {
	enum ask_kind kind;
	struct query query;	/* ASK_QUERY: the new one; strings may lie in env->scratch */
	struct arena *own;	/* NULL, or all that are new lie there, and it may be taken: session_set_query() */
	const char *pane;	/* ASK_PANE: name of the pane to open ... */
	struct place place;	/* ... and where; ASK_QUERY may name a pane too */
	char text[256];		/* ASK_MESSAGE; ASK_PROMPT: text to start the ":" line with;
				   ASK_RUN: a ":" line to run */
};

/* For act(): these words on the message line; longer ones are cut. */
enum verdict pane_message(struct ask *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct search {			/* a regular expression in force, kept by the app */
	const struct regex *rx;	/* NULL: none */
	const char *text;
};

/* What percentages are of: as each pane has it by itself, the whole, what the filters leave, or what the
   row belongs to (its parent, the centre, the function). */
enum base { BASE_AUTO, BASE_ALL, BASE_SHOWN, BASE_LOCAL, BASE__N };

struct choice {			/* one of the values that a command takes: a row of a menu */
	char arg[48], text[112];
	bool on;		/* it holds now */
};
enum { CHOICES_MAX = 40 };
void pane_set_choice(struct choice *, const char *arg, const char *text, bool on);

struct pane_env {		/* what a pane may see beside its own state */
	struct session *s;
	struct search find;	/* `/`: hits are marked, nothing is left out */
	struct search grep;	/* `&`: lists leave out what does not match; update() when it changes */
	struct arena *scratch;	/* reset after each draw and each act */
	bool ascii, mono, compact, detail;
	bool side_shown;		/* the side part is shown */
	bool going;		/* go() or load() comes after this update(): what they replace need not be made */
	bool wall;		/* times of a trace by the clock, where it has one */
	int rows, cols;		/* of the pane's area, now; side part not counted */
	int choose;		/* at most cols: for so many tables choose their columns (list_layout_columns()) */
	enum base base;
	const char *unit;	/* in which values are written; NULL: as suits each */
	const fun_id *tagged;	/* functions that were tagged (t) */
	size_t ntagged;
	int from;		/* the pane that help was opened from: its bit, ... */
	const char *hints;	/* ... and its line of keys */
	tui_report *report;	/* makes the text of a report; NULL: cannot */
};

#define FIND_ON UINT32_MAX
struct pane_report {		/* the report that has what a pane shows; strings may lie in env->scratch */
	const char *name, *arg, *options[3];	/* NULL: by the name of the pane; the selected function; no more */
};

struct pane_ops {
	const char *name, *tab;	/* "top", "Top" */
	int bit;		/* P_TOP: the rows of commands.def that hold here */
	enum cmd_id cmd;	/* the command that opens it */
	bool trace_only, profile_only;
	bool of_scope;		/* what it shows depends on the scope of the query alone: session_scope() */
	size_t state_size;	/* the app allocates it, zeroed, before open() */
	void (*open)(void *st, const struct pane_env *);	/* once, before it is first shown */
	void (*close)(void *st);
	void (*update)(void *st, const struct pane_env *);	/* another snapshot, query or grep; after open() */
	/* It is not on the screen, and a tree is being made: one as large that it holds goes (session_needs_room()).
	   true: update() is to come before it is shown again. */
	bool (*rest)(void *st, const struct pane_env *);
	void (*tick)(void *st, const struct pane_env *);	/* work beside the interface has news */
	/* PURE. The grid is clipped to the pane's area: below the two head lines, above the last two. */
	void (*draw)(const void *st, const struct pane_env *, struct grid *);
	enum verdict (*act)(void *st, const struct pane_env *, const struct act *, struct ask *);
	bool (*go)(void *st, const struct pane_env *, const struct place *);	/* show this; false: cannot */
	void (*place)(const void *st, const struct pane_env *, struct place *);	/* under the cursor; starts
									   as PLACE_NONE */
	/* What K explains here, at most TOPICS_MAX rows of explain.def; how many. States at the place and
	   functions the app adds by itself. */
	int (*topics)(const void *st, const struct pane_env *, enum topic *);
	void (*save)(const void *st, struct view *);
	void (*load)(void *st, const struct pane_env *, const struct view *);
	/* The values of a command that is pressed without one, for a menu; 0: it is just done. */
	int (*choices)(const void *st, const struct pane_env *, enum cmd_id, struct choice *);
	/* One line each, no newline: line 2 of the screen (the app adds the filters), the detail line. */
	void (*summary)(const void *st, const struct pane_env *, struct buf *);
	void (*detail)(const void *st, const struct pane_env *, struct buf *);
	/* To the next hit of env->find (dir 1, -1) from the cursor, 0: stay, 2: at or after the cursor
	   (while typing). Number of hits; *at: which one it is, from 1. FIND_ON: it is looked for beside the
	   keyboard; it is asked again when job() has ended, and where there is none the pane goes there itself. */
	uint32_t (*find)(void *st, const struct pane_env *, int dir, uint32_t *at);
	/* Bottom hint row, "Enter peek  c cum": as words; NULL: made from commands.def. */
	void (*keys)(const void *st, const struct pane_env *, struct buf *);
	/* Right part at >= 120 columns, or side_cols where that is not 0; NULL: none, the pane gets the whole width. */
	void (*side)(const void *st, const struct pane_env *, struct grid *);
	int side_cols;
	void (*click)(void *st, const struct pane_env *, int y, int x, bool twice, struct ask *);
	/* Work beside the keyboard, NULL when there is none; when it has ended (or is to be waited for), done() takes
	   what it made, and may have a word about it. */
	struct job *(*job)(void *st);
	void (*done)(void *st, const struct pane_env *, struct ask *);
	bool (*asks)(const void *st);		/* done() will ask for what a key meant: no other key comes before it */
	bool (*write)(const void *st, const struct pane_env *, struct buf *);	/* a selection as text, for P and
							   :w FILE.txt; false or NULL: there is none */
	void (*copy)(const void *st, const struct pane_env *, struct buf *);	/* `y`; NULL: the detail line */
	void (*report)(const void *st, const struct pane_env *, struct pane_report *);	/* :w; NULL: see there */
};

extern const struct pane_ops pane_top, pane_list, pane_peek, pane_flame, pane_timeline, pane_help, pane_info;
extern const struct pane_ops pane_goroutines, pane_tasks, pane_gc, pane_events, pane_report, pane_tags;

extern const struct pane_ops *const panes[];	/* pane.c: in the order of the tabs; ends with NULL */
/* Index of a pane, or -1 when there is none of that name. */
int pane_find(const char *name);

#endif
