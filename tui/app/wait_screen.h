/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_WAIT_SCREEN_H
#define TTRACE_APP_WAIT_SCREEN_H

#include "base/err.h"
#include "session/session.h"
#include "term/grid.h"

/* Append the progress for a corner of the screen: "12 s of 30 s", "3.1MB, 40%". */
void wait_screen_text(const struct fetch_progress *, struct buf *);
/* Show the wait screen until the session has data. Return 0: it has; 1: the user quit; -1: *e is set. */
struct term;
struct look;
int wait_screen_run(struct term *, struct session *, struct look *, bool ascii, struct err *e);

#endif
