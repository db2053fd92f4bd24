/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_INTERNAL_H
#define TTRACE_APP_INTERNAL_H

#include "app/app.h"
#include "app/explain.h"
#include "app/pane.h"
#include "trace/bins.h"
#include "widget/list.h"
#include "widget/prompt.h"

#include <stdio.h>

/* What the files of the app share with each other and with tui/files. */
enum { START_AT = 16 };
enum { PANES_MAX = 32, MARKS = 28, JUMPS_MAX = 200, UNDOS_MAX = 500 };

struct later {		/* where to move the pane when its call tree has been weighed */
	bool go, load, tell;		/* tell: report it if the pane cannot show the place */
	int pane;
	struct place place;
	struct view view;
};
struct undo {
	bool query;		/* a step of the query, whose history the session keeps */
	struct view before, after;	/* after is unused for a step of the query */
};

/* The popup over the lower part of a pane (popup.c). */
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

struct file_writer;
struct pane_copy;

struct saved { const char *name, *text; bool ours; };	/* ours: saved by the viewer, not from the configuration */

enum { SHIFT = 10, SHIFT_MAX = 400, SIDE_COLS = 120, SIDE_LEAVES = SIDE_COLS - SIDE_COLS * 35 / 100 };
enum { COSTS = 256 };		/* frames whose cost is kept for `set debug on` */
struct app {
	const struct options *options;
	struct session *s, *next;	/* next: NULL, or the reloaded session that will replace s */
	struct {			/* partial_load.c */
		/* NULL, or the session of the whole trace, while s is a part of it that was loaded first */
		struct session *whole;
		struct session *part;	/* NULL, or such a part while it loads */
		bool wanted;		/* a part is wanted, and it is not known yet whether it can be loaded, ... */
		bool next;		/* ... or the sequential reading will reach it soon */
		/* The range that was asked for. If t0 is TIME_NONE: share of the trace, whose duration is not
		   known yet. */
		int64_t t0, t1;
		double share;
	} ahead;
	uint64_t before;		/* the sides that were shown before a reload; 0: none */
	char *was;			/* NULL, or the path of the previous copy of a trace that was reloaded */
	bool again_diff;		/* compare the reloaded file with these sides */
	struct pane_copy *pane_copy;		/* NULL, or the rows of the pane are being written to a text */
	struct file_writer *file_writer;	/* NULL, or a file that is being written */
	/* a command that waits for the user to confirm that it may replace a file */
	struct { enum cmd_id cmd; char *arg; } over;
	bool replaces;			/* the running command may replace a file */
	struct pane_env env;
	struct arena scratch, life;
	struct app_requests wants;
	struct look look;
	int rows, cols;
	char hints[400];		/* env.hints */
	bool files, secure, mouse, cursor, ticks, debug;
	int64_t cost_us;		/* of the previous frame, from the key on */
	uint32_t costs[COSTS], ncost;	/* of the last frames, a ring; ncost: frames in all */
	uint32_t cost_cells;
	size_t cost_bytes;

	void *state[PANES_MAX];		/* NULL: not opened yet */
	uint32_t seen[PANES_MAX];	/* serial of the session, or of its scope, at the last update() of the pane */
	int cur;

	struct view jump[JUMPS_MAX];	/* jump[jump_at] is the current position */
	int njump, jump_at;
	/* a to z; ' is the position before the last jump; " is the one saved for this file */
	struct view mark[MARKS];
	bool marked[MARKS];
	char *mark_text[MARKS];		/* NULL, or the note */
	struct undo undo[UNDOS_MAX];	/* undo[undone..nundo) can be redone */
	int nundo, undone;

	struct tag_preset { const char *name, *text; } *tag_preset;
	size_t nnamed, namedcap;
	struct keymap keys;
	int32_t typed[SEQ_MAX];
	size_t ntyped;
	int count;
	bool counting;			/* the # key was pressed: digits are a count */
	int digits, ndigit;		/* consecutive digits, each of which opened a pane, ... */
	struct view digit_from;	/* ... and the position before the first, restored if a 0 makes them a count */
	int digit_jump, digit_undone;
	bool dragging;			/* a drag of the mouse that began at line drag_y of the pane */
	int drag_y;
	struct view arrived;		/* the position that the last link led to, ... */
	int arrived_at;			/* ... and its place in the jump list; 0: none */
	bool queried;			/* this key has changed the query */
	bool patient;
	struct later later;
	char rest_note[80];		/* how side A of a comparison with the rest was chosen, or "" */
	uint32_t rest_of; /* report the comparison with the rest when this query is weighed: its serial + 1; 0: none */
	uint32_t part;			/* the numbers are of this many samples, the first of the profile; 0: of all */
	enum cmd_id did;		/* the command of the current key, for undo */
	enum cmd_id letter;		/* MARK or JUMP_MARK waits for its letter */

	struct last_view {
		enum last_use { LAST_OFFER, LAST_RESTORE, LAST_OFF } use;	/* the last value that was set */
		char *key;		/* NULL, or the key of the file in the list of views */
		char *begin;		/* the view as text when the file was opened */
		char *filters, *gs, *type;	/* the view saved for this file: see view_file.c */
		struct query q;
	} last;
	struct popup pop;
	struct saved *saved;
	size_t nsaved, savedcap;
	fun_id *tagged;			/* env.tagged */
	size_t tagcap;
	struct prompt prompt;
	enum cmd_id asking; /* the command that the prompt is for: COMMAND, SEARCH, ...; NONE: closed */
	struct view asked_from;		/* the view when the prompt opened */
	struct history commands, searches;
	int tabs;			/* index of the next completion that Tab lists */
	char note[200];			/* shown after the prompt: number of matches, errors, completions */
	bool note_bad;

	struct regex *find, *grep;
	struct regex *find_before;		/* while a search is typed: the one to restore */
	struct finding {	/* a search that the pane runs in the background, and what to do with its result */
		bool on;
		int pane, dir, more;	/* dir as in pane_ops.find; more: further matches to move by, negative: back */
		enum cmd_id did;
		struct view before;
	} finding;
	char message[320];
	enum style message_style;
	int interrupted;		/* ^C was the previous key (1), or is this one (2) */
	int todo;			/* start options that wait until more of the file is read: START_AT, ... */
	bool turned;			/* this key has switched to another session */
	bool greeted;			/* the highlights of the file were announced */
	int shift;			/* columns by which the pane is scrolled to the right (l) */
	int pressed;			/* keys since the last frame, ... */
	uint64_t shown, below;	/* ... and hashes of that frame and of its message line: see no_effect_message.c */
	bool keyed;			/* the user has pressed a key */
	bool notified;			/* the first notice about the file was shown */
	bool lost_reported;			/* and that the file has changed on disk since */
	bool sticky;			/* the message was set by the key that is being handled */
};

static inline const struct pane_ops *pane_now(const struct app *a) { return panes[a->cur]; }
static inline void *state_now(const struct app *a) { return a->state[a->cur]; }

/* app.c */
void app_show_pane(struct app *, int);			/* adds nothing to the jump list */
bool app_has_pending(const struct app *);
bool app_pane_fits(const struct app *, int i);		/* pane i can show this kind of file */
bool app_open(struct app *, const char *pane, const struct place *);	/* place may be NULL */
void app_place(struct app *, struct place *);		/* fill in what is under the cursor */
void app_act(struct app *, const struct act *);		/* try the pane first, then run_command.c */
void app_handle_ask(struct app *, const struct ask *);
void app_shift(struct app *, const struct act *);	/* h, l: scroll sideways */
void view_options_goto_command(struct app *, const struct act *);	/* gt gG gp gk */
void app_close_panes(struct app *);			/* and forget everything about this file */
void app_update_all_panes(struct app *);	/* mark all panes as out of date and update the one shown */
void app_finish_pending(struct app *);	/* complete what the previous key asked for, before the next key */
void app_update(struct app *);				/* update the pane shown if the session changed */

/* history.c: jump list, marks, undo */
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

/* command_line.c: the ":" line */
void app_run_line(struct app *, const char *line);

/* run_command.c: commands that are the same in all panes */
void app_run_common(struct app *, const struct act *);
/* Return false, with a message or a question shown, when the report must not write its file. */
bool app_report_may_write(struct app *, const struct act *);
/* Return a regex that matches only the function under the cursor. NULL: no function is selected, which is reported
   for the command `word`. */
const char *app_selected_regex(struct app *, const char *word);
bool view_options_parse_time(const struct app *, const char *, int64_t *t);	/* 1.2s, 350ms, 40%, 15:04:05 */
trk_id view_options_find_track(const struct app *, enum track_kind, const char *id); /* "12", "g12"; 0: not found */
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
/* The text of a filter; NULL: the command is not a text filter. */
const char **app_filter_of(struct query *, enum cmd_id);
/* add: match either the old value or the new one */
bool app_filter(struct app *, enum cmd_id, const char *value, bool add);

/* compare.c: differences and merging of files */
void compare_report_rest(struct app *);	/* summarise the comparison with the rest in a message */
bool compare_command(struct app *, const struct act *);	/* false: not a command of compare.c */
void compare_with_previous(struct app *);	/* compare with a->was */
bool compare_update(struct app *);	/* add a side that was requested once it is loaded; true: added and reported */

/* prompts.c: the prompts: command line, search, filters */
void app_prompt(struct app *, enum cmd_id what, const char *text);
void app_prompt_key(struct app *, int32_t key);
const char *app_prompt_label(const struct app *);
void app_note(struct app *, bool bad, const char *);	/* set the note after the prompt */

/* complete.c */
void app_complete(struct app *);			/* handle Tab in the ":" line */
void app_find(struct app *, int dir);			/* n, N */
void app_finish_find(struct app *);		/* use the result of a background search if it is ready */
void app_find_stay(struct app *); /* a key was pressed during the search: if it moved the cursor, the result will not */
void app_search(struct app *, const char *re);		/* re NULL: end the search */
void app_grep(struct app *, const char *re);

/* filter_sets.c: filter sets by name */
bool filter_set_command(struct app *, const struct act *);	/* false: not a command of filter_sets.c */
int  filter_set_add_line(struct app *, const char *line, bool ours, struct err *e);	/* "NAME = focus=RE; ..." */
void filter_set_read_file(struct app *);
int  filter_set_choices(const struct app *, struct choice *);
const char *filter_set_text(struct app *, const char *name);	/* NULL: no set of that name */
void filter_set_put(struct app *, struct buf *);	/* append the active filters as text */
/* NULL, or the word that is not a filter */
const char *filter_set_parse(struct app *, struct query *, const char *words);

/* view_file.c: the view of a file, saved between runs */
void view_file_read(struct app *);	/* call when the whole file is read */
bool view_file_restore(struct app *);		/* '" ; false: none is saved */
void view_file_write(struct app *);

/* value_menu.c: commands that take one of a few values; tagged functions */
enum { GRANS = 5 };
extern const char *const gran_names[GRANS];
int  app_choices(const struct app *, enum cmd_id, struct choice *);	/* return how many, at most CHOICES_MAX */
bool app_choose(struct app *, enum cmd_id);		/* open the menu of a command's values; false: it has none */
void app_unit(struct app *, const char *);
bool app_value_command(struct app *, const struct act *);	/* false: not a command of value_menu.c */

/* popup.c: explanations and menus */
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

/* tag_presets.c: named tags, lines of the configuration */
void tag_preset_command(struct app *, const char *arg);		/* "NAME", "NAME = RE" */
const char *tag_preset_name(const struct app *, size_t i);	/* NULL: i is past the end */
int  files_map_key(struct app *, const char *arg, struct err *e);
int  files_config_line(struct app *, const char *line, struct err *e);

/* config.c: settings, the configuration file, history */
int  app_set(struct app *, const char *name, const char *value, struct err *);
void app_config(struct app *);				/* read the configuration file */
void app_history(struct app *, bool save);
/* NULL: no home directory */
const char *config_path(struct app *, const char *var, const char *dflt, const char *file);
void config_dirs(char *dir);				/* create the parent directories */
bool config_line(FILE *, char *s, int n);		/* read a line without its newline; false: end of file */
const char *config_name(size_t i);			/* name of setting i; NULL: i is past the end */
const char *config_now(const struct app *, const char *name);	/* current value: "on", "off", "wall", ... or NULL */
const char *config_values(size_t i);			/* possible values: "on|off" */
void config_print_settings(struct buf *);	/* append the table of settings, tab-separated, for the manual */
void config_print(struct buf *);			/* append the settings for -print=config */

/* partial_load.c: load the time range that is looked at first */
const struct session *partial_load_session(const struct app *);	/* the session that app_job() reports on */
bool partial_load_is_active(const struct app *);
/* As view_options_parse_time(), but percentages are resolved by the outline. */
bool partial_load_parse_time(const struct app *, const char *, int64_t *t);
/* t is in the trace, and a part that contains it can be loaded. */
bool partial_load_can_reach(const struct app *, int64_t t);
void partial_load_start(struct app *, int64_t t0, int64_t t1);	/* load [t0, t1] first, then move there */
/* Go to a time, and load a part first if necessary. Return false when the caller has to go there itself: the trace is
   complete or cannot be read in parts, or the time is not known or not in the trace. */
bool partial_load_goto(struct app *, const char *time);
bool partial_load_cancel(struct app *);			/* false: no part was being loaded */
void partial_load_update(struct app *);
void partial_load_free(struct app *);

/* reload.c: read or fetch the open file again */
/* Replace a->s, which the caller then owns, by `to`. The position is restored by names; if same (both are of the
   same trace), window and row are kept as well. */
void reload_switch_session(struct app *, struct session *to, bool same);
void reload_start(struct app *, const char *arg);
void reload_show_side(struct app *, const struct side_news *);	/* a profile that was loaded as a side has changed */
bool reload_cancel(struct app *);
void reload_update(struct app *, bool notified);	/* notified: a message about the reload is shown already */

/* first_screen.c: the first screen of a profile */
void app_describe_profile(struct app *, size_t room, struct buf *);	/* describe the profile in at most room cells */
void app_announce_highlights(struct app *);			/* once, when the whole file is read */

/* app/draw.c */
/* Return whether the screen is too small for panes: app_draw() writes only a message. */
bool app_too_small(const struct app *);
void app_hints(const struct app *, struct buf *);	/* append the key hints of the pane shown */
int app_tab_at(const struct app *, int x);		/* the pane whose tab is at column x of line 0, or -1 */

/* copy_pane.c: the rows of the pane as text */
/* Start to collect the rows. If the app is patient, it is continued by app_run_step(). At the end the text is
 * copied, or given to the command `pipe`. */
void copy_pane_start(struct app *, const char *pipe);
void copy_pane_finish(struct app *);	/* complete it now if one was started, because the pane is about to change */
bool copy_pane_cancel(struct app *);	/* false: none was started */

/* view_options.c: the view as command line options */
void view_options_put(struct app *, struct buf *);
/* filter_chips.c: the active filters, each after " | "; filters that the pane does not apply are appended to unused */
void app_chips(const struct app *, struct buf *, struct buf *unused);
/* Apply the start options that can be resolved by what is read so far; first: all of them. */
void view_options_apply(struct app *, bool first);

/* no_effect_message.c: messages for keys that changed nothing */
/* Called while drawing, before the last line is drawn; true: a message was set. */
bool app_report_no_effect(struct app *, const struct grid *);
void app_report_not_available(struct app *, enum cmd_id);
bool app_is_trace_command(enum cmd_id);			/* the command only has a meaning in traces */
void app_list_next_keys(struct app *);			/* list the second keys after the first one of two */
void app_list_marks(struct app *);

/* write_file.c: write the view to a file of another format */
void write_file_start(struct app *, const char *file);	/* NULL: ask for it */
/* Return true when a command may write to the file. If the file exists, ask the user and return false; on y the
   command runs again with arg and may replace the file. */
bool write_file_allowed(struct app *, enum cmd_id, const char *arg, const char *file);
bool write_file_answer(struct app *, int32_t key);	/* handle the answer; false: no question was open */
void write_file_update(struct app *, bool wait);

/* clipboard_editor.c: copying, writing, editing */
void files_copy_text(struct app *, struct buf *, const char *what);	/* copy the text and report it by its name */
void files_copy(struct app *, const char *what);		/* item, report, view */
void files_write_screen(struct app *, const char *file);
void files_pipe_pane(struct app *, const char *command);	/* NULL: ask */
void files_edit_source(struct app *);

#endif
