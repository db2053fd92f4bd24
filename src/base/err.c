/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * One error at a time, by value, in a fixed buffer: the innermost function that
 * knows what went wrong says so and everybody above passes -1 on. An error text
 * can quote bytes of a hostile file, so it is cleaned here, once, and never by
 * those who print it.
 */
#include "config.h"
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

int err_set(struct err *e, enum err_kind kind, uint64_t at, const char *fmt, ...)
{
	if (!e)
		return -1;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof e->msg, fmt, ap);
	va_end(ap);
	for (unsigned char *p = (unsigned char *)e->msg; *p; p++)
		if (*p < 0x20 || *p == 0x7f)
			*p = '?';
	e->kind = kind;
	e->at = at;
	return -1;
}
