/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The two files of the user, which have one command a line, in the words of the ":" line.
 *
 * $XDG_CONFIG_HOME/ttrace/config is written by the user and trusted. The first error is shown with
 * its line number and the number of other bad lines; the good lines apply, so that a bad line never
 * prevents looking at a file.
 *
 * $XDG_STATE_HOME/ttrace/state is written by the viewer: saved filters, the history of prompts
 * (":..." and "/..."), and for each of the last hundred files a line "file KEY" with the lines of
 * its view below it (view_file.c). None of its lines is carried out: they are what the user can
 * load, restore or edit, so no line can run a program or write a file.
 *
 * A change of the state replaces the entries that it is about and copies the others from the file,
 * also those that are not understood: another viewer, or a newer version, may have written them.
 * Two viewers that change it at the same moment leave the file of one of them, complete.
 *
 * Versions before it wrote the same lines to three files. They are read until there is a state.
 */
#include "config.h"
#include "app/internal.h"

#include "base/mem/mem.h"
#include "base/newfile.h"
#include "base/text/text.h"
#include "findings/configured.h"
#include "operations/operations.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 100, TEXT_MAX = 2 << 20 };

static const char file_word[] = "file ";

/* Return $VAR/ttrace/file, or ~/dflt/ttrace/file; NULL if there is no home directory. */
static const char *path_of(struct app *a, const char *var, const char *dflt, const char *file)
{
	const char *dir = getenv(var), *home = getenv("HOME");
	if (dir && dir[0] == '/')
		return arena_printf(&a->scratch, "%s/ttrace/%s", dir, file);
	if (home && home[0] == '/')
		return arena_printf(&a->scratch, "%s/%s/ttrace/%s", home, dflt, file);
	return NULL;
}

static const char *state_path(struct app *a, const char *file)
{
	return a->keeps_files && !a->secure ? path_of(a, "XDG_STATE_HOME", ".local/state", file) : NULL;
}

/* Append the whole lines of a file; nothing if it cannot be read. */
static void read_file(const char *name, struct buf *b)
{
	char part[4096];
	struct stat st;
	int fd = name ? open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	bool plain = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode);
	for (ssize_t k; plain && b->n < TEXT_MAX && (k = read(fd, part, sizeof part)) > 0;)
		buf_put(b, part, (size_t)k);
	if (fd >= 0)
		close(fd);
	if (b->n && b->n < TEXT_MAX && b->p[b->n - 1] != '\n')
		buf_putc(b, '\n');
	while (b->n && b->p[b->n - 1] != '\n')
		b->n--;
}

/* ---- the configuration */

static const struct config_word {
	const char *name;
	int (*in_app)(struct app *, const char *arg, struct err *);
	int (*global)(const char *arg, struct err *);
} config_words[] = {
    {"set", config_set, NULL}, {"map", config_map, NULL}, {"filter", named_add_filter, NULL},
    {"tag", named_add_tag, NULL}, {"server", NULL, operations_add_server},
    {"threshold", NULL, findings_configure_threshold},
    {"known", NULL, findings_configure_known}};
enum { CONFIG_WORDS = sizeof config_words / sizeof *config_words };

int user_lines_configure(struct app *a, const char *line, struct err *e)
{
	size_t n = strcspn(line, " \t");
	const char *arg = line + n + strspn(line + n, " \t");
	if (!*line || *line == '#')
		return 0;
	for (size_t i = 0; i < CONFIG_WORDS; i++) {
		const struct config_word *w = &config_words[i];
		if (strlen(w->name) == n && !memcmp(w->name, line, n))
			return w->in_app ? w->in_app(a, arg, e) : w->global(arg, e);
	}
	return err_set(e, ERR_USAGE, ERR_NOWHERE, "%.*s: only set, map, filter, server, threshold, known and tag are possible",
	    (int)(n < 40 ? n : 40), line);
}

/* Return the next line without the blanks around it; NULL: there is none. */
static char *next_line(char **at)
{
	char *s = *at && **at ? strsep(at, "\n") : NULL;
	for (size_t n = s ? strlen(s) : 0; n && strchr("\r\t ", s[n - 1]);)
		s[--n] = '\0';
	return s ? s + strspn(s, " \t") : NULL;
}

void user_lines_read_config(struct app *a)
{
	const char *name = path_of(a, "XDG_CONFIG_HOME", ".config", "config");
	struct buf b = {0};
	struct err first = {0}, later;
	int at = 0, bad = 0;
	read_file(name, &b);
	char *rest = buf_str(&b), *line;
	for (int no = 1; (line = next_line(&rest)); no++)
		if (user_lines_configure(a, line, bad ? &later : &first) && !bad++)
			at = no;
	if (bad > 1)
		app_message(a, ST_WARN, "%s:%d and %d more line%s: %s", name, at, bad - 1, text_s((size_t)bad - 1),
		    first.msg);
	else if (bad)
		app_message(a, ST_WARN, "%s:%d: %s", name, at, first.msg);
	buf_free(&b);
}

/* ---- the state */

/* Get the text of the state, or of the files before it. */
static char *state_text(struct app *a, struct buf *b)
{
	static const char *const before[] = {"filters", "history", "views"};
	read_file(state_path(a, "state"), b);
	for (size_t i = 0, n = b->n; !n && i < 3; i++)
		read_file(state_path(a, before[i]), b);
	return buf_str(b);
}

/* Return the length of the entry at s: a line, or a line "file ..." and all until the next one. */
static size_t entry_length(const char *s)
{
	const char *end = strchr(s, '\n');
	if (!strncmp(s, file_word, strlen(file_word)))
		while (end && end[1] && strncmp(end + 1, file_word, strlen(file_word)))
			end = strchr(end + 1, '\n');
	return end ? (size_t)(end + 1 - s) : strlen(s);
}

void user_lines_read_state(struct app *a)
{
	struct buf b = {0};
	char *rest = state_text(a, &b);
	for (char *s; (s = next_line(&rest)) && strncmp(s, file_word, strlen(file_word));)
		if (*s == ':' || *s == '/')
			prompt_history_add(*s == ':' ? &a->prompt.commands : &a->prompt.searches, s + 1);
		else if (!strncmp(s, "filter ", 7))
			named_load_filter(a, s + 7);
	buf_free(&b);
}

char *user_lines_find(struct app *a, user_lines_match *is_it, const char *arg)
{
	struct buf b = {0};
	char *found = NULL;
	size_t n;
	for (const char *s = state_text(a, &b); *s && !found; s += n) {
		n = entry_length(s);
		if (is_it(s, arg))
			found = arena_strndup(&a->scratch, s, n);
	}
	buf_free(&b);
	return found;
}

/* Create the folder of a file, and those above it. */
static void make_folders(char *file)
{
	for (char *p = file + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(file, 0700);
	}
}

int user_lines_replace(struct app *a, user_lines_match *is_old, const char *arg, const struct buf *text, struct err *e)
{
	struct buf old = {0}, b = {0};
	const char *name = state_path(a, "state");
	bool put = false;
	size_t n, files = text->n > 5 && !memcmp(text->p, file_word, 5);
	if (!name)
		return 0;
	buf_puts(&b, "# what the viewer of ttrace remembers: ttracerc(5)\n");
	for (const char *s = state_text(a, &old); *s; s += n) {
		bool file = !strncmp(s, file_word, strlen(file_word));
		n = entry_length(s);
		if (file && !put) {
			buf_put(&b, text->p, text->n);
			put = true;
		}
		if (*s != '#' && !is_old(s, arg) && !(file && ++files > FILES_MAX))
			buf_put(&b, s, n);
	}
	if (!put)
		buf_put(&b, text->p, text->n);
	make_folders(arena_strndup(&a->scratch, name, strlen(name)));
	int r = newfile_write(name, b.p, b.n, 0600, e);
	buf_free(&old);
	buf_free(&b);
	return r;
}

bool user_lines_are_kept(struct app *a)
{
	return state_path(a, "") != NULL;
}

static bool is_history(const char *entry, const char *unused)
{
	(void)unused;
	return *entry == ':' || *entry == '/';
}

void user_lines_write_history(struct app *a)
{
	const struct history *h[2] = {&a->prompt.commands, &a->prompt.searches};
	struct buf b = {0};
	struct err e;
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < h[k]->n; i++)
			buf_printf(&b, "%c%s\n", ":/"[k], h[k]->line[i]);
	if (b.n)
		user_lines_replace(a, is_history, NULL, &b, &e);
	buf_free(&b);
}
