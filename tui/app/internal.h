/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_INTERNAL_H
#define TTRACE_APP_INTERNAL_H

#include "app/app.h"
#include "app/draw.h"
#include "app/explain.h"
#include "app/history.h"
#include "app/input.h"
#include "app/key_messages.h"
#include "app/pane.h"
#include "app/popup.h"
#include "app/prompts.h"
#include "files/files.h"
#include "trace/bins.h"

/* What the files of the app share with each other and with tui/files. */
enum { PANES_MAX = 32 };

struct app {
	const struct options *options;
	struct session *s;
	struct pane_env env;
	struct arena scratch, life;
	struct app_requests wants;
	bool keeps_files;		/* history and configuration may be read and written */
	bool secure, patient;

	void *state[PANES_MAX];		/* NULL: not opened yet */
	uint32_t seen[PANES_MAX];	/* serial of the session, or of its scope, at the last update() of the pane */
	int cur;
	fun_id *tagged;			/* env.tagged */
	size_t tagcap;
	uint32_t part;			/* the numbers are of this many samples, the first of the profile; 0: of all */
	int todo;			/* start options that wait until more of the file is read: START_AT, ... */

	struct app_screen screen;
	struct app_status status;
	struct app_input in;
	struct app_prompt prompt;
	struct app_search search;
	struct popup pop;
	struct app_history nav;
	struct files files;
};

static inline const struct pane_ops *pane_now(const struct app *a) { return panes[a->cur]; }
static inline void *state_now(const struct app *a) { return a->state[a->cur]; }

/* app.c */
void app_show_pane(struct app *, int);			/* adds nothing to the jump list */
int app_default_pane(const struct app *);	/* the one that a file of this kind is opened with */
bool app_has_pending(const struct app *);
bool app_pane_fits(const struct app *, int i);		/* pane i can show this kind of file */
bool app_open(struct app *, const char *pane, const struct place *);	/* place may be NULL */
/* Return whether the current pane was entered by a link and not zoomed since: then q and Esc return to the origin instead of
   going one level up. */
bool app_leads_back(const struct app *);
void app_place(struct app *, struct place *);		/* fill in what is under the cursor */
void app_act(struct app *, const struct act *);		/* try the pane first, then run_command.c */
void app_handle_ask(struct app *, const struct ask *);
void app_shift(struct app *, const struct act *);	/* h, l: scroll sideways */
void app_close_panes(struct app *);			/* and forget everything about this file */
void app_update_all_panes(struct app *);	/* mark all panes as out of date and update the one shown */
void app_finish_pending(struct app *);	/* complete what the previous key asked for, before the next key */
void app_update(struct app *);				/* update the pane shown if the session changed */

/* leave.c: Esc, when the pane has nothing of its own to leave */
void app_leave(struct app *);

/* command_line.c: the ":" line */
void app_run_line(struct app *, const char *line);

/* run_command.c: commands that are the same in all panes */
void app_run_common(struct app *, const struct act *);
/* Return false, with a message or a question shown, when the report must not write its file. */
bool app_report_may_write(struct app *, const struct act *);
/* Return a regex that matches only the function under the cursor. NULL: no function is selected, which is reported
   for the command `word`. */
const char *app_selected_regex(struct app *, const char *word);
fun_id app_function(struct app *, const struct regex *);	/* the heaviest match, or 0 */
const char *app_exact_regex(struct app *, const char *name);	/* a regular expression that matches this name only */
const char *app_escape_regex(struct app *, const char *name);	/* the same, not anchored */
const char *app_fun_name(const struct app *, fun_id);

/* query.c: commands that change the query */
/* Set the query with an undo step; false: it is invalid, which is reported. */
bool app_query(struct app *, const struct query *);
bool app_query_own(struct app *, const struct query *, struct arena *own);	/* as session_set_query() */
bool app_query_command(struct app *, const struct act *);	/* false: not a command of query.c */
void app_clear(struct app *);				/* remove all filters, or report that there are none */
/* add: match either the old value or the new one */
bool app_filter(struct app *, enum cmd_id, const char *value, bool add);

/* value_menu.c: commands that take one of a few values; tagged functions */
enum { GRANS = 5 };
extern const char *const gran_names[GRANS];
int  app_choices(const struct app *, enum cmd_id, struct choice *);	/* return how many, at most CHOICES_MAX */
bool app_choose(struct app *, enum cmd_id);		/* open the menu of a command's values; false: it has none */
void app_unit(struct app *, const char *);
bool app_value_command(struct app *, const struct act *);	/* false: not a command of value_menu.c */

/* config.c: settings and mapped keys */
int  config_set(struct app *, const char *arg, struct err *);	/* "NAME = VALUE", or "NAME" to toggle it */
int  config_map(struct app *, const char *arg, struct err *);	/* "KEY COMMAND" or "wasd" */
const char *config_name(size_t i);			/* name of setting i; NULL: i is past the end */
const char *config_now(const struct app *, const char *name);	/* current value: "on", "off", "wall", ... or NULL */
const char *config_values(size_t i);			/* possible values: "on|off" */
void config_print_settings(struct buf *);	/* append the table of settings, tab-separated, for the manual */
void config_print(struct buf *);			/* append the settings for -print=config */

/* first_screen.c: the first screen of a profile */
void app_describe_profile(struct app *, size_t room, struct buf *);	/* describe the profile in at most room cells */
void app_announce_highlights(struct app *);			/* once, when the whole file is read */

/* filter_chips.c: whether the pane shows a difference as one; panes of rows over time do not */
bool filter_chips_pane_subtracts(const struct app *);
bool filter_chips_applied(const struct app *, const char *name);	/* whether it applies the filter of that name */
/* filter_chips.c: the active filters, each after " | "; filters that the pane does not apply are appended to unused */
void app_chips(const struct app *, struct buf *, struct buf *unused);

#endif
