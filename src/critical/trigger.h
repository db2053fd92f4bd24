/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CRITICAL_TRIGGER_H
#define TTRACE_CRITICAL_TRIGGER_H

#include "base/text/buf.h"
#include "operations/operations.h"

/* What made the program write the snapshot of a flight recorder. */
struct critical_trigger {
	trk_id g;			/* the goroutine that wrote it */
	uint32_t operation;		/* of which the program wrote it; OPERATION_NONE: not known */
};
/* Find it. Return false if the trace is no snapshot of a flight recorder, or if its last goroutine is not known. */
bool critical_find_trigger(const struct snap *, const struct operations *, struct critical_trigger *);
/* Append "snapshot of a flight recorder, written by G162 after request #151 (80.7ms)"; safe for a terminal. */
void critical_put_trigger(struct buf *, const struct snap *, const struct operations *, const struct critical_trigger *);
/* Append only "after request #151 (80.7ms)", or "in request #151" if that has not ended in the snapshot. The operation must be
   known. */
void critical_put_triggering(struct buf *, const struct snap *, const struct operations *, const struct critical_trigger *);

#endif
