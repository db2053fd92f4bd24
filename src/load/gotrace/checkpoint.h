/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_CHECKPOINT_H
#define TTRACE_LOAD_GOTRACE_CHECKPOINT_H

#include "base/byte_cursor.h"
#include "base/text/buf.h"
#include "load/gotrace/order.h"
#include "load/gotrace/reader.h"

/* What goes over the border of two generations, as bytes and back. */
void gotrace_save_order(const struct event_orderer *, struct buf *);
void gotrace_restore_order(struct event_orderer *, struct byte_cursor *);

/* Where a generation ended: tell the sink what it takes to read it again, and the next. */
void gotrace_emit_checkpoint(struct gotrace *, const struct trace_generation *, const struct buf *order);
/* The state at the beginning of a generation; what is left is the orderer's. */
struct byte_cursor gotrace_restore_state(struct gotrace *, const struct sink_checkpoint *);
/* What the sink called the strings and stacks of the generation. */
void gotrace_restore_tables(struct gotrace *);

void gotrace_free_checkpoint(struct buf *);

#endif
