/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FINDINGS_CONFIGURED_H
#define TTRACE_FINDINGS_CONFIGURED_H

#include "findings/findings.h"

/*
 * Thresholds and known findings of the configuration file. They apply to all findings that are found later, unless the
 * query has thresholds of its own. Set them before another thread judges.
 */
int findings_configure_threshold(const char *line, struct err *e);	/* "stw.longest = 5ms"; -1 with *e */
/* Leave out findings of a rule whose first culprit is the function: "lock-queue main.(*T).f", "*" for any. Return -1 with
   *e if there is no such rule. */
int findings_configure_known(const char *line, struct err *e);
const double *findings_configured_thresholds(void);	/* by enum finding_threshold */
bool findings_is_configured_known(const struct store *, const struct finding *);

#endif
