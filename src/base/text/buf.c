/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The growing byte string for everything: reports and the grid print into it, tests compare it. It has its own number
 * formatting, because `ttrace events` prints tens of millions of numbers and printf would take most of the time.
 */
#include "config.h"
#include "base/text/buf.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char *buf_reserve(struct buf *b, size_t n)
{
	if (b->cap - b->n < n)
		b->p = mem_grow(b->p, &b->cap, b->n + n, 1);
	return b->p ? b->p + b->n : NULL;
}

void buf_put(struct buf *b, const void *bytes, size_t n)
{
	if (!n)
		return;
	memcpy(buf_reserve(b, n), bytes, n);
	b->n += n;
}

void buf_puts(struct buf *b, const char *s)
{
	buf_put(b, s, strlen(s));
}

void buf_putc(struct buf *b, int c)
{
	*buf_reserve(b, 1) = (char)c;
	b->n++;
}

void buf_pad(struct buf *b, int c, size_t n)
{
	if (!n)
		return;
	memset(buf_reserve(b, n), c, n);
	b->n += n;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	char *p = buf_reserve(b, 64);
	int n = vsnprintf(p, 64, fmt, ap);
	va_end(ap);
	if (n >= 64) {
		p = buf_reserve(b, (size_t)n + 1);
		vsnprintf(p, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	if (n > 0)
		b->n += (size_t)n;
}

void buf_u64(struct buf *b, uint64_t v)
{
	char tmp[20];
	size_t i = sizeof tmp;
	do
		tmp[--i] = (char)('0' + v % 10);
	while (v /= 10);
	buf_put(b, tmp + i, sizeof tmp - i);
}

void buf_i64(struct buf *b, int64_t v)
{
	if (v < 0)
		buf_putc(b, '-');
	buf_u64(b, wrap_size(v));
}

void buf_varint(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_putc(b, (int)(v & 0x7f) | 0x80);
	buf_putc(b, (int)v);
}

void buf_hex(struct buf *b, uint64_t v)
{
	char tmp[16];
	size_t i = sizeof tmp;
	do
		tmp[--i] = "0123456789abcdef"[v & 15];
	while (v >>= 4);
	buf_put(b, tmp + i, sizeof tmp - i);
}

char *buf_str(struct buf *b)
{
	*buf_reserve(b, 1) = 0;
	return b->p;
}

void buf_reset(struct buf *b)
{
	b->n = 0;
}

void buf_free(struct buf *b)
{
	mem_free(b->p);
	*b = (struct buf){0};
}
