/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_KEY_H
#define TTRACE_TERM_KEY_H

#include "base/text/buf.h"

#include <stddef.h>
#include <stdint.h>

/* A key is a code point; ^A is 1, ...; and these. None may have a name that <curses.h> defines as a macro: in
   term.c it would be curses' number (KEY_BACKSPACE is the one, and is written there as what it is). */
enum key {
	KEY_TAB = 9, KEY_RETURN = 13, KEY_ESC = 27, KEY_BACKSPACE = 127,
	KEYS_SPECIAL = 0x200000, KEY_DOWN_, KEY_UP_, KEY_LEFT_, KEY_RIGHT_, KEY_PGDN, KEY_PGUP, KEY_HOME_, KEY_END_,
	KEY_INS, KEY_DEL, KEY_BACKTAB, KEY_F1, KEY_F2, KEY_F3, KEY_F4, KEY_F5, KEY_F6, KEY_F7, KEY_F8, KEY_F9, KEY_F10,
	KEY_F11, KEY_F12, KEY_RESIZED, KEY_CLICK, KEY_CLICK2, KEY_RCLICK, KEY_DRAG, KEY_DROP, KEY_WHEEL_UP,
	    KEY_WHEEL_DOWN,
	KEY_ZOOM_UP, KEY_ZOOM_DOWN	/* wheel with Ctrl or Shift */
};

/* One key at s[0..n): a character, or a name as commands.def has them (Enter, ^A, F1, S-Tab, PgDn) in <angle brackets>.
   Bytes taken, 0 when there is none. */
size_t keys_parse(const char *s, size_t n, int32_t *key);
void keys_print(int32_t key, struct buf *);

#endif
