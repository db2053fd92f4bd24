/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_HISTORY_H
#define TTRACE_APP_HISTORY_H

#include "app/pane.h"
#include "app/view.h"

struct app;

enum { MARKS = 28, JUMPS_MAX = 200, UNDOS_MAX = 500 };

/* A move of the pane that waits until its call tree is weighed. */
struct later {
	bool go, load, tell;	/* go to the place, or load the view; tell: report it if the pane cannot show the place */
	int pane;
	struct place place;
	struct view view;
};
struct undo {
	bool query;		/* a step of the query, whose history the session keeps */
	bool joined;		/* the step before it, of the query, is of the same key */
	struct view before, after;	/* after is unused for a step of the query */
};

/* Where the user has been: the jump list, marks, undo. */
struct app_history {
	struct view jump[JUMPS_MAX];	/* jump[jump_at] is the current position */
	int njump, jump_at;
	/* a to z; ' is the position before the last jump; " is the one saved for this file */
	struct view mark[MARKS];
	bool marked[MARKS];
	char *mark_text[MARKS];		/* NULL, or the note */
	struct undo undo[UNDOS_MAX];	/* undo[undone..nundo) can be redone */
	int nundo, undone;
	struct view arrived;		/* the position that the last link led to, ... */
	int arrived_at;			/* ... and its place in the jump list; 0: none */
	struct later later;
};

struct view app_view(const struct app *);
void app_restore_view(struct app *, const struct view *);
void app_switch_pane(struct app *, int pane);			/* switch, and add an entry to the jump list */
bool app_back(struct app *);				/* false: already at the first position */
void app_forward(struct app *);
void app_push_undo(struct app *, const struct undo *);	/* record a step */
/* After a key: record a step if it moved the view. */
void app_record_move(struct app *, const struct view *before);
void app_undo(struct app *);
void app_redo(struct app *);
void app_mark(struct app *, char letter, const char *text);	/* text: a note, or NULL */
void app_jump_mark(struct app *, char letter);

#endif
