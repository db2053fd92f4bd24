/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_DOWNLOAD_H
#define TTRACE_SESSION_DOWNLOAD_H

#include "cli/options.h"
#include "load/load.h"
#include "pprof/profile.h"
#include "session/input_cache.h"

/*
 * What of a command line is no file at hand: URLs, and standard input. It is
 * brought here once, at the beginning, all of it at the same time, and held: so
 * a report, the viewer and an export of the viewer read the same bytes. A name
 * that is a file is a file, even where it would do as host:port.
 */
struct downloads;

/* Who waits for it. */
struct download_watch {
	struct input_watch input;	/* progress of all of it, while it is fetched; go NULL: none is told */
	/* A line for people, then and later. news: what they should know afterwards too, as where it was saved. */
	void (*add_notice)(void *arg, bool news, const char *line);
	void *arg;
};

/* Something of it has to be brought first. */
bool download_needed(const struct options *);
/* NULL and *e: none of it could even be tried, or it was stopped. What failed by itself is said when it is
   opened. */
struct downloads *download_fetch(const struct options *, const struct download_watch *, struct err *e);
void download_free(struct downloads *);

/* How the first of it is called, where it comes from, and how long the server is expected to collect. */
struct download_info {
	char name[200];		/* all of it */
	char title[120];	/* host and what of it, when it is the first file; else "" */
	int64_t seconds;
	bool trace;
};
bool download_describe(const struct options *, struct download_info *);

/* A report that looks into one file: -1 where more are named. */
int download_require_one_file(const struct options *, struct err *e);
/* input_open() of a name of the command line; o->remote has those that are no files. */
int download_open_input(const struct options *, const char *name, struct bytes *, struct err *e);
int download_open_watched(
    const struct options *, const char *name, const struct input_watch *, struct bytes *, struct err *e);

/* Keep what was made of what was fetched, under a free name, as pprof does; the name is told. Nothing when
   nothing was fetched. */
void download_save(struct downloads *, const struct profile *);
const char *download_saved_name(const struct downloads *);	/* that name; NULL none */

/* What was fetched is at hand, under the names of the command line and under that one; what else is to be said
   of it is in *as. */
void download_lend(const struct downloads *, const struct cached_input *as, struct cached_inputs *);

#endif
