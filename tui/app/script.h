/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_SCRIPT_H
#define TTRACE_APP_SCRIPT_H

#include "app/tui.h"
#include "base/err.h"
#include "base/text/buf.h"
#include "cli/options.h"

/* Run the viewer without a terminal: press the keys of -script (none: the first screen) on a screen of -size and
   pass the last screen to put() before anything is closed, so that output does not wait for the release of memory. */
int script_run(
    const struct options *, tui_report *, bool utf8, int (*put)(const struct buf *, struct err *), struct err *);

#endif
