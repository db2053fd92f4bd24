/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_CLIPBOARD_H
#define TTRACE_TERM_CLIPBOARD_H

#include "base/text/buf.h"

#include <stdbool.h>

/* Ways in which n bytes of text leave the program as a copy. false: this one does not work here. */
bool clipboard_to_tmux(const char *s, size_t n);
bool clipboard_to_file(const char *s, size_t n, char *file, size_t nfile);	/* a new one; its name */
/* The sequence for the terminal's clipboard, and whether a terminal of that name takes it. */
void clipboard_put_osc52(struct buf *, const char *s, size_t n);
bool clipboard_supports_osc52(const char *term);

#endif
