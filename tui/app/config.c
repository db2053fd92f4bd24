/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Settings, the configuration file and the history.
 *
 * $XDG_CONFIG_HOME/ttrace/config has one command per line, the same commands as the ":" line: `set
 * theme = light`, `map J half-down`, names of filters and tags. Blank lines and lines that start
 * with # are ignored. The first error is shown with its line number and the number of other bad
 * lines; the good lines apply, so that a bad line never prevents looking at a file. The history of
 * prompts is in $XDG_STATE_HOME/ttrace.
 */
#include "config.h"
#include "app/internal.h"

#include "base/mem/mem.h"
#include "base/newfile.h"
#include "base/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_on(const char *v, bool now)
{
	if (!*v)
		return !now;
	return !strcmp(v, "on") || !strcmp(v, "yes") || !strcmp(v, "true") || !strcmp(v, "1");
}

static int set_ascii(struct app *a, const char *v, struct err *e)
{
	(void)e;
	a->env.ascii = is_on(v, a->env.ascii);
	return 0;
}

static int set_mono(struct app *a, const char *v, struct err *e)
{
	(void)e;
	a->env.mono = is_on(v, a->env.mono) || !a->screen.look.colours;
	if (a->env.mono)
		a->screen.look.theme = TH_MONO;
	else if (a->screen.look.theme == TH_MONO)
		a->screen.look.theme = TH_DARK;
	return 0;
}

static int set_mouse(struct app *a, const char *v, struct err *e)
{
	(void)e;
	a->screen.mouse = is_on(v, a->screen.mouse);
	return 0;
}

static int set_cursor(struct app *a, const char *v, struct err *e)
{
	(void)e;
	a->screen.cursor = is_on(v, a->screen.cursor);
	return 0;
}

static int set_tick(struct app *a, const char *v, struct err *e)
{
	(void)e;
	a->screen.ticks = is_on(v, a->screen.ticks);
	return 0;
}

static int set_debug(struct app *a, const char *v, struct err *e)
{
	(void)e;
	a->screen.debug = is_on(v, a->screen.debug);
	return 0;
}

static int set_judge(struct app *a, const char *v, struct err *e)
{
	(void)e;
	a->env.judge = is_on(v, a->env.judge);
	return 0;
}

static int set_theme(struct app *a, const char *v, struct err *e)
{
	int t = style_find_theme(v);
	if (t < 0)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "theme requires dark, light, safe, contrast or mono");
	a->screen.look.theme = (enum theme)t;
	a->env.mono = t == TH_MONO || !a->screen.look.colours;
	return 0;
}

static int set_clock(struct app *a, const char *v, struct err *e)
{
	if (*v && strcmp(v, "wall") && strcmp(v, "trace"))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "clock requires wall or trace");
	a->env.wall = *v ? !strcmp(v, "wall") : !a->env.wall;
	return 0;
}

static int set_last(struct app *a, const char *v, struct err *e)
{
	static const char *const names[] = {"offer", "restore", "off"};
	for (int i = 0; i < 3; i++)
		if (!strcmp(v, names[i])) {
			a->files.last.use = (enum last_use)i;
			return 0;
		}
	return err_set(e, ERR_USAGE, ERR_NOWHERE, "last requires offer, restore or off");
}

static const struct setting {
	const char *name, *values, *dflt, *help;
	int (*set)(struct app *, const char *value, struct err *);
} settings[] = {
    {"ascii", "on|off", "by locale", "draw with ASCII characters only", set_ascii},
    {"clock", "wall|trace", "trace", "times on the time axis: time of day (UTC), or time since the start "
    "of the trace", set_clock},
    {"cursor", "on|off", "off", "show the cursor of the terminal; it is always on the selection", set_cursor},
    {"debug", "on|off", "off",
	"show the cost of each screen: time since the key, p50 and p99 of the last 256 screens, cells, bytes sent",
	set_debug},
    {"judge", "on|off", "on", "look for findings when a file is opened, for the lines at the top of its first screen", set_judge},
    {"last", "offer|restore|off", "offer", "how a file was left: '\" goes there, or at once, or it is not kept",
    set_last},
    {"mono", "on|off", "by terminal", "draw without colour: states are letters", set_mono},
    {"mouse", "on|off", "off", "use the mouse: click selects, on the head of a column sorts, wheel scrolls", set_mouse},
    {"theme", "dark|light|safe|contrast|mono", "by terminal", "colours", set_theme},
    {"tick", "on|off", "on", "show progress while a file is read", set_tick},
};

/* Return whether v is a form of on or off; the empty string toggles. */
static bool is_switch(const char *v)
{
	static const char *const words[] = {"", "on", "off", "yes", "no", "true", "false", "1", "0"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(v, words[i]))
			return true;
	return false;
}

int app_set(struct app *a, const char *name, const char *value, struct err *e)
{
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		if (strcmp(settings[i].name, name))
			continue;
		if (!strcmp(settings[i].values, "on|off") && !is_switch(value))
			return err_set(e, ERR_USAGE, ERR_NOWHERE, "%s requires on or off", name);
		return settings[i].set(a, value, e);
	}
	struct buf b = {0};
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		buf_printf(&b, " %s", settings[i].name);
	err_set(e, ERR_USAGE, ERR_NOWHERE, "settings:%s", buf_str(&b));
	buf_free(&b);
	return -1;
}

/* Return the current value of a setting with two values, or NULL for other settings. */
const char *config_now(const struct app *a, const char *name)
{
	const struct {
		const char *name;
		bool on;
	} now[] = {{"ascii", a->env.ascii}, {"cursor", a->screen.cursor}, {"debug", a->screen.debug},
	    {"judge", a->env.judge},
	    {"mono", a->env.mono}, {"mouse", a->screen.mouse}, {"tick", a->screen.ticks}};
	for (size_t i = 0; i < sizeof now / sizeof *now; i++)
		if (!strcmp(now[i].name, name))
			return now[i].on ? "on" : "off";
	return strcmp(name, "clock") ? NULL : a->env.wall ? "wall" : "trace";
}

const char *config_name(size_t i)
{
	return i < sizeof settings / sizeof *settings ? settings[i].name : NULL;
}

const char *config_values(size_t i)
{
	return settings[i].values;
}

void config_print(struct buf *b)
{
	buf_puts(b,
	    "# $XDG_CONFIG_HOME/ttrace/config (~/.config/ttrace/config): commands, one a line\n");
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		const struct setting *s = &settings[i];
		size_t at = b->n;
		buf_printf(b, "set %s = %s", s->name, s->values);
		buf_pad(b, ' ', b->n - at < 36 ? 36 - (b->n - at) : 1);
		buf_printf(b, "# %s (%s)\n", s->help, s->dflt);
	}
	buf_puts(b, "map KEY COMMAND                     # e.g. map J half-down\n"
		    "map wasd                            # w s zoom, a d pan: timeline and flame graph\n"
		    "filter NAME = focus=RE; hide=RE     # a set of filters for :load NAME\n"
		    "server NAME = serves=RE; reads=RE   # requests that are operations\n"
		    "threshold RULE.NAME = VALUE         # of findings, e.g. threshold stw.longest = 5ms\n"
		    "known RULE [FUNCTION]               # findings that are left out\n"
		    "tag NAME = RE                       # for :tag NAME and :tagged\n");
}

void config_print_settings(struct buf *b)
{
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		const struct setting *s = &settings[i];
		buf_printf(b, "%s\t%s\t%s\t%s\n", s->name, s->values, s->dflt, s->help);
	}
}

/* Return $VAR/ttrace/file, or ~/dflt/ttrace/file; NULL if there is no home directory. */
const char *config_path(struct app *a, const char *var, const char *dflt, const char *file)
{
	const char *dir = getenv(var), *home = getenv("HOME");
	if (dir && dir[0] == '/')
		return arena_printf(&a->scratch, "%s/ttrace%s", dir, file);
	if (home && home[0] == '/')
		return arena_printf(&a->scratch, "%s/%s/ttrace%s", home, dflt, file);
	return NULL;
}

/* Read a line without its newline and trailing blanks; return false at the end of the file. */
bool config_line(FILE *f, char *s, int n)
{
	if (!fgets(s, n, f))
		return false;
	size_t k = strlen(s);
	while (k && strchr("\r\n\t ", s[k - 1]))
		s[--k] = '\0';
	return true;
}

void app_config(struct app *a)
{
	char line[PROMPT_MAX];
	const char *name = config_path(a, "XDG_CONFIG_HOME", ".config", "/config");
	FILE *f = name ? fopen(name, "re") : NULL;
	struct err first = {0}, later;
	int at = 0, bad = 0;
	for (int no = 1; f && config_line(f, line, sizeof line); no++)
		if (files_config_line(a, line + strspn(line, " \t"), bad ? &later : &first) && !bad++)
			at = no;
	if (bad > 1)
		app_message(a, ST_WARN, "%s:%d and %d more line%s: %s", name, at, bad - 1, text_s((size_t)bad - 1),
		    first.msg);
	else if (bad)
		app_message(a, ST_WARN, "%s:%d: %s", name, at, first.msg);
	if (f)
		fclose(f);
}

void config_dirs(char *dir)
{
	for (char *p = dir + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			mkdir(dir, 0700);
			*p = '/';
		}
	mkdir(dir, 0700);
}

static void save_history(struct app *a, const char *name)
{
	const struct history *h[2] = {&a->prompt.commands, &a->prompt.searches};
	struct buf b = {0};
	struct err e;
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < h[k]->n; i++)
			buf_printf(&b, "%c%s\n", ":/"[k], h[k]->line[i]);
	config_dirs(arena_strndup(&a->scratch, name, strlen(name) - strlen("/history")));
	newfile_write(name, b.p, b.n, 0, &e);
	buf_free(&b);
}

void app_history(struct app *a, bool write)
{
	char line[PROMPT_MAX + 2];
	const char *name = config_path(a, "XDG_STATE_HOME", ".local/state", "/history");
	if (a->secure || !name || (write && !a->prompt.commands.n && !a->prompt.searches.n))
		return;
	if (write) {
		save_history(a, name);
		return;
	}
	FILE *f = fopen(name, "re");
	if (!f)
		return;
	while (config_line(f, line, sizeof line))
		if (line[0] == ':' || line[0] == '/')
			prompt_history_add(line[0] == ':' ? &a->prompt.commands : &a->prompt.searches, line + 1);
	fclose(f);
}
