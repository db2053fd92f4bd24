/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_WAIT_SCREEN_H
#define TTRACE_APP_WAIT_SCREEN_H

#include "base/err.h"
#include "session/session.h"
#include "term/grid.h"

/* "12 s of 30 s", "3.1MB, 40%", for a corner of the screen. */
void wait_screen_text(const struct fetch_progress *, struct buf *);
/* Show it until the session knows what it has. 0: it does; 1: enough, quit; -1: *e. */
struct term;
struct look;
int wait_screen_run(struct term *, struct session *, const struct look *, bool ascii, struct err *e);

#endif
