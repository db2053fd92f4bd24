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

struct step { int pane; struct view view; };	/* a place of the jump list, a mark */
struct later {		/* where a pane is to look when its calls have been made */
	bool go, load, tell;		/* tell: when it cannot */
	int pane;
	struct place place;
	struct view view;
};
struct undo {
	bool query;		/* a step of the query, which the session keeps */
	struct step before, after;	/* of the query only before: where one was */
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

struct writing;
struct paper;

struct saved { const char *name, *text; bool ours; };	/* ours: saved here, not from the configuration */

enum { SHIFT = 10, SHIFT_MAX = 400, SIDE_COLS = 120, SIDE_LEAVES = SIDE_COLS - SIDE_COLS * 35 / 100 };
enum { COSTS = 256 };		/* frames that are remembered for `set debug on` */
struct app {
	const struct opt *opt;
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
	struct paper *paper;		/* NULL, or what the pane lists is being written down */
	struct writing *writing;	/* NULL, or a file that is being written */
	struct { enum cmd_id cmd; char *arg; } over;	/* waits for the answer whether it may replace a file */
	bool replaces;			/* it may */
	struct pane_env env;
	struct arena scratch, life;
	struct app_wants wants;
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

	struct step jump[JUMPS_MAX];	/* jump[jump_at] is where we are */
	int njump, jump_at;
	struct step mark[MARKS];	/* a..z, ' : where we were before a jump, " : how the file was left */
	bool marked[MARKS];
	char *mark_text[MARKS];		/* NULL, or the note */
	struct undo undo[UNDOS_MAX];	/* undo[undone..nundo) can be done again */
	int nundo, undone;

	struct named { const char *name, *text; } *named;
	size_t nnamed, namedcap;
	struct keymap keys;
	int32_t typed[SEQ_MAX];
	size_t ntyped;
	int count;
	bool counting;			/* # was pressed: digits are a count */
	int digits, ndigit;		/* a run of digits that have opened panes, ... */
	struct step digit_from;		/* ... and where it began, should a 0 make it a count */
	int digit_jump, digit_undone;
	bool dragging;			/* the mouse, from line drag_y of the pane */
	int drag_y;
	struct step arrived;		/* where the last link led to, ... */
	int arrived_at;			/* ... and its place in the jump list; 0: none */
	bool queried;			/* this key has changed the query */
	bool patient;
	struct later later;
	char rest_note[80];		/* how the ones that are compared with the rest were chosen, or "" */
	uint32_t rest_of;	/* what is said of the rest waits for the calls of this query: its serial and 1 */
	uint32_t part;			/* what is shown is of the first so many samples; 0: of all */
	enum cmd_id did;		/* the command of this key, for undo */
	enum cmd_id letter;		/* MARK or JUMP_MARK waits for its letter */

	struct last {
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
	struct step asked_from;
	struct history commands, searches;
	int tabs;			/* which of what Tab offers is told next */
	char note[200];			/* beside the prompt: hits, errors, completions */
	bool note_bad;

	struct rx *find, *grep;
	struct rx *find_before;		/* while a search is typed: the one to come back to */
	struct finding {		/* the pane looks for hits beside the keyboard; what is done when it has them */
		bool on;
		int pane, dir, more;	/* dir as in find(), then so many hits on, or back */
		enum cmd_id did;
		struct step before;
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
	bool told;			/* the first notice about the file was shown */
	bool told_lost;			/* and that it changed on disk since */
	bool sticky;			/* this message came with the key that is being handled */
};

static inline const struct pane_ops *pane_now(const struct app *a) { return panes[a->cur]; }
static inline void *state_now(const struct app *a) { return a->state[a->cur]; }

/* app.c */
void app_show_pane(struct app *, int);			/* without a new place in the jump list */
bool app_awaits(const struct app *);
bool pane_fits(const struct app *, int i);		/* that pane can show this file */
bool app_open(struct app *, const char *pane, const struct place *);	/* place may be NULL */
void app_place(struct app *, struct place *);		/* what is under the cursor */
void app_act(struct app *, const struct act *);		/* pane first, then the common ones */
void app_ask(struct app *, const struct ask *);
void app_shift(struct app *, const struct act *);	/* h, l: the lines sideways */
void app_goto(struct app *, const struct act *);	/* gt gG gp gk */
void app_close_panes(struct app *);			/* and forget all that is about this file */
void app_changed(struct app *);				/* all panes want update() */
void app_hurry(struct app *);				/* what the key before has asked for comes before this one */
void app_update(struct app *);				/* tell the pane shown what has changed */

/* history.c: where we have been */
struct step app_here(const struct app *);
void app_there(struct app *, const struct step *);
void app_go(struct app *, int pane);			/* switch, with a new place in the jump list */
bool app_back(struct app *);				/* false: this is the first place */
void app_forward(struct app *);
void app_undoable(struct app *, const struct undo *);	/* a step was made */
void app_remember(struct app *, const struct step *before);	/* after a key: was that one? */
void app_undo(struct app *);
void app_redo(struct app *);
void app_mark(struct app *, char letter, const char *text);	/* text: a note, or NULL */
void app_jump_mark(struct app *, char letter);

/* command_line.c: the ":" line */
void app_line(struct app *, const char *line);

/* run_command.c: what commands do that are common to all panes */
void app_common(struct app *, const struct act *);
/* false: the report must not write its file, and a message or a question is shown. */
bool app_report_may_write(struct app *, const struct act *);
/* The function under the cursor, exactly; NULL: none, and said for the command of that word. */
const char *app_selected(struct app *, const char *word);
bool app_time(const struct app *, const char *, int64_t *t);	/* 1.2s, 350ms, 40%, 15:04:05 */
trk_id app_track(const struct app *, enum track_kind, const char *id);	/* "12", "g12"; 0: there is none */
fun_id app_function(struct app *, const struct rx *);	/* the heaviest that matches, 0 none */
const char *app_exactly(struct app *, const char *name);	/* a regular expression that only it matches */
const char *app_escaped(struct app *, const char *name);	/* the same, but anywhere in a name */
const char *app_fun_name(const struct app *, fun_id);

/* query.c: commands that change the query */
bool app_query(struct app *, const struct query *);	/* set it, with a step of undo; false: it is wrong, and said */
bool app_query_own(struct app *, const struct query *, struct arena *own);	/* as session_set() */
bool app_narrow(struct app *, const struct act *);	/* false: it is no command of these */
void app_clear(struct app *);				/* all filters, or say that there are none */
const char **app_filter_of(struct query *, enum cmd_id);	/* NULL: it is no filter that is a word */
bool app_filter(struct app *, enum cmd_id, const char *value, bool add);	/* add: either matches */

/* compare.c: more files: differences and merging */
void app_tell_rest(struct app *);	/* what was compared with the rest, in a line */
bool app_side(struct app *, const struct act *);	/* false: it is no command of these */
void app_side_was(struct app *);	/* compare with a->was */
bool app_side_news(struct app *);			/* a file that was asked for is there: true, and told */

/* prompts.c: the prompts: command line, search, filters */
void app_prompt(struct app *, enum cmd_id what, const char *text);
void app_prompt_key(struct app *, int32_t key);
const char *app_prompt_label(const struct app *);
void app_note(struct app *, bool bad, const char *);	/* beside the prompt */

/* complete.c */
void app_complete(struct app *);			/* Tab in the ":" line */
void app_find(struct app *, int dir);			/* n, N */
void app_found(struct app *);		/* what was looked for beside the keyboard may be there */
void app_find_here(struct app *);	/* a key was pressed meanwhile: if it moved, the hits do not move it away */
void app_search(struct app *, const char *re);		/* NULL: none */
void app_grep(struct app *, const char *re);

/* filter_sets.c: filter sets by name */
bool app_saved(struct app *, const struct act *);	/* false: it is no command of these */
int  app_saved_line(struct app *, const char *line, bool ours, struct err *e);	/* "NAME = focus=RE; ..." */
void app_saved_read(struct app *);
int  app_saved_choices(const struct app *, struct choice *);
const char *app_saved_words(struct app *, const char *name);	/* NULL: none are saved so */
void app_filters_put(struct app *, struct buf *);	/* the filters in force, as words */
const char *app_filters_take(struct app *, struct query *, const char *words);	/* NULL, or the word that is none */

/* view_file.c: how a file was left, from one time to the next */
void app_last_read(struct app *);	/* once the whole file is there */
bool app_last_go(struct app *);		/* '" ; false: there is none */
void app_last_write(struct app *);

/* value_menu.c: commands that take one of a few values; tagged rows */
enum { GRANS = 5 };
extern const char *const gran_names[GRANS];
int  app_choices(const struct app *, enum cmd_id, struct choice *);	/* at most CHOICES_MAX */
bool app_choose(struct app *, enum cmd_id);		/* the menu of a command's values; false: it has none */
void app_unit(struct app *, const char *);
bool app_chosen(struct app *, const struct act *);	/* false: it is no command of these */

/* popup.c: explanations and menus */
void app_explain(struct app *, const char *word);	/* NULL: what is under the cursor */
/* What stands over the columns of the pane: how many; *missing: NULL, or what nobody explains. */
int  app_heads(struct app *, enum topic *, const char **missing);
void app_menu(struct app *);
void app_marks(struct app *);
/* false: it is closed, and the key, or the keys typed so far and this one, mean what they always do */
bool app_pop_key(struct app *, int32_t key);
bool app_pop_click(struct app *, int y, bool twice);
void app_pop_draw(struct app *, struct grid *);

/* tag_presets.c: tags with names, lines of the configuration */
void app_tag(struct app *, const char *arg);		/* "NAME", "NAME = RE" */
const char *app_tag_name(const struct app *, size_t i);	/* NULL: no more */
int  app_map(struct app *, const char *arg, struct err *e);
int  app_config_line(struct app *, const char *line, struct err *e);

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
void settings_print(struct buf *);			/* the same, tab-separated, for the manual */
void config_print(struct buf *);			/* the settings there are */

/* partial_load.c: what is looked at is read first */
const struct session *app_reading(const struct app *);	/* that app_job() is of */
bool app_ahead_on(const struct app *);
bool app_ahead_time(const struct app *, const char *, int64_t *t);	/* as app_time(), percentages by the outline */
bool app_unread(const struct app *, int64_t t);		/* the trace has it, and a part can be read that has it */
void app_ahead(struct app *, int64_t t0, int64_t t1);	/* read that first, then go there */
/* false: nothing is read ahead for it; it is gone to as always */
bool app_ahead_goto(struct app *, const char *time);
bool app_ahead_stop(struct app *);			/* false: nothing was read ahead */
void app_ahead_news(struct app *);
void app_ahead_free(struct app *);

/* reload.c: what is open, read or fetched once more */
/* Another session takes the place of a->s, which is the caller's from now on; what was looked at is gone to by its
   name, same: of the same trace, so that window and row are kept as well. */
void app_turn(struct app *, struct session *to, bool same);
void app_fetch(struct app *, const char *arg);
void app_again(struct app *, const struct side_news *);	/* a profile that was, is there */
bool app_stop_fetch(struct app *);
void app_fetch_news(struct app *, bool told);	/* told: a message about it stands there already */

/* first_screen.c: the first screen of a profile */
void app_facts(struct app *, size_t room, struct buf *);	/* what it is, in at most so many cells */
void app_first_words(struct app *);			/* once, when all has been read */

/* app/draw.c */
void app_hints(const struct app *, struct buf *);	/* the line of keys of the pane shown */
int app_tab_at(const struct app *, int x);		/* the pane whose tab is there on line 0, or -1 */

/* copy_pane.c: the pane as text */
/* Begun, and unless nobody is patient gone on with by app_go_on(); then it is copied, or what that command is to get. */
void app_paper(struct app *, const char *pipe);
void app_paper_end(struct app *);	/* all of it now, if one was begun: the pane is about to change */
bool app_paper_drop(struct app *);	/* false: none was begun */

/* view_options.c: the pane as a command line */
void app_command_line(struct app *, struct buf *);
/* filter_chips.c: the filters in force, each after " | "; in another text those that the pane does not apply */
void app_chips(const struct app *, struct buf *, struct buf *unused);
/* The eight numbers of a view as text; what follows them in a text, or NULL where they are not there. A comma or blanks
   are between them. */
void app_numbers_put(struct buf *, const struct view *, char between);
const char *app_numbers_take(const char *, struct view *);
/* What the options say of where to begin, as far as the file is known; first: all of it. */
void app_start(struct app *, bool first);

/* no_effect_message.c: what is said when nothing has changed */
/* while drawing, before the last line; true: something is said now */
bool app_quiet(struct app *, const struct grid *);
void app_no_use(struct app *, enum cmd_id);
bool app_of_traces(enum cmd_id);			/* it means something in traces alone */
void app_what_follows(struct app *);			/* after the first key of two */
void app_which_mark(struct app *);

/* write_file.c: what is shown as a file of another form */
void app_write(struct app *, const char *file);	/* NULL: ask for it */
/* true: a command may write to the file. false: it exists, and the user is asked; at y the command comes again with
   arg, and may. */
bool app_may_write(struct app *, enum cmd_id, const char *arg, const char *file);
bool app_over_key(struct app *, int32_t key);	/* the answer; false: nothing was asked */
void app_write_news(struct app *, bool wait);

/* clipboard_editor.c: copying, writing, editing */
void app_give(struct app *, struct buf *, const char *what);	/* that is to be copied, by its name */
void app_copy(struct app *, const char *what);		/* item, report, view */
void app_screen(struct app *, const char *file);
void app_pipe(struct app *, const char *command);	/* NULL: ask */
void app_edit(struct app *);

#endif
