/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_GOASM_H
#define TTRACE_GOASM_H

#include "base/text/buf.h"

#include <stdbool.h>

/*
 * A text assembly of Go execution traces, for tests. One event a line, `#` begins a comment:
 *
 *     go 26                          header; below 22 it is version 1 of the format
 *     Batch GEN M TIME               a batch; its length is worked out. Batch* : one byte too long
 *     NAME N N N                     an event of events.def by name, its numbers in order
 *     String ID "text"               \n \" \\ \xNN in texts
 *     Stack ID  PC FUN FILE LINE ... frames after the id, four numbers each
 *     EndOfGeneration
 *     bytes 00 ff 17                 as they are
 *
 * and in version 1 `TYPE N N N ["text"]`: the number of the type, the numbers, the text of a log
 * (of String: its id, then the text).
 */
/* false: *line has what is wrong. */
bool goasm(const char *text, size_t n, struct buf *out, int *line);

#endif
