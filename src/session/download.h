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
struct remote;

/* Who waits for it. */
struct remote_watch {
	struct input_watch input;	/* progress of all of it, while it is fetched; go NULL: none is told */
	/* A line for people, then and later. news: what they should know afterwards too, as where it was saved. */
	void (*say)(void *arg, bool news, const char *line);
	void *arg;
};

/* Something of it has to be brought first. */
bool remote_needed(const struct opt *);
/* NULL and *e: none of it could even be tried, or it was stopped. What failed by itself is said when it is
   opened. */
struct remote *remote_fetch(const struct opt *, const struct remote_watch *, struct err *e);
void remote_free(struct remote *);

/* How the first of it is called, where it comes from, and how long the server is expected to collect. */
struct remote_what {
	char name[200];		/* all of it */
	char title[120];	/* host and what of it, when it is the first file; else "" */
	int64_t seconds;
	bool trace;
};
bool remote_describe(const struct opt *, struct remote_what *);

/* A report that looks into one file: -1 where more are named. */
int source_only(const struct opt *, struct err *e);
/* input_open() of a name of the command line; o->remote has those that are no files. */
int source_open(const struct opt *, const char *name, struct bytes *, struct err *e);
int source_open_for(const struct opt *, const char *name, const struct input_watch *, struct bytes *, struct err *e);

/* Keep what was made of what was fetched, under a free name, as pprof does; the name is told. Nothing when
   nothing was fetched. */
void remote_save(struct remote *, const struct prof *);
const char *remote_saved(const struct remote *);	/* that name; NULL none */

/* What was fetched is at hand, under the names of the command line and under that one; what else is to be said
   of it is in *as. */
void remote_lend(const struct remote *, const struct held *as, struct hand *);

#endif
