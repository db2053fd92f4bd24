/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The ":" line.
 *
 * It has one word of commands.def with or without an argument, written as pprof's users write it
 * (focus=json, focus json, top20 -cum json -runtime), or a short form: `::` clears, `:>50ms`
 * filters latencies, `:25` moves to a line. It results in the same struct act as a key, so a key
 * and its word cannot differ. An empty argument (focus=) removes a filter; without an argument
 * (focus) the filter is made from the selection.
 */
#include "config.h"
#include "app/internal.h"

#include "base/text/suggest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Run a report by its name. If it requires a function and none is given, use the selected one. In tree10 or text5
   the number limits the entries. */
static void app_report(struct app *a, const struct report_row *r, const char *words)
{
	const char *re = r->arg && !(words && *words) ? app_selected_regex(a, r->name) : "";
	if (re)
		app_act(a, &(struct act){
			       CMD_REPORT, 0, arena_printf(&a->scratch, "%s %s%s", r->name, re, words ? words : "")});
}

static bool report_word(struct app *a, const char *word, const char *rest)
{
	size_t n = strlen(word);
	while (n && isdigit((unsigned char)word[n - 1]))
		n--;
	for (const struct report_row *r = report_rows; r->name; r++) {
		if (strncmp(r->name, word, n) || r->name[n])
			continue;
		app_report(a, r,
		    word[n] ? arena_printf(&a->scratch, "%s%s%s", word + n, rest ? " " : "", rest ? rest : "") : rest);
		return true;
	}
	return false;
}

static bool one_of(const char *s, const char *words)
{
	const char *at = *s ? strstr(words, s) : NULL;
	return at && at[-1] == ' ' && at[strlen(s)] == ' ';
}

/* Return a hint for pprof's commands that start browsers and viewers: what to use here instead. */
static const char *instead_of(const char *word)
{
	static const struct { const char *words, *say; } all[] = {
	    {" web ", "no browser here: 4 is the flame graph, :w FILE.svg writes it, "
		      ":svg > FILE the call graph"},
	    {" gv eog evince ", "a picture is written by :svg > FILE, :png > FILE ...; :w FILE.svg writes the flame graph"},
	    {" kcachegrind ", ":callgrind > FILE writes a file for kcachegrind"},
	    {" output ", "REPORT > FILE writes a report, :w FILE writes what is shown"}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (one_of(word, all[i].words))
			return all[i].say;
	return NULL;
}

static void report_option(struct app *a, enum option_id id, const char *value)
{
	struct err e;
	if (session_set_option(a->s, id, value, &e)) {
		app_message(a, ST_ERROR, "%s", e.msg);
		return;
	}
	app_update_all_panes(a);
	app_message(a, ST_DIM, "%s=%s for reports (:tree, :raw, ...) and written files", option_rows[id].name, value);
}

/* Apply sort=cum to reports too, as pprof does. */
static void report_order(struct app *a, const char *by)
{
	struct err e;
	bool cum = !strcmp(by, "cum");
	if (cum || !strcmp(by, "flat")) {
		session_set_option(a->s, OPT_CUM, cum ? "true" : "false", &e);
		session_set_option(a->s, OPT_FLAT, "false", &e);
	}
}

/* Set an option of reports by name: divide_by=2, call_tree, trim=f. */
static bool option_word(struct app *a, const char *word, const char *rest)
{
	for (int i = 0; i < OPT__N; i++)
		if (!strcmp(option_rows[i].name, word) && session_is_report_option((enum option_id)i)) {
			if (rest || option_rows[i].kind == 'B')
				report_option(a, (enum option_id)i, rest ? rest : "true");
			else
				app_message(a, ST_ERROR, "%s requires a value: %s=%s", word, word, option_rows[i].arg);
			return true;
		}
	return false;
}

/* Select a sample type by name; total_TYPE and mean_TYPE also set -mean for reports. */
static bool type_word(struct app *a, const char *word)
{
	bool total = !strncmp(word, "total_", 6), mean = !strncmp(word, "mean_", 5);
	for (size_t i = 0; i < session_ntypes(a->s); i++)
		if (!strcmp(session_type_name(a->s, i), word)) {
			app_act(a, &(struct act){CMD_SAMPLE_INDEX, 0, word});
			return true;
		}
	for (size_t i = 0; (total || mean) && i < session_ntypes(a->s); i++) {
		const char *type = word + (total ? 6 : 5);
		if (!strcmp(session_type_name(a->s, i), type)) {
			app_act(a, &(struct act){CMD_SAMPLE_INDEX, 0, type});
			report_option(a, OPT_MEAN, mean ? "true" : "false");
			return true;
		}
	}
	return false;
}

/* Run words of pprof or of the command line that are not in commands.def: a granularity, a sample type, -type=,
   -goroutine= and -proc= of the reports. */
static bool other_word(struct app *a, const char *word, const char *rest)
{
	static const struct {
		const char *word;
		enum cmd_id cmd;
		const char *arg;
	} alias[] = {{"q", CMD_QUIT, NULL}, {"quit", CMD_QUIT, NULL}, {"exit", CMD_QUIT, NULL},
	    {"h", CMD_HELP, NULL}, {"o", CMD_INFO, NULL}, {"options", CMD_INFO, NULL},
	    {"type", CMD_SAMPLE_INDEX, NULL}, {"goroutine", CMD_GOROUTINE, NULL}, {"proc", CMD_PROC, NULL},
	    {"cum", CMD_PANE_TOP, "-cum"}, {"flat", CMD_PANE_TOP, "-flat"},
	    {"relative_percentages", CMD_PERCENT, "shown"}};
	if (rest && !strcmp(word, "relative_percentages") && one_of(rest, " f false n no 0 ")) {
		app_act(a, &(struct act){CMD_PERCENT, 0, "whole"});
		return true;
	}
	for (size_t i = 0; i < sizeof alias / sizeof *alias; i++)
		if (!strcmp(alias[i].word, word)) {
			app_act(a, &(struct act){alias[i].cmd, 0, alias[i].arg ? alias[i].arg : rest});
			return true;
		}
	if (!strcmp(word, "cum") || !strcmp(word, "flat"))
		report_order(a, word);
	if (!strcmp(word, "nodecount") && rest && *rest) {
		report_option(a, OPT_NODECOUNT, rest);
		if (*rest == '-')
			return true;
		app_act(a, &(struct act){CMD_PANE_TOP, 0, rest});
		return true;
	}
	for (size_t i = 0; i < GRANS; i++)
		if (!strcmp(gran_names[i], word)) {
			app_act(a, &(struct act){CMD_GRANULARITY, 0, word});
			return true;
		}
	if (report_word(a, word, rest))
		return true;
	const char *say = instead_of(word);
	if (say)
		app_message(a, ST_WARN, "%s", say);
	return say || option_word(a, word, rest) || type_word(a, word);
}

/* Set a command that toggles to a value, unless it has it: noinlines=t, normalize=false. */
static bool set_switch(struct app *a, enum cmd_id id, const char *value)
{
	const struct query *q = session_query(a->s);
	bool yes = one_of(value, " t true y yes 1 "), no = one_of(value, " f false n no 0 ");
	if (!(yes || no) || (id != CMD_NOINLINES && id != CMD_NORMALIZE && id != CMD_DROP_NEG))
		return false;
	bool now = id == CMD_NOINLINES ? q->noinlines : id == CMD_NORMALIZE ? q->normalize : q->drop_negative;
	if (now != yes)
		app_act(a, &(struct act){id, 0, NULL});
	else
		app_message(a, ST_DIM, "%s is already %s", cmds[id].name, yes ? "on" : "off");
	return true;
}

/* Return the value without a comment in pprof's syntax: focus=json //: the decoder. */
static const char *without_comment(struct app *a, const char *value)
{
	const char *end = NULL;
	for (const char *p = value; (p = strstr(p, " //")); p++)
		end = p;
	while (end && end > value && end[-1] == ' ')
		end--;
	return end ? arena_strndup(&a->scratch, value, (size_t)(end - value)) : value;
}

/* Select spans in the timeline: open it first if another pane of a trace is shown. */
static void spans_where(struct app *a, const char *line)
{
	if (session_is_trace(a->s) && pane_now(a)->bit != P_TIME)
		app_open(a, "timeline", NULL);
	app_act(a, &(struct act){CMD_WHERE, 0, arena_strndup(&a->scratch, line, strlen(line))});
}

static int parse_number(const char *s)
{
	long n = strtol(s, NULL, 10);
	return n < INT32_MAX ? (int)n : INT32_MAX;
}

static bool is_number(const char *s)
{
	return s && isdigit((unsigned char)*s) && !s[strspn(s, "0123456789")];
}

/* "25": move to that line; "5j", "3 next-span": run the key or command with a count. */
static bool run_counted(struct app *a, const char *line)
{
	const char *what = line + strspn(line, "0123456789 "), *s = what;
	int32_t key[SEQ_MAX];
	const struct binding *b;
	struct act act = {CMD_LAST, parse_number(line), NULL};
	size_t n = 0;
	for (size_t k; *s && n < SEQ_MAX && (k = keys_parse(s, strlen(s), &key[n])); n++)
		s += k;
	if (n && !*s && keymap_find(&a->in.keys, key, n, pane_now(a)->bit, &b) == KM_FOUND)
		act.cmd = (enum cmd_id)b->cmd, act.arg = b->arg;
	else if (*what)
		act.cmd = command_find(what, strlen(what));
	if (act.cmd)
		app_act(a, &act);
	return act.cmd;
}

/* :count 5 sets the count for the next key; :count alone acts as the # key. */
static void count_word(struct app *a, const char *arg)
{
	a->in.count = arg ? parse_number(arg) : 0;
	a->in.counting = !arg;
	if (arg)
		app_message(a, ST_DIM, "%d: a count for the next key (Esc removes it)", a->in.count);
	else
		app_message(a, ST_DIM, "count: type digits, then a key; :5j does the same");
}

/* Run a short form: "::", "25", "5j", ">50ms", "10ms..50ms", "wait>1ms", "top20". */
static bool short_form(struct app *a, const char *line)
{
	if (!strcmp(line, ":") || !strcmp(line, "::")) {
		app_clear(a);
		return true;
	}
	if (line[0] == '<' || line[0] == '>' || (isdigit((unsigned char)line[0]) && strstr(line, ".."))) {
		app_act(a, &(struct act){CMD_LATENCY, 0, arena_strndup(&a->scratch, line, strlen(line))});
		return true;
	}
	if (isdigit((unsigned char)line[0]) && run_counted(a, line))
		return true;
	/* wait>1ms, g~worker select spans; no other words contain < > or ~ */
	size_t n = strcspn(line, " =");
	if (memchr(line, '>', n) || memchr(line, '<', n) || memchr(line, '~', n)) {
		spans_where(a, line);
		return true;
	}
	if (!strncmp(line, "w!", 2) && (!line[2] || line[2] == ' ')) {
		a->files.replaces = true;
		write_file_start(a, line + 2 + strspn(line + 2, " "));
		a->files.replaces = false;
		return true;
	}
	if (!strncmp(line, "top", 3) && isdigit((unsigned char)line[3])) {
		const char *arg = arena_strndup(&a->scratch, line + 3, strlen(line + 3));
		app_act(a, &(struct act){CMD_PANE_TOP, 0, arg});
		return true;
	}
	return false;
}

/* Return the command of keys that are typed as a word, as in "gk 12". Command words take precedence. */
static enum cmd_id keys_word(const struct app *a, const char *word)
{
	const struct binding *b;
	int32_t key[SEQ_MAX];
	size_t n = 0;
	for (size_t k; *word && n < SEQ_MAX && (k = keys_parse(word, strlen(word), &key[n])); n++)
		word += k;
	bool found = n > 1 && !*word && keymap_find(&a->in.keys, key, n, pane_now(a)->bit, &b) == KM_FOUND;
	return found ? (enum cmd_id)b->cmd : CMD_NONE;
}

static void no_command(struct app *a, const char *word, size_t n)
{
	struct suggestion suggestion = {word, n, NULL, 0};
	int begin = 0;
	for (int i = 1; i < CMD__N; i++) {
		begin += !strncmp(cmds[i].name, word, n);
		suggest_offer(&suggestion, cmds[i].name);
	}
	for (const struct report_row *r = report_rows; r->name; r++)
		suggest_offer(&suggestion, r->name);
	if (begin > 1)
		app_message(a, ST_ERROR, "%d commands start with %s (Tab lists them)", begin, word);
	else if (suggestion.best)
		app_message(a, ST_ERROR, "unknown command: %s (did you mean %s?)", word, suggestion.best);
	else
		app_message(a, ST_ERROR, "unknown command: %s (? lists all, Tab completes)", word);
}

void app_run_line(struct app *a, const char *line)
{
	line += strspn(line, " ");
	if (!*line || short_form(a, line))
		return;
	size_t n = strcspn(line, " =");
	const char *arg = line[n] ? line + n + 1 : NULL;
	const char *word = arena_strndup(&a->scratch, line, n);
	if (arg && line[n] == ' ') {
		arg += strspn(arg, " ");
		arg = *arg ? arg : NULL;
	} else if (arg) {
		arg = without_comment(a, arg);
	}
	/* An exact match in other_word() takes precedence over a prefix of a command: "files" is a granularity. */
	enum cmd_id id = command_find(word, n);
	if ((id == CMD_NONE || strcmp(cmds[id].name, word)) && other_word(a, word, arg))
		return;
	if (id == CMD_NONE)
		id = keys_word(a, word);
	if (id == CMD_DIFF && !arg)	/* its key asks for a value; the line without one ends the comparison */
		arg = "";
	if (id == CMD_SORT && arg)
		report_order(a, arg);
	if (id == CMD_NONE && strpbrk(line, "<>~"))	/* wait reason~chan selects spans */
		spans_where(a, line);
	else if (id == CMD_NONE)
		no_command(a, word, n);
	else if (id == CMD_COUNT && (!arg || is_number(arg)))
		count_word(a, arg);
	else if (is_number(arg) && (!cmds[id].arg || id == CMD_LAST) && id != CMD_NOINLINES)
		app_act(a, &(struct act){id, parse_number(arg), NULL});
	else if (arg && !cmds[id].arg && set_switch(a, id, arg))
		return;
	else if (arg && !cmds[id].arg)
		app_message(a, ST_ERROR, "%s takes no argument", cmds[id].name);
	else
		app_act(a, &(struct act){
			       id, 0, arg ? arena_strndup(&a->scratch, arg, strlen(arg)) : NULL});
}
