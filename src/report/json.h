/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_JSON_H
#define TTRACE_JSON_H

#include "base/text/buf.h"

#include <stdbool.h>

/*
 * JSON as it is written. key is NULL inside of arrays and for the outermost
 * value. Strings that are not UTF-8 get U+FFFD for each byte that is none.
 */
struct json {
	struct buf *b;
	unsigned depth;
	bool some[32];		/* per depth: a value has been written */
	char close[32];
};

void json_object(struct json *, const char *key);
void json_array(struct json *, const char *key);
void json_end(struct json *);		/* of the innermost; a newline after the outermost */
void json_str(struct json *, const char *key, const char *s, size_t n);
void json_text(struct json *, const char *key, const char *s);
void json_keyed_i64(struct json *, const char *key, size_t nkey, int64_t v);	/* a key that is data */
void json_i64(struct json *, const char *key, int64_t v);
void json_u64(struct json *, const char *key, uint64_t v);
void json_f64(struct json *, const char *key, double v);
void json_bool(struct json *, const char *key, bool v);
void json_null(struct json *, const char *key);

#endif
