/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SYMBOLS_SOURCE_H
#define TTRACE_SYMBOLS_SOURCE_H

#include "base/text/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds and reads source files by the names that a profile or a trace has for them. Files are read once and kept.
 */
struct source_cache;

struct source_cache_conf {
	const char *source_path;	/* folders separated by ':', or NULL */
	const char *trim_path;		/* prefixes to remove, separated by ':', or NULL */
	const char *beside;		/* path of the profile, whose folder is searched too; or NULL */
	bool strict;			/* search only where pprof searches (source_path, or the working directory if
					   there is none) */
};
/* Return a cache; the configuration is copied. */
struct source_cache *source_cache_new(const struct source_cache_conf *);
void source_cache_free(struct source_cache *);

struct source {
	char *name;		/* as requested */
	char *path;		/* path of the file; NULL: not found */
	const char *how;	/* if found: "path as given", "GOROOT", "module cache", "vendor", ... */
	char *err;		/* if not found: the reason in pprof's words */
	char *tried;		/* if not found: the paths that were tried, one a line, at most a dozen */
	uint32_t nline;
	char *text;
	uint32_t *start;	/* start[i]: offset of line i+1; start[nline] ends the last one */
};
/* Return a source file. Never NULL; valid until source_cache_free(). */
const struct source *source_cache_get(struct source_cache *, const char *file);
/* Return whether the file was requested before. */
bool source_cache_has(const struct source_cache *, const char *file);

/* Return line number `line`, from 1, without its line end; NULL: the file has no such line. */
const char *source_line(const struct source *, int64_t line, size_t *n);

/* Append a line for people that describes where files are searched. */
void source_cache_describe(const struct source_cache *, struct buf *);

/* Append a line with tabs expanded to every 8th cell and all other control characters escaped. */
void source_expand(struct buf *, const char *line, size_t n);

#endif
