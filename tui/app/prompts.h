/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_PROMPTS_H
#define TTRACE_APP_PROMPTS_H

#include "app/command.h"
#include "app/view.h"
#include "base/text/regex.h"
#include "widget/prompt.h"

struct app;

/* The prompt in the last line: the command line, a search, a filter. */
struct app_prompt {
	struct prompt edit;
	enum cmd_id cmd;		/* the command that it is for: COMMAND, SEARCH, ...; NONE: closed */
	struct view before;		/* the view when it opened */
	struct history commands, searches;
	int tabs;			/* index of the next completion that Tab lists */
	char note[200];			/* shown after the prompt: number of matches, errors, completions */
	bool note_bad;
};

struct app_search {
	struct regex *find, *grep;
	struct regex *find_before;		/* while a search is typed: the one to restore */
	struct pending_search {	/* a search that the pane runs in the background, and what to do with its result */
		bool on;
		int pane, dir, more;	/* dir as in pane_ops.own; more: further matches to move by, negative: back */
		enum cmd_id did;
		struct view before;
	} finding;
};

void app_prompt(struct app *, enum cmd_id what, const char *text);
void app_prompt_key(struct app *, int32_t key);
const char *app_prompt_label(const struct app *);
void app_note(struct app *, bool bad, const char *);	/* set the note after the prompt */

void app_complete(struct app *);		/* complete.c: handle Tab in the ":" line */
bool app_can_search(struct app *);		/* the pane has a search */
void app_find(struct app *, int dir);			/* n, N */
void app_finish_find(struct app *);		/* use the result of a background search if it is ready */
void app_find_stay(struct app *); /* a key was pressed during the search: if it moved the cursor, the result will not */
void app_search(struct app *, const char *re);		/* re NULL: end the search */
void app_grep(struct app *, const char *re);

#endif
