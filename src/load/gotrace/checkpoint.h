/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_CHECKPOINT_H
#define TTRACE_LOAD_GOTRACE_CHECKPOINT_H

#include "base/byte_cursor.h"
#include "base/text/buf.h"
#include "load/gotrace/order.h"
#include "load/gotrace/reader.h"

/* What goes over the border of two generations, as bytes and back. */
void gokeep_order(const struct goorder *, struct buf *);
void gokeep_order_again(struct goorder *, struct cur *);

/* Where a generation ended: tell the sink what it takes to read it again, and the next. */
void gokeep_say(struct gotrace *, const struct tgen *, const struct buf *order);
/* The state at the beginning of a generation; what is left is the orderer's. */
struct cur gokeep_again(struct gotrace *, const struct sink_keep *);
/* What the sink called the strings and stacks of the generation. */
void gokeep_tables_again(struct gotrace *);

void gokeep_free(struct buf *);

#endif
