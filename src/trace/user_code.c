/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Decides which frames are user code. The name of a Go function starts with the
 * import path of its package, and the packages of the standard library are a
 * table (go_stdlib.def). A rule by the form of the path alone would be wrong: a
 * path without a dot in its first element may be a module of the user
 * ("orders/internal/db").
 */
#include "config.h"
#include "trace/user_code.h"

#include "base/bsearch.h"
#include "base/text/text.h"

#include <string.h>

static const char *const packages[] = {
#define PKG(path) path,
#include "trace/go_stdlib.def"
#undef PKG
};
enum { PACKAGES = sizeof packages / sizeof *packages };

/* Compare the path s[0..n) with a path of the table, by bytes. */
static int path_cmp(const char *s, size_t n, const char *path)
{
	size_t len = strlen(path);
	int c = memcmp(s, path, n < len ? n : len);
	return c ? c : n < len ? -1 : n > len;
}

/* Return the index of the first package that is not before s[0..n). */
static size_t lower_bound(const char *s, size_t n)
{
	struct bsearch_probe h = {.hi = PACKAGES};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, path_cmp(s, n, packages[h.at]) > 0);
	return h.lo;
}

static bool is_listed(const char *s, size_t n)
{
	size_t i = lower_bound(s, n);
	return i < PACKAGES && !path_cmp(s, n, packages[i]);
}

/* Is it a package of the table, or the parent folder of one? */
static bool has_listed(const char *s, size_t n)
{
	size_t i = lower_bound(s, n);
	return i < PACKAGES && strlen(packages[i]) >= n && !memcmp(packages[i], s, n) &&
	    (!packages[i][n] || packages[i][n] == '/');
}

static bool has_prefix(const char *s, size_t n, const char *with)
{
	size_t len = strlen(with);
	return n >= len && !memcmp(s, with, len);
}

static bool is_standard(const char *s, size_t n)
{
	static const char internal[] = "/internal";
	if (has_prefix(s, n, "internal/") || has_prefix(s, n, "vendor/") || is_listed(s, n))
		return true;
	const char *in = memmem(s, n, internal, sizeof internal - 1);
	size_t parent = in ? (size_t)(in - s) : 0, end = parent + sizeof internal - 1;
	return in && (end == n || s[end] == '/') && has_listed(s, parent);
}

bool user_code_is_user_function(const char *name, size_t n)
{
	size_t package = text_go_package(name, n);
	return package && !is_standard(name, package);
}

/* Is this outside the packages that all programs call? Their names do not distinguish stacks. */
static bool is_telling(const char *name, size_t n)
{
	return text_go_package(name, n) && !has_prefix(name, n, "runtime.") && !has_prefix(name, n, "sync.") &&
	    !has_prefix(name, n, "internal/");
}

static stk_id first_of(const struct store *st, stk_id s, bool (*is_match)(const char *, size_t))
{
	for (; s; s = stk_parent(st, s)) {
		const struct str_row *name = store_str(st, store_fun(st, store_frm(st, stk_frame(st, s))->fun)->name);
		if (name->n && is_match(name->s, name->n))
			break;
	}
	return s;
}

stk_id user_code_first_frame(const struct store *st, stk_id s)
{
	return first_of(st, s, user_code_is_user_function);
}

stk_id user_code_outside_runtime(const struct store *st, stk_id s)
{
	return first_of(st, s, is_telling);
}

stk_id user_code_site(const struct store *st, stk_id s)
{
	stk_id first = user_code_first_frame(st, s);
	first = first ? first : user_code_outside_runtime(st, s);
	return first ? first : s;
}
