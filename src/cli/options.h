/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CLI_OPTIONS_H
#define TTRACE_CLI_OPTIONS_H

#include "base/err.h"
#include "base/text/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The command line. options.def is the one place where an option is written down,
 * reports.def the one for reports: the parser, --help, completion and the manual
 * read them. One dash or two, -name=value or -name value, booleans also
 * -name=false, unique abbreviations, options anywhere, `--` ends them, `-` is
 * standard input. pprof's own order works too: -top FILE, -list=REGEX FILE.
 */
struct cached_inputs;
struct input_watch;
enum option_id {
#define OPT(id, name, kind, arg, dflt, group, help) OPT_##id,
#include "cli/options.def"
#undef OPT
	OPT__N
};

struct option_row {
	const char *name;
	char kind;		/* B boolean, I integer, F float, S string, M may be repeated, D duration */
	const char *arg, *dflt, *group, *help;
};
extern const struct option_row option_rows[OPT__N];

struct report_row {
	const char *name, *arg;
	const char *takes;	/* see reports.def; NULL: every option */
	const char *group, *help;
	const char *purpose;	/* what question it answers */
	const char *columns;	/* of its table, separated by blanks; NULL: it has no table */
	const char *example;	/* a command line, without "ttrace" */
};
extern const struct report_row report_rows[];	/* ends with a NULL name */

struct options {
	const char *report;	/* the first word, or the one named by a flag (-top); "view" when none is */
	const char *arg;	/* list, peek, goroutine: their argument */
	const char **file;
	size_t nfile;
	struct option_value {
		bool set;
		int word;		/* the index in argv of the (last) word that set it */
		const char *s;		/* as given (the last one), or the default */
		int64_t i;
		double f;
		bool b;
		const char **all;	/* repeatable options: each one given */
		size_t nall;
	} v[OPT__N];
	int habits;		/* so many words after argv[0] are of $TTRACE_OPTS */
	struct downloads *downloads;	/* what was fetched for it (session/download.h), NULL nothing; not its own */
	void *owned;
	/* NULL, or who is told what reports notice on their way; else standard error is */
	void (*notice)(void *arg, const char *line);
	void *notice_arg;
	struct cached_inputs *keep; /* NULL, or what is read of files is noted there (session/input_cache.h) */
	const struct cached_inputs *cached_inputs;	/* NULL, or what of the files is at hand already */
	const struct input_watch *watch;	/* NULL, or who looks on while a report is made, and may stop it */
};

/* 0; or -1 with ERR_USAGE. Options are parsed whatever the report is; options_check_report() refuses those that do not
   apply to it. The strings of argv must outlive *o. */
int options_parse(struct options *, int argc, char *const *argv, struct err *e);
/* Does an option change what this report prints, or where and how any report is printed? */
bool options_applies_to_report(const char *report, enum option_id);
/* An option is given, and not in $TTRACE_OPTS, which is for all calls: what does not apply there is ignored. */
bool options_typed(const struct options *, enum option_id);
/* -1 with ERR_USAGE: an option is typed that does not apply to the report. */
int options_check_report(const struct options *, struct err *e);
/* The same for a profile: refuse an option on the command line that applies only to traces. kind: of the file. */
int options_check_profile(const struct options *, const char *kind, struct err *e);
void options_free(struct options *);
/* One option after the parsing; s must outlive *o. What is no value of it changes nothing. */
int options_set(struct options *, enum option_id, const char *s, struct err *e);
/* Always -1: there is no report of that name; says which one may be meant. */
int options_unknown_report(const char *name, struct err *e);

/* ---- help.c: texts for `ttrace help`, at most 80 columns wide */

/* A name, and what it means from column `indent` (5 to 40) on. */
void cli_help_row(struct buf *, const char *name, const char *text, size_t indent);
void cli_help_options(struct buf *);				/* all options */
void cli_help_reports(struct buf *);			/* all reports */
const struct report_row *cli_find_report(const char *name);	/* NULL: there is none of that name */
void cli_help_report(struct buf *, const struct report_row *);		/* what it is for, and an example */
void cli_help_report_options(struct buf *, const struct report_row *);		/* the options that change it */

/* -print=options, -print=reports: the table, a row a line, tabs between group, name, argument, default and help; of
   reports also purpose, columns and example. false: it is another table's name. */
bool options_print_table(struct buf *, const char *what);
/* -print=completion-bash, -zsh, -fish: a script for that shell. false: as above. */
bool cli_print_completion(struct buf *, const char *what);
/* argv with the words of $TTRACE_OPTS before the rest (blanks part them, quotes and \ keep them together); both
   are to be freed by options_env_free(). */
char **options_prepend_env(const char *env, int *argc, char *const *argv);
void options_env_free(char **);

static inline bool options_bool(const struct options *o, enum option_id i) { return o->v[i].b; }
static inline const char *options_str(const struct options *o, enum option_id i) { return o->v[i].s; }

#endif
