/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILES_FILES_H
#define TTRACE_FILES_FILES_H

#include "app/pane.h"

/* What the viewer reads, writes and remembers. */
struct app;
struct file_writer;
struct pane_copy;

enum { START_AT = 16, START_LATER = 32 };

struct named { enum named_kind { NAMED_FILTER, NAMED_TAG } kind; const char *name, *text; };

struct last_view {		/* view_file.c */
	enum last_use { LAST_OFFER, LAST_RESTORE, LAST_OFF } use;	/* the last value that was set */
	char *key;		/* NULL, or the key of the file in the list of views */
	char *begin;		/* the view as text when the file was opened */
	struct command options;	/* the query saved for this file, as a command line */
	bool suspended;		/* its filters are off */
};

struct reload {
	struct session *next;		/* NULL, or the session of the reloaded trace, to replace the one shown */
	uint64_t before;		/* the sides that were shown before; 0: none */
	struct session *previous;	/* NULL, or a trace that was reloaded, as it was before, until it is compared with */
	bool diff;			/* compare the reloaded file with the sides before */
};

struct files {
	struct reload reload;
	char *later;			/* NULL, or the time to go to once it has been read (view_options.c) */
	char rest_note[80];		/* how side A of a comparison with the rest was chosen, or "" */
	/* report the comparison with the rest when this query is weighed: its serial + 1; 0: none */
	uint32_t rest_of;
	struct pane_copy *pane_copy;	/* NULL, or the rows of the pane are being written to a text */
	struct file_writer *file_writer;	/* NULL, or a file that is being written */
	/* a command that waits for the user to confirm that it may replace a file */
	struct { enum cmd_id cmd; char *arg; } over;
	bool replaces;			/* the running command may replace a file */
	struct last_view last;
	struct named *named;
	size_t nnamed, namedcap;
};

/* compare.c: differences and merging of files */
void compare_report_rest(struct app *);	/* summarise the comparison with the rest in a message */
bool compare_command(struct app *, const struct act *);	/* false: not a command of compare.c */
void compare_with_previous(struct app *);	/* compare with the trace as it was before it was reloaded */
bool compare_update(struct app *);	/* add a side that was requested once it is loaded; true: added and reported */

/* user_lines.c: the configuration and the state, files of command lines */
void user_lines_read_config(struct app *);
int  user_lines_configure(struct app *, const char *line, struct err *e);	/* apply a line of the configuration */
void user_lines_read_state(struct app *);		/* all but the views */
void user_lines_write_history(struct app *);
bool user_lines_are_kept(struct app *);			/* false: the state is not written */
/* Whether arg means this entry of the state: a line, or "file KEY" and the lines below it. */
typedef bool user_lines_match(const char *entry, const char *arg);
char *user_lines_find(struct app *, user_lines_match *, const char *arg);	/* a copy in the scratch arena; NULL: none */
/* Replace the entries that match by text, which consists of lines or of one entry "file KEY". */
int  user_lines_replace(struct app *, user_lines_match *, const char *arg, const struct buf *text, struct err *e);

/* named.c: filters and tags by name */
int  named_add_filter(struct app *, const char *line, struct err *e);	/* "NAME = focus=RE; ..." */
int  named_add_tag(struct app *, const char *line, struct err *e);	/* "NAME = RE" */
void named_load_filter(struct app *, const char *line);	/* as the viewer has saved it; other lines are ignored */
bool named_command(struct app *, const struct act *);	/* :save and :load; false: another command */
void named_tag_command(struct app *, const char *arg);	/* "NAME", "NAME = RE" */
int  named_choices(const struct app *, enum named_kind, struct choice *);	/* return how many, at most CHOICES_MAX */
const char *named_text(const struct app *, enum named_kind, const char *name);	/* NULL: none of that name */
/* Append the text filters of a query, separated by "; ". A "; " in an expression is written as "[;] ". */
void named_put_filters(const struct query *, struct buf *);
/* Replace the filters of the query; return the word that is not a filter, or NULL. */
const char *named_parse_filters(struct app *, struct query *, const char *words);

/* view_file.c: the view of a file, saved between runs */
void view_file_read(struct app *);	/* call when the whole file is read */
bool view_file_restore(struct app *);		/* '" ; false: none is saved */
void view_file_write(struct app *);

/* view_options.c: the view as command line options */
void view_options_put(struct app *, struct buf *);
/* Return -1 with *e if all has been read and a range of time or a P of the options is wrong. */
int  view_options_check(const struct app *, struct err *e);
/* Apply the start options that can be resolved by what is read so far; first: all of them. */
void view_options_apply(struct app *, bool first);
bool view_options_parse_time(const struct app *, const char *, int64_t *t);	/* 1.2s, 350ms, 40%, 15:04:05 */
trk_id view_options_find_track(const struct app *, enum track_kind, const char *id); /* "12", "g12"; 0: not found */
void view_options_goto_command(struct app *, const struct act *);	/* gt gG gp gk */
/* If a time has not been read yet, go there once it has been, unless a key comes first, and return true. */
bool view_options_goto_later(struct app *, const char *time);

/* reload.c: read or fetch the open file again */
const struct session *reload_session(const struct app *);	/* the session that app_job() reports on */
void reload_start(struct app *, const char *arg);
void reload_show_side(struct app *, const struct side_news *);	/* a profile that was loaded as a side has changed */
bool reload_cancel(struct app *);
void reload_update(struct app *, bool notified);	/* notified: a message about the reload is shown already */

/* copy_pane.c: the rows of the pane as text */
/* Start to collect the rows. If the app is patient, it is continued by app_run_step(). At the end the text is
 * copied, or given to the command `pipe`. */
void copy_pane_start(struct app *, const char *pipe);
void copy_pane_finish(struct app *);	/* complete it now if one was started, because the pane is about to change */
bool copy_pane_cancel(struct app *);	/* false: none was started */

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
