/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_POPUP_H
#define TTRACE_APP_POPUP_H

#include "app/command.h"
#include "app/explain.h"
#include "term/grid.h"
#include "widget/list.h"

struct app;

/* The popup over the lower part of a pane. */
enum pop_kind { POP_NONE, POP_TEXT, POP_MENU };
enum { POP_TOPICS = 64 };
struct pop_row {
	char key[16], text[160], arg[80];	/* arg "": none */
	enum cmd_id cmd;
	bool pane;			/* it is a command of the pane itself */
};
struct popup {
	enum pop_kind kind;
	enum cmd_id by;			/* the command that opened it; its key closes it again */
	enum topic topic[POP_TOPICS];	/* POP_TEXT */
	int ntopic, top;
	bool all;			/* POP_TEXT: explain all topics of the pane, not only the selected ones */
	struct pop_row *row;		/* POP_MENU */
	size_t nrow, cap;
	struct rows rows;
	char title[60];
};

void app_explain(struct app *, const char *word);	/* NULL: explain what is under the cursor */
/* Store the topics of the column headings of the pane and return how many; *missing: NULL, or a heading without an
   explanation. */
int  app_column_topics(struct app *, enum topic *, const char **missing);
void app_menu(struct app *);
void app_marks(struct app *);
/* Return false when the popup is closed and the keys typed so far have their usual meaning. */
bool app_pop_key(struct app *, int32_t key);
bool app_pop_click(struct app *, int y, bool twice);
void app_pop_draw(struct app *, struct grid *);

#endif
