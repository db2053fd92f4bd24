/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_SCREEN_DIFF_H
#define TTRACE_TERM_SCREEN_DIFF_H

#include "base/text/buf.h"
#include "term/grid.h"
#include "term/style.h"

/*
 * The difference between what a terminal shows and what it should show, in as few bytes as
 * possible. For terminals of ECMA-48; term.c gets their other capabilities from terminfo.
 */
struct screen_diff_caps {
	bool bce;	/* erasing uses the background colour */
	bool rep, ech;	/* repeat the last character; erase n characters */
	bool csr;	/* scrolling regions */
	bool off;	/* 22, 24 and 27 turn off single attributes */
	bool no_default;	/* 39 and 49 do not set the default colours: only a reset does */
	bool wraps;	/* a character in the last column moves the cursor to the next line */
	bool dim;
	bool rgb;	/* colours are sent as red, green and blue */
};
struct screen_state;
struct screen_state *screen_diff_new(const struct screen_diff_caps *);
void screen_diff_free(struct screen_state *);
void screen_diff_set_rgb(struct screen_state *, bool on);	/* change caps.rgb */
void screen_diff_forget(struct screen_state *);	/* the content of the terminal is unknown: write everything next time */
/* Append the bytes to out, and return the number of written cells. The cursor is then at the grid's focus. */
uint32_t screen_diff_write(struct screen_state *, const struct grid *, const struct look *, struct buf *out);

#endif
