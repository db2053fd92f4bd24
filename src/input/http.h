/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_INPUT_HTTP_H
#define TTRACE_INPUT_HTTP_H

#include "input/url.h"
#include "load/load.h"

/*
 * Fetching by HTTP. http.c alone includes libcurl's header; a build without it
 * has the same functions, which say in one line what to do instead.
 */
struct http_get {
	struct url url;
	struct bytes got;	/* what came; the caller closes it */
	bool cut;		/* it broke off: got has what came before */
	bool failed;
	struct err err;		/* why, when it failed */
};

struct http_options {
	const char *cert, *key, *ca;	/* TLS; NULL or "" none */
	const struct input_watch *watch;
};

bool http_is_built(void);
/* Fetch n at once and wait. Each has its own result. -1 and *e: it cannot even be tried. */
int http_get(struct http_get *, size_t n, const struct http_options *, struct err *e);

#endif
