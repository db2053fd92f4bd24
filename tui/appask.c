/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The prompts: the command line, the search that moves while it is typed, the
 * lines that match, focus and ignore.
 *
 * While a search is typed the old one and the old place are kept: Esc brings
 * both back. What does not compile as a regular expression is marked and not
 * applied, so the last expression that did stays in force. Every prompt says
 * beside itself what it would do: hits, matching functions, or what Tab offers.
 */
#include "config.h"
#include "inside.h"

#include "base/mem.h"
#include "base/text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void note(struct app *a, bool bad, const char *s)
{
	snprintf(a->note, sizeof a->note, "%s", s);
	a->note_bad = bad;
}

/* ---- search */

static void tell_search(struct app *a)
{
	a->env.find = (struct search){a->find, a->find ? rx_text(a->find) : ""};
}

void app_search(struct app *a, const char *re)
{
	struct err e;
	struct rx *rx = re && *re ? rx_new(re, &e) : NULL;
	if (re && *re && !rx) {
		app_message(a, ST_ERROR, "%s", e.msg);
		return;
	}
	rx_free(a->find);
	a->find = rx;
	a->finding.on = false;
	tell_search(a);
}

/* Hits of the search as "3/17", into buf; 0 when the pane has none. */
static uint32_t find(struct app *a, int dir, char *out, size_t n)
{
	uint32_t at = 0, hits = 0;
	if (a->find && pane_now(a)->find)
		hits = pane_now(a)->find(state_now(a), &a->env, dir, &at);
	if (hits == FIND_ON)
		snprintf(out, n, "searching");
	else if (hits && at)
		snprintf(out, n, "%u/%u", at, hits);
	else
		snprintf(out, n, hits ? "%u match%s" : "no match", hits, text_es(hits));
	return hits;
}

static void tell_found(struct app *a, uint32_t n, const char *hits)
{
	app_message(a, n ? ST_NORMAL : ST_WARN, "/%s  %s", rx_text(a->find), hits);
}

/* What find() was to do is done when the pane has looked; n and N while it looks go on from there. */
static void find_later(struct app *a, int dir)
{
	struct finding *f = &a->finding;
	bool goes_on = f->on && f->pane == a->cur;
	if (!goes_on)
		*f = (struct finding){true, a->cur, dir, 0, a->did, app_here(a)};
	else if (dir == 2)
		f->dir = dir;
	else
		f->more += dir;
}

void app_find(struct app *a, int dir)
{
	char hits[40];
	if (!a->find) {
		/* without a search of ours n and N are the pane's: it has passed them on */
		app_message(a, ST_DIM, "no search: / starts one");
		return;
	}
	if (!pane_now(a)->find) {
		app_message(a, ST_DIM, "search is not available in this pane");
		return;
	}
	uint32_t n = find(a, dir, hits, sizeof hits);
	if (n == FIND_ON)
		find_later(a, dir);
	else
		tell_found(a, n, hits);
}

/* The pane may have them now. */
void app_found(struct app *a)
{
	struct finding *f = &a->finding;
	char hits[40];
	uint32_t n = 0;
	if (!f->on || f->pane != a->cur || !a->find) {
		f->on = false;
		return;
	}
	n = find(a, f->dir, hits, sizeof hits);
	if (n == FIND_ON)
		return;
	bool moves = f->dir || f->more;
	f->on = false;
	for (int by; n && f->more; f->more -= by) {
		by = f->more > 0 ? 1 : -1;
		n = find(a, by, hits, sizeof hits);
		if (n == FIND_ON) {	/* what it went to is being made */
			f->dir = 0;
			f->more -= by;
			f->on = true;
			return;
		}
	}
	if (a->asking == CMD_SEARCH) {
		note(a, !n, hits);
		return;
	}
	a->did = f->did;
	if (moves)
		app_remember(a, &f->before);
	if (!a->asking)
		tell_found(a, n, hits);
}

/* Who does something else meanwhile does not want to be led away from it. */
void app_find_here(struct app *a)
{
	if (a->asking == CMD_SEARCH || a->did == CMD_NEXT || a->did == CMD_PREV || a->did == CMD_SEARCH ||
	    a->did == CMD_SEARCH_SEL || a->did == CMD_NONE)
		return;
	a->finding.dir = a->finding.more = 0;
}

void app_grep(struct app *a, const char *re)
{
	struct err e;
	struct rx *rx = re && *re ? rx_new(re, &e) : NULL;
	if (re && *re && !rx) {
		app_message(a, ST_ERROR, "%s", e.msg);
		return;
	}
	rx_free(a->grep);
	a->grep = rx;
	a->env.grep = (struct search){rx, rx ? rx_text(rx) : ""};
	app_changed(a);
}

/* ---- the prompt */

static const char *label(enum cmd_id what)
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

static void count_functions(struct app *a, const struct rx *rx)
{
	const struct snap *sn = session_snap(a->s);
	uint32_t hits = 0;
	for (uint32_t i = 1; i < sn->nfuns; i++) {
		const struct str_row *s = store_str(sn->st, store_fun(sn->st, i)->name);
		hits += rx_match(rx, s->s, s->n);
	}
	char tmp[64];
	snprintf(tmp, sizeof tmp, "%u of %u function%s", hits, sn->nfuns ? sn->nfuns - 1 : 0,
	    text_s(sn->nfuns ? sn->nfuns - 1 : 0));
	note(a, !hits, tmp);
}

static void search_live(struct app *a, struct rx *rx)
{
	char hits[40] = "";
	const struct pane_ops *p = pane_now(a);
	if (a->find != a->find_before)
		rx_free(a->find);
	a->find = rx;
	tell_search(a);
	if (p->save && p->load)
		p->load(state_now(a), &a->env, &a->asked_at);
	uint32_t n = rx && p->find ? find(a, 2, hits, sizeof hits) : 0;
	bool none = rx && p->find && !n;
	a->finding.on = false;
	if (n == FIND_ON)
		find_later(a, 2);
	note(a, none, p->find ? hits : "search is not available in this pane");
}

/* After each change: does it compile, what would it do. */
static void check(struct app *a)
{
	struct err e;
	const char *s = a->prompt.text;
	note(a, false, "");
	if (a->asking == CMD_COMMAND || a->asking == CMD_PIPE)
		return;
	struct rx *rx = *s ? rx_new(s, &e) : NULL;
	if (*s && !rx) {
		char tmp[sizeof a->note];
		snprintf(tmp, sizeof tmp, "! %.190s", e.msg);
		note(a, true, tmp);
	} else if (a->asking == CMD_SEARCH) {
		search_live(a, rx);
		rx = NULL;	/* it is the search's now */
	} else if (rx) {
		count_functions(a, rx);
	}
	rx_free(rx);
}

void app_prompt(struct app *a, enum cmd_id what, const char *text)
{
	a->asking = what;
	a->asked_from = (struct step){a->cur, {{0}, {0}}};
	if (pane_now(a)->save)
		pane_now(a)->save(state_now(a), &a->asked_from.view);
	a->find_before = a->find;
	memset(&a->asked_at, 0, sizeof a->asked_at);
	if (pane_now(a)->save)
		pane_now(a)->save(state_now(a), &a->asked_at);
	a->tabs = 0;
	prompt_start(&a->prompt, text, what == CMD_COMMAND ? &a->commands : &a->searches);
	note(a, false, "");
}

static void finish(struct app *a, enum cmd_id what, const char *text)
{
	switch (what) {
	case CMD_COMMAND: app_line(a, text); break;
	case CMD_GREP: app_grep(a, text); break;
	case CMD_PIPE: app_pipe(a, text); break;
	case CMD_FOCUS: case CMD_IGNORE: app_filter(a, what, text, false); break;
	case CMD_SEARCH:
		a->did = CMD_SEARCH;
		if (!*text && a->find_before) {	/* an empty search is the last one again */
			a->find = a->find_before;
			tell_search(a);
			app_find(a, 1);
		} else {
			if (a->find_before != a->find)
				rx_free(a->find_before);
			app_find(a, 0);
		}
		a->finding.before = a->asked_from;
		a->finding.did = CMD_SEARCH;
		break;
	default: break;
	}
}

static void cancel(struct app *a, enum cmd_id what)
{
	const struct pane_ops *p = pane_now(a);
	if (what != CMD_SEARCH)
		return;
	if (a->find != a->find_before)
		rx_free(a->find);
	a->find = a->find_before;
	a->finding.on = false;
	tell_search(a);
	if (p->save && p->load)
		p->load(state_now(a), &a->env, &a->asked_at);
}

/* ---- completion of the ":" line */

struct offers {
	const char **word;
	size_t cap;
	int n;
	size_t common;		/* bytes that all share */
	size_t skip;		/* bytes that the list leaves out: the folder */
	bool unordered;		/* by name then; others stand as in their table */
};

static void offer(struct offers *o, const char *word, const char *typed, size_t n)
{
	if (strncmp(word, typed, n))
		return;
	if (!o->n)
		o->common = strlen(word);
	o->word = mem_grow(o->word, &o->cap, (size_t)o->n + 1, sizeof *o->word);
	o->word[o->n++] = word;
	size_t k = 0;
	while (k < o->common && word[k] == o->word[0][k])
		k++;
	o->common = k;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* As many as the line holds; Tab once more shows those that follow, and after the last the first. */
static void tell_offers(struct app *a, const struct offers *o)
{
	size_t room = a->cols > 24 ? (size_t)a->cols : 24, all = 0;
	struct buf b = {0};
	int i = a->tabs = a->tabs < o->n ? a->tabs : 0, from = i;
	if (room > sizeof a->note - 24)
		room = sizeof a->note - 24;
	for (int k = 0; k < o->n && all <= room + 2; k++)
		all += strlen(o->word[k] + o->skip) + 2;
	if (all > room + 2)
		room -= 16;	/* for which of them these are */
	for (; i < o->n; i++) {
		const char *w = o->word[i] + o->skip;
		if (i > from && text_width(b.p, b.n) + strlen(w) > room)
			break;
		text_safe(&b, w, strlen(w));
		buf_puts(&b, "  ");
	}
	if (i - from < o->n)
		buf_printf(&b, "(%d..%d of %d)", from + 1, i, o->n);
	a->tabs = i < o->n ? i : 0;
	note(a, false, buf_str(&b));
	buf_free(&b);
}

/* Names of files: what is in the folder that was typed so far. */
static void offer_files(struct app *a, struct offers *o, const char *typed, size_t n)
{
	size_t dir = n;
	while (dir && typed[dir - 1] != '/')
		dir--;
	const char *folder = dir ? arena_strndup(&a->scratch, typed, dir) : ".";
	DIR *d = a->secure ? NULL : opendir(folder);
	o->skip = dir;
	o->unordered = true;
	for (struct dirent *f; d && (f = readdir(d));) {
		const char *name = arena_printf(&a->scratch, "%.*s%s", (int)dir, typed, f->d_name);
		struct stat sb;
		if (strncmp(name, typed, n) || (f->d_name[0] == '.' && n == dir))
			continue;
		bool folded = !stat(name, &sb) && S_ISDIR(sb.st_mode);
		offer(o, folded ? arena_printf(&a->scratch, "%s/", name) : name, typed, n);
	}
	if (d)
		closedir(d);
}

static void offer_reports(struct offers *o, const char *typed, size_t n)
{
	for (const struct report_row *r = report_rows; r->name; r++)
		offer(o, r->name, typed, n);
}

/* What is typed is not the first word after the command. */
static bool second_word(const struct app *a, const char *typed)
{
	const char *text = a->prompt.text;
	return typed > text + strcspn(text, " ") + 1;
}

/* Sets of filters by name, after "@" where a file could stand too. */
static void offer_saved(struct app *a, struct offers *o, const char *at, const char *typed, size_t n)
{
	struct choice c[CHOICES_MAX];
	int nc = app_saved_choices(a, c);
	for (int i = 0; i < nc; i++)
		offer(o, arena_printf(&a->scratch, "%s%s", at, c[i].arg), typed, n);
}

static void offer_settings(struct app *a, struct offers *o, const char *typed, size_t n)
{
	const char *text = a->prompt.text, *s = text + strcspn(text, " ") + 1;
	size_t k = strcspn(s, " =");
	for (size_t i = 0; config_name(i); i++) {
		const char *v = config_values(i);
		if (!second_word(a, typed))
			offer(o, config_name(i), typed, n);
		else if (strlen(config_name(i)) == k && !memcmp(config_name(i), s, k))
			for (size_t len; *v; v += len + (v[len] == '|')) {
				len = strcspn(v, "|");
				offer(o, arena_strndup(&a->scratch, v, len), typed, n);
			}
	}
}

static void offer_values(
    struct app *a, struct offers *o, const char *word, const char *typed, size_t n)
{
	enum cmd_id id = !strcmp(word, "type") ? CMD_SAMPLE_INDEX : cmd_find(word, strlen(word));
	const struct snap *sn = session_snap(a->s);
	struct choice c[CHOICES_MAX];
	int nc = app_choices(a, id, c);
	for (int i = 0; i < nc; i++)
		offer(o, arena_strndup(&a->scratch, c[i].arg, strlen(c[i].arg)), typed, n);
	if (id == CMD_GRANULARITY && !nc)
		for (int i = 0; i < GRANS; i++)
			offer(o, gran_names[i], typed, n);
	else if (id == CMD_TAG)
		for (size_t i = 0; app_tag_name(a, i); i++)
			offer(o, app_tag_name(a, i), typed, n);
	else if (id == CMD_SAVE)
		offer_saved(a, o, "", typed, n);
	else if (id == CMD_SET)
		offer_settings(a, o, typed, n);
	else if (id == CMD_MAP && second_word(a, typed))
		for (int i = 1; i < CMD__N; i++)
			offer(o, cmds[i].name, typed, n);
	else if (id == CMD_EXPLAIN)
		for (int i = 1; i < TOPIC__N; i++)
			offer(o, explains[i].name, typed, n);
	else if (id == CMD_SAMPLE_INDEX)
		for (size_t i = 0; i < session_ntypes(a->s); i++)
			offer(o, session_type_name(a->s, i), typed, n);
	else if (id == CMD_REPORT)
		offer_reports(o, typed, n);
	else if (cmds[id].arg && strstr(cmds[id].arg, "FILE")) {
		if (id == CMD_DIFF)
			offer_saved(a, o, "@", typed, n);
		offer_files(a, o, typed, n);
	} else if (cmds[id].arg && strstr(cmds[id].arg, "RE") && n) {
		o->unordered = true;
		for (uint32_t i = 1; i < sn->nfuns; i++)
			offer(o, store_str(sn->st, store_fun(sn->st, i)->name)->s, typed, n);
	}
}

static bool cmd_is(const char *word)
{
	enum cmd_id id = cmd_find(word, strlen(word));
	return id && !strcmp(cmds[id].name, word);
}

static void complete(struct app *a)
{
	struct prompt *p = &a->prompt;
	struct offers o = {0};
	size_t from = p->cur, word = strcspn(p->text, " =");
	if (a->asking != CMD_COMMAND)
		return;
	if (p->cur <= word) {
		from = 0;
		for (int i = 1; i < CMD__N; i++)
			offer(&o, cmds[i].name, p->text, p->cur);
		for (const struct report_row *r = report_rows; r->name; r++)
			if (!cmd_is(r->name))
				offer(&o, r->name, p->text, p->cur);
	} else {
		while (from > word + 1 && p->text[from - 1] != ' ')
			from--;
		const char *w = arena_strndup(&a->scratch, p->text, word);
		offer_values(a, &o, w, p->text + from, p->cur - from);
	}
	if (o.unordered && o.n)
		qsort(o.word, (size_t)o.n, sizeof *o.word, by_name);
	const char *one = o.n ? o.word[0] : NULL;
	if (one && o.common > p->cur - from) {
		prompt_replace(p, from, arena_strndup(&a->scratch, one, o.common));
		a->tabs = 0;
	}
	enum cmd_id id = from == 0 && o.n == 1 ? cmd_find(one, strlen(one)) : CMD_NONE;
	if (id && cmds[id].arg)
		prompt_replace(p, p->cur, strcmp(cmds[id].group, "filter") ? " " : "=");
	if (id)
		note(a, false, arena_printf(&a->scratch, "%s  %s", cmds[id].arg ? cmds[id].arg : "", cmds[id].help));
	else if (o.n)
		tell_offers(a, &o);
	else
		note(a, true, "no match");
	mem_free(o.word);
}

void app_prompt_key(struct app *a, int32_t key)
{
	enum cmd_id what = a->asking;
	char text[PROMPT_MAX + 1];
	switch (prompt_key(&a->prompt, key)) {
	case PR_NONE: break;
	case PR_CHANGED: a->tabs = 0; check(a); break;
	case PR_COMPLETE: complete(a); break;
	case PR_CANCEL:
		a->asking = CMD_NONE;
		cancel(a, what);
		a->find_before = NULL;
		break;
	case PR_DONE:
		if (a->note_bad && a->note[0] == '!') {
			app_message(a, ST_ERROR, "%s", a->note + 2);
			break;	/* a bad expression is not applied: go on typing */
		}
		memcpy(text, a->prompt.text, sizeof text);
		a->asking = CMD_NONE;
		history_add(a->prompt.hist, text);
		finish(a, what, text);
		a->find_before = NULL;
		break;
	}
}

const char *app_prompt_label(const struct app *a)
{
	return label(a->asking);
}
