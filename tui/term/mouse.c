/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The mouse: from the bytes of a terminal to events, and from events to keys. curses is not used: it waits for a second
 * click, and with the older encoding it cannot distinguish wheel up and down with Ctrl.
 *
 * Nothing here reads or waits, so a test and a fuzzer call it with any bytes. A cell is never negative, for
 * any bytes. The viewer checks that it is inside the screen, since the size may have changed.
 */
#include "config.h"
#include "term/mouse.h"

#include "term/key.h"

enum { DOUBLE_MS = 400, CELL_MAX = 10000 };

static int32_t click_key(struct mouse *m, const struct mouse_event *e, int64_t now)
{
	bool twice = m->clicked && now + 1 - m->clicked < DOUBLE_MS && e->y == m->y && e->x == m->x;
	*m = (struct mouse){.held = true, .y = e->y, .x = e->x, .clicked = twice ? 0 : now + 1};
	return twice ? KEY_CLICK2 : KEY_CLICK;
}

int32_t mouse_key(struct mouse *m, const struct mouse_event *e, int64_t now)
{
	bool far = e->what & MOUSE_FAR;
	if (e->what & MOUSE_PRESS)
		return click_key(m, e, now);
	if (e->what & MOUSE_RELEASE) {
		bool moved = m->held && (e->y != m->y || e->x != m->x);
		m->held = false;
		return moved ? KEY_DROP : 0;
	}
	if (e->what & MOUSE_MOVE)
		return m->held ? KEY_DRAG : 0;
	if (e->what & MOUSE_UP)
		return far ? KEY_ZOOM_UP : KEY_WHEEL_UP;
	if (e->what & MOUSE_DOWN)
		return far ? KEY_ZOOM_DOWN : KEY_WHEEL_DOWN;
	return e->what & MOUSE_RIGHT ? KEY_RCLICK : 0;
}

/* Return what a button number means: 0 to 3 a button, 64 the wheel, 32 a move, 4 with Shift, 16 with Ctrl. */
static unsigned meaning(int button, bool pressed)
{
	static const unsigned press[] = {MOUSE_PRESS, 0, MOUSE_RIGHT, 0}, wheel[] = {MOUSE_UP, MOUSE_DOWN, 0, 0};
	unsigned what = button & 64 ? wheel[button & 3] : button & 32 ? MOUSE_MOVE : pressed ? press[button & 3]
		      : button & 3 ? 0 : MOUSE_RELEASE;
	return what | (button & (4 | 16) ? MOUSE_FAR : 0);
}

/* The older encoding: three bytes, each plus 32, without which button is released. */
static enum mouse_read read_x10(struct mouse_bytes *s, uint32_t c, struct mouse_event *m)
{
	s->v[s->i++] = c > 32 ? (int)c - 32 : 0;
	if (s->i < 3)
		return MOUSE_MORE;
	bool released = (s->v[0] & (64 | 32 | 3)) == 3;
	if (!s->v[1] || !s->v[2])
		return MOUSE_NONE;
	unsigned what = meaning(released ? s->v[0] & ~3 : s->v[0], !released);
	*m = (struct mouse_event){.y = s->v[2] - 1, .x = s->v[1] - 1, .what = what};
	return MOUSE_EVENT;
}

enum mouse_read mouse_read(struct mouse_bytes *s, uint32_t c, struct mouse_event *m)
{
	int *v = s->v;
	if (s->x10)
		return read_x10(s, c, m);
	if (c >= '0' && c <= '9')
		v[s->i] = v[s->i] < CELL_MAX ? v[s->i] * 10 + (int)(c - '0') : v[s->i];
	else if (c == ';' && s->i < 2)
		s->i++;
	else if ((c != 'M' && c != 'm') || s->i != 2 || !v[1] || !v[2])
		return MOUSE_NONE;
	else {
		*m = (struct mouse_event){.y = v[2] - 1, .x = v[1] - 1, .what = meaning(v[0], c == 'M')};
		return MOUSE_EVENT;
	}
	return MOUSE_MORE;
}
