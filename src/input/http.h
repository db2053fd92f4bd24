/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_INPUT_HTTP_H
#define TTRACE_INPUT_HTTP_H

#include "input/url.h"
#include "input/input.h"

/*
 * Downloads by HTTP. Only http.c includes libcurl's header. In a build without libcurl http_get()
 * fails, and its message has the curl command that the user can run instead.
 */
struct http_get {
	struct url url;
	struct bytes got;	/* the received bytes; the caller closes it */
	bool cut;		/* the connection ended early: got has the bytes before */
	bool failed;
	struct err err;		/* the reason, if it failed */
};

struct http_options {
	const char *cert, *key, *ca;	/* for TLS; NULL or "": none */
	const struct input_watch *watch;
	uint64_t most;		/* bytes of one transfer, of headers, redirects and error pages too; 0: no limit */
};

/* Return whether the program was built with libcurl. */
bool http_is_built(void);
/* Download n URLs at the same time and wait. Each entry gets its own result. Returns -1 and *e if no download can
   start, or if the watch cancels. */
int http_get(struct http_get *, size_t n, const struct http_options *, struct err *e);

#endif
