/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PANE_H
#define TTRACE_PANE_H

#include "cmd.h"
#include "grid.h"
#include "session/session.h"

/*
 * The pane interface. A pane is pure functions over (its state, the session):
 * draw() never changes anything, keys arrive as commands (cmd.def), and what
 * concerns the whole program is asked of the app through struct ask. A pane
 * knows neither keys nor curses nor other panes; links between panes are
 * places.
 */
struct place {		/* something that can be pointed at; 0 / NONE where it does not apply */
	fun_id fun;
	stk_id stk;	/* node of the store's call tree */
	frm_id frm;	/* a source line */
	trk_id trk;
	int64_t t0, t1;	/* TIME_NONE when no time is meant */
};

enum verdict { V_PASS, V_DONE, V_ASK };
enum ask_kind { ASK_NONE, ASK_QUERY, ASK_PANE, ASK_MESSAGE, ASK_PROMPT };
struct ask {
	enum ask_kind kind;
	struct query query;	/* ASK_QUERY: the new one */
	const char *pane;	/* ASK_PANE: name of the pane to open ... */
	struct place place;	/* ... and where; ASK_QUERY may go with a pane too */
	char text[256];		/* ASK_MESSAGE; ASK_PROMPT: text to start the ":" line with */
};

struct search {			/* the search in force, kept by the app */
	const struct rx *rx;	/* NULL: none */
	const char *text;
};

struct pane_env {		/* what a pane may see beside its own state */
	struct session *s;
	struct search find;
	struct arena *scratch;	/* reset after each draw and each act */
	bool ascii, compact;
	int rows, cols;		/* of the pane's area, now */
};

struct pane_ops {
	const char *name, *tab;	/* "top", "Top" */
	int digit;		/* the key that opens it, 0 none */
	bool trace_only, profile_only;
	size_t state_size;	/* the app allocates it, zeroed */
	void (*open)(void *st, const struct pane_env *);
	void (*close)(void *st);
	void (*update)(void *st, const struct pane_env *);	/* another snapshot or query */
	/* PURE. The grid is clipped to the pane's area: below the two head lines, above the last two. */
	void (*draw)(const void *st, const struct pane_env *, struct grid *);
	enum verdict (*act)(void *st, const struct pane_env *, enum cmd_id, int count, struct ask *);
	bool (*go)(void *st, const struct pane_env *, const struct place *);	/* show this; false: cannot */
	void (*place)(const void *st, const struct pane_env *, struct place *);	/* under the cursor */
	/* one or two lines each, into the buffer: line 2 of the screen, the detail line */
	void (*summary)(const void *st, const struct pane_env *, struct buf *);
	void (*detail)(const void *st, const struct pane_env *, struct buf *);
	/* move to the next hit of the search (dir 1, -1) from the cursor; 0: count only. Number of hits. */
	uint32_t (*find)(void *st, const struct pane_env *, int dir, uint32_t *at);
	void (*keys)(const void *st, const struct pane_env *, struct buf *);	/* bottom hint row; NULL: from cmd.def */
	/* right part at >= 120 columns; NULL: none */
	void (*side)(const void *st, const struct pane_env *, struct grid *);
	void (*click)(void *st, const struct pane_env *, int y, int x, bool twice, struct ask *);
};

extern const struct pane_ops pane_top, pane_list, pane_peek, pane_flame, pane_timeline, pane_help, pane_info;
extern const struct pane_ops *const panes[];	/* ends with NULL; app.c */

#endif
