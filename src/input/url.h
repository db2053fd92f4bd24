/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_INPUT_URL_H
#define TTRACE_INPUT_URL_H

#include "base/mem/mem.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * URLs on the command line, parsed as `go tool pprof` does: http, https, https+insecure, or
 * host:port without a scheme; without a path, /debug/pprof/profile; seconds= as -seconds requires.
 * Also unix:///run/app.sock/debug/pprof/heap: the socket is the leading part of the path that is
 * one.
 */
struct url {
	char *get;	/* for libcurl */
	char *shown;	/* for people and messages: without the password */
	char *socket;	/* NULL, or the unix socket to connect to */
	bool local;	/* this host: do not use a proxy */
	bool insecure;	/* accept any certificate */
	bool trace;	/* the last element of its path is trace, so it is not a profile */
	int64_t seconds;	/* duration of the recording on the server; 0: it answers at once */
	int64_t timeout;	/* seconds in which a byte of the profile or trace must arrive */
};

/* Parse s. seconds and timeout are those of -seconds and -timeout, or <= 0. The strings are allocated in the
   arena. Returns false if s is no URL. */
bool url_parse(struct arena *, const char *s, int64_t seconds, int64_t timeout, struct url *);

#endif
