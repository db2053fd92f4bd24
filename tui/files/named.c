/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Filters and tags by name.
 *
 * filter NAME = focus=json; hide=^runtime
 * tag NAME = RE
 *
 * `:save NAME` saves the current filters, `:load NAME` replaces them by saved ones. A set is stored
 * as the user would type it, in the state if saved by the viewer, in the configuration if written
 * by the user; a saved one takes precedence. A named tag tags all functions that its expression
 * matches, for `:tagged`, as the key t does for one row.
 */
#include "config.h"
#include "app/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"

#include <stdio.h>
#include <string.h>

enum { FRAME_WORDS = 6, TAGS_MAX = 2000 };	/* the first query_words[] are expressions for frames */

/* ---- the list of names */

static struct named *find(const struct app *a, enum named_kind kind, const char *name)
{
	for (size_t i = 0; i < a->files.nnamed; i++)
		if (a->files.named[i].kind == kind && !strcmp(a->files.named[i].name, name))
			return &a->files.named[i];
	return NULL;
}

const char *named_text(const struct app *a, enum named_kind kind, const char *name)
{
	const struct named *s = find(a, kind, name);
	return s ? s->text : NULL;
}

/* Keep a text under a name; the empty text removes it. */
static void keep(struct app *a, enum named_kind kind, const char *name, const char *text)
{
	struct named *s = find(a, kind, name);
	if (!s) {
		a->files.named =
		    mem_grow(a->files.named, &a->files.namedcap, a->files.nnamed + 1, sizeof *a->files.named);
		s = &a->files.named[a->files.nnamed++];
		*s = (struct named){kind, arena_strndup(&a->life, name, strlen(name)), NULL};
	}
	s->text = arena_strndup(&a->life, text, strlen(text));
	if (!*text)
		*s = a->files.named[--a->files.nnamed];
}

/* Return the name in "NAME = TEXT", NULL if the line is not of this form. */
static const char *split(struct app *a, const char *line, const char **text)
{
	size_t n = strcspn(line, " \t=;");
	const char *s = line + n + strspn(line + n, " \t");
	if (!n || *s != '=')
		return NULL;
	*text = s + 1 + strspn(s + 1, " \t");
	return arena_strndup(&a->scratch, line, n);
}

int named_choices(const struct app *a, enum named_kind kind, struct choice *out)
{
	int n = 0;
	for (size_t i = 0; i < a->files.nnamed && n < CHOICES_MAX; i++) {
		if (a->files.named[i].kind != kind)
			continue;
		snprintf(out[n].arg, sizeof out[n].arg, "%.47s", a->files.named[i].name);
		snprintf(out[n].text, sizeof out[n].text, "%.111s", a->files.named[i].text);
		out[n++].on = false;
	}
	return n;
}

/* ---- filters */

/* Return the name of a text filter of the query (query_words[]); NULL: it is not part of a set, as numbers of
   goroutines are of one trace. */
static const char *word_name(size_t i)
{
	enum option_id id = query_words[i].option;
	return id == OPT_GOROUTINE ? NULL : option_rows[id].name;
}

void named_put_filters(const struct query *q, struct buf *b)
{
	struct query words = *q;
	size_t begin = b->n;
	for (size_t i = 0; i < QUERY_WORDS; i++) {
		const char *v = *query_word(&words, i);
		if (!v || !*v || !word_name(i))
			continue;
		buf_printf(b, "%s%s=", b->n > begin ? "; " : "", word_name(i));
		for (; *v; v++)
			buf_puts(b, v[0] == ';' && v[1] == ' ' ? "[;]" : (char[]){*v, 0});
	}
}

static bool take_word(struct app *a, struct query *q, const char *s, size_t n)
{
	size_t k = 0;
	while (k < n && s[k] != '=')
		k++;
	for (size_t i = 0; i < QUERY_WORDS && k < n; i++) {
		const char *name = word_name(i);
		if (name && strlen(name) == k && !memcmp(name, s, k)) {
			*query_word(q, i) = arena_strndup(&a->scratch, s + k + 1, n - k - 1);
			return true;
		}
	}
	return false;
}

const char *named_parse_filters(struct app *a, struct query *q, const char *text)
{
	for (size_t i = 0; i < QUERY_WORDS; i++)
		if (word_name(i))
			*query_word(q, i) = NULL;
	for (const char *p = text; *p;) {
		const char *end = strstr(p, "; ");
		size_t n = end ? (size_t)(end - p) : strlen(p);
		if (!take_word(a, q, p, n))
			return arena_strndup(&a->scratch, p, n);
		p += n + (end ? 2 : 0);
	}
	return NULL;
}

/* Check a set written by the user: each word is a filter, and each regular expression for frames is valid. */
static int check_words(struct app *a, const char *name, const char *text, struct err *e)
{
	struct query q = {0};
	const char *bad = named_parse_filters(a, &q, text);
	if (bad)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "filter %.40s: %.60s is not a filter", name, bad);
	for (size_t i = 0; i < FRAME_WORDS; i++) {
		const char *re = *query_word(&q, i);
		struct err why;
		struct regex *rx = re ? regex_new(re, &why) : NULL;
		if (re && !rx)
			return err_set(e, ERR_USAGE, ERR_NOWHERE, "filter %.40s: %s: %s", name, word_name(i), why.msg);
		regex_free(rx);
	}
	return 0;
}

int named_add_filter(struct app *a, const char *line, struct err *e)
{
	const char *text, *name = split(a, line, &text);
	if (!name)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "filter requires NAME = focus=RE; hide=RE; ...");
	if (check_words(a, name, text, e))
		return -1;
	keep(a, NAMED_FILTER, name, text);
	return 0;
}

void named_load_filter(struct app *a, const char *line)
{
	const char *text, *name = split(a, line, &text);
	if (name)
		keep(a, NAMED_FILTER, name, text);
}

static void load_filters(struct app *a, const char *name)
{
	const char *text = named_text(a, NAMED_FILTER, name);
	struct query q = *session_query(a->s);
	if (!text) {
		app_message(a, ST_ERROR, "no filters are saved as %s", name);
		return;
	}
	const char *bad = named_parse_filters(a, &q, text);
	q.suspended = false;
	if (bad)
		app_message(a, ST_ERROR, "%s: %.60s is not a filter", name, bad);
	else if (app_query(a, &q))
		app_message(a, ST_DIM, "%s: %.240s", name, text);
}

static bool is_filter_of(const char *entry, const char *name)
{
	size_t n = strlen(name);
	return !strncmp(entry, "filter ", 7) && !strncmp(entry + 7, name, n) && entry[7 + n] == ' ';
}

static void save_filters(struct app *a, const char *name)
{
	struct buf b = {0}, line = {0};
	struct err e;
	if (!*name || name[strcspn(name, " \t=;")]) {
		app_message(a, ST_ERROR, "save requires a name without blanks, = and ;");
		return;
	}
	named_put_filters(session_query(a->s), &b);
	const char *text = buf_str(&b);
	if (!*text && !find(a, NAMED_FILTER, name)) {
		app_message(a, ST_WARN, "no filters to save");
		buf_free(&b);
		return;
	}
	keep(a, NAMED_FILTER, name, text);
	if (*text)
		buf_printf(&line, "filter %s = %s\n", name, text);
	if (!user_lines_are_kept(a))
		app_message(a, ST_DIM, "%s, until ttrace ends: %s", name, *text ? text : "forgotten");
	else if (user_lines_replace(a, is_filter_of, name, &line, &e))
		app_message(a, ST_ERROR, "%s", e.msg);
	else
		app_message(a, ST_DIM, *text ? "saved as %s: %s" : "%s deleted, because there are no filters%s", name, text);
	buf_free(&b);
	buf_free(&line);
}

bool named_command(struct app *a, const struct act *act)
{
	if (act->cmd == CMD_SAVE)
		save_filters(a, act->arg ? act->arg : "");
	else if (act->cmd == CMD_LOAD && act->arg)
		load_filters(a, act->arg);
	else if (act->cmd == CMD_LOAD)
		app_message(a, ST_WARN, "no saved filters: :save NAME saves the current ones");
	else
		return false;
	return true;
}

/* ---- tags */

int named_add_tag(struct app *a, const char *line, struct err *e)
{
	const char *text, *name = split(a, line, &text);
	if (!name || !*text)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "tag requires NAME = RE");
	struct regex *rx = regex_new(text, e);
	if (!rx)
		return -1;
	regex_free(rx);
	keep(a, NAMED_TAG, name, text);
	return 0;
}

static void list_tags(struct app *a)
{
	struct buf b = {0};
	for (size_t i = 0; i < a->files.nnamed; i++)
		if (a->files.named[i].kind == NAMED_TAG)
			buf_printf(&b, " %s", a->files.named[i].name);
	if (b.n)
		app_message(a, ST_NORMAL, "tags:%s", buf_str(&b));
	else
		app_message(a, ST_DIM, "no named tags: :tag NAME = RE adds one");
	buf_free(&b);
}

static void run_tag(struct app *a, const char *name, const char *text)
{
	const struct snap *sn = session_snap(a->s);
	struct err e;
	struct regex *rx = regex_new(text, &e);
	size_t before = a->env.ntagged;
	for (fun_id f = 1; rx && f < sn->nfuns && a->env.ntagged < TAGS_MAX; f++) {
		const struct str_row *s = store_str(sn->st, store_fun(sn->st, f)->name);
		bool have = false;
		for (size_t i = 0; i < a->env.ntagged && !have; i++)
			have = a->tagged[i] == f;
		if (have || !regex_match(rx, s->s, s->n))
			continue;
		a->tagged = mem_grow(a->tagged, &a->tagcap, a->env.ntagged + 1, sizeof *a->tagged);
		a->env.tagged = a->tagged;
		a->tagged[a->env.ntagged++] = f;
	}
	regex_free(rx);
	app_message(a, ST_DIM, "%zu function%s tagged by %s: :tagged shows only stacks through %s",
	    a->env.ntagged - before, text_s(a->env.ntagged - before), name, a->env.ntagged == 1 ? "it" : "them");
}

void named_tag_command(struct app *a, const char *arg)
{
	const char *text = named_text(a, NAMED_TAG, arg);
	struct err e;
	if (!*arg)
		list_tags(a);
	else if (text)
		run_tag(a, arg, text);
	else if (!arg[strcspn(arg, "=")])
		app_message(a, ST_ERROR, "no tag %s", arg);
	else if (named_add_tag(a, arg, &e))
		app_message(a, ST_ERROR, "%s", e.msg);
	else
		app_message(a, ST_DIM, "defined: tag %s (:tag %.*s tags the functions that match)", arg,
		    (int)strcspn(arg, " \t="), arg);
}
