/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_TERM_H
#define TTRACE_TERM_TERM_H

#include "base/err.h"
#include "term/grid.h"
#include "term/key.h"
#include "term/style.h"

/* The terminal: shows grids, reads keys. At most one is open. Only term.c uses curses. */
struct term;

struct term *term_open(struct err *);	/* NULL: *e is set, and nothing has been changed */
void term_close(struct term *);		/* restores the state before term_open() */
/* Override terminfo: 0, 8, 16, 256 colours; 1 << 24: send red, green and blue. */
void term_set_colours(struct term *, int n);
int  term_colours(const struct term *);	/* 256, 16, 8 or 0 */
void term_size(const struct term *, int *rows, int *cols);
void term_show(struct term *, const struct grid *, const struct look *);
struct term_cost { uint32_t cells; size_t bytes; };	/* of the last term_show() */
struct term_cost term_cost(const struct term *);
void term_redraw(struct term *);	/* the next term_show() writes every cell */
void term_mouse(struct term *, bool on);
void term_cursor(struct term *, bool on);	/* visible or not; initially not */
void term_stop(struct term *);		/* suspend the program; returns when it is continued */
/* Give the terminal to another program, and take it back: the next term_show() writes every cell. */
void term_leave(struct term *);
void term_back(struct term *);
int  term_tty(const struct term *);	/* the file descriptor of keys */
/* run_program.c: run $VISUAL or $EDITOR until it ends; -1: it was not started. */
int  term_edit(struct term *, const char *file, int64_t line);
/* Run `sh -c command` with n bytes of s as its input, then wait for a key. -1: it was not started. */
int  term_pipe(struct term *, const char *command, const char *s, size_t n);
/* Copy to tmux, by OSC 52, or if neither is available into a file, whose name is returned. */
enum term_copied { TC_TMUX, TC_OSC52, TC_FILE, TC_NOWHERE };
enum term_copied term_copy(struct term *, const char *s, size_t n, char *file, size_t nfile);

/* Ask for the colour of the background, if the terminal knows the question. The answer is an event, at any time or never. */
void term_ask_background(struct term *);

enum term_event { TE_KEY, TE_CLICK, TE_RESIZE, TE_FD, TE_TIME, TE_STOP, TE_CONT, TE_QUIT, TE_BACKGROUND };
struct term_input { int32_t key; int y, x; bool light; };	/* light: the background */
/* Wait for a key, a signal, fd to be readable (-1: none) or ms to pass (-1: no limit). */
enum term_event term_wait(struct term *, int fd, int ms, struct term_input *);
bool term_has_key(struct term *);	/* more keys have arrived already */

#endif
