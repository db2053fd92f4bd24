/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_VT_H
#define TTRACE_VT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A terminal on paper: bytes in, cells out. Enough of ANSI, VT100, xterm and the Linux console for what
   ncurses sends to them. */
enum { VA_BOLD = 1, VA_DIM = 2, VA_UNDER = 4, VA_REVERSE = 8, VA_OTHER = 16 };
struct vcell { uint32_t ch, mark; int32_t fg, bg; uint8_t attr; };	/* ch 0: right half; colours -1: none */

struct vt {
	int rows, cols, y, x, top, bot;
	struct vcell *cell;
	struct vcell *main;		/* the cells below the alternate screen; NULL: that is not shown */
	int main_y, main_x;
	bool late;			/* a character stands in the last column, the wrap is still to come */
	bool utf8, xenl, bce;		/* what kind of terminal it is */
	struct vcell pen;
	int sy, sx;
	/* modes; all off again when a program has cleaned up */
	bool alt, hidden, appkeys, mouse, sgrmouse, acs[2];
	int shift;			/* which of acs[] is in force */
	uint64_t unknown;		/* sequences that are not understood */
	char what[64];			/* the first of them */
	int state;			/* of the parser */
	char buf[256];
	size_t n;
	char *osc;			/* what the last OSC said */
	size_t nosc;
};
struct vt *vt_new(int rows, int cols, const char *term);
void vt_free(struct vt *);
void vt_resize(struct vt *, int rows, int cols);	/* cleared */
void vt_feed(struct vt *, const char *s, size_t n);
/* Lines without trailing blanks, into out; returns the bytes written. */
size_t vt_print(const struct vt *, char *out, size_t size);

#endif
