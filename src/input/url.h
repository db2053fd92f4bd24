/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_INPUT_URL_H
#define TTRACE_INPUT_URL_H

#include "base/mem/mem.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Names on the command line that are to be fetched, read as `go tool pprof`
 * reads them: http, https, https+insecure, or host:port without a scheme; where
 * there is no path, /debug/pprof/profile; seconds= as -seconds says. Besides,
 * unix:///run/app.sock/debug/pprof/heap: the socket is as much of it as is one.
 */
struct url {
	char *get;	/* for libcurl */
	char *shown;	/* for people and messages: its password is not in it */
	char *socket;	/* NULL, or the unix socket to go by */
	bool local;	/* this host: no proxy is asked */
	bool insecure;	/* any certificate will do */
	bool trace;	/* by its last element it is a trace, not a profile */
	int64_t seconds;	/* the server collects for so long; 0: it answers at once */
	int64_t timeout;	/* seconds until it must have begun to answer */
};

/* seconds, timeout: -seconds and -timeout, or <= 0. Strings in the arena. false: s is no URL. */
bool url_parse(struct arena *, const char *s, int64_t seconds, int64_t timeout, struct url *);

#endif
