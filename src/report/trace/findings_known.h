/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_TRACE_FINDINGS_KNOWN_H
#define TTRACE_REPORT_TRACE_FINDINGS_KNOWN_H

#include "findings/findings.h"
#include "report/trace/internal.h"

/*
 * Drop findings that are known: those of -ignore=FILE (a line each: rule, blank, function that causes it; * stands for
 * any rule or function; # begins a comment), and those of -baseline=FILE (the JSON of an earlier call) that are not
 * worse now. A finding is the same if its rule and the function of its first culprit are; it is worse at a higher
 * level, or if its score is higher by more than FINDINGS_WORSE. Return -1 with *e if a file cannot be read.
 */
enum { FINDINGS_WORSE = 10 };
int findings_drop_known(struct findings *, const struct trace_report_ctx *, struct err *e);

#endif
