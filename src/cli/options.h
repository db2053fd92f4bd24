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
 * The command line. Options are defined only in options.def, reports only in
 * reports.def: the parser, --help, completion and the manual read these tables.
 * One dash or two, -name=value or -name value, booleans also -name=false, unique
 * abbreviations, options anywhere, `--` ends them, `-` is standard input. pprof's
 * own order works too: -top FILE, -list=REGEX FILE.
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
	char kind;		/* B boolean, I integer, F float, S string, M string that may be repeated */
	const char *arg, *dflt, *group, *help;
};
extern const struct option_row option_rows[OPT__N];

struct report_row {
	const char *name, *arg;
	const char *takes;	/* see reports.def; NULL: every option */
	const char *group, *help;
	const char *purpose;	/* the question that it answers */
	const char *columns;	/* of its table, separated by blanks; NULL: it is not a table */
	const char *example;	/* a command line, without "ttrace" */
};
extern const struct report_row report_rows[];	/* ends with a NULL name */

struct options {
	const char *report;	/* the first word, or the one named by a flag (-top); "view" if there is none */
	const char *arg;	/* argument of list, peek, goroutine ... */
	const char **file;
	size_t nfile;
	struct option_value {
		bool set;
		int word;		/* index in argv of the last word that set it */
		const char *s;		/* as given (the last one), or the default */
		int64_t i;
		double f;
		bool b;
		const char **all;	/* all values of a repeatable option */
		size_t nall;
	} v[OPT__N];
	int habits;		/* number of words after argv[0] that come from $TTRACE_OPTS */
	struct downloads *downloads;	/* what was fetched (session/download.h); NULL: nothing; not owned */
	void *owned;
	/* NULL: standard error; else called with the notices of a report */
	void (*notice)(void *arg, const char *line);
	void *notice_arg;
	struct cached_inputs *keep; /* NULL, or gets the inputs that are read (session/input_cache.h) */
	const struct cached_inputs *cached_inputs;	/* NULL, or the inputs that were already read */
	/* NULL, or a callback that gets the progress of a report and may stop it */
	const struct input_watch *watch;
};

/* Parse a command line. Return -1 with ERR_USAGE. All options are accepted here for any report; options_check_report()
   refuses those that do not apply to it. The strings of argv must outlive *o. */
int options_parse(struct options *, int argc, char *const *argv, struct err *e);
/* Return whether an option changes what this report prints, or where and how any report is printed. */
bool options_applies_to_report(const char *report, enum option_id);
/* Return whether an option is given on the command line itself. Those in $TTRACE_OPTS are for all calls, so they are
   ignored if they do not apply. */
bool options_typed(const struct options *, enum option_id);
/* Return -1 with ERR_USAGE if an option on the command line does not apply to the report. */
int options_check_report(const struct options *, struct err *e);
/* Likewise for a profile: refuse an option that applies only to traces. kind: the format of the file. */
int options_check_profile(const struct options *, const char *kind, struct err *e);
void options_free(struct options *);
/* Set one option after parsing; s must outlive *o. Return -1 with *e for an invalid value; then nothing changes. */
int options_set(struct options *, enum option_id, const char *s, struct err *e);
/* Set the error that there is no report of that name, with a suggestion. Always returns -1. */
int options_unknown_report(const char *name, struct err *e);

/* Print the table of -print=options or -print=reports, one line per row: group, name, argument, default and help,
   separated by tabs; for reports also purpose, columns and example. Return false for another name. */
bool options_print_table(struct buf *, const char *what);
/* Insert the words of $TTRACE_OPTS before the others (blanks separate them; quotes and \ protect blanks). Free the
   result with options_env_free(). */
char **options_prepend_env(const char *env, int *argc, char *const *argv);
void options_env_free(char **);

static inline bool options_bool(const struct options *o, enum option_id i) { return o->v[i].b; }
static inline const char *options_str(const struct options *o, enum option_id i) { return o->v[i].s; }

#endif
