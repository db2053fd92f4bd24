/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_MOUSE_H
#define TTRACE_TERM_MOUSE_H

#include <stdbool.h>
#include <stdint.h>

/* What the mouse did, as bits: buttons, the wheel, a move; MOUSE_FAR: with Shift or Ctrl. */
enum { MOUSE_PRESS = 1, MOUSE_RELEASE = 2, MOUSE_RIGHT = 4, MOUSE_UP = 8, MOUSE_DOWN = 16, MOUSE_MOVE = 32, MOUSE_FAR = 64 };
struct mouse_event { int y, x; unsigned what; };	/* y, x: cell, from 0 */

/* What is known from earlier events. All zero: none. */
struct mouse {
	bool held;		/* the first button is pressed, since (y, x) */
	int y, x;
	int64_t clicked;	/* 1 + `now` of the last press; 0: the next press is not a double click */
};
/* Return the key of an event (KEY_CLICK ...), 0: it has no meaning. now: ms, of a clock that is never set back. */
int32_t mouse_key(struct mouse *, const struct mouse_event *, int64_t now);

/* An event, one byte after the other, after ESC [ < (BUTTON ; COLUMN ; ROW and M, or m for a release), or, if x10,
   after ESC [ M (three bytes). */
struct mouse_bytes { bool x10; int v[3], i; };	/* v and i are zero at the beginning */
enum mouse_read { MOUSE_MORE, MOUSE_EVENT, MOUSE_NONE };
/* MOUSE_EVENT: *m is set. MOUSE_NONE: this is no event; the bytes are lost. */
enum mouse_read mouse_read(struct mouse_bytes *, uint32_t c, struct mouse_event *m);

#endif
