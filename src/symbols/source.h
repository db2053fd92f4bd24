/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLS_SOURCE_H
#define TTRACE_SYMBOLS_SOURCE_H

#include "base/text/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finding and reading source files by the names that a profile or a trace has
 * for them. Files are read once and kept.
 */
struct source_cache;

struct source_cache_conf {
	const char *source_path;	/* directories separated by ':', or NULL */
	const char *trim_path;		/* prefixes to take off, separated by ':', or NULL */
	const char *beside;		/* the profile's own path: its folder is searched; or NULL */
	bool strict;			/* look where pprof looks and nowhere else (it reads source_path, or
					   the working directory when there is none) */
};
struct source_cache *source_cache_new(const struct source_cache_conf *);	/* copies what it needs */
void source_cache_free(struct source_cache *);

struct source {
	char *name;		/* as asked for */
	char *path;		/* where it was found; NULL: it was not */
	const char *how;	/* found: "path as given", "GOROOT", "module cache", "vendor", ... */
	char *err;		/* not found: the reason in pprof's words */
	char *tried;		/* not found: the paths looked at, one a line, at most a dozen */
	uint32_t nline;
	char *text;
	uint32_t *start;	/* start[i]: offset of line i+1; start[nline] ends the last */
};
/* Never NULL; good until source_cache_free. */
const struct source *source_cache_get(struct source_cache *, const char *file);
bool source_cache_has(const struct source_cache *, const char *file);	/* was it asked for before? */

/* Line number `line`, from 1, without its end; NULL when the file has no such line. */
const char *source_line(const struct source *, int64_t line, size_t *n);

/* Where a file is looked for, in words for people: one line. */
void source_cache_describe(const struct source_cache *, struct buf *);

/* A line with tabs expanded to every 8th cell and all else made safe for a terminal. */
void source_expand(struct buf *, const char *line, size_t n);

#endif
