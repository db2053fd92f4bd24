/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_TERMINFO_BUILTIN_H
#define TTRACE_TERM_TERMINFO_BUILTIN_H

/* Return the entry of terminfo for this terminal, or for the nearest one that is built in, as ncurses takes it from
 * $TERMINFO. *name: what the entry is called. NULL: there is none, because the program uses the entries of the system
 * only. */
const char *terminfo_builtin(const char *term, const char **name);

#endif
