/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_TUI_H
#define TTRACE_APP_TUI_H

#include "base/err.h"
#include "cli/options.h"

/* The text of opt's report, none when -output names a file for it; what it notices goes where opt says. The viewer
   shows reports but does not know them. It is called on a thread of its own. */
struct buf;
typedef int tui_report(const struct options *, struct buf *text, struct err *e);

/* The viewer, whole: opens the files, runs until the user quits. -1: *e. All that src/main.c sees. */
int tui_run(const struct options *, tui_report *, struct err *e);
/* `ttrace -print=keys|commands|config` */
int tui_print(const struct options *, const char *what, struct err *e);
/* What the columns of a report mean: their names with blanks between. Nothing for NULL. */
void tui_help_columns(struct buf *, const char *columns);

#endif
