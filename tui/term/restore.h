/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_RESTORE_H
#define TTRACE_TERM_RESTORE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Signals, and restoring the terminal however the program ends. For term.c; only one can be open. */
/* Save the line settings and the signal handlers, before curses changes them; -1: no pipe for signals. */
int  restore_open(int tty, struct err *);
/* Append to the bytes that undo our settings; ignored if there is no room. */
void restore_add_reset(const char *bytes, size_t n);
void restore_arm(int out);			/* from here on a crash restores the terminal */
void restore_disarm(void);
void restore_settings(void);			/* restore the line settings now */
void restore_watch_signals(bool on);			/* install our signal handlers, or restore the saved ones */
int  restore_signal_fd(void);				/* readable when a signal was received */
int  restore_read_signal(void);			/* return a received signal, 0: none */
void restore_close(void);

#endif
