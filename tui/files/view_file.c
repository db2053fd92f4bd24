/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The view of a file, saved between runs: pane, zoom, filters and marks.
 *
 * The state of the viewer (user_lines.c) has an entry for each of the last hundred files, the newest
 * first: its identity (size, modification time, path, and the version of ttrace, because a view
 * contains numbers of the store, and only the same program makes the same store of the same bytes),
 * and the view as lines of text. A changed file is another file, as is a set of files with a changed
 * one. Nothing is saved for pipes and URLs, or if the command line sets the view.
 *
 * A saved view is offered, not applied: the first screen of a file must show what it is, and a
 * forgotten filter would make it misleading. `'"` applies it, `set last = restore` does so
 * automatically. Marks are always restored.
 */
#include "config.h"
#include "app/internal.h"

#include "base/mem/mem.h"
#include "trace/as_profile.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Return whether the command line leaves the view open. */
static bool has_no_view_options(const struct options *o)
{
	static const enum option_id harmless[] = {OPT_THEME, OPT_COLOURS, OPT_MOUSE, OPT_ASCII, OPT_MONO, OPT_MEM,
	    OPT_SOURCE_PATH, OPT_TRIM_PATH, OPT_STRICT, OPT_TIMEOUT};
	for (int i = 0; i < OPT__N; i++) {
		bool fine = !o->v[i].set;
		for (size_t k = 0; k < sizeof harmless / sizeof *harmless; k++)
			fine = fine || (int)harmless[k] == i;
		if (!fine)
			return false;
	}
	return o->nfile >= 1;
}

/* Return the key of the file, or of the files that are shown as one; NULL: its view is not saved. For several
   files the sizes and the times are added up: a change of one changes the sum. */
static char *key_of(const struct app *a)
{
	struct stat st;
	struct buf paths = {0}, b = {0};
	char path[PATH_MAX];
	uint64_t size = 0, s = 0, ns = 0;
	bool fine = has_no_view_options(a->options);
	for (size_t i = 0; fine && i < a->options->nfile; i++) {
		fine = realpath(a->options->file[i], path) && !stat(path, &st) && S_ISREG(st.st_mode) &&
		    !strpbrk(path, "\r\n\t");
		if (!fine)
			break;
		buf_printf(&paths, "%s%s", i ? "\t" : "", path);
		size += (uint64_t)st.st_size;
		s += (uint64_t)st.st_mtim.tv_sec;
		ns += (uint64_t)st.st_mtim.tv_nsec;
	}
	if (fine)
		buf_printf(&b, "file " PACKAGE_VERSION " %" PRIu64 " %" PRIu64 ".%09" PRIu64 " %s", size, s, ns,
		    buf_str(&paths));
	char *key = b.n ? xstrdup(buf_str(&b)) : NULL;
	buf_free(&paths);
	buf_free(&b);
	return key;
}

/* ---- writing a view */

static void put_step(struct buf *b, const char *word, const struct view *v, bool cursor)
{
	buf_printf(b, "%s %s ", word, panes[v->pane]->name);
	view_print(b, v, cursor);
}

static bool is_restorable(int pane)
{
	return !(panes[pane]->bit & (P_HELP | P_REPORT | P_INFO));
}

/* Return the current position, or the last one in a pane that is not a page of text. */
static struct view last_position(const struct app *a)
{
	struct view s = app_view(a);
	for (int i = a->nav.jump_at; !is_restorable(s.pane) && i > 0;)
		s = a->nav.jump[--i];
	return s;
}

/* Append the query as options of the command line, one per line, without sides: they are other files. */
static void put_query(struct app *a, struct buf *b)
{
	struct query q = *session_query(a->s);
	struct command c = {0};
	q.suspended = false;
	q.a = 1;
	q.b = 0;
	session_command_of(a->s, &q, "view", NULL, &a->scratch, &c);
	for (int i = 2; i < c.n && strcmp(c.v[i], "--"); i++)
		buf_printf(b, "option %s\n", c.v[i]);
	if (session_query(a->s)->suspended)
		buf_puts(b, "suspended 1\n");
	mem_free(c.v);
}

/* Append the view. cursor: with the selection, a change of which alone is not saved. */
static void put_view(struct app *a, bool cursor, struct buf *b)
{
	struct view s = last_position(a);
	put_step(b, "view", &s, cursor);
	buf_putc(b, '\n');
	put_query(a, b);
	for (int i = 0; i < 26; i++) {
		char word[8] = {'m', 'a', 'r', 'k', ' ', (char)('a' + i), 0};
		if (!a->nav.marked[i] || !is_restorable(a->nav.mark[i].pane))
			continue;
		put_step(b, word, &a->nav.mark[i], true);
		buf_printf(b, " %.300s\n", a->nav.mark_text[i] ? a->nav.mark_text[i] : "");
	}
}

/* ---- reading a view; lines that are not understood are skipped */

/* Parse "PANE WORDS"; return the rest, or NULL. */
static const char *take_step(const struct app *a, const char *s, struct view *to)
{
	char name[24];
	int n = 0;
	if (sscanf(s, "%23s%n", name, &n) != 1)
		return NULL;
	*to = (struct view){.pane = pane_find(name)};
	s = s[n] == ' ' ? view_parse(s + n + 1, to) : NULL;
	return s && to->pane >= 0 && app_pane_fits(a, to->pane) && is_restorable(to->pane) ? s + (*s == ' ') : NULL;
}

static void take_text(char **to, const char *s)
{
	mem_free(*to);
	*to = xstrdup(s);
}

static void take_mark(struct app *a, char letter, const char *s)
{
	struct view to;
	int i = letter - 'a';
	if (i < 0 || i >= 26 || !(s = take_step(a, s, &to)))
		return;
	a->nav.mark[i] = to;
	a->nav.marked[i] = true;
	take_text(&a->nav.mark_text[i], s);
}

/* Take a line of an entry. Options are parsed, but only those of a query are used (saved_query()). */
static void take_line(struct app *a, const char *s)
{
	struct last_view *l = &a->files.last;
	char word[16];
	int n = 0;
	if (sscanf(s, "%15s%n", word, &n) != 1 || s[n] != ' ')
		return;
	const char *arg = s + n + 1;
	if (!strcmp(word, "view"))
		a->nav.marked[MARKS - 1] = take_step(a, arg, &a->nav.mark[MARKS - 1]) != NULL;
	else if (!strcmp(word, "mark") && arg[0] && arg[1] == ' ')
		take_mark(a, arg[0], arg + 2);
	else if (!strcmp(word, "option"))
		command_add(&l->options, arena_strndup(&a->life, arg, strlen(arg)));
	else if (!strcmp(word, "suspended"))
		l->suspended = true;
}

/* ---- the entry of a file */

static bool is_of(const char *entry, const char *key)
{
	size_t n = strlen(key);
	return !strncmp(entry, key, n) && entry[n] == '\n';
}

/* Return whether an entry has the path of a key, with any size, time and version. */
static bool is_of_path(const char *entry, const char *key)
{
	const char *path = strchr(key, '/'), *s = strchr(entry, '/');
	return !strncmp(entry, "file ", 5) && path && s && is_of(s, path);
}

/* Get the query of the saved options, on the files that are open; its strings are those of the options. */
static int saved_query(const struct app *a, struct query *q, struct err *e)
{
	const struct last_view *l = &a->files.last;
	const struct snap *sn = session_snap(a->s);
	const struct query *now = session_query(a->s);
	struct options o;
	if (options_parse(&o, l->options.n, (char *const *)(uintptr_t)l->options.v, e))
		return -1;
	int r = query_of_options(&o, q, e) || query_add_places(sn, &o, q, e) ? -1 : 0;
	q->type = session_type_of_options(a->s, &o);
	q->g = !r && q->gs ? view_options_find_track(a, TK_G, q->gs) : 0;
	q->gs = q->g ? NULL : q->gs;
	q->suspended = l->suspended;
	q->a = now->a;
	q->b = query_has_range(q) ? q->b : now->b;
	q->show = now->show;
	q->of_rest = now->of_rest;
	q->normalize = now->normalize;
	q->drop_negative = now->drop_negative;
	options_free(&o);
	return r;
}

static void describe_view(struct app *a, struct buf *b)
{
	struct query q;
	struct err e;
	struct buf f = {0};
	int marks = 0;
	for (int i = 0; i < 26; i++)
		marks += a->nav.marked[i];
	buf_puts(b, panes[a->nav.mark[MARKS - 1].pane]->tab);
	if (!saved_query(a, &q, &e)) {
		named_put_filters(&q, &f);
		if (f.n)
			buf_printf(b, ", %.100s", buf_str(&f));
		if (q.from != TIME_NONE || q.to != TIME_NONE || q.g || q.gs)
			buf_puts(b, ", narrowed");
	}
	buf_free(&f);
	if (marks)
		buf_printf(b, ", %d mark%s", marks, marks == 1 ? "" : "s");
}

/* Say that there is a last view, or restore it. */
static void offer_view(struct app *a)
{
	struct last_view *l = &a->files.last;
	struct buf b = {0};
	describe_view(a, &b);
	take_text(&a->nav.mark_text[MARKS - 1], buf_str(&b));
	if (l->use == LAST_RESTORE && !a->in.keyed) {
		struct view before = app_view(a);
		a->in.did = CMD_JUMP_MARK;
		a->in.queried = false;
		if (view_file_restore(a) && !a->status.text[0])
			app_message(a, ST_DIM, "last view restored: %.200s (u: default view)", buf_str(&b));
		app_record_move(a, &before);
	} else if (!a->status.text[0]) {
		app_message(a, ST_DIM, "last view: %.200s; '\" restores it", buf_str(&b));
	}
	buf_free(&b);
}

void view_file_read(struct app *a)
{
	struct last_view *l = &a->files.last;
	struct buf b = {0};
	if (l->begin || l->use == LAST_OFF || !user_lines_are_kept(a) || !session_snap(a->s)->complete)
		return;
	l->key = key_of(a);
	command_add(&l->options, "ttrace");
	command_add(&l->options, "view");
	for (char *entry = l->key ? user_lines_find(a, is_of, l->key) : NULL; entry;)
		take_line(a, strsep(&entry, "\n"));
	put_view(a, false, &b);
	l->begin = xstrdup(buf_str(&b));
	buf_free(&b);
	if (a->nav.marked[MARKS - 1])
		offer_view(a);
}

bool view_file_restore(struct app *a)
{
	struct query q;
	struct err e;
	const struct view to = a->nav.mark[MARKS - 1];
	if (!a->nav.marked[MARKS - 1])
		return false;
	if (saved_query(a, &q, &e)) {
		app_message(a, ST_WARN, "last view: %s", e.msg);
		return false;
	}
	if (!app_query(a, &q))
		return false;
	if (to.pane != a->cur)
		app_switch_pane(a, to.pane);
	app_restore_view(a, &to);
	return true;
}

void view_file_write(struct app *a)
{
	struct last_view *l = &a->files.last;
	struct buf now = {0}, b = {0};
	struct err e;
	char *key = l->key && l->use != LAST_OFF ? key_of(a) : NULL;
	if (key && !strcmp(key, l->key)) {	/* the file has not changed since it was shown */
		put_view(a, false, &now);
		bool same = !strcmp(buf_str(&now), l->begin);
		if (!same) {
			buf_printf(&b, "%s\n", key);
			put_view(a, true, &b);
		}
		if (!same || (l->use != LAST_OFFER && a->nav.marked[MARKS - 1]))
			user_lines_replace(a, is_of_path, key, &b, &e);
	}
	mem_free(key);
	buf_free(&now);
	buf_free(&b);
}
