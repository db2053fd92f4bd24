/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Completion of the ":" line: Tab.
 *
 * Commands, reports, settings, files and folders are completed from their beginning. Names in the
 * file (functions, tasks, regions, start functions, tag keys) match by any part, as in pprof: a
 * single match replaces the typed text; several are listed, prefix matches first. Only names that
 * the command can match are offered. The argument is a regular expression, so a completed name is
 * written with escapes.
 */
#include "config.h"
#include "app/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "calltree/weighted.h"
#include "filter/tag_weights.h"
#include "operations/operations.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct offers {
	const char **word;
	size_t cap;
	int n;
	size_t common;		/* length of the common prefix */
	size_t skip;		/* leading bytes that the list leaves out: the folder */
	bool unordered;		/* sort by name; otherwise keep the order of the table */
	bool regex;		/* names for a regular expression: write them with escapes */
	const char **inside;	/* names that contain the typed text but do not start with it */
	size_t icap;
	int ninside;
};

static void add_offer(struct offers *o, const char *word, const char *typed, size_t n)
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

/* Offer a name that contains the typed text anywhere. */
static void offer_name(struct offers *o, const char *name, const char *typed, size_t n)
{
	const char *at = *name ? strstr(name, typed) : NULL;
	if (at == name) {
		add_offer(o, name, typed, n);
	} else if (at) {
		o->inside = mem_grow(o->inside, &o->icap, (size_t)o->ninside + 1, sizeof *o->inside);
		o->inside[o->ninside++] = name;
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Show the offers that fit in the line; Tab shows the next ones, and wraps around after the last. */
static void report_offers(struct app *a, const struct offers *o)
{
	size_t room = a->screen.cols > 24 ? (size_t)a->screen.cols : 24, all = 0;
	struct buf b = {0};
	int i = a->prompt.tabs = a->prompt.tabs < o->n ? a->prompt.tabs : 0, from = i;
	if (room > sizeof a->prompt.note - 24)
		room = sizeof a->prompt.note - 24;
	for (int k = 0; k < o->n && all <= room + 2; k++)
		all += strlen(o->word[k] + o->skip) + 2;
	if (all > room + 2)
		room -= 16;	/* for the range, "(1..9 of 30)" */
	for (; i < o->n; i++) {
		const char *w = o->word[i] + o->skip;
		if (i > from && text_width(b.p, b.n) + strlen(w) > room)
			break;
		text_safe(&b, w, strlen(w));
		buf_puts(&b, "  ");
	}
	if (i - from < o->n)
		buf_printf(&b, "(%d..%d of %d)", from + 1, i, o->n);
	a->prompt.tabs = i < o->n ? i : 0;
	app_note(a, false, buf_str(&b));
	buf_free(&b);
}

/* Offer the files, or only the folders, of the folder typed so far. */
static void offer_files(struct app *a, struct offers *o, const char *typed, size_t n, bool folders)
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
		if (folders && !folded)
			continue;
		add_offer(o, folded ? arena_printf(&a->scratch, "%s/", name) : name, typed, n);
	}
	if (d)
		closedir(d);
}

static void offer_reports(struct offers *o, const char *typed, size_t n)
{
	for (const struct report_row *r = report_rows; r->name; r++)
		add_offer(o, r->name, typed, n);
}

/* Return whether the typed word is not the first after the command. */
static bool second_word(const struct app *a, const char *typed)
{
	const char *text = a->prompt.edit.text;
	return typed > text + strcspn(text, " ") + 1;
}

/* Offer the names of filters or tags, with the prefix `at` ("@") where a file name is possible too. */
static void offer_named(struct app *a, struct offers *o, enum named_kind kind, const char *at, const char *typed, size_t n)
{
	struct choice c[CHOICES_MAX];
	int nc = named_choices(a, kind, c);
	for (int i = 0; i < nc; i++)
		add_offer(o, arena_printf(&a->scratch, "%s%s", at, c[i].arg), typed, n);
}

static void offer_settings(struct app *a, struct offers *o, const char *typed, size_t n)
{
	const char *text = a->prompt.edit.text, *s = text + strcspn(text, " ") + 1;
	size_t k = strcspn(s, " =");
	for (size_t i = 0; config_name(i); i++) {
		const char *v = config_values(i);
		if (!second_word(a, typed))
			add_offer(o, config_name(i), typed, n);
		else if (strlen(config_name(i)) == k && !memcmp(config_name(i), s, k))
			for (size_t len; *v; v += len + (v[len] == '|')) {
				len = strcspn(v, "|");
				add_offer(o, arena_strndup(&a->scratch, v, len), typed, n);
			}
	}
}

/* Offer the functions that have samples under the filters, or, if these are not weighed yet, all functions of the
   file. */
static void offer_functions(struct app *a, struct offers *o, const char *typed, size_t n)
{
	const struct snap *sn = session_snap(a->s);
	bool known = pane_now(a)->bit & (P_TOP | P_PEEK | P_FLAME) && session_query(a->s)->gran == GR_FUNCTIONS;
	struct weighted_tree *c = known ? session_calls_async(a->s, GR_FUNCTIONS, FOR_SYMBOLS) : NULL;
	for (uint32_t i = 1; c && i < c->nsymbol; i++)
		if (c->weight[i].nnode && symbol_function(c->st, &c->symbol[i]))
			offer_name(o, app_fun_name(a, symbol_function(c->st, &c->symbol[i])), typed, n);
	for (fun_id f = 1; !c && f < sn->nfuns; f++)
		offer_name(o, app_fun_name(a, f), typed, n);
	weighted_free(c);
}

/* Offer the names of tasks or regions, or the start functions of goroutines, each once. */
static void offer_of_trace(struct app *a, struct offers *o, enum cmd_id id, const char *typed, size_t n)
{
	const struct snap *sn = session_snap(a->s);
	bool *seen = xcalloc(sn->nstrs + 1, sizeof *seen);
	enum span_kind kind = id == CMD_REGION ? SP_REGION : SP_TASK;
	uint32_t all = id == CMD_GROUP ? sn->ntrks : sn->nspans;
	for (uint32_t i = id == CMD_GROUP; i < all; i++) {
		const struct trk_row *t = id == CMD_GROUP ? store_trk(sn->st, i) : NULL;
		const struct sink_span *s = t ? NULL : &store_span(sn->st, i)->s;
		str_id name = t ? (t->kind == TK_G ? store_origin(sn->st, t)->name : 0) : s->kind == kind ? s->name : 0;
		if (name && name < sn->nstrs && !seen[name])
			offer_name(o, store_str(sn->st, name)->s, typed, n);
		seen[name < sn->nstrs ? name : 0] = true;
	}
	mem_free(seen);
}

/* Offer the names of kinds of operations. */
static void offer_operations(struct app *a, struct offers *o, const char *typed, size_t n)
{
	const struct snap *sn = session_snap(a->s);
	const struct operations *all = sn->complete && sn->has_trace ? operations_shared(sn, NULL) : NULL;
	for (uint32_t k = 0; all && k < all->nkinds; k++)
		offer_name(o, arena_strndup(&a->scratch, all->kind[k].name, all->kind[k].nname), typed, n);
}

static void offer_keys(struct app *a, struct offers *o, const char *typed, size_t n)
{
	str_id key[CHOICES_MAX];
	size_t nkey = tag_keys(session_snap(a->s), key, CHOICES_MAX);
	for (size_t i = 0; i < nkey; i++)
		offer_name(o, store_str(session_snap(a->s)->st, key[i])->s, typed, n);
}

/* Offer the names that a command's argument can match. typed is an expression: escapes are removed, because a name
   that was completed before contains them. */
static void offer_names(struct app *a, struct offers *o, enum cmd_id id, const char *typed)
{
	char *plain = arena_strndup(&a->scratch, typed, strlen(typed));
	size_t n = 0;
	for (const char *p = typed; *p; p++)
		if (*p != '\\' || !p[1])
			plain[n++] = *p;
	plain[n] = '\0';
	switch (id) {
	case CMD_GROUP: case CMD_TASK: case CMD_GOTO_TASK: case CMD_REGION: offer_of_trace(a, o, id, plain, n); break;
	case CMD_OPERATION: offer_operations(a, o, plain, n); break;
	case CMD_TAGFOCUS: case CMD_TAGIGNORE: case CMD_TAGSHOW: case CMD_TAGHIDE: case CMD_TAGS:
		offer_keys(a, o, plain, n);
		break;
	default: offer_functions(a, o, plain, n); break;
	}
}

static void offer_values(
    struct app *a, struct offers *o, const char *word, const char *typed, size_t n)
{
	enum cmd_id id = !strcmp(word, "type") ? CMD_SAMPLE_INDEX : command_find(word, strlen(word));
	struct choice c[CHOICES_MAX];
	int nc = app_choices(a, id, c);
	for (int i = 0; i < nc; i++)
		add_offer(o, arena_strndup(&a->scratch, c[i].arg, strlen(c[i].arg)), typed, n);
	if (id == CMD_GRANULARITY && !nc)
		for (int i = 0; i < GRANS; i++)
			add_offer(o, gran_names[i], typed, n);
	else if (id == CMD_TAG)
		offer_named(a, o, NAMED_TAG, "", typed, n);
	else if (id == CMD_SAVE)
		offer_named(a, o, NAMED_FILTER, "", typed, n);
	else if (id == CMD_SET)
		offer_settings(a, o, typed, n);
	else if (id == CMD_MAP && second_word(a, typed))
		for (int i = 1; i < CMD__N; i++)
			add_offer(o, cmds[i].name, typed, n);
	else if (id == CMD_EXPLAIN)
		for (int i = 1; i < TOPIC__N; i++)
			add_offer(o, explains[i].name, typed, n);
	else if (id == CMD_SAMPLE_INDEX)
		for (size_t i = 0; i < session_ntypes(a->s); i++)
			add_offer(o, session_type_name(a->s, i), typed, n);
	else if (id == CMD_REPORT)
		offer_reports(o, typed, n);
	else if (cmds[id].arg && strstr(cmds[id].arg, "FILE")) {
		if (id == CMD_DIFF)
			offer_named(a, o, NAMED_FILTER, "@", typed, n);
		offer_files(a, o, typed, n, false);
	} else if (cmds[id].arg && strstr(cmds[id].arg, "DIRS")) {
		offer_files(a, o, typed, n, true);
	} else if (cmds[id].arg && strstr(cmds[id].arg, "RE") && n) {
		o->unordered = o->regex = true;
		offer_names(a, o, id, arena_strndup(&a->scratch, typed, n));
	}
}

static bool cmd_is(const char *word)
{
	enum cmd_id id = command_find(word, strlen(word));
	return id && !strcmp(cmds[id].name, word);
}

/* Sort: prefix matches first, then the names that contain the typed text. */
static void sort_offers(struct offers *o)
{
	if (o->unordered && o->n)
		qsort(o->word, (size_t)o->n, sizeof *o->word, by_name);
	if (o->ninside)
		qsort(o->inside, (size_t)o->ninside, sizeof *o->inside, by_name);
	if (!o->n && o->ninside == 1)	/* a single match: complete it */
		o->common = strlen(o->inside[0]);
	for (int i = 0; i < o->ninside; i++) {
		o->word = mem_grow(o->word, &o->cap, (size_t)o->n + 1, sizeof *o->word);
		o->word[o->n++] = o->inside[i];
	}
}

/* Replace the text from `from` on by the common prefix of the offers. */
static void replace_word(struct app *a, const struct offers *o, size_t from)
{
	struct prompt *p = &a->prompt.edit;
	const char *common = arena_strndup(&a->scratch, o->word[0], o->common);
	if (o->regex)
		common = app_escape_regex(a, common);
	if (strlen(common) > p->cur - from) {
		prompt_replace(p, from, common);
		a->prompt.tabs = 0;
	}
}

void app_complete(struct app *a)
{
	struct prompt *p = &a->prompt.edit;
	struct offers o = {0};
	size_t from = p->cur, word = strcspn(p->text, " =");
	if (a->prompt.cmd != CMD_COMMAND)
		return;
	if (p->cur <= word) {
		from = 0;
		for (int i = 1; i < CMD__N; i++)
			add_offer(&o, cmds[i].name, p->text, p->cur);
		for (const struct report_row *r = report_rows; r->name; r++)
			if (!cmd_is(r->name))
				add_offer(&o, r->name, p->text, p->cur);
	} else {
		const char *w = arena_strndup(&a->scratch, p->text, word);
		enum cmd_id id = command_find(w, word);
		bool dirs = cmds[id].arg && strstr(cmds[id].arg, "DIRS");
		while (from > word + 1 && p->text[from - 1] != ' ' && !(dirs && p->text[from - 1] == ':'))
			from--;
		offer_values(a, &o, w, p->text + from, p->cur - from);
	}
	sort_offers(&o);
	const char *one = o.n ? o.word[0] : NULL;
	if (one)
		replace_word(a, &o, from);
	enum cmd_id id = from == 0 && o.n == 1 ? command_find(one, strlen(one)) : CMD_NONE;
	if (id && cmds[id].arg)
		prompt_replace(p, p->cur, strcmp(cmds[id].group, "filter") ? " " : "=");
	if (id)
		app_note(a, false, arena_printf(&a->scratch, "%s  %s", cmds[id].arg ? cmds[id].arg : "", cmds[id].help));
	else if (o.n)
		report_offers(a, &o);
	else
		app_note(a, true, "no match");
	mem_free(o.word);
	mem_free(o.inside);
}
