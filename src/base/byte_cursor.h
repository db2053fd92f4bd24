/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_BYTE_CURSOR_H
#define TTRACE_BASE_BYTE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A bounds-checked cursor over bytes, used by every reader. A failed read sets bad and keeps the position; all later
 * reads return zeros. So a reader may check once per record.
 */
struct byte_cursor {
	const uint8_t *base, *p, *end;
	uint64_t off;	/* offset of base in the input, for messages */
	bool bad;
};

static inline struct byte_cursor byte_cursor_make(const void *p, size_t n, uint64_t off)
{
	const uint8_t *at = p;
	return (struct byte_cursor){at, at, n ? at + n : at, off, false};	/* avoids arithmetic on NULL */
}

static inline size_t byte_cursor_left(const struct byte_cursor *c)
{
	return (size_t)(c->end - c->p);
}

static inline uint64_t byte_cursor_at(const struct byte_cursor *c)
{
	return c->off + (uint64_t)(c->p - c->base);
}

static inline uint8_t byte_cursor_u8(struct byte_cursor *c)
{
	if (c->p < c->end && !c->bad)
		return *c->p++;
	c->bad = true;
	return 0;
}

/* Read a LEB128 number of at most 10 bytes and 64 bits. */
static inline uint64_t byte_cursor_uvarint(struct byte_cursor *c)
{
	uint64_t v = 0;
	const uint8_t *p = c->p;
	if (!c->bad)
		for (unsigned s = 0; s < 70 && p < c->end; s += 7) {
			uint8_t b = *p++;
			if (s == 63 && b > 1)
				break;
			v |= (uint64_t)(b & 0x7f) << s;
			if (b < 0x80) {
				c->p = p;
				return v;
			}
		}
	c->bad = true;
	return 0;
}

/* Return n bytes in place, or NULL. */
static inline const uint8_t *byte_cursor_bytes(struct byte_cursor *c, uint64_t n)
{
	if (c->bad || n > byte_cursor_left(c)) {
		c->bad = true;
		return NULL;
	}
	const uint8_t *p = c->p;
	c->p += n;
	return p;
}

#endif
