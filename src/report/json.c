/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * JSON, written directly into the output: no tree is built, so a report of a
 * million goroutines only costs its text. One value per line down to the second
 * depth, so that `grep` and `diff` are useful; more blanks would only take
 * space.
 */
#include "config.h"
#include "report/json.h"

#include "base/text/text.h"

#include <math.h>
#include <string.h>

/* Return how many bytes of s are written as they are. */
static size_t plain_bytes(const char *s, size_t n)
{
	size_t i = 0;
	while (i < n && (unsigned char)s[i] >= 0x20 && (unsigned char)s[i] < 0x7f && s[i] != '"' && s[i] != '\\')
		i++;
	return i;
}

static void put_str(struct buf *b, const char *s, size_t n)
{
	buf_putc(b, '"');
	for (size_t i = 0; i < n;) {
		size_t plain = plain_bytes(s + i, n - i);
		if (plain) {
			buf_put(b, s + i, plain);
			i += plain;
			continue;
		}
		uint32_t cp;
		size_t k = text_decode_utf8(s + i, n - i, &cp);
		unsigned char c = (unsigned char)s[i];
		if (c == '"' || c == '\\') {
			buf_putc(b, '\\');
			buf_putc(b, c);
		} else if (c == '\n') {
			buf_puts(b, "\\n");
		} else if (c == '\t') {
			buf_puts(b, "\\t");
		} else if (c < 0x20 || c == 0x7f) {
			buf_printf(b, "\\u%04x", c);
		} else if (cp == 0xfffd && k == 1) {
			buf_puts(b, "\xef\xbf\xbd");
		} else {
			buf_put(b, s + i, k);
		}
		i += k ? k : 1;
	}
	buf_putc(b, '"');
}

static void begin_value(struct json *j, const char *key, size_t nkey)
{
	if (j->depth && j->some[j->depth])
		buf_putc(j->b, ',');
	if (j->depth && j->depth < 3)
		buf_putc(j->b, '\n');
	j->some[j->depth] = true;
	if (key) {
		put_str(j->b, key, nkey);
		buf_putc(j->b, ':');
	}
}

static void open_value(struct json *j, const char *key, char open, char close)
{
	begin_value(j, key, key ? strlen(key) : 0);
	buf_putc(j->b, open);
	j->depth++;
	j->some[j->depth] = false;
	j->close[j->depth] = close;
}

void json_object(struct json *j, const char *key)
{
	open_value(j, key, '{', '}');
}

void json_array(struct json *j, const char *key)
{
	open_value(j, key, '[', ']');
}

void json_end(struct json *j)
{
	if (j->depth < 3 && j->some[j->depth])
		buf_putc(j->b, '\n');
	buf_putc(j->b, j->close[j->depth--]);
	if (!j->depth)
		buf_putc(j->b, '\n');
}

void json_str(struct json *j, const char *key, const char *s, size_t n)
{
	begin_value(j, key, key ? strlen(key) : 0);
	put_str(j->b, s ? s : "", s ? n : 0);
}

void json_text(struct json *j, const char *key, const char *s)
{
	json_str(j, key, s, strlen(s));
}

void json_keyed_i64(struct json *j, const char *key, size_t nkey, int64_t v)
{
	begin_value(j, key, nkey);
	buf_i64(j->b, v);
}

void json_i64(struct json *j, const char *key, int64_t v)
{
	begin_value(j, key, key ? strlen(key) : 0);
	buf_i64(j->b, v);
}

void json_u64(struct json *j, const char *key, uint64_t v)
{
	begin_value(j, key, key ? strlen(key) : 0);
	buf_u64(j->b, v);
}

void json_f64(struct json *j, const char *key, double v)
{
	begin_value(j, key, key ? strlen(key) : 0);
	buf_printf(j->b, "%.12g", isfinite(v) ? v : 0.0);
}

void json_bool(struct json *j, const char *key, bool v)
{
	begin_value(j, key, key ? strlen(key) : 0);
	buf_puts(j->b, v ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
	begin_value(j, key, key ? strlen(key) : 0);
	buf_puts(j->b, "null");
}

void json_raw(struct json *j, const char *key, const char *s, size_t n)
{
	begin_value(j, key, key ? strlen(key) : 0);
	buf_put(j->b, s, n);
}
