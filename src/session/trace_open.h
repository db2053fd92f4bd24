/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_TRACE_OPEN_H
#define TTRACE_SESSION_TRACE_OPEN_H

#include "cli/options.h"
#include "load/load.h"
#include "pprof/profile.h"
#include "trace/as_profile.h"

/* A trace for a report: read at once, whole, with what the command line asks of it. */
struct trace {
	struct store_builder *store_builder;	/* NULL: it is the session's, and at hand */
	struct reread_source *reread_source;	/* what that goes back to */
	const struct snap *sn;
	struct arena arena;	/* for what is made of it; it spills */
};

/* The first file of the command line. -1: *e; also, with -strict, when it is damaged. Notices are told
   when it succeeds; notice NULL: nowhere. */
int trace_open(struct trace *, const struct options *, profile_notice *, void *arg, struct err *e);
/* The same of bytes that are open already; the caller closes them. */
int trace_read(struct trace *, struct bytes *, const struct options *, profile_notice *, void *arg, struct err *e);
/* That of the session that the report is made in. false: it is none. */
bool trace_from_session(struct trace *, const char *name, const struct options *);
void trace_close(struct trace *);

/* The same from the index of that file, which is open as it is stored. 1: there is one; 0: read it. */
int trace_read_index(struct trace *, const struct bytes *, const char *file, const struct options *, profile_notice *,
    void *arg, struct err *e);

/* A point in time as people write it: 1.2s, 350ms, 40%, or 15:04:05.6 where wall time is known; ns since
   the first event. */
int trace_parse_time(const struct snap *, const char *, int64_t *t, struct err *e);
/* -from and -to: t0 and t1 of what is asked for. */
int trace_parse_range(const struct snap *, const struct options *, int64_t *t0, int64_t *t1, struct err *e);
/* -latency: its bounds, both inside; TIME_NONE: open. */
int trace_parse_latency(const struct options *, int64_t *lo, int64_t *hi, struct err *e);
/* All of the filters of the command line, in the arena. */
int trace_parse_filter(
    const struct snap *, const struct options *, struct arena *, struct trace_filter *, struct err *e);

/* -rest makes sense with what else is given. */
int trace_check_rest_option(const struct options *, struct err *e);

/* The weights of -type (or sched) as a profile, as `go tool trace -pprof` writes it. With -rest the mean of
   one of those that the filter names, or (rest) of those that it leaves out. */
struct profile *trace_make_profile(const struct trace *, const struct options *, bool rest, struct err *e);

#endif
