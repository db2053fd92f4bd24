/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACEPANE_SLOW_QUERY_H
#define TTRACE_TRACEPANE_SLOW_QUERY_H

#include "app/pane.h"
#include "findings/findings.h"
#include "operations/operations.h"

/* Set *out to a query for critical paths without any other selection, which the flame graph shows. */
struct query *tracepane_ask_critical(const struct pane_env *, struct ask *out);
/* For act(): compare the mean of the slow operations of a kind with the mean of its others, in the flame graph of critical
   paths. Which are slow: operation_kind.slow_from. */
enum verdict tracepane_ask_slow(const struct operations *, uint32_t kind, const struct pane_env *, struct ask *out);
/* Show the source line that causes a finding of a trace, in the sample type that has what happens there: bytes for what
   allocates, else all time. V_PASS: no line causes it. */
enum verdict tracepane_ask_line(const struct finding *, const struct pane_env *, struct ask *out);
/* Set the goroutine and the range of a place to those of an operation. */
void tracepane_operation_place(const struct operations *, uint32_t operation, struct place *);

#endif
