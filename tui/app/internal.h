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

/* The inside of the app, for app*.c alone. */
enum { START_AT = 16 };
enum { PANES_MAX = 32, MARKS = 28, JUMPS_MAX = 200, UNDOS_MAX = 500 };

struct app_position { int pane; struct view view; };	/* a place of the jump list, a mark */
struct later {		/* where a pane is to look when its calls have been made */
	bool go, load, tell;		/* tell: when it cannot */
	int pane;
	struct place place;
	struct view view;
};
struct undo {
	bool query;		/* a step of the query, which the session keeps */
	struct app_position before, after;	/* of the query only before: where one was */
};

/* What lies over the lower part of a pane (popup.c). */
enum pop_kind { POP_NONE, POP_TEXT, POP_MENU };
enum { POP_TOPICS = 64 };
struct pop_row {
	char key[16], text[160], arg[80];	/* arg "": none */
	enum cmd_id cmd;
	bool pane;			/* one of the pane's own commands */
};
struct popup {
	enum pop_kind kind;
	enum cmd_id by;			/* the command that opened it: its key closes it again */
	enum topic topic[POP_TOPICS];	/* POP_TEXT */
	int ntopic, top;
	bool all;			/* POP_TEXT: of all that the pane shows */
	struct pop_row *row;		/* POP_MENU */
	size_t nrow, cap;
	struct rows rows;
	char title[60];
};

struct file_writer;
struct pane_copy;

struct saved { const char *name, *text; bool ours; };	/* ours: saved here, not from the configuration */

enum { SHIFT = 10, SHIFT_MAX = 400, SIDE_COLS = 120, SIDE_LEAVES = SIDE_COLS - SIDE_COLS * 35 / 100 };
enum { COSTS = 256 };		/* frames that are remembered for `set debug on` */
struct app {
	const struct options *options;
	struct session *s, *next;	/* next: NULL, or the same read again, on its way to take its place */
	struct {			/* partial_load.c */
		struct session *whole;	/* NULL, or what is read while s is a part of it that was gone to */
		struct session *part;	/* NULL, or such a part on its way */
		bool wanted;		/* and one that nothing can be said of yet, ... */
		bool next;		/* ... or that the reading is about to come to */
		/* what was asked for; t0 TIME_NONE: share of the whole, of which it is not known how long it is */
		int64_t t0, t1;
		double share;
	} ahead;
	uint64_t before;		/* the sides that were looked at before it was read again; 0 none */
	char *was;			/* NULL, or where the trace that was read before lies */
	bool again_diff;		/* and what is read now is to be compared with them */
	struct pane_copy *pane_copy;		/* NULL, or what the pane lists is being written down */
	struct file_writer *file_writer;	/* NULL, or a file that is being written */
	struct { enum cmd_id cmd; char *arg; } over;	/* waits for the answer whether it may replace a file */
	bool replaces;			/* it may */
	struct pane_env env;
	struct arena scratch, life;
	struct app_requests wants;
	struct look look;
	int rows, cols;
	char hints[400];		/* env.hints */
	bool files, secure, mouse, cursor, ticks, debug;
	int64_t cost_us;		/* of the frame before, from the key on */
	uint32_t costs[COSTS], ncost;	/* of the last frames, a ring */
	uint32_t cost_cells;
	size_t cost_bytes;

	void *state[PANES_MAX];		/* NULL: not open yet */
	uint32_t seen[PANES_MAX];	/* serial of the session, or of its scope, at its last update() */
	int cur;

	struct app_position jump[JUMPS_MAX];	/* jump[jump_at] is where we are */
	int njump, jump_at;
	struct app_position mark[MARKS];	/* a..z, ' : where we were before a jump, " : how the file was left */
	bool marked[MARKS];
	char *mark_text[MARKS];		/* NULL, or the note */
	struct undo undo[UNDOS_MAX];	/* undo[undone..nundo) can be done again */
	int nundo, undone;

	struct tag_preset { const char *name, *text; } *tag_preset;
	size_t nnamed, namedcap;
	struct keymap keys;
	int32_t typed[SEQ_MAX];
	size_t ntyped;
	int count;
	bool counting;			/* # was pressed: digits are a count */
	int digits, ndigit;		/* a run of digits that have opened panes, ... */
	struct app_position digit_from;		/* ... and where it began, should a 0 make it a count */
	int digit_jump, digit_undone;
	bool dragging;			/* the mouse, from line drag_y of the pane */
	int drag_y;
	struct app_position arrived;		/* where the last link led to, ... */
	int arrived_at;			/* ... and its place in the jump list; 0: none */
	bool queried;			/* this key has changed the query */
	bool patient;
	struct later later;
	char rest_note[80];		/* how the ones that are compared with the rest were chosen, or "" */
	uint32_t rest_of;	/* what is said of the rest waits for the calls of this query: its serial and 1 */
	uint32_t part;			/* what is shown is of the first so many samples; 0: of all */
	enum cmd_id did;		/* the command of this key, for undo */
	enum cmd_id letter;		/* MARK or JUMP_MARK waits for its letter */

	struct last_view {
		enum last_use { LAST_OFFER, LAST_RESTORE, LAST_OFF } use;	/* set last */
		char *key;		/* NULL, or the file as the list of views knows it */
		char *begin;		/* the view in words when it was opened */
		char *filters, *gs, *type;	/* how it was left last time: see view_file.c */
		struct query q;
	} last;
	struct popup pop;
	struct saved *saved;
	size_t nsaved, savedcap;
	fun_id *tagged;			/* env.tagged */
	size_t tagcap;
	struct prompt prompt;
	enum cmd_id asking; /* what the prompt is for: COMMAND, SEARCH, ...; NONE: it is closed */
	struct view asked_at;		/* where the pane was when the search began */
	struct app_position asked_from;
	struct history commands, searches;
	int tabs;			/* which of what Tab offers is told next */
	char note[200];			/* beside the prompt: hits, errors, completions */
	bool note_bad;

	struct regex *find, *grep;
	struct regex *find_before;		/* while a search is typed: the one to come back to */
	struct finding {		/* the pane looks for hits beside the keyboard; what is done when it has them */
		bool on;
		int pane, dir, more;	/* dir as in find(), then so many hits on, or back */
		enum cmd_id did;
		struct app_position before;
	} finding;
	char message[320];
	enum style message_style;
	int interrupted;		/* ^C was the key before (1), is this one (2) */
	int todo;			/* options of where to begin that wait for more of the file: START_AT, ... */
	bool turned;			/* this key has brought another session */
	bool greeted;			/* what stands out was said */
	int shift;			/* cells that the lines of the pane are moved to the left (l) */
	int pressed;			/* keys since the last frame, ... */
	uint64_t shown, below;		/* ... and what that one showed, and in the line of messages: see no_effect_message.c */
	bool keyed;			/* somebody has pressed a key */
	bool notified;			/* the first notice about the file was shown */
	bool lost_reported;			/* and that it changed on disk since */
	bool sticky;			/* this message came with the key that is being handled */
};

static inline const struct pane_ops *pane_now(const struct app *a) { return panes[a->cur]; }
static inline void *state_now(const struct app *a) { return a->state[a->cur]; }

/* app.c */
void app_show_pane(struct app *, int);			/* without a new place in the jump list */
bool app_has_pending(const struct app *);
bool app_pane_fits(const struct app *, int i);		/* that pane can show this file */
bool app_open(struct app *, const char *pane, const struct place *);	/* place may be NULL */
void app_place(struct app *, struct place *);		/* what is under the cursor */
void app_act(struct app *, const struct act *);		/* pane first, then the common ones */
void app_handle_ask(struct app *, const struct ask *);
void app_shift(struct app *, const struct act *);	/* h, l: the lines sideways */
void view_options_goto_command(struct app *, const struct act *);	/* gt gG gp gk */
void app_close_panes(struct app *);			/* and forget all that is about this file */
void app_update_all_panes(struct app *);				/* all panes want update() */
void app_finish_pending(struct app *);			/* what the key before has asked for comes before this one */
void app_update(struct app *);				/* tell the pane shown what has changed */

/* history.c: where we have been */
struct app_position app_current_position(const struct app *);
void app_restore_position(struct app *, const struct app_position *);
void app_switch_pane(struct app *, int pane);			/* switch, with a new place in the jump list */
bool app_back(struct app *);				/* false: this is the first place */
void app_forward(struct app *);
void app_push_undo(struct app *, const struct undo *);	/* a step was made */
void app_record_move(struct app *, const struct app_position *before);	/* after a key: was that one? */
void app_undo(struct app *);
void app_redo(struct app *);
void app_mark(struct app *, char letter, const char *text);	/* text: a note, or NULL */
void app_jump_mark(struct app *, char letter);

/* command_line.c: the ":" line */
void app_run_line(struct app *, const char *line);

/* run_command.c: what commands do that are common to all panes */
void app_run_common(struct app *, const struct act *);
/* false: the report must not write its file, and a message or a question is shown. */
bool app_report_may_write(struct app *, const struct act *);
/* The function under the cursor, exactly; NULL: none, and said for the command of that word. */
const char *app_selected_regex(struct app *, const char *word);
bool view_options_parse_time(const struct app *, const char *, int64_t *t);	/* 1.2s, 350ms, 40%, 15:04:05 */
trk_id view_options_find_track(const struct app *, enum track_kind, const char *id); /* "12", "g12"; 0: there is none */
fun_id app_function(struct app *, const struct regex *);	/* the heaviest that matches, 0 none */
const char *app_exact_regex(struct app *, const char *name);	/* a regular expression that only it matches */
const char *app_escape_regex(struct app *, const char *name);	/* the same, but anywhere in a name */
const char *app_fun_name(const struct app *, fun_id);

/* query.c: commands that change the query */
bool app_query(struct app *, const struct query *);	/* set it, with a step of undo; false: it is wrong, and said */
bool app_query_own(struct app *, const struct query *, struct arena *own);	/* as session_set_query() */
bool app_query_command(struct app *, const struct act *);	/* false: it is no command of these */
void app_clear(struct app *);				/* all filters, or say that there are none */
const char **app_filter_of(struct query *, enum cmd_id);	/* NULL: it is no filter that is a word */
bool app_filter(struct app *, enum cmd_id, const char *value, bool add);	/* add: either matches */

/* compare.c: more files: differences and merging */
void compare_report_rest(struct app *);	/* what was compared with the rest, in a line */
bool compare_command(struct app *, const struct act *);	/* false: it is no command of these */
void compare_with_previous(struct app *);	/* compare with a->was */
bool compare_update(struct app *);			/* a file that was asked for is there: true, and told */

/* prompts.c: the prompts: command line, search, filters */
void app_prompt(struct app *, enum cmd_id what, const char *text);
void app_prompt_key(struct app *, int32_t key);
const char *app_prompt_label(const struct app *);
void app_note(struct app *, bool bad, const char *);	/* beside the prompt */

/* complete.c */
void app_complete(struct app *);			/* Tab in the ":" line */
void app_find(struct app *, int dir);			/* n, N */
void app_finish_find(struct app *);		/* what was looked for beside the keyboard may be there */
void app_find_stay(struct app *);	/* a key was pressed meanwhile: if it moved, the hits do not move it away */
void app_search(struct app *, const char *re);		/* NULL: none */
void app_grep(struct app *, const char *re);

/* filter_sets.c: filter sets by name */
bool filter_set_command(struct app *, const struct act *);	/* false: it is no command of these */
int  filter_set_add_line(struct app *, const char *line, bool ours, struct err *e);	/* "NAME = focus=RE; ..." */
void filter_set_read_file(struct app *);
int  filter_set_choices(const struct app *, struct choice *);
const char *filter_set_text(struct app *, const char *name);	/* NULL: none are saved so */
void filter_set_put(struct app *, struct buf *);	/* the filters in force, as words */
const char *filter_set_parse(struct app *, struct query *, const char *words);	/* NULL, or the word that is none */

/* view_file.c: how a file was left, from one time to the next */
void view_file_read(struct app *);	/* once the whole file is there */
bool view_file_restore(struct app *);		/* '" ; false: there is none */
void view_file_write(struct app *);

/* value_menu.c: commands that take one of a few values; tagged rows */
enum { GRANS = 5 };
extern const char *const gran_names[GRANS];
int  app_choices(const struct app *, enum cmd_id, struct choice *);	/* at most CHOICES_MAX */
bool app_choose(struct app *, enum cmd_id);		/* the menu of a command's values; false: it has none */
void app_unit(struct app *, const char *);
bool app_value_command(struct app *, const struct act *);	/* false: it is no command of these */

/* popup.c: explanations and menus */
void app_explain(struct app *, const char *word);	/* NULL: what is under the cursor */
/* What stands over the columns of the pane: how many; *missing: NULL, or what nobody explains. */
int  app_column_topics(struct app *, enum topic *, const char **missing);
void app_menu(struct app *);
void app_marks(struct app *);
/* false: it is closed, and the key, or the keys typed so far and this one, mean what they always do */
bool app_pop_key(struct app *, int32_t key);
bool app_pop_click(struct app *, int y, bool twice);
void app_pop_draw(struct app *, struct grid *);

/* tag_presets.c: tags with names, lines of the configuration */
void tag_preset_command(struct app *, const char *arg);		/* "NAME", "NAME = RE" */
const char *tag_preset_name(const struct app *, size_t i);	/* NULL: no more */
int  files_map_key(struct app *, const char *arg, struct err *e);
int  files_config_line(struct app *, const char *line, struct err *e);

/* config.c: settings, the configuration file, history */
int  app_set(struct app *, const char *name, const char *value, struct err *);
void app_config(struct app *);				/* read ~/.config/ttrace/config */
void app_history(struct app *, bool save);
const char *config_path(struct app *, const char *var, const char *dflt, const char *file);	/* NULL: no home */
void config_dirs(char *dir);				/* make them */
bool config_line(FILE *, char *s, int n);		/* without its end; false: no more */
const char *config_name(size_t i);			/* of a setting; NULL: no more */
const char *config_now(const struct app *, const char *name);	/* "on", "off", "wall", ... or NULL */
const char *config_values(size_t i);			/* "on|off" */
void config_print_settings(struct buf *);			/* the same, tab-separated, for the manual */
void config_print(struct buf *);			/* the settings there are */

/* partial_load.c: what is looked at is read first */
const struct session *partial_load_session(const struct app *);	/* that app_job() is of */
bool partial_load_is_active(const struct app *);
/* As view_options_parse_time(), percentages by the outline. */
bool partial_load_parse_time(const struct app *, const char *, int64_t *t);
bool partial_load_can_reach(const struct app *, int64_t t); /* the trace has it, and a part can be read that has it */
void partial_load_start(struct app *, int64_t t0, int64_t t1);	/* read that first, then go there */
/* false: nothing is read ahead for it; it is gone to as always */
bool partial_load_goto(struct app *, const char *time);
bool partial_load_cancel(struct app *);			/* false: nothing was read ahead */
void partial_load_update(struct app *);
void partial_load_free(struct app *);

/* reload.c: what is open, read or fetched once more */
/* Another session takes the place of a->s, which is the caller's from now on; what was looked at is gone to by its
   name, same: of the same trace, so that window and row are kept as well. */
void reload_switch_session(struct app *, struct session *to, bool same);
void reload_start(struct app *, const char *arg);
void reload_show_side(struct app *, const struct side_news *);	/* a profile that was, is there */
bool reload_cancel(struct app *);
void reload_update(struct app *, bool notified);	/* told: a message about it stands there already */

/* first_screen.c: the first screen of a profile */
void app_describe_profile(struct app *, size_t room, struct buf *);	/* what it is, in at most so many cells */
void app_announce_highlights(struct app *);			/* once, when all has been read */

/* app/draw.c */
void app_hints(const struct app *, struct buf *);	/* the line of keys of the pane shown */
int app_tab_at(const struct app *, int x);		/* the pane whose tab is there on line 0, or -1 */

/* copy_pane.c: the pane as text */
/* Begun, and unless nobody is patient gone on with by app_run_step(); then it is copied, or what that command is to
 * get. */
void copy_pane_start(struct app *, const char *pipe);
void copy_pane_finish(struct app *);	/* all of it now, if one was begun: the pane is about to change */
bool copy_pane_cancel(struct app *);	/* false: none was begun */

/* view_options.c: the pane as a command line */
void view_options_put(struct app *, struct buf *);
/* filter_chips.c: the filters in force, each after " | "; in another text those that the pane does not apply */
void app_chips(const struct app *, struct buf *, struct buf *unused);
/* The eight numbers of a view as text; what follows them in a text, or NULL where they are not there. A comma or blanks
   are between them. */
void view_options_put_view(struct buf *, const struct view *, char between);
const char *view_options_parse_view(const char *, struct view *);
/* What the options say of where to begin, as far as the file is known; first: all of it. */
void view_options_apply(struct app *, bool first);

/* no_effect_message.c: what is said when nothing has changed */
/* while drawing, before the last line; true: something is said now */
bool app_report_no_effect(struct app *, const struct grid *);
void app_report_not_available(struct app *, enum cmd_id);
bool app_is_trace_command(enum cmd_id);			/* it means something in traces alone */
void app_list_next_keys(struct app *);			/* after the first key of two */
void app_list_marks(struct app *);

/* write_file.c: what is shown as a file of another form */
void write_file_start(struct app *, const char *file);	/* NULL: ask for it */
/* true: a command may write to the file. false: it exists, and the user is asked; at y the command comes again with
   arg, and may. */
bool write_file_allowed(struct app *, enum cmd_id, const char *arg, const char *file);
bool write_file_answer(struct app *, int32_t key);	/* the answer; false: nothing was asked */
void write_file_update(struct app *, bool wait);

/* clipboard_editor.c: copying, writing, editing */
void files_copy_text(struct app *, struct buf *, const char *what);	/* that is to be copied, by its name */
void files_copy(struct app *, const char *what);		/* item, report, view */
void files_write_screen(struct app *, const char *file);
void files_pipe_pane(struct app *, const char *command);	/* NULL: ask */
void files_edit_source(struct app *);

#endif
