/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Demangles Rust names by binutils' libiberty: the legacy scheme, which looks like C++ with a hash at the end, and the
 * new one (v0, RFC 2603), a grammar in which types nest and may contain back references. Without that library (see
 * configure) v0 names are not demangled, and legacy ones are shown as C++ with a hash.
 *
 * The code around it adapts the result to pprof's. Before: a legacy component loses a leading underscore, because pprof
 * takes it for the end of the length; suffixes added by the linker are removed. After: if arguments are not wanted,
 * those of generics become <>, and a result that is not UTF-8 is rejected.
 */
#include "config.h"
#include "symbols/demangle_rust.h"

#ifdef HAVE_LIBIBERTY
#include "base/text/text.h"
#include "symbols/demangle_bounded.h"

#include <string.h>

enum { HASH = 20 /* 17h, 16 digits, E */ };

static bool is_text(const char *s, size_t n)
{
	uint32_t c;
	for (size_t i = 0; i < n; i += text_decode_utf8(s + i, n - i, &c))
		if (text_decode_utf8(s + i, n - i, &c) == 1 && (unsigned char)s[i] >= 0x80)
			return false;
	return true;
}

/* ---- preparation */

static size_t take_number(const char *s, size_t n, size_t *at)
{
	size_t v = 0;
	while (*at < n && s[*at] >= '0' && s[*at] <= '9' && v < n)
		v = v * 10 + (size_t)(s[(*at)++] - '0');
	return v;
}

/* Append a legacy name with the lengths as pprof reads them. Return false if it is not one. */
static bool old_form(struct buf *b, const char *s, size_t n)
{
	if (n <= 3 + HASH || memcmp(s + n - HASH, "17h", 3) || s[n - 1] != 'E')
		return false;
	buf_puts(b, "_ZN");
	for (size_t at = 3, end = n - HASH; at < end;) {
		size_t from = at, len = take_number(s, end, &at);
		if (at == from || !len || len > end - at)
			return false;
		bool under = s[at] == '_' && len > 1;
		buf_printf(b, "%zu", len - under);
		buf_put(b, s + at + under, len - under);
		at += len;
	}
	buf_put(b, s + n - HASH, HASH);
	return true;
}

/* ---- adaptation of the result */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

/* Return the place after the quoted character at s[i], or i if it is a lifetime. */
static size_t behind_quoted(const char *s, size_t n, size_t i)
{
	size_t k = i + 1 + (i + 1 < n && s[i + 1] == '\\');
	for (k++; k < n && ((unsigned char)s[k] & 0xc0) == 0x80; k++)
		;
	if (i + 2 < n && s[i + 1] == '\\' && s[i + 2] == 'u')
		while (k < n && s[k] != '\'')
			k++;
	return k < n && s[k] == '\'' ? k + 1 : i;
}

/* Return the place after the bracket that closes the one at s[i]. */
static size_t skip_bracketed(const char *s, size_t n, size_t i)
{
	for (size_t depth = 0; i < n; i++) {
		size_t q = s[i] == '\'' ? behind_quoted(s, n, i) : i;
		if (q > i)
			i = q - 1;
		else if (s[i] == '<')
			depth++;
		else if (s[i] == '>' && s[i - 1] != '-' && !--depth)
			return i + 1;
	}
	return n;
}

/* Return whether the bracket at s[i] begins generic arguments: not in <T as Trait> or for<'a>. */
static bool are_arguments(const char *s, size_t i)
{
	bool binder = i >= 3 && !memcmp(s + i - 3, "for", 3) && (i == 3 || !is_word(s[i - 4]));
	return i && (is_word(s[i - 1]) || s[i - 1] == ':' || s[i - 1] == '}') && !binder;
}

static void without_arguments(struct buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		if (s[i] == '<' && are_arguments(s, i)) {
			buf_puts(b, "<>");
			i = skip_bracketed(s, n, i);
		} else {
			buf_putc(b, s[i++]);
		}
	}
}

bool demangle_rust(struct buf *b, const char *name, bool simple)
{
	struct buf full = {0}, mangled = {0};
	bool v0 = !strncmp(name, "_R", 2), ok = v0;
	if (v0) {
		buf_put(&mangled, name, strcspn(name, "."));
	} else if (!strncmp(name, "_ZN", 3)) {
		const char *llvm = strstr(name, "E.llvm.");
		ok = old_form(&mangled, name, llvm ? (size_t)(llvm - name) + 1 : strlen(name));
	}
	ok = ok && demangle_bounded_rust(&full, buf_str(&mangled)) && is_text(full.p, full.n);
	if (ok && v0 && simple)
		without_arguments(b, full.p, full.n);
	else if (ok)
		buf_put(b, full.p, full.n);
	buf_free(&full);
	buf_free(&mangled);
	return ok;
}

#else

bool demangle_rust(struct buf *b, const char *name, bool simple)
{
	(void)b, (void)name, (void)simple;
	return false;
}

#endif
