/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_PANE_H
#define TTRACE_APP_PANE_H

#include "app/command.h"
#include "app/explain.h"
#include "app/tui.h"
#include "app/view.h"
#include "base/text/regex.h"
#include "session/session.h"
#include "term/grid.h"
#include "widget/list.h"

struct pane_table;

/*
 * The pane interface. A pane is a set of pure functions of (its state, the session): draw() never
 * changes anything, keys arrive as commands (commands.def), and requests that concern the whole
 * program are returned in struct ask. A pane does not know keys, curses or other panes; links
 * between panes are places.
 */
struct place {		/* a target of navigation; members that do not apply are 0 or NONE */
	fun_id fun;
	stk_id stk;	/* node of the store's call tree */
	frm_id frm;	/* a source line */
	trk_id trk;
	int64_t t0, t1;	/* TIME_NONE: no time */
	int64_t line;	/* of the function's file; 0: none */
	bool first;	/* the function is where a list begins: the user has not chosen it */
	/* The rows that the timeline shows: the goroutines of a start function, of a task, of another operation, or all. */
	enum place_rows { ROWS_ANY, ROWS_GROUP, ROWS_TASK, ROWS_OPERATION, ROWS_ALL } rows;
	uint64_t id;	/* for rows: the function's name (str_id), or the id of the task or operation */
	trk_id row;	/* the timeline's own row, if trk is what runs on it */
	bool by_default;	/* the user has selected nothing: it is what the pane takes then */
	const char *from;	/* the pane in which it was selected, if a key for another pane carries it there; or NULL */
	enum topic topic[3];	/* what K explains here; the app adds the state at the place, the function, the sample type */
};
#define PLACE_NONE ((struct place){.t0 = TIME_NONE, .t1 = TIME_NONE})

enum verdict {
	V_PASS,		/* not handled: the app does what is common to all panes, if anything */
	V_DONE,
	V_ASK		/* see ask */
};
enum ask_kind { ASK_NONE, ASK_QUERY, ASK_PANE, ASK_MESSAGE, ASK_PROMPT, ASK_RUN };
struct ask {
	enum ask_kind kind;
	struct query query;	/* ASK_QUERY: the new query; its strings may be in env->scratch */
	struct arena *own; /* NULL, or the arena of all new strings, which the session may take: session_set_query() */
	const char *pane;	/* ASK_PANE: name of the pane to open, ... */
	struct place place;	/* ... and where; ASK_QUERY may name a pane too */
	char text[256];		/* ASK_MESSAGE; ASK_PROMPT: text to start the ":" line with;
				   ASK_RUN: a ":" line to run */
};

/* Return V_ASK with this text for the message line, cut if too long. For act(). */
enum verdict pane_message(struct ask *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct search {			/* the active regular expression, kept by the app */
	const struct regex *rx;	/* NULL: none */
	const char *text;
};

/* The base of percentages: BASE_AUTO is the default of the pane, BASE_ALL the total, BASE_SHOWN what the filters
   leave, BASE_LOCAL what the row belongs to (its parent, the centre, the function). */
enum base { BASE_AUTO, BASE_ALL, BASE_SHOWN, BASE_LOCAL, BASE__N };

struct choice {			/* a value that a command takes: a row of a menu */
	char arg[48], text[112];
	bool on;		/* it is the current value */
};
enum { CHOICES_MAX = 40 };
void pane_set_choice(struct choice *, const char *arg, const char *text, bool on);

struct pane_env {		/* what a pane may read besides its own state */
	struct session *s;
	struct search find;	/* `/`: matches are marked, nothing is left out */
	struct search grep;	/* `&`: lists leave out rows that do not match; update() is called when it changes */
	struct arena *scratch;	/* reset after each draw and each act */
	bool ascii, mono, compact, detail;
	bool side_shown;		/* the side part is shown */
	bool going;		/* go() or load() follows this update(), so what they replace need not be computed */
	bool judge;		/* look for findings: set judge */
	bool wall;		/* show times of a trace as wall clock times, if it has them */
	int rows, cols;		/* of the pane's area; the side part is not counted */
	int choose;	/* at most cols: what a table may use, because the rest is kept for the side part of a wider screen */
	enum base base;
	const char *unit;	/* unit of values; NULL: chosen for each value */
	const fun_id *tagged;	/* functions that were tagged (t) */
	size_t ntagged;
	int from;		/* the bit of the pane from which help was opened, ... */
	const char *hints;	/* ... and its key hints */
	tui_report *report;	/* makes the text of a report; NULL: there are no reports */
};

#define FIND_ON UINT32_MAX
#define FIND_LIST (UINT32_MAX - 1)
struct pane_report {		/* the report that shows the same as a pane; strings may be in env->scratch */
	/* name NULL: the pane's name; arg NULL: the selected function; options end at NULL */
	const char *name, *arg, *options[4];
};

/* The list of a pane in which the user is. */
struct list_part {
	struct rows *rows;	/* NULL: none */
	struct list_hits *hits;	/* matches of the search; NULL: the pane searches by pane_ops.own, or not at all */
	struct pane_table *table;	/* NULL, or the table whose rows these are (app/pane_table.h), which is also sorted */
	int y, h;		/* the line of the pane that has the first visible row, and the number of visible rows */
};
/* A pane that is a list: moves, clicks, the search and its marks are common to all (pane.c). */
struct list_ops {
	struct list_part (*part)(void *st, const struct pane_env *);
	/* Append the text of a row in which `/` searches; an empty one never matches. NULL: that of the table. */
	void (*text)(const void *st, const struct pane_env *, uint32_t row, struct buf *);
	/* NULL, or search all rows at once: at[row] = 1. false: search their texts. If a worker searches, it leaves at as
	   it is, and the pane drops the matches (list_hits_free()) when they are known. */
	bool (*match)(void *st, const struct pane_env *, uint8_t *at);
	bool (*selectable)(const void *st, uint32_t row);	/* NULL: all rows; otherwise moves skip the others */
	void (*moved)(void *st, const struct pane_env *);	/* NULL, or the user has moved to another row */
};

/* Background work of a pane: a slot (base/async.h), and what takes its result by async_finish() when the job has ended or
   is waited for. It may return a request, as for a key. */
struct async;
struct pane_work {
	struct async *slot;	/* NULL: nothing */
	void (*take)(void *st, const struct pane_env *, struct ask *);
	bool first;	/* it completes what a key asked for: no other key is handled before it */
};
enum { PANE_WORK_MAX = 8 };

/* Eight functions and the parts that a pane has. All of them but draw and summary may be NULL. */
struct pane_ops {
	const char *name, *tab;	/* "top", "Top" */
	int bit;		/* P_TOP: selects the rows of commands.def that apply here */
	enum cmd_id cmd;	/* the command that opens it */
	bool trace_only, profile_only;
	bool aside;		/* its tab is shown only while it is the current pane */
	/* It depends on the scope of the query alone: session_scope(); or also on focus and ignore: session_selection(). */
	bool of_scope, of_selection;
	size_t state_size;	/* the app allocates it, zeroed, before open() */

	void (*open)(void *st, const struct pane_env *);	/* once, before it is first shown */
	void (*close)(void *st);	/* after its work was stopped */
	void (*update)(void *st, const struct pane_env *);	/* the snapshot, query or grep changed; after open() */
	/* PURE. The grid is clipped to the pane's area: below the two head lines, above the last two lines. */
	void (*draw)(const void *st, const struct pane_env *, struct grid *);
	enum verdict (*act)(void *st, const struct pane_env *, const struct act *, struct ask *);
	bool (*go)(void *st, const struct pane_env *, const struct place *);	/* show the place; false: cannot */
	/* fill in what is under the cursor; *place is PLACE_NONE on entry */
	void (*place)(const void *st, const struct pane_env *, struct place *);
	/* Append line 2 of the screen, without a newline; the app adds the filters. */
	void (*summary)(const void *st, const struct pane_env *, struct buf *);

	const struct list_ops *list;	/* NULL: the pane is not a list */
	struct {		/* the lines below the pane */
		void (*detail)(const void *st, const struct pane_env *, struct buf *);	/* of the selection */
		/* Key hints, "Enter peek  c cum": fixed ones, or appended by keys(). Both NULL: made from commands.def. */
		const char *hints;
		void (*keys)(const void *st, const struct pane_env *, struct buf *);
	} lines;
	struct {		/* the side part, shown if it has LIST_SIDE_LEAST columns beside what the main part wants */
		void (*draw)(const void *st, const struct pane_env *, struct grid *);
		/* How many columns the main part wants; 0: as many as its table (struct list_part), or PANE_WANTS. */
		int wants;
		/* NULL, or instead of these: see pane_main_cols(). */
		int (*split)(const void *st, const struct pane_env *, int w, int *choose);
	} side;
	struct {		/* what it shows, for undo, marks and links; both NULL for a list: its rows */
		void (*save)(const void *st, struct view *);	/* append its words to a view without any */
		void (*load)(void *st, const struct pane_env *, const struct view *);
	} view;
	struct {		/* background work */
		/* Store the slots, at most PANE_WORK_MAX, and return how many. The app takes their results in this order,
		   and stops the jobs before close(). */
		int (*slots)(void *st, struct pane_work *);
		void (*tick)(void *st, const struct pane_env *);	/* a job of the session has news */
	} work;
	struct {		/* what it does itself, where a list needs nothing */
		/* Move to the next match of env->find (dir 1, -1) from the cursor; 0: stay; 2: at or after the cursor
		   (while the user types). Return the number of matches; *at: index of the current one, from 1. FIND_ON:
		   the search runs in the background. find() is called again when a result of its work has been taken,
		   unless the pane has no such work: then it moves the cursor itself. FIND_LIST: search the rows of
		   the list. */
		uint32_t (*find)(void *st, const struct pane_env *, int dir, uint32_t *at);
		void (*click)(void *st, const struct pane_env *, int y, int x, bool twice, struct ask *);
		/* Return how many values the menu of a command without an argument has; 0: run it without a menu. */
		int (*choices)(const void *st, const struct pane_env *, enum cmd_id, struct choice *);
		/* Sort by the choice of that index of CMD_SORT, in its usual direction; -1: reverse the order. */
		void (*sort)(void *st, const struct pane_env *, int by);
	} own;
	struct {
		/* Append what `y` copies; NULL: the detail line. Return whether it is a selected range, which P and
		   :w FILE.txt write instead of the screen. */
		bool (*copy)(const void *st, const struct pane_env *, struct buf *);
		void (*report)(const void *st, const struct pane_env *, struct pane_report *);	/* for :w; NULL: defaults */
	} output;
};

extern const struct pane_ops pane_top, pane_list, pane_peek, pane_flame, pane_timeline, pane_help, pane_info;
extern const struct pane_ops pane_goroutines, pane_tasks, pane_gc, pane_events, pane_report, pane_tags;
extern const struct pane_ops pane_findings, pane_why, pane_boards;

extern const struct pane_ops *const panes[];	/* pane.c: in the order of the tabs, ends with NULL */
/* Return the index of a pane, or -1 if the name is unknown. */
int pane_find(const char *name);

enum { PANE_WANTS = 78 };
/* Return how many of the w columns of a screen the main part of a pane has: w if there is no room for the side part.
   *choose: how many of them it may use. */
int pane_main_cols(const struct pane_ops *, void *st, const struct pane_env *, int w, int *choose);

/* Append the limit of the pane's list, " | took 1.00ms..2.51ms: 3 of 20", if it has one. */
void pane_put_limit(const struct pane_ops *, void *st, const struct pane_env *, struct buf *);
/* Append the line below the pane: the selected bars of a histogram, or what the pane writes there. */
void pane_put_detail(const struct pane_ops *, void *st, const struct pane_env *, struct buf *);
/* Append the hints for keys: those of a histogram whose bars are being selected, or the pane's; nothing if it has none. */
void pane_put_hints(const struct pane_ops *, void *st, const struct pane_env *, struct buf *);
/* For the app: what the pane or its list does. */
struct job *pane_job(const struct pane_ops *, void *st);	/* the next one of its work; NULL: none */
bool pane_answers_key(const struct pane_ops *, void *st);	/* that work completes what a key asked for */
bool pane_stop_answer(const struct pane_ops *, void *st);	/* stop that work; false: there is none */
void pane_take_result(const struct pane_ops *, void *st, const struct pane_env *, struct ask *);	/* of pane_job() */
void pane_close(const struct pane_ops *, void *st);		/* stops its work */
enum verdict pane_act(const struct pane_ops *, void *st, const struct pane_env *, const struct act *, struct ask *);
bool pane_can_click(const struct pane_ops *);
void pane_click(const struct pane_ops *, void *st, const struct pane_env *, int y, int x, bool twice, struct ask *);
bool pane_can_search(const struct pane_ops *, void *st, const struct pane_env *);
uint32_t pane_search(const struct pane_ops *, void *st, const struct pane_env *, int dir, uint32_t *at);
void pane_mark_hits(const struct pane_ops *, void *st, const struct pane_env *);	/* before it is drawn */
int pane_choices(const struct pane_ops *, void *st, const struct pane_env *, enum cmd_id, struct choice *);
bool pane_has_view(const struct pane_ops *);		/* its state can be saved and restored */
void pane_save(const struct pane_ops *, void *st, const struct pane_env *, struct view *);
bool pane_load(const struct pane_ops *, void *st, const struct pane_env *, const struct view *);	/* false: it has none */

#endif
