/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Mutations of protobuf without its schema. A message is a list of fields of a number, a wire type and a value. A mutation
 * changes the order of fields, repeats or removes one, or changes its number or value. A field that may be a message or a list
 * of packed numbers is mutated in the same way.
 */
#include "config.h"
#include "mutate.h"

#include "base/byte_cursor.h"
#include "base/mem/mem.h"

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5, DEEPEST = 4 };

/* Return the length of the field at p; 0: it is damaged. *key: its number and wire type; *body: its value, of WIRE_BYTES
   without the length. */
static size_t field_length(const uint8_t *p, size_t n, uint64_t *key, struct mutate_part *body)
{
	struct byte_cursor c = byte_cursor_make(p, n, 0);
	*key = byte_cursor_uvarint(&c);
	const uint8_t *from = c.p;
	uint64_t len;
	switch (*key & 7) {
	case WIRE_VARINT: byte_cursor_uvarint(&c); break;
	case WIRE_64: byte_cursor_bytes(&c, 8); break;
	case WIRE_32: byte_cursor_bytes(&c, 4); break;
	case WIRE_BYTES:
		len = byte_cursor_uvarint(&c);
		from = c.p;
		byte_cursor_bytes(&c, len);
		break;
	default: return 0;
	}
	*body = (struct mutate_part){from, (size_t)(c.p - from)};
	return c.bad ? 0 : (size_t)(c.p - p);
}

/* Split a message, or packed numbers, completely. Return the number of parts; 0: the bytes are no message. */
static size_t split_parts(struct mutate_part in, bool packed, struct mutate_part *v)
{
	size_t n = 0;
	for (size_t at = 0, len; at < in.n; at += len) {
		uint64_t key;
		struct mutate_part body;
		struct byte_cursor c = byte_cursor_make(in.p + at, in.n - at, 0);
		byte_cursor_uvarint(&c);
		len = packed ? (c.bad ? 0 : (size_t)(c.p - c.base)) : field_length(in.p + at, in.n - at, &key, &body);
		if (!len || n == MUTATE_PARTS)
			return 0;
		v[n++] = (struct mutate_part){in.p + at, len};
	}
	return n;
}

static uint64_t number_of(struct mutate_part v)
{
	struct byte_cursor c = byte_cursor_make(v.p, v.n, 0);
	return byte_cursor_uvarint(&c);
}

static void put_number(struct mutate_rnd *r, struct buf *b, struct mutate_part was, struct mutate_part other)
{
	buf_varint(b, mutate_number(r, number_of(was), number_of(other)));
}

static bool put_message(struct mutate_rnd *r, struct buf *b, struct mutate_part in, int depth);

static bool put_packed(struct mutate_rnd *r, struct buf *b, struct mutate_part in)
{
	struct mutate_part v[64];
	struct buf one = {0};
	size_t n = in.n < sizeof v / sizeof *v ? split_parts(in, true, v) : 0, i = mutate_rnd(r, n);
	if (!n)
		return false;
	if (mutate_rnd(r, 2)) {
		n = mutate_order(r, v, n);
	} else {
		put_number(r, &one, v[i], v[mutate_rnd(r, n)]);
		v[i] = (struct mutate_part){(const uint8_t *)one.p, one.n};
	}
	mutate_put(b, v, n);
	buf_free(&one);
	return true;
}

/* Write a field with another number or value; `other` is a field of the same message. */
static void put_field(struct mutate_rnd *r, struct buf *b, struct mutate_part f, struct mutate_part other, int depth)
{
	uint64_t key, key2;
	struct mutate_part body, body2;
	struct buf in = {0};
	field_length(f.p, f.n, &key, &body);
	field_length(other.p, other.n, &key2, &body2);
	uint64_t number = mutate_rnd(r, 8) ? key >> 3 : mutate_rnd(r, 2) ? key2 >> 3 : mutate_rnd(r, 20);
	buf_varint(b, number << 3 | (key & 7));
	if ((key & 7) == WIRE_VARINT) {
		put_number(r, b, body, body2);
		return;
	}
	if ((key & 7) != WIRE_BYTES) {
		buf_put(b, (const char *)body.p, body.n);
		return;
	}
	bool message = depth < DEEPEST && mutate_rnd(r, 4) && put_message(r, &in, body, depth + 1);
	if (!message && !(mutate_rnd(r, 2) && put_packed(r, &in, body))) {
		struct mutate_part as = mutate_rnd(r, 2) ? body2 : body;
		buf_put(&in, (const char *)as.p, as.n);
	}
	buf_varint(b, in.n);
	buf_put(b, in.p ? in.p : "", in.n);
	buf_free(&in);
}

/* Write a mutation of a message. Return false if the bytes are no message. */
static bool put_message(struct mutate_rnd *r, struct buf *b, struct mutate_part in, int depth)
{
	struct mutate_part *v = xmalloc((MUTATE_PARTS + 1) * sizeof *v);
	struct buf one = {0};
	size_t n = split_parts(in, false, v), i = mutate_rnd(r, n);
	if (n && !mutate_rnd(r, 4)) {
		n = mutate_order(r, v, n);
	} else if (n) {
		put_field(r, &one, v[i], v[mutate_rnd(r, n)], depth);
		v[i] = (struct mutate_part){(const uint8_t *)one.p, one.n};
	}
	mutate_put(b, v, n);
	mem_free(v);
	buf_free(&one);
	return n > 0;
}

size_t mutate_pprof(uint8_t *data, size_t n, size_t max, unsigned seed)
{
	struct mutate_rnd r = {seed};
	struct buf out = {0};
	if (!put_message(&r, &out, (struct mutate_part){data, n}, 0))
		return 0;
	return mutate_finish(&out, data, max);
}
