/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Mouse events: encoded sequences of a terminal are decoded; clicks, double clicks, drags and the wheel become keys. */
#include "config.h"
#include "tap.h"

#include "term/key.h"
#include "term/mouse.h"

#include <string.h>

static enum mouse_read read_event(const char *s, struct mouse_event *e)
{
	struct mouse_bytes bytes = {0};
	enum mouse_read r = MOUSE_MORE;
	while (*s && r == MOUSE_MORE)
		r = mouse_read(&bytes, (unsigned char)*s++, e);
	return *s ? MOUSE_NONE : r;
}

/* Decode each button with each modifier at corners of small and large screens. */
static void test_encoding(void)
{
	static const struct { int button; char end; unsigned what; } code[] = {{0, 'M', MOUSE_PRESS}, {0, 'm', MOUSE_RELEASE},
	    {1, 'M', 0}, {2, 'M', MOUSE_RIGHT}, {2, 'm', 0}, {32, 'M', MOUSE_MOVE}, {35, 'M', MOUSE_MOVE}, {64, 'M', MOUSE_UP},
	    {65, 'M', MOUSE_DOWN}, {66, 'M', 0}, {4, 'M', MOUSE_PRESS | MOUSE_FAR}, {64 + 16, 'M', MOUSE_UP | MOUSE_FAR},
	    {64 + 8, 'M', MOUSE_UP}};
	static const int at[] = {0, 1, 79, 222, 223, 999, 9998};
	for (size_t i = 0; i < sizeof code / sizeof *code; i++)
		for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
			struct mouse_event e = {0};
			char s[64];
			snprintf(s, sizeof s, "%d;%d;%d%c", code[i].button, at[k] + 1, at[6 - k] + 1, code[i].end);
			OK(read_event(s, &e) == MOUSE_EVENT && e.x == at[k] && e.y == at[6 - k] && e.what == code[i].what);
		}
}

/* Sequences that are no events are refused at the first wrong character; coordinates are never negative. */
static void test_refused(void)
{
	static const char *const wrong[] = {"0;0;1M", "0;1;0M", "0;;M", ";;;", "0;1M", "0;1;1;", "x", "0;1;1\033", "M", "0;-"};
	struct mouse_event e;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		OK(read_event(wrong[i], &e) == MOUSE_NONE);
	OK(read_event("0;99999999999999999999;99999999999999999999M", &e) == MOUSE_EVENT && e.x > 0 && e.y > 0);
	OK(read_event("0;1;1", &e) == MOUSE_MORE);
}

/* The older encoding, with each button, and at the cells that end its range. */
static void test_x10(void)
{
	static const struct { int button; unsigned what; } code[] = {{0, MOUSE_PRESS}, {3, MOUSE_RELEASE}, {1, 0},
	    {2, MOUSE_RIGHT}, {32, MOUSE_MOVE}, {35, MOUSE_MOVE}, {64, MOUSE_UP}, {65, MOUSE_DOWN},
	    {3 + 16, MOUSE_RELEASE | MOUSE_FAR}, {64 + 16, MOUSE_UP | MOUSE_FAR}};
	for (size_t i = 0; i < sizeof code / sizeof *code; i++) {
		struct mouse_bytes bytes = {.x10 = true};
		struct mouse_event e;
		OK(mouse_read(&bytes, (uint32_t)code[i].button + 32, &e) == MOUSE_MORE && mouse_read(&bytes, 33, &e) == MOUSE_MORE &&
		    mouse_read(&bytes, 255, &e) == MOUSE_EVENT && e.x == 0 && e.y == 222 && e.what == code[i].what);
	}
	struct mouse_bytes bytes = {.x10 = true};
	struct mouse_event e;
	mouse_read(&bytes, 32, &e);
	mouse_read(&bytes, 1, &e);
	OK(mouse_read(&bytes, 33, &e) == MOUSE_NONE);
}

static int32_t key(struct mouse *m, unsigned what, int x, int64_t now)
{
	return mouse_key(m, &(struct mouse_event){.y = 3, .x = x, .what = what}, now);
}

static void test_keys(void)
{
	struct mouse m = {0};
	OK(key(&m, MOUSE_RELEASE, 1, 0) == 0 && key(&m, MOUSE_MOVE, 1, 0) == 0);
	OK(key(&m, MOUSE_PRESS, 1, 0) == KEY_CLICK && key(&m, MOUSE_RELEASE, 1, 10) == 0);
	OK(key(&m, MOUSE_PRESS, 1, 399) == KEY_CLICK2 && key(&m, MOUSE_PRESS, 1, 400) == KEY_CLICK);	/* no triple click */
	OK(key(&m, MOUSE_PRESS, 2, 401) == KEY_CLICK && key(&m, MOUSE_PRESS, 2, 801) == KEY_CLICK);	/* moved, late */
	OK(key(&m, MOUSE_MOVE, 5, 900) == KEY_DRAG && key(&m, MOUSE_RELEASE, 5, 901) == KEY_DROP);
	OK(key(&m, MOUSE_MOVE, 6, 902) == 0 && key(&m, MOUSE_RELEASE, 6, 903) == 0);
	OK(key(&m, MOUSE_UP, 1, 0) == KEY_WHEEL_UP && key(&m, MOUSE_UP | MOUSE_FAR, 1, 0) == KEY_ZOOM_UP);
	OK(key(&m, MOUSE_DOWN, 1, 0) == KEY_WHEEL_DOWN && key(&m, MOUSE_DOWN | MOUSE_FAR, 1, 0) == KEY_ZOOM_DOWN);
	OK(key(&m, MOUSE_RIGHT, 1, 0) == KEY_RCLICK && key(&m, MOUSE_FAR, 1, 0) == 0);
}

int main(void)
{
	test_encoding();
	test_refused();
	test_x10();
	test_keys();
	return DONE();
}
