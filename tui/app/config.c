/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Settings and mapped keys: what `set` and `map` do, in the configuration (files/user_lines.c) and
 * on the ":" line. A setting is a row of a table.
 */
#include "config.h"
#include "app/internal.h"

#include <stddef.h>
#include <string.h>

static bool is_on(const char *v, bool now)
{
	if (!*v)
		return !now;
	return !strcmp(v, "on") || !strcmp(v, "yes") || !strcmp(v, "true") || !strcmp(v, "1");
}

static int set_mono(struct app *a, const char *v, struct err *e)
{
	(void)e;
	a->env.mono = is_on(v, a->env.mono) || !a->screen.look.colours;
	if (a->env.mono)
		a->screen.look.theme = TH_MONO;
	else if (a->screen.look.theme == TH_MONO)
		a->screen.look.theme = a->screen.ground;
	return 0;
}

static int set_theme(struct app *a, const char *v, struct err *e)
{
	int t = style_find_theme(v);
	if (t < 0)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "theme requires dark, light, contrast or mono");
	a->screen.look.theme = (enum theme)t;
	a->screen.themed = true;
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

#define FLAG(member) offsetof(struct app, member)
static const struct setting {
	const char *name, *values, *dflt, *help;
	size_t flag;	/* 0, or where the value is, a bool ... */
	int (*set)(struct app *, const char *value, struct err *);	/* ... which is set, if this is NULL */
} settings[] = {
    {"ascii", "on|off", "by locale", "draw with ASCII characters only", FLAG(env.ascii), NULL},
    {"clock", "wall|trace", "trace", "times on the time axis: time of day (UTC), or time since the start "
    "of the trace", 0, set_clock},
    {"cursor", "on|off", "off", "show the cursor of the terminal; it is always on the selection",
	FLAG(screen.cursor), NULL},
    {"debug", "on|off", "off",
	"show the cost of each screen: time since the key, p50 and p99 of the last 256 screens, cells, bytes sent",
	FLAG(screen.debug), NULL},
    {"judge", "on|off", "on", "look for findings when a file is opened, for the lines at the top of its first screen",
	FLAG(env.judge), NULL},
    {"last", "offer|restore|off", "offer", "how a file was left: '\" goes there, or at once, or it is not kept",
    0, set_last},
    {"mono", "on|off", "by terminal", "draw without colour: states are letters", FLAG(env.mono), set_mono},
    {"mouse", "on|off", "off", "use the mouse: click selects, on the head of a column sorts, wheel scrolls",
	FLAG(screen.mouse), NULL},
    {"theme", "dark|light|contrast|mono", "by terminal",
	"colours for a dark or a light background, with high contrast, or none", 0, set_theme},
    {"tick", "on|off", "on", "show progress while a file is read", FLAG(screen.ticks), NULL},
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

int config_set(struct app *a, const char *arg, struct err *e)
{
	size_t n = strcspn(arg, " =");
	const char *name = arena_strndup(&a->scratch, arg, n), *value = arg + n + strspn(arg + n, " =");
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		if (strcmp(settings[i].name, name))
			continue;
		if (!strcmp(settings[i].values, "on|off") && !is_switch(value))
			return err_set(e, ERR_USAGE, ERR_NOWHERE, "%s requires on or off", name);
		if (settings[i].set)
			return settings[i].set(a, value, e);
		bool *flag = (bool *)((char *)a + settings[i].flag);
		*flag = is_on(value, *flag);
		return 0;
	}
	struct buf b = {0};
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		buf_printf(&b, " %s", settings[i].name);
	err_set(e, ERR_USAGE, ERR_NOWHERE, "settings:%s", buf_str(&b));
	buf_free(&b);
	return -1;
}

/* Map w s to zoom, a d to pan, as in Perfetto and speedscope, on the timeline and in the flame graph only. */
static int map_wasd(struct app *a, struct err *e)
{
	static const struct { const char *key, *cmd; } wasd[] = {
	    {"w", "zoom-in"}, {"s", "zoom-out"}, {"a", "left"}, {"d", "right"}};
	for (size_t i = 0; i < sizeof wasd / sizeof *wasd; i++)
		if (keymap_add(&a->in.keys, wasd[i].key, wasd[i].cmd, P_TIME | P_FLAME, e))
			return -1;
	return 0;
}

int config_map(struct app *a, const char *arg, struct err *e)
{
	size_t n = strcspn(arg, " ");
	const char *cmd = arg + n + strspn(arg + n, " ");
	if (!strcmp(arg, "wasd"))
		return map_wasd(a, e);
	if (!*cmd)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "map requires KEY COMMAND, or wasd");
	return keymap_add(&a->in.keys, arena_strndup(&a->scratch, arg, n), cmd, P_EVERY, e);
}

/* Return the current value of a setting with two values, or NULL for other settings. */
const char *config_now(const struct app *a, const char *name)
{
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (settings[i].flag && !strcmp(settings[i].name, name))
			return *(const bool *)((const char *)a + settings[i].flag) ? "on" : "off";
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
