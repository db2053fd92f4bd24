/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_TRACE_REREAD_H
#define TTRACE_SESSION_TRACE_REREAD_H

#include "load/load.h"
#include "store/store.h"

/*
 * The way back from a store to the bytes it was made of, for a trace that is too
 * large to be held whole: -mem.
 */
struct reread_source;

/* Before a trace is read into the store. Of a file that is mapped its descriptor is kept, other bytes are held
   from now on. NULL: there is memory enough, so it is not needed. */
struct reread_source *trace_reread_new(struct store_builder *, struct bytes *);
void trace_reread_free(struct reread_source *);	/* after the store */

#endif
