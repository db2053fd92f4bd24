/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Removes the useless part of the file names of a profile: a given prefix, or else everything up to the name of a
 * folder that is searched for sources. pprof does this again for every graph that it builds, and a name can lose more
 * each time; the same happens here.
 */
#include "config.h"
#include "pprof/graph.h"

#include "base/text/path.h"

#include <string.h>

/* Read one element of a list separated by colons; return false at its end. */
static bool next_dir(const char **list, struct buf *b)
{
	if (!*list)
		return false;
	size_t n = strcspn(*list, ":");
	buf_reset(b);
	buf_put(b, *list, n);
	*list = (*list)[n] ? *list + n + 1 : NULL;
	return true;
}

static const char *non_empty(const char *s)
{
	return s && *s ? s : NULL;
}

static const char *path_trim(const char *path, const char *trim_path, const char *source_path)
{
	struct buf dir = {0}, want = {0};
	const char *list = non_empty(trim_path) ? NULL : non_empty(source_path), *found = NULL;
	while (!found && next_dir(&list, &dir)) {
		size_t n;
		const char *base = path_base(buf_str(&dir), dir.n, &n);
		buf_reset(&want);
		buf_printf(&want, "/%.*s/", (int)n, base);
		found = strstr(path, buf_str(&want));
		found = found ? found + want.n : NULL;
	}
	list = non_empty(trim_path);
	while (!found && next_dir(&list, &dir)) {
		if (!dir.n || dir.p[dir.n - 1] != '/')
			buf_putc(&dir, '/');
		if (!strncmp(path, buf_str(&dir), dir.n))
			found = path + dir.n;
	}
	static const char *const always[] = {"/proc/self/cwd/./", "/proc/self/cwd/"};
	for (int i = 0; i < 2 && !found; i++)
		if (!strncmp(path, always[i], strlen(always[i])))
			found = path + strlen(always[i]);
	buf_free(&dir);
	buf_free(&want);
	return found ? found : path;
}

void pprof_trim_paths(struct profile *p, const char *trim_path, const char *source_path)
{
	size_t n = p->nstr;
	str_id *to = xcalloc(n, sizeof *to); /* id + 1 */
	for (size_t i = 1; i < p->nfun; i++) {
		str_id f = p->fun[i].file;
		if (!f)
			continue;
		if (f >= n || !to[f]) {
			const char *s = profile_string(p, f), *t = path_trim(s, trim_path, source_path);
			str_id new = t == s ? f : profile_add_string(p, t, strlen(t));
			if (f < n)
				to[f] = new + 1;
			p->fun[i].file = new;
		} else {
			p->fun[i].file = to[f] - 1;
		}
	}
	mem_free(to);
}
