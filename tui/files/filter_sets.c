/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Named filter sets: `:save NAME` saves the current filters, `:load NAME` replaces them by saved
 * ones.
 *
 * A set is stored as the user would type it, "focus=json; hide=^runtime", one per line: in
 * $XDG_STATE_HOME/ttrace/filters if saved by the viewer, in the configuration if written by the
 * user (filter NAME = ...); a saved one takes precedence. Each save writes a new file and renames
 * it. Lines that are not understood are kept, because a newer version may have written them.
 */
#include "config.h"
#include "app/internal.h"

#include "base/mem/mem.h"
#include "base/newfile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FRAME_WORDS = 6 };	/* the first query_words[] are expressions for frames */

/* Return the name of a text filter of the query (query_words[]); NULL: it is not part of a set, as numbers of goroutines
   are of one trace. */
static const char *word_name(size_t i)
{
	enum option_id id = query_words[i].option;
	return id == OPT_GOROUTINE ? NULL : option_rows[id].name;
}

static struct saved *find_set(struct app *a, const char *name)
{
	for (size_t i = 0; i < a->files.nsaved; i++)
		if (!strcmp(a->files.saved[i].name, name))
			return &a->files.saved[i];
	return NULL;
}

static bool good_name(const char *s)
{
	return *s && !s[strcspn(s, " \t=;")];
}

/* Store a set; an empty text deletes it. */
static void set_text(struct app *a, const char *name, const char *text, bool ours)
{
	struct saved *s = find_set(a, name);
	if (!s) {
		a->files.saved =
		    mem_grow(a->files.saved, &a->files.savedcap, a->files.nsaved + 1, sizeof *a->files.saved);
		s = &a->files.saved[a->files.nsaved++];
		*s = (struct saved){.name = arena_strndup(&a->life, name, strlen(name))};
	}
	s->text = arena_strndup(&a->life, text, strlen(text));
	s->ours = ours;
	if (!*text)
		*s = a->files.saved[--a->files.nsaved];
}

void filter_set_put(const struct query *q, struct buf *b)
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

/* Replace the filters of q by those of a set; return the word that is not a filter, or NULL. */
const char *filter_set_parse(struct app *a, struct query *q, const char *text)
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
	const char *bad = filter_set_parse(a, &q, text);
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

/* Add a set from "NAME = focus=json; hide=^runtime". */
int filter_set_add_line(struct app *a, const char *line, bool ours, struct err *e)
{
	size_t n = strcspn(line, " \t=");
	const char *name = arena_strndup(&a->scratch, line, n), *v = line + n + strspn(line + n, " \t");
	if (!good_name(name) || *v != '=')
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "filter requires NAME = focus=RE; hide=RE; ...");
	v += 1 + strspn(v + 1, " \t");
	if (!ours && check_words(a, name, v, e))
		return -1;
	set_text(a, name, v, ours);
	return 0;
}

const char *filter_set_text(struct app *a, const char *name)
{
	const struct saved *s = find_set(a, name);
	return s ? s->text : NULL;
}

static void load_set(struct app *a, const char *name)
{
	const struct saved *s = find_set(a, name);
	struct query q = *session_query(a->s);
	if (!s) {
		app_message(a, ST_ERROR, "no filters are saved as %s", name);
		return;
	}
	const char *bad = filter_set_parse(a, &q, s->text);
	q.suspended = false;
	if (bad)
		app_message(a, ST_ERROR, "%s: %.60s is not a filter", name, bad);
	else if (app_query(a, &q))
		app_message(a, ST_DIM, "%s: %.240s", name, s->text);
}

/* ---- the file */

void filter_set_read_file(struct app *a)
{
	char line[PROMPT_MAX];
	struct err e;
	const char *file = config_path(a, "XDG_STATE_HOME", ".local/state", "/filters");
	FILE *f = file && !a->secure ? fopen(file, "re") : NULL;
	while (f && config_line(f, line, sizeof line))
		if (!strncmp(line, "filter ", 7))
			filter_set_add_line(a, line + 7, true, &e);
	if (f)
		fclose(f);
}

static int write_file(struct app *a, const char *file)
{
	struct buf b = {0};
	struct err e;
	config_dirs(arena_strndup(&a->scratch, file, strlen(file) - strlen("/filters")));
	for (size_t i = 0; i < a->files.nsaved; i++)
		if (a->files.saved[i].ours)
			buf_printf(&b, "filter %s = %s\n", a->files.saved[i].name, a->files.saved[i].text);
	int rc = newfile_write(file, b.p, b.n, 0, &e);
	buf_free(&b);
	return rc;
}

static void save_set(struct app *a, const char *name)
{
	struct buf b = {0};
	const char *file = config_path(a, "XDG_STATE_HOME", ".local/state", "/filters");
	if (!good_name(name)) {
		app_message(a, ST_ERROR, "save requires a name without blanks, = and ;");
		return;
	}
	filter_set_put(session_query(a->s), &b);
	if (!b.n && !find_set(a, name)) {
		app_message(a, ST_WARN, "no filters to save");
		buf_free(&b);
		return;
	}
	set_text(a, name, buf_str(&b), true);
	if (!a->keeps_files || a->secure || !file)
		app_message(a, ST_DIM, "%s, until ttrace ends: %s", name, b.n ? buf_str(&b) : "forgotten");
	else if (write_file(a, file))
		app_message(a, ST_ERROR, "%s: %s", file, strerror(errno));
	else
		app_message(a, ST_DIM, b.n ? "saved as %s: %s" : "%s deleted, because there are no filters%s", name,
		    buf_str(&b));
	buf_free(&b);
}

int filter_set_choices(const struct app *a, struct choice *out)
{
	int n = 0;
	for (size_t i = 0; i < a->files.nsaved && n < CHOICES_MAX; i++, n++) {
		snprintf(out[n].arg, sizeof out[n].arg, "%.47s", a->files.saved[i].name);
		snprintf(out[n].text, sizeof out[n].text, "%.111s", a->files.saved[i].text);
		out[n].on = false;
	}
	return n;
}

bool filter_set_command(struct app *a, const struct act *act)
{
	if (act->cmd == CMD_SAVE)
		save_set(a, act->arg ? act->arg : "");
	else if (act->cmd == CMD_LOAD && act->arg)
		load_set(a, act->arg);
	else if (act->cmd == CMD_LOAD)
		app_message(a, ST_WARN, "no saved filters: :save NAME saves the current ones");
	else
		return false;
	return true;
}
