/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_TRACE_FINDINGS_PROFILE_H
#define TTRACE_REPORT_TRACE_FINDINGS_PROFILE_H

#include "report/trace/internal.h"

/* Return 1 if the first file of the command line is a trace or a log, 0 if it is a profile; -1 with *e if it cannot be
   read, or if an option does not apply to it. */
int findings_input_is_trace(const struct options *, struct err *e);

/* A profile, with its base if there is one, for findings. */
struct session;
struct findings_profile { struct session *s; struct findings_sides sides; struct arena mem; };
/* Open it, and set the context for what prints findings. Return -1 with *e. */
int findings_profile_open(
    struct findings_profile *, struct trace_report_ctx *, const struct options *, struct out *, struct err *e);
void findings_profile_close(struct findings_profile *);

#endif
