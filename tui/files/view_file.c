/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The view of a file, saved between runs: pane, zoom, filters and marks.
 *
 * $XDG_STATE_HOME/ttrace/views has an entry for each of the last hundred files, the newest first:
 * its identity (size, modification time, path, and the version of ttrace, because a view contains
 * numbers of the store, and only the same program makes the same store of the same bytes), and the
 * view as lines of text. A changed file is another file, as is a set of files with a changed one.
 * Nothing is saved for pipes and URLs, or if the command line sets the view.
 *
 * A saved view is offered, not applied: the first screen of a file must show what it is, and a
 * forgotten filter would make it misleading. `'"` applies it, `set last = restore` does so
 * automatically. Marks are always restored.
 *
 * The list is written to a new file and renamed, so that two viewers that end at once leave one of
 * the two lists, complete.
 */
#include "config.h"
#include "app/internal.h"

#include "base/mem/mem.h"
#include "base/newfile.h"
#include "trace/as_profile.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 100, TEXT_MAX = 1 << 20, LINE_MAX_ = 4096 };

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
		    !strpbrk(path, "\r\n\t") && paths.n + strlen(path) < LINE_MAX_ - 200;
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

static const char *list_name(struct app *a)
{
	return config_path(a, "XDG_STATE_HOME", ".local/state", "/views");
}

static bool is_forbidden(const struct app *a)
{
	return !a->keeps_files || a->secure || a->files.last.use == LAST_OFF;
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

/* ---- the list */

/* Return the next entry of the list, with all its lines, the first of which is "file ..."; NULL: no more. */
static const char *next_entry(const char **at, size_t *n)
{
	const char *s = *at;
	while (*s && strncmp(s, "file ", 5))
		s += strcspn(s, "\n") + (s[strcspn(s, "\n")] == '\n');
	if (!*s)
		return NULL;
	const char *end = strstr(s, "\nfile ");
	*n = end ? (size_t)(end + 1 - s) : strlen(s);
	*at = s + *n;
	return s;
}

static bool is_of(const char *entry, size_t n, const char *key)
{
	size_t k = strlen(key);
	return n > k && !memcmp(entry, key, k) && entry[k] == '\n';
}

/* Return the path in the first line, which identifies the file independent of its version. */
static const char *path_of(const char *entry)
{
	const char *slash = strchr(entry, '/'), *end = strchr(entry, '\n');
	return slash && end && slash < end ? slash : NULL;
}

static void read_list(const char *name, struct buf *b)
{
	char part[LINE_MAX_];
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	bool plain = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode);
	for (ssize_t k; plain && b->n < TEXT_MAX && (k = read(fd, part, sizeof part)) > 0;)
		buf_put(b, part, (size_t)k);
	if (fd >= 0)
		close(fd);
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
		filter_set_put(&q, &f);
		if (f.n)
			buf_printf(b, ", %.100s", buf_str(&f));
		if (q.from != TIME_NONE || q.to != TIME_NONE || q.g || q.gs)
			buf_puts(b, ", narrowed");
	}
	buf_free(&f);
	if (marks)
		buf_printf(b, ", %d mark%s", marks, marks == 1 ? "" : "s");
}

void view_file_read(struct app *a)
{
	struct last_view *l = &a->files.last;
	struct buf b = {0};
	if (l->begin || is_forbidden(a) || !session_snap(a->s)->complete)
		return;
	l->key = key_of(a);
	const char *name = l->key ? list_name(a) : NULL;
	if (name)
		read_list(name, &b);
	command_add(&l->options, "ttrace");
	command_add(&l->options, "view");
	size_t n;
	const char *at = buf_str(&b), *e;
	while (name && (e = next_entry(&at, &n)))
		if (is_of(e, n, l->key)) {
			for (const char *end = e + n; e < end; e += strcspn(e, "\n") + 1)
				take_line(a, arena_strndup(&a->scratch, e, strcspn(e, "\n")));
			break;
		}
	buf_reset(&b);
	put_view(a, false, &b);
	l->begin = xstrdup(buf_str(&b));
	buf_reset(&b);
	if (a->nav.marked[MARKS - 1]) {
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
	}
	buf_free(&b);
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

static void write_list(struct app *a, const char *name, const struct buf *b)
{
	struct err e;
	config_dirs(arena_strndup(&a->scratch, name, strlen(name) - strlen("/views")));
	newfile_write(name, b->p, b->n, 0600, &e);
}

/* Append the other entries of the list, except an older one of the same path. */
static void keep_others(const struct buf *old, const char *key, struct buf *b)
{
	const char *at = old->p, *e, *mine = path_of(key);
	size_t n;
	for (int left = FILES_MAX - 1; left && at && (e = next_entry(&at, &n));) {
		const char *path = path_of(e);
		size_t k = mine ? strcspn(mine, "\n") : 0;
		if (!path || (k && strcspn(path, "\n") == k && !memcmp(path, mine, k)))
			continue;
		buf_put(b, e, n);
		left--;
	}
}

void view_file_write(struct app *a)
{
	struct last_view *l = &a->files.last;
	struct buf now = {0}, old = {0}, b = {0};
	const char *name = l->key && !is_forbidden(a) ? list_name(a) : NULL;
	char *key = name ? key_of(a) : NULL;
	if (!key || strcmp(key, l->key))	/* the file has changed since it was shown */
		name = NULL;
	if (name)
		put_view(a, false, &now);
	bool same = !name || !strcmp(buf_str(&now), l->begin);
	if (name && !(same && (l->use == LAST_OFFER || !a->nav.marked[MARKS - 1]))) {
		read_list(name, &old);
		buf_str(&old);
		buf_puts(&b, "# last views of files; see ttracerc(5), set last\n");
		key = xrealloc(key, strlen(key) + 2);
		strcat(key, "\n");
		if (!same) {
			buf_puts(&b, key);
			put_view(a, true, &b);
		}
		keep_others(&old, key, &b);
		write_list(a, name, &b);
	}
	mem_free(key);
	buf_free(&now);
	buf_free(&old);
	buf_free(&b);
}
