/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TERM_CLIPBOARD_H
#define TTRACE_TERM_CLIPBOARD_H

#include "base/text/buf.h"

#include <stdbool.h>

/* Copy n bytes to a clipboard. Return false if this way is not available. */
bool clipboard_to_tmux(const char *s, size_t n);
bool clipboard_to_file(const char *s, size_t n, char *file, size_t nfile); /* writes a new file and returns its name */
/* Append the sequence for the terminal's clipboard; return whether a terminal of that name supports it. */
void clipboard_put_osc52(struct buf *, const char *s, size_t n);
bool clipboard_supports_osc52(const char *term);

#endif
