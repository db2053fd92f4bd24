/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CLI_HELP_H
#define TTRACE_CLI_HELP_H

#include "base/text/buf.h"
#include "cli/options.h"

/* Texts of `ttrace help`, at most 80 columns wide. */

/* Append a name, and its description from column `indent` (5 to 40) on. */
void cli_help_row(struct buf *, const char *name, const char *text, size_t indent);
void cli_help_options(struct buf *);				/* all options */
void cli_help_reports(struct buf *);			/* all reports */
const struct report_row *cli_find_report(const char *name);	/* NULL: none of that name */
void cli_help_report(struct buf *, const struct report_row *);		/* its purpose and an example */
void cli_help_report_options(struct buf *, const struct report_row *);		/* the options that change its output */

#endif
