/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Is the background of the terminal light? OSC 11 asks for its colour. The program does not wait for the answer, which
 * comes between keys, in pieces on slow lines, or never. A request for device attributes (DA1) follows the question. All
 * terminals answer that one, and in order, so its answer says that no other will come; until then the program must not
 * leave the terminal to a shell, which would take the answer for keys.
 *
 * Only terminals that are known to ignore what they do not know are asked: the consoles of systems and the terminals that
 * they are named after may print the question. GNU screen does not pass it on.
 *
 * Nothing here reads or waits, so a test calls it with any bytes.
 */
#include "config.h"
#include "term/background.h"

#include <stdlib.h>
#include <string.h>

const char background_question[] = "\033]11;?\033\\\033[c";

bool background_may_ask(const char *term, char *env(const char *))
{
	static const char *const may[] = {"xterm", "tmux", "rxvt", "konsole", "vte", "gnome", "alacritty", "foot", "kitty",
	    "st-", "wezterm", "ghostty", "iterm", "contour", "mintty", "putty", "nsterm", "mlterm"};
	const char *sty = env("STY"), *tmux = env("TMUX");
	if (sty && *sty)
		return false;
	if (!strncmp(term, "screen", 6))
		return tmux && *tmux;
	for (size_t i = 0; i < sizeof may / sizeof *may; i++)
		if (!strncmp(term, may[i], strlen(may[i])))
			return true;
	return false;
}

/* Get a part of a colour, 1 to 4 hexadecimal digits, as a number from 0 to 1; -1: it is none. */
static double colour_part(const char **s)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	double v = 0, most = 0;
	int n = 0;
	for (const char *d; **s && (d = strchr(digits, **s)); (*s)++, n++) {
		v = v * 16 + (double)((d - digits) % 16);
		most = most * 16 + 15;
	}
	return n >= 1 && n <= 4 ? v / most : -1;
}

/* Decide from "rgb:RRRR/GGGG/BBBB" or "rgba:RRRR/GGGG/BBBB/AAAA". */
static enum background_read judge(const char *s)
{
	static const double weight[3] = {0.299, 0.587, 0.114};
	double sum = 0;
	if (strncmp(s, "rgb", 3) || !(s = strchr(s, ':')))
		return BACKGROUND_NONE;
	for (int i = 0; i < 3; i++) {
		if (*s != (i ? '/' : ':'))
			return BACKGROUND_NONE;
		s++;
		double part = colour_part(&s);
		if (part < 0)
			return BACKGROUND_NONE;
		sum += weight[i] * part;
	}
	return sum > 0.5 ? BACKGROUND_LIGHT : BACKGROUND_DARK;
}

enum background_read background_read(struct background_bytes *b, uint32_t c)
{
	bool escaped = b->n && b->text[b->n - 1] == '\033';
	if (b->device)
		return c >= 0x40 && c < 0x7f ? BACKGROUND_NONE : c >= 0x20 && c < 0x40 ? BACKGROUND_MORE : BACKGROUND_BROKEN;
	if (c == '\a' || c == 0x9c || (escaped && c == '\\')) {
		b->text[b->n - escaped] = '\0';
		return judge(b->text);
	}
	if (escaped || (c != '\033' && (c < ' ' || c >= 0x7f || !strchr("rgba:/0123456789abcdefABCDEF#", (int)c))) ||
	    b->n + 1 >= sizeof b->text)
		return BACKGROUND_BROKEN;
	b->text[b->n++] = (char)c;
	return BACKGROUND_MORE;
}
