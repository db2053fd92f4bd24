/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_SCREEN_DIFF_H
#define TTRACE_TERM_SCREEN_DIFF_H

#include "base/text/buf.h"
#include "term/grid.h"
#include "term/style.h"

/*
 * The difference between what a terminal shows and what it should show, as few bytes as may be. For
 * terminals that speak ANSI (ECMA-48), which are all there are but a few; term.c asks terminfo
 * whether this is one and what it can do.
 */
struct screen_diff_caps {
	bool bce;	/* erasing takes the background's colour */
	bool rep, ech;	/* repeat the last character; erase n characters */
	bool csr;	/* scrolling regions */
	bool off;	/* 22, 24 and 27 end single attributes */
	bool dim;
	bool rgb;	/* colours are sent as red, green and blue */
};
struct screen_state;
struct screen_state *screen_diff_new(const struct screen_diff_caps *);
void screen_diff_free(struct screen_state *);
void screen_diff_set_rgb(struct screen_state *, bool on);	/* caps.rgb, later */
void screen_diff_forget(struct screen_state *);	/* whatever the terminal shows: the next time all is written */
/* Cells that were written; the bytes are added to out. The cursor stands at the grid's focus then. */
uint32_t screen_diff_write(struct screen_state *, const struct grid *, const struct look *, struct buf *out);

#endif
