/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The prompts: the command line, incremental search, matching lines, focus and ignore.
 *
 * While a search is typed, the old search and position are kept, and Esc restores both. An
 * expression that does not compile is marked and not applied, so the last valid one stays active.
 * Each prompt shows a note about its effect: matches, matching functions, or completions.
 */
#include "config.h"
#include "app/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"

#include <stdio.h>
#include <string.h>

void app_note(struct app *a, bool bad, const char *s)
{
	snprintf(a->prompt.note, sizeof a->prompt.note, "%s", s);
	a->prompt.note_bad = bad;
}

/* ---- search */

static void report_search(struct app *a)
{
	a->env.find = (struct search){a->search.find, a->search.find ? regex_pattern(a->search.find) : ""};
}

void app_search(struct app *a, const char *re)
{
	struct err e;
	struct regex *rx = re && *re ? regex_new(re, &e) : NULL;
	if (re && *re && !rx) {
		app_message(a, ST_ERROR, "%s", e.msg);
		return;
	}
	regex_free(a->search.find);
	a->search.find = rx;
	a->search.finding.on = false;
	report_search(a);
}

/* Run find() and format its result as "3/17" into out; return the number of matches, 0 if there are none. */
static uint32_t find_hits(struct app *a, int dir, char *out, size_t n)
{
	uint32_t at = 0, hits = 0;
	if (a->search.find)
		hits = pane_search(pane_now(a), state_now(a), &a->env, dir, &at);
	if (hits == FIND_ON)
		snprintf(out, n, "searching");
	else if (hits && at)
		snprintf(out, n, "%u/%u", at, hits);
	else
		snprintf(out, n, hits ? "%u match%s" : "no match", hits, text_es(hits));
	return hits;
}

static void report_found(struct app *a, uint32_t n, const char *hits)
{
	app_message(a, n ? ST_NORMAL : ST_WARN, "/%s  %s", regex_pattern(a->search.find), hits);
}

/* Repeat find() when the pane's background search has ended. n and N meanwhile add to its movement. */
static void queue_find(struct app *a, int dir)
{
	struct pending_search *f = &a->search.finding;
	bool continues = f->on && f->pane == a->cur;
	if (!continues)
		*f = (struct pending_search){true, a->cur, dir, 0, a->in.did, app_view(a)};
	else if (dir == 2)
		f->dir = dir;
	else
		f->more += dir;
}

bool app_can_search(struct app *a)
{
	return pane_can_search(pane_now(a), state_now(a), &a->env);
}

void app_find(struct app *a, int dir)
{
	char hits[40];
	if (!a->search.find) {
		/* the pane has passed n and N on, so they are not its own keys */
		app_message(a, ST_DIM, "no search: / starts one");
		return;
	}
	if (!app_can_search(a)) {
		app_message(a, ST_DIM, "search is not available in this pane");
		return;
	}
	uint32_t n = find_hits(a, dir, hits, sizeof hits);
	if (n == FIND_ON)
		queue_find(a, dir);
	else
		report_found(a, n, hits);
}

/* Use the result of the pane's background search if it is ready. */
void app_finish_find(struct app *a)
{
	struct pending_search *f = &a->search.finding;
	char hits[40];
	uint32_t n = 0;
	if (!f->on || f->pane != a->cur || !a->search.find) {
		f->on = false;
		return;
	}
	n = find_hits(a, f->dir, hits, sizeof hits);
	if (n == FIND_ON)
		return;
	bool moves = f->dir || f->more;
	f->on = false;
	for (int by; n && f->more; f->more -= by) {
		by = f->more > 0 ? 1 : -1;
		n = find_hits(a, by, hits, sizeof hits);
		if (n == FIND_ON) {	/* the pane computes the rows that it moved to */
			f->dir = 0;
			f->more -= by;
			f->on = true;
			return;
		}
	}
	if (a->prompt.cmd == CMD_SEARCH) {
		app_note(a, !n, hits);
		return;
	}
	a->in.did = f->did;
	if (moves)
		app_record_move(a, &f->before);
	if (!a->prompt.cmd)
		report_found(a, n, hits);
}

/* After another command: keep the cursor where it is when the search ends. */
void app_find_stay(struct app *a)
{
	if (a->prompt.cmd == CMD_SEARCH || a->in.did == CMD_NEXT || a->in.did == CMD_PREV || a->in.did == CMD_SEARCH ||
	    a->in.did == CMD_SEARCH_SEL || a->in.did == CMD_NONE)
		return;
	a->search.finding.dir = a->search.finding.more = 0;
}

void app_grep(struct app *a, const char *re)
{
	struct err e;
	struct regex *rx = re && *re ? regex_new(re, &e) : NULL;
	if (re && *re && !rx) {
		app_message(a, ST_ERROR, "%s", e.msg);
		return;
	}
	regex_free(a->search.grep);
	a->search.grep = rx;
	a->env.grep = (struct search){rx, rx ? regex_pattern(rx) : ""};
	app_update_all_panes(a);
}

/* ---- the prompt */

static const char *prompt_label(enum cmd_id what)
{
	switch (what) {
	case CMD_SEARCH: return "/";
	case CMD_GREP: return "&";
	case CMD_FOCUS: return "focus=";
	case CMD_IGNORE: return "ignore=";
	case CMD_PIPE: return "|";
	default: return ":";
	}
}

static void count_functions(struct app *a, const struct regex *rx)
{
	const struct snap *sn = session_snap(a->s);
	uint32_t hits = 0;
	for (uint32_t i = 1; i < sn->nfuns; i++) {
		const struct str_row *s = store_str(sn->st, store_fun(sn->st, i)->name);
		hits += regex_match(rx, s->s, s->n);
	}
	char tmp[64];
	snprintf(tmp, sizeof tmp, "%u of %u function%s", hits, sn->nfuns ? sn->nfuns - 1 : 0,
	    text_s(sn->nfuns ? sn->nfuns - 1 : 0));
	app_note(a, !hits, tmp);
}

static void search_live(struct app *a, struct regex *rx)
{
	char hits[40] = "";
	bool can = app_can_search(a);
	if (a->search.find != a->search.find_before)
		regex_free(a->search.find);
	a->search.find = rx;
	report_search(a);
	pane_load(pane_now(a), state_now(a), &a->env, &a->prompt.before);
	uint32_t n = rx && can ? find_hits(a, 2, hits, sizeof hits) : 0;
	bool none = rx && can && !n;
	a->search.finding.on = false;
	if (n == FIND_ON)
		queue_find(a, 2);
	app_note(a, none, can ? hits : "search is not available in this pane");
}

/* After each change: compile the expression and show its effect. */
static void check_prompt(struct app *a)
{
	struct err e;
	const char *s = a->prompt.edit.text;
	app_note(a, false, "");
	if (a->prompt.cmd == CMD_COMMAND || a->prompt.cmd == CMD_PIPE)
		return;
	struct regex *rx = *s ? regex_new(s, &e) : NULL;
	if (*s && !rx) {
		char tmp[sizeof a->prompt.note];
		snprintf(tmp, sizeof tmp, "! %.190s", e.msg);
		app_note(a, true, tmp);
	} else if (a->prompt.cmd == CMD_SEARCH) {
		search_live(a, rx);
		rx = NULL;	/* owned by the search now */
	} else if (rx) {
		count_functions(a, rx);
	}
	regex_free(rx);
}

void app_prompt(struct app *a, enum cmd_id what, const char *text)
{
	a->prompt.cmd = what;
	a->prompt.before = app_view(a);
	a->search.find_before = a->search.find;
	a->prompt.tabs = 0;
	prompt_start(&a->prompt.edit, text, what == CMD_COMMAND ? &a->prompt.commands : &a->prompt.searches);
	app_note(a, false, "");
}

static void finish_prompt(struct app *a, enum cmd_id what, const char *text)
{
	switch (what) {
	case CMD_COMMAND: app_run_line(a, text); break;
	case CMD_GREP: app_grep(a, text); break;
	case CMD_PIPE: files_pipe_pane(a, text); break;
	case CMD_FOCUS: case CMD_IGNORE: app_filter(a, what, text, false); break;
	case CMD_SEARCH:
		a->in.did = CMD_SEARCH;
		if (!*text && a->search.find_before) {	/* an empty search repeats the last one */
			a->search.find = a->search.find_before;
			report_search(a);
			app_find(a, 1);
		} else {
			if (a->search.find_before != a->search.find)
				regex_free(a->search.find_before);
			app_find(a, 0);
		}
		a->search.finding.before = a->prompt.before;
		a->search.finding.did = CMD_SEARCH;
		break;
	default: break;
	}
}

static void cancel_prompt(struct app *a, enum cmd_id what)
{
	if (what != CMD_SEARCH)
		return;
	if (a->search.find != a->search.find_before)
		regex_free(a->search.find);
	a->search.find = a->search.find_before;
	a->search.finding.on = false;
	report_search(a);
	pane_load(pane_now(a), state_now(a), &a->env, &a->prompt.before);
}

void app_prompt_key(struct app *a, int32_t key)
{
	enum cmd_id what = a->prompt.cmd;
	char text[PROMPT_MAX + 1];
	switch (prompt_key(&a->prompt.edit, key)) {
	case PR_NONE: break;
	case PR_CHANGED: a->prompt.tabs = 0; check_prompt(a); break;
	case PR_COMPLETE: app_complete(a); break;
	case PR_CANCEL:
		a->prompt.cmd = CMD_NONE;
		cancel_prompt(a, what);
		a->search.find_before = NULL;
		break;
	case PR_DONE:
		if (a->prompt.note_bad && a->prompt.note[0] == '!') {
			app_message(a, ST_ERROR, "%s", a->prompt.note + 2);
			break;	/* a bad expression is not applied: stay in the prompt */
		}
		memcpy(text, a->prompt.edit.text, sizeof text);
		a->prompt.cmd = CMD_NONE;
		prompt_history_add(a->prompt.edit.hist, text);
		finish_prompt(a, what, text);
		a->search.find_before = NULL;
		break;
	}
}

const char *app_prompt_label(const struct app *a)
{
	return prompt_label(a->prompt.cmd);
}
