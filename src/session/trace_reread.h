/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_TRACE_REREAD_H
#define TTRACE_SESSION_TRACE_REREAD_H

#include "load/load.h"
#include "store/store.h"

/*
 * Reads generations of a trace again, for a store that evicts sheets because the
 * trace is large compared with -mem.
 */
struct reread_source;

/* Call before a trace is read into the store. Keeps the file's descriptor if the bytes are mapped, otherwise takes over
   the bytes. Return NULL if memory suffices and nothing is evicted. */
struct reread_source *trace_reread_new(struct store_builder *, struct bytes *);
void trace_reread_free(struct reread_source *);	/* call after the store is freed */

#endif
