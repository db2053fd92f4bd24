/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A path is cleaned by one pass over its elements into the buffer; ".." removes the last element, unless that is itself
 * a ".." or the root.
 */
#include "config.h"
#include "base/text/path.h"

#include "base/mem/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void path_clean(struct buf *b, const char *s, size_t n)
{
	size_t from = b->n, floor;
	bool rooted = n && *s == '/';
	if (rooted)
		buf_putc(b, '/');
	floor = b->n; /* ".." removes nothing before this offset */
	for (size_t i = 0, e; i < n; i = e) {
		for (e = i; e < n && s[e] != '/';)
			e++;
		size_t len = e - i;
		if (e < n)
			e++;
		if (!len || (len == 1 && s[i] == '.'))
			continue;
		if (len == 2 && s[i] == '.' && s[i + 1] == '.') {
			if (b->n > floor) {
				while (b->n > floor && b->p[b->n - 1] != '/')
					b->n--;
				if (b->n > floor)
					b->n--;
				continue;
			}
			if (rooted)
				continue;
			if (b->n > from)
				buf_putc(b, '/');
			buf_puts(b, "..");
			floor = b->n;
			continue;
		}
		if (b->n > from && b->p[b->n - 1] != '/')
			buf_putc(b, '/');
		buf_put(b, s + i, len);
	}
	if (b->n == from)
		buf_putc(b, '.');
}

const char *path_base(const char *s, size_t n, size_t *len)
{
	*len = 1;
	if (!n)
		return ".";
	while (n && s[n - 1] == '/')
		n--;
	if (!n)
		return "/";
	size_t i = n;
	while (i && s[i - 1] != '/')
		i--;
	*len = n - i;
	return s + i;
}

void path_folder(struct buf *b, const char *path)
{
	const char *slash = strrchr(path, '/');
	if (slash)
		buf_put(b, path, slash > path ? (size_t)(slash - path) : 1);
	else
		buf_putc(b, '.');
}

const char *path_home(struct arena *m, const char *path)
{
	const char *home = getenv("HOME");
	if (path[0] == '~' && path[1] == '/' && home && *home)
		return arena_printf(m, "%s%s", home, path + 1);
	return arena_strndup(m, path, strlen(path));
}
