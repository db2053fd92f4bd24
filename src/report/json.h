/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_JSON_H
#define TTRACE_JSON_H

#include "base/text/buf.h"

#include <stdbool.h>

/*
 * A writer of JSON. key is NULL in arrays and for the outermost value. Bytes
 * that are not UTF-8 become U+FFFD.
 */
struct json {
	struct buf *b;
	unsigned depth;
	bool some[32];		/* by depth: a value was written */
	char close[32];
};

void json_object(struct json *, const char *key);
void json_array(struct json *, const char *key);
void json_end(struct json *);		/* end the innermost object or array; writes a newline after the outermost */
void json_str(struct json *, const char *key, const char *s, size_t n);
void json_text(struct json *, const char *key, const char *s);
void json_keyed_i64(struct json *, const char *key, size_t nkey, int64_t v);	/* a key that is data */
void json_i64(struct json *, const char *key, int64_t v);
void json_u64(struct json *, const char *key, uint64_t v);
void json_f64(struct json *, const char *key, double v);
void json_bool(struct json *, const char *key, bool v);
void json_raw(struct json *, const char *key, const char *s, size_t n);	/* a whole value in JSON */
void json_null(struct json *, const char *key);

#endif
