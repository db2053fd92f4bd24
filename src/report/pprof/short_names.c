/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Short names of functions. Go: without the path of the package, and without a
 * version ("/v2"); Java: without packages and arguments; C++: without the
 * namespaces before a class. These are regular languages, and pprof uses
 * regular expressions; here each is a walk over the name.
 */
#include "config.h"
#include "report/pprof/short_names.h"

#include <stdbool.h>
#include <string.h>

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}
static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}
static bool is_word(char c)
{
	return is_lower(c) || is_upper(c) || is_digit(c) || c == '_';
}

/* Leave out the first "/vN" with N > 1 before a '.' or '/'. Return true if s was copied without it. */
static bool drop_version(struct buf *b, const char *s, size_t n)
{
	if (memchr(s, '\n', n))
		return false;
	for (size_t i = 0; i + 3 < n; i++) {
		size_t k = i + 2;
		if (s[i] != '/' || s[i + 1] != 'v')
			continue;
		while (k < n && is_digit(s[k]))
			k++;
		size_t digits = k - i - 2;
		bool version = digits == 1 ? s[i + 2] >= '2' : digits > 1 && s[i + 2] != '0';
		if (!version || k == n || (s[k] != '.' && s[k] != '/'))
			continue;
		buf_put(b, s, i);
		buf_put(b, s + k, n - k);
		return true;
	}
	return false;
}

/* Return the end of the line, which '.' in an expression does not cross. */
static size_t line_end(const char *s, size_t from, size_t n)
{
	const char *nl = from < n ? memchr(s + from, '\n', n - from) : NULL;
	return nl ? (size_t)(nl - s) : n;
}

/* path/of/package.Func: the text after the last slash of the leading [\w.-]+/ such that "x.y" remains. */
static bool go_name(const char *s, size_t n, size_t *from, size_t *to)
{
	bool found = false;
	size_t element = 0;
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '/') {
			if (i == element)
				break;
			element = i + 1;
			const char *dot =
			    element < n ? memchr(s + element, '.', n - element) : NULL;
			size_t at = dot ? (size_t)(dot - s) : n;
			if (dot && at > element && at + 1 < n && s[at + 1] != '\n') {
				found = true;
				*from = element;
				*to = line_end(s, at + 1, n);
			}
		} else if (!is_word(s[i]) && s[i] != '-' && s[i] != '.') {
			break;
		}
	}
	return found;
}

static bool java_name(const char *s, size_t n, size_t *from, size_t *to)
{
	size_t i = 0, k;
	while (i < n && is_lower(s[i])) {
		for (k = i; k < n && is_word(s[k]);)
			k++;
		if (k == n || s[k] != '.')
			return false;
		i = k + 1;
	}
	*from = i;
	if (i == n || !is_upper(s[i]))
		return false;
	while (i < n && (is_word(s[i]) || s[i] == '$'))
		i++;
	if (i == n || s[i++] != '.')
		return false;
	if (n - i >= 6 && !memcmp(s + i, "<init>", 6))
		i += 6;
	else if (i < n && is_lower(s[i]))
		while (i < n && (is_word(s[i]) || s[i] == '$'))
			i++;
	else
		return false;
	*to = i;
	return i == n || s[i] == '(';
}

/* Return the end of an identifier at s[i], or i if there is none. */
static size_t identifier_end(const char *s, size_t i, size_t n)
{
	if (i == n || is_digit(s[i]))
		return i;
	while (i < n && is_word(s[i]))
		i++;
	return i;
}

/* A::B::Class::method<...>: the last Class:: that starts with a capital, and its method. */
static bool cpp_name(const char *s, size_t n, size_t *from, size_t *to)
{
	bool found = false;
	for (size_t i = 0, k;
	     (k = identifier_end(s, i, n)) > i && n - k >= 2 && s[k] == ':' && s[k + 1] == ':';
	     i = k + 2) {
		size_t cap = i, m = k + 2;
		while (s[cap] == '_')
			cap++;
		m += m < n && s[m] == '~';
		size_t end = identifier_end(s, m, n);
		if (!i || !is_upper(s[cap]) || end == m)
			continue;
		if (end < n && s[end] == '<') {
			size_t stop = line_end(s, end, n);
			while (stop > end && s[stop - 1] != '>')
				stop--;
			end = stop > end ? stop : end;
		}
		found = true;
		*from = i;
		*to = end;
	}
	return found;
}

void short_name_of_function(struct buf *b, const char *s, size_t n)
{
	static const char anonymous[] = "(anonymous namespace)::";
	struct buf plain = {0};
	size_t from = 0, to;
	if (n >= sizeof anonymous - 1 && !memcmp(s, anonymous, sizeof anonymous - 1)) {
		s += sizeof anonymous - 1;
		n -= sizeof anonymous - 1;
	}
	if (drop_version(&plain, s, n)) {
		s = plain.p;
		n = plain.n;
	}
	if (!go_name(s, n, &from, &to) && !java_name(s, n, &from, &to) &&
	    !cpp_name(s, n, &from, &to)) {
		from = 0;
		to = n;
	}
	buf_put(b, s + from, to - from);
	buf_free(&plain);
}
