/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_RESTORE_H
#define TTRACE_TERM_RESTORE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Signals, and the terminal as it was whatever ends the program. For term.c; there is one at a time. */
int  restore_open(int tty, struct err *);	/* remember its settings; -1: no pipe for signals */
void restore_add_reset(const char *bytes, size_t n);	/* add to what undoes our settings; too many are left out */
void restore_arm(int out);			/* from here on a crash restores the terminal */
void restore_disarm(void);
void restore_settings(void);			/* those of the line as they were, now */
void restore_watch_signals(bool on);			/* handlers of signals: ours, or the system's */
int  restore_signal_fd(void);				/* readable when a signal came */
int  restore_read_signal(void);			/* that one, 0 none */
void restore_close(void);

#endif
