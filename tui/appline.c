/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The ":" line.
 *
 * It is one word of cmd.def with or without an argument, written as
 * pprof's users write it (focus=json, focus json, top20 -cum json -runtime) or
 * one of the short forms: `::` clears, `:>50ms` picks latencies, `:25` goes to a line.
 * It ends as the same struct act that a key makes, so a key and its word cannot
 * do different things. An argument of "" (focus=) takes a filter away; without
 * one (focus) the filter is made from what is selected.
 */
#include "config.h"
#include "inside.h"

#include "base/near.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A report by its own name; of the selected function, where it wants one and none is given. */
static void app_report(struct app *a, const struct report_row *r, const char *words)
{
	const char *re = r->arg && !(words && *words) ? app_selected(a, r->name) : "";
	if (re)
		app_act(a, &(struct act){CMD_REPORT, 0, arena_printf(&a->scratch, "%s %s%s", r->name, re, words ? words : "")});
}

/* Words that pprof or the command line takes and that are no commands of ours: a granularity, a sample type,
   -type=, -goroutine= and -proc= of the reports. */
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
	for (size_t i = 0; i < sizeof alias / sizeof *alias; i++)
		if (!strcmp(alias[i].word, word)) {
			app_act(a, &(struct act){alias[i].cmd, 0, alias[i].arg ? alias[i].arg : rest});
			return true;
		}
	if (!strcmp(word, "nodecount") && rest && *rest) {
		app_act(a, &(struct act){CMD_PANE_TOP, 0, rest});
		return true;
	}
	for (size_t i = 0; i < GRANS; i++)
		if (!strcmp(gran_names[i], word)) {
			app_act(a, &(struct act){CMD_GRANULARITY, 0, word});
			return true;
		}
	for (const struct report_row *r = report_rows; r->name; r++)
		if (!strcmp(r->name, word)) {
			app_report(a, r, rest);
			return true;
		}
	for (size_t i = 0; i < session_ntypes(a->s); i++)
		if (!strcmp(session_type_name(a->s, i), word)) {
			app_act(a, &(struct act){CMD_SAMPLE_INDEX, 0, word});
			return true;
		}
	return false;
}

/* Short forms: "::", "25", ">50ms", "10ms..50ms", "wait>1ms", "top20". */
static bool short_form(struct app *a, const char *line)
{
	if (!strcmp(line, ":")) {
		app_clear(a);
		return true;
	}
	if (isdigit((unsigned char)line[0]) && !line[strspn(line, "0123456789")]) {
		long n = strtol(line, NULL, 10);
		app_act(a, &(struct act){CMD_LAST, n < INT32_MAX ? (int)n : INT32_MAX, NULL});
		return true;
	}
	if (line[0] == '<' || line[0] == '>' || (isdigit((unsigned char)line[0]) && strstr(line, ".."))) {
		app_act(a, &(struct act){CMD_LATENCY, 0, arena_strndup(&a->scratch, line, strlen(line))});
		return true;
	}
	/* wait>1ms, g~worker: which spans; words with < > or ~ are nothing else */
	size_t n = strcspn(line, " =");
	if (memchr(line, '>', n) || memchr(line, '<', n) || memchr(line, '~', n)) {
		app_act(a, &(struct act){CMD_WHERE, 0, arena_strndup(&a->scratch, line, strlen(line))});
		return true;
	}
	if (!strncmp(line, "w!", 2) && (!line[2] || line[2] == ' ')) {
		app_write(a, line + 2 + strspn(line + 2, " "), true);
		return true;
	}
	if (!strncmp(line, "top", 3) && isdigit((unsigned char)line[3])) {
		const char *arg = arena_strndup(&a->scratch, line + 3, strlen(line + 3));
		app_act(a, &(struct act){CMD_PANE_TOP, 0, arg});
		return true;
	}
	return false;
}

static void no_command(struct app *a, const char *word, size_t n)
{
	struct near near = {word, n, NULL, 0};
	int begin = 0;
	for (int i = 1; i < CMD__N; i++) {
		begin += !strncmp(cmds[i].name, word, n);
		near_offer(&near, cmds[i].name);
	}
	for (const struct report_row *r = report_rows; r->name; r++)
		near_offer(&near, r->name);
	if (begin > 1)
		app_message(a, ST_ERROR, "%d commands begin with %s (Tab shows them)", begin, word);
	else if (near.best)
		app_message(a, ST_ERROR, "no such command: %s, perhaps %s", word, near.best);
	else
		app_message(a, ST_ERROR, "no such command: %s (? lists them, Tab completes)", word);
}

void app_line(struct app *a, const char *line)
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
	}
	/* other words go first where they are exact: "files" is no beginning of another word */
	enum cmd_id id = cmd_find(word, n);
	if ((id == CMD_NONE || strcmp(cmds[id].name, word)) && other_word(a, word, arg))
		return;
	if (id == CMD_NONE && strpbrk(line, "<>~"))	/* wait reason~chan: which spans */
		app_act(a, &(struct act){CMD_WHERE, 0, arena_strndup(&a->scratch, line, strlen(line))});
	else if (id == CMD_NONE)
		no_command(a, word, n);
	else if (arg && !cmds[id].arg)
		app_message(a, ST_ERROR, "%s takes no argument", cmds[id].name);
	else
		app_act(a, &(struct act){
			       id, 0, arg ? arena_strndup(&a->scratch, arg, strlen(arg)) : NULL});
}
