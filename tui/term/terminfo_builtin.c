/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Entries of terminfo in the program itself, for a static binary on a system that has none.
 *
 * ncurses accepts a compiled entry in $TERMINFO as base64, which infocmp prints, so the entries are text that is made
 * when the program is built (terminfo_builtin.inc). ncurses could be built with entries of its own (--with-fallbacks),
 * but distributions do not.
 *
 * Terminals of one family differ in details that the program does not use. An unknown name gets the entry of the
 * family that it begins with, or that of a vt100.
 */
#include "config.h"
#include "term/terminfo_builtin.h"

#include <stddef.h>
#include <string.h>

#ifdef STATIC_BINARY
static const struct { const char *name, *entry; } entries[] = {
#include "term/terminfo_builtin.inc"
};

static const struct { const char *prefix, *name; } families[] = {
	{ "xterm", "xterm-256color" }, { "tmux", "tmux-256color" }, { "screen", "screen-256color" },
	{ "rxvt-unicode", "rxvt-unicode-256color" },
	{ "rxvt", "rxvt-unicode" }, { "alacritty", "xterm-256color" }, { "kitty", "xterm-256color" }, { "foot", "xterm-256color" }, { "linux", "linux" }, { "", "vt100" } };

static const char *find_entry(const char *name)
{
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
		if (!strcmp(entries[i].name, name))
			return entries[i].entry;
	return NULL;
}

const char *terminfo_builtin(const char *term, const char **name)
{
	const char *entry = find_entry(*name = term);
	for (size_t i = 0; !entry && i < sizeof families / sizeof *families; i++)
		if (!strncmp(term, families[i].prefix, strlen(families[i].prefix)))
			entry = find_entry(*name = families[i].name);
	return entry;
}
#else
const char *terminfo_builtin(const char *term, const char **name)
{
	*name = term;
	return NULL;
}
#endif
