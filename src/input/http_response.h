/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_INPUT_HTTP_RESPONSE_H
#define TTRACE_INPUT_HTTP_RESPONSE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* If a header line of n bytes is a status line ("HTTP/1.1 404 Not Found\r\n"), copy the part after the protocol to
   status[0..size), NUL-terminated and cut to fit, and return true. */
bool http_status_line(const char *line, size_t n, char *status, size_t size);

/* Set an error like "server response: 404 Not Found - unknown profile": the status, and the first line of the n bytes of
   the page, safe for terminals. A line that only repeats the status is left out. */
void http_response_error(struct err *, const char *status, const char *page, size_t n);

#endif
