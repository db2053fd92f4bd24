/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SAMPLE_H
#define TTRACE_SAMPLE_H

#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>

/* Parse the command line "ttrace view samples/NAME". The path in the options is valid until the next call. */
static inline bool sample_opt(struct options *o, const char *name)
{
	static char path[1024], program[] = "ttrace", word[] = "view";
	const char *dir = getenv("srcdir");
	struct err e = {0};
	snprintf(path, sizeof path, "%s/samples/%s", dir ? dir : ".", name);
	return !options_parse(o, 3, (char *[]){program, word, path, NULL}, &e);
}

#endif
