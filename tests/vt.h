/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_VT_H
#define TTRACE_VT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An emulated terminal: its input is bytes, its state a grid of cells. It knows the sequences of ANSI, VT100, xterm and the
   Linux console that ncurses writes. */
enum { VA_BOLD = 1, VA_DIM = 2, VA_UNDER = 4, VA_REVERSE = 8, VA_OTHER = 16 };
struct vcell { uint32_t ch, mark; int32_t fg, bg; uint8_t attr; };	/* ch 0: right half; colours -1: none */

struct vt {
	int rows, cols, y, x, top, bot;
	struct vcell *cell;
	struct vcell *main;		/* cells of the main screen while the alternate screen is shown, else NULL */
	int main_y, main_x;
	bool late;			/* the last column has a character; the next character wraps first */
	bool utf8, xenl, bce, no_default, x10, scan_keys;	/* properties of the terminal: see vt.c */
	struct vcell pen;
	int sy, sx;
	/* modes; a program that has restored the terminal leaves all off */
	bool alt, hidden, appkeys, mouse, sgrmouse, acs[2];
	int shift;			/* index of the active character set in acs[] */
	uint64_t unknown;		/* number of sequences that the parser does not know */
	char what[64];			/* the first unknown sequence */
	int state;			/* of the parser */
	char buf[256];
	size_t n;
	unsigned asked_device, asked_colour;	/* how often the program asked for the device, and the background */
	char *osc;			/* text of the last OSC sequence, other than that question */
	size_t nosc;
};
struct vt *vt_new(int rows, int cols, const char *term);
void vt_free(struct vt *);
void vt_resize(struct vt *, int rows, int cols);	/* also clears the screen */
void vt_feed(struct vt *, const char *s, size_t n);
/* Write the lines without trailing blanks to out. Return the number of bytes written. */
size_t vt_print(const struct vt *, char *out, size_t size);

#endif
