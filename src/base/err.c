/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * There is one error at a time, by value, in a fixed buffer. The innermost function that detects an error describes it,
 * and its callers return -1. The text can quote bytes of a hostile file, so it is escaped here.
 */
#include "config.h"
#include "base/err.h"

#include "base/text/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, enum err_kind kind, uint64_t at, const char *fmt, ...)
{
	if (!e)
		return -1;
	va_list ap;
	char raw[sizeof e->msg];
	va_start(ap, fmt);
	int n = vsnprintf(raw, sizeof raw, fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof raw)
		raw[text_whole_chars(raw, sizeof raw - 1)] = '\0';
	text_safe_fit(e->msg, sizeof e->msg, raw, n < 0 ? 0 : strlen(raw));
	e->kind = kind;
	e->at = at;
	return -1;
}
