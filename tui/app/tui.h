/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_TUI_H
#define TTRACE_APP_TUI_H

#include "base/err.h"
#include "cli/options.h"

/* Write the text of the report of opt; no text when -output names a file for it. Notices go where opt says. The
   viewer calls reports by this pointer only. Called on a worker thread. */
struct buf;
typedef int tui_report(const struct options *, struct buf *text, struct err *e);

/* Run the viewer: open the files and run until the user quits. Return -1 with *e set on error. src/main.c calls
   nothing else of it. */
int tui_run(const struct options *, tui_report *, struct err *e);
/* Print for `ttrace -print=keys|commands|config`. */
int tui_print(const struct options *, const char *what, struct err *e);
/* Append the meaning of a report's columns, given as names separated by blanks. NULL: append nothing. */
void tui_help_columns(struct buf *, const char *columns);

#endif
