/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_GOASM_H
#define TTRACE_GOASM_H

#include "base/text/buf.h"

#include <stdbool.h>

/*
 * An assembler for Go execution traces as text, for tests. Each line is one event; `#` begins a comment:
 *
 *     go 26                          header; below 22 it is version 1 of the format
 *     Batch GEN M TIME               a batch; its length is computed. Batch*: a length that is one byte too large
 *     NAME N N N                     an event of events.def by name, and its arguments in order
 *     String ID "text"               \n \" \\ \xNN are escapes in texts
 *     Stack ID  PC FUN FILE LINE ... frames after the id, four numbers each
 *     EndOfGeneration
 *     bytes 00 ff 17                 these bytes
 *
 * In version 1 a line is `TYPE N N N ["text"]`: the number of the type, the arguments, the text of a log message
 * (of String: the id, then the text).
 */
/* Append the trace to out. Return false at an error; *line is its line. */
bool goasm(const char *text, size_t n, struct buf *out, int *line);

#endif
