/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The command line, parsed with two tables. The parser itself contains four
 * rules: the words "view" and "help" are reports too; a report may be named by
 * a flag (pprof's order); -cum and -flat exclude each other; and so do the
 * granularities.
 *
 * getopt is not used: pprof's users type one dash before long names and
 * -name=value, and options between and after the files.
 */
#include "config.h"
#include "cli/options.h"

#include "base/mem/mem.h"
#include "base/text/go_number.h"
#include "base/text/suggest.h"

#include <stdlib.h>
#include <string.h>

enum { B = 'B', I = 'I', F = 'F', S = 'S', M = 'M', D = 'D' };

const struct option_row option_rows[OPT__N] = {
#define OPT(id, name, kind, arg, dflt, group, help) {name, kind, arg, dflt, group, help},
#include "cli/options.def"
#undef OPT
};

const struct report_row report_rows[] = {
	{"view", NULL, NULL, "viewer", "open the viewer (the default without a report)",
	    "The interactive viewer: ? lists its keys.", NULL, "view -pane=flame cpu.pb.gz"},
	{"help", "[REPORT]", NULL, "viewer", "help on all reports and options, or on one report",
	    "Lists all reports and options, or explains one report.", NULL, "help top"},
#define REPORT(name, fn, arg, takes, group, help, purpose, columns, example) \
	{name, arg, takes, group, help, purpose, columns, example},
#include "cli/reports.def"
#undef REPORT
	{0},
};

static const struct report_row *find_report(const char *name, size_t n)
{
	for (const struct report_row *r = report_rows; r->name; r++)
		if (strlen(r->name) == n && !memcmp(r->name, name, n))
			return r;
	return NULL;
}

/* Find an option by its name or a unique abbreviation; -1: none, -2: more than one. */
static int find_option(const char *name, size_t n)
{
	int found = -1;
	for (int i = 0; i < OPT__N; i++) {
		if (strncmp(option_rows[i].name, name, n))
			continue;
		if (!option_rows[i].name[n])
			return i;
		found = found == -1 ? i : -2;
	}
	return found;
}

static int parse_bool(const char *s, bool *b)
{
	static const char *const yes[] = {"1", "t", "T", "true", "True", "TRUE", "y", "yes", "on"};
	static const char *const no[] = {"0", "f", "F", "false", "False", "FALSE", "n", "no", "off"};
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
		if (!strcmp(s, yes[i]) || !strcmp(s, no[i])) {
			*b = !strcmp(s, yes[i]);
			return 0;
		}
	}
	return -1;
}

static int bad_value(struct err *e, const struct option_row *r, const char *s, const char *wanted)
{
	return err_set(e, ERR_USAGE, ERR_NOWHERE, "-%s requires %s, not \"%.60s\"", r->name, wanted, s);
}

/* Is the word s[0..n) in a list of words separated by blanks? */
static bool word_in(const char *list, const char *s, size_t n)
{
	for (const char *w = list; *(w += strspn(w, " ")); w += strcspn(w, " "))
		if (strcspn(w, " ") == n && !memcmp(w, s, n))
			return true;
	return false;
}

/* Return what to use here instead of an option of pprof that opens another program; NULL for other names. */
static const char *instead_of(const char *name, size_t n)
{
	static const struct { const char *names, *say; } other[] = {
		{"http", "serves no pages: ttrace view FILE shows the profile in the terminal, "
			 "ttrace flame FILE > x.svg writes a page for a browser"},
		{"web", "opens no browser: ttrace flame FILE > x.svg writes a flame graph as a page, "
			"ttrace svg FILE > x.svg the call graph"},
		{"evince eog gv", "opens no other program: ttrace svg FILE > x.svg draws the call graph, as do "
				  "png, gif, pdf and ps"},
		{"kcachegrind", "opens no other program: ttrace callgrind FILE > x.callgrind writes what kcachegrind "
				"reads"},
	};
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		if (word_in(other[i].names, name, n))
			return other[i].say;
	return NULL;
}

static int no_option(struct err *e, const char *name, size_t n)
{
	const char *instead = instead_of(name, n);
	if (instead)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-%.*s %s", (int)n, name, instead);
	struct suggestion suggestion = {name, n, NULL, 0};
	for (int i = 0; i < OPT__N; i++)
		suggest_offer(&suggestion, option_rows[i].name);
	for (const struct report_row *r = report_rows; r->name; r++)
		suggest_offer(&suggestion, r->name);
	if (suggestion.best)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "unknown option -%.*s (did you mean -%s?)", (int)n, name,
		    suggestion.best);
	return err_set(e, ERR_USAGE, ERR_NOWHERE, "unknown option -%.*s", (int)n, name);
}

int options_unknown_report(const char *name, struct err *e)
{
	struct suggestion suggestion = {name, strlen(name), NULL, 0};
	for (const struct report_row *r = report_rows; r->name; r++)
		suggest_offer(&suggestion, r->name);
	if (suggestion.best)
		return err_set(
		    e, ERR_USAGE, ERR_NOWHERE, "unknown report \"%s\" (did you mean %s?)", name, suggestion.best);
	return err_set(e, ERR_USAGE, ERR_NOWHERE, "unknown report \"%s\"", name);
}

/* Set the value of an option; s points into argv or is a default. */
static int set_value(struct options *o, int id, const char *s, struct err *e)
{
	const struct option_row *r = &option_rows[id];
	struct option_value *v = &o->v[id];
	v->s = s;
	switch (r->kind) {
	case B:
		return parse_bool(s, &v->b) ? bad_value(e, r, s, "true or false") : 0;
	case I:
		return go_parse_int(s, &v->i) ? 0 : bad_value(e, r, s, "a whole number");
	case F:
		return go_parse_float(s, &v->f) ? 0 : bad_value(e, r, s, "a number");
	case M:
		v->all = xrealloc(v->all, (v->nall + 1) * sizeof *v->all);
		v->all[v->nall++] = s;
		return 0;
	default:
		return 0;
	}
}

int options_set(struct options *o, enum option_id id, const char *s, struct err *e)
{
	struct option_value was = o->v[id];
	if (set_value(o, (int)id, s, e)) {
		o->v[id] = was;
		return -1;
	}
	o->v[id].set = true;
	return 0;
}

/* -cum and -flat exclude each other, and so do the granularities. */
static int check_exclusive(const struct options *o, int id, struct err *e)
{
	bool gran = id >= OPT_FUNCTIONS && id <= OPT_ADDRESSES, sort = id == OPT_CUM || id == OPT_FLAT;
	for (int i = gran ? OPT_FUNCTIONS : OPT_CUM; (gran || sort) && i <= (gran ? OPT_ADDRESSES : OPT_FLAT); i++)
		if (i != id && o->v[id].b && o->v[i].set && o->v[i].b)
			return err_set(e, ERR_USAGE, ERR_NOWHERE, "-%s and -%s cannot be used together",
			    option_rows[i].name, option_rows[id].name);
	return 0;
}

struct args {
	int n, i;
	char *const *v;
};

/* Parse a word that starts with a dash. */
static int parse_flag(struct options *o, struct args *a, struct err *e)
{
	const char *word = a->v[a->i], *name = word + 1 + (word[1] == '-');
	const char *eq = strchr(name, '=');
	size_t n = eq ? (size_t)(eq - name) : strlen(name);
	int id = n == 1 && *name == 'h' ? OPT_HELP : find_option(name, n);
	const struct report_row *r = find_report(name, n);
	if (r && (id < 0 || option_rows[id].name[n])) {
		o->report = r->name;
		if (eq)
			o->arg = eq + 1;
		return 0;
	}
	if (id == -2)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-%.*s is ambiguous", (int)n, name);
	if (id < 0)
		return no_option(e, name, n);
	const char *value = eq ? eq + 1 : NULL;
	if (!value && option_rows[id].kind == B)
		value = "true";
	if (!value && a->i + 1 < a->n)
		value = a->v[++a->i];
	if (!value)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-%s requires %s", option_rows[id].name, option_rows[id].arg);
	o->v[id].set = true;
	o->v[id].word = a->i;
	if (set_value(o, id, value, e))
		return -1;
	return check_exclusive(o, id, e);
}

/* Without a flag, the argument of a report is the first plain word. */
static void take_argument(struct options *o)
{
	const struct report_row *r = find_report(o->report, strlen(o->report));
	if (!r || !r->arg || o->arg || !o->nfile)
		return;
	o->arg = o->file[0];
	memmove(o->file, o->file + 1, --o->nfile * sizeof *o->file);
}

/* Do options of this group change what a report prints? Other options concern its input and output. */
static bool changes_reports(const char *group)
{
	return word_in("report granularity filter value difference trace", group, strlen(group));
}

bool options_applies_to_report(const char *report, enum option_id id)
{
	const struct report_row *r = find_report(report, strlen(report));
	const struct option_row *row = &option_rows[id];
	if ((id == OPT_OUTPUT || id == OPT_FORMAT) && !strcmp(report, "view"))
		return false;	/* its screens are text on standard output */
	if (!r || !r->takes || !changes_reports(row->group))
		return true;
	for (const char *w = r->takes; (w = strchr(w, '+')); w++)
		if (strcspn(w + 1, " ") == strlen(row->group) && !strncmp(w + 1, row->group, strlen(row->group)))
			return true;
	return word_in(r->takes, row->name, strlen(row->name));
}

bool options_typed(const struct options *o, enum option_id id)
{
	return o->v[id].set && o->v[id].word > o->habits;
}

/* Options of the group "trace" that apply to profiles too: those of findings. */
static bool applies_to_profiles(enum option_id id)
{
	return id == OPT_RULE || id == OPT_SET || id == OPT_FAIL_ON || id == OPT_BASELINE;
}

int options_check_profile(const struct options *o, const char *kind, struct err *e)
{
	for (int i = 0; i < OPT__N; i++)
		if (options_typed(o, (enum option_id)i) && (i == OPT_REST || i == OPT_DIFF_RANGE ||
		(!strcmp(option_rows[i].group, "trace") && !applies_to_profiles((enum option_id)i))))
			return err_set(e, ERR_USAGE, ERR_NOWHERE, "this is a %s; -%s applies only to traces", kind,
			    option_rows[i].name);
	return 0;
}

int options_check_report(const struct options *o, struct err *e)
{
	for (int i = 0; i < OPT__N; i++) {
		if (!options_typed(o, (enum option_id)i) || options_applies_to_report(o->report, (enum option_id)i))
			continue;
		if (!strcmp(option_rows[i].group, "difference"))
			return err_set(e, ERR_USAGE, ERR_NOWHERE, "%s cannot compare: -%s applies only to reports on "
			    "call trees (top, peek, flame ...) and to findings and summaries (syscalls, regions, gc ...)",
			    o->report, option_rows[i].name);
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-%s does not apply to %s", option_rows[i].name, o->report);
	}
	bool lists_spans = options_applies_to_report(o->report, OPT_COMPLETE);
	if (options_typed(o, OPT_LATENCY) && !lists_spans && !o->v[OPT_TASK].set && !o->v[OPT_REGION].set &&
	    !o->v[OPT_OPERATION].set)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-latency requires -task, -region or -operation in %s", o->report);
	return 0;
}

static int name_report(struct options *o, enum option_id id, const char *report, struct err *e)
{
	if (o->report && strcmp(o->report, report))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-%s stands for the report %s, and cannot be used with %s",
		    option_rows[id].name, report, o->report);
	o->report = report;
	return 0;
}

/* -d=MODE and -pprof=TYPE of go tool trace are reports. */
static int apply_trace_flags(struct options *o, struct err *e)
{
	static const struct { const char *mode, *report; } modes[] = {
	    {"parsed", "events"}, {"wire", "wire"}, {"footprint", "footprint"}};
	enum { N = sizeof modes / sizeof *modes };
	if (o->v[OPT_D].set) {
		size_t i = 0;
		while (i < N && strcmp(o->v[OPT_D].s, modes[i].mode))
			i++;
		if (i == N)
			return bad_value(e, &option_rows[OPT_D], o->v[OPT_D].s, "parsed, wire or footprint");
		if (name_report(o, OPT_D, modes[i].report, e))
			return -1;
	}
	if (!o->v[OPT_PPROF].set)
		return 0;
	o->v[OPT_TYPE] = o->v[OPT_PPROF];
	return name_report(o, OPT_PPROF, "proto", e);
}

int options_parse(struct options *o, int argc, char *const *argv, struct err *e)
{
	memset(o, 0, sizeof *o);
	for (int i = 0; i < OPT__N; i++)
		if (option_rows[i].dflt && set_value(o, i, option_rows[i].dflt, e))
			return -1;
	o->file = xcalloc((size_t)argc + 1, sizeof *o->file);
	o->owned = o->file;
	bool flags = true;
	struct args a = {argc, 1, argv};
	for (; a.i < argc; a.i++) {
		const char *w = argv[a.i];
		const struct report_row *r;
		if (flags && !strcmp(w, "--"))
			flags = false;
		else if (flags && w[0] == '-' && w[1]) {
			if (parse_flag(o, &a, e))
				return -1;
		} else if (flags && !o->report && !o->nfile && (r = find_report(w, strlen(w))))
			o->report = r->name;
		else
			o->file[o->nfile++] = w;
	}
	if (apply_trace_flags(o, e))
		return -1;
	if (!o->report)
		o->report = "view";
	take_argument(o);
	return 0;
}

void options_free(struct options *o)
{
	for (int i = 0; i < OPT__N; i++)
		mem_free(o->v[i].all);
	mem_free(o->owned);
	memset(o, 0, sizeof *o);
}

static void print_row(struct buf *b, const char *group, const char *name, const char *arg, const char *dflt,
    const char *help)
{
	buf_printf(b, "%s\t%s\t%s\t%s\t%s", group, name, arg ? arg : "", dflt ? dflt : "", help);
}

bool options_print_table(struct buf *b, const char *what)
{
	if (!strcmp(what, "options"))
		for (int i = 0; i < OPT__N; i++) {
			print_row(b, option_rows[i].group, option_rows[i].name, option_rows[i].arg, option_rows[i].dflt,
			    option_rows[i].help);
			buf_putc(b, '\n');
		}
	else if (!strcmp(what, "reports"))
		for (const struct report_row *r = report_rows; r->name; r++) {
			print_row(b, r->group, r->name, r->arg, NULL, r->help);
			buf_printf(b, "\t%s\t%s\t%s\n", r->purpose, r->columns ? r->columns : "", r->example);
		}
	else
		return false;
	return true;
}

/* Copy the first word of s without its quotes to out. Return the rest of s. */
static const char *env_word(const char *s, char *out)
{
	char quote = 0;
	for (; *s && (quote || (*s != ' ' && *s != '\t' && *s != '\n')); s++) {
		if (*s == quote)
			quote = 0;
		else if (!quote && (*s == '"' || *s == '\''))
			quote = *s;
		else if (*s == '\\' && quote != '\'' && s[1])
			*out++ = *++s;
		else
			*out++ = *s;
	}
	*out = '\0';
	return s;
}

char **options_prepend_env(const char *env, int *argc, char *const *argv)
{
	size_t len = strlen(env);
	/* one block: the array of words, followed by their bytes */
	char **v = xcalloc(1, ((size_t)*argc + len + 2) * sizeof *v + len + 1);
	char *at = (char *)(v + (size_t)*argc + len + 2);
	int n = 0;
	if (*argc)
		v[n++] = argv[0];
	for (const char *s = env + strspn(env, " \t\n"); *s; s += strspn(s, " \t\n")) {
		s = env_word(s, at);
		v[n++] = at;
		at += strlen(at) + 1;
	}
	for (int i = 1; i < *argc; i++)
		v[n++] = argv[i];
	*argc = n;
	return v;
}

void options_env_free(char **v)
{
	mem_free(v);
}
