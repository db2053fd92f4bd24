/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_KEY_H
#define TTRACE_TERM_KEY_H

#include "base/text/buf.h"

#include <stddef.h>
#include <stdint.h>

/* Keys are code points (^A is 1, ...) and these constants. None may have the name of a macro of <curses.h>,
   because in term.c it would have curses' value (KEY_BACKSPACE is the exception, which term.c handles by value). */
enum key {
	KEY_TAB = 9, KEY_RETURN = 13, KEY_ESC = 27, KEY_BACKSPACE = 127,
	KEYS_SPECIAL = 0x200000, KEY_DOWN_, KEY_UP_, KEY_LEFT_, KEY_RIGHT_, KEY_PGDN, KEY_PGUP, KEY_HOME_, KEY_END_,
	KEY_INS, KEY_DEL, KEY_BACKTAB, KEY_F1, KEY_F2, KEY_F3, KEY_F4, KEY_F5, KEY_F6, KEY_F7, KEY_F8, KEY_F9, KEY_F10,
	KEY_F11, KEY_F12, KEY_CLICK, KEY_CLICK2, KEY_RCLICK, KEY_DRAG, KEY_DROP, KEY_WHEEL_UP,
	    KEY_WHEEL_DOWN,
	KEY_ZOOM_UP, KEY_ZOOM_DOWN	/* wheel with Ctrl or Shift */
};

/* Parse one key at s[0..n): a character, or a name as in commands.def (Enter, ^A, F1, S-Tab, PgDn) in <angle
   brackets>. Return the bytes used, 0: none. */
size_t keys_parse(const char *s, size_t n, int32_t *key);
void keys_print(int32_t key, struct buf *);

#endif
