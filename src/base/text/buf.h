/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_TEXT_BUF_H
#define TTRACE_BASE_TEXT_BUF_H

#include <stddef.h>
#include <stdint.h>

/* A growing byte string. Zero-initialise it; free it with buf_free(). It is not NUL-terminated unless buf_str() is
   called. */
struct buf {
	char *p;
	size_t n, cap;
};

/* Make room for n bytes and return where the next byte is put; NULL if n is 0 and there is no room at all. */
char *buf_reserve(struct buf *b, size_t n);
void buf_put(struct buf *b, const void *bytes, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, int c);
void buf_pad(struct buf *b, int c, size_t n);	/* append byte c n times */
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_i64(struct buf *b, int64_t v);	/* append in decimal; much faster than buf_printf() */
void buf_u64(struct buf *b, uint64_t v);
/* Append as LEB128, the format that byte_cursor_uvarint() reads. */
void buf_varint(struct buf *b, uint64_t v);
void buf_hex(struct buf *b, uint64_t v);	/* append in lower case, without 0x */
char *buf_str(struct buf *b);		/* return the NUL-terminated string, valid until the next call */
void buf_reset(struct buf *b);
void buf_free(struct buf *b);

#endif
