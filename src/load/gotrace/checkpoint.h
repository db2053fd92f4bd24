/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_CHECKPOINT_H
#define TTRACE_LOAD_GOTRACE_CHECKPOINT_H

#include "base/byte_cursor.h"
#include "base/text/buf.h"
#include "load/gotrace/order.h"
#include "load/gotrace/internal.h"

/* Write the orderer's state at the border of two generations as bytes, and read it back. */
void gotrace_save_order(const struct event_orderer *, struct buf *);
void gotrace_restore_order(struct event_orderer *, struct byte_cursor *);

/* Called where a generation ended: pass to the sink what is needed to read that generation again, and the state
   from which the next one can be read. */
void gotrace_emit_checkpoint(struct gotrace *, const struct trace_generation *, const struct buf *order);
/* Restore the interpreter's state at the beginning of a generation. Returns a cursor on the rest of the bytes,
   which is the orderer's state. */
struct byte_cursor gotrace_restore_state(struct gotrace *, const struct sink_checkpoint *);
/* Restore the ids that the sink gave to the strings and stacks of the generation. */
void gotrace_restore_tables(struct gotrace *);

/* Free event_stream_info.kept; NULL is ignored. */
void gotrace_free_checkpoint(struct buf *);

#endif
