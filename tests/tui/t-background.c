/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* The answer of a terminal about its background: which are understood, and which terminals are asked. */
#include "config.h"
#include "tap.h"

#include "term/background.h"

#include <string.h>

static enum background_read answer(const char *s)
{
	struct background_bytes b = {0};
	enum background_read r = BACKGROUND_MORE;
	while (*s && r == BACKGROUND_MORE)
		r = background_read(&b, (unsigned char)*s++);
	return *s ? BACKGROUND_BROKEN : r;
}

static void test_answers(void)
{
	static const struct { const char *s; enum background_read r; } of[] = {{"rgb:ffff/ffff/ffff\033\\", BACKGROUND_LIGHT},
	    {"rgb:0000/0000/0000\033\\", BACKGROUND_DARK}, {"rgb:fd/f6/e3\a", BACKGROUND_LIGHT}, {"rgb:0/2/3\a", BACKGROUND_DARK},
	    {"rgba:ffff/ffff/ffff/8000\033\\", BACKGROUND_LIGHT}, {"rgb:0000/0000/ffff\a", BACKGROUND_DARK},
	    {"rgb:0000/ffff/0000\a", BACKGROUND_LIGHT}, {"rgb:EEE/EEE/EEE\a", BACKGROUND_LIGHT},
	    {"rgb:fffff/0/0\a", BACKGROUND_NONE}, {"rgb:ff/ff\a", BACKGROUND_NONE}, {"\a", BACKGROUND_NONE},
	    {"rgb:ffff/ffff/ffff", BACKGROUND_MORE}, {"rgb:ff\033", BACKGROUND_MORE}, {"rgb:j", BACKGROUND_BROKEN},
	    {"rgb:\033[", BACKGROUND_BROKEN}, {"rgb:ffffffffffffffffffffffffffffffffffffffffffffffffffffffff", BACKGROUND_BROKEN}};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		OK(answer(of[i].s) == of[i].r);
	struct background_bytes device = {.device = true};
	for (const char *s = "62;22"; *s; s++)
		OK(background_read(&device, (unsigned char)*s) == BACKGROUND_MORE);
	OK(background_read(&device, 'c') == BACKGROUND_NONE);
	OK(background_read(&device, 0x102) == BACKGROUND_BROKEN);
}

static char *in_screen(const char *name)
{
	static char value[] = "1.pts";
	return strcmp(name, "STY") ? NULL : value;
}

static char *in_tmux(const char *name)
{
	static char value[] = "/tmp/tmux";
	return strcmp(name, "TMUX") ? NULL : value;
}

static char *in_none(const char *name)
{
	(void)name;
	return NULL;
}

static void test_asked(void)
{
	OK(background_may_ask("xterm-256color", in_none) && background_may_ask("tmux-256color", in_tmux));
	OK(background_may_ask("screen-256color", in_tmux) && !background_may_ask("screen-256color", in_none));
	OK(!background_may_ask("xterm-256color", in_screen) && !background_may_ask("linux", in_none));
	OK(!background_may_ask("vt100", in_none) && !background_may_ask("dumb", in_none));
}

int main(void)
{
	test_answers();
	test_asked();
	return DONE();
}
